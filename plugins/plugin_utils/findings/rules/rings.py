# SPDX-License-Identifier: GPL-3.0-or-later
"""Rings and channels: below their maximum while counters prove that more is needed."""

from __future__ import annotations

from collections.abc import Iterator

from ..chips import REALTEK
from ..harm import Loss, busiest, lost, squeezed
from ..model import Hit, Rule, nic_remedy
from ..quirks import may_sleep
from ..view import Host, Nic
from .link import on_usb, wireless
from .sending import FILLED

_PAGE = "https://man7.org/linux/man-pages/man8/ethtool.8.html"

# Queueing disciplines that drop on purpose, to keep queues short or a rate, have lost nothing; these have.
_PLAIN = ("pfifo_fast", "pfifo", "bfifo", "mq", "multiq", "prio", "noqueue")


def _stands(host: Host) -> Iterator[Hit]:
    """More was lost than came in, while on average less came in each second than the ring holds."""
    for nic in host.nics:
        if _stuck(nic):
            evidence = {
                "lost, ring full": nic.counted("rx_missed")[0],
                "received": nic.packets,
                "rx ring": nic.count("ring", "rx", "value"),
            }
            yield Hit(evidence, nic.name)


def _stuck(nic: Nic) -> bool:
    missed, since = nic.counted("rx_missed")[0], nic.number("counters", "interval")
    seconds = since or nic.host.number("kernel", "uptime") or 0
    size = nic.count("ring", "rx", "value")
    return missed >= 1000 and missed > nic.packets and 0 < missed + nic.packets < size * seconds


def _lost(nic: Nic) -> dict[str, Loss]:
    """What was lost for lack of room in the ring."""
    if _stuck(nic):
        return {}
    found = {label: lost(nic, name) for name, label in (("rx_missed", "lost, ring full"),)}
    return {label: loss for label, loss in found.items() if loss}


def _waited(nic: Nic) -> dict[str, str]:
    """How often the NIC found no buffer, as a hint beside what was lost."""
    count, since = nic.counted("rx_no_buffer")
    return {"no free buffer": f"{count} {since}"} if count else {}


