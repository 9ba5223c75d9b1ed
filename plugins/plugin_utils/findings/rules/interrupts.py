# SPDX-License-Identifier: GPL-3.0-or-later
"""Processors: who serves the interrupts, and who cannot keep up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..harm import busiest, held_up, kept_slow, no_time_left, overflowed, overload, pressed, squeezed, stolen, strained
from ..model import Hit, Rule, nic_remedy, sysctl_remedy
from ..view import Facts, Host, Nic
from .rings import more_channels
from .tunnels import WITHOUT_THREADS, decrypted

_PAGE = "https://docs.kernel.org/networking/scaling.html"

# The backlog has to hold what the fastest link brings within 20 ms; much more only makes packets late.
_BACKLOG_MS = 20
_BACKLOG = (2048, 65536)


def _one_core(host: Host) -> Iterator[Hit]:
    if host.count("kernel", "cpu_count") < 2:
        return
    for nic in host.nics:
        rows = nic.rows("interrupts")
        # Two lines of one name are not two queues; bcmgenet has such. What the inventory has placed is meant so.
        names = [row.text("name") for row in rows if row.text("name")]
        if (
            len(rows) < 2
            or len(set(names)) < len(names)
            or not nic.linked
            or nic.desired("irq", "affinity") is not None
        ):
            continue
        lists = sorted({row.text("cpus") for row in rows})
        if all(cpus.isdecimal() for cpus in lists) and len(lists) > 1:
            continue
        found = _served(rows)
        pinned = len(lists) == 1 and lists[0].isdecimal()
        if not pinned and not found:
            continue
        evidence = {**({"smp_affinity_list of all": lists[0]} if pinned else {}), **found}
        harm = {**overload(host, nic), **no_time_left(host, found)}
        # One line may be that of sending, and then the only queue for what comes has one processor wherever that is.
        shared = nic.value("irq", "rps") if _single(nic) else None
        alone = shared == "none"
        if shared is not None and not alone:
            continue
        yield Hit(
            {"interrupts": len(rows), **({"receive queues": 1} if alone else {}), **evidence, **harm},
            nic.name,
            remedy=nic_remedy(nic.name, irq={"rps": "spread"} if alone else {"affinity": "spread"}),
            action=_ONE_QUEUE if alone else _LEFT if host.flag("managers", "irqbalance") else "",
            severity="" if found and harm else "note",
        )


def _single(nic: Nic) -> bool:
    """Whether it has one receive queue, and cannot have more."""
    return nic.queues == 1 and all((nic.maximum("channels", key) or 0) <= 1 for key in ("combined", "rx"))


_ONE_QUEUE = (
    "This NIC has one receive queue, whose interrupt has one processor at a time: let all of them share what it brings "
    "(RPS)."
)
_LEFT = "irqbalance runs, but it may not know a NIC that came after it: restart it, or spread the interrupts for good."


def _served(rows: list[Facts]) -> dict[str, str]:
    """One processor has served nearly all of several queues; one queue alone may be one connection."""
    counts = [row.numbers("counts") for row in rows]
    served = [sum(column) for column in zip(*counts)]
    total = sum(served)
    if total < 1_000_000 or max(served) < 0.9 * total or total - max(map(sum, counts)) < 0.1 * total:
        return {}
    return {"served by one processor": f"CPU {served.index(max(served))}: {max(served)} of {total}"}


def _room(host: Host) -> int:
    """Packets of full size that the fastest link brings within that time, up to the next power of two."""
    packets = host.fastest * 1000 * _BACKLOG_MS // (8 * 1500)
    return max(_BACKLOG[0], min(_BACKLOG[1], 1 << packets.bit_length()))


def _backlog(host: Host) -> Iterator[Hit]:
    limit = host.sysctl("net.core.netdev_max_backlog")
    if overflowed(host) and limit.isdecimal() and int(limit[:18]) < _room(host):
        dropped = sum(row.count("dropped") for row in host.processors)
        remedy = sysctl_remedy(net__core__netdev_max_backlog={"at_least": _room(host)})
        told = f"{dropped} of {host.processed} packets{_when(host)}"
        evidence = {"net.core.netdev_max_backlog": limit, "dropped": told}
        # What a hypervisor takes away has a finding of its own, and no limit brings it back.
        yield Hit(evidence, remedy=remedy, severity="note" if stolen(host)[0] else "")


def _when(host: Host) -> str:
    return f" in {host.watched:g} s" if host.watched else ""


def _budget(host: Host) -> Iterator[Hit]:
    """Rounds that ran out of budget on all processors; on one alone it is the spreading that is wrong."""
    if not squeezed(host):
        return
    severity = "note" if held_up(host) else ""
    rounds = sum(row.count("squeezed") for row in host.processors)
    packets, time = host.whole("net.core.netdev_budget"), host.whole("net.core.netdev_budget_usecs")
    evidence: dict[str, object] = {
        "rounds out of budget": f"{rounds}, with {host.processed} packets{_when(host)}",
        "net.core.netdev_budget": host.sysctl("net.core.netdev_budget"),
    }
    values: dict[str, object] = {}
    if 0 < packets < _ROUND:
        values["net.core.netdev_budget"] = {"at_least": _ROUND}
    # Since Linux 4.12 a round also ends by time, which has to grow with the number of packets.
    enough = min(_LONGEST_US, max(packets, _ROUND) * _PACKET_US)
    if 0 < time < enough:
        values["net.core.netdev_budget_usecs"] = {"at_least": enough}
        evidence["net.core.netdev_budget_usecs"] = str(time)
    one = strained(host)
    if one and _told(host):
        return
    # What is below the kernel's own is too little for one processor as well.
    if one and not (0 < packets < _OWN or 0 < time < _OWN_US):
        evidence.pop("net.core.netdev_budget_usecs", None)
        shown = {**evidence, **_by_one(host, one)}
        why, remedy, action = crowded(host)
        budget = {"net.core.netdev_budget": _ROUND, "net.core.netdev_budget_usecs": enough}
        shares = nic_remedy(_most(host), irq={"rps": "spread"}, rss={"indirection": "equal"})
        mends = {**shares, "tuning_host_sysctl": budget}
        shown.update(why)
        yield Hit(shown, remedy=remedy, action=action, mends=mends, severity=severity)
    # Processors that are slow have a finding of their own, and then the budget is not to blame.
    elif values and not kept_slow(host):
        severity = severity if pressed(host) else "note"
        yield Hit(evidence, remedy={"tuning_host_sysctl": values}, severity=severity)


def _told(host: Host) -> bool:
    """Whether a finding that names the cause has these rounds in its evidence."""
    served = any("busiest processor" in hit.evidence and not hit.severity for hit in _one_core(host))
    return served or any("out of budget" in hit.evidence for hit in more_channels(host))


def _by_one(host: Host, row: Facts) -> dict[str, str]:
    name, rounds = f"CPU {row.count('cpu')}", row.count("squeezed")
    if busiest(host):
        return {"handled by one processor": name}
    return {"most of it by one processor": f"{name}, with {rounds} of these rounds"}


def crowded(host: Host) -> tuple[dict[str, str], dict[str, Any], str]:
    """Why one processor may handle everything: evidence, remedy and action."""
    nic = host.nic(_most(host))
    several = nic is not None and nic.queues > 1
    if nic and several and (tunnel := decrypted(host)):
        return {"received by WireGuard": tunnel}, nic_remedy(tunnel, napi={"threaded": True}), WITHOUT_THREADS
    if nic and several:
        table = nic.value("rss", "indirection")
        if isinstance(table, str) and re.fullmatch(r"equal 1( start \d+)?", table):
            return {"RSS table": table}, nic_remedy(nic.name, rss={"indirection": "equal"}), _TABLE
        if dials_in(host):
            shares = nic.value("irq", "rps") == "none"
            return {}, nic_remedy(nic.name, irq={"rps": "spread"}) if shares else {}, _WRAPPED
    shared = nic.value("irq", "rps") if nic else None
    if nic and isinstance(shared, str) and shared.isdecimal() and nic.desired("irq", "rps") is None:
        remedy = nic_remedy(nic.name, irq={"rps": "none" if several else "spread"})
        return {"rps_cpus of all queues": f"CPU {shared}"}, remedy, _GATHERED
    alone = [{"name": each.name, "irq": {"rps": "spread"}} for each in _alone(host)]
    remedy = {"tuning_host_nics": alone} if alone else {}
    given = _CHASSIS.get(nic.driver, _GIVEN if nic.virtual else "") if nic and alone else ""
    return {}, remedy, f"{_SPREAD} {_ONE_FLOW if several else given}".strip()


def dials_in(host: Host) -> bool:
    """Whether the host has a connection by PPP, within which most of its packets come."""
    return any(row.text("kind") == "ppp" or row.text("nic").startswith("ppp") for row in host.rows("addresses"))


_TABLE = (
    "Somebody has set the RSS table of this NIC to one of its queues (`ethtool -X`): let it use all of them again, "
    "unless the others are kept for rules of their own (`ethtool -n`)."
)
_GATHERED = (
    "RPS of this NIC sends everything to one processor (`rps_cpus`), mostly by a script of long ago: take it away, or "
    "let all processors share."
)
_GIVEN = (
    "The hypervisor gives this NIC one queue: let it give as many as there are processors (`queues` in libvirt, "
    "multiqueue in Proxmox), and use them (`channels: {combined: max}`)."
)
# Cards that a chassis divides.
_CHASSIS = {
    "enic": (
        "UCS Manager or the CIMC gives this NIC one queue: let the adapter policy of its vNIC have up to 8 receive "
        "queues with RSS on, a completion queue for each queue, and two interrupts more than those."
    ),
}
_WRAPPED = (
    "Let processors share out what the NIC cannot (`irq: {rps: spread}`): frames of PPP, as in PPPoE, have no "
    "addresses where it looks for them, so all of them come through one queue, however many it has."
)
_SPREAD = "Spread the work first: more channels, interrupts on several processors, or `irq: {rps: spread}`."
# Most drivers hash UDP by its addresses alone, because fragments have no ports.
_ONE_FLOW = (
    "If the interrupts are spread already, the hash of the NIC gives one queue all: let it look at the ports of UDP, "
    "by which tunnels such as VXLAN tell flows apart (`rss: {udp4: sdfn, udp6: sdfn}`)."
)


def _most(host: Host) -> str:
    """The NIC with most of the packets."""
    return max(((nic.packets, nic.name) for nic in host.nics if nic.linked), default=(0, ""))[1]


def _alone(host: Host) -> list[Nic]:
    """The NICs with one queue for all processors that nothing shares out yet, if most of the packets are theirs."""
    found = [nic for nic in host.nics if _single(nic) and nic.linked and nic.value("irq", "rps") == "none"]
    handled = sum(nic.packets * _rounds(nic) for nic in found)
    return found if handled > host.processed / 2 else []


def _rounds(nic: Nic) -> int:
    """How often processors handle a packet of a NIC: once more for its VLAN, and once more within PPP."""
    return 1 + nic.tagged + dials_in(nic.host)


def _each(host: Host) -> Iterator[Hit]:
    nic = host.nic(_most(host))
    if not nic or not nic.real or not _unmoderated(nic) or nic.desired("coalesce") is not None:
        return
    seconds = host.number("protocols", "interval") or 0
    count, spent = host.protocol("interrupts")[0], host.protocol("cpu_irq")[0]
    # Of one processor; USER_HZ is 100 on every architecture that has such NICs.
    share = round(spent / seconds) if seconds else 0
    packets, _since = nic.counted("rx_packets")
    harm = overload(host, nic)
    if seconds and (share < _BUSY_PERCENT or count < _MANY_A_SECOND * seconds or count * 2 < packets):
        return
    served = sum(sum(row.numbers("counts")) for row in nic.rows("interrupts"))
    if not seconds and (not harm or served < 1_000_000 or served * 2 < packets):
        return
    shown = f"{count} in {seconds:g} s" if seconds else f"{served} since the boot"
    evidence = {
        "rx-usecs": 0,
        "interrupts": f"{shown}, beside {packets} packets",
        **({"time in interrupts": f"{share} % of one processor"} if seconds else {}),
        **harm,
    }
    settings: dict[str, Any] = {"adaptive_rx": True} if _adapts(nic) else {"rx_usecs": _wait(nic)}
    remedy = nic_remedy(nic.name, coalesce=settings)
    yield Hit(evidence, nic.name, remedy=remedy, severity="" if seconds and harm else "note")


# From here on a processor does little else; and what costs one that much, at some microseconds each.
_BUSY_PERCENT, _MANY_A_SECOND = 70, 50_000


def _unmoderated(nic: Nic) -> bool:
    """Whether each packet is to interrupt at once."""
    frames = nic.value("coalesce", "rx_frames")
    return (
        nic.value("coalesce", "rx_usecs") == 0 and frames in (None, 0, 1) and not nic.value("coalesce", "adaptive_rx")
    )


def _adapts(nic: Nic) -> bool:
    return nic.value("coalesce", "adaptive_rx") is False and nic.at("coalesce", "adaptive_rx", "fixed") is not True


def _wait(nic: Nic) -> int:
    """Microseconds in which the smallest packets fill half of the ring, within what nobody feels."""
    return max(8, min(50, (nic.count("ring", "rx", "value") or 256) * 84 * 8 // 2 // (nic.speed or 1000)))


# Packets of a round, what one takes at most where it is forwarded or filtered, and how long others may be kept waiting.
_ROUND, _PACKET_US, _LONGEST_US = 600, 8, 20_000
# The kernel's own.
_OWN, _OWN_US = 300, 2000


RULES = (
    Rule(
        id="interrupts-on-one-core",
        severity="medium",
        title="One processor serves all interrupts of a NIC",
        condition="one processor of several has served 90 % of at least a million interrupts of several queues of a "
        "NIC, and was out of budget, lost packets, or spent 90 % of an interval in softirq; without harm, or where "
        "all are only bound to one, it is a note",
        explanation="A processor that does nothing but receive packets is fully loaded at a few Gbit/s. The others "
        "cannot help as long as no queue interrupts them.",
        action="Spread the interrupts over the cores.",
        reference=_PAGE,
        host=_one_core,
    ),
    Rule(
        id="backlog-overflows",
        severity="medium",
        title="The backlog of a processor overflows",
        condition="processors have dropped at least 100 packets (10 within an interval), and more than one in 100000, "
        "because the backlog was full, and it holds less than the fastest link brings in 20 ms",
        explanation="Packets wait in the backlog of a processor when another one has received them. A burst overflows "
        "the default of 1000.",
        action="Raise the limit of the backlog.",
        reference="https://docs.kernel.org/admin-guide/sysctl/net.html#netdev-max-backlog",
        host=_backlog,
        proven=True,
    ),
    Rule(
        id="softnet-squeezed",
        severity="medium",
        title="Processors run out of budget while packets wait",
        condition="processors have ended at least 1000 rounds (100 within an interval), and more than one for 10000 "
        "packets, with packets left, and are not kept slow by their governor, and neither interrupts-on-one-core nor "
        "channels-too-few names these rounds with their cause; a note below one for 1200 packets where "
        "several processors share the work and none are lost at a ring or a backlog, and where packets take more than "
        "200 us each",
        explanation="A round of receiving ends after a number of packets or a time, and what is left waits for the "
        "next one. If that happens often, rings and backlog fill up meanwhile.",
        action="Allow more packets and time per round; if one processor does everything, spread the work first.",
        reference="https://docs.kernel.org/admin-guide/sysctl/net.html#netdev-budget",
        host=_budget,
        proven=True,
    ),
    Rule(
        id="interrupts-not-moderated",
        severity="medium",
        title="Each packet interrupts a processor, because coalescing is off",
        condition="within an interval processors spent 70 % of one in interrupts, 50000 and more a second and one for "
        "two packets, while the NIC with most of the packets has rx-usecs 0 and no adaptive coalescing, and packets "
        "were lost or left for later; without losses, or since the boot, it is a note",
        explanation="rx-usecs 0 gives the shortest delay, for trading or measuring. Under load the processor has to "
        "stop and begin again for every packet, which costs more than the packet itself.",
        action="Let the NIC collect packets for some microseconds, or adapt to the load; where the delay matters more, "
        "say so in the inventory.",
        reference="https://docs.kernel.org/networking/ethtool-netlink.html",
        host=_each,
    ),
)
