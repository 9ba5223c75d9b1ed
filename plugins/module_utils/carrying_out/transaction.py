# SPDX-License-Identifier: GPL-3.0-or-later
"""Carry out a plan as a whole: apply, read again, verify, and go back when any part did not take."""

from __future__ import annotations

from contextlib import suppress
from typing import Callable, Container, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple

from ..deciding import plan
from ..deciding.resolve import Refusal, resolve
from ..host import Host
from ..schema import (
    NIC,
    Action,
    Address,
    Adjusted,
    Cell,
    Cells,
    Change,
    DesiredState,
    Family,
    Plan,
    Save,
    TuningError,
    Value,
    plain,
    say,
)
from ..tools import sysfs
from . import report

Group = Tuple[str, str]
Read = Callable[[Sequence[Address]], Cells]

_ROUNDS = 2

# A link that a driver takes down for a change is back within this time, autonegotiation of 10GBASE-T included.
_LINK_SECONDS = 15


class Transaction:
    """One host on its way from `before` to the targets of a plan; `read` gives the cells of addresses anew."""

    def __init__(
        self,
        host: Host,
        families: Mapping[str, Family],
        before: Cells,
        read: Read,
        desired: Optional[DesiredState] = None,
        probes: Optional[Mapping[Address, str]] = None,
        files: Optional[Callable[[Cells, Mapping[Address, Value]], Plan]] = None,
    ) -> None:
        self.host = host
        self.families = families
        self.before = before
        self.read = read
        self.desired: DesiredState = desired or {}
        self.probes: Mapping[Address, str] = probes or {}
        self.files = files
        self.commands: List[str] = []
        self.adjusted: Dict[Address, Adjusted] = {}
        self.unseen: Dict[Address, Adjusted] = {}
        self.stuck = False
        self.left: Set[Address] = set()
        self.shaken: List[str] = []
        self.refused: Dict[Address, str] = {}
        self.missed: Dict[Address, str] = {}
        self._now: Cells = {}
        self._unseen: Set[Group] = set()
        self._lost: List[str] = []
        self._said: Dict[Group, List[Tuple[Sequence[str], str]]] = {}

    def carry_out(self, todo: Plan, beside: Iterable[Address] = ()) -> Tuple[Cells, str]:
        """The cells afterwards, also of what lies `beside` the plan, and why it failed (empty if it did not)."""
        tried: Set[Address] = set()
        answers: Cells = {}
        # What stays over a reboot is written once the rest has proved to work.
        live, kept = self._part(todo, False), self._part(todo, True)
        try:
            reasons = self._settle(live, tried) or self._probe(tried)
            if not reasons:
                kept = self._anew(live, kept)
                reasons = self._settle(kept, tried)
            if not reasons:
                # A look that hangs is told of like any other: what nobody can see has not proved to work.
                answers = self._outcome(tried, {**todo.targets, **kept.targets}, beside)
        except TuningError as error:
            reasons = [f"{error}."]
        except BaseException:
            self._undo(tried)
            raise
        return self._go_back(tried, reasons) if reasons else (answers, "")

    def _outcome(self, tried: Set[Address], wanted: Container[Address], beside: Iterable[Address]) -> Cells:
        """The cells of what was done: whole groups, asked for or not, since what a command changed beside its purpose
        is reported too."""
        groups = self._groups(tried)
        answers = self._look([address for address in self.before if address in wanted or address[:2] in groups])
        known = {address[:2] for address in answers}
        answers = {**self._look([address for address in beside if address[:2] not in known]), **answers}
        asked = {address: item.asked for address, item in self.unseen.items() if address in answers}
        return {**answers, **{address: answers[address]._replace(requested=value) for address, value in asked.items()}}

    def _anew(self, live: Plan, kept: Plan) -> Plan:
        """The files as they have to be by what is in force now: interrupts, for instance, come with channels."""
        if not self.files:
            return kept
        now = {**self.before, **self._now}
        goals = {address: self._goal(address, value, now) for address, value in live.targets.items()}
        goals.update({address: rounded.value for address, rounded in self.adjusted.items()})
        return self.files(now, goals)

    def _part(self, todo: Plan, kept: bool) -> Plan:
        """The part of a plan that is about files for the next boot, or the part that is not."""

        def belongs(address: Address) -> bool:
            return bool(self.families[address.family].follows) == kept

        changes = tuple(change for change in todo.changes if belongs(change.address))
        return Plan(changes, targets={address: value for address, value in todo.targets.items() if belongs(address)})

    def _settle(self, todo: Plan, tried: Set[Address]) -> List[str]:
        """Apply and verify, and once more what another change has disturbed; gives the reasons for going back."""
        changes: Sequence[Change] = todo.changes
        mismatches: List[report.Mismatch] = []
        for _round in range(_ROUNDS if changes else 0):
            tried.update(change.address for change in changes)
            mismatches = self._apply(changes)
            if self._lost:
                return [_lost(self._lost[0], self.commands[-1])]
            mismatches = mismatches or self._check(todo)
            mine = [mismatch for mismatch in mismatches if mismatch.change.address in tried]
            if mine:
                return self._reasons(mine)
            # A change may disturb what was right before, as channels do with coalescing: set it once more.
            changes = [mismatch.change for mismatch in mismatches]
            if not changes:
                return []
        return self._reasons(mismatches)

    def _look(self, addresses: Sequence[Address]) -> Cells:
        """Read anew; what a command has to do depends on what is there by then."""
        cells = self.read(addresses)
        self._now.update(cells)
        return cells

    def _see(self, addresses: Iterable[Address]) -> Cells:
        """As much as can be read: what hangs, which mostly does so on the way back too, must not hold up the rest."""
        groups: Dict[Group, List[Address]] = {}
        for address in addresses:
            groups.setdefault(address[:2], []).append(address)
        self._unseen = set()
        cells: Cells = {}
        for group, own in groups.items():
            try:
                cells.update(self._look(own))
            except TuningError:
                self._unseen.add(group)
        return cells

    def _probe(self, tried: Set[Address]) -> List[str]:
        """Ask the questions that belong to values which were set just now."""
        touched = {(address.family, address.scope) for address in tried}
        complaints = []
        for (name, scope, _key), question in self.probes.items():
            ask = self.families[name].probe
            if ask and (name, scope) in touched:
                now = self._look([address for address in self.before if address[:2] == (name, scope)])
                complaints.append(ask(self.host, scope, question, plan.keys(now, name, scope)))
        return [complaint for complaint in complaints if complaint]

    def _apply(self, changes: Sequence[Change]) -> List[report.Mismatch]:
        """Run the set commands in order; stops at the first one that failed and really had no effect."""
        for group, planned in plan.steps(changes).items():
            values = self._meant(group, planned)
            complaint = self._do(group, values) if values else ""
            if self._lost:
                break
            # Exit codes do not decide: older ethtool ends with 78 or 80 when there is nothing to change.
            if complaint:
                mine = [
                    change._replace(after=values[change.address.key])
                    for change in changes
                    if change.address[:2] == group and change.address.key in values
                ]
                mismatches = self._misses(mine, self._look([change.address for change in mine]))
                if mismatches:
                    return mismatches
        return []

    def _do(self, group: Group, values: Mapping[str, Value]) -> str:
        family, scope = group
        cells = plan.keys(self._cells(group), family, scope)
        complaints = []
        actions: Sequence[Action] = self.families[family].write(scope, values, cells)
        linked = self.families[family].scope == NIC and sysfs.carrier(self.host, scope)
        for action in actions:
            self.commands += plain(action)
            complaints.append(self.host.do(action))
        patience = self.families[family].patience
        if patience:
            # A manager works in the background, and its command may end before it has done all; so does a driver that
            # negotiates.
            self.host.wait_until(lambda: self._is(group, values), patience)
        # Drivers decide on pause frames anew when the link comes back, so what is read before that is not final.
        if linked and not self._link_is_back(scope):
            self._lost.append(scope)
        said: List[Tuple[Sequence[str], str]] = [
            (plain(action), complaint) for action, complaint in zip(actions, complaints)
        ]
        # What is made of files is what counts, not that they were written.
        written = [isinstance(action, Save) and not complaint for action, complaint in zip(actions, complaints)]
        self._said[group] = [pair for pair, plainly in zip(said, written) if not plainly] or said
        return "; ".join(filter(None, complaints))

    def _is(self, group: Group, values: Mapping[str, Value]) -> bool:
        answers = self.read([Address(*group, key) for key in values])
        cells = [(answers.get(Address(*group, key), Cell(None)), value) for key, value in values.items()]
        return all(cell.value == value or cell.unseen for cell, value in cells)

    def _cells(self, group: Group) -> Cells:
        """The cells of a group; read anew where words have a meaning that earlier steps change, as channels do."""
        cells = {address: cell for address, cell in {**self.before, **self._now}.items() if address[:2] == group}
        return {**cells, **self._look(list(cells))} if any(cell.means for cell in cells.values()) else cells

    def _meant(self, group: Group, values: Mapping[str, Value]) -> Dict[str, Value]:
        """The values of a plan, as they are meant now; what means nothing any more is left to be told of."""
        now = self._cells(group)
        goals = {key: self._goal(Address(*group, key), value, now) for key, value in values.items()}
        return {key: goal for key, goal in goals.items() if not isinstance(goal, Refusal)}

    def _goal(self, address: Address, value: Value, now: Cells) -> Value:
        """What is asked comes to by what is there now, or why it comes to nothing."""
        cell = now.get(address)
        if not cell or not cell.means or address not in self.desired:
            return value
        return resolve(self.desired[address], cell)

    def _link_is_back(self, scope: str) -> bool:
        """A NIC that has vanished is told of by the next read, not by its lost link."""
        if not sysfs.present(self.host, scope):
            return True
        return self.host.wait_for(sysfs.carrier_path(scope), "1", _LINK_SECONDS)

    def _check(self, todo: Plan) -> List[report.Mismatch]:
        """All that is asked of the host, not only what was written: one NIC may depend on another."""
        answers = self._look(list(todo.targets))
        return self._misses(
            [
                Change(address, self.before[address].value, self._goal(address, value, answers))
                for address, value in todo.targets.items()
            ],
            answers,
        )

    def _misses(self, changes: Sequence[Change], answers: Cells) -> List[report.Mismatch]:
        mismatches = []
        for change in changes:
            address = change.address
            cell = answers.get(address, Cell(None))
            if cell.fulfils(change.after):
                continue
            answer = cell.value
            said = self._said.get(address[:2], [])
            said = [pair for pair in said if any(address.key in line for line in pair[0])] or said
            complaint = "; ".join(words for _lines, words in said if words)
            rounding = None if complaint else plan.rounded(self.families, change, answer)
            if rounding:
                self.adjusted[address] = rounding
            elif cell.unseen and not complaint:
                self.unseen[address] = Adjusted(address, change.after, answer)
            else:
                commands = [line for lines, _words in said for line in lines]
                mismatches.append(report.Mismatch(change, answer, commands, complaint))
                family = self.families[address.family]
                optional = address in self.desired and self.desired[address].optional
                refusals = {**family.refusals, **(family.lacks if optional else {})}.items()
                self.refused.update((address, why) for word, why in refusals if word in complaint)
                if isinstance(change.after, Refusal):
                    self.refused[address] = f"{change.after}; so it is once the rest of this is in force"
        return mismatches

    def _reasons(self, mismatches: Sequence[report.Mismatch]) -> List[str]:
        """What was asked and answered, with what to do about it told once for each family and NIC."""
        self.missed = {
            mismatch.change.address: mismatch.complaint or f"it answers {say(mismatch.answer)}"
            for mismatch in mismatches
        }
        told: Set[Group] = set()
        said: Set[Tuple[Sequence[str], str]] = set()
        for mismatch in mismatches:
            family, scope = self.families[mismatch.change.address.family], mismatch.change.address.scope
            if (family.name, scope) not in told:
                mismatch.notes = self._notes(family, scope)
            told.add((family.name, scope))
            words = (tuple(mismatch.commands), mismatch.complaint)
            mismatch.again = words in said
            said.add(words)
        return [str(mismatch) for mismatch in mismatches]

    def _notes(self, family: Family, scope: str) -> List[str]:
        if family.scope == NIC and not sysfs.present(self.host, scope):
            return ["The NIC has vanished."]
        return [family.hint, family.explain(self.host, scope) if family.explain else ""]

    def _go_back(self, tried: Set[Address], reasons: Sequence[str]) -> Tuple[Cells, str]:
        self.adjusted.clear()
        self.unseen.clear()
        undone, leftover = self._undo(tried)
        answers = self._see(self.before)
        answers.update({a: cell for a, cell in {**self.before, **self._now}.items() if a[:2] in self._unseen})
        self.stuck = bool(leftover)
        if leftover:
            self.refused.clear()  # nothing to build a second attempt on
        if self.shaken:
            reasons = [*reasons, f"{', '.join(self.shaken)} changed as well and could not be restored."]
        return answers, report.failure(reasons, undone, leftover)

    def _undo(self, tried: Set[Address]) -> Tuple[int, List[str]]:
        """Put back what was asked for, then what the same commands changed beside it, and what these held fast.

        Returns how many values went back, and the addresses that did not.
        """
        groups, shaken = self._groups(tried), self._shaken(tried)
        watched = [address for address in self.before if address[:2] in groups or address in shaken]
        undone = 0
        for again in range(_ROUNDS + 1):
            now = self._see(watched)
            goal: DesiredState = self._missing(now, groups, shaken) if again else self._asked(tried)
            changes = plan.make(goal, _wanted(now), self.families, {}).changes
            if again and not changes:
                break
            if again:
                changes += plan.holders(changes, self.before, self.families)
            steps = plan.steps(changes)
            for group in plan.backwards(steps, {address[:2] for address in shaken}, changes, self.families):
                values = steps[group]
                with suppress(TuningError):  # whether it took effect is looked at below
                    self._do(group, values)
                undone += len(values)
        now = self._see(watched)
        # What cannot be read any more may be anything, and what was not there before must not be there now.
        nothing = Cell(None)
        lost = [a for a in tried if (self.before[a].restore is None) != (now.get(a, nothing).restore is None)]
        left = self._missing(now, groups, shaken)
        self.shaken = [str(address) for address in sorted(left) if address in shaken]
        unseen = self._unseen - {address[:2] for address in lost}
        leftover = {*(address for address in left if address not in shaken), *lost, *(Address(*g, "") for g in unseen)}
        self.left = {*left, *lost, *(address for address in watched if address[:2] in self._unseen)}
        return undone, [str(address) for address in sorted(leftover)]

    def _missing(self, now: Cells, groups: Set[Group], shaken: Set[Address]) -> DesiredState:
        """What is not as it was before, of the groups that were touched and of what these have taken along."""
        desired = plan.restore(self.before, now, {*groups, *(address[:2] for address in shaken)})
        return {address: asked for address, asked in desired.items() if address[:2] in groups or address in shaken}

    def _shaken(self, tried: Set[Address]) -> Set[Address]:
        """The values that a change takes along, though nobody asked for them."""
        done = {address[:2] for address in tried}
        return {
            address
            for address in self.before
            for family in (self.families[address.family],)
            if address.key in (family.shaken or (address.key,))
            and family.disturbed(address.scope, done)
            and address not in tried
        }

    def _groups(self, tried: Set[Address]) -> Set[Group]:
        """What a change may have touched: the groups that were written, and neighbours such as the ports of a bond."""
        near = {name for name, _scope in {address[:2] for address in tried} if self.families[name].neighbours}
        return {address[:2] for address in self.before if address in tried or address.family in near}

    def _asked(self, tried: Set[Address]) -> DesiredState:
        changes = tuple(Change(address, self.before[address].value, None) for address in tried)
        return plan.invert(Plan(changes), self.before)


def _lost(nic: str, command: str) -> str:
    return f"{nic} lost its link with `{command}` and did not get it back within {_LINK_SECONDS} seconds."


def _wanted(cells: Cells) -> Cells:
    """The same cells judged by what the kernel holds as requested: that is what an undo puts back."""
    return {address: Cell(cell.restore, fixed=cell.fixed) for address, cell in cells.items()}
