# SPDX-License-Identifier: GPL-3.0-or-later
"""Know how fast the queue of each client may send: a `tbf` of its own below `mq` or `multiq`.

A rate is written `ADDRESS=MBIT` for a client, `queue N=MBIT` for a queue of nobody's, and `*=MBIT` for all others.
"""

from __future__ import annotations

from typing import Dict, List, Mapping, Sequence, Tuple

from ..schema import say
from ..tools import tc
from ..tools.tc import CLSACT, MQ, MULTIQ


def of_clients(
    desired: Tuple[str, ...], mapped: Tuple[str, ...], current: Tuple[str, ...]
) -> Tuple[Tuple[str, ...], Tuple[str, ...]]:
    """The rate of each client in the order of the queues, and the clients of which `auto` does not know it.

    What is known came from the controller. A client that could not be asked, as it is switched off, keeps its rate.
    """
    auto = "auto" in desired
    named = dict(word.rpartition("=")[::2] for word in desired if "=" in word)
    now = dict(word.rpartition("=")[::2] for word in current) if auto else {}
    found, unknown = [], []
    for word in mapped:
        whom = word.partition("=")[0]
        general = named.get("*") if word != tc.OTHERS else None
        rate = named.get(whom) or now.get(whom) or general
        if rate:
            found.append(f"{whom}={rate}")
        elif auto and word != tc.OTHERS:
            unknown.append(whom)
    nobody = (
        () if auto else tuple(f"{whom}={named[whom]}" for whom in named if whom not in _owners(mapped) and whom != "*")
    )
    found.sort(key=lambda item: _owners(mapped)[item.rpartition("=")[0]])
    return (*found, *nobody), tuple(unknown)


def problem(rates: Tuple[str, ...], mapped: Tuple[str, ...], method: str, root: str, leaves: Tuple[str, ...]) -> str:
    """Why these rates cannot be, below such a root (kind and handle) with qdiscs that somebody made (queue as well)."""
    owners, kind = _owners(mapped), root.split()
    strangers = tuple(whom for word in rates for whom in [word.rpartition("=")[0]] if whom not in owners)
    if strangers:
        return f"{say(strangers)} is no client of this NIC; name it under clients"
    if rates and method == CLSACT and kind[1] != "0:" and kind[0] not in (MQ, MULTIQ):
        return f"somebody made the root qdisc {kind[0]} {kind[1]}, which has no queues to shape; remove it first"
    queues = {owners[word.rpartition("=")[0]] for word in rates}
    for leaf in leaves:
        queue, name, handle = leaf.split()
        if int(queue) in queues:
            return f"somebody made the qdisc {name} {handle} of queue {queue}; remove it first"
    return ""


def by_queue(rates: Sequence[str], clients: Sequence[str]) -> Dict[int, int]:
    """The kbit/s of each queue; a rate of nobody's is none."""
    queues = _owners([word for word in clients if "=" in word])
    found = {}
    for word in rates:
        whom, _equals, rate = word.rpartition("=")
        queue = int(whom[6:]) if whom.startswith("queue ") else queues.get(whom)
        if queue is not None:
            found[queue] = tc.kbit(rate)
    return found


def commands(
    nic: str, method: str, root: str, current: Mapping[int, int], planned: Mapping[int, int], others: bool
) -> List[str]:
    """From the rates of queues below a root that lasts to others.

    A queue of mq whose qdisc is deleted gets none and drops all that it is given, until mq is made anew; multiq gives
    such queues a new one when it is told to change.
    """
    lines = []
    stale = sorted(queue for queue in current if queue not in planned)
    if stale and method == MULTIQ:
        lines = [tc.unshape(nic, root, queue) for queue in stale] + [
            f"qdisc replace dev {nic} root handle {root} multiq"
        ]
    elif stale and others:
        lines = [tc.plain_queue(nic, root, queue) for queue in stale]
    elif stale:
        lines = [f"qdisc del dev {nic} root"]
        lines += [f"qdisc replace dev {nic} root handle {root} mq"] if planned or method == MQ else []
        current = {}
    return lines + [
        tc.shape(nic, root, queue, planned[queue]) for queue in sorted(planned) if current.get(queue) != planned[queue]
    ]


def _owners(mapped: Sequence[str]) -> Dict[str, int]:
    return {word.partition("=")[0]: tc.queue_of(word) for word in mapped}
