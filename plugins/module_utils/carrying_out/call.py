# SPDX-License-Identifier: GPL-3.0-or-later
"""A call's life, from top to bottom: read, plan, guard, apply, verify, undo, remember, report."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from ..deciding import plan
from ..family import Family
from ..going_back import guard, health, memory, reverted
from ..host import Host, ReadOnlyHost
from ..schema import Address, Adjusted, Cells, Change, TuningError, Unsupported
from . import report
from .prepare import Call, foretold, prepare


class Done(NamedTuple):
    """What came of a plan: the cells that are there now, and what was run, or would be.

    The device has `refused` some for good, with the reason; `missed` are the originals that did not come back. `guard`
    are the seconds that there are to confirm it.
    """

    after: Cells
    adjusted: Sequence[Adjusted]
    commands: Sequence[str] = ()
    side_effects: Sequence[Change] = ()
    failure: str = ""
    guard: int = 0
    refused: Mapping[Address, str] = {}
    missed: Mapping[Address, str] = {}
    remarks: Sequence[str] = ()
    counters: Mapping[str, Mapping[str, int]] = {}


def live(host: ReadOnlyHost, view: str, families: Mapping[str, Family], params: Mapping[str, Any]) -> Dict[str, Any]:
    """Serve one call; gives the module's result. TuningError when nothing has been touched."""
    never: Dict[Address, str] = {}
    commands: List[str] = []
    gone = ""
    if isinstance(host, Host):
        guard.finish(host)
        # `restored` asks for all originals, and so for these.
        reverted.note_stuck(host)
    while True:
        call = prepare(host, view, families, params, never)
        told, waiting = _of_others(host)
        gone = gone or told
        if params["hold"] and view == "tune" and params["state"] == "present" and not commands:
            # The verdict over a batch confirms or reverts all that waits on its hosts, also what somebody else has set.
            others = guard.foreign(host, call.desired, families)
            if others:
                raise TuningError(others)
        if isinstance(host, Host) and (call.plan.changes or call.unsettled):
            done = _carry_out(host, call)
        else:
            ahead, lines = foretold(call)
            done = Done(ahead, call.plan.adjusted, lines)
        commands += done.commands
        without = _without(call, done)
        if not without:
            return _outcome(call, done, commands, gone, waiting).result(params["on_unsupported"])
        never.update(without)


def _of_others(host: ReadOnlyHost) -> Tuple[str, int]:
    """What was taken back since the last call, and nobody has heard of; and how long what still waits to be confirmed
    has."""
    told = reverted.told(host, reverted.layers(host))
    if not isinstance(host, Host):
        return told, 0
    reverted.heard(host)
    waiting = guard.waiting(host)
    return told, waiting[-1].timeout if waiting else 0


def _carry_out(host: Host, call: Call) -> Done:
    """Bring a plan about, or go back. TuningError: nothing touched."""
    from . import conclude, lost  # an unchanged host, the usual case, does not wait for these imports
    from .transaction import Transaction

    if not call.plan.changes:
        return Done(call.ahead, call.plan.adjusted, remarks=conclude.settle(host, call))
    changed = set(call.changed)

    # What the commands may take along has to go back with the rest.
    families = conclude.with_shaken(call.families, changed)
    beside = conclude.beside(host, call, families, changed)
    before = {**beside, **call.before}

    # Remember, for without the originals there is no way back; then guard.
    gone = lost.gone(families, beside)
    emptied = conclude.emptied(families, before, changed)
    reworked = set(conclude.reworked(families, before, changed)) - changed
    noted = conclude.note(host, call, before, {*changed, *gone, *emptied, *reworked})
    counters = health.counters(host) if call.params["hold"] else {}
    begun = host.uptime()
    along = conclude.taken_along(call, families, beside, before)
    try:
        armed = conclude.arm(host, call, families, before, along, gone)
    except TuningError:
        # Nothing was changed, so what somebody sets by hand from now on is the original of the next call.
        memory.forget(host, noted)
        guard.leave(host)
        raise

    # Apply, read again, verify, and undo what did not take.
    transaction = Transaction(host, families, before, call.read, call.desired, call.probes, conclude.files(call))
    answers, failure = transaction.carry_out(call.plan, reworked)
    side_effects = plan.side_effects(before, answers, set(call.requested))

    # The layer of the guard stays until it is confirmed, or goes with the change.
    aside = conclude.unrequested(call, side_effects)
    seconds = conclude.disarm(host, armed, bool(failure), transaction.stuck, begun, aside)
    remarks: List[str] = [*armed.remarks]
    missed: Dict[Address, str] = {}
    if not failure:
        remarks += [*lost.farewell(gone, call.requested), *lost.give_back(host, call)]
        rounded = [*transaction.adjusted.values(), *transaction.unseen.values()]
        remarks += conclude.remember(host, call, rounded, before, aside)
        memory.forget(host, reworked.intersection(noted) - conclude.different(before, answers))
    else:
        conclude.note_left(host, call, before, transaction.left, transaction.stuck)
        if not transaction.stuck:
            memory.forget(host, noted - transaction.left)
            guard.leave(host)
            missed = {address: why for address, why in transaction.missed.items() if address in call.desired}
    return Done(
        {**{address: cell for address, cell in call.before.items() if address not in call.plan.planned}, **answers},
        (*call.plan.adjusted, *transaction.adjusted.values()),
        transaction.applying.commands,
        side_effects,
        failure,
        seconds,
        transaction.refused,
        missed,
        remarks,
        counters,
    )


def _without(call: Call, done: Done) -> Mapping[Address, str]:
    """What the next attempt leaves out, with the reasons; nothing if there is to be none."""
    if call.params["state"] == "restored" and done.missed:
        # One original that cannot be set back must not keep the others from it.
        return done.missed
    bearable = call.params["on_unsupported"] != "fail" or all(call.desired[one].relative for one in done.refused)
    return done.refused if bearable else {}


def _outcome(call: Call, done: Done, commands: Sequence[str], gone: str, waiting: int) -> report.Outcome:
    """All that there is to report of a call."""
    told = tuple(Unsupported(address, call.desired[address], why) for address, why in done.refused.items())
    return report.Outcome(
        families=call.families,
        requested=call.requested,
        before=call.before,
        after=done.after if done.failure else report.in_words(call.families, call.plan, done.after),
        plan=call.plan._replace(unsupported=(*call.plan.unsupported, *told)),
        rivals=call.rivals,
        adjusted=done.adjusted,
        commands=commands,
        side_effects=done.side_effects,
        failure=report.refusal(told, report.PUT_BACK) if told else done.failure,
        reverted=gone,
        guard=done.guard or waiting,
        remarks=[*call.remarks, *done.remarks],
        counters=done.counters,
        computed={address: one.how for address, one in call.desired.items() if one.how},
    )
