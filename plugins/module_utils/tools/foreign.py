# SPDX-License-Identifier: GPL-3.0-or-later
"""Understand what passed through the NICs of a measurement until its middle, and how much of it the measurement was.

First the counters are read, then TCP's account of the streams. So a stream may have gone on meanwhile, and what is left
is rather too little than too much. One that has ended meanwhile has no account any more, so the streams are counted.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ..schema import Reader
from . import moved, sysfs

Json = Dict[str, Any]


def links(host: Reader, nics: Sequence[str]) -> Dict[str, str]:
    """By NIC the one that has the cable: a VLAN shares it with all others on the same NIC."""
    found = {}
    for nic in nics:
        link = nic
        while "DEVTYPE=vlan" in (host.read(f"{sysfs.ROOT}/{link}/uevent") or ""):
            lower = [entry[6:] for entry in host.names(f"{sysfs.ROOT}/{link}") if entry.startswith("lower_")]
            if len(lower) != 1:
                break
            link = lower[0]
        found[nic] = link
    return found


def watch(of: Mapping[str, str]) -> List[List[str]]:
    """The commands that show what has passed."""
    return [[*moved.kernel(link)] for link in dict.fromkeys(of.values())]


def load(
    of: Mapping[str, str],
    before: moved.Texts,
    meanwhile: moved.Texts,
    streams: str,
    read_at: Tuple[Mapping[moved.Argv, float], Mapping[moved.Argv, float]],
) -> Json:
    """What `passed` by link in either direction in so many `seconds`, and the `accounts` by peer.

    `waiting` is what earlier steps have left in the queue of a link. Nothing where TCP or a counter does not tell.
    """
    told = accounts(streams)
    found: Json = {}
    for link in dict.fromkeys(of.values()):
        command = moved.kernel(link)
        old, new = (moved.files(texts.get(command, "")) for texts in (before, meanwhile))
        grown = {key: new[key] - old[key] for key in _COUNTED if key in old and key in new}
        if len(grown) == len(_COUNTED) and min(grown.values()) >= 0:
            seconds = read_at[1][command] - read_at[0][command]
            waiting = _waiting(before.get(moved.qdisc(link), ""))
            found[link] = {**grown, "seconds": round(seconds, 3), "waiting": waiting}
    return {"links": {**of}, "passed": found, "accounts": told} if told and found else {}


_COUNTED = ("rx_bytes", "tx_bytes")


def _waiting(text: str) -> int:
    """The bytes in all queues of a NIC: those with queues below them count these as well, or count nothing."""
    held = {parent: one.backlog for parent, one in moved.qdiscs(text).items()}
    return max(held.get("root", 0), sum(size for parent, size in held.items() if parent != "root"))


def accounts(text: str) -> Dict[str, Dict[str, int]]:
    """Of `ss -tin` by peer: how many connections, payload with all that was sent again, and segments, both ways.

    Nothing at all where one stream does not tell (Linux before 4.6): what is missing would pass for the load of others.
    """
    found: Dict[str, Dict[str, int]] = {}
    for head, about in zip(text.splitlines(), text.splitlines()[1:]):
        ends = re.match(r"(?:ESTAB\s+)?\d+\s+\d+\s+\S+:\d+\s+(\S+):\d+\s*$", head)
        if not ends or not about[:1].isspace():
            continue
        told = {key: int(number) for key, number in re.findall(r"\b(\w+):(\d{1,18})(?=\s|/|$)", about)}
        if not {"segs_out", "segs_in"} <= set(told):
            return {}
        again = re.search(r"\bretrans:\d+/(\d{1,12})", about)
        lost = int(again[1]) if again else 0
        # Before 4.19 there is no count of what was sent, only of what has arrived.
        guess = told.get("bytes_acked", 0) + (told.get("unacked", 0) + lost) * told.get("mss", 0)
        # What arrives out of order, or twice, is in none of the bytes yet.
        arrived = told.get("data_segs_in", 0) * told.get("rcvmss", 0)
        peer = re.sub(r"%.*$", "", ends[1].strip("[]"))
        row = found.setdefault(
            peer[7:] if peer.startswith("::ffff:") else peer,
            {"connections": 0, "sent": 0, "received": 0, "segments_out": 0, "segments_in": 0},
        )
        row["connections"] += 1
        row["sent"] += told.get("bytes_sent", guess)
        received = max(told.get("bytes_received", 0), arrived)
        row["received"] += received
        row["segments_out"] += told["segs_out"]
        # A NIC that joins them itself (LRO) may hand over many as one.
        row["segments_in"] += max(told["segs_in"], received // max(told.get("rcvmss", received), 1))
    return found
