# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak tc: qdiscs, and filters that send a destination to a transmit queue; in text, which every iproute2 prints."""

from __future__ import annotations

import re
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..schema import Query, Reader, Run

# Filters in front of all qdiscs, and the two roots that have a queue of their own for each transmit queue of the NIC.
CLSACT, MULTIQ, MQ = "clsact", "multiq", "mq"

# Our filters have a preference of their own each, above those that people choose, and it tells the queue.
BASE = 20000
_LAST = BASE + 9999

# What no client's filter takes, of any protocol, goes to queue 0; otherwise a hash would send it to queues of clients.
OTHERS = "others=0"

# A queue that we shape has a qdisc whose handle tells the queue, away from those that people and the kernel choose.
_LEAF, _PLAIN = 0x6000, 0x7000

# Where the destination address stands in the header, and how many words of 32 bits it has.
_DESTINATION = {"ip": (16, 1), "ipv6": (24, 4)}

# tc prints no match for ::/0, and one with an empty mask for 0.0.0.0/0.
_CLIENT = r"another((?: match [0-9a-f]{8}/[0-9a-f]{8} at \d+)*) action order 1: *skbedit +queue_mapping (\d+)(?: pipe)?"


class Root(NamedTuple):
    """The root qdisc: `handle` is 0: for the one that the kernel made, `bands` are those of multiq."""

    kind: str
    handle: str
    bands: int = 0


class Leaf(NamedTuple):
    """What somebody made of one queue below the root; `rate` in kbit/s if we shape it, else 0."""

    queue: int
    kind: str
    handle: str
    rate: int = 0

    @property
    def ours(self) -> bool:
        """Whether this collection made it."""
        return self.handle in (f"{_LEAF + self.queue:x}:", f"{_PLAIN + self.queue:x}:")


class Qdiscs(NamedTuple):
    """What is attached to a NIC; the `leaves` without those that the kernel made."""

    root: Root
    clsact: bool
    leaves: Tuple[Leaf, ...] = ()


class Filter(NamedTuple):
    """One preference of a filter list; `client` is `ADDRESS=QUEUE`, or empty where it does something else."""

    pref: int
    kind: str
    client: str = ""

    @property
    def ours(self) -> bool:
        """Whether this collection made it."""
        return BASE <= self.pref <= _LAST


def qdiscs(host: Reader, nic: str) -> Optional[Qdiscs]:
    """What is attached to a NIC; None where tc does not know it."""
    answer = host.ask(Query(("tc", "qdisc", "show", "dev", nic)))
    return None if answer.rc else parse_qdiscs(answer.out)


def parse_qdiscs(out: str) -> Qdiscs:
    """Of lines such as `qdisc multiq 1: root refcnt 9 bands 2/8`; without a root line the kernel's own is meant."""
    root, clsact = Root("noqueue", "0:"), False
    found: List[Tuple[str, Leaf]] = []
    for line in out.splitlines():
        match = re.match(r"qdisc (\S+) (\S+:)(?: dev \S+)? root\b(?:.*\bbands (\d+)/)?", line)
        if match:
            root = Root(match.group(1), match.group(2), int(match.group(3) or 0))
        clsact = clsact or line.startswith("qdisc clsact ")
        child = re.match(r"qdisc (\S+) ([0-9a-f]+):(?: dev \S+)? parent ([0-9a-f]+:)([0-9a-f]+)( .*)?$", line)
        if child and child[2] != "0":
            found.append((child[3], _leaf(int(child[4], 16) - 1, child[1], int(child[2], 16), child[5] or "")))
    return Qdiscs(root, clsact, tuple(leaf for parent, leaf in found if parent == root.handle))


def _leaf(queue: int, kind: str, major: int, rest: str) -> Leaf:
    leaf = Leaf(queue, kind, f"{major:x}:")
    match = re.match(r" rate ([0-9.]+)([KMGT]?)bit ", rest) if kind == "tbf" and leaf.ours else None
    return leaf._replace(rate=round(float(match[1]) * 1000 ** (" KMGT".index(match[2] or " ") - 1))) if match else leaf


def kbit(text: str) -> int:
    """The kbit/s of a number in Mbit/s, with no more digits than tc shows: from 1 Gbit/s on it cuts the kbit/s off."""
    rate = round(float(text) * 1000)
    return rate if rate < 1_000_000 else rate - rate % 1000


