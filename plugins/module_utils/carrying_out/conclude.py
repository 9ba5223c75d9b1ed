# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand around a transaction: what it takes along, the originals, the layer of the guard, and what is remembered."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Set

from ..deciding import plan
from ..family import ENTRY, HOST, Family
from ..going_back import guard, memory, revert
from ..host import Host
from ..schema import ABSENT, Address, Adjusted, Cells, Change, Plan, TuningError, Value
from ..settings import registry
from ..tools import systemd
from . import lost, persist
from .prepare import Call

Families = Mapping[str, Family]

# What waits without a clock stands in the table with this time.
_UNTIMED = 3600


def taken_along(call: Call, families: Families, beside: Cells, before: Cells) -> List[Address]:
    """What a layer has to know beside the plan, because its commands may take that along or it is computed anew."""
    changed = set(call.changed)
    loose = _loose(families, {**beside, **_shaken(families, before, changed), **_coupled(call, changed)})
    return [address for address in (*loose, *call.watched, *_anew(before, changed)) if address in before]


def with_shaken(families: Families, changed: Set[Address]) -> Families:
    """These families, and those of other modules whose values a change takes along, in order."""
    causes = {address.family for address in changed}
    shaken = {name for name, family in registry.FAMILIES.items() if causes.intersection(family.shaken_by)}
    if shaken <= set(families):
        return families
    return {name: family for name, family in registry.FAMILIES.items() if name in shaken or name in families}


def beside(host: Host, call: Call, families: Families, changed: Set[Address]) -> Cells:
    """What a change may take along: values of other NICs, and of other families on the same NIC."""
    near: List[Address] = []
    known, done = ({address[:2] for address in addresses} for addresses in (call.before, changed))
    for family in families.values():
        own = sorted({address.scope for address in changed if address.family == family.name})
        near += [Address(family.name, nic, "") for scope in own for nic in _neighbours(host, family, scope)]
        if family.reach:
            shaken = set(family.reach(host, call.plan.changes))
        else:
            shaken = {nic for name, nic in done if name in family.shaken_by}
        near += [Address(family.name, nic, "") for nic in sorted(shaken) if (family.name, nic) not in known]
    return dict(call.read(near))


def emptied(families: Families, before: Cells, changed: Set[Address]) -> List[Address]:
    """What a change takes away with a queue, and nobody sets for a new one: it has to be noted to come back."""
    return [
        address
        for address, cell in _shaken(families, before, changed).items()
        if families[address.family].lost
        and cell.value not in (None, families[address.family].lost.get(address.key, cell.value))
    ]


def reworked(families: Families, before: Cells, changed: Set[Address]) -> List[Address]:
    """What the driver may work out anew, such as times of coalescing where the channels change: it is noted as well,
    until it is known to be as it was."""
    shaken = {a: c for a, c in _shaken(families, before, changed).items() if a.key not in families[a.family].lost}
    return [a for a in _loose(families, shaken) if before[a].value is not None and not families[a.family].reach]


def different(before: Cells, after: Cells) -> Set[Address]:
    """What is not as it was before, be it requested or not."""
    return {a for a, cell in after.items() if a in before and cell.value != before[a].value}


def _coupled(call: Call, changed: Set[Address]) -> Cells:
    """What was read with keys of the host, because these set it too, such as the forwarding of each NIC."""
    groups = {address[:2] for address in changed if call.families[address.family].scope == HOST}
    requested = {*changed, *call.desired}
    return {
        address: cell
        for address, cell in call.before.items()
        if address[:2] in groups and address not in requested and not call.families[address.family].follows
    }


def _windows_own(host: Host, call: Call) -> Dict[Address, Value]:
    """What temporary changes of requested keys of the host have set with them, as it was: it is to outlive them too."""
    near = _coupled(call, set(call.desired))
    return {address: value for address, value in guard.beside_windows(host).items() if address in near}


def _shaken(families: Families, before: Cells, changed: Set[Address]) -> Cells:
    """What the other commands of a plan take along, be it planned or not."""
    done = {address[:2] for address in changed}
    return {
        address: cell for address, cell in before.items() if families[address.family].disturbed(address.scope, done)
    }


def _neighbours(host: Host, family: Family, scope: str) -> Sequence[str]:
    return family.neighbours(host, scope) if family.neighbours else ()


def _loose(families: Families, cells: Cells) -> List[Address]:
    """Of the values that a change may take along, those that can be set."""
    return [
        address
        for address, cell in cells.items()
        if not (cell.fixed or cell.members) and address.key in (families[address.family].shaken or (address.key,))
    ]


def _anew(before: Cells, changed: Set[Address]) -> List[Address]:
    """The drop-ins of NICs that change: each is computed anew once the rest is in force, since queues and interrupts
    come with channels, whether it was to change or not."""
    nics = {address.scope for address in changed if address.scope}
    return [a for a in before if a.key.startswith(f"{systemd.FOLDER}/") and systemd.nic_of(a.key) in nics]


