# SPDX-License-Identifier: GPL-3.0-or-later
"""Read filters of `tc` that send a client to a queue of its own, and put them together as `multiq`."""

from __future__ import annotations

import re
from ipaddress import ip_address, ip_network
from typing import Any, Dict, List, Sequence, Tuple

from .. import masks
from ..keys.settings import Guide
from ..model import NO_EFFECT, OTHER_TOOL, Setting, Sink

_CLIENT = "client "
# Its order is free up to the classifier; `parent ffff:` is for what is received.
_FILTER = re.compile(
    r"(?:filter|f) (?:add|a|replace|r) dev (?P<nic>\S+)"
    r"(?: (?:protocol (?:ip|ipv6)|(?:prio|pref) \d+|parent (?!ffff:)\S+|egress|root))*"
    r" u32 match ip6? dst (?P<client>\S+)(?: flowid \S+)? action skbedit queue_mapping (?P<queue>\d{1,5})(?: pipe)?"
)
_Where = Tuple[str, Tuple[Tuple[str, str], ...]]


def mapped(guide: Guide, line: int, words: Sequence[str]) -> bool:
    """One filter as the queue of a client; False where it is another one."""
    if not all(masks.known(word) for word in words[4:]):
        return False
    found = _FILTER.fullmatch(" ".join(words))
    try:
        network = ip_network(found["client"]) if found else None
    except ValueError:
        return False
    if found is None or network is None:
        return False
    client = str(network.network_address) if network.num_addresses == 1 else str(network)
    guide.sink.set(line, masks.name(found["nic"]), "multiq", f"{_CLIENT}{client}", int(found["queue"]))
    return True


def settled(sink: Sink, settings: Sequence[Setting], what: str) -> List[Setting]:
    """All clients of a NIC as one value; `multiq` at a root without any is left out, with `what` there is for it."""
    queues: Dict[_Where, Dict[str, int]] = {}
    for one in settings:
        if one.family == "multiq" and one.key.startswith(_CLIENT):
            if int(one.value):
                queues.setdefault((one.nic, one.match), {})[one.key[len(_CLIENT) :]] = int(one.value)
            else:
                sink.remark(
                    one.line, NO_EFFECT, "queue 0 is for everybody who has no filter, so this client needs none"
                )
    kept: List[Setting] = []
    for one in settings:
        clients = queues.get((one.nic, one.match), {})
        if one.family == "multiq" and one.key.startswith(_CLIENT):
            new = one._replace(key="clients", value=_listed(clients))
            kept += [new] if clients and new not in kept else []
        elif one.family == "multiq" and not clients:
            sink.remark(one.line, OTHER_TOOL, f"no filter sends a client to a queue of {one.nic} below it; {what}")
        else:
            kept.append(one)
    return kept


def _listed(queues: Dict[str, int]) -> List[Any]:
    """In the words of the inventory: `192.168.32.1-18` for queues 1 to 18 in this order, else each with its queue."""
    clients = sorted(queues, key=queues.__getitem__)
    plain = [client for client in clients if "/" not in client]
    if len(plain) < len(clients) or [queues[client] for client in clients] != [*range(1, len(clients) + 1)]:
        return [f"{client}={queues[client]}" for client in clients]
    first, last = ip_address(clients[0]), ip_address(clients[-1])
    within = str(first).rpartition(".")[0] == str(last).rpartition(".")[0] != ""
    if within and len(clients) > 1 and [int(ip_address(c)) for c in clients] == [*range(int(first), int(last) + 1)]:
        return [f"{first}-{str(last).rpartition('.')[2]}"]
    return list(clients)
