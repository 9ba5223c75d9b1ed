# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what `$(...)` gives, for the few commands whose answer the text decides, and for functions of the script."""

from __future__ import annotations

import re
from typing import List, Optional, Sequence, Tuple

from .. import masks
from ..model import Line
from ..shell import conditions, expand, interrupts, syntax
from ..shell.nodes import For, Function, Node, Pipeline, Sequence_, Simple, While, all_of
from . import filters, output, queries
from .script import Script

_ORDERING = ("sort", "uniq", "tac")
# Files of the kernel that a loop goes over; what `ls` prints of them is their paths.
_ATTRIBUTE = re.compile(r"^/(?:proc|sys)/\S+/(?:\w+_\w+|mtu|threaded)$")
# Where a function writes what it prints, while its answer is worked out.
_PRINTED = "/what a function prints"
# A variable that a filter reads.
_OF_VARIABLE = re.compile(r"<<<\s*[\"']?\$\{?(\w+)\}?|^\s*(?:echo|printf\s+\S+)\s+(?:-\w\s+)?\"?\$\{?(\w+)\}?\"?\s*\|")
_PRINTING = ("echo", "printf")
_DECLARING = ("local", "declare", "typeset", "readonly")
# Commands that leave alone what a function prints.
_SILENT = (*_DECLARING, "let", "[", "[[", "test", "return", "true", ":", "shift", "break", "continue")
_MOST_DEPTH = 4


