# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls that fail see each step of their undo broken: in every case here one line of it is wrong on purpose."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.carrying_out import call, conclude, prepare, report
from ansible_collections.linuxnet.tuning.plugins.module_utils.carrying_out.transaction import Transaction
from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import plan
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import guard
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Cell
from ansible_collections.linuxnet.tuning.tests.unit.attempts import attempt
from ansible_collections.linuxnet.tuning.tests.unit.sabotage import break_line
from ansible_collections.linuxnet.tuning.tests.unit.test_undo import EXAMPLES

UNDO = Transaction._undo
# In which function what stands there, and what then stands there instead.
LINES = {
    "nothing goes back": (UNDO, "self._do(group, values)", "pass"),
    "only the first of it goes back": (UNDO, "undone += len(values)", "undone += len(values); break"),
    "oldest first": (plan.backwards, "(1 if late else -1)", "1"),
    "values that are taken along go back before what took them": (
        plan.backwards,
        "not families[group[0]].goes_before",
        "False",
    ),
    "files stay": (
        Transaction._asked,
        "for address in tried)",
        "for address in tried if not address.key.startswith('/'))",
    ),
    "lines of files stay": (
        Transaction._asked,
        "for address in tried)",
        "for address in tried if address.family != 'sysctl_file')",
    ),
    "what was not there before stays": (
        plan.invert,
        "in plan.changes",
        "in plan.changes if before[change.address].restore is not None",
    ),
    "what the same command has changed stays": (plan.restore, "groups = set(touched)", "groups = set()"),
    "what another family has lost stays": (
        Transaction._shaken,
        "and family.disturbed(address.scope, done)",
        "and False",
    ),
    "neighbours stay": (Transaction._groups, "or address.family in near", ""),
    "what a change may take along is not read before": (call._carry_out, "{**beside, **call.before}", "call.before"),
    "other families are not looked at": (conclude.with_shaken, "if shaken <= set(families):", "if True:"),
    "what is in force goes back, not what was requested": (Cell.restore.fget, "else self.requested", "else self.value"),
    "nothing is tried a second time": (UNDO, "range(_ROUNDS + 1)", "range(1)"),
    "what was tried is forgotten": (Transaction._settle, "tried.update(", "set().update("),
    "what a command said is all that is looked at": (
        Transaction._check,
        "answers = self._look(list(todo.targets))",
        "return []",
    ),
    "all values are taken for right": (Transaction._misses, "if cell.fulfils(change.after):", "if True:"),
    "the last question is not asked": (Transaction._probe, "if ask and ", "if False and "),
    "a failure is not told": (Transaction._go_back, "report.failure(reasons, undone, leftover)", "''"),
    "the reasons are not told": (report.failure, "[*mismatches, state]", "[state]"),
    "what is left is not told": (report.failure, "    if leftover:", "    if False:"),
    "what cannot be removed is not told": (
        UNDO,
        "!= (now.get(a, nothing).restore is None)",
        "< (now.get(a, nothing).restore is None)",
    ),
    "what cannot be read any more is taken for right": (UNDO, '*(Address(*g, "") for g in unseen)', ""),
    "what was taken along and is left is not told": (Transaction._go_back, "if self.shaken:", "if False:"),
    "one look that hangs holds up all": (Transaction._see, "except TuningError:", "except ZeroDivisionError:"),
    "one command that hangs holds up all": (
        Transaction.carry_out,
        "except TuningError as error:",
        "except ZeroDivisionError as error:",
    ),
    "a call that is stopped leaves everything": (Transaction.carry_out, "self._undo(tried)", "pass"),
    "the guard is off before it is back": (conclude.disarm, "if failed and not stuck:", "if failed:"),
    "the guard stays on": (conclude.disarm, "guard.drop(host, armed.number)", "pass"),
    "the guard goes with all that waits": (guard.drop, "layer.number != number", "False"),
    "its clock runs on": (guard._keep, "_rest(host, before)", "pass"),
    "a clock that others need is stopped": (guard._rest, "and not any(layer.waits for layer in there)", ""),
    "the clock of windows is stopped": (guard._rest, "and not any(layer.end for layer in there)", ""),
    "no guard for what is stuck": (Transaction._go_back, "self.stuck = bool(leftover)", "self.stuck = False"),
    "no layer": (conclude.arm, "if not (waits or ", "if True or (waits or "),
    "the layer does not know what is taken along": (
        conclude.taken_along,
        "for address in (*loose, *call.watched",
        "for address in (*call.watched",
    ),
    "originals stay noted": (call._carry_out, "memory.forget(host, noted - transaction.left)", "pass"),
    "older originals are forgotten": (call._carry_out, "noted - transaction.left", "changed"),
    "originals are forgotten that are not back": (call._carry_out, "noted - transaction.left", "noted"),
    "originals of what is stuck are forgotten": (
        call._carry_out,
        "if failure and not transaction.stuck:",
        "if failure:",
    ),
    "what is left has no original": (call._carry_out, "conclude.note_left(", "(lambda *_all: None)("),
    "what a key of the host sets too has no original": (conclude.note_left, "(*left, *near)", "left"),
    "a temporary value is taken for the original": (
        conclude._originals,
        "below.get(address, before[address].restore)",
        "before[address].restore",
    ),
    "files of ours stay": (call._carry_out, "guard.leave(host)", "pass"),
    "check mode writes": (call.live, "if isinstance(host, Host) and", "if"),
    "what cannot be is found when the rest is done": (prepare.prepare, "if necessary and ", "if False and "),
}


