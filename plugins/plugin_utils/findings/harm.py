# SPDX-License-Identifier: GPL-3.0-or-later
"""Know when a counter is harm: more than a burst at boot, and a share of the traffic that somebody feels."""

from __future__ import annotations

from typing import NamedTuple

from .view import Facts, Host, Nic

# Packets since the driver was loaded that a boot, a cable that was pulled or a restart of a service explain.
_BURST = 1000
# Within some seconds fewer are enough.
_NOW = 100
# Seconds of uptime: what comes less than once in them is not felt, even where the counter of packets has begun anew.
MINUTE, HOUR, DAY = 60, 3600, 86400


class Loss(NamedTuple):
    """What was lost out of what, as a person reads it, and whether it is much."""

    text: str
    much: bool


def seldom(host: Host, count: int, seconds: float) -> bool:
    """Whether what has been counted since the boot has come less than once in so many seconds of uptime."""
    return count * seconds < (host.number("kernel", "uptime") or 0)


def rare(nic: Nic, count: int, seconds: float) -> bool:
    """The same of a counter of a NIC; of an interval nothing is rare."""
    return not nic.number("counters", "interval") and seldom(nic.host, count, seconds)


def lost(nic: Nic, name: str) -> Loss | None:
    """A counter of lost packets of a NIC where it is more than one in 100000 and one an hour.

    `much` is more than one in 10000.
    """
    count, since = nic.counted(name)
    packets = nic.packets
    least = _NOW if nic.number("counters", "interval") else _BURST
    if count < least or count <= packets / 100_000 or rare(nic, count, HOUR):
        return None
    return Loss(f"{count} of {packets} packets {since}", count > packets / 10_000)


def sent_again(host: Host, part: int) -> str:
    """What TCP has sent again, as a person reads it, where that is one of so many segments; else empty."""
    again, since = host.protocol("TcpRetransSegs")
    # Whoever asks for a connection and does not go on, such as a scan of ports, is answered several times.
    again -= min(again, host.protocol("TcpExtTCPSynRetrans")[0])
    sent, _since = host.protocol("TcpOutSegs")
    now = host.number("protocols", "interval")
    # More than were sent at all: one of the two counters has begun anew.
    if again < (_NOW if now else 10 * _BURST) or again > sent or again * part < sent:
        return ""
    return f"{again} of {sent} {since}"


def squeezed(host: Host, row: Facts | None = None) -> bool:
    """Whether processors, or one of them, often had to leave packets for later because their budget was used up."""
    found = (row.count("squeezed"),) if row else tuple(item.count("squeezed") for item in host.processors)
    return sum(found) >= (_NOW if host.watched else _BURST) and sum(found) > host.processed / 10_000


def pressed(host: Host) -> bool:
    """Whether that does harm: a quarter of all packets comes in such rounds of 300, or some are lost meanwhile."""
    rounds = sum(row.count("squeezed") for row in host.processors)
    losses = any(lost(nic, name) for nic in host.nics for name in ("rx_missed", "rx_fifo"))
    return squeezed(host) and (rounds * 4 * 300 >= host.processed or losses or overflowed(host))


def kept_slow(host: Host) -> bool:
    """Whether processors that serve a fast NIC stay slow; some drivers let the hardware choose, whatever the name."""
    governor, driver = host.text("power", "governor"), host.text("power", "frequency_driver")
    slow = governor in ("powersave", "conservative") and not driver.startswith(("intel_pstate", "amd-pstate-epp"))
    return slow and any(nic.real and nic.speed >= 10000 for nic in host.nics)