class Substitutions(Script):
    """The substitutions of one script."""

    answering: Tuple[str, ...] = ()  # the functions whose answer is being worked out

    def call(self, name: str, words: List[str], line: int) -> bool:
        """Of the control flow."""
        raise NotImplementedError

    def substitute(self, source: str) -> Optional[str]:
        """What `$(...)` gives, for the few commands whose answer the text decides."""
        plain = self._with_limits(masks.shown(source))
        if queries.maximum(plain):
            return masks.MAXIMUM
        if not self.processors and queries.mask_of_all(plain, self.scope.counts):
            return masks.EVERY_PROCESSOR
        if self.processors and queries.counts_processors(plain):
            return self.processors
        found = queries.queue_files(plain)
        if found is not None:
            unlisted = "find without -L does not follow the links in /sys/class/net, so it lists nothing"
            self.unlisted = "" if found else unlisted
            return expand.text(f'"{found}"', self.scope)
        listed_nics = queries.found_nics(plain)
        if listed_nics is not None:
            return listed_nics
        if queries.every_nic(plain):
            return "*"
        self.left_out = queries.without_virtual(plain)
        if self.left_out:
            return masks.HARDWARE
        patterns = queries.begin_with(plain)
        if patterns:
            return " ".join(patterns)
        if queries.profile_of(plain):
            return expand.text(queries.profile_of(plain), self.scope)
        if queries.default_route(plain):
            return masks.DEFAULT_ROUTE
        if queries.whole_default_route(plain):
            return "default"
        tree = syntax.inner(source, self.line)
        if tree is None:
            return None
        commands = tree.commands
        inside = len(commands) == 2 and queries.lists_in(commands[0], "/sys/class/net")
        first = commands[-1] if len(commands) == 1 or inside else None
        piped = first.commands if isinstance(first, Pipeline) else [first]
        ordered = all(isinstance(one, Simple) and one.words and one.words[0][0] in _ORDERING for one in piped[1:])
        looked_up = interrupts.looked_up([self._words_of(one) for one in piped]) if first else None
        if looked_up:
            return self.guide.interrupts.word(looked_up)
        if len(piped) > 1 and not ordered:
            return self._filtered(piped)
        if not isinstance(piped[0], Simple):
            return None
        words = [field for raw, _line in piped[0].words for field in expand.fields(raw, self.scope)]
        if words and words[0] in self.functions:
            return self._of_function(words) if len(piped) == 1 else None
        listed = [word for word in words[1:] if not word.startswith("-")]
        if words[:1] == ["ls"] and listed and all(_ATTRIBUTE.search(path) for path in listed):
            return "\n".join(listed)
        folders = any(re.fullmatch(r"-\w*d\w*", word) for word in words)
        if words[:1] == ["ls"] and folders and listed and all(map(queries.is_of_a_queue, listed)):
            return "\n".join(listed)
        if inside:
            names = words[:1] == ["ls"] and not any("/" in word for word in listed)
            return "\n".join(listed or ["*"]) if names else None
        if len(piped) > 1:
            return None
        written = self.written(words[1]) if words[:1] == ["cat"] and len(words) == 2 else None
        if written:
            return "\n".join(text for _number, text in written).rstrip("\n")
        printed = output.of(words, piped[0].redirects, self.scope, self.line)
        return None if printed is None else "\n".join(text for _number, text in printed).rstrip("\n")

    def _with_limits(self, source: str) -> str:
        """A substitution that filters what a variable holds of `ethtool -g`, with that command in place of it."""
        held = _OF_VARIABLE.search(source)
        name = next((one for one in held.groups() if one), "") if held else ""
        command = self.scope.limits.get(name, "")
        return f"{command} | {source}" if command else source

    def _filtered(self, piped: Sequence[Optional[Node]]) -> Optional[str]:
        """What filters make of a text that a command prints: `$(echo eth0,eth1 | tr , ' ')`."""
        first, *others = [(one, self._words_of(one)) for one in piped]
        redirects = first[0].redirects if isinstance(first[0], Simple) else ()
        lines = output.of(first[1], redirects, self.scope, self.line)
        for _node, words in others:
            lines = filters.through(words, lines) if lines is not None else None
        printed = "\n".join(text for _number, text in lines or ()).rstrip("\n")
        return printed if lines is not None and masks.known(printed) else None

    def _words_of(self, node: Optional[Node]) -> List[str]:
        """The words of a command, with the file that it reads; none for a loop or the like."""
        if not isinstance(node, Simple):
            return []
        read = [redirect.word for redirect in node.redirects if redirect.operator == "<"]
        return [
            field for raw in (*(raw for raw, _line in node.words), *read) for field in expand.fields(raw, self.scope)
        ]

    def listed(self, raw: Sequence[Tuple[str, int]]) -> List[str]:
        """The words that a loop goes over; what lies below a device is of the NICs that have one."""
        self.unlisted = ""
        words = [word for one, _line in raw for word in expand.fields(one, self.scope)]
        device = f"/sys/class/net/{masks.HARDWARE}/"
        words = [re.sub(r"^/sys/class/net/\*/(?=device\b)", device, word) for word in words]
        book = self.guide.interrupts
        folders = {word: interrupts.in_folder(self.located(word)) for word in words}
        return [re.sub(r"\*$", book.word(found), word) if found else word for word, found in folders.items()]

    def _of_function(self, words: List[str]) -> Optional[str]:
        """What a function prints with these arguments; it changes no variable of the script."""
        name, arguments = words[0], words[1:]
        if len(self.answering) >= _MOST_DEPTH or name in self.answering:
            return None
        function = self.functions[name]
        values, tables, scope = dict(self.scope.values), dict(self.scope.tables), self.scope
        self.answering, before = (*self.answering, name), (self.answering, self.line)
        try:
            return self._last_of(function, arguments) if _ends_with_a_command(function) else self._printed_by(words)
        finally:
            (self.answering, self.line), scope.values, scope.tables = before, values, tables

    def _last_of(self, function: Function, arguments: List[str]) -> Optional[str]:
        """The answer of the last command, before which there are only assignments."""
        *first, last = _commands(function)
        handed = self.scope.arguments
        self.scope.arguments = arguments
        self.scope.values = {key: value for key, value in self.scope.values.items() if not key.isdecimal()}
        try:
            for node in first:
                for raw, line in node.words if isinstance(node, Simple) else ():
                    self.assign_raw(raw, line)
            piped = last.commands if isinstance(last, Pipeline) else (last,)
            return self.substitute(" | ".join(conditions.spelt(one) for one in piped if isinstance(one, Simple)))
        finally:
            self.scope.arguments = handed

    def _printed_by(self, words: List[str]) -> Optional[str]:
        """What its echo and printf print, where nothing else prints and the text decides its conditions."""
        function = self.functions[words[0]]
        inside = list(all_of(function.body))
        if not all(map(_is_plain, inside)) or not _in_lines(inside) or _returns_early(function, inside):
            return None
        visited, written = set(self.visited), dict(self.guide.written)
        self.output_paths.append(_PRINTED)
        doubt, self.undecided = self.undecided, 0
        try:
            with self.sink.unheard():
                self.call(words[0], words[1:], self.line)
            printed = self.files.get(_PRINTED, [])
        finally:
            self.output_paths.pop()
            self.files.pop(_PRINTED, None)
            self.visited, self.guide.written, self.undecided = visited, written, doubt
        text = "\n".join(one for _number, one in printed)
        return text.rstrip("\n") if printed and masks.known(text) else None

    def write(self, path: str, lines: List[Line], line: int) -> None:
        """Text that goes into a file; what a function prints in one case only is not known."""
        doubtful = path == _PRINTED and self.undecided
        super().write(path, [(line, masks.mask("?"))] if doubtful else lines, line)