def mbit(rate: int) -> str:
    """The number in Mbit/s of kbit/s."""
    return str(rate // 1000) if rate % 1000 == 0 else f"{rate / 1000:.3f}".rstrip("0")


def shape(nic: str, root: str, queue: int, rate: int) -> str:
    """The line of a batch that lets a queue send so many kbit/s at most; an equal command changes what is there.

    The burst reaches the switch at the full speed of the NIC, so it is what the switch must have room for: two jumbo
    frames, or 0.2 ms of a rate for which that would be too many interrupts.
    """
    burst = max(20480, rate // 40)
    handle = f"{_LEAF + queue:x}:"
    return (
        f"qdisc replace dev {nic} parent {root}{queue + 1:x} handle {handle} "
        f"tbf rate {rate}kbit burst {burst} latency 20ms"
    )


def unshape(nic: str, root: str, queue: int) -> str:
    """The line of a batch that takes the qdisc of a queue away."""
    return f"qdisc del dev {nic} parent {root}{queue + 1:x}"


def plain_queue(nic: str, root: str, queue: int) -> str:
    """The line of a batch that lets a queue send as much as it can, in place of what shaped it."""
    return f"qdisc replace dev {nic} parent {root}{queue + 1:x} handle {_PLAIN + queue:x}: pfifo limit 1000"


def filters(host: Reader, nic: str, parent: Sequence[str]) -> List[Filter]:
    """The filters below a parent: `egress`, `ingress`, or `parent 1:`."""
    return parse_filters(host.ask(Query(("tc", "filter", "show", "dev", nic, *parent))).out)


def parse_filters(out: str) -> List[Filter]:
    """By preference; lines that are not understood make a filter one that does something else."""
    blocks: Dict[Tuple[int, str, str], List[str]] = {}
    lines: List[str] = []
    for line in out.splitlines():
        match = re.match(r"filter (?:parent \S+ )?protocol (\S+) pref (\d+) (\S+)", line)
        if match:
            lines = blocks.setdefault((int(match.group(2)), match.group(1), match.group(3)), [])
            # The first lines of a u32 list tell of its hash tables; those with a key are the filters.
            lines += ["another"] if " key " in line or " handle " in line else []
        elif line.strip():
            lines.append(line.strip())
    return [
        Filter(pref, kind, "=".join(_client(protocol, lines)) if kind == "u32" else "")
        for (pref, protocol, kind), lines in blocks.items()
    ]


def _client(protocol: str, lines: Sequence[str]) -> Iterator[str]:
    """The destination and the queue of one u32 filter with just these two; nothing of any other."""
    text = " ".join(line for line in lines if not re.match(r"index \d+ ref|used_hw_stats|Sent|backlog", line))
    found = re.fullmatch(_CLIENT, text)
    if found and protocol == "all" and found.groups() == (" match 00000000/00000000 at 0", "0"):
        yield from OTHERS.split("=")
        return
    index = _DESTINATION.get(protocol)
    if found and index:
        matches = re.findall(r"([0-9a-f]{8})/([0-9a-f]{8}) at (\d+)", found.group(1))
        address = _destination(index, {int(offset): (int(value, 16), int(mask, 16)) for value, mask, offset in matches})
        if address:
            yield address
            yield found.group(2)


def _destination(span: Tuple[int, int], matches: Dict[int, Tuple[int, int]]) -> str:
    first, count = span
    offsets = [first + 4 * word for word in range(count)]
    if not set(matches) <= set(offsets):
        return ""
    value = mask = 0
    for offset in offsets:
        word, bits = matches.get(offset, (0, 0))
        value, mask = value << 32 | word, mask << 32 | bits
    width = 32 * count
    prefix = bin(mask).count("1")
    if mask != ((1 << prefix) - 1) << (width - prefix):
        return ""
    import ipaddress  # costs as much as the rest of the module, and few NICs have such filters

    address = ipaddress.IPv4Address(value) if count == 1 else ipaddress.IPv6Address(value)
    return str(address) if prefix == width else f"{address}/{prefix}"


def queue_of(client: str) -> int:
    """The queue of `ADDRESS=QUEUE`."""
    return int(client.partition("=")[2])


def pref_of(client: str) -> int:
    """The preference of the filter of `ADDRESS=QUEUE`, or of `pref N`, which does something else than it should."""
    if client == OTHERS:
        return _LAST
    return int(client[5:]) if client.startswith("pref ") else BASE + queue_of(client)


def add(nic: str, parent: str, client: str) -> str:
    """The line of a batch that sends `ADDRESS=QUEUE` on its way."""
    address, _equals, queue = client.partition("=")
    if client == OTHERS:
        return (
            f"filter add dev {nic} {parent} protocol all pref {_LAST} u32 match u32 0 0 action skbedit queue_mapping 0"
        )
    protocol, word = ("ipv6", "ip6") if ":" in address else ("ip", "ip")
    full = address if "/" in address else f"{address}/{128 if ':' in address else 32}"
    return (
        f"filter add dev {nic} {parent} protocol {protocol} pref {BASE + int(queue)} "
        f"u32 match {word} dst {full} action skbedit queue_mapping {queue}"
    )


def delete(nic: str, parent: str, pref: int) -> str:
    """The line of a batch that takes a filter away; tc's own `replace` would add a second u32 filter."""
    return f"filter del dev {nic} {parent} pref {pref}"


def unspeakable(nic: str) -> str:
    """Why a line of a batch cannot hold a name: # begins a comment there, and quotes and backslashes are read."""
    return f"a batch of tc takes '{nic}' for something else than a name" if re.search(r"[#\"'\\]", nic) else ""


def batch(lines: Sequence[str]) -> Run:
    """All lines in one process."""
    return Run(("tc", "-batch", "-"), tuple(lines))


class Statistics(NamedTuple):
    """The root qdisc of a NIC and what all its qdiscs together have counted; `backlog` is in packets.

    `leaf` is what packets wait in below a root that only shares them out: that of the first queue.
    """

    root: str
    handle: str
    bands: int = 0
    clsact: bool = False
    dropped: int = 0
    requeues: int = 0
    backlog: int = 0
    leaf: str = ""


def statistics(out: str) -> Dict[str, Statistics]:
    """Parse `tc -s qdisc show` by NIC. The counters of a classful root contain those of its children."""
    blocks: Dict[str, List[str]] = {}
    lines: List[str] = []
    for line in out.splitlines():
        match = re.match(r"qdisc \S+ \S+: dev (\S+) ", f"{line} ")
        if match:
            lines = blocks.setdefault(match[1], [])
        lines.append(line)
    found = {}
    for nic, block in blocks.items():
        at = parse_qdiscs("\n".join(block))
        start = next((index for index, line in enumerate(block) if re.search(r"\broot\b", line)), None)
        # mqprio and others tell of their map on lines of their own, before what they have counted.
        rest = [] if start is None else block[start + 1 :]
        counted = rest[: next((index for index, line in enumerate(rest) if line.startswith("qdisc ")), len(rest))]
        numbers = [
            int(match[1]) if match else 0
            for word in (r"dropped (\d+)", r"requeues (\d+)", r"backlog \S+ (\d+)p")
            for match in [re.search(word, " ".join(counted))]
        ]
        leaf = next(
            (match[1] for line in block for match in [re.match(r"qdisc (\S+) .* parent \S*:", line)] if match), ""
        )
        dropped, requeues, backlog = numbers
        found[nic] = Statistics(
            at.root.kind, at.root.handle, at.root.bands, at.clsact, dropped, requeues, backlog, leaf
        )
    return found


class Mapping(NamedTuple):
    """One filter that sends packets to a queue; `client` is empty where it does not go by the destination alone."""

    pref: int
    queue: int
    client: str


def mappings(host: Reader, nic: str, at: Statistics) -> List[Mapping]:
    """The filters of a NIC that choose a queue, whoever made them; those before the qdiscs come first."""
    texts = [host.ask(Query(("tc", "filter", "show", "dev", nic, "egress"))).out] if at.clsact else []
    if at.root == MULTIQ:
        texts.append(host.ask(Query(("tc", "filter", "show", "dev", nic, "parent", at.handle))).out)
    return [item for text in texts for item in parse_mappings(text)]


def parse_mappings(out: str) -> List[Mapping]:
    """One for each `skbedit queue_mapping`, unlike parse_filters(), for several may share a preference."""
    found = []
    for block in re.split(r"^(?=filter )", out, flags=re.MULTILINE):
        head = re.match(r"filter (?:parent \S+ )?protocol (\S+) pref (\d{1,9})", block)
        queue = re.search(r"skbedit +queue_mapping (\d{1,9})", block)
        if head and queue:
            rest = ["another", *(line.strip() for line in block.splitlines()[1:] if line.strip())]
            client = "".join(list(_client(head[1], rest))[:1])
            found.append(Mapping(int(head[2]), int(queue[1]), client))
    return found


def mapping_holds(host: Reader) -> bool:
    """Whether this kernel sends a packet to the queue that a clsact filter chose.

    Since Linux 5.19, and in kernels of distributions that took the change over, a function marks such packets, so
    that neither XPS nor the hash decides; it is requested by name, because versions say little about such kernels.
    """
    answer = host.ask(Query(("grep", "-q", "-m", "1", "netdev_xmit_skip_txqueue", "/proc/kallsyms")))
    return bool(answer.rc == 0)
