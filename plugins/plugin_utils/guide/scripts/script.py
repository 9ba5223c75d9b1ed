# SPDX-License-Identifier: GPL-3.0-or-later
"""Hold the state of a shell script: its variables, and the files that it writes."""

from __future__ import annotations

import posixpath
import re
from contextlib import contextmanager
from itertools import dropwhile
from typing import Dict, Iterator, List, Optional, Sequence, Set, Tuple

from .. import masks
from ..calls import foreign
from ..keys import kernel_files
from ..keys.settings import Guide
from ..model import NO_EFFECT, ON_HOST, OTHER_TOOL, Line
from ..shell import asking, bindings, counting, drivers, expand, interrupts, syntax
from ..shell.lexer import Broken
from ..shell.nodes import Arithmetic, For, Function, Node, Redirect, Simple
from . import queries, raising, versions

_MOST_ELEMENTS = 512
# A text that a variable holds with some of it replaced, and one that stands in a here document.
_CHANGES = re.compile(r"\"?\$\{(\w+)//?[^\n]*\}\"?")
_DOCUMENT = re.compile(r"\"?\$\(\s*cat\s*<<-?\s*[\"'\\]?\w+[\"']?\s*\n")


class Script:
    """Variables and files; what a line sets goes to the sink of the guide."""

    def __init__(self, guide: Guide, arguments: Optional[List[str]]) -> None:
        self.guide = guide
        self.sink = guide.sink
        self.scope = expand.Scope(arguments, self.substitute, guide.budget)
        self.scope.values.update(guide.variables)
        self.functions: Dict[str, Function] = {}
        self.visited: Set[int] = set()
        self.why: Dict[int, str] = {}
        self.dynamic = False
        self.override: Optional[int] = None
        self.files: Dict[str, List[Line]] = {}
        self.writers: Dict[str, Tuple[int, str, int]] = {}  # by file, what has begun it last; see `renew`
        self.loaded: Dict[str, int] = {}  # by file, how often files had been loaded when it was written last
        self.part = ""  # the function that is read although nothing in the text calls it
        # What the variables that the functions now running declare for themselves were before.
        self.kept: List[Dict[str, Optional[expand.Value]]] = []
        self.output_paths: List[str] = []
        self.line = 0
        self.steps = 0
        self.processors = ""  # how many there are supposed to be
        self.directory = ""  # where `cd` has gone, if that is a folder of /proc or /sys
        self.left: List[str] = []  # the folders that pushd has left
        self.sources: Dict[str, str] = {}  # what loops go over that the host alone knows, by their variables
        self.taken_in: List[str] = []  # the files that the script takes in and that are not part of the text
        self.left_out: Tuple[str, ...] = ()  # how the names begin that the last list of NICs leaves out
        self.unlisted = ""  # why the last substitution gave nothing
        self.options: Dict[str, expand.Value] = {}  # what variables are where an option replaces their defaults
        # Where a quoted text of several lines stands that a variable holds: the line it begins in, and how many.
        self.origins: Dict[str, Tuple[int, int]] = {}

    @contextmanager
    def staying(self, own: bool) -> Iterator[None]:
        """While commands run in a shell of their own, which changes its folder and its variables for itself."""
        sink, values = self.sink, dict(self.scope.values)
        before = self.directory, self.guide.bounds, sink.caveats, sink.parts
        yield
        if own:
            (self.directory, self.guide.bounds, sink.caveats, sink.parts), self.scope.values = before, values

    def keep(self, raw: str) -> None:
        """A variable of a function gets back what it was when the function ends."""
        name = (expand.assignment(raw) or (raw,))[0]
        if self.kept and name.isidentifier():
            self.kept[-1].setdefault(name, self.scope.values.get(name))

    def go(self, name: str, words: Sequence[str]) -> None:
        """`cd`, `pushd` and `popd`: where files without a path lie from now on."""
        plain = [word for word in words if word != "--" and not re.fullmatch(r"-[LPe@n]+", word)]
        if name == "popd":
            self.directory = self.left.pop() if self.left else ""
            return
        if name == "pushd":
            self.left.append(self.directory)
        folder = self.located(plain[0]) if plain else ""
        self.directory = folder if kernel_files.is_one(f"{folder}/") else ""

    def located(self, path: str) -> str:
        """The path of a file, from where `cd` has gone."""
        if not self.directory or masks.shown(path)[:1] in ("/", "~", "$", "`", ""):
            return path
        return posixpath.normpath(f"{self.directory}/{path}")

    @contextmanager
    def output_to(self, redirects: Sequence[Redirect]) -> Iterator[None]:
        """While commands in brackets or loops run, what they print goes where the whole is redirected."""
        found = [redirect for redirect in redirects if redirect.operator in (">", ">>", ">|") and not redirect.errors]
        path = self.located(expand.text(found[-1].word, self.scope)) if found else ""
        if path and path != "/dev/null":
            self.output_paths.append(path)
            if found[-1].operator != ">>":
                self.renew(path, self.line)
        try:
            yield
        finally:
            if path and path != "/dev/null":
                self.output_paths.pop()

    @contextmanager
    def supposing(self, processors: int, count: int) -> Iterator[None]:
        """Try commands on a host with so many processors and interrupts; what they find and change is forgotten."""
        values, tables, visited, steps = dict(self.scope.values), dict(self.scope.tables), set(self.visited), self.steps
        files, written = ({path: list(lines) for path, lines in of.items()} for of in (self.files, self.guide.written))
        self.scope.values.update(dict.fromkeys(self.scope.counts, str(processors)))
        lists = [(name, value[0]) for name, value in values.items() if interrupts.is_list(value)]
        self.scope.values.update({name: [f"{word}#{index}" for index in range(count)] for name, word in lists})
        for name, raw in self.scope.lengths.items():
            self.scope.values[name] = expand.text(raw, self.scope)
        self.processors, self.guide.interrupts.counting = str(processors), True
        try:
            with self.sink.unheard():
                yield
        finally:
            self.processors, self.guide.interrupts.counting = "", False
            self.scope.values, self.scope.tables, self.visited, self.steps = values, tables, visited, steps
            self.files = files
            self.guide.written = {**written, **files}

    def spread(self, node: Simple, printed: List[Line]) -> List[Line]:
        """Each line of a quoted text that is printed under the number of the line it stands in."""
        count = len(printed)
        if count < 2 or self.override or len({number for number, _text in printed}) > 1:
            return printed
        first = next((line for line, length in self._texts(node) if length == count), 0)
        return [(first + offset, text) for offset, (_number, text) in enumerate(printed)] if first else printed

    def _texts(self, node: Simple) -> Iterator[Tuple[int, int]]:
        """Where the texts of several lines that a command has begin, and how many lines they have."""
        for (raw, line), last in zip(node.words, node.lasts):
            if last and raw.count("\n") == last - line:
                yield line, last - line + 1
        for raw in (*(raw for raw, _line in node.words), *(one.word for one in node.redirects)):
            variable = re.fullmatch(r'"?\$\{?(\w+)\}?"?', raw)
            if variable and variable[1] in self.origins:
                yield self.origins[variable[1]]

    def output_path(self, node: Simple) -> str:
        """The file that takes what a command prints."""
        for redirect in node.redirects:
            if redirect.operator in (">", ">>", ">|", "&>", "&>>") and not redirect.errors:
                return self.located(expand.text(redirect.word, self.scope))
        return self.output_paths[-1] if self.output_paths else ""

    def redirect(self, node: Simple, printed: List[Line]) -> None:
        path = self.output_path(node)
        if path:
            if any(redirect.operator in (">", ">|", "&>") and not redirect.errors for redirect in node.redirects):
                self.renew(path, self.line)
            self.write(path, printed, self.line)

    def renew(self, path: str, line: int) -> None:
        """A file that is written anew loses what stood in it, unless that has been loaded or is another case."""
        path = masks.shown(self.located(path))
        begun, before = (line, self.part, self.guide.loads), self.writers.get(path)
        if self.sink.dead[0] or self.undecided or self.sink.branch:
            self.writers.pop(path, None)
            return
        self.writers[path] = begun
        if before and before[1:] == begun[1:]:
            lost = self.files.pop(path, [])
            self.guide.written.pop(path, None)
            for number, text in lost if before[0] != line else ():
                if text.strip() and text.strip()[0] not in "#;":
                    self.sink.remark(number, NO_EFFECT, f"{self.sink.position(line)} writes {path} anew, without it")

    def read_written(self, path: str) -> None:
        """What has been written into a file that goes by the name of a variable, which now means another file."""
        lines = self.files.pop(path, [])
        self.guide.written.pop(path, None)
        if lines:
            self.guide.read_file(path, lines)

    def write(self, path: str, lines: List[Line], line: int) -> None:
        """Text that goes into a file; a configuration file is read as a whole at the end."""
        path = self.located(path)
        if kernel_files.is_one(path):
            text = " ".join(text.strip() for _number, text in lines)
            kernel_files.write(self.guide, line, path, text)
        elif kernel_files.is_elsewhere(path):
            said = (
                f"{lines[0][1].strip() if lines else ''} goes into {path}: what is mounted there, the host alone knows"
            )
            self.sink.remark(line, ON_HOST, masks.shown(said))
        elif not masks.known(path) and kernel_files.OF_A_QUEUE.search(path):
            whose = f"{path}: whose {path.rpartition('/')[2]} that is, is known on the host only"
            self.sink.remark(line, ON_HOST, masks.shown(f"{lines[0][1].strip() if lines else ''} goes into {whose}"))
        elif kernel_files.only_the_host_knows(path, lines):
            text = f"{lines[0][1].strip()} goes into {path}, a file that only the host can name"
            self.sink.remark(line, ON_HOST, masks.shown(text))
        elif not path.startswith("/dev/") and masks.shown(path) and not self.sink.dead[0]:
            self.files.setdefault(masks.shown(path), []).extend(lines)
            for number, said in kernel_files.of_an_image(path, lines):
                self.sink.note(number, said)
            self.loaded[masks.shown(path)] = self.guide.loads
            self.sink.writes(lines)
            for number, _text in lines if self.guide.bounds else ():
                self.guide.bounds_of.setdefault(number, {}).update(self.guide.bounds)
            self.guide.written[masks.shown(path)] = self.files[masks.shown(path)]
        elif self.sink.dead[0] and self.guide.is_config(masks.shown(path)):
            for number, text in lines:
                if text.strip() and text.strip()[0] not in "#;":
                    self.sink.remark(number, NO_EFFECT, self.sink.dead[1])

    def written(self, path: str) -> Optional[List[Line]]:
        """The text that the script has written into a file so far, if it has."""
        return self.guide.written.get(masks.shown(path)) or None

    def finish(self) -> None:
        """Read the configuration files that the script has written."""
        # What is called is read with its arguments, so units and rules that call it come first.
        for path, lines in sorted(self.files.items(), key=lambda item: self.guide.is_callable(item[0])):
            other = foreign.is_of_another(path) and not self.guide.is_config(path)
            if path not in self.guide.ran and not other:
                for version in versions.versions(lines, self.sink.written_in):
                    self.guide.read_file(path, version)
            for number, text in lines:
                if other and text.strip()[:1] not in ("", "#", ";"):
                    said = f"{masks.shown(text.strip())} goes into {path}, a file of another program"
                    self.sink.remark(number, OTHER_TOOL, said)
                self.sink.nothing(number, f"text of {path}")
        self.files = {}

    undecided = 0  # how many conditions stand around a command that the text does not decide

    def substitute(self, source: str) -> Optional[str]:
        """Of the substitutions."""
        raise NotImplementedError

    def tell_apart(self, name: str, word: str, line: int) -> None:
        """Another name for the variable of a loop over other NICs than those of an earlier one."""
        if self.scope.values[name] == masks.mask(f"${name}") and self.sources.setdefault(name, word) != word:
            self.scope.values[name] = masks.mask(f"${name}@{line}")

    def assign_raw(self, raw: str, line: int = 0, last: int = 0) -> None:
        found = expand.assignment(raw)
        if not found:
            return
        name, sign, rest = found
        drivers.hold(name, rest, self.scope)
        self.scope.counts |= {name} if queries.counts_processors(masks.shown(rest)) else set()
        asking.keep(name, masks.shown(rest), self.scope)
        self.scope.in_force[name], self.scope.limits[name] = raising.parameter(rest, self.scope), queries.limits(rest)
        self.scope.lengths.pop(name, None)
        self.scope.lengths.update({name: rest} if interrupts.are_counted(rest, self.scope) else {})
        changed = _CHANGES.fullmatch(rest)
        origin = self.origins.get(changed[1]) if changed else None
        self.origins.pop(name, None)
        if origin:
            self.origins[name] = origin
        elif last and _DOCUMENT.match(rest):
            self.origins[name] = (line + 1, expand.text(rest, self.scope).count("\n") + 1)
        elif last and raw.count("\n") == last - line:
            self.origins[name] = (line, last - line + 1)
        if rest.startswith("(") and rest.endswith(")"):
            more = self._array(rest[1:-1])
            named = [re.fullmatch(r"\[([^]]+)\]=(.*)", field) for field in more] if isinstance(more, list) else []
            if named and all(named):
                before = self.scope.tables.get(name, {}) if sign == "+=" else {}
                added = {match[1].strip("\"'"): match[2] for match in named if match}
                self.scope.tables[name] = {**before, **added}
                return
            current = self.scope.values.get(name, [])
            known = isinstance(current, list) and isinstance(more, list)
            if sign == "+=" and not known:
                more = masks.mask(f"${name}")
            self.scope.values[name] = [*current, *more] if sign == "+=" and known else more
        elif sign[0] == "[":
            self._element(name, sign.partition("]")[0][1:], expand.text(rest, self.scope))
        else:
            self.assign(name, sign, expand.text(rest, self.scope))

    def _element(self, name: str, index: str, value: str) -> None:
        """One element of an array, by its number; without that the array is what it was given last."""
        current = self.scope.values.get(name, [])
        if name in self.scope.tables:
            self.scope.tables[name][expand.text(index, self.scope)] = value
            return
        number = expand.arithmetic(index, self.scope)
        if number is None or not 0 <= number < _MOST_ELEMENTS or (current and isinstance(current, str)):
            self.scope.values[name] = value
            return
        found = [*current, *[""] * (number + 1 - len(current))]
        found[number] = value
        self.scope.values[name] = found

    def _array(self, inner: str) -> expand.Value:
        try:
            tree = syntax.parse([(self.line, f": {' '.join(inner.split())}")])
        except Broken:
            return masks.mask(f"({inner})")
        first = tree.commands[0] if tree.commands else None
        raw = first.words[1:] if isinstance(first, Simple) else ()
        found = [field for one, _line in raw for field in expand.fields(one, self.scope)]
        return (
            masks.mask(f"({inner})")
            if any(masks.shown(field)[:2] in ("$(", "`") and not masks.known(field) for field in found)
            else found
        )

    def assign(self, name: str, sign: str, value: str) -> None:
        """A variable; one whose value only the host knows goes by its own name."""
        if sign == "+=" and isinstance(self.scope.get(name), str):
            value = f"{self.scope.get(name)}{value}"
        if self.line in self.sink.cases and self.scope.get(name) not in (None, value):
            value = masks.mask(f"${name}")  # a condition of the template decides which of the two it is
        self.scope.values.update({f"{mark}{name}": "" for mark in (bindings.OPEN, bindings.LIKELY)})
        shown = masks.shown(value)
        # Each option of a script has its own $OPTARG.
        plain = re.fullmatch(r"\$\{?(?!OPTARG)[A-Za-z_@*0-9]+\}?|\{\{.*\}\}|<%.*%>", shown.strip())
        whole = masks.mask(shown) == value
        if whole:
            self.read_written(f"${name}")
        if value in (masks.MAXIMUM, masks.EVERY_PROCESSOR) or masks.known(value) or (whole and plain):
            self.scope.values[name] = value
        elif whole or not kernel_files.is_one(value):
            upper = "MAX" in name.upper() and "ethtool" in shown
            self.scope.values[name] = masks.MAXIMUM if upper else masks.mask(f"${name}") if whole else value
        else:
            self.scope.values[name] = value

    @staticmethod
    def assigned(node: Node) -> List[str]:
        """The variables that a command sets."""
        if isinstance(node, For):
            return []
        if isinstance(node, Arithmetic):
            return counting.assigned(node.expression)
        if not isinstance(node, Simple) or not node.words:
            return []
        raw = [word for word, _line in node.words]
        rest = list(dropwhile(expand.assignment, raw))
        if rest and rest[0] in ("let", "read"):
            raw = rest
            return [match[0] for word in raw[1:] for match in [re.match(r"[A-Za-z_]\w*", word)] if match]
        names = []
        for word in raw:
            found = expand.assignment(word)
            # `x=$(...)` in a loop is worked out anew each time; what counts on its old value is not known.
            if found and (found[1] == "+=" or re.search(rf"(\$\{{?|\b){re.escape(found[0])}\b", found[2])):
                names.append(found[0])
        return names
