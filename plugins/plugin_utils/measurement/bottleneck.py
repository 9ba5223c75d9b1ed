# SPDX-License-Identifier: GPL-3.0-or-later
"""Name what holds back each pair of a measurement, with the counters that moved meanwhile as evidence.

Each look is a question about one pair, and the first that has an answer counts. So they stand in the order in which
one answer makes the others meaningless: what was requested, a link that is full, then what the sender's TCP waited for,
what packets waited or died in, and last what neither host has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from . import pattern
from .pairs import End, Pair, pairs_of

Json = dict[str, Any]

# Of the speed of a link, in bytes of payload and headers; what is above it much has a speed that somebody invented.
_FULL, _INVENTED = 0.9, 1.15
# Of the time of a stream that it waited for one thing.
_WAITED = 0.3
# Of a processor that is at work all the time; ss and /proc/stat look at moments that differ a little.
_BUSY = 0.93
# Of what a processor does, from which on it is the packets that keep it at work and not other programs.
_SERVING = 0.4
# So many packets, and such a share of all, are no accident.
_SOME, _SHARE = 10, 1e-5
# Bytes that stand in a queueing discipline: more than what TCP sends at once.
_STANDING = 30_000
# A client that gets less of what the best one gets shares something.
_CROWDED = 0.75

# What to do about it, by what it is.
ADVICE = {
    "application": "Nothing in the network or the hosts holds it back; send more to see what they carry.",
    "link": "It carries what it can; only a faster link or fewer bytes help.",
    "sender processor": "Spread its interrupts and its work over more processors, or use offloads (tso, gso).",
    "send buffer": "Raise net.ipv4.tcp_wmem, or leave benchmark_window to the kernel.",
    "qdisc": "Raise its rate where that is not the purpose, or let fq_codel or cake keep it short.",
    "queue": "Give each client a queue of its own (multiq), or a rate that its own link takes.",
    "receiver ring": "Raise ring: {rx: max}, and look whether interrupts come too seldom (coalesce).",
    "receiver processor": "Spread its interrupts over more processors (channels, irq), or let GRO make fewer packets.",
    "receive buffer": "Raise net.ipv4.tcp_rmem, or leave benchmark_window to the kernel.",
    "hop": "Look at the counters, cables and rates of what lies between the two hosts.",
    "unknown": "",
}


class Verdict(NamedTuple):
    """What it is, where, and what shows it."""

    where: str
    at: str
    evidence: tuple[str, ...]


def find(runs: Sequence[Json], hosts: Json, options: Json) -> Json:
    """By direction and pair: `where`, `at` and `evidence`; nothing of directions of which no host has told."""
    found: Json = {}
    for direction in dict.fromkeys(run["direction"] for run in runs if run["kind"] == "all" and run.get("moved")):
        own = [run for run in runs if run["kind"] == "all" and run["direction"] == direction and run.get("moved")]
        for way in ("up", "down") if direction == "both" else (direction,):
            pairs = pairs_of(own, runs, way, hosts, options)
            words = pattern.find({ends: pair.rate for ends, pair in pairs.items()})
            rows = {}
            for (sender, receiver), pair in pairs.items():
                client, server = (sender, receiver) if way == "up" else (receiver, sender)
                rows[f"{client} - {server}"] = _judge(pair, words.get((sender, receiver), ""))._asdict()
            found[f"both_{way}" if direction == "both" else way] = {
                name: {**row, "evidence": list(row["evidence"])} for name, row in rows.items()
            }
    return found


def _judge(pair: Pair, words: str) -> Verdict:
    for look in _LOOKS:
        found = look(pair)
        if found:
            return found
    return _between(pair, words)


def _enough(pair: Pair) -> Verdict | None:
    if pair.requested and pair.rate >= 0.95 * pair.requested:
        return Verdict("application", pair.sender.host, (f"benchmark_bitrate is {_rate(pair.requested)}",))
    return None


def _link(pair: Pair) -> Verdict | None:
    for end, way in ((pair.sender, "tx"), (pair.receiver, "rx")):
        carried = end.counters.get(f"{way}_bytes", 0) * 8 / pair.seconds
        if end.speed and _FULL <= carried / end.speed <= _INVENTED:
            return Verdict("link", end.where, (f"{_rate(carried)} of {_rate(end.speed)}",))
    return None


def _window(pair: Pair) -> Verdict | None:
    """What the sender waited for is the receiver, which does not take what has come."""
    lost = pair.receiver.protocols.get("UdpRcvbufErrors", 0)
    if _matter(lost, pair.receiver.protocols.get("UdpInDatagrams", 0)):
        return _busy(pair.receiver, "receiver processor", pair, (f"UdpRcvbufErrors {lost}",)) or Verdict(
            "receive buffer", pair.receiver.host, (f"UdpRcvbufErrors {lost}",)
        )
    share = pair.tcp.get("receiver", 0)
    if share < _WAITED:
        return None
    said = (f"TCP waited {share:.0%} of the time for the receiver's window",)
    return _busy(pair.receiver, "receiver processor", pair, said) or Verdict("receive buffer", pair.receiver.host, said)


def _busy(end: End, word: str, pair: Pair, said: tuple[str, ...] = ()) -> Verdict | None:
    """Whether a processor of this end, or iperf3 on it, had no time left."""
    evidence = [f"iperf3 used {end.process:.0%} of a processor"] if end.process >= _BUSY else []
    if end.processors:
        number, seconds = max(end.processors.items(), key=lambda item: item[1][0])
        share, served = min(seconds[0] / pair.seconds, 1.0), seconds[1] / max(seconds[0], 0.01)
        if share >= _BUSY and served >= _SERVING:
            evidence.append(f"processor {number} worked {share:.0%} of the time, {served:.0%} of it for interrupts")
        stolen = max(seconds[2] for seconds in end.processors.values())
        if stolen >= _WAITED * pair.seconds:
            evidence.append(f"the hypervisor took {min(stolen / pair.seconds, 1.0):.0%} of a processor away")
    dropped, processed = end.softnet.get("dropped", 0), end.softnet.get("processed", 0)
    if word.startswith("receiver") and _matter(dropped, processed):
        evidence.append(f"{dropped} packets did not fit into the backlog of a processor (softnet)")
    return Verdict(word, end.host, (*evidence, *said)) if evidence else None


def _matter(number: int, of: int) -> bool:
    return number >= _SOME and number >= _SHARE * of


def _held(pair: Pair) -> Verdict | None:
    """A queueing discipline of the sender in which packets stand or die; a queue where it is one of several."""
    rows = [row for row in pair.sender.qdiscs if _holds(row)]
    if not rows:
        return None
    # What is below a root that itself holds packets, as a queue below tbf, is no queue of the NIC.
    whole = {row["nic"] for row in rows if row["place"] == "root"}
    below = [row for row in rows if ":" in row["place"] and row["nic"] not in whole]
    queues = [row for row in below if row["place"].rpartition(":")[2] not in ("", "0")]
    roots = {row["place"].partition(":")[0] for row in queues}
    several = len(pair.sender.queues) > 1 and queues and len(roots) == 1
    worst = max(queues if several else rows, key=lambda row: (row["dropped"], row["backlog"], row["overlimits"]))
    told = [f"{worst['dropped']} packets dropped"] if worst["dropped"] else []
    told += [f"{worst['backlog'] / 1000:.0f} kB stood in it"] if worst["backlog"] else []
    told += [f"held back {worst['overlimits']} times"] if worst["overlimits"] else []
    on = worst["nic"]
    if not several:
        return Verdict("qdisc", f"{worst['kind']} on {on} of {pair.sender.host}", (", ".join(told),))
    numbers = sorted({int(row["place"].rpartition(":")[2], 16) - 1 for row in queues})
    which = ", ".join(map(str, numbers[:8])) + (" ..." if len(numbers) > 8 else "")
    more = f"{_carried(pair)} of {len(pair.sender.queues)} queues carried {_pairs_in_words(pair)}"
    word = "queue" if len(numbers) == 1 else "queues"
    at = f"{word} {which} of {on} of {pair.sender.host} ({worst['kind']})"
    return Verdict("queue", at, (", ".join(told), more))


def _holds(row: Json) -> bool:
    # fq keeps packets until it is their time, which is no trouble.
    if row["kind"] in ("fq", "mq", "multiq", "mqprio"):
        return bool(row["dropped"] >= _SOME and row["kind"] == "fq")
    return bool(row["dropped"] >= _SOME or row["backlog"] >= _STANDING or (row["overlimits"] >= 100 and row["backlog"]))


def _carried(pair: Pair) -> int:
    """The queues that carried half of what the slowest got, or more: others have requests and headers only."""
    rates = pair.rates.values()
    least = sum(pair.sender.queues) * min(rates) / (sum(rates) or 1.0) / 2
    return sum(sent > least for sent in pair.sender.queues)


def _pairs_in_words(pair: Pair) -> str:
    number = len(pair.rates)
    return f"{number} pair{'s' if number != 1 else ''}"


def _crowd(pair: Pair) -> Verdict | None:
    """A queue that this pair shares with others, though there are enough of them."""
    if len(pair.rates) < 2 or pair.rate >= _CROWDED * max(pair.rates.values()):
        return None
    carried, several = _carried(pair), len(pair.sender.queues)
    if not 0 < carried < min(len(pair.rates), several):
        return None
    best = _rate(max(pair.rates.values()))
    said = f"{carried} of {several} queues carried {_pairs_in_words(pair)}, and the best of these got {best}"
    return Verdict("queue", f"a queue of {pair.sender.where} that it shares", (said,))


def _paused(pair: Pair) -> Verdict | None:
    number = pair.sender.counters.get("rx_pause", 0)
    if number < _SOME:
        return None
    said = f"it asked this host to pause {number} times (pause frames)"
    return Verdict("hop", f"the link partner of {pair.sender.where}", (said,))


_LOST = {"rx_missed": "lost for a full ring", "rx_fifo": "lost in the NIC", "rx_no_buffer": "without a free buffer"}


def _ring(pair: Pair) -> Verdict | None:
    counters = pair.receiver.counters
    lost = {name: counters[name] for name in _LOST if counters.get(name, 0) >= _SOME}
    if not lost or not _matter(sum(lost.values()), counters.get("rx_packets", 0)):
        return None
    said = tuple(f"{number} packets {_LOST[name]} ({name})" for name, number in lost.items())
    return _busy(pair.receiver, "receiver processor", pair, said) or Verdict("receiver ring", pair.receiver.where, said)


def _processor(pair: Pair) -> Verdict | None:
    """The processor of the receiver, unless the sender's has still more to do."""
    receiver = _busy(pair.receiver, "receiver processor", pair)
    sender = _busy(pair.sender, "sender processor", pair)
    if receiver and sender:
        return receiver if pair.receiver.process >= pair.sender.process else sender
    return receiver or sender


