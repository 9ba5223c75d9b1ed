# SPDX-License-Identifier: GPL-3.0-or-later
"""Read and plan: what a call asks for, what is there, and all that it is going to do; nothing is touched."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Sequence, Tuple

from ..deciding import desire, plan
from ..family import HOST, Family
from ..going_back import guard, memory
from ..host import ReadOnlyHost
from ..schema import (
    ABSENT,
    PROBE,
    WATCH,
    Address,
    Cell,
    Cells,
    Desired,
    DesiredState,
    Plan,
    TuningError,
    Unsupported,
    Value,
)
from ..settings import registry
from ..tools import sysfs, systemd
from . import persist, report

Families = Mapping[str, Family]
Group = Tuple[str, str]


class State(NamedTuple):
    """What was read: cells, and the reason for each group (family, scope) that has none."""

    cells: Cells
    problems: Dict[Group, str]


class Call(NamedTuple):
    """A call whose plan is made: what was `requested` in the result's words, the cells `before` and those `ahead`."""

    host: ReadOnlyHost
    view: str
    families: Families
    params: Mapping[str, Any]
    desired: DesiredState
    probes: Mapping[Address, str]
    watched: Sequence[Address]
    before: Cells
    problems: Mapping[Group, str]
    plan: Plan
    ahead: Cells
    requested: Sequence[Address]
    rivals: Sequence[Mapping[str, str]]
    remarks: Sequence[str]
    let_go: Sequence[Address]

    def read(self, addresses: Iterable[Address]) -> Cells:
        """The cells of addresses, with those of their groups, anew."""
        return read(self.host, {**registry.FAMILIES, **self.families}, groups_of(addresses)).cells

    @property
    def changed(self) -> List[Address]:
        """What is going to be written."""
        return [change.address for change in self.plan.changes]

    @property
    def cuts(self) -> bool:
        """Whether the plan has a change that can cut the connection."""
        return any(_cuts(self.families[address.family], address.key) for address in self.changed)

    @property
    def unsettled(self) -> bool:
        """Whether notes of ours have to change although no value does: originals are back, the temporary stays."""
        if self.params["state"] == "restored":
            return True
        return any(address in self.desired for address in guard.temporary(self.host))


def _cuts(family: Family, key: str) -> bool:
    return family.cuts or (family.cutting != "" and re.fullmatch(family.cutting, key) is not None)


def prepare(
    host: ReadOnlyHost, view: str, families: Families, params: Mapping[str, Any], never: Mapping[Address, str]
) -> Call:
    """Read and plan; `never` says what the device has refused for good in an earlier attempt."""
    absent: List[Unsupported] = []
    gone: Mapping[str, Sequence[Address]] = {}
    if params["temporary"] and not systemd.running(host):
        raise TuningError(
            "temporary: this host does not run systemd, so nothing would end the change. Nothing was changed"
        )
    if params["state"] == "restored":
        desired, gone = desire.restored(host, families, params, {**guard.temporary(host), **memory.baseline(host)})
    else:
        desired, absent = desire.desired(host, families, params)
    probes = {address: str(one.value) for address, one in desired.items() if one.kind == PROBE}
    desired = {address: one for address, one in desired.items() if one.kind != PROBE}
    state = read(host, families, groups_of(desired))
    watched = [address for address, one in desired.items() if one.kind == WATCH]
    desired = {address: one for address, one in desired.items() if one.kind != WATCH}
    memory.recall(host, state.cells)
    refused: List[Unsupported] = []
    remarks: List[str] = []
    let_go: Sequence[Address] = ()
    if params["state"] == "present":
        desired = plan.ungroup(desired, state.cells)
        desired, refused, remarks = expand(families, desired, state)
    absent += [Unsupported(address, desired.pop(address), why) for address, why in never.items() if address in desired]
    todo = plan.make(desired, state.cells, families, state.problems)
    todo = todo._replace(unsupported=tuple(_near(host, families, state, item) for item in todo.unsupported))
    todo = plan.later(todo, state.cells, families) if params["immediate"] else todo
    todo = todo._replace(unsupported=(*absent, *refused, *todo.unsupported))
    if params["state"] == "restored":
        missed, let_go = _of_gone(host, params["forget"], gone)
        todo = todo._replace(unsupported=(*map(report.not_back, todo.unsupported), *missed))
    necessary = [item for item in todo.unsupported if not item.desired.relative]
    if necessary and params["on_unsupported"] == "fail" and params["state"] == "present":
        raise TuningError(report.refusal(necessary))

    kept = persist.Kept({}, {})
    if params["permanent"]:
        ahead = plan.ahead(state.cells, todo.planned, families)
        same = ahead is state.cells
        planned = todo.planned if same else plan.make(desired, ahead, families, state.problems).planned
        kept = persist.keep(host, families, params, desired, planned, ahead)
        state.cells.update(kept.cells)
        files = plan.make(kept.desired, state.cells, families, {})
        live = todo if params["immediate"] else todo._replace(changes=(), planned={})
        todo = live._replace(changes=(*live.changes, *files.changes), planned={**live.planned, **files.planned})
    changing = {change.address: Cell(change.after) for change in todo.changes}
    warned = {f"{address.key}: {one.warning}": 1 for address, one in desired.items() if one.warning}
    return Call(
        host,
        view,
        families,
        params,
        desired,
        probes if params["immediate"] else {},
        watched,
        state.cells,
        state.problems,
        todo,
        {**state.cells, **changing},
        [*desired, *kept.desired],
        kept.rivals,
        [*warned, *remarks, *kept.remarks],
        let_go,
    )


