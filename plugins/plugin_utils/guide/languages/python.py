# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the commands that a Python program runs, the files that it writes, and the settings that it holds as texts."""

from __future__ import annotations

import ast
import re
import warnings
from itertools import combinations
from typing import Dict, Iterator, List, Optional, Sequence, Set, Tuple, Union

from .. import masks
from ..calls import ethtool, programs, sentences, wrappers
from ..keys import kernel_files
from ..keys.settings import Guide
from ..model import CONDITIONAL, NO_EFFECT, ON_HOST, Branch, Line, Sink
from ..scripts.whole import Shell
from .python_variables import Variables, joined

_RUNNING = ("system", "run", "call", "check_call", "check_output", "Popen", "popen", "getoutput", "sh", "execute")
# Functions whose texts are for people, or that only ask.
_SAYING = re.compile(
    r"assert\w*|get\w*|read\w*|exists|isfile|isdir|startswith|endswith|join|glob|find\w*|search|match|compile|split"
    r"|replace|strip|pop"
)
_WRITING = re.compile(r"set|write|sysctl|apply|put|tune|tuning|update|save|config|change|add|echo", re.IGNORECASE)
_PRINTING = re.compile(
    r"print|log|debug|info|warn|warning|error|exception|critical|fail|add_argument|\w*Error|\w*Exception|echo"
)
_ONLY_SAID = "the program only says it"
_TAKING_BACK = re.compile(r"_*(?:restore|revert|undo|rollback|roll_back|unload|uninstall|teardown)(?:_|$)")
_MOST_FUNCTIONS = 16  # that are told apart
_KERNEL = ("/proc/sys/", "/proc/irq/", "/sys/class/net/", "/sys/module/")
_HOOK = re.compile(r"\s*(?:pre-up|post-up|up)\s+(?=\S)")  # of a line for ifupdown
_PARAMETER = re.compile(r"(?:net|kernel|vm|fs)\.[\w./-]+")


def read(guide: Guide, lines: Sequence[Line]) -> bool:
    """Commands that a Python program runs; False where the text is no Python."""
    tree = _parsed("\n".join(text for _number, text in lines))
    if tree is None:
        return False
    mininet = any(re.match(r"\s*(from|import) mininet\b", line) for _number, line in lines)
    why = "it acts on a host of Mininet, which is a network namespace of its own" if mininet else ""
    with guide.sink.under(CONDITIONAL, why):
        _commands(guide, lines, tree)
    for number, _text in lines:
        guide.sink.nothing(number, "sets nothing by itself")
    return True


def _parsed(text: str) -> Optional[ast.AST]:
    """A program of Python 3, or of Python 2 with its statements written as Python 3 has them; None for others."""
    old = re.sub(r"(?m)^(\s*)print[ \t]+([^(\s=].*?)[ \t]*$", r"\1print(\2)", text)
    old = re.sub(r"(?m)^(\s*except[ \t]+[\w.()]+),[ \t]*(\w+)[ \t]*:", r"\1 as \2:", old)
    for source in (text, old):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(source)
        except (SyntaxError, ValueError):
            continue
    return None


