# SPDX-License-Identifier: GPL-3.0-or-later
"""Call the functions of a shell script, each with its arguments and variables of its own."""

from __future__ import annotations

from contextlib import suppress
from typing import Dict, List, NamedTuple, Optional

from .. import masks
from ..keys.settings import Guide
from ..shell import bindings, expand
from ..shell.nodes import Function, Simple
from .loops import Loops

_MOST_DEPTH = 12


class _State(NamedTuple):
    arguments: Optional[List[str]]
    digits: Dict[str, expand.Value]


class Calling(Loops):
    """The calls of one script."""

    def __init__(self, guide: Guide, arguments: Optional[List[str]]) -> None:
        super().__init__(guide, arguments)
        self.depth = 0
        self.called: List[str] = []
        self.sites: Dict[str, int] = {}

    def shift(self, node: Simple) -> None:
        """Drop the first arguments."""
        raw = [expand.text(word, self.scope) for word, _line in node.words[1:]]
        count = int(raw[0]) if raw and raw[0].isdecimal() else 1
        self.scope.values = {key: value for key, value in self.scope.values.items() if not key.isdecimal()}
        self.scope.arguments = (self.scope.arguments or [])[count:]

    def call(self, name: str, words: List[str], line: int) -> bool:
        """Walk through a function of this script, if it is one."""
        function = self.functions.get(name)
        if function is None or self.depth >= _MOST_DEPTH:
            return function is not None
        self.enter(function, words, line, name)
        return True

    def hand_on(self, words: List[str], line: int) -> None:
        """Walk through a function that a program runs, which may add arguments of its own."""
        with suppress(bindings.Leave):
            self.enter(self.functions[words[0]], words[1:] or None, line, words[0])

    def enter(self, function: Function, words: Optional[List[str]], line: int, name: str) -> None:
        self.called.append(function.name)
        values = self.scope.values
        state = _State(self.scope.arguments, {key: values.pop(key) for key in list(values) if key.isdecimal()})
        override = self.override
        if words is not None and {masks.mask("$@"), masks.mask("$*")} & set(words):
            words = None
        if words and (self.sites.get(function.name, 0) > 1 or self.hands_over(words)):
            self.override = override or line
        self.scope.arguments = words
        self.depth += 1
        self.kept.append({})
        try:
            with self.guide.bounded({}), self.sink.noting(""):
                self.walk(function.body)
        except bindings.Leave as leave:
            if leave.how == "exit":
                raise
        finally:
            self.depth -= 1
            self.scope.arguments = state.arguments
            self.scope.values = {key: value for key, value in self.scope.values.items() if not key.isdecimal()}
            for key, value in self.kept.pop().items():
                self.scope.values.pop(key, None) if value is None else self.scope.values.update({key: value})
            self.scope.values.update(state.digits)
            self.override = override