def settle(host: Host, call: Call) -> List[str]:
    """Put the notes of a host in order on which no value has to change; gives the remarks."""
    note(host, call, call.before, set())
    remarks: Sequence[str] = ()
    if (guard.pending(host) or call.params["temporary"]) and _claims(host, call, call.before):
        # What ends a temporary change has to be confirmed with the rest, and one that lasts longer has its own end.
        remarks = arm(host, call, call.families, call.before, [], []).remarks
    return [*remarks, *remember(host, call, (), call.before, ())]


def note(host: Host, call: Call, before: Cells, addresses: Set[Address]) -> Set[Address]:
    """Keep the originals of what is going to change; without them there would be no way back. Gives what is new."""
    if call.params["temporary"]:
        return set()
    known = memory.baseline(host)
    families = {**registry.FAMILIES, **call.families}
    # What a temporary change has set is no original, even where it is to stay from now on.
    once = {address: value for address, value in guard.temporary(host).items() if address in call.desired}
    once.update({**_windows_own(host, call), **lost.kept_away(host, call)})
    # What goes back has its originals noted, but for those below temporary changes: should the call be killed and its
    # layer confirmed, nothing else would know them.
    addresses = {*once} if call.params["state"] == "restored" else {*addresses, *once}
    lasting = [address for address in addresses if address.key not in families[address.family].derived]
    # A bond of which only files are written comes with the next boot; then it must be known that there was none.
    lasting += [state for state in {a._replace(key="state") for a in lasting if _entry(call, a)} if state in before]
    live = [address for address in lasting if not families[address.family].follows and not _made(call, known, address)]
    once.update(_ended(families, known))
    originals = {address: once[address] if address in once else before[address].restore for address in live}
    complaint = memory.keep(host, originals)
    if complaint:
        raise TuningError(f"{memory.BASELINE} cannot be written ({complaint}). Nothing was changed.")
    guard.back(host, (), live)
    return {address for address in live if address not in known}


def _ended(families: Families, known: Mapping[Address, Value]) -> Dict[Address, Value]:
    """What our own changes have ended, under the names by which somebody may ask for it now: that was there before."""
    found: Dict[Address, Value] = {}
    for address, value in known.items():
        if address.family in families and not families[address.family].named:
            found[address._replace(family="features")] = found[Address("sysctl", "", address.key)] = value
    return found


def note_left(host: Host, call: Call, before: Cells, left: Iterable[Address], stuck: bool) -> None:
    """Keep the originals of what a failed call could not put back, be it requested or taken along.

    One that is temporary and stuck has them in its layer, which stays.
    """
    if call.params["temporary"] and stuck:
        return
    families, known = {**registry.FAMILIES, **call.families}, memory.baseline(host)
    # What a key of the host sets too is that by a later way back as well.
    near = _loose(call.families, _coupled(call, set(left).intersection(call.changed)))
    about = [address for address in (*left, *near) if not _made(call, known, address)]
    live = [a for a in about if not families[a.family].follows and a.key not in families[a.family].derived]
    memory.keep(host, _originals(host, before, [a for a in live if not (before[a].fixed or before[a].members)]))


def _originals(host: Host, before: Cells, addresses: Iterable[Address]) -> Dict[Address, Value]:
    """What was there before us; what a temporary change has set was not."""
    below = guard.temporary(host)
    return {address: below.get(address, before[address].restore) for address in addresses}


def _entry(call: Call, address: Address) -> bool:
    family = call.families.get(address.family) or registry.FAMILIES[address.family]
    return bool(family.scope == ENTRY)


def _made(call: Call, known: Mapping[Address, Value], address: Address) -> bool:
    """Whether an address belongs to what was not there before us, such as a bond: going back removes it as a whole."""
    if not _entry(call, address) or address in call.watched:
        return False
    return known.get(address._replace(key="state")) == "absent"


def unrequested(call: Call, side_effects: Sequence[Change]) -> List[Change]:
    """Of what a call has changed without a request, what nobody works out anew."""
    return [change for change in side_effects if not _was_shaken(call, change.address)]


def _was_shaken(call: Call, address: Address) -> bool:
    """Whether a change of another family on the same NIC has made the driver work out this value anew."""
    family = call.families[address.family]
    made = {change.address[:2] for change in call.plan.changes}
    # What only some changes reach, these have taken away for good.
    return not family.reach and any((cause, address.scope) in made for cause in family.shaken_by)


class Armed(NamedTuple):
    """The layer of a call, if it has one, when that goes, and what to know."""

    number: int = 0
    terms: guard.Terms = guard.Terms()
    remarks: Sequence[str] = ()