def _commands(guide: Guide, lines: Sequence[Line], tree: ast.AST) -> None:
    """What the calls of a program run, and the texts in it that are scripts, files or settings."""
    program = _Program(guide, lines, tree)
    never = dict(_never(tree))
    uncalled, before = _uncalled(tree, guide.sink), guide.sink.branch
    nodes: List[Union[ast.expr, ast.stmt]] = [node for node in ast.walk(tree) if isinstance(node, ast.expr)]
    nodes += [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    first = len(guide.sink.settings)
    for part in (program.node, program.text):
        for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
            guide.sink.branch = (*before, *uncalled.get(id(node), ()))
            with guide.sink.under(NO_EFFECT, never.get(id(node), "")):
                part(node)
    guide.sink.branch = before
    guide.sink.settings.replace(first, sorted(guide.sink.settings[first:], key=lambda one: one.line))


def _never(tree: ast.AST) -> Iterator[Tuple[int, str]]:
    """What stands in the body of `if False:` and its like, or takes things back, with the reason."""
    for node in ast.walk(tree):
        why = ""
        if isinstance(node, (ast.If, ast.While)) and isinstance(node.test, ast.Constant) and not node.test.value:
            why = "it stands under a condition that never holds"
        elif isinstance(node, ast.FunctionDef) and _TAKING_BACK.match(node.name):
            why = f"it stands in the function {node.name}, which takes things back"
        if why and isinstance(node, (ast.If, ast.While, ast.FunctionDef)):
            yield from ((id(inner), why) for one in node.body for inner in ast.walk(one))


def _uncalled(tree: ast.AST, sink: Sink) -> Dict[int, Branch]:
    """What stands in functions that nothing in the text calls: each two of them are cases, of which one may run."""
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    named |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name not in named]
    pairs = list(combinations(range(len(functions[:_MOST_FUNCTIONS])), 2))
    first = sink.groups + 1
    sink.groups += len(pairs)
    found: Dict[int, Branch] = {}
    for number, function in enumerate(functions[:_MOST_FUNCTIONS]):
        kind = f"function {function.name}"
        of = [(first + group, pair.index(number), kind) for group, pair in enumerate(pairs) if number in pair]
        found.update({id(inner): tuple(of) for one in function.body for inner in ast.walk(one)})
    return found


