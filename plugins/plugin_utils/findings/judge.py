# SPDX-License-Identifier: GPL-3.0-or-later
"""Judge a fleet by all rules: the findings as plain data, worst first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..plain import plain
from .desired import against, desires
from .model import OTHER_END, SEVERITIES, Hit, Rule
from .registry import rules
from .view import Fleet, Host


def findings(facts: Any, measured: Any = None) -> list[dict[str, Any]]:
    """What is wrong with the hosts whose facts these are, and what to write in the inventory."""
    fleet = Fleet(facts, measured)
    groups = {host.name: host.groups for host in fleet.hosts}
    hosts = {host.name: host for host in fleet.hosts}
    found = [
        _told(told, _fair(told, hit, hosts[host]), hosts[host], groups)
        for rule in rules()
        for told, host, hit in _hits(rule, fleet)
    ]
    made: list[dict[str, Any]] = plain(sorted(found, key=_rank))
    return made


# A rule is written so that it cannot fail, and tests damage facts to prove it; if one does, one host has a note more.
FAILED = Rule(
    id="rule-failed",
    severity="note",
    title="A rule could not judge the host",
    condition="a rule has failed on the facts of the host",
    explanation="Something in the facts is not what any rule expects. All other rules and hosts are judged.",
    action="Report it with the facts of this host, which are in audit.json.",
    reference="https://docs.ansible.com/ansible/latest/community/reporting_bugs_and_features.html",
)


def _hits(rule: Rule, fleet: Fleet) -> Iterator[tuple[Rule, str, Hit]]:
    if rule.host:
        for host in fleet.hosts:
            try:
                hits = list(rule.host(host))
            except Exception as error:
                yield FAILED, host.name, _stumbled(rule, error)
                continue
            yield from ((rule, host.name, hit) for hit in hits)
    if rule.fleet and fleet.hosts:
        try:
            hits = list(rule.fleet(fleet))
        except Exception as error:
            yield FAILED, fleet.hosts[0].name, _stumbled(rule, error)
            return
        yield from ((rule, hit.host, hit) for hit in hits)


def _stumbled(rule: Rule, error: Exception) -> Hit:
    return Hit({"rule": rule.id, "error": f"{type(error).__name__}: {error}"})


def _fair(rule: Rule, hit: Hit, host: Host) -> Hit:
    """What the inventory asks for is a note at most, unless losses prove that it does harm now."""
    other = against(host, hit.remedy)
    if not host.interval and desires(host, hit.mends) and (other or not hit.remedy):
        return hit._replace(severity="note", remedy={}, action=f"{_PAST} {hit.action or rule.action}")
    desired = {} if rule.proven else other
    if not desired or (hit.severity or rule.severity) == "note":
        return hit
    words = ", ".join(f"{key}: {value}" for key, value in desired.items())
    return hit._replace(evidence={**hit.evidence, "the inventory asks for": words}, severity="note")


_PAST = (
    "The inventory asks for what ends it, and counters since the boot may tell of the time before: see with "
    "`audit_interval` whether it goes on. If it does:"
)


def _ends(rule: Rule, hit: Hit, host: Host) -> str:
    """The ports of the switch that a finding is about."""
    ports = {nic.name: nic.switch_port for nic in host.under(hit.nic) if nic.switch_port} if rule.switch else {}
    if list(ports) == [hit.nic]:
        return ports[hit.nic]
    return "; ".join(f"{name}: {port}" for name, port in ports.items())


def _told(rule: Rule, hit: Hit, host: Host, groups: Mapping[str, list[str]]) -> dict[str, Any]:
    ends = _ends(rule, hit, host)
    found: dict[str, Any] = {
        "id": rule.id,
        "severity": hit.severity or rule.severity,
        "host": host.name,
        "groups": groups.get(host.name, []),
        "nic": hit.nic,
        "title": rule.title,
        "evidence": {**hit.evidence, **({"switch port": ends} if ends else {})},
        "explanation": rule.explanation,
        "action": (hit.action or rule.action) + (f" {OTHER_END}{ends}." if ends else ""),
        "remedy": dict(hit.remedy),
        "reference": rule.reference,
    }
    return found


def _rank(finding: Mapping[str, Any]) -> tuple[int, str, str, str]:
    return SEVERITIES.index(finding["severity"]), finding["host"], finding["id"], finding["nic"]


def merged(found: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The remedies of one host as one: entries of the same NIC become one entry."""
    whole: dict[str, Any] = {}
    nics: dict[str, dict[str, Any]] = {}
    for finding in found:
        for name, value in finding["remedy"].items():
            if name == "tuning_host_nics":
                for entry in value:
                    _overlay(nics.setdefault(entry["name"], {}), entry)
            elif isinstance(value, Mapping):
                _overlay(whole.setdefault(name, {}), value)
            else:
                whole[name] = value
    return {**({"tuning_host_nics": [nics[name] for name in sorted(nics)]} if nics else {}), **whole}


def _overlay(below: dict[str, Any], above: Mapping[str, Any]) -> None:
    for key, value in above.items():
        if isinstance(value, Mapping) and isinstance(below.get(key), dict):
            _overlay(below[key], value)
        elif key == "at_least" and key in below:
            below[key] = _larger(below[key], value)
        else:
            # What is said first is said by the worse finding.
            below.setdefault(key, dict(value) if isinstance(value, Mapping) else value)


def _larger(one: Any, other: Any) -> Any:
    """What satisfies both of two lower bounds."""
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [max(pair) for pair in zip(one, other)]
    return max(one, other) if isinstance(one, int) and isinstance(other, int) else one