def _near(host: ReadOnlyHost, families: Families, state: State, item: Unsupported) -> Unsupported:
    """The same with what could have been meant, where the host has no such key."""
    near = families[item.address.family].near
    if not near or item.address in state.cells:
        return item
    return item._replace(reason=item.reason + near(host, item.address.key))


def _of_gone(
    host: ReadOnlyHost, forget: Sequence[str], gone: Mapping[str, Sequence[Address]]
) -> Tuple[List[Unsupported], List[Address]]:
    """Of the originals of NICs that are gone, what stays noted, with one word for all, and what a person lets go."""
    noted = memory.baseline(host)
    originals = {nic: [address for address in addresses if address in noted] for nic, addresses in sorted(gone.items())}
    forgotten = {nic for nic in originals if any(fnmatchcase(nic, pattern) for pattern in forget)}
    kept = {nic: len(originals[nic]) for nic in originals if originals[nic] and nic not in forgotten}
    missed = [Unsupported(Address("", nic, ""), Desired(ABSENT), report.not_there(kept)) for nic in kept]
    return missed, [address for nic in forgotten for address in originals[nic]]


def foretold(call: Call) -> Tuple[Cells, List[str]]:
    """The cells and the commands that a plan comes to, as the transaction gives them: with the queues that there are
    by then."""
    cells, families, todo = call.before, call.families, call.plan
    if not todo.changes:
        return call.ahead, []
    ahead = plan.ahead(cells, todo.planned, families)
    anew = plan.make(call.desired, ahead, families, call.problems)
    changes = [change._replace(after=anew.planned.get(change.address, change.after)) for change in todo.changes]
    live, files = (
        [change for change in changes if bool(families[change.address.family].follows) == kept]
        for kept in (False, True)
    )
    mine = {change.address for change in live}
    # What another change has disturbed is set once more.
    again = [change for change in anew.changes if change.address not in mine] if live else []
    lines = [line for part in (live, again, files) for line in plan.commands(part, ahead, families)]
    return {**call.ahead, **{change.address: Cell(change.after) for change in changes}}, lines


def groups_of(addresses: Iterable[Address]) -> Dict[Group, List[str]]:
    """The keys to read, by family and NIC; none where an address without a key stands for whatever there is."""
    groups: Dict[Group, List[str]] = {}
    for address in addresses:
        keys = groups.setdefault((address.family, address.scope), [])
        if address.key:
            keys.append(address.key)
    return groups


def read(host: ReadOnlyHost, families: Families, groups: Mapping[Group, Sequence[str]]) -> State:
    """The cells of whole groups: one query for each family and NIC."""
    state = State({}, {})
    for (name, scope), keys in groups.items():
        family = families[name]
        reading = family.read(host, scope, keys)
        state.cells.update({Address(name, scope, key): cell for key, cell in reading.cells.items()})
        if family.follows:
            # A line that is not in the file yet can be written, unlike a key that a device lacks.
            for key in keys:
                state.cells.setdefault(Address(name, scope, key), Cell(None))
        elif not reading.cells:
            gone = family.scope != HOST and not sysfs.present(host, scope)
            state.problems[name, scope] = "the NIC has vanished" if gone else reading.problem
    return state


def expand(
    families: Families, desired: DesiredState, state: State
) -> Tuple[DesiredState, List[Unsupported], List[str]]:
    """What desired values come to where they depend on the device, and on what earlier families will have set."""
    groups = groups_of(address for address in desired if families[address.family].expand)
    rest = {address: one for address, one in desired.items() if address[:2] not in groups}
    refused: List[Unsupported] = []
    remarks: List[str] = []
    planned: Mapping[Address, Value] = {}
    if groups:
        planned = plan.make(rest, state.cells, families, state.problems).planned
    for (name, scope), keys in groups.items():
        own = {key: desired[Address(name, scope, key)] for key in keys}
        turn = families[name].expand
        if turn is None or (name, scope) in state.problems:
            rest.update({Address(name, scope, key): one for key, one in own.items()})
            continue
        made = turn(scope, own, plan.keys(state.cells, name, scope), planned)
        rest.update({Address(name, scope, key): one for key, one in made.desired.items()})
        # What families that come later have to know, such as who has the root qdisc.
        planned = {**{Address(name, scope, key): one.value for key, one in made.desired.items()}, **planned}
        refused += [Unsupported(Address(name, scope, key), own[key], why) for key, why in made.refused.items()]
        remarks += made.remarks
    return rest, refused, remarks