def _commands(function: Function) -> List[Node]:
    body = function.body
    found: List[Node] = list(body.commands) if isinstance(body, Sequence_) else [body]
    ends = [one for one in found[-1:] if isinstance(one, Simple) and one.words and one.words[0][0] == "return"]
    return found[: len(found) - len(ends)]


def _ends_with_a_command(function: Function) -> bool:
    """Whether a function is nothing but assignments and one command that is no test."""
    *first, last = _commands(function) or [function.body]
    piped = last.commands if isinstance(last, Pipeline) else (last,)
    return all(isinstance(one, Simple) and not one.redirects and _assigns(one) for one in first) and all(
        isinstance(one, Simple)
        and one.words
        and one.words[0][0] not in _SILENT
        and not (_assigns(one) or _sends_away(one))
        for one in piped
    )


def _assigns(node: Simple) -> bool:
    words = [raw for raw, _line in node.words]
    return bool(words) and (words[0] in _DECLARING or all(map(expand.assignment, words)))


def _is_plain(node: Node) -> bool:
    """Whether a command prints nothing, or what the text says."""
    if isinstance(node, Pipeline):
        return False
    if not isinstance(node, Simple) or not node.words:
        return not isinstance(node, Function)
    name = node.words[0][0]
    return not _sends_away(node) and (name in (*_SILENT, *_PRINTING) or _assigns(node))


def _sends_away(node: Simple) -> bool:
    """Whether what a command prints goes elsewhere than to the caller, such as into a file of the kernel."""
    return any(redirect.operator.startswith((">", "&>")) and not redirect.errors for redirect in node.redirects)


def _in_lines(nodes: Sequence[Node]) -> bool:
    """Whether all that is printed ends with its line, or is one piece only."""
    words = [[raw for raw, _line in node.words] for node in nodes if isinstance(node, Simple)]
    printing = [one for one in words if one and one[0] in _PRINTING]
    loops = any(isinstance(node, (For, While)) for node in nodes)
    whole = [
        one[1:2] and not one[1].startswith("-n") if one[0] == "echo" else any("\\n" in raw for raw in one[1:2])
        for one in printing
    ]
    return all(whole) or (len(printing) == 1 and not loops)


def _returns_early(function: Function, nodes: Sequence[Node]) -> bool:
    """Whether it may end before its last command, which the host may decide."""
    count = sum(1 for node in nodes if isinstance(node, Simple) and node.words and node.words[0][0] == "return")
    body = function.body
    last = body.commands[-1] if isinstance(body, Sequence_) and body.commands else body
    return count > int(isinstance(last, Simple) and bool(last.words) and last.words[0][0] == "return")
