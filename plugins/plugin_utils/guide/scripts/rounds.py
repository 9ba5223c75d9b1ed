# SPDX-License-Identifier: GPL-3.0-or-later
"""Walk the rounds of a loop of a shell script, one by one or one that stands for all of them."""

from __future__ import annotations

import re
from typing import Callable, Dict, FrozenSet, List, Sequence

from .. import masks
from ..shell import bindings, conditions, drivers, expand, interrupts
from ..shell.nodes import Node, Simple, all_of
from .pipelines import Pipelines

MOST_ROUNDS = 512
# The NICs of a driver, as sysfs has them below it.
_OF_DRIVER = re.compile(r"/sys/bus/\w+/drivers/([\w-]+)/.*/net/")


class Rounds(Pipelines):
    """The rounds of the loops of one script."""

    rounds = 0  # of loops over what only the host knows
    counted: FrozenSet[str] = frozenset()  # the variables that these count on

    def skip(self, node: Node, why: str) -> None:
        """Note why commands do not run."""
        for inner in all_of(node):
            self.why.setdefault(id(inner), why)

    def visit_all(self, node: Node) -> None:
        """Count commands as met, such as those of a condition."""
        self.visited.update(id(inner) for inner in all_of(node))

    def condition(self, node: Node) -> None:
        """Commands in a condition run as well: `if ethtool -C eth0 adaptive-rx on; then`."""
        if conditions.is_test(node):
            self.visit_all(node)
        else:
            self.undecided += 1
            self.walk(node)
            self.undecided -= 1

    def over(self, name: str, words: Sequence[str], body: Node, line: int) -> None:
        # A round that stands for several NICs or queues.
        said, self.left_out = ", ".join(self.left_out), ()
        caveat = (
            f"the script leaves out the names {said}; the inventory has it for NICs that are hardware" if said else ""
        )
        symbolic = any(char in "".join(words) for char in "*?") or (len(words) == 1 and not masks.known(words[0]))
        for word in words[:MOST_ROUNDS]:
            looked_up = interrupts.WORD.search(word)
            if looked_up and not looked_up[2]:
                self._over_interrupts(name, word, body)
                continue
            if symbolic:
                self.forget(body)
            self.assign(name, "=", word)
            self.tell_apart(name, word, line)
            driver, of_driver = drivers.current(self.scope), _OF_DRIVER.match(word)
            drivers.only_of(self.scope, of_driver[1] if of_driver else driver)
            with self.sink.noting(caveat):
                goes_on = self.goes_on(body, symbolic)
            drivers.only_of(self.scope, driver)
            if not goes_on:
                break

    def _over_interrupts(self, name: str, word: str, body: Node) -> None:
        """Interrupt by interrupt to see which processors each gets, and once for all of them."""

        def each(count: int) -> None:
            for number in range(count):
                self.assign(name, "=", f"{word}#{number}")
                if not self.goes_on(body):
                    break

        self.survey(body, each)
        start = dict(self.scope.values)
        self.forget(body)
        self.assign(name, "=", word)
        self.for_all(body)
        for grown in self._grown(body, f"${name}"):
            self.scope.values.update({grown: [word]} if start.get(grown) == [] else {})

    def survey(self, body: Node, walk: Callable[[int], None]) -> None:
        """Find what the interrupts of a loop get, by a walk over some of them on hosts of different sizes."""
        book = self.guide.interrupts
        if book.counting:
            return
        book.values = {}
        if book.loops >= interrupts.MOST_LOOPS:
            return
        book.loops += 1
        found = []
        for processors, count in zip(interrupts.PROCESSORS, interrupts.COUNTS):
            book.body, book.turns = body, 0
            with self.supposing(processors, count):
                walk(count)
            found.append(book.results(count))
            if not any(found[0].values()):
                break
        book.values = {key: value for key, value in found[0].items() if found[-1].get(key) == value}

    def for_all(self, body: Node) -> None:
        """One round that stands for all interrupts of a loop."""
        self.guide.interrupts.looping += 1
        self.goes_on(body, True)
        self.guide.interrupts.looping -= 1
        self.forget(body)

    @staticmethod
    def _grown(body: Node, variable: str) -> List[str]:
        """The arrays to which each round of a loop adds its word: `list+=("$x")`."""
        raw = [word for one in all_of(body) if isinstance(one, Simple) for word, _line in one.words]
        assigned = [found for found in map(expand.assignment, raw) if found and found[1] == "+="]
        return [name for name, _sign, rest in assigned if re.sub(r"[()\"'{} ]", "", rest) == variable]

    def goes_on(self, body: Node, symbolic: bool = False) -> bool:
        """One round of a loop; False where it breaks off, or where more of them show nothing."""
        try:
            self.one_round(body, symbolic)
            if self.guide.interrupts.is_enough(body):
                return False
        except bindings.Leave as leave:
            if leave.how not in ("break", "continue"):
                raise
            return leave.how == "continue"
        return True

    def one_round(self, body: Node, symbolic: bool) -> None:
        self.undecided += symbolic
        self.rounds += symbolic
        before, driver = self.counted, drivers.current(self.scope)
        if symbolic:
            self.counted = before.union(name for node in all_of(body) for name in self.assigned(node))
        try:
            with self.sink.under("", ""):  # what a continue leaves out, it leaves out of this round
                self.walk(body)
        finally:
            self.undecided -= symbolic
            self.rounds -= symbolic
            self.counted = before
            drivers.only_of(self.scope, driver)

    def in_any_round(self, start: Dict[str, expand.Value]) -> None:
        """After a condition that some rounds meet: what the loop counts on is no better known than before it."""
        for name in self.counted:
            value = start.get(name)
            if isinstance(value, str) and not masks.known(value):
                self.scope.values[name] = value

    def forget(self, body: Node) -> None:
        """Variables that a loop counts on with are not known in a round that stands for all of them."""
        for node in all_of(body):
            for name in self.assigned(node):
                self.scope.values[name] = masks.mask(f"${name}")
