# SPDX-License-Identifier: GPL-3.0-or-later
"""Carry out a call that changes the host: note the originals, arm the guard, do it, and remember what came of it."""

from __future__ import annotations

from typing import Any, Iterable, List, Mapping, Set, Tuple

from . import guard, memory, persist, plan, revert
from .host import Host
from .schema import ENTRY, NIC, Address, Adjusted, Cells, Plan, TuningError, Value
from .tools import sysfs, systemd
from .transaction import Transaction


def carry_out(host: Host, call: Any) -> Mapping[Address, str]:
    """Bring the plan of an engine.Call about, or go back; its outcome tells which. TuningError: nothing touched.

    Gives what the device refuses for good, with the reason.
    """
    outcome, families = call.outcome, call.families
    changed = {change.address for change in outcome.plan.changes}
    near = [
        Address(family.name, neighbour, "")
        for family in families.values()
        if family.neighbours
        for scope in {address.scope for address in changed if address.family == family.name}
        for neighbour in family.neighbours(host, scope)
    ]
    beside = call.read(near)
    before = {**beside, **outcome.before}
    noted = _note(host, call, before, changed)
    begun = host.uptime()
    too = [*beside, *call.watched, *_anew(before, changed)]
    levels = _arm(host, call, before, [address for address in too if address in before])
    transaction = Transaction(host, families, before, call.read, call.wishes, call.probes, _files(call))
    answers, outcome.failure = transaction.carry_out(outcome.plan)
    outcome.after = {
        **{key: cell for key, cell in outcome.before.items() if key not in outcome.plan.targets},
        **answers,
    }
    outcome.commands = transaction.commands
    outcome.adjusted = (*outcome.adjusted, *transaction.adjusted.values())
    outcome.side_effects = plan.side_effects(before, answers, set(outcome.asked))
    _disarm(host, call, levels, transaction.stuck, begun)
    if not outcome.failure:
        _remember(host, call, [*transaction.adjusted.values(), *transaction.unseen.values()], before)
    elif not transaction.stuck:
        memory.forget(host, noted)
        guard.leave(host)
        call.missed.update({address: why for address, why in transaction.missed.items() if address in call.wishes})
    return transaction.refused


def _anew(before: Cells, changed: Set[Address]) -> List[Address]:
    """The drop-ins of NICs that change: each is computed anew once the rest is in force, since queues and interrupts
    come with channels, whether it was to change or not."""
    nics = {address.scope for address in changed if address.scope}
    return [a for a in before if a.key.startswith(f"{systemd.FOLDER}/") and systemd.nic_of(a.key) in nics]


def settle(host: Host, call: Any) -> None:
    """Put the notes of a host in order on which no value has to change."""
    _note(host, call, call.outcome.before, set())
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


def _shaken(call: Any, address: Address) -> bool:
    """Whether a change of another family on the same NIC has made the driver work out this value anew."""
    causes = call.families[address.family].shaken_by
    made = {change.address[:2] for change in call.outcome.plan.changes}
    return any((cause, address.scope) in made for cause in causes)


Levels = List[Tuple[revert.Place, int]]


def _arm(host: Host, call: Any, before: Cells, beside: List[Address]) -> Levels:
    """The guard of a change that can cut the connection, and the journal of one that writes files."""
    changes, params = call.outcome.plan.changes, call.params
    if not systemd.running(host):
        if call.outcome.guarded and params["guard_timeout"]:
            call.outcome.remarks.append("This host does not run systemd, so it cannot go back by itself")
        return []
    actions = revert.inverse(call.families, call.outcome.plan, before, beside)
    levels: Levels = []
    if params["temporary"]:
        levels.append((revert.WINDOW, guard.arm(host, revert.WINDOW, actions, changes, params["temporary"])))
    files = any(call.families[change.address.family].follows for change in changes)
    if params["guard_timeout"] and (call.outcome.guarded or files):
        timeout = params["guard_timeout"] if call.outcome.guarded else 0
        levels.append((revert.GUARD, guard.arm(host, revert.GUARD, actions, changes, timeout)))
    return levels


def _disarm(host: Host, call: Any, levels: Levels, stuck: bool, begun: int) -> None:
    """A call that went back needs no guard, unless it is stuck half-way; a change that cannot cut needs none either."""
    for place, number in levels:
        waits = place is revert.WINDOW or call.outcome.guarded
        if stuck or (waits and not call.outcome.failure):
            call.outcome.guard = call.params["guard_timeout"] if place is revert.GUARD else call.outcome.guard
            timeout = call.params["guard_timeout" if place is revert.GUARD else "temporary"]
            if timeout and not stuck:
                guard.go_on(host, place, timeout, begun)
        else:
            guard.dismiss(host, place, number)


def _files(call: Any) -> Any:
    """The plan for the files once the rest is in force: what stands in them may depend on it."""

    def files(now: Cells, targets: Mapping[Address, Value]) -> Plan:
        kept = persist.keep(call.host, call.families, call.params, call.wishes, targets, now)
        return plan.make(kept.wishes, kept.cells, call.families, {})

    return files if call.params["permanent"] and call.params["immediate"] else None


def _remember(host: Host, call: Any, adjusted: Iterable[Adjusted], before: Cells) -> None:
    outcome = call.outcome
    if not call.params["temporary"]:
        guard.close_windows(host, call.wishes)
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
            originals = {address: before[address].restore for address in aside if not _shaken(call, address)}
            complaint = complaint or memory.keep(host, originals)
            # A bond that is not there, as before us, is nothing to restore any more. Single values stay noted: going
            # back to one may take another along, which then has to be known.
            known = memory.baseline(host)
            bonds = {change.address: change.after for change in outcome.plan.changes if _entry(call, change.address)}
            memory.forget(host, [address for address in bonds if address in known and known[address] == bonds[address]])
    if complaint:
        outcome.remarks.append(f"{memory.FOLDER} cannot be written ({complaint}); rounded values will be set again")