class _Program:
    """The parts of one program, one after the other."""

    def __init__(self, guide: Guide, lines: Sequence[Line], tree: ast.AST) -> None:
        self.guide = guide
        self.numbers = [number for number, _text in lines]
        self.variables = Variables(lines, tree)
        self.said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        self.said |= {
            id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)
        } - {id(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)}
        # What is printed, compared or looked for, and sets nothing.
        told = [node for node in ast.walk(tree) if _tells(node)]
        self.told = {id(part) for node in told for part in ast.walk(node)}
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _prints(node)]
        self.printed = {id(part) for node in calls for part in ast.walk(node)}
        self.paths: Dict[int, str] = {}  # the files that texts of several lines are written into
        self.written: Dict[int, ast.Call] = {}  # the calls of open around `f.write(...)`
        self.opened: Set[int] = set()  # and these calls themselves
        self.own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _does(node)}
        for node in ast.walk(tree):
            for item in node.items if isinstance(node, ast.With) else ():
                opened, name = item.context_expr, item.optional_vars
                if isinstance(node, ast.With) and isinstance(opened, ast.Call) and isinstance(name, ast.Name):
                    self._opened(node, opened, name.id)

    def _opened(self, body: ast.With, opened: ast.Call, name: str) -> None:
        for node in ast.walk(body):
            function = node.func if isinstance(node, ast.Call) else None
            if isinstance(function, ast.Attribute) and getattr(function.value, "id", "") == name:
                self.written[id(node)] = opened
                self.opened.add(id(opened))

    def node(self, node: ast.AST) -> None:
        """What one part of a program runs or writes, or holds as a file."""
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in self.said:
            self._file(node)
        if not isinstance(node, ast.Call):
            return
        if not self._write(node) and id(node) not in self.opened and _writes_to_the_kernel(node):
            why = "it writes into a file of the kernel; what and where exactly, is not read from Python"
            self.guide.sink.remark(self.numbers[node.lineno - 1], ON_HOST, why)
        if node.args and id(node.args[0]) not in self.paths:
            for bound in self.variables.turns(node):
                self.variables.bound = bound
                self.variables.texts.clear()
                self._run(node)
            self.variables.bound = {}

    def _run(self, node: ast.Call) -> None:
        """The command that a call runs, or the setting that is handed to a function of the program's own."""
        name, line = _called(node), self.numbers[node.lineno - 1]
        whole = ast.List(elts=list(node.args), ctx=ast.Load())
        first = whole if _is_command(whole) else node.args[0]  # `run("ethtool", "-K", nic, "gro", "off")`
        values = self.variables.values(first) if isinstance(first, ast.Name) else []
        before = self.guide.sink.branch
        self.guide.sink.groups += 1
        for case, value in enumerate(values or [first]):
            self.guide.sink.branch = (*before, (self.guide.sink.groups, case, "if"))
            command = joined(value, self.variables)
            word = command.split()[0] if command.split() else ""
            known = " " in command.strip() and programs.program(word) in programs.PROGRAMS
            says = _says(node) or _prints(node)
            if command and (name in _RUNNING or known):
                self.variables.used |= {id(part) for part in ast.walk(value)} - self.variables.looped
                with self.guide.sink.under(NO_EFFECT, _ONLY_SAID if says else ""):
                    Shell(self.guide).commands(line, command)
            elif len(node.args) > 1 and not says and (_WRITING.search(name) or name in self.own):
                self._pair(line, command, node.args[1])
        self.guide.sink.branch = before

    def _pair(self, line: int, key: str, value: Optional[ast.expr]) -> None:
        """A parameter or a file of the kernel with its value."""
        text = joined(value, self.variables) if value is not None else ""
        if _PARAMETER.fullmatch(key):
            self.guide.sysctl(line, key, text)
        elif key.startswith(_KERNEL) and not any(char.isspace() for char in key):
            kernel_files.write(self.guide, line, key, text)

    def _write(self, node: ast.Call) -> bool:
        """Whether a call writes a text into a file of the kernel whose path the program tells."""
        function = node.func
        if not isinstance(function, ast.Attribute) or not node.args:
            return False
        opened: ast.AST = self.written.get(id(node), function.value)
        self.opened.add(id(function.value))
        is_path = function.attr in ("write_text", "write_bytes")
        if function.attr not in ("write", "write_text", "write_bytes") or not isinstance(opened, ast.Call):
            return False
        path = ""
        for bound in self.variables.turns(node):
            self.variables.bound = bound
            self.variables.texts.clear()
            path = joined(opened.args[0], self.variables) if opened.args else ""
            known = is_path or _called(opened) == "open"
            if path.startswith(_KERNEL) and known:
                self._pair(self.numbers[node.lineno - 1], path, node.args[0])
            elif known and masks.known(path):
                self._goes_into(path, node.args[0])
        self.variables.bound = {}
        return path.startswith(_KERNEL)

    def _goes_into(self, path: str, text: ast.expr) -> None:
        """A text that is written into a file; one line is read here, several are where they stand."""
        lines = joined(text, self.variables).splitlines()
        if len(lines) > 1:
            self.paths[id(text)] = path
        elif lines:
            self.variables.used |= {id(part) for part in ast.walk(text)}
            self.guide.read_file(path, [(self.numbers[text.lineno - 1], lines[0])])

    def _file(self, node: Union[ast.Constant, ast.JoinedStr]) -> None:
        """A text of several lines that is a script or a configuration file."""
        texts = joined(node).split("\n") if not isinstance(node, ast.Constant) or isinstance(node.value, str) else []
        if len(texts) > 2:
            last = len(self.numbers) - 1
            lines = [(self.numbers[min(node.lineno - 1 + k, last)], text) for k, text in enumerate(texts)]
            with self.guide.sink.under(NO_EFFECT, _ONLY_SAID if id(node) in self.printed else ""):
                self.guide.read_file(self.paths.get(id(node), ""), lines)

    def text(self, node: ast.AST) -> None:
        """A setting that a program holds in a list or a variable: a command, or a name with its value."""
        if id(node) in self.told or id(node) in self.said:
            return
        for key, value in _pairs(node):
            name = joined(key)
            if id(key) not in self.variables.used and _may_be_a_value(value):
                self._pair(self.numbers[key.lineno - 1], name, value)
        for value in _held(node):
            if id(value) in self.variables.used or id(value) in self.told:
                continue
            text = re.sub(r"%[sd]|\{\w*\}", lambda match: masks.mask(match[0]), joined(value, self.variables))
            text = _HOOK.sub("", text, count=1)
            line = self.numbers[value.lineno - 1]
            name, equals, setting = text.partition("=")
            if "\n" in text.strip() or (id(value) in self.variables.looped and not masks.known(text)):
                continue
            if equals and _PARAMETER.fullmatch(name.strip()):
                self.guide.sysctl(line, name, setting)
            elif _is_a_command(text):
                Shell(self.guide).commands(line, text)


