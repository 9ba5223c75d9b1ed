# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak ethtool about RSS: the indirection table in the words of `ethtool -X`, the hash, and what is hashed."""

from __future__ import annotations

import re
from functools import reduce
from math import gcd
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..schema import Query, Reader

ALL = "equal"

# The letters of `ethtool -N NIC rx-flow-hash`, in its order, by what `-n` prints for each.
LETTERS = {
    "L2DA": "m",
    "VLAN tag": "v",
    "L3 proto": "t",
    "IP SA": "s",
    "IP DA": "d",
    "L4 bytes 0 & 1 [TCP/UDP src port]": "f",
    "L4 bytes 2 & 3 [TCP/UDP dst port]": "n",
    "GTP TEID": "e",
    "IPv6 Flow Label": "l",
    "All matching flows discarded on RX": "r",
}


class Spread(NamedTuple):
    """What `ethtool -x` tells; an empty part is one that the device does not have."""

    rings: int = 0
    table: Tuple[int, ...] = ()
    key: str = ""
    functions: Tuple[str, ...] = ()
    function: str = ""
    transforms: Tuple[str, ...] = ()
    transform: str = ""


def query(nic: str) -> Query:
    """The command that shows the table, the key and the function."""
    return Query(("ethtool", "-x", nic))


def parse(text: str) -> Spread:
    """Parse `-x` of any version: 4.5 knows no function, and the input transformation came with 6.9."""
    rings, entries, key, part = 0, [], "", ""
    named: Dict[str, Dict[str, bool]] = {"function": {}, "transform": {}}
    for line in text.splitlines():
        head = re.match(r"RX flow hash indirection table for .* with (\d{1,5}) RX ring\(s\)", line)
        row = re.match(r"\s*\d+:((?:\s+\d{1,5})+)\s*$", line)
        switch = re.match(r"\s+([\w-]+): (on|off)$", line)
        if head:
            rings, part = int(head[1]), "table"
        elif line.startswith("RSS "):
            part = {"key": "key", "function": "function", "transformation": "transform"}.get(line.split()[-1][:-1], "")
        elif row and part == "table":
            entries += [int(word) for word in row[1].split()]
        elif part == "key" and re.fullmatch(r"[0-9a-f]{2}(:[0-9a-f]{2})+", line.strip()):
            key = line.strip()
        elif switch and part in named:
            named[part][switch[1]] = switch[2] == "on"
    functions, transforms = named["function"], named["transform"]
    return Spread(
        rings,
        tuple(entries),
        key,
        tuple(functions),
        next((name for name, on in functions.items() if on), ""),
        tuple(transforms),
        next((name for name, on in transforms.items() if on), "none" if transforms else ""),
    )


def fields(text: str) -> Optional[str]:
    """The letters of what `-n NIC rx-flow-hash PROTOCOL` prints; None where it says nothing, or what has no letter."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or not (lines[0].endswith("Hash flow key:") or lines[0] in LETTERS):
        return None
    found = [line for line in lines if line != "None" and not line.endswith("Hash flow key:")]
    if not all(line in LETTERS for line in found):
        return None
    return in_order("".join(LETTERS[line] for line in found))


def in_order(letters: str) -> str:
    """Letters in the order in which ethtool shows them."""
    return "".join(letter for letter in LETTERS.values() if letter in letters)


def table(words: str, size: int, rings: int) -> Tuple[int, ...]:
    """The table that `ethtool -X NIC WORDS` writes; ValueError where it would refuse to."""
    kind, *rest = words.split()
    numbers = [int(word) for word in rest if word != "start"]
    if kind == ALL:
        count, start = (*numbers, *(rings, 0)[len(numbers) :])[:2]
        return tuple(start + index % count for index in range(size))
    if sum(numbers) > size:
        raise ValueError(f"the weights add up to {sum(numbers)}, and the table has {size} entries")
    return _weighed(numbers, size)


def _weighed(weights: Sequence[int], size: int) -> Tuple[int, ...]:
    """Each queue has one run of entries; where they do not divide, ethtool rounds the end of each run down."""
    entries: List[int] = []
    done = 0
    for queue, weight in enumerate(weights):
        done += weight
        entries += [queue] * (size * done // sum(weights) - len(entries))
    return tuple(entries)


def words(entries: Sequence[int], rings: int) -> str:
    """The shortest words of `ethtool -X` that write a table; empty where there are none.

    Drivers such as igb fill their tables by runs, which serve all queues as well as turns do. In the words `weight 1 1`
    the kernel would hold such a table fast, and igb fills it anew with more channels all the same: then nobody comes
    back to fewer. So it is all queues whatever their order.
    """
    if not entries or not rings:
        return ""
    if even(entries, rings):
        return ALL
    first, last = min(entries), max(entries)
    count = last - first + 1
    if all(entry == first + index % count for index, entry in enumerate(entries)):
        return f"equal {count}" + (f" start {first}" if first else "")
    counts = _counts(entries, last + 1)
    divisor = reduce(gcd, counts)
    for weights in ([min(number, 1) for number in counts], [number // divisor for number in counts], counts):
        if _weighed(weights, len(entries)) == tuple(entries):
            return f"weight {' '.join(map(str, weights))}"
    return ""


def even(entries: Sequence[int], rings: int) -> bool:
    """Whether each queue has as many entries as any other, in whatever order."""
    counts = _counts(entries, max([rings, *(entry + 1 for entry in entries)]))
    return rings > 0 and len(counts) == rings and max(counts) - min(counts) <= 1


def _counts(entries: Sequence[int], queues: int) -> List[int]:
    counts = [0] * queues
    for entry in entries:
        counts[entry] += 1
    return counts


def queues(desired: str) -> int:
    """How many receive queues words of `ethtool -X` need; 0 for all there are."""
    kind, *rest = desired.split()
    numbers = [int(word) for word in rest if word != "start"]
    if kind == ALL:
        return sum(numbers)
    return max(index for index, number in enumerate(numbers) if number) + 1


def fields_query(nic: str, protocol: str) -> Query:
    """The command that shows what is hashed of the packets of a protocol."""
    return Query(("ethtool", "-n", nic, "rx-flow-hash", protocol))


def symmetric(length: int) -> str:
    """A key by which Toeplitz gives both directions of a flow one hash: the same two bytes over and over."""
    return ":".join(("6d", "5a")[index % 2] for index in range(length))


def ask(host: Reader, nic: str) -> Tuple[Spread, str]:
    """What the device tells, and else its complaint."""
    answer = host.ask(query(nic))
    return parse(answer.out), answer.complaint if answer.rc else ""
