# SPDX-License-Identifier: GPL-3.0-or-later
"""Walk through the commands of a shell script: loops over words, functions, conditions as far as the text decides.

What the text does not decide is walked in every case, and each setting notes in which case it stands; what only the
host knows stays a placeholder.
"""

from __future__ import annotations

import re
from contextlib import ExitStack, suppress
from fnmatch import fnmatchcase
from functools import partial
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from .. import masks
from ..budget import TooLarge
from ..keys.settings import Guide
from ..model import CONDITIONAL, NO_EFFECT, Branch, Part, Setting
from ..shell import asking, bindings, comparing, conditions, counting, drivers, expand
from ..shell.conditions import START, UNDO
from ..shell.nodes import (
    AndOr,
    Arithmetic,
    Case,
    For,
    If,
    Node,
    Not,
    Pipeline,
    Sequence_,
    Simple,
    While,
    all_of,
)
from . import endings, raising
from .roles import NEEDS_OPTION, Roles

_MOST_STEPS = 20000
# What a script asks of its shell and its caller before it begins.
_OF_THE_SHELL = re.compile(r"VERS|UID|OPTIND|\barg|\bid -u", re.IGNORECASE)

ANOTHER_CASE = "the case is another one: "
# What a script does without an argument where that sets nothing.
_SHOWING_WORDS = "discover help h usage status show list check info report menu"
_SHOWING = frozenset(_SHOWING_WORDS.split())


