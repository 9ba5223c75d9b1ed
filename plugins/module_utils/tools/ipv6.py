# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak ip about IPv6 on one NIC: what somebody has given it, and would be gone with its IPv6 (RFC 8200: MTU 1280)."""

from __future__ import annotations

import re
from typing import Container, Dict, List, Mapping, Sequence, Set

from ..schema import Query, Reader
from . import sysctl, sysfs

# Below this the kernel takes IPv6 away from a NIC, with all that was set there, and brings it back empty.
LEAST_MTU = 1280

_ADDRESS = re.compile(r"^\d+:\s+\S+\s+inet6\s+([0-9a-fA-F:.]+)(?: peer ([0-9a-fA-F:.]+))?(/\d{1,3})\s(.*)$")
# How `ip route` says what holds at the moment and cannot be requested; the last two have a word behind them.
_STATES = ("linkdown", "dead", "pervasive", "offload", "offload_failed", "trap", "rt_offload", "rt_trap", "notify")
_WITH_A_WORD = ("error", "users")
_TYPES = ("unicast", "local", "broadcast", "multicast", "throw", "unreachable", "prohibit", "blackhole", "anycast")
_CONF, _NEIGH = "net.ipv6.conf", "net.ipv6.neigh"


def addresses(host: Reader, nic: str) -> Dict[str, str]:
    """The words of `ip -6 address replace` by address, of those that no router and no DHCP server has given."""
    found = {}
    for line in host.ask(Query(("ip", "-6", "-o", "address", "show", "dev", nic))).out.splitlines():
        match = _ADDRESS.match(line.replace("\\", " "))
        words = match[4].split() if match else []
        if not match or {"dynamic", "temporary"}.intersection(words):
            continue
        address = match[1] + (f" peer {match[2]}" if match[2] else "") + match[3]
        kept = [word for word in ("home", "noprefixroute") if word in words]
        metric = words[words.index("metric") : words.index("metric") + 2] if "metric" in words else []
        found[address] = " ".join([address, *metric, *kept, *(["preferred_lft", "0"] if "deprecated" in words else [])])
    return found


def without_route(found: Mapping[str, str]) -> Set[str]:
    """The networks of addresses whose route the kernel was told not to make: somebody makes it in its name."""
    from ipaddress import ip_interface  # an unchanged host does not wait for it

    own = (address.split()[-1] for address, words in found.items() if "noprefixroute" in words.split())
    return {str(ip_interface(address).network) for address in own if "/" in address}


def routes(host: Reader, nic: str, made: Container[str] = ()) -> Dict[str, str]:
    """The words of `ip -6 route replace` by destination, of those that will not expire and the kernel does not make.

    Routes to the networks that are `made` look as if it did.
    """
    found = {}
    for line in host.ask(Query(("ip", "-6", "route", "show", "table", "all", "dev", nic))).out.splitlines():
        words = _lasting(line.split())
        said = dict(zip(words, words[1:]))
        kernels = said.get("proto") == "kernel" and not (words and words[0] in made)
        own = kernels or said.get("table") == "local" or "expires" in words
        # A route over several NICs has a line for each; it stays as long as one of them does.
        if words and not own and not line[:1].isspace() and "nexthop" not in words:
            where = [f"{key} {said[key]}" for key in ("metric", "table") if key in said]
            found[" ".join([*words[: 1 + (words[0] in _TYPES)], *where])] = " ".join(words)
    return found


def _lasting(words: Sequence[str]) -> List[str]:
    kept: List[str] = []
    skip = False
    for word in words:
        if skip or word in _STATES:
            skip = False
        elif word in _WITH_A_WORD:
            skip = True
        else:
            kept.append(word)
    return kept


def parameters(host: Reader, nic: str, desired: Sequence[str] = ()) -> Dict[str, str]:
    """The kernel parameters of the NIC that differ from those of a new one, and those that are requested."""
    found = {}
    for branch in (_CONF, _NEIGH):
        for name in host.names(sysctl.path(sysctl.of_nic(f"{branch}.{sysctl.NIC_NAME}", nic))):
            key = sysctl.of_nic(f"{branch}.{sysctl.NIC_NAME}.{name}", nic)
            usual, now = (host.read(sysctl.path(one)) for one in (f"{branch}.default.{name}", key))
            if now is None or (now == usual and key not in desired):
                continue
            # The MTU of IPv6 is that of the NIC, unless somebody has made it smaller.
            if (branch, name) == (_CONF, "mtu") and now.strip() == sysfs.text(host, f"{sysfs.ROOT}/{nic}/mtu"):
                continue
            found[key] = " ".join(now.split())
    return found
