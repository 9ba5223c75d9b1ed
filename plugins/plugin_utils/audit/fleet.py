# SPDX-License-Identifier: GPL-3.0-or-later
"""Order hosts and findings by the smallest group of the inventory that a host is in, such as a classroom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..findings.model import OTHER_END, SEVERITIES
from ..findings.view import Facts as View

Findings = Sequence[Mapping[str, Any]]


class Room(NamedTuple):
    """A classroom: its hosts by name with their findings, worst hosts first, and those that were not reached."""

    name: str
    hosts: Mapping[str, Findings]
    unreachable: Sequence[str]

    @property
    def findings(self) -> Findings:
        """All findings of the room, worst first."""
        found = [finding for findings in self.hosts.values() for finding in findings]
        return sorted(found, key=lambda finding: SEVERITIES.index(finding["severity"]))


def unreachable(facts: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The hosts that did not answer."""
    return sorted(name for name in facts if away(facts, name))


def away(facts: Mapping[str, Mapping[str, Any]], name: str) -> bool:
    """Whether a host did not answer."""
    return bool(View(facts.get(name)).at("unreachable"))


def rooms(facts: Mapping[str, Mapping[str, Any]], findings: Findings) -> list[Room]:
    """All classrooms, those with the worst findings first."""
    by_host: dict[str, list[Mapping[str, Any]]] = {name: [] for name in facts}
    for finding in findings:
        by_host.setdefault(finding["host"], []).append(finding)
    sizes = Counter(group for host in facts.values() for group in View(host).words("groups"))
    members: dict[str, list[str]] = {}
    for name in by_host:
        groups = View(facts.get(name)).words("groups")
        members.setdefault(
            min(groups, key=lambda group: (sizes[group], group), default="hosts in no group"), []
        ).append(name)
    found = [
        Room(
            room,
            {
                name: by_host[name]
                for name in sorted(names, key=lambda name: (_weight(by_host[name]), name))
                if not away(facts, name)
            },
            [name for name in sorted(names) if away(facts, name)],
        )
        for room, names in members.items()
    ]
    return sorted(found, key=lambda room: (_weight(room.findings), room.name))


def _weight(findings: Findings) -> tuple[int, ...]:
    """Smaller is worse: the number of findings of each severity, negated, worst severity first."""
    counts = Counter(finding["severity"] for finding in findings)
    return tuple(-counts[severity] for severity in SEVERITIES)


def counts(findings: Findings) -> dict[str, int]:
    """How many findings of each severity, worst first, of those that there are."""
    found = Counter(finding["severity"] for finding in findings)
    return {severity: found[severity] for severity in SEVERITIES if found[severity]}


def equal(findings: Findings, *parts: str) -> list[Findings]:
    """The findings that are the same but for host, NIC and evidence, or also in other parts, in the order they come."""
    found: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for finding in findings:
        key = tuple(general(finding, part) for part in ("severity", "id", "title", *parts))
        # Numbers differ from host to host; a message is what has to be read.
        key += (str(finding["evidence"].get("message", "")),)
        found.setdefault(key, []).append(finding)
    return list(found.values())


# Groups from which on what their hosts share is told once, for all of them.
_MANY = 4


def spread(found: Sequence[Room], *parts: str) -> list[Findings]:
    """What hosts of many groups have, worst first: the findings that are the same, as `equal` has it."""
    where = {id(finding): room.name for room in found for finding in room.findings}
    every = sorted(
        (finding for room in found for finding in room.findings),
        key=lambda finding: (SEVERITIES.index(finding["severity"]), finding["id"], finding["host"], finding["nic"]),
    )
    return [same for same in equal(every, *parts) if len({where[id(finding)] for finding in same}) >= _MANY]


def general(finding: Mapping[str, Any], part: str) -> str:
    """A part of a finding without the port of the switch, which each host has of its own."""
    return str(finding[part]).partition(f" {OTHER_END}")[0]


def said(value: Any) -> str:
    """A piece of evidence on one line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {said(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(said(item) for item in value)
    return str(value)
