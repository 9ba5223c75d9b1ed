# SPDX-License-Identifier: GPL-3.0-or-later
"""Call the functions of a shell script, each with its arguments and variables of its own."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from .. import masks
from ..keys.settings import Guide
from ..shell import bindings, conditions, drivers, expand, predicates, virtual
from ..shell.nodes import Case, Function, Node, Sequence_, Simple, all_of
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
        self.inlined: Dict[int, Tuple[Node, Node]] = {}  # conditions beside what their functions ask

    def written_out(self, test: Node) -> Node:
        """A condition with what the functions that it calls ask, where these do nothing else."""
        if id(test) not in self.inlined:
            self.inlined[id(test)] = test, predicates.written_out(test, self.functions)
        found = self.inlined[id(test)][1]
        if conditions.is_test(test) or not conditions.is_test(found):
            return test
        self.visit_all(test)
        for name in (one.words[0][0] for one in all_of(test) if isinstance(one, Simple) and one.words):
            if name in self.functions:
                self.called.append(name)
                self.visit_all(self.functions[name].body)
        return found

    def narrow(self, test: Node, body: Node) -> None:
        """Behind a condition that ends the rounds for virtual NICs, all NICs are those that are hardware."""
        said = virtual.narrows(test, self.scope) if bindings.leaves(body) else None
        if said is not None:
            found = virtual.narrowed(self.scope.values)
            self.scope.values.update(found)
            said = said if found or not said or self._is_narrow() else virtual.FITTING
            self.sink.caveats += (said,) if said and said not in self.sink.caveats else ()

    def _is_narrow(self) -> bool:
        return any(isinstance(value, str) and masks.HARDWARE in value for value in self.scope.values.values())

    def only_if_up(self, test: Node, body: Node) -> bool:
        """Note of the rest of a round that it is for links that are up, where the others end before; else False."""
        words = [raw for raw, _line in body.words] if isinstance(body, Simple) else []
        if words[:1] != ["continue"] or not self.rounds or not virtual.is_about_the_link(test):
            return False
        self.visit_all(body)
        self.sink.caveats += (virtual.IF_UP,) if virtual.IF_UP not in self.sink.caveats else ()
        return True

    def only_of_driver(self, test: Optional[Node], body: Node, holds: bool) -> bool:
        """Whether the other rounds end here, and the rest of this one is for the NICs of a driver that a test names."""
        commands = body.commands if isinstance(body, Sequence_) else (body,)
        words = [one.words[0][0] if isinstance(one, Simple) and one.words else "" for one in commands]
        if not self.rounds or test is None or words[-1:] != ["continue"] or set(words[:-1]) - {"echo", "printf"}:
            return False
        found = bindings.alternatives(test, self.scope, holds)
        if len(found) != 1 or drivers.DRIVER not in found[0]:
            return False
        self.condition(test)
        self.visit_all(body)
        bindings.bind(self.scope, found[0])
        return True

    def without_virtual(self, node: Case, subject: str) -> Case:
        """A `case` over all NICs without those of its cases that end the rounds for virtual ones."""
        gone = [
            arm
            for arm in node.arms
            if virtual.stands_for_all(subject) and bindings.leaves(arm[1]) and virtual.are_virtual("|".join(arm[0]))
        ]
        for _patterns, body, _line in gone:
            self.skip(body, "the case is that of virtual NICs")
            self.scope.values.update(virtual.narrowed(self.scope.values))
            self.sink.caveats += (virtual.BY_NAME,) if virtual.BY_NAME not in self.sink.caveats else ()
        return node._replace(arms=tuple(arm for arm in node.arms if arm not in gone))

    @contextmanager
    def of_hardware(self, test: Optional[Node]) -> Iterator[None]:
        """The same for commands that a condition leaves to these."""
        said = virtual.narrows(test, self.scope) if test else None
        found = virtual.narrowed(self.scope.values) if said is not None else {}
        before = {name: self.scope.values[name] for name in found}
        self.scope.values.update(found)
        with self.sink.noting(said or ""):
            yield
        for name, value in found.items():
            if self.scope.values.get(name) == value:
                self.scope.values[name] = before[name]

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
        override, driver = self.override, drivers.current(self.scope)
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
            drivers.only_of(self.scope, driver)
            self.override = override
