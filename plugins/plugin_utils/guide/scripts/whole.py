# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a shell script as a whole. Nothing is executed."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import List, Sequence

from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import sysctl

from .. import masks, role_words
from ..budget import refuse
from ..calls import sentences
from ..keys.settings import Guide
from ..model import CONDITIONAL, NO_EFFECT, Case, Line, Sink
from ..shell import bindings, excerpts, syntax
from ..shell.conditions import START, UNDO
from ..shell.lexer import Broken, TooDeep
from ..shell.nodes import Function, Node, Sequence_, Simple, all_of
from . import netifrc
from .roles import NEEDS_OPTION
from .walk import ANOTHER_CASE, Walk

# Functions that take a tuning back.
_UNDO_FUNCTIONS_WORDS = """
stop unload restore revert undo reset rollback uninstall remove cleanup teardown clean distclean destroy
"""
_UNDO_FUNCTIONS = frozenset(_UNDO_FUNCTIONS_WORDS.split())
# One line of an array or of a text that holds parameters: `[net.core.rmem_max]=1`, `"net.core.rmem_max=1"`.
_ENTRY = re.compile(r"\s*(?:\w+\+?=\(?)?[\[\"' ]*((?:net|kernel|vm|fs)[./][\w./-]+)[\"'\]]*[\s=:|]+[\"']?[\w-]")
# A command in a variable or an array: `command="ethtool ..."`, `list+=("ExecStart=/sbin/ethtool ...")`.
_HELD = re.compile(
    r"\s*(?:(?:local|export|readonly|declare)\s+(?:-\w+\s+)?)?(?:\w+\+?=\(?\s*)?[\"'](?:Exec\w+=[-+!@]*)?"
)
_PARTS = ("if", "for", "while", "case", "fi", "done", "esac", "else", "elif", "do", "then", "}", "{", ";;")


