# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak `tc -s qdisc show` about what the qdiscs of all devices have counted: netem, shapers, and full flows of fq."""

from __future__ import annotations

import re
from typing import Dict, Iterator, List, NamedTuple, Sequence, Tuple

from ..schema import Query
from . import qdisc

# Kind, device, parent (empty at the root), and all lines.
Block = Tuple[str, str, str, str]


class Emulator(NamedTuple):
    """A netem: the qdisc at the root of its device, where it hangs itself, and the packets sent and dropped."""

    nic: str
    root: str
    parent: str
    sent: int
    dropped: int


class FairQueue(NamedTuple):
    """The fq of a device, all queues together.

    The packets that one flow may have waiting, the `options` that somebody has set, and the packets sent, and dropped
    because a flow had too many waiting.
    """

    nic: str
    root: str
    flow_limit: int
    options: str
    sent: int
    dropped: int


class Shaper(NamedTuple):
    """The root of a device that holds what is sent to a rate: its kind, the rate of a tbf as tc prints it, and packets.

    `mbits` is that rate in Mb/s, 0 where its classes have it.
    """

    nic: str
    kind: str
    rate: str
    mbits: float
    sent: int
    dropped: int


def shapers(text: str) -> List[Shaper]:
    """Each tbf and htb at the root of a device that has dropped packets."""
    found = []
    for kind, nic, parent, block in blocks(text):
        sent, dropped = counted(block)
        if kind in ("tbf", "htb") and not parent and dropped:
            rate, mbits = _rate("rate", block.partition("\n")[0])
            found.append(Shaper(nic, kind, rate, mbits, sent, dropped))
    return found


def classes(nic: str) -> Query:
    """The classes of a device, with their rates and ceilings."""
    return Query(("tc", "class", "show", "dev", nic))


def ceiling(text: str) -> Tuple[str, float]:
    """Of `tc class show`: the largest ceiling of a class of htb, as tc prints it, and in Mb/s."""
    rows = [_rate("ceil", line) for line in text.splitlines() if line.startswith("class htb ")]
    return max(rows, key=lambda row: row[1], default=("", 0.0))


_UNITS = {"": 1e-6, "K": 1e-3, "M": 1.0, "G": 1e3, "T": 1e6}


def _rate(word: str, line: str) -> Tuple[str, float]:
    match = re.search(rf"\b{word} ((\d{{1,12}})([KMGT]?)bit)\b", line)
    return (match[1], int(match[2]) * _UNITS[match[3]]) if match else ("", 0.0)


def emulators(text: str) -> List[Emulator]:
    """Each netem."""
    rows = list(blocks(text))
    roots = _roots(rows)
    return [
        Emulator(nic, roots.get(nic, ""), parent, *counted(block))
        for kind, nic, parent, block in rows
        if kind == "netem"
    ]


def fair_queues(text: str) -> List[FairQueue]:
    """The fq of each device that has dropped packets of flows that had too many waiting."""
    rows = list(blocks(text))
    roots = _roots(rows)
    found: Dict[str, FairQueue] = {}
    for kind, nic, _parent, block in rows:
        limit, over = re.search(r"\bflow_limit (\d{1,9})p", block), re.search(r"\bflows_plimit (\d{1,20})", block)
        if kind == "fq" and limit:
            old = found.get(nic, FairQueue(nic, roots.get(nic, ""), int(limit[1]), _chosen(block), 0, 0))
            dropped = old.dropped + (int(over[1]) if over else 0)
            found[nic] = old._replace(sent=old.sent + counted(block)[0], dropped=dropped)
    return [row for row in found.values() if row.dropped]


def _roots(rows: Sequence[Block]) -> Dict[str, str]:
    return {nic: kind for kind, nic, parent, _block in rows if not parent}


def _chosen(block: str) -> str:
    """The options of a fq that tc prints only where somebody has set them."""
    settings = qdisc.read("fq", block.partition("\n")[0].split(), strict=False)
    chosen = {name: value for name, value in settings.items() if qdisc.rare("fq", name)}
    return qdisc.words("fq", chosen).partition(" ")[2]


def blocks(text: str) -> Iterator[Block]:
    """All qdiscs."""
    for block in re.split(r"^(?=qdisc )", text, flags=re.MULTILINE):
        head = re.match(r"qdisc (\S+) \S+: dev (\S+) (?:root|parent (\S+))", block)
        if head:
            yield head[1], head[2], head[3] or "", block


def counted(block: str) -> Tuple[int, int]:
    """Packets sent, or passed, and dropped."""
    match = re.search(r"\bSent \d+ bytes (\d{1,20}) pkts? \(dropped (\d{1,20}),", block)
    return (int(match[1]), int(match[2])) if match else (0, 0)
