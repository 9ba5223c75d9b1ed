# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls that fail see each step of their undo broken: in every case here one line of it is wrong on purpose."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.carrying_out import call, conclude, prepare, report
from ansible_collections.linuxnet.tuning.plugins.module_utils.carrying_out.applying import Applying
from ansible_collections.linuxnet.tuning.plugins.module_utils.carrying_out.transaction import Transaction
from ansible_collections.linuxnet.tuning.plugins.module_utils.carrying_out.undo import Undo
from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import plan
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import clocks, guard
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Cell
from ansible_collections.linuxnet.tuning.tests.unit.attempts import attempt
from ansible_collections.linuxnet.tuning.tests.unit.sabotage import break_line
from ansible_collections.linuxnet.tuning.tests.unit.test_undo import EXAMPLES

UNDO, JUDGE = Undo.run, Undo._judge
LAST = "the last file cannot be written"
# The call that sees it; in which function what stands there, and what then stands there instead.
LINES = {
    "nothing goes back": (LAST, UNDO, "self.applying.do(group, values)", "pass"),
    "only the first of it goes back": (LAST, UNDO, "self.done += len(values)", "self.done += len(values); break"),
    "oldest first": (LAST, plan.backwards, "else -max(", "else max("),
    "values that are taken along go back before what took them": (
        "an MTU is stuck",
        plan.backwards,
        "not families[name].goes_before",
        "False",
    ),
    "files stay": (
        LAST,
        Undo._before,
        "for address in tried)",
        "for address in tried if not address.key.startswith('/'))",
    ),
    "lines of files stay": (
        LAST,
        Undo._before,
        "for address in tried)",
        "for address in tried if address.family != 'sysctl_file')",
    ),
    "what was not there before stays": (
        LAST,
        plan.invert,
        "in plan.changes",
        "in plan.changes if before[change.address].restore is not None",
    ),
    "what the same command has changed stays": (LAST, plan.restore, "groups = set(touched)", "groups = set()"),
    "what another family has lost stays": (
        LAST,
        Undo._shaken,
        "and family.disturbed(address.scope, done)",
        "and False",
    ),
    "neighbours stay": (LAST, Applying.touched, "or address.family in near", ""),
    "what a change may take along is not read before": (
        LAST,
        call._carry_out,
        "{**beside, **call.before}",
        "call.before",
    ),
    "other families are not looked at": (
        "families of others are taken along",
        conclude.with_shaken,
        "if shaken <= set(families):",
        "if True:",
    ),
    "what is in force goes back, not what was requested": (
        "an offload waited for another",
        Cell.restore.fget,
        "else self.requested",
        "else self.value",
    ),
    "nothing is tried a second time": (LAST, UNDO, "range(_ROUNDS + 1)", "range(1)"),
    "what was tried is forgotten": ("nobody answers", Transaction._settle, "tried.update(", "set().update("),
    "what a command said is all that is looked at": (
        "a command does nothing",
        Transaction._check,
        "answers = self.applying.look(list(todo.planned))",
        "return []",
    ),
    "all values are taken for right": (
        "a command does nothing",
        Transaction._misses,
        "if cell.fulfils(change.after):",
        "if True:",
    ),
    "the last question is not asked": ("nobody answers", Transaction._probe, "if ask and ", "if False and "),
    "a failure is not told": (LAST, Transaction._go_back, "report.failure(reasons, undo.done, undo.leftover)", "''"),
    "the reasons are not told": (LAST, report.failure, "[*mismatches, state]", "[state]"),
    "what is left is not told": (
        "an earlier file cannot be removed",
        report.failure,
        "    if leftover:",
        "    if False:",
    ),
    "what cannot be removed is not told": (
        "an earlier file cannot be removed",
        JUDGE,
        "!= (now.get(a, nothing).restore is None)",
        "< (now.get(a, nothing).restore is None)",
    ),
    "what cannot be read any more is taken for right": (
        "the MTU cannot be seen",
        JUDGE,
        '*(Address(*g, "") for g in unseen)',
        "",
    ),
    "what was taken along and is left is not told": (
        "times of coalescing are stuck",
        Transaction._go_back,
        "if undo.shaken:",
        "if False:",
    ),
    "one look that hangs holds up all": (
        "only the last look hangs",
        Applying.see,
        "except TuningError:",
        "except ZeroDivisionError:",
    ),
    "one command that hangs holds up all": (
        "one look hangs",
        Transaction.carry_out,
        "except TuningError as error:",
        "except ZeroDivisionError as error:",
    ),
    "a call that is stopped leaves everything": (
        "it is stopped",
        Transaction.carry_out,
        "Undo(self.applying).run(tried)",
        "pass",
    ),
    "the guard is off before it is back": (
        "only the last look hangs",
        conclude.disarm,
        "if failed and not stuck:",
        "if failed:",
    ),
    "the guard stays on": (LAST, conclude.disarm, "guard.drop(host, armed.number)", "pass"),
    "the guard goes with all that waits": ("and other changes wait", guard.drop, "layer.number != number", "False"),
    "its clock runs on": ("and other changes will end", guard._keep, "clocks.rest(host, before)", "pass"),
    "a clock that others need is stopped": (
        "and other changes wait",
        clocks.rest,
        "and not any(layer.waits for layer in there)",
        "",
    ),
    "the clock of windows is stopped": (
        "and other changes will end",
        clocks.rest,
        "and not any(layer.end for layer in there)",
        "",
    ),
    "no guard for what is stuck": (
        "only the last look hangs",
        Transaction._go_back,
        "undo.left, bool(undo.leftover)",
        "undo.left, False",
    ),
    "no layer": ("and other changes wait", conclude.arm, "if not (waits or ", "if True or (waits or "),
    "the layer does not know what is taken along": (
        "it is stopped",
        conclude.taken_along,
        "for address in (*loose, *call.watched",
        "for address in (*call.watched",
    ),
    "originals stay noted": (LAST, call._carry_out, "memory.forget(host, noted - transaction.left)", "pass"),
    "older originals are forgotten": (LAST, call._carry_out, "noted - transaction.left", "changed"),
    "originals are forgotten that are not back": (
        "what was taken along is stuck",
        call._carry_out,
        "noted - transaction.left",
        "noted",
    ),
    "originals of what is stuck are forgotten": (
        "channels are stuck",
        call._carry_out,
        "if not transaction.stuck:",
        "if True:",
    ),
    "what is left has no original": (
        "the MTU cannot be seen",
        call._carry_out,
        "conclude.note_left(",
        "(lambda *_all: None)(",
    ),
    "what a key of the host sets too has no original": (
        "a key for all is stuck",
        conclude.note_left,
        "(*left, *near)",
        "left",
    ),
    "a temporary value is taken for the original": (
        "all looks hang while a window is open",
        conclude._originals,
        "below.get(address, before[address].restore)",
        "before[address].restore",
    ),
    "files of ours stay": (LAST, call._carry_out, "guard.leave(host)\n            missed", "missed"),
    "check mode writes": (LAST, call.live, "if isinstance(host, Host) and", "if"),
    "what cannot be is found when the rest is done": (
        "a NIC has no channels",
        prepare.prepare,
        "if necessary and ",
        "if False and ",
    ),
}

# These end the call in another way: an original was never read, and a host in check mode has nothing to write with.
CRASHES = {"what a change may take along is not read before": KeyError, "check mode writes": AttributeError}


@pytest.mark.parametrize("broken", LINES)
def test_a_wrong_line_is_seen(broken, monkeypatch):
    seen_in, *line = LINES[broken]
    break_line(monkeypatch, *line)
    with pytest.raises(CRASHES.get(broken, AssertionError)):
        attempt(**EXAMPLES[seen_in])