def _ring(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        size, top = nic.number("ring", "rx", "value"), nic.maximum("ring", "rx")
        found = _lost(nic)
        if size is None or top is None or not found:
            continue
        evidence = {
            "rx ring": f"{size:g} of {top:g}",
            **{label: loss.text for label, loss in found.items()},
            **_waited(nic),
        }
        severity = "" if any(loss.much for loss in found.values()) else "medium"
        # A ring that nobody can fill with buffers is full at any size, and a larger one takes more of what is short.
        short = lost(nic, "rx_no_memory")
        if size < top and short and nic.counted("rx_no_memory")[0] * _OF_MEMORY >= nic.counted("rx_missed")[0]:
            shown = {**evidence, "no memory for a receive buffer": short.text}
            yield Hit(shown, nic.name, severity="note", action=_SHORT)
        elif size < top:
            yield Hit(evidence, nic.name, remedy=nic_remedy(nic.name, ring={"rx": "max"}), severity=severity)
        elif _jumbo(nic):
            evidence["rx jumbo ring"] = _jumbo(nic)
            yield Hit(evidence, nic.name, remedy=nic_remedy(nic.name, ring={"rx_jumbo": "max"}), severity=severity)


# One buffer that is missing loses several packets, until the driver asks again.
_OF_MEMORY = 10
_SHORT = (
    "See receive-memory-short first: the driver got no memory for buffers, and a larger ring takes more of it. Raise "
    "the ring when that has ended and packets are still lost."
)

# Drivers whose set_ringparam takes the size of that ring; bnxt_en, bnx2 and myri10ge show one that they compute.
_SETS_JUMBO = ("vmxnet3", "tg3")


def _jumbo(nic: Nic) -> str:
    """The second ring, for what does not fit one buffer of the first: vmxnet3 has it, for jumbo frames and LRO."""
    if nic.driver not in _SETS_JUMBO:
        return ""
    size, top = nic.number("ring", "rx_jumbo", "value"), nic.maximum("ring", "rx_jumbo")
    long = nic.count("mtu") > 1500 or nic.value("features", "lro") is True
    return f"{size:g} of {top:g}" if long and size is not None and top is not None and size < top else ""


def _full_ring(host: Host) -> Iterator[Hit]:
    """A ring that is as large as it can be and still overflows: the processors are late."""
    for nic in host.nics:
        size, top = nic.number("ring", "rx", "value"), nic.maximum("ring", "rx")
        found = _lost(nic)
        if found and _of_one_size(nic) and _told_by_the_bus(nic):
            continue
        if found and _of_one_size(nic):
            # It was never smaller, so what was lost before tells as much.
            part = 10_000 if nic.number("counters", "interval") else 1000
            clear = nic.counted("rx_missed")[0] * part > nic.packets
            ring = f"{size:g}, the only size" if size is not None else f"of one size, by the driver {nic.driver}"
            evidence = {"rx ring": ring, **{label: loss.text for label, loss in found.items()}}
            yield Hit(evidence, nic.name, severity="" if clear else "note", action=_GIVEN.get(nic.driver, _FIXED))
            continue
        if size is None or top is None or size < top or not found or _more(nic)[0] or _jumbo(nic):
            continue
        evidence = {"rx ring": f"{size:g} of {top:g}", **{label: loss.text for label, loss in found.items()}}
        # What was lost since the driver was loaded may have been lost while the ring was smaller.
        now = nic.number("counters", "interval") and any(loss.much for loss in found.values())
        yield Hit(evidence, nic.name, severity="" if now else "note")


def _of_one_size(nic: Nic) -> bool:
    """Whether the driver lets nobody change the ring, as r8169, which may tell its size."""
    lacks = nic.text("missing", "ring").startswith("the device does not have it")
    of_a_card = lacks and not (nic.virtual or on_usb(nic) or wireless(nic))
    return nic.linked and (nic.driver == "r8169" or of_a_card)


def _told_by_the_bus(nic: Nic) -> bool:
    """Whether the rules for the bus say more of it: the PCIe link may sleep, or the FIFO of the NIC overflows, too."""
    unknown = nic.driver == "r8169" and nic.text("pci_id").startswith(REALTEK) and may_sleep(nic, "rx_missed")
    return nic.text("aspm") not in ("", "off") or unknown or lost(nic, "rx_fifo") is not None


_FIXED = (
    "The ring of this driver cannot be larger: let pause frames hold the senders back, here and at the port of the "
    "switch, and let a processor that is free and awake fetch the packets (`irq: {affinity: ...}`, the CPU governor, "
    "idle states); a card whose ring can grow, such as igb, is the last resort."
)


# Who else sets what the driver does not.
_GIVEN = {
    "enic": (
        "The chassis gives this NIC its ring and queues: in UCS Manager or the CIMC, raise the size of the receive "
        "ring (up to 4096) in the adapter policy of the vNIC, and let it have several receive queues with RSS; the "
        "host then starts anew. Until then see whether one processor does all the work (`irq: {rps: spread}`)."
    ),
}


def _more(nic: Nic) -> tuple[str, int, int]:
    """The kind of channels that could be more, how many are in use, and how many serve: not more than processors."""
    cpus = nic.host.count("kernel", "cpu_count")
    for key in ("combined", "rx"):
        count, top = nic.number("channels", key, "value"), nic.maximum("channels", key)
        if count is not None and top is not None:
            best = int(min(top, cpus) if cpus else top)
            return (key, int(count), best) if count < best else ("", 0, 0)
    return "", 0, 0


def more_channels(host: Host) -> Iterator[Hit]:
    """NICs that lose packets, or whose few processors run out of budget, while more channels are there."""
    for nic in host.nics:
        key, count, best = _more(nic)
        if not key:
            continue
        proof = {label: loss.text for label, loss in _lost(nic).items()}
        dropped = nic.count("queues", "qdisc", "dropped")
        plain = nic.text("queues", "qdisc", "leaf") or nic.text("queues", "qdisc", "root")
        # One queue and one processor fill a link of 1 Gb/s, so that more of them would not send more.
        slow = nic.real and 0 < nic.speed <= FILLED
        sent = nic.count("counters", "total", "tx_packets")
        if plain in _PLAIN and dropped >= 1000 and dropped > sent / 100_000 and not slow:
            proof["dropped before sending"] = f"{dropped} packets"
        full = busiest(host, 0.9, count)
        if full and squeezed(host) and nic.packets > host.processed / 2:
            rounds = sum(row.count("squeezed") for row in full)
            words = ", ".join(str(row.count("cpu")) for row in full[:8])
            proof["out of budget"] = f"{rounds} rounds, on CPU {words} of {host.count('kernel', 'cpu_count')}"
        if proof:
            top = int(nic.maximum("channels", key) or 0)
            remedy = nic_remedy(nic.name, channels={key: "max" if best == top else best})
            yield Hit({f"{key} channels": f"{count} of {top}", **proof}, nic.name, remedy=remedy)


RULES = (
    Rule(
        id="receive-stands-still",
        severity="high",
        title="Nobody empties the receive ring",
        condition="the NIC lost more packets than it received, at least 1000, because its ring was full, and on "
        "average less arrived in a second than the ring holds",
        explanation="At such a rate each packet has a whole second until the ring is full, so it is not the size: the "
        "ring is not filled with buffers any more. A driver that loses them, a program of XDP and an interrupt "
        "that does not come do that.",
        action="See whether a program of XDP is attached (`ip -d link show NIC`) and take it off, or attach it in "
        "generic mode; whether the interrupts of the NIC still count in /proc/interrupts; and try the newest kernel.",
        reference="https://github.com/xdp-project/xdp-tutorial/issues/466",
        host=_stands,
        proven=True,
    ),
    Rule(
        id="ring-too-small",
        severity="high",
        title="The receive ring overflows and could be larger",
        condition="the NIC lost at least 1000 packets (100 within an interval), and more than one in 100000, because "
        "its receive ring was full, and the ring is below its maximum, or that for jumbo frames while such, or merged "
        "ones, come; a note where the driver got no memory for a tenth as many buffers",
        explanation="The ring holds what arrives until a processor fetches it. A burst from a fast sender fills a "
        "small ring before that, and TCP slows down at each loss.",
        action="Raise the ring to what the hardware has; the link is down for a few seconds.",
        reference=_PAGE,
        host=_ring,
        proven=True,
    ),
    Rule(
        id="channels-too-few",
        severity="medium",
        title="Packets are lost, and more channels are available",
        condition="the NIC, or the plain queueing discipline of a link above 1000 Mb/s, lost at least 1000 packets, "
        "and more than one in 100000, or "
        "the few processors that do all the receiving run out of budget, and the NIC uses fewer channels than it has "
        "and than there are processors",
        explanation="Each flow is hashed to one queue, and two clients on one queue share its speed. More queues mean "
        "fewer clients on each and more processors at work, up to one queue per processor.",
        action="Use more channels; the link is down for a few seconds.",
        reference="https://docs.kernel.org/networking/scaling.html",
        host=more_channels,
        proven=True,
    ),
    Rule(
        id="ring-overflows-at-maximum",
        severity="medium",
        title="The receive ring overflows although it is as large as it can be",
        condition="the NIC lost at least 100 packets within an interval, and more than one in 10000, because its "
        "receive ring was full, and neither ring nor channels can be larger; older losses are a note, but for one in "
        "1000 where the driver has one size of the ring only, its PCIe link does not sleep and its FIFO loses nothing",
        explanation="The ring cannot be larger, so the processors must fetch packets sooner. They are late if one "
        "serves too many queues, sleeps too deeply, or is on another NUMA node than the card.",
        action="Check which processors serve the interrupts (`irq: {affinity: spread}`), the CPU governor and idle "
        "states, and what else the processors do; then spread the load with `irq: {rps: spread}`.",
        reference="https://docs.kernel.org/networking/scaling.html",
        host=_full_ring,
    ),
)
