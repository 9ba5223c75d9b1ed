# SPDX-License-Identifier: GPL-3.0-or-later
"""Go back: what was requested, then what the same commands changed beside it, and what these held fast."""

from __future__ import annotations

from contextlib import suppress
from typing import List, Set

from ..deciding import plan
from ..family import ENTRY
from ..schema import Address, Cell, Cells, Change, DesiredState, Plan, TuningError
from .applying import Applying, Group

_ROUNDS = 2


class Undo:
    """The way back of what `applying` has tried.

    Afterwards `done` says how many values went back, `leftover` names the addresses that did not, `shaken` those beside
    them, and `left` are all whose originals are still needed.
    """

    def __init__(self, applying: Applying) -> None:
        self.applying = applying
        self.before = applying.before
        self.families = applying.families
        self.done = 0
        self.left: Set[Address] = set()
        self.leftover: List[str] = []
        self.shaken: List[str] = []

    def run(self, tried: Set[Address]) -> None:
        """Put back what these were, and what else is not as it was."""
        groups, shaken = self.applying.touched(tried), self._shaken(tried)
        watched = [address for address in self.before if address[:2] in groups or address in shaken]
        for again in range(_ROUNDS + 1):
            now = self.applying.see(watched)
            desired: DesiredState = self._missing(now, groups, shaken) if again else self._before(tried, now)
            changes = plan.make(desired, _requested(now), self.families, {}).changes
            if again and not changes:
                break
            if again:
                changes += plan.holders(changes, self.before, self.families)
            steps = plan.steps(changes)
            for group in plan.backwards(steps, {address[:2] for address in shaken}, changes, self.families):
                values = steps[group]
                with suppress(TuningError):  # whether it took effect is looked at below
                    self.applying.do(group, values)
                self.done += len(values)
        self._judge(tried, watched, groups, shaken)

    def _judge(self, tried: Set[Address], watched: List[Address], groups: Set[Group], shaken: Set[Address]) -> None:
        """What did not go back."""
        now = self.applying.see(watched)
        # What cannot be read any more may be anything, and what was not there before must not be there now.
        nothing, hidden = Cell(None), self.applying.hidden
        lost = [a for a in tried if (self.before[a].restore is None) != (now.get(a, nothing).restore is None)]
        left = self._missing(now, groups, shaken)
        self.shaken = [str(address) for address in sorted(left) if address in shaken]
        unseen = hidden - {address[:2] for address in lost}
        leftover = {*(address for address in left if address not in shaken), *lost, *(Address(*g, "") for g in unseen)}
        self.leftover = [str(address) for address in sorted(leftover)]
        self.left = {*left, *lost, *(address for address in watched if address[:2] in hidden)}

    def _missing(self, now: Cells, groups: Set[Group], shaken: Set[Address]) -> DesiredState:
        """What is not as it was before, of the groups that were touched and of what these have taken along."""
        desired = plan.restore(self.before, now, {*groups, *(address[:2] for address in shaken)})
        return {address: one for address, one in desired.items() if address[:2] in groups or address in shaken}

    def _shaken(self, tried: Set[Address]) -> Set[Address]:
        """The values that a change takes along, though nobody requested them."""
        done = {address[:2] for address in tried}
        return {
            address
            for address in self.before
            for family in (self.families[address.family],)
            if address.key in (family.shaken or (address.key,))
            and family.disturbed(address.scope, done)
            and address not in tried
        }

    def _before(self, tried: Set[Address], now: Cells) -> DesiredState:
        """What was requested, and an entry whole: one that is gone, such as a bond, has taken all along."""
        entries = {address[:2] for address in tried if self.families[address.family].scope == ENTRY}
        changes = tuple(Change(address, self.before[address].value, None) for address in tried)
        return {**self._missing(now, entries, set()), **plan.invert(Plan(changes), self.before)}


def _requested(cells: Cells) -> Cells:
    """The same cells judged by what the kernel holds as requested: that is what an undo puts back."""
    return {address: Cell(cell.restore, fixed=cell.fixed) for address, cell in cells.items()}