def stolen(host: Host) -> tuple[int, str]:
    """The share, in percent, of the time that a guest wanted to run in which its hypervisor ran others, if it is 10."""
    taken, since = host.protocol("cpu_steal")
    busy, _since = host.protocol("cpu_busy")
    return (100 * taken // busy, since) if busy and taken * 10 >= busy else (0, since)


def throttled(host: Host) -> int:
    """The percent of all periods in which a container had used up its quota of processors, if it is 10."""
    periods, ended = (host.count("brakes", "quota", name) for name in ("periods", "throttled"))
    return 100 * ended // periods if periods >= _BURST and ended * 10 >= periods else 0


def too_hot(host: Host) -> dict[str, str]:
    """How heat slows the processors down, for a hundredth of the time or once a minute, or just now; else nothing."""
    spent, times = (host.count("brakes", name) for name in ("hot_ms", "hot_times"))
    uptime = host.number("kernel", "uptime") or 0
    cools = host.words("brakes", "cools")
    if cools:
        return {"slowed down now": "; ".join(cools[:2])}
    if uptime and spent >= 10 * uptime:
        return {"too hot": f"{100 * spent / (1000 * uptime):.1f} % of the time since the boot"}
    # Before Linux 5.6 it is not told for how long.
    return {"too hot": f"{times} times since the boot"} if uptime and not spent and times * MINUTE >= uptime else {}


def overflowed(host: Host, row: Facts | None = None) -> bool:
    """Whether processors, or one of them, have dropped packets because the backlog was full."""
    found = (row.count("dropped"),) if row else tuple(item.count("dropped") for item in host.processors)
    return sum(found) >= (_NOW // 10 if host.watched else _NOW) and sum(found) > host.processed / 100_000


def softirq_share(row: Facts) -> int:
    """The percent of its time that a processor spent in softirq."""
    return 100 * row.count("softirq") // row.count("time") if row.count("time") else 0


def costly(host: Host) -> int:
    """The microseconds that each packet takes, where processors spend a quarter of an interval on few packets.

    Since the boot timers are most of it.
    """
    rows = host.processors
    spent, busy = (sum(row.count(key) for row in rows) for key in ("time", "softirq"))
    sent = sum(nic.counted("tx_packets")[0] for nic in host.nics)
    packets = max(host.processed, sum(nic.packets for nic in host.nics) + sent)
    # The kernel counts time in hundredths of a second. Some thousand packets tell that it is not a disk.
    each = busy * 10_000 // packets if packets >= 1000 else 0
    return each if host.watched and busy * 4 >= spent > 0 and each >= _DEAR_US else 0


# A packet takes some microseconds; through long lists of rules, bridges and tunnels some tens.
_DEAR_US = 200


def held_up(host: Host) -> bool:
    """Whether more packets in a round would not help: a hypervisor or heat takes the time away, or each takes long."""
    return bool(stolen(host)[0] or costly(host) or too_hot(host))


def filled(host: Host) -> Facts | None:
    """The processor with half of all packets whose time they took up within the interval; since the boot none is."""
    row = next(iter(busiest(host, 0.5)), None)
    # Fewer a second are not what keeps a processor busy, but timers or disks.
    full = row is not None and host.watched and softirq_share(row) >= 90
    return row if row and full and row.count("processed") >= 5000 * host.watched else None


def busiest(host: Host, share: float = 0.9, number: int = 1) -> list[Facts]:
    """The processors, as many as requested, that have handled at least this share of all packets; else none."""
    rows = sorted(host.processors, key=lambda row: -row.count("processed"))
    total = sum(row.count("processed") for row in rows)
    best = rows[:number]
    return best if len(rows) > number and total and sum(row.count("processed") for row in best) >= share * total else []


def no_time_left(host: Host, served: dict[str, str]) -> dict[str, str]:
    """That the processor with all the interrupts had no time left within the interval, though nothing was lost yet."""
    row = filled(host)
    if not row or not any(text.startswith(f"CPU {row.count('cpu')}:") for text in served.values()):
        return {}
    return {f"CPU {row.count('cpu')}, in softirq": f"{softirq_share(row)} % of {host.watched:g} s"}


def overload(host: Host, nic: Nic) -> dict[str, str]:
    """What it has cost so far that one processor serves a NIC."""
    found = {}
    for row in busiest(host, 0.5):
        if squeezed(host, row) or overflowed(host, row):
            found["busiest processor"] = (
                f"CPU {row.count('cpu')}: {row.count('squeezed')} rounds out of budget, {row.count('dropped')} dropped"
            )
    loss = lost(nic, "rx_missed")
    return {**found, **({"lost, ring full": loss.text} if loss else {})}


def strained(host: Host) -> Facts | None:
    """The one processor of several that has too much: nearly all packets, or most of them and nearly all rounds that
    ran out of budget.

    Packets of PPP, which are handled twice, may leave others a fifth of all, that comes from another NIC.
    """
    most = busiest(host, 2 / 3)
    rounds = sum(row.count("squeezed") for row in host.processors)
    alone = [row for row in most if squeezed(host, row) and row.count("squeezed") * 10 >= rounds * 9]
    return next(iter(busiest(host) or alone), None)


def enough(host: Host, count: int, since: str) -> tuple[int, str]:
    """A number of losses of a host if it is more than a restart of a service; within an interval a tenth is enough."""
    least = _BURST // 10 if host.number("protocols", "interval") else _BURST
    return (count, since) if count >= least else (0, since)


def much(host: Host, name: str) -> tuple[int, str]:
    """The same of a counter of a protocol."""
    return enough(host, *host.protocol(name))


def cut_short(host: Host) -> str:
    """Connections that came by a cookie while timestamps are off, as a person reads it; else empty.

    What both ends can do is coded into the timestamp of a cookie, so these scale no window and have no SACK.
    """
    came, since = much(host, "TcpExtSyncookiesRecv")
    every, _since = host.protocol("TcpPassiveOpens")
    if not came or came * 1000 < every or host.sysctl("net.ipv4.tcp_timestamps") != "0":
        return ""
    return f"{came} beside {every} {since}"


def short_of_memory(host: Host) -> bool:
    """Whether TCP uses so much memory that the kernel cuts its queues, or did within an interval."""
    limits, used = host.vector("net.ipv4.tcp_mem"), host.count("protocols", "fill", "tcp_mem")
    pressed, _since = host.protocol("TcpExtTCPMemoryPressures")
    now = host.number("protocols", "interval")
    return len(limits) == 3 and (used >= limits[1] or bool(pressed and now))


def too_large(host: Host) -> str:
    """Packets that a router refused for their size, as a person reads it, where these are many; else empty."""
    failed, since = much(host, "IpFragFails")
    sent, _since = host.protocol("IpForwDatagrams")
    return f"{failed} beside {sent} {since}" if host.forwards and failed * 10_000 > sent else ""


def queue(host: Host) -> int:
    """How long a queue of connections that wait may be: some hundred for each processor that can serve them."""
    return 1 << min(16, max(10, (512 * (host.count("kernel", "cpu_count") or 1) - 1).bit_length()))
