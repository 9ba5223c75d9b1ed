# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the commands that a Python program runs."""

from __future__ import annotations

import ast
import re
import warnings
from functools import partial
from typing import Dict, Iterator, List, Optional, Sequence, Union

from . import masks, programs
from .model import CONDITIONAL, NO_EFFECT, ON_HOST, Line
from .settings import Guide
from .shell import Shell

_TEXTS = (ast.Constant, ast.List, ast.Tuple, ast.JoinedStr, ast.BinOp)
_MOST_DEPTH = 12  # variables in a variable
_MOST_TEXT = 4096  # characters of a command
_RUNNING = ("system", "run", "call", "check_call", "check_output", "Popen", "popen", "getoutput", "sh", "execute")


def read(guide: Guide, lines: Sequence[Line]) -> bool:
    """Commands that a Python program runs; False where the text is no Python."""
    text = "\n".join(text for _number, text in lines)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    mininet = any(re.match(r"\s*(from|import) mininet\b", line) for _number, line in lines)
    why = "it acts on a host of Mininet, which is a network namespace of its own" if mininet else ""
    with guide.sink.under(CONDITIONAL, why):
        _commands(guide, lines, tree)
    for number, _text in lines:
        guide.sink.nothing(number, "sets nothing by itself")
    return True


def _commands(guide: Guide, lines: Sequence[Line], tree: ast.AST) -> None:
    """What the calls of a program run, and the texts in it that are scripts or files."""
    numbers = [number for number, _text in lines]
    variables = _Variables(lines, tree)
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    never = set(_never(tree))
    said |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        with guide.sink.under(NO_EFFECT, "it stands under a condition that never holds" if id(node) in never else ""):
            _node(guide, numbers, node, variables, id(node) in said)


def _never(tree: ast.AST) -> Iterator[int]:
    """What stands in the body of `if False:` and its like."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.While)) and isinstance(node.test, ast.Constant) and not node.test.value:
            yield from (id(inner) for one in node.body for inner in ast.walk(one))


def _node(guide: Guide, numbers: Sequence[int], node: ast.AST, variables: _Variables, said: bool) -> None:
    """What one part of a program runs, or holds as a text."""
    if isinstance(node, (ast.Constant, ast.JoinedStr)) and not said:
        _file(guide, numbers, node)
    if isinstance(node, ast.Call) and _writes_to_the_kernel(node):
        why = "it writes into a file of the kernel; what and where exactly, is not read from Python"
        guide.sink.remark(numbers[node.lineno - 1], ON_HOST, why)
    if isinstance(node, ast.Call) and node.args:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        first = node.args[0]
        values = variables.values(first) if isinstance(first, ast.Name) else []
        before = guide.sink.branch
        guide.sink.groups += 1
        for case, value in enumerate(values or [first]):
            guide.sink.branch = (*before, (guide.sink.groups, case, "if"))
            command = _joined(value, variables)
            word = command.split()[0] if command.split() else ""
            known = " " in command.strip() and programs.program(word) in programs.PROGRAMS
            if command and (name in _RUNNING or known):
                Shell(guide).commands(numbers[node.lineno - 1], command)
        guide.sink.branch = before


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
    path = _joined(opened.args[0]) if isinstance(opened, ast.Call) and opened.args else ""
    return path.startswith(("/proc/sys/", "/proc/irq/", "/sys/"))


def _file(guide: Guide, numbers: Sequence[int], node: Union[ast.Constant, ast.JoinedStr]) -> None:
    """A text of several lines that is a script or a configuration file."""
    texts = _joined(node).split("\n") if not isinstance(node, ast.Constant) or isinstance(node.value, str) else []
    if len(texts) > 2:
        last = len(numbers) - 1
        guide.read_file("", [(numbers[min(node.lineno - 1 + k, last)], text) for k, text in enumerate(texts)])


class _Variables:
    """What the variables of a program are, as far as they are texts and lists."""

    def __init__(self, lines: Sequence[Line], tree: ast.AST) -> None:
        self.depths = [len(text) - len(text.lstrip()) for _number, text in lines]
        self.given: Dict[str, List[ast.Assign]] = {}
        self.texts: Dict[ast.expr, str] = {}
        for node in ast.walk(tree):
            for name in node.targets if isinstance(node, ast.Assign) else ():
                if isinstance(node, ast.Assign) and isinstance(name, ast.Name):
                    self.given.setdefault(name.id, []).append(node)

    def values(self, name: ast.Name) -> List[ast.expr]:
        """What a variable is where it stands: the last value before it, and those that conditions give it instead."""
        before = sorted(
            (one for one in self.given.get(name.id, ()) if one.lineno < name.lineno), key=lambda one: one.lineno
        )
        here = self.depths[name.lineno - 1]
        sure = [index for index, one in enumerate(before) if self.depths[one.lineno - 1] <= here]
        found = [one.value for one in before[sure[-1] if sure else 0 :]]
        return found if all(isinstance(one, _TEXTS) for one in found) else []


def _joined(node: ast.AST, variables: Optional[_Variables] = None, depth: int = 0) -> str:
    """A command put together of texts and variables."""
    inner = partial(_joined, variables=variables, depth=depth)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return inner(node.left) + inner(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return re.sub(r"%[sd]", masks.mask("%s"), inner(node.left))
    if isinstance(node, ast.JoinedStr):
        return "".join(inner(part.value if isinstance(part, ast.FormattedValue) else part) for part in node.values)
    if isinstance(node, (ast.List, ast.Tuple)):
        return " ".join(inner(one) for one in node.elts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("split", "format"):
        return inner(node.func.value)
    if isinstance(node, ast.Name):
        values = variables.values(node) if variables and depth < _MOST_DEPTH else []
        if variables and len(values) == 1:
            if values[0] not in variables.texts:
                variables.texts[values[0]] = _joined(values[0], variables, depth + 1)[:_MOST_TEXT]
            return variables.texts[values[0]]
        return masks.mask(f"${node.id}")
    return masks.mask("$(...)")
