# SPDX-License-Identifier: GPL-3.0-or-later
"""Carry out a call that changes the host: note the originals, arm the guard, do it, and remember what came of it."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Sequence, Set

from ..deciding import plan
from ..going_back import guard, memory, revert
from ..host import Host
from ..schema import ENTRY, HOST, NIC, Address, Adjusted, Cells, Family, Plan, TuningError, Value
from ..settings import registry
from ..tools import sysfs, systemd
from . import persist
from .transaction import Transaction

Families = Mapping[str, Family]


def carry_out(host: Host, call: Any) -> Mapping[Address, str]:
    """Bring the plan of an engine.Call about, or go back; its outcome tells which. TuningError: nothing touched.

    Gives what the device refuses for good, with the reason.
    """
    outcome = call.outcome
    changed = {change.address for change in outcome.plan.changes}
    families = _with_shaken(call.families, changed)
    beside = _beside(host, call, families, changed)
    before = {**beside, **outcome.before}
    noted = _note(host, call, before, changed)
    begun = host.uptime()
    too = [
        *_loose(families, {**beside, **_shaken(families, before, changed), **_coupled(call, changed)}),
        *call.watched,
        *_anew(before, changed),
    ]
    armed = _arm(host, call, families, before, [address for address in too if address in before])
    transaction = Transaction(host, families, before, call.read, call.wishes, call.probes, _files(call))
    answers, outcome.failure = transaction.carry_out(outcome.plan)
    outcome.after = {
        **{key: cell for key, cell in outcome.before.items() if key not in outcome.plan.targets},
        **answers,
    }
    outcome.commands = transaction.commands
    outcome.adjusted = (*outcome.adjusted, *transaction.adjusted.values())
    outcome.side_effects = plan.side_effects(before, answers, set(outcome.asked))
    _disarm(host, call, armed, transaction.stuck, begun)
    if not outcome.failure:
        _remember(host, call, [*transaction.adjusted.values(), *transaction.unseen.values()], before)
    elif not transaction.stuck:
        memory.forget(host, noted)
        guard.leave(host)
        call.missed.update({address: why for address, why in transaction.missed.items() if address in call.wishes})
    return transaction.refused


def _with_shaken(families: Families, changed: Set[Address]) -> Families:
    """These families, and those of other modules whose values a change takes along, in order."""
    causes = {address.family for address in changed}
    shaken = {name for name, family in registry.FAMILIES.items() if causes.intersection(family.shaken_by)}
    if shaken <= set(families):
        return families
    return {name: family for name, family in registry.FAMILIES.items() if name in shaken or name in families}


def _beside(host: Host, call: Any, families: Families, changed: Set[Address]) -> Cells:
    """What a change may take along: values of other NICs, and of other families on the same NIC."""
    near: List[Address] = []
    known, done = ({address[:2] for address in addresses} for addresses in (call.outcome.before, changed))
    for family in families.values():
        own = sorted({address.scope for address in changed if address.family == family.name})
        near += [Address(family.name, nic, "") for scope in own for nic in _neighbours(host, family, scope)]
        shaken = {nic for name, nic in done if name in family.shaken_by}
        near += [Address(family.name, nic, "") for nic in sorted(shaken) if (family.name, nic) not in known]
    return dict(call.read(near))


def _coupled(call: Any, changed: Set[Address]) -> Cells:
    """What was read with keys of the host, because these set it too, such as the forwarding of each NIC."""
    groups = {address[:2] for address in changed if call.families[address.family].scope == HOST}
    asked = {*changed, *call.wishes}
    return {
        address: cell
        for address, cell in call.outcome.before.items()
        if address[:2] in groups and address not in asked and not call.families[address.family].follows
    }


def _shaken(families: Families, before: Cells, changed: Set[Address]) -> Cells:
    """What the other commands of a plan take along, be it planned or not."""
    done = {address[:2] for address in changed}
    return {
        address: cell
        for address, cell in before.items()
        if any((name, address.scope) in done for name in families[address.family].shaken_by)
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


def settle(host: Host, call: Any) -> None:
    """Put the notes of a host in order on which no value has to change."""
    _note(host, call, call.outcome.before, set())
    if guard.pending(host) and _claims(host, call, call.outcome.before):
        # What ends a temporary change has to be confirmed with the rest.
        _arm(host, call, call.families, call.outcome.before, [])
    _remember(host, call, (), call.outcome.before)


def _note(host: Host, call: Any, before: Cells, addresses: Set[Address]) -> Set[Address]:
    """Keep the originals of what is going to change; without them there would be no way back. Gives what is new."""
    if call.params["temporary"] or call.params["state"] == "restored":
        return set()
    known = memory.baseline(host)
    families = call.families
    # What a temporary change has set is no original, even where it is to stay from now on.
    once = {address: value for address, value in guard.temporary(host).items() if address in call.wishes}
    addresses = {*addresses, *once}
    lasting = [address for address in addresses if address.key not in families[address.family].derived]
    # A bond of which only files are written comes with the next boot; then it must be known that there was none.
    lasting += [state for state in {a._replace(key="state") for a in lasting if _entry(call, a)} if state in before]
    live = [address for address in lasting if not families[address.family].follows and not _made(call, known, address)]
    complaint = memory.keep(host, {address: once.get(address, before[address].restore) for address in live})
    if complaint:
        raise TuningError(f"{memory.BASELINE} cannot be written ({complaint}). Nothing was changed.")
    guard.back(host, (), live)
    return {address for address in live if address not in known}


def _entry(call: Any, address: Address) -> bool:
    return bool(call.families[address.family].scope == ENTRY)


def _made(call: Any, known: Mapping[Address, Value], address: Address) -> bool:
    """Whether an address belongs to what was not there before us, such as a bond: going back removes it as a whole."""
    if not _entry(call, address) or address in call.watched:
        return False
    return known.get(address._replace(key="state")) == "absent"


def _gone(host: Host, call: Any) -> List[Address]:
    """The originals of NICs that are not there any more: should one come back, it is as its driver makes it."""
    if call.params.get("nics"):
        return []
    families = [family.name for family in call.families.values() if family.scope == NIC]
    return [a for a in memory.baseline(host) if a.family in families and not sysfs.present(host, a.scope)]


def _was_shaken(call: Any, address: Address) -> bool:
    """Whether a change of another family on the same NIC has made the driver work out this value anew."""
    causes = call.families[address.family].shaken_by
    made = {change.address[:2] for change in call.outcome.plan.changes}
    return any((cause, address.scope) in made for cause in causes)


class Armed(NamedTuple):
    """The layer of a call, if it has one, and when that goes."""

    number: int = 0
    terms: guard.Terms = guard.Terms()


def _arm(host: Host, call: Any, families: Families, before: Cells, beside: List[Address]) -> Armed:
    """Put the layer of a call on top, if its change can cut the connection, is temporary, or writes files."""
    outcome, params = call.outcome, call.params
    if not systemd.running(host):
        if outcome.guarded and params["guard_timeout"]:
            outcome.remarks.append("This host does not run systemd, so it cannot go back by itself")
        return Armed()
    # What is done while something else waits to be confirmed goes back with that.
    others = guard.pending(host)
    guarded = outcome.guarded and params["guard_timeout"]
    waits = bool(others or guarded)
    files = any(call.families[change.address.family].follows for change in outcome.plan.changes)
    if not (waits or params["temporary"] or (files and params["guard_timeout"])):
        return Armed()
    claims = _claims(host, call, before)
    held = {**claims, **{change.address: change.after for change in outcome.plan.changes}}
    way = revert.steps(families, outcome.plan, before, [*claims, *beside])
    timeout = params["guard_timeout"] if guarded else others[-1].timeout if others else 0
    terms = guard.Terms(timeout, waits, bool(guarded), params["temporary"] or 0)
    return Armed(guard.arm(host, way, outcome.plan.changes, held, terms), terms)


def _claims(host: Host, call: Any, before: Cells) -> Dict[Address, Any]:
    """What is asked for, and happens to be in force by a temporary change: it is to outlive that."""
    if call.params["temporary"]:
        return {}
    changed = {change.address for change in call.outcome.plan.changes}
    return {
        address: before[address].value
        for address in guard.temporary(host)
        if address in call.wishes and address in before and address not in changed
    }


def _disarm(host: Host, call: Any, armed: Armed, stuck: bool, begun: int) -> None:
    """A call that went back needs no layer, unless it is stuck half-way; what needs no confirmation stays at once."""
    if not armed.number:
        return
    if call.outcome.failure and not stuck:
        guard.drop(host, armed.number)
        return
    if armed.terms.begin:
        call.outcome.guard = armed.terms.timeout
    if not call.outcome.failure and not armed.terms.waits:
        guard.merge(host, armed.number)
    if not stuck:
        guard.go_on(host, armed.number, armed.terms, begun)


def _files(call: Any) -> Any:
    """The plan for the files once the rest is in force: what stands in them may depend on it."""

    def files(now: Cells, targets: Mapping[Address, Value]) -> Plan:
        kept = persist.keep(call.host, call.families, call.params, call.wishes, targets, now)
        return plan.make(kept.wishes, kept.cells, call.families, {})

    return files if call.params["permanent"] and call.params["immediate"] else None


def _remember(host: Host, call: Any, adjusted: Iterable[Adjusted], before: Cells) -> None:
    outcome = call.outcome
    if not call.params["temporary"] and not guard.pending(host):
        guard.close(host, call.wishes)
    if call.params["state"] == "restored":
        # What cannot be set back now stays noted until it can.
        back = {address for address in call.wishes if address in outcome.plan.targets}
        gone = {*back, *_gone(host, call)}
        # Nor is one forgotten that is back only until somebody fails to confirm that.
        complaint = "" if guard.back(host, gone, ()) else memory.forget(host, gone)
        guard.leave(host)
    else:
        complaint = memory.store(host, adjusted)
        if not call.params["temporary"]:
            known = memory.baseline(host)
            aside = [change.address for change in outcome.side_effects if not _made(call, known, change.address)]
            originals = {address: before[address].restore for address in aside if not _was_shaken(call, address)}
            complaint = complaint or memory.keep(host, originals)
            # A bond that is not there, as before us, is nothing to restore any more. Single values stay noted: going
            # back to one may take another along, which then has to be known.
            known = memory.baseline(host)
            bonds = {change.address: change.after for change in outcome.plan.changes if _entry(call, change.address)}
            memory.forget(host, [address for address in bonds if address in known and known[address] == bonds[address]])
    if complaint:
        outcome.remarks.append(f"{memory.FOLDER} cannot be written ({complaint}); rounded values will be set again")
