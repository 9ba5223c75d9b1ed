# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak iptables: how many rules there are, how many are there twice, and what becomes of a bridged packet.

By its program that saves the rules, which, unlike one that lists a table, does not have the kernel make that table.
"""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from ..schema import Query


def saved(program: str = "iptables") -> Query:
    """The rules of iptables or ip6tables, with their counters."""
    return Query((f"{program}-save", "-c"), 20)


_RULE = re.compile(r"(?:\[(\d{1,19}):\d+\] )?-A (\S+) ?(.*)")
_WORD = re.compile(r"\"(?:[^\"\\]|\\.)*\"|\S+")
_POLICY = re.compile(r":(\S+) (\S+) \[(\d{1,19}):\d+\]")


def count(text: str) -> Dict[str, int]:
    """The `rules` of all tables, and those `doubled`; empty where there are none."""
    rules = [match[2] + " " + match[3] for match in map(_RULE.match, text.splitlines()) if match]
    return {"rules": len(rules), "doubled": len(rules) - len(set(rules))} if rules else {}


# What a packet meets: the end of its way, the way back to the chain before, or a rule that decides by more than is
# known of it.
_ACCEPT, _DROP, _RETURN, _DOUBT = "ACCEPT", "DROP", "RETURN", "doubt"
# Targets after which the next rule is asked.
_GO_ON = ("LOG", "NFLOG", "ULOG", "MARK", "CONNMARK", "CT", "TCPMSS", "TRACE", "SET", "AUDIT", "")
# Options that say nothing of the packet.
_SILENT = ("-m", "--comment", "--reject-with", "--log-prefix", "--log-level")


class _Rule(NamedTuple):
    applies: bool
    doubtful: bool
    target: str
    packets: int


# The end of a way, and how many packets went there, whatever they were.
_End = Tuple[str, int]


def dropped_bridged(text: str, bridge: str) -> Optional[int]:
    """How many packets were dropped where surely the first one of TCP from a port of a bridge to another one is.

    With br_netfilter such a packet comes by the bridge and leaves by it. None where it passes, or where a rule decides
    by more than that, such as by addresses.
    """
    chains: Dict[str, List[_Rule]] = {}
    policies: Dict[str, _End] = {}
    table = ""
    for line in text.splitlines():
        table = line if line.startswith("*") else table
        policy, rule = _POLICY.match(line), _RULE.match(line)
        if table == "*filter" and policy:
            chains.setdefault(policy[1], [])
            policies[policy[1]] = (policy[2], int(policy[3]))
        elif table == "*filter" and rule:
            # A comment is one word, whatever is in it.
            words = _WORD.findall(rule[3])
            if any('"' in word and not word.endswith('"') for word in words):
                return None
            chains.setdefault(rule[2], []).append(_rule(words, bridge, int(rule[1] or 0)))
    end, packets = _walk("FORWARD", chains, set())
    if end == _RETURN:
        end, packets = policies.get("FORWARD", (_ACCEPT, 0))
    return packets if end == _DROP else None


def _rule(words: Sequence[str], bridge: str, packets: int) -> _Rule:
    applies, doubtful, target, other_way = True, False, "", False
    rest = iter(words)
    for word in rest:
        if word == "!":
            other_way = True
            continue
        if word in ("-i", "-o"):
            applies = applies and _named(next(rest, ""), bridge) != other_way
        elif word in ("--ctstate", "--state"):
            applies = applies and ("NEW" in next(rest, "").split(",")) != other_way
        elif word == "-p":
            applies = applies and (next(rest, "") in ("tcp", "6", "all")) != other_way
        elif word == "--physdev-is-bridged":
            applies = applies and not other_way
        elif word == "-j":
            target = next(rest, "")
        elif word == "-g":
            # From there a packet does not come back to this chain, but to the one before it.
            target = _DOUBT
        elif word in _SILENT:
            next(rest, "")
        else:
            doubtful = True
        other_way = False
    return _Rule(applies, doubtful, target, packets)


def _named(pattern: str, bridge: str) -> bool:
    return bridge.startswith(pattern[:-1]) if pattern.endswith("+") else bridge == pattern


def _walk(chain: str, chains: Mapping[str, Sequence[_Rule]], above: Set[str]) -> _End:
    for rule in chains.get(chain, ()):
        if not rule.applies or rule.target in _GO_ON:
            continue
        end, packets = _DROP if rule.target == "REJECT" else rule.target, rule.packets
        if end in chains:
            if end in above:
                return _DOUBT, 0
            end, packets = _walk(end, chains, {*above, chain})
            if end == _RETURN:
                continue
        if end not in (_ACCEPT, _DROP, _RETURN):
            return _DOUBT, 0
        # Only a part of the packets is dropped by it.
        if rule.doubtful and end == _DROP:
            continue
        return (_DOUBT, 0) if rule.doubtful else (end, packets)
    return _RETURN, 0