# The call that sees it.
SEEN_IN = {
    "nothing goes back": "the last file cannot be written",
    "only the first of it goes back": "the last file cannot be written",
    "oldest first": "the last file cannot be written",
    "values that are taken along go back before what took them": "an MTU is stuck",
    "files stay": "the last file cannot be written",
    "lines of files stay": "the last file cannot be written",
    "what was not there before stays": "the last file cannot be written",
    "what the same command has changed stays": "the last file cannot be written",
    "what another family has lost stays": "the last file cannot be written",
    "neighbours stay": "the last file cannot be written",
    "what a change may take along is not read before": "the last file cannot be written",
    "other families are not looked at": "families of others are taken along",
    "what is in force goes back, not what was requested": "an offload waited for another",
    "nothing is tried a second time": "the last file cannot be written",
    "what was tried is forgotten": "nobody answers",
    "what a command said is all that is looked at": "a command does nothing",
    "all values are taken for right": "a command does nothing",
    "the last question is not asked": "nobody answers",
    "a failure is not told": "the last file cannot be written",
    "the reasons are not told": "the last file cannot be written",
    "what is left is not told": "an earlier file cannot be removed",
    "what cannot be removed is not told": "an earlier file cannot be removed",
    "what cannot be read any more is taken for right": "the MTU cannot be seen",
    "what was taken along and is left is not told": "times of coalescing are stuck",
    "one look that hangs holds up all": "only the last look hangs",
    "one command that hangs holds up all": "one look hangs",
    "a call that is stopped leaves everything": "it is stopped",
    "the guard is off before it is back": "only the last look hangs",
    "the guard stays on": "the last file cannot be written",
    "the guard goes with all that waits": "and other changes wait",
    "its clock runs on": "and other changes will end",
    "a clock that others need is stopped": "and other changes wait",
    "the clock of windows is stopped": "and other changes will end",
    "no guard for what is stuck": "only the last look hangs",
    "no layer": "and other changes wait",
    "the layer does not know what is taken along": "it is stopped",
    "originals stay noted": "the last file cannot be written",
    "older originals are forgotten": "the last file cannot be written",
    "originals are forgotten that are not back": "what was taken along is stuck",
    "originals of what is stuck are forgotten": "channels are stuck",
    "what is left has no original": "the MTU cannot be seen",
    "what a key of the host sets too has no original": "a key for all is stuck",
    "a temporary value is taken for the original": "all looks hang while a window is open",
    "files of ours stay": "the last file cannot be written",
    "check mode writes": "the last file cannot be written",
    "what cannot be is found when the rest is done": "a NIC has no channels",
}


@pytest.mark.parametrize("broken", LINES)
def test_a_wrong_line_is_seen(broken, monkeypatch):
    break_line(monkeypatch, *LINES[broken])
    example = EXAMPLES[SEEN_IN[broken]]
    with pytest.raises(Exception):  # noqa: B017  a crash is seen as well
        attempt(**example)
