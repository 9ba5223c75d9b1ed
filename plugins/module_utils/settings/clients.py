# SPDX-License-Identifier: GPL-3.0-or-later
"""Know how clients of a NIC and their rates are written: addresses, ranges and networks."""

from __future__ import annotations

import ipaddress
import re
from typing import Any, Dict, Iterable, List, Sequence, Tuple, Union

from ..family import Field
from ..schema import EXACTLY, Desired, InputError
from ..tools import tc

IPAddress = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]

AUTO = "auto"

# More than any NIC has queues; a whole IPv6 network is a mistake that should not fill the memory.
_MOST = 4096


def understand(field: Field, raw: Any) -> Desired:
    """A tuple of `ADDRESS` or `ADDRESS=QUEUE`, in the order of the input; InputError for what is none or there twice.

    A network with a queue is one client; without, each of its addresses is.
    """
    items = raw if isinstance(raw, (list, tuple)) else [raw]
    words = [word for item in items for word in _words(field.name, item)]
    _check_once(field.name, words)
    return Desired(EXACTLY, tuple(words))


def rates(field: Field, raw: Any) -> Desired:
    """A tuple of `auto`, `*=MBIT` for all that are not named, and `ADDRESS=MBIT`."""
    items = raw if isinstance(raw, (list, tuple)) else [raw]
    words = [_rate(field.name, item) for item in items]
    seen: Dict[str, str] = {}
    for word in words:
        whom = word.partition("=")[0]
        if whom in seen:
            raise InputError(f"{field.name}: there are two rates for {'all' if whom == '*' else whom}")
        seen[whom] = word
    return Desired(EXACTLY, tuple(words))


def _rate(name: str, item: Any) -> str:
    text = "" if isinstance(item, (bool, dict)) else str(item).strip().lower()
    if text == AUTO:
        return text
    whom, equals, number = text.rpartition("=")
    if not re.fullmatch(r"\d{1,6}(\.\d{1,3})?", number) or float(number) <= 0:
        raise InputError(
            f"{name}: {item!r} is not valid; write auto, a number in Mbit/s, or ADDRESS=NUMBER for one client"
        )
    if not equals:
        whom = "*"
    elif "/" in whom:
        network = _network(name, whom, item)
        whom = str(network.network_address if network.prefixlen == network.max_prefixlen else network)
    elif whom != "others" and not re.fullmatch(r"queue \d{1,4}", whom):
        found = _addresses(name, whom, item)
        if len(found) > 1:
            raise InputError(
                f"{name}: {item!r} gives a rate to a range; write one for each address, or a number for all"
            )
        whom = str(found[0])
    return f"{whom}={tc.mbit(tc.kbit(number))}"


def _words(name: str, item: Any) -> Iterable[str]:
    if isinstance(item, dict):
        if "address" not in item or not set(item) <= {"address", "queue"}:
            raise InputError(f"{name}: {item!r} is not valid; write an address, optionally with a queue")
        item = f"{item['address']}={item['queue']}" if item.get("queue") is not None else item["address"]
    if item == "others=0":  # always there, and so also in the result of an earlier call
        return [item]
    text, equals, queue = str(item).strip().lower().partition("=")
    if "%" in text:
        raise InputError(f"{name}: {item!r} has a NIC name after the address; leave it out")
    if equals:
        if not re.fullmatch(r"\d{1,4}", queue):
            raise InputError(
                f"{name}: {item!r} has a queue that is no number; write such as 192.168.32.5=3, and rates under rates"
            )
        if int(queue) == 0:
            raise InputError(f"{name}: {item!r} has queue 0, which is for everybody else")
        if "/" in text:
            network = _network(name, text, item)
            # A network of one address is that address, and so it is read from the host.
            alone = network.prefixlen == network.max_prefixlen
            return [f"{network.network_address if alone else network}={int(queue)}"]
    addresses = _addresses(name, text, item)
    if equals and len(addresses) > 1:
        raise InputError(f"{name}: {item!r} gives one queue to a range; write a network, or a queue for each address")
    return [f"{address}={int(queue)}" if equals else str(address) for address in addresses]


def _network(name: str, text: str, item: Any) -> Union[ipaddress.IPv4Network, ipaddress.IPv6Network]:
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise InputError(f"{name}: {item!r} is no network ({error})") from None


def _addresses(name: str, text: str, item: Any) -> List[IPAddress]:
    if "/" in text:
        network = _network(name, text, item)
        if network.num_addresses > _MOST:
            raise InputError(
                f"{name}: {item!r} has more than {_MOST} addresses; write {network}=QUEUE to let them share one queue"
            )
        return list(network.hosts())
    first, dash, last = text.partition("-")
    try:
        low = ipaddress.ip_address(first)
        if not dash:
            return [low]
        separator = ":" if ":" in first else "."
        whole = last if separator in last else first.rpartition(separator)[0] + separator + last
        high = ipaddress.ip_address(whole)
    except ValueError:
        raise InputError(
            f"{name}: {item!r} is not valid; write an address, a range such as 192.168.32.1-18, "
            "or a network such as 192.168.32.0/27"
        ) from None
    if low.version != high.version or int(high) < int(low):
        raise InputError(f"{name}: {item!r} is not valid; the range ends before it begins")
    if int(high) - int(low) >= _MOST:
        raise InputError(f"{name}: {item!r} has more than {_MOST} addresses")
    return [type(low)(number_) for number_ in range(int(low), int(high) + 1)]


def _check_once(name: str, words: Sequence[str]) -> None:
    """Each address and each queue belongs to one client."""
    queues: Dict[str, str] = {}
    networks: List[Tuple[Any, str]] = []
    seen: Dict[str, str] = {}
    for word in words:
        if word == "others=0":
            continue
        address, equals, queue = word.partition("=")
        if address in seen:
            raise InputError(f"{name}: {address} is there twice")
        seen[address] = word
        if equals and queue in queues:
            raise InputError(f"{name}: queue {queue} is given to {queues[queue]} and to {address}")
        if equals:
            queues[queue] = address
        if "/" in address:
            networks.append((ipaddress.ip_network(address), address))
    for network, text in networks:
        for address in seen:
            other = ipaddress.ip_network(address)
            if address != text and other.version == network.version and network.overlaps(other):
                inner, outer = (address, text) if other.prefixlen >= network.prefixlen else (text, address)
                raise InputError(f"{name}: {inner} lies in {outer}, which is a client of its own")
