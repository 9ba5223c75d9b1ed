# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell what keeps a host from forwarding packets as a router: the switch of the kernel, and the firewall in force.

What is certain is an obstacle. What only might be one, because a person's rules decide, is a doubt.
"""

from __future__ import annotations

import json
import re
from typing import Iterator, List, NamedTuple, Sequence, Tuple

from ..schema import Answer, Query, Reader
from . import optional


class Found(NamedTuple):
    """Sentences about one host."""

    obstacles: List[str]
    doubts: List[str]


def look(host: Reader, owned: Sequence[Tuple[str, str]]) -> Found:
    """What is known of a host that has these addresses of routers, each with its NIC."""
    families = sorted({"ip6" if ":" in address else "ip" for _nic, address in owned})
    obstacles = [*_switched_off(host, owned)]
    doubts: List[str] = []
    if _ask(host, "firewall-cmd", "--state").rc == 0:
        return Found(obstacles, ["firewalld decides by its zones what it forwards"])
    for name, drops, passes in (*_iptables(host, families), *_nft(host, families)):
        if drops and not passes:
            obstacles.append(f"{name} drops whatever is forwarded: its policy is drop, and no rule accepts a new one")
        elif drops:
            doubts.append(f"{name} drops what no rule of it accepts")
    return Found(obstacles, doubts)


def _switched_off(host: Reader, owned: Sequence[Tuple[str, str]]) -> Iterator[str]:
    for nic, address in owned:
        # IPv4 asks the NIC that a packet comes by; IPv6 one switch for all, and since 6.17 that of the NIC as well.
        switches = [f"ipv6/conf/{nic}/force_forwarding", "ipv6/conf/all/forwarding"]
        switches = switches if ":" in address else [f"ipv4/conf/{nic}/forwarding"]
        values = [(host.read(f"/proc/sys/net/{switch}") or "").strip() for switch in switches]
        if values[-1] == "0" and "1" not in values:
            family = "IPv6" if ":" in address else "IPv4"
            yield f"it does not forward {family} (net.{switches[-1].replace('/', '.')} is 0)"


def _ask(host: Reader, *argv: str) -> Answer:
    return optional.ask(host, Query(argv, 20))


_PROGRAMS = {"ip": "iptables", "ip6": "ip6tables"}


def _iptables(host: Reader, families: Sequence[str]) -> Iterator[Tuple[str, bool, bool]]:
    for family in families:
        rules = _ask(host, _PROGRAMS[family], "-S", "FORWARD").out.splitlines()
        if rules:
            yield _PROGRAMS[family], rules[0] == "-P FORWARD DROP", any(map(_accepts, rules[1:]))


def _nft(host: Reader, families: Sequence[str]) -> Iterator[Tuple[str, bool, bool]]:
    try:
        items = json.loads(_ask(host, "nft", "-j", "list", "chains").out)["nftables"]
    except (ValueError, TypeError, KeyError):
        return
    for item in items:
        chain = item.get("chain", {})
        own = chain.get("hook") == "forward" and chain.get("family") in ("inet", *families)
        # Those of iptables are told in its own words.
        if own and chain.get("policy") == "drop" and (chain["table"], chain["name"]) != ("filter", "FORWARD"):
            where = (chain["family"], chain["table"], chain["name"])
            rules = _ask(host, "nft", "list", "chain", *where).out.splitlines()
            yield f"the chain {' '.join(where)} of nftables", True, any(map(_accepts, rules))


def _accepts(rule: str) -> bool:
    """Whether a rule may let a new connection through; one for replies does not, and what it jumps to may."""
    replies = re.search(r"\b(?:ct ?state|--state)\b", rule) and not re.search(r"\bnew\b", rule, re.IGNORECASE)
    ends = re.search(r"(?:^|\s)(?:-j|-g) (?!DROP|REJECT|LOG|NFLOG)\S+|\b(?:accept|jump|goto|vmap)\b", rule)
    return bool(ends) and not replies