class Shell(Walk):
    """One script, with its variables and functions."""

    def script(self, lines: Sequence[Line]) -> None:
        """All of a script; a text that is no shell is read line by line."""
        plain = [(number, masks.placeholders(masks.templates(text))) for number, text in lines]
        try:
            tree = self._parsed(plain)
        except TooDeep as error:
            refuse(self.sink, lines, str(error))
            return
        except Broken as error:
            self._by_lines(lines, error)
            return
        nodes = list(all_of(tree))
        self.functions = {node.name: node for node in nodes if isinstance(node, Function)}
        for node in nodes:
            if isinstance(node, Simple) and node.words:
                self.sites[node.words[0][0]] = self.sites.get(node.words[0][0], 0) + 1
        self._top(tree)
        self._uncalled(tree)
        self._never(nodes)
        self.finish()
        for number, command in netifrc.commands(lines):
            Shell(self.guide).commands(number, command)
        self._entries(lines)
        for number, text in lines:
            self.sink.nothing(number, "a comment" if text.lstrip().startswith("#") else "sets nothing by itself")

    def _parsed(self, lines: Sequence[Line]) -> Sequence_:
        """The tree of a script, or of the part of one that a text shows."""
        try:
            return syntax.parse(lines)
        except TooDeep:
            raise
        except Broken as error:
            for mended, gone in excerpts.mended(lines):
                with suppress(Broken):
                    tree = syntax.parse(mended)
                    for number in gone:
                        self.sink.nothing(number, "part of a loop or condition")
                    return tree
            raise error

    def _entries(self, lines: Sequence[Line]) -> None:
        """Lines of an array, or of a text in a variable, whose parameters a later command sets: they go with it."""
        told = {one.line for one in self.sink.settings} | {one.line for one in self.sink.remarks} | {*self.sink.called}
        entries = [(number, found[1]) for number, text in lines for found in [_ENTRY.match(text)] if found]
        for number, text in lines:
            if number not in told and _HELD.match(text) and sentences.holds_a_setting(text):
                self._held(number, text)
        set_by = {one.key: one.line for one in reversed(self.sink.settings) if one.family == "sysctl"}
        for number, name in entries:
            line = set_by.get(sysctl.name(name), 0)
            if line and number not in told:
                self.sink.goes_on(number, line)

    def _held(self, number: int, text: str) -> None:
        """A command that a variable holds: it goes with the line that runs it, if one does."""
        guide = Guide(Sink())
        held = _HELD.sub("", text, count=1).strip().rstrip("\"');,\\ ")
        Shell(guide).commands(number, held)
        meant = [(one.nic, one.family, one.key, one.value) for one in guide.sink.settings]
        # The name of a NIC that is a variable itself may have become any.
        meant += [("", *rest) for nic, *rest in meant if not masks.known(nic) or not re.fullmatch(r"[\w.:-]+", nic)]
        found = (
            one.line
            for one in self.sink.settings
            if any((nic, one.family, one.key, one.value) in meant for nic in (one.nic, ""))
        )
        line = next(found, 0)
        if line:
            self.sink.goes_on(number, line)
        elif meant:
            self.sink.remark(number, CONDITIONAL, f"{held}: a variable holds it; what runs it, the text does not show")

    def commands(self, number: int, text: str) -> None:
        """The commands of one line of another form."""
        self.line = number
        self.sink.nothing(number, "runs a program")
        with suppress(bindings.Leave):
            self.embedded([(number, text)])
        self.finish()

    def _by_lines(self, lines: Sequence[Line], error: Broken) -> None:
        """Each command for itself; loops and conditions are lost, and so is what depends on them."""
        held: List[Line] = []
        inside = 0  # how many lines of a here document are still to come
        for index, (number, text) in enumerate(lines):
            held.append((number, masks.placeholders(masks.templates(text))))
            inside = inside - 1 if inside else excerpts.document(lines, index)
            if inside or text.rstrip().endswith("\\"):
                continue
            try:
                tree = syntax.parse(held)
            except Broken:
                words = text.split()
                first = words[0] if words else ""
                if first in (
                    "if",
                    "for",
                    "while",
                    "case",
                    "fi",
                    "done",
                    "esac",
                    "else",
                    "elif",
                    "do",
                    "then",
                    "}",
                    "{",
                    ";;",
                ) or (text.rstrip().endswith((")", "{", ";;"))):
                    self.sink.nothing(number, "part of a loop or condition")
                elif number == error.line or first:
                    self.sink.unknown(number, f"the shell text is broken: {error}")
                held = []
                continue
            self._top(tree)
            for row, _text in held:
                self.sink.nothing(row, "sets nothing by itself")
            held = []
        self.finish()

    def _top(self, tree: Node) -> None:
        with suppress(bindings.Leave):
            self.walk(tree)

    def _uncalled(self, tree: Sequence_) -> None:
        """Functions that an argument selects, or that another file calls."""
        if self.called and not self.dynamic:
            return
        # Of functions that an argument selects, a call runs one; what they say differently is of that one only.
        group, before = self.group() if self.dynamic else 0, self.sink.branch
        roles = role_words.among(self.functions)
        left_out = {
            node.words[0][0]
            for node in all_of(tree)
            if isinstance(node, Simple) and node.words and self.why.get(id(node), "").startswith(ANOTHER_CASE)
        }
        for number, (name, function) in enumerate(self.functions.items()):
            if name not in self.called and name not in left_out and not self._takes_back(name):
                self.part = name
                self.sink.branch = (*before, (group, number, f"function {name}")) if group else before
                if name in roles:
                    case = Case(f"only where the function {name} is called", noted=False)
                    self.sink.branch += self.sink.case("function", roles[name], case)
                if self.sites.get(name):  # what calls it needs an option, by which others have no default either
                    self.scope.values.update(self.options)
                with suppress(bindings.Leave):
                    self.enter(function, None, function.line, f"${name}")
                self.part, self.sink.branch = "", before

    def _takes_back(self, name: str) -> bool:
        """Whether a function takes a tuning back, by its name; `disable` does so beside `enable`."""
        if "irqbalance" in name.lower():
            return False  # to stop that service is a tuning
        opposite = name.lower() in UNDO and any(other.lower() in START for other in self.functions)
        return opposite or bool(set(re.split(r"[^a-z]+", name.lower())) & _UNDO_FUNCTIONS)

    def _never(self, nodes: Sequence[Node]) -> None:
        """What would be set by commands that were not met on the way."""
        before = self.sink.dead
        for name, function in self.functions.items():
            if name not in self.called and self._takes_back(name):
                self.skip(function.body, f"it stands in the function {name}, which takes things back")
        for node in sorted(nodes, key=lambda node: id(node) not in self.why):
            if isinstance(node, Simple) and id(node) not in self.visited:
                why = self.why.get(id(node), "nothing in this text runs it")
                self.sink.dead = (CONDITIONAL if why == NEEDS_OPTION else NO_EFFECT, why)
                self._top(node)
        self.sink.dead = before
