# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues that get nothing: the firmware of the card keeps them for a class nobody uses, or the hash passes them by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..harm import lost, overflowed, pressed, squeezed, strained
from ..model import Hit, Rule, nic_remedy
from ..view import Host, Nic
from .interrupts import dials_in

_FLAG = "disable-fw-lldp"
# Interrupts of the busy half from which on the other one should have had some, and the part that is none of these:
# each queue has a few at its start, and is looked after every two seconds.
_MANY, _NONE = 1_000_000, 1000


def _halves(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        if nic.driver != "i40e" or not nic.linked or nic.value("private_flags", _FLAG) is not False:
            continue
        busy, idle = _split(nic)
        if not busy:
            continue
        losses = {name: lost(nic, name) for name in ("rx_missed", "rx_fifo")}
        told = {f"lost, {_POSITIONS[name]}": loss.text for name, loss in losses.items() if loss}
        if squeezed(host) or overflowed(host):
            told["processors"] = "out of budget, or their backlog overflowed"
        evidence = {
            "queues that work": f"0 to {busy - 1}",
            "queues without interrupts": f"{busy} to {busy + idle - 1}",
            _FLAG: "off",
            **told,
        }
        remedy = nic_remedy(nic.name, private_flags={_FLAG: True})
        yield Hit(evidence, nic.name, remedy=remedy, severity="medium" if told else "")


_POSITIONS = {"rx_missed": "ring full", "rx_fifo": "packet buffer full"}


def _split(nic: Nic) -> tuple[int, int]:
    """How many queues work and how many do not, where these are the upper half of at least four."""
    served: dict[int, int] = {}
    for row in nic.rows("interrupts"):
        match = re.search(r"-TxRx-(\d{1,4})$", row.text("name"))
        if match:
            served[int(match[1])] = sum(row.numbers("counts"))
    half = len(served) // 2
    if half < 2 or half * 2 != len(served) or sorted(served) != list(range(half * 2)):
        return 0, 0
    low, high = ([served[number] for number in range(start, start + half)] for start in (0, half))
    # All of the lower half are at work, so that it is not a matter of a few connections.
    even = sum(low) >= _MANY and min(low) * half * 4 >= sum(low)
    return (half, half) if even and max(high) * _NONE < sum(low) // half else (0, 0)


# One of at least so many queues, with this part of all interrupts: under load it has fewer for its packets than others.
_SEVERAL, _NEARLY_ALL = 4, 0.8
# Drivers that hash UDP by its addresses alone until somebody asks for the ports as well.
_BY_ADDRESSES = ("be2net", "bnx2x", "bnxt_en", "igb", "igc", "ixgbe", "qede")


def _gathered(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        loss, one = lost(nic, "rx_missed"), _alone(nic)
        if not loss or not one or not nic.real:
            continue
        datagrams, segments = (host.protocol(name)[0] for name in ("UdpInDatagrams", "TcpInSegs"))
        named = {"UDP received": f"{datagrams}, beside {segments} segments of TCP"} if datagrams or segments else {}
        mends = nic_remedy(nic.name, rss={"udp4": "sdfn", "udp6": "sdfn"})
        by_addresses = nic.driver in _BY_ADDRESSES and datagrams >= segments and not dials_in(host)
        told = nic.value("rss", "udp4") in (None, "sd") and nic.desired("rss") is None
        severity = "high" if loss.much else ""
        steered = [str(nic.value("ntuple_rules", key)) for key in nic.below("ntuple_rules")]
        if steered and nic.desired("ntuple_rules") is None:
            shown = {**one, "lost, ring full": loss.text, "rules of ntuple": steered[:_LISTED]}
            yield Hit(shown, nic.name, severity=severity, action=_STEERED)
            continue
        remedy = mends if by_addresses and told else {}
        yield Hit({**one, "lost, ring full": loss.text, **named}, nic.name, "", remedy, "", severity, mends)


_LISTED = 3
_STEERED = (
    "The NIC has rules that choose a queue themselves: see whether one of them sends all this to one queue, and "
    "whether anybody still needs it (`ethtool -n NIC`); delete it (`ethtool -N NIC delete NUMBER`), or let it choose a "
    "group of queues (`context`)."
)


def _alone(nic: Nic) -> dict[str, str]:
    """The queue that has served nearly all interrupts of several, where the table gives each its part."""
    rows = nic.rows("interrupts")
    counts = {row.text("name"): sum(row.numbers("counts")) for row in rows}
    table = nic.value("rss", "indirection")
    even = table is None or table == "equal"
    if not even or min(nic.queues, len(counts)) < _SEVERAL or len(counts) < len(rows):
        return {}
    name, most = max(counts.items(), key=lambda item: item[1])
    if sum(counts.values()) < _MANY or most < _NEARLY_ALL * sum(counts.values()):
        return {}
    return {f"interrupts of {name}": f"{most} of {sum(counts.values())}", "queues": str(nic.queues)}


def _left_out(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        table = nic.value("rss", "indirection")
        served = _in_table(table) if isinstance(table, str) else 0
        meant = nic.desired("rss", "indirection") is not None or not nic.linked
        # More is a limit of the hardware on some: 16 of ixgbe, a power of two of mlx4.
        if not 0 < served < _ENOUGH or served * 2 > nic.queues or meant:
            continue
        # Queues that rules send to are kept out of the table for that.
        if nic.below("ntuple_rules"):
            continue
        loss = lost(nic, "rx_missed")
        late = pressed(host) or overflowed(host)
        told = {
            **({"lost, ring full": loss.text} if loss else {}),
            **({"processors": "out of budget, or their backlog overflowed"} if late else {}),
        }
        # One queue alone is told with the processor that has all the work (softnet-squeezed).
        if told and not (served == 1 and late and strained(host)):
            evidence = {"RSS table": table, "receive queues": nic.queues, **told}
            yield Hit(evidence, nic.name, remedy=nic_remedy(nic.name, rss={"indirection": "equal"}))


# Queues that are rarely too few.
_ENOUGH = 16


def _in_table(words: str) -> int:
    """How many queues a table serves, by the words of `ethtool -X`; 0 for all of them, or where nobody knows."""
    kind, *rest = words.split() or [""]
    numbers = [int(word) for word in rest if word.isdecimal()]
    if kind == "weight":
        return sum(1 for number in numbers if number)
    return numbers[0] if kind == "equal" and numbers else 0


RULES = (
    Rule(
        id="queues-left-out",
        severity="medium",
        title="The table of RSS leaves out queues of a NIC that loses packets",
        condition="the indirection table serves half of the NIC's queues at most, and fewer than 16, the inventory "
        "does not ask for it, there are no rules of ntuple, and packets were lost because a ring was full, or "
        "processors ran out of budget with losses or for a quarter of all packets, or dropped packets",
        explanation="Somebody has set the table to some of the queues (`ethtool -X NIC equal 2`), to try or to keep "
        "others for a program, and the kernel holds fast to it. The processors of the other queues have nothing to do.",
        action="Let the table serve all queues again, unless the others are kept for rules of their own "
        "(`ethtool -n`), for AF_XDP or DPDK.",
        reference="https://docs.kernel.org/networking/scaling.html",
        host=_left_out,
        proven=True,
    ),
    Rule(
        id="one-queue-takes-all",
        severity="medium",
        title="One receive queue of several gets nearly all packets, and loses some",
        condition="one of at least four queues has had 80 % of a million interrupts or more, while the table of RSS "
        "serves all of them, and packets were lost because a ring was full; high above one lost packet in 10000",
        explanation="Queues are chosen by a hash, which most drivers compute of UDP by its addresses alone, so that "
        "all streams between two hosts come by one queue and one processor. Tunnels, PPP, IPsec and one single "
        "connection do so whatever is hashed.",
        action="Let the NIC hash the ports of UDP as well (`rss: {udp4: sdfn, udp6: sdfn}`; `ethtool -n NIC "
        "rx-flow-hash udp4` shows what it does); where that is so, or it is one connection, let other processors do "
        "what follows (`irq: {rps: spread}`), and raise the ring for bursts.",
        reference="https://docs.kernel.org/networking/scaling.html",
        host=_gathered,
        proven=True,
    ),
    Rule(
        id="firmware-halves-queues",
        severity="note",
        title="Only half of the queues of an X710 get packets, because its firmware has split them",
        condition="a NIC of i40e has its private flag disable-fw-lldp off, the lower half of its queues has had at "
        "least a million interrupts, spread over all of them, and none of the upper half has had a thousandth of their "
        "share; medium where packets were lost, or processors ran out of budget",
        explanation="The agent for DCB in the firmware starts with two traffic classes, and each gets half of the "
        "queues. RSS spreads packets within a class only, while channels and the table of RSS show all queues, so half "
        "of the processors have nothing to do.",
        action="Switch the agent off (the card keeps that), unless the switch rules the classes of this port by DCB.",
        reference="https://github.com/LibtraceTeam/libtrace/issues/222",
        host=_halves,
        proven=True,
    ),
)