def _crowded(end: End, word: str, pair: Pair) -> Verdict | None:
    """Whether other programs may have kept all processors of this end from the measurement; nothing more is known."""
    shares = [min(seconds[0] / pair.seconds, 1.0) for seconds in end.processors.values()]
    if not shares or fmean(shares) < _BUSY:
        return None
    said = f"all processors together were at work {fmean(shares):.0%} of the time, for other programs too"
    return Verdict(word, end.host, (said,))


def _idle(pair: Pair) -> Verdict | None:
    if not pair.tcp or pair.tcp["busy"] > 1 - _WAITED:
        return None
    said = f"TCP had nothing to send {1 - pair.tcp['busy']:.0%} of the time"
    crowded = _crowded(pair.sender, "sender processor", pair)
    if crowded:
        return crowded._replace(evidence=(*crowded.evidence, said))
    return Verdict("application", pair.sender.host, (said,))


def _buffer(pair: Pair) -> Verdict | None:
    share = pair.tcp.get("buffer", 0)
    said = f"TCP waited {share:.0%} of the time for room in its own buffer"
    return Verdict("send buffer", pair.sender.host, (said,)) if share >= _WAITED else None


_LOOKS: tuple[Callable[[Pair], Verdict | None], ...] = (
    *(_enough, _link, _window, _held, _crowd, _paused, _ring, _processor, _idle, _buffer),
)