def _called(node: ast.Call) -> str:
    """The name of the function that a call is for."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else str(getattr(node.func, "id", ""))


def _does(function: ast.FunctionDef) -> bool:
    """Whether a function runs something, or writes into a file."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    return any(_called(node) in (*_RUNNING, "write", "write_text") for node in calls)


def _prints(node: ast.Call) -> bool:
    """Whether what a call is given is for people, and goes into no file."""
    into = next((word.value for word in node.keywords if word.arg == "file"), None)
    streams = ("stdout", "stderr")
    if _called(node) == "write" and isinstance(node.func, ast.Attribute):
        return getattr(node.func.value, "attr", "") in streams
    return _PRINTING.fullmatch(_called(node)) is not None and (into is None or getattr(into, "attr", "") in streams)


def _says(node: ast.Call) -> bool:
    """Whether a call prints or asks."""
    return any(words.fullmatch(_called(node)) for words in (_PRINTING, _SAYING))


def _tells(node: ast.AST) -> bool:
    """Whether a part of a program tells, asks or compares."""
    if isinstance(node, ast.Call):
        return _says(node) or _called(node) in _RUNNING
    return isinstance(node, (ast.Compare, ast.Assert, ast.Raise))


def _pairs(node: ast.AST) -> Sequence[Tuple[ast.expr, ast.expr]]:
    """Names with their values: the items of a dictionary, and a list or tuple of two."""
    if isinstance(node, ast.Dict):
        return [(key, value) for key, value in zip(node.keys, node.values) if key is not None]
    return [(node.elts[0], node.elts[1])] if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) == 2 else ()


def _may_be_a_value(node: ast.expr) -> bool:
    """Whether what stands beside a name may be its value; a dictionary and what a function gives are none."""
    return not isinstance(node, (ast.Dict, ast.Call)) or (isinstance(node, ast.Call) and _called(node) == "str")


def _held(node: ast.AST) -> List[ast.expr]:
    """The values that a variable, a list, a dictionary or a function gets from a part of a program."""
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return)) and node.value is not None:
        found = [node.value]
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        found = list(node.elts)
    elif isinstance(node, ast.Dict):
        found = list(node.values)
    elif isinstance(node, ast.Call):
        found = [*node.args, *(word.value for word in node.keywords)]
    else:
        return []
    texts = (ast.Constant, ast.JoinedStr, ast.BinOp, ast.Call)
    return [one for one in found if isinstance(one, texts) or _is_command(one)]


def _is_a_command(text: str) -> bool:
    """Whether a text is a command, and no sentence that begins like one."""
    words = wrappers.unwrapped(text.split())
    known = len(words) > 1 and programs.program(words[0]) in programs.PROGRAMS
    if not (known or sentences.sets(text)) or not sentences.plausible(text.split()) or not sentences.parses(text):
        return False
    guide = Guide(Sink())
    Shell(guide).commands(1, text)
    return not guide.sink.lost and not any(ethtool.NO_SWITCH in remark.text for remark in guide.sink.remarks)


def _is_command(node: ast.AST) -> bool:
    """Whether a list is the words of a command."""
    first = node.elts[0] if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) > 1 else None
    word = first.value if isinstance(first, ast.Constant) else ""
    return isinstance(word, str) and (programs.program(word) in programs.PROGRAMS or word == "sudo")


def _writes_to_the_kernel(node: ast.Call) -> bool:
    """Whether it is `open("/proc/sys/...", "w")`, or `Path("/sys/...").write_text(...)`."""
    opened: ast.AST = node
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("write_text", "write_bytes"):
        opened = node.func.value
    elif getattr(node.func, "id", "") != "open" or not any(
        isinstance(one, ast.Constant) and re.search("[wa+]", str(one.value))
        for one in (*node.args[1:2], *(word.value for word in node.keywords if word.arg == "mode"))
    ):
        return False
    path = joined(opened.args[0]) if isinstance(opened, ast.Call) and opened.args else ""
    return path.startswith(("/proc/sys/", "/proc/irq/", "/sys/"))