class Walk(Roles):
    """The control flow of one script."""

    def __init__(self, guide: Guide, arguments: Optional[List[str]] = None) -> None:
        super().__init__(guide, arguments)
        self.loopback = False  # whether what is asked is about lo alone

    def walk(self, node: Node) -> None:
        """The effect of a command, whatever it is."""
        self.steps += 1
        if self.steps > _MOST_STEPS:
            if isinstance(node, Simple) and id(node) not in self.visited:
                self.visited.add(id(node))
                self.sink.unknown(node.line, f"loops have taken {_MOST_STEPS} steps before it, and no more are read")
            return
        try:
            self._walk(node)
        except TooLarge as error:
            self.skip(node, str(error))
            self.sink.unknown(self.override or node.line, str(error))

    def _walk(self, node: Node) -> None:
        if isinstance(node, Simple):
            self._simple(node)
        elif isinstance(node, Sequence_):
            with self.output_to(node.redirects), self.staying(node.own):
                self._one_by_one(node)
        elif isinstance(node, Pipeline):
            # Each of the commands runs in a shell of its own, which ends alone.
            with self.staying(True), suppress(bindings.Leave):
                self.pipeline(node)
        elif isinstance(node, AndOr):
            self._and_or(node._replace(left=self.written_out(node.left)))
        elif isinstance(node, Not):
            self.walk(node.command)
        elif isinstance(node, If):
            self._if(node._replace(arms=tuple((test and self.written_out(test), body) for test, body in node.arms)))
        elif isinstance(node, Case):
            self._case(node)
        elif isinstance(node, For):
            with self.output_to(node.redirects), self.sink.noting(""), self.guide.bounded({}), self.turning(node):
                self.loop(node)
        elif isinstance(node, While):
            with self.sink.noting(""), self.guide.bounded({}), self.turning(node):
                self.repeat(node)
        elif isinstance(node, Arithmetic):
            counting.carry_out(node.expression, self.scope)

    def _one_by_one(self, node: Sequence_) -> None:
        """Commands one after the other; what ends a shell of their own does not end the script."""
        try:
            for command in endings.with_tests(node.commands):
                self.walk(command)
        except bindings.Leave as leave:
            if not node.own or leave.how != "exit":
                raise

    def _simple(self, node: Simple) -> None:
        self.visited.add(id(node))
        with ExitStack() as needed:
            for said in bindings.conditions_of([raw for raw, _line in node.words], self.scope):
                needed.enter_context(self.sink.noting(said))
            word = self.simple(node)
        if word == "let":
            for raw, _line in node.words[1:]:
                counting.carry_out(expand.text(raw, self.scope), self.scope)
        if word == "shift" and self.scope.arguments and not self.undecided:
            self.shift(node)
        if word in ("exit", "return", "break", "continue") and not self.undecided and not self.sink.dead[0]:
            raise bindings.Leave(word)
        if word == "exec" and endings.gives_way(node) and not self.undecided and not self.sink.dead[0]:
            raise bindings.Leave("exit")
        if word in ("break", "continue") and self.rounds and not self.loopback and not self.sink.dead[0]:
            self.sink.dead = (CONDITIONAL, "some rounds of the loop end before this line, and the host decides which")

    def _and_or(self, node: AndOr) -> None:
        if endings.chooses(node) and isinstance(node.left, AndOr):
            self._if(If(((node.left.left, node.left.right), (None, node.right)), self.line))
            return
        known = raising.decide(node.left, self.scope)
        if conditions.is_test(node.left):
            self.visit_all(node.left)
            outcome, start = node.operator == "&&", dict(self.scope.values)
            if known is None and self.only_if_up(node.left, node.right):
                return
            if known is None and self.only_of_driver(node.left, node.right, not outcome):
                return
            if known is None:
                self.loopback = conditions.is_about_lo(node.left)
                bounded = self.guide.bounded(raising.bounds(node.left, self.scope, outcome))
                ways = bindings.alternatives(node.left, self.scope, outcome)
                said = comparing.compared(node.left, self.scope, outcome)
                cases = self.sink.among(self.chosen_by(node.left, self.group(), 0) if outcome else ())
                with self.sink.noting(conditions.measured(node.left, self.scope, outcome)), bounded, cases:
                    self._where(ways, node.right, self._doubt, said)
                self.loopback = False
                self._perhaps(node.left, start, outcome)
                self._guarded(node.right, node.left, not outcome)
            elif known is outcome:
                with self.of_hardware(node.left):
                    self.walk(node.right)
            else:
                self.skip(node.right, self.unmet(node.left))
                self.narrow(node.left, node.right)
            return
        if node.operator == "&&":
            self.walk(node.left)
            start = dict(self.scope.values)
            with self.sink.noting(asking.of_machines(node.left, self.scope, holds=True)):
                self.walk(node.right)
            if conditions.is_query(node.left):
                self._perhaps(node.left, start)
            return
        if conditions.is_query(node.left) and bindings.leaves(node.right):
            self.walk(node.left)
            self._doubt(node.right)
            self._guarded(node.right, node.left, holds=True)
            return
        if endings.only_says(node.right):
            self.walk(node.left)
            self._doubt(node.right)
            return
        group = self.group()
        before = len(self.sink.settings)
        self._case_of(group, 0, "if", node.left, doubt=False)
        index = len(self.sink.settings)
        values = dict(self.scope.values)
        self._case_of(group, 1, "if", node.right)
        self.sink.only_otherwise(self.sink.settings[before:index], index)
        # So does what a variable is only given where the first command fails.
        assigned = {name for one in all_of(node.right) for name in endings.given(one)}
        self.scope.values.update({name: value for name, value in values.items() if name in assigned})

    def _perhaps(self, test: Node, start: Dict[str, expand.Value], holds: bool = True) -> None:
        """After a command that runs on some hosts only: what it has given a variable holds there."""
        # A list that it adds to keeps what it adds.
        lists = {name: value for name, value in self.scope.values.items() if isinstance(value, list)}
        self.scope.values = {**bindings.merged([self.scope.values, start], True, [test], holds), **lists}
        self.in_any_round(start)

    def _where(
        self, found: Sequence[drivers.Bindings], body: Node, walk: Callable[[Node], None], said: Sequence[Part]
    ) -> None:
        """A body in each of the ways in which its condition holds; what a condition binds ends with it."""
        undo = bindings.undone(found)
        if undo:
            self.skip(body, f"it runs for '{undo}' only")
            return
        with self.sink.needing(said or comparing.of_driver(found)):
            for one in found:
                with bindings.held(self.scope, one):
                    walk(body)

    def _guarded(self, body: Node, test: Node, holds: bool) -> None:
        """`[ "$1" = eno1 ] || exit`: what comes after it is for eno1."""
        if not bindings.leaves(body):
            return
        found = bindings.alternatives(test, self.scope, holds)
        if len(found) == 1:
            bindings.bind(self.scope, found[0])
        self.guide.bounds = {**self.guide.bounds, **raising.bounds(test, self.scope, holds)}
        caveat = conditions.measured(test, self.scope, holds)
        self.sink.caveats += (caveat,) if caveat and not _OF_THE_SHELL.search(caveat) else ()
        self.sink.parts += tuple(comparing.compared(test, self.scope, holds) or comparing.of_driver(found))

    def _doubt(self, node: Node) -> None:
        self.undecided += 1
        self.walk(node)
        self.undecided -= 1

    def _tried(self, test: Node) -> Tuple[int, List[Setting]]:
        """The command that a condition runs, and what it sets: `if ! ethtool -G eth0 rx 4096; then`."""
        if conditions.is_test(test):
            self.condition(test)
            return 0, []
        group, before = self.group(), len(self.sink.settings)
        self._case_of(group, 0, "if", test)
        return group, self.sink.settings[before:]

    def _case_of(
        self, group: int, number: int, kind: str, node: Node, doubt: bool = True, failing: int = 0, others: Branch = ()
    ) -> None:
        before = self.sink.branch
        self.sink.branch = (*before, (group, number, kind), *([(failing, 1, kind)] if failing else []), *others)
        self.undecided += doubt
        try:
            self.walk(node)
        finally:
            self.undecided -= doubt
            self.sink.branch = before

    def _if(self, node: If) -> None:
        if len(node.arms) == 1 and self.only_of_driver(*node.arms[0], holds=False):
            return
        group, closed = self.group(), False
        tried: List[Setting] = []
        failing = 0  # the group of the command that the first test runs, and of what runs where that fails
        outcomes: List[Dict[str, expand.Value]] = []
        start = dict(self.scope.values)
        for number, (test, body) in enumerate(node.arms):
            known = True if test is None else raising.decide(test, self.scope)
            if test is not None and number == 0 and (endings.turned(test) or len(node.arms) > 1):
                failing, tried = self._tried(test)
            elif test is not None:
                self.condition(test)
            if closed or known is False:
                self.skip(body, self.unmet(test))
                several = "" if closed or test is None else raising.several(test, self.scope)
                if several and self.override:
                    self.sink.remark(self.override, NO_EFFECT, several)
                if not closed and test is not None:
                    self.narrow(test, body)
                    start = dict(self.scope.values)
                if not closed and test is not None and conditions.names_option(test):
                    start.update(self.without(body))
                elif not closed and self.unmet(test) == NEEDS_OPTION:
                    start.update(self.left_open(body))
                continue
            if known and not outcomes:
                with self.of_hardware(test):
                    self.walk(body)
                closed = True
                outcomes = [dict(self.scope.values)]
                continue
            self.scope.values = dict(start)
            self.loopback = test is not None and conditions.is_about_lo(test)
            ways = bindings.alternatives(test, self.scope) if test is not None else [{}]
            caveat = conditions.measured(test or node.arms[0][0] or body, self.scope, holds=test is not None)
            index, fails = len(self.sink.settings), bool(tried) and (number == 0) == endings.turned(node.arms[0][0])
            case = partial(self._case_of, group, number, "if", failing=failing if fails else 0)
            compared = test or (node.arms[0][0] if number == 1 else None)
            bounded = self.guide.bounded(raising.bounds(compared, self.scope, holds=test is not None))
            said = comparing.compared(compared, self.scope, test is not None)
            with self.sink.noting(caveat), bounded:
                self._where(ways, body, partial(case, others=self.chosen_by(test, group, number)), said)
            if fails:
                self.sink.only_otherwise(tried, index)
            self.loopback = False
            outcomes += [] if test is not None and conditions.names_option(test) else [self.scope.values]
            closed = known is True
        tests = [test for test, _body in node.arms]
        self.scope.values = bindings.merged(outcomes if closed else [*outcomes, start], True, tests)
        if len(outcomes) > 1 or not closed:
            self.in_any_round(start)
        if len(node.arms) == 1 and node.arms[0][0] is not None and not closed:
            self._guarded(node.arms[0][1], node.arms[0][0], holds=False)
        elif tests[-1] is None and bindings.leaves(node.arms[-1][1]):
            # What comes after a chain that ends for all other drivers.
            found = [one for test in tests if test is not None for one in bindings.alternatives(test, self.scope)]
            self.sink.parts += tuple(comparing.of_driver(found))

    def _case(self, node: Case) -> None:
        subject = expand.text(node.subject, self.scope)
        node = self.without_virtual(node, subject)
        arms = [([expand.text(one, self.scope) for one in raw], body) for raw, body, _line in node.arms]
        shows = subject.lower().strip("-") in _SHOWING and not self.guide.arguments
        if masks.known(subject) and not any(char in subject for char in "*?") and not shows:
            taken = False
            for patterns, body in arms:
                if not taken and any(fnmatchcase(subject, pattern) for pattern in patterns):
                    taken = True
                    self.walk(body)
                else:
                    self.skip(body, f"{ANOTHER_CASE}{subject}")
            return
        group, start = self.group(), dict(self.scope.values)
        self.cases_of(node, group, [patterns for patterns, _body in arms])
        outcomes: List[Dict[str, expand.Value]] = []
        for number, (patterns, body) in enumerate(arms):
            lowered = {pattern.lower().strip("-") for pattern in patterns}
            found = [bindings.of_pattern(node.subject, pattern, self.scope) for pattern in patterns]
            undo = patterns[0] if lowered and lowered <= UNDO else bindings.undone(found)
            if undo:
                self.skip(body, f"it runs for '{undo}' only")
                continue
            kind = (
                "if"
                if lowered & (START | {"*"}) or (found and all(drivers.DRIVER in one for one in found))
                else f"case {masks.shown(subject)} is {masks.shown(patterns[0] if patterns else '')}"
            )
            for one in found if found and all(found) else [{}]:
                self.scope.values = dict(start)
                self.loopback = patterns == ["lo"]
                # A name is what an inventory takes; a number only says which case it is.
                named = any(not text.isdecimal() for text in one.values())
                said = conditions.chosen(node.subject, patterns)
                parts = [Part(said, frozenset(one.values()))] if said else []
                needed = parts if not named or not asking.of_a_call(node.subject, self.scope) else []
                with bindings.held(self.scope, one), self.sink.needing(needed):
                    self._case_of(group, number, kind, body)
                self.loopback = False
                outcomes.append(self.scope.values)
        self.scope.values = bindings.merged(outcomes or [start], prefer=False)
        if not any("*" in patterns or {one.lower() for one in patterns} & START for patterns, _body in arms):
            self.scope.values = bindings.merged([self.scope.values, start], prefer=True)
        self.in_any_round(start)