def _between(pair: Pair, words: str) -> Verdict:
    """Neither host has seen it, so it is what lies between them, if anything shows that there is something."""
    evidence = tuple(_on_the_way(pair))
    if not evidence:
        for end, word in ((pair.receiver, "receiver processor"), (pair.sender, "sender processor")):
            crowded = _crowded(end, word, pair)
            if crowded:
                return crowded
        said = ("no counter moved that would show it",)
        return Verdict("unknown", words or f"between {pair.sender.host} and {pair.receiver.host}", said)
    return Verdict("hop", words or f"between {pair.sender.host} and {pair.receiver.host}", evidence)


# A queue on the way is there where packets take so many times as long, and so many ms longer.
_TIMES, _LONGER = 3, 1.0


def _on_the_way(pair: Pair) -> Iterator[str]:
    if pair.retransmits >= _SOME:
        yield f"{pair.retransmits} segments were retransmitted, and neither host lost them"
    if pair.trips and pair.trips[1] >= _TIMES * pair.trips[0] and pair.trips[1] - pair.trips[0] >= _LONGER:
        yield f"round trips took {pair.trips[1]:.3g} ms under load and {pair.trips[0]:.3g} ms without"


def _rate(bits: float) -> str:
    for word, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bits >= size:
            return f"{bits / size:.3g} {word}"
    return f"{bits:.0f} bit/s"