def arm(
    host: Host, call: Call, families: Families, before: Cells, beside: Sequence[Address], gone: Sequence[Address]
) -> Armed:
    """Put the layer of a call on top, if its change can cut the connection, is temporary, or writes files.

    What is `gone` by the change is held like what was requested; it does not come back by itself.
    """
    params = call.params
    running = systemd.running(host)
    remarks: List[str] = []
    if not running:
        if call.cuts and params["guard_timeout"]:
            remarks.append("This host does not run systemd, so it cannot revert changes by itself")
        if not params["hold"]:
            return Armed(remarks=remarks)
    # What is done while something else waits to be confirmed goes back with that.
    others = guard.pending(host)
    guarded = params["hold"] or (call.cuts and params["guard_timeout"])
    waits = bool(others or guarded)
    files = any(call.families[address.family].follows for address in call.changed)
    if not (waits or params["temporary"] or (files and params["guard_timeout"])):
        return Armed()
    claims = _claims(host, call, before)
    held = {**claims, **dict.fromkeys(gone, ABSENT), **{change.address: change.after for change in call.plan.changes}}
    way = revert.steps(families, call.plan, before, list(dict.fromkeys([*claims, *beside])))
    # What is held without a clock can be taken back all the same.
    clock = bool(not params["hold"] or params["temporary"] or (running and params["guard_timeout"]))
    timeout = params["guard_timeout"] or _UNTIMED if guarded else others[-1].timeout if others else 0
    terms = guard.Terms(timeout, waits, bool(guarded), params["temporary"] or 0, clock)
    return Armed(guard.arm(host, way, call.plan.changes, held, terms, lost.left_to(host, call)), terms, remarks)


def _claims(host: Host, call: Call, before: Cells) -> Dict[Address, Any]:
    """What is requested, and happens to be in force by a temporary change: it is to outlive that."""
    changed = {change.address for change in call.plan.changes}
    with_them = _windows_own(host, call)
    return {
        address: before[address].value
        for address in guard.temporary(host)
        if (address in call.desired or address in with_them) and address in before and address not in changed
    }


def disarm(host: Host, armed: Armed, failed: bool, stuck: bool, begun: int, aside: Sequence[Change]) -> int:
    """A call that went back needs no layer, unless it is stuck half-way; what needs no confirmation stays at once.

    What it has changed `aside` goes with its layer. Gives the seconds that there are to confirm it.
    """
    if not armed.number:
        return 0
    if failed and not stuck:
        guard.drop(host, armed.number)
        return 0
    if not failed:
        guard.holds(host, armed.number, aside)
    if not failed and not armed.terms.waits:
        guard.merge(host, armed.number)
    if not stuck:
        guard.go_on(host, armed.number, armed.terms, begun)
    return armed.terms.timeout if armed.terms.begin else 0


def files(call: Call) -> Optional[Callable[[Cells, Mapping[Address, Value]], Plan]]:
    """The plan for the files once the rest is in force: what stands in them may depend on it."""

    def anew(now: Cells, planned: Mapping[Address, Value]) -> Plan:
        kept = persist.keep(call.host, call.families, call.params, call.desired, planned, now)
        return plan.make(kept.desired, kept.cells, call.families, {})

    return anew if call.params["permanent"] and call.params["immediate"] else None


def remember(host: Host, call: Call, adjusted: Iterable[Adjusted], before: Cells, aside: Sequence[Change]) -> List[str]:
    """Keep in the notes what came of a call, and of what it has changed aside; gives the remarks."""
    if not call.params["temporary"] and not guard.pending(host):
        guard.close(host, {*call.desired, *_windows_own(host, call), *lost.left_to(host, call)})
    if call.params["state"] == "restored":
        # What cannot be set back now stays noted until it can.
        back = {address for address in call.desired if address in call.plan.planned}
        gone = {*back, *call.let_go}
        # Nor is one forgotten that is back only until somebody fails to confirm that.
        complaint = "" if guard.back(host, gone, ()) else memory.forget(host, gone)
        guard.leave(host)
    else:
        complaint = memory.store(host, adjusted)
        if not call.params["temporary"]:
            known = memory.baseline(host)
            # What a key of the host sets too is that by the way back as well, even where it had the new value before.
            more = {*(change.address for change in aside), *_loose(call.families, _coupled(call, set(call.changed)))}
            more = {address for address in more if before[address].value is not None}
            originals = _originals(host, before, [address for address in more if not _made(call, known, address)])
            complaint = complaint or memory.keep(host, originals)
            # A bond that is not there, as before us, is nothing to restore any more. Single values stay noted: going
            # back to one may take another along, which then has to be known.
            known = memory.baseline(host)
            bonds = {change.address: change.after for change in call.plan.changes if _entry(call, change.address)}
            memory.forget(host, [address for address in bonds if address in known and known[address] == bonds[address]])
    return (
        [f"{memory.FOLDER} cannot be written ({complaint}); rounded values will be set again at the next run"]
        if complaint
        else []
    )
