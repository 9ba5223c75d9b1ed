# SPDX-License-Identifier: GPL-3.0-or-later
"""Carry out a plan as a whole: apply, read again, verify, and go back when any part did not take."""

from __future__ import annotations

from typing import Callable, Container, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple

from ..deciding import plan
from ..deciding.resolve import Refusal, resolve
from ..family import NIC, Family
from ..host import Host
from ..schema import Address, Adjusted, Cell, Cells, Change, DesiredState, Plan, TuningError, Value, say
from ..tools import sysfs
from . import report
from .applying import LINK_SECONDS, Applying, Group, Read
from .undo import Undo

_ROUNDS = 2


class Transaction:
    """One host on its way from `before` to the planned values; `read` gives the cells of addresses anew."""

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
        self.applying = Applying(host, families, before, read)
        self.host = host
        self.families = families
        self.before = before
        self.desired: DesiredState = desired or {}
        self.probes: Mapping[Address, str] = probes or {}
        self.files = files
        self.adjusted: Dict[Address, Adjusted] = {}
        self.unseen: Dict[Address, Adjusted] = {}
        self.stuck = False
        self.left: Set[Address] = set()
        self.refused: Dict[Address, str] = {}
        self.missed: Dict[Address, str] = {}

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
                answers = self._outcome(tried, {**todo.planned, **kept.planned}, beside)
        except TuningError as error:
            reasons = [f"{error}."]
        except BaseException:
            Undo(self.applying).run(tried)
            raise
        return self._go_back(tried, reasons) if reasons else (answers, "")

    def _outcome(self, tried: Set[Address], planned: Container[Address], beside: Iterable[Address]) -> Cells:
        """The cells of what was done: whole groups, requested or not, since what a command changed beside its purpose
        is reported too."""
        groups = self.applying.touched(tried)
        answers = self.applying.seen(
            [address for address in self.before if address in planned or address[:2] in groups]
        )
        known = {address[:2] for address in answers}
        answers = {**self.applying.look([address for address in beside if address[:2] not in known]), **answers}
        requested = {address: item.requested for address, item in self.unseen.items() if address in answers}
        return {
            **answers,
            **{address: answers[address]._replace(requested=value) for address, value in requested.items()},
        }

    def _anew(self, live: Plan, kept: Plan) -> Plan:
        """The files as they have to be by what is in force now: interrupts, for instance, come with channels."""
        if not self.files:
            return kept
        now = {**self.before, **self.applying.now}
        planned = {address: self._resolved(address, value, now) for address, value in live.planned.items()}
        planned.update({address: rounded.value for address, rounded in self.adjusted.items()})
        return self.files(now, planned)

    def _part(self, todo: Plan, kept: bool) -> Plan:
        """The part of a plan that is about files for the next boot, or the part that is not."""

        def belongs(address: Address) -> bool:
            return bool(self.families[address.family].follows) == kept

        changes = tuple(change for change in todo.changes if belongs(change.address))
        return Plan(changes, planned={address: value for address, value in todo.planned.items() if belongs(address)})

    def _settle(self, todo: Plan, tried: Set[Address]) -> List[str]:
        """Apply and verify, and once more what another change has disturbed; gives the reasons for going back."""
        changes: Sequence[Change] = todo.changes
        mismatches: List[report.Mismatch] = []
        for _round in range(_ROUNDS if changes else 0):
            tried.update(change.address for change in changes)
            mismatches = self._apply(changes)
            if self.applying.lost:
                return [_lost(self.applying.lost[0], self.applying.commands[-1])]
            mismatches = mismatches or self._check(todo)
            mine = [mismatch for mismatch in mismatches if mismatch.change.address in tried]
            if mine:
                return self._reasons(mine)
            # A change may disturb what was right before, as channels do with coalescing: set it once more.
            changes = [mismatch.change for mismatch in mismatches]
            if not changes:
                return []
        return self._reasons(mismatches)

    def _probe(self, tried: Set[Address]) -> List[str]:
        """Ask the questions that belong to values which were set just now."""
        touched = {(address.family, address.scope) for address in tried}
        complaints = []
        for (name, scope, _key), question in self.probes.items():
            ask = self.families[name].probe
            if ask and (name, scope) in touched:
                now = self.applying.look([address for address in self.before if address[:2] == (name, scope)])
                complaints.append(ask(self.host, scope, question, plan.keys(now, name, scope)))
        return [complaint for complaint in complaints if complaint]

    def _apply(self, changes: Sequence[Change]) -> List[report.Mismatch]:
        """Run the set commands in order; stops at the first one that failed and really had no effect."""
        for group, planned in plan.steps(changes).items():
            values = self._meant(group, planned)
            complaint = self.applying.do(group, values) if values else ""
            if self.applying.lost:
                break
            # Exit codes do not decide: older ethtool ends with 78 or 80 when there is nothing to change.
            if complaint:
                mine = [
                    change._replace(after=values[change.address.key])
                    for change in changes
                    if change.address[:2] == group and change.address.key in values
                ]
                mismatches = self._misses(mine, self.applying.look([change.address for change in mine]))
                if mismatches:
                    return mismatches
        return []

    def _meant(self, group: Group, values: Mapping[str, Value]) -> Dict[str, Value]:
        """The values of a plan, as they are meant now; what means nothing any more is left to be told of."""
        now = self.applying.cells(group)
        planned = {key: self._resolved(Address(*group, key), value, now) for key, value in values.items()}
        return {key: one for key, one in planned.items() if not isinstance(one, Refusal)}

    def _resolved(self, address: Address, value: Value, now: Cells) -> Value:
        """What is desired comes to by what is there now, or why it comes to nothing."""
        cell = now.get(address)
        if not cell or not cell.means or address not in self.desired:
            return value
        return resolve(self.desired[address], cell)

    def _check(self, todo: Plan) -> List[report.Mismatch]:
        """All that is planned, not only what was written: one NIC may depend on another."""
        answers = self.applying.look(list(todo.planned))
        return self._misses(
            [
                Change(address, self.before[address].value, self._resolved(address, value, answers))
                for address, value in todo.planned.items()
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
            said = self.applying.said.get(address[:2], [])
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
        undo = Undo(self.applying)
        undo.run(tried)
        answers = self.applying.see(self.before)
        known = {**self.before, **self.applying.now}
        answers.update({a: cell for a, cell in known.items() if a[:2] in self.applying.hidden})
        self.left, self.stuck = undo.left, bool(undo.leftover)
        if self.stuck:
            self.refused.clear()  # nothing to build a second attempt on
        if undo.shaken:
            reasons = [*reasons, f"{', '.join(undo.shaken)} changed as well and could not be restored."]
        return answers, report.failure(reasons, undo.done, undo.leftover)


def _lost(nic: str, command: str) -> str:
    return f"{nic} lost its link with `{command}` and did not get it back within {LINK_SECONDS} seconds."
