# SPDX-License-Identifier: GPL-3.0-or-later
"""The words by which texts and inventories name what a host is for, or the host itself."""

from __future__ import annotations

import re
from typing import Dict, Iterable

_WORDS = """
web www http frontend backend app application api db database mysql mariadb postgres postgresql redis mongo mongodb
cassandra kafka elastic elasticsearch cache memcached proxy haproxy nginx lb loadbalancer balancer router gateway
firewall storage ceph osd mon mds nfs compute controller master slave worker minion primary secondary replica standby
leader follower server client sender receiver initiator generator dut sut attacker victim tester
head login hypervisor edge bastion broker node
host
"""
ROLES = frozenset(_WORDS.split())
_ENDS = re.compile(r"(?<=..)(?:servers?|nodes?|hosts?|s|\d+)$")
# One of several of a kind: "node 1", "host B", "the second machine".
_ONE = re.compile(
    r"(?:node|host|machine|server|vm|box|computer|system|pc|client)[\s_-]?(?:\d{1,2}|[a-d])\b", re.IGNORECASE
)
# What may stand beside them.
_BESIDE_WORDS = """
side machine machines vm vms box the first second other local remote system
"""
_BESIDE = frozenset(_BESIDE_WORDS.split())

# Words that name a program or a topic as well, unless a word for a host follows: "Firewall", "Redis nodes".
_TOPIC_WORDS = """
http app application api mysql mariadb postgres postgresql redis mongo mongodb cassandra kafka elastic elasticsearch
cache memcached proxy haproxy nginx firewall storage ceph osd mon mds nfs head login edge broker node host
"""
_TOPICS = frozenset(_TOPIC_WORDS.split())


def of(words: str) -> str:
    """The role that words name, which have nothing beside it; empty where they name none."""
    if _ONE.fullmatch(words.strip()):
        return words.strip().lower()
    parts = [part for part in re.split(r"[_\-./ ]+", words.lower()) if part]
    whole = _ENDS.sub("", "".join(parts))
    if whole in ROLES:
        return whole
    names = [part if part in ROLES else _ENDS.sub("", part) for part in parts]
    if not all(name in ROLES or part in _BESIDE for name, part in zip(names, parts)):
        return ""
    return next((name for name in names if name in ROLES), "")


def of_a_part(words: str) -> str:
    """The same of the title of a part of a text, which may be about a program or a topic."""
    found = of(words)
    return "" if words.strip().lower().rstrip("s") in _TOPICS else found


def within(name: str) -> str:
    """The role that a key is for, such as `sysctl_webservers` or `db`; empty where it names none."""
    return of(name) or next(filter(None, map(of, re.split(r"[_\-. ]+", name))), "")


def among(names: Iterable[str]) -> Dict[str, str]:
    """By name, the roles of those that are called after several: `configure_web`, `configure_db`."""
    roles = {name: within(name) for name in names}
    surely = {role for role in roles.values() if of_a_part(role)}
    return {name: role for name, role in roles.items() if role} if len(surely) > 1 else {}
