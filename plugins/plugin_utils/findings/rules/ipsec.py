# SPDX-License-Identifier: GPL-3.0-or-later
"""IPsec: packets that its counters of sequence refuse."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import much
from ..model import Hit, Rule
from ..view import Host


def _replayed(host: Host) -> Iterator[Hit]:
    refused, since = much(host, "XfrmInStateSeqError")
    taken = sum(nic.packets for nic in host.nics if nic.linked)
    if refused and refused * 10_000 > taken:
        yield Hit({"XfrmInStateSeqError": f"{refused} of {taken} packets {since}"})


def _exhausted(host: Host) -> Iterator[Hit]:
    refused, since = much(host, "XfrmOutStateSeqError")
    if refused:
        yield Hit({"XfrmOutStateSeqError": f"{refused} {since}"})


RULES = (
    Rule(
        id="ipsec-replay-window",
        severity="medium",
        title="IPsec takes packets for repeated ones",
        condition="at least 1000 packets (100 within an interval), and one in 10000, were outside of the replay window",
        explanation="Several queues, bonds and priorities reorder packets by more than the usual window of 32, and "
        "what comes too late is dropped as if it were an attack. The faster the link, the sooner that happens.",
        action="Enlarge the window on the receiving side: `replay_window = 1024` of the child in swanctl.conf of "
        "strongSwan, `replay-window=1024` in Libreswan.",
        reference="https://github.com/libreswan/libreswan/issues/1414",
        host=_replayed,
        proven=True,
    ),
    Rule(
        id="ipsec-sequence-exhausted",
        severity="high",
        title="A connection of IPsec has used up its sequence numbers",
        condition="at least 1000 packets (100 within an interval) could not be sent, because the sequence number of "
        "the state would begin anew",
        explanation="Without extended sequence numbers a state can send 2^32 packets, a few hours at 10G. All packets "
        "after that are dropped, until the keys are changed.",
        action="Change the keys now, let them be changed by packets or bytes as well as by time, and use extended "
        "sequence numbers (`esn`) on both sides.",
        reference="https://github.com/cilium/cilium/pull/26808",
        host=_exhausted,
        proven=True,
    ),
)
