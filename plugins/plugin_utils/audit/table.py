# SPDX-License-Identifier: GPL-3.0-or-later
"""Show findings as a table in a terminal: by classroom, worst first, one line for what several hosts have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import drift
from ..results import listed
from .fleet import Findings, counts, equal, rooms, said, unreachable

# As much evidence as fits beside the rest on a wide terminal; the report has all of it.
_EVIDENCE = 100

# More names fill a terminal; the report has all of them.
_NAMES = 50


def lines(facts: Mapping[str, Mapping[str, Any]], findings: Findings, differences: bool = False) -> list[str]:
    """A line that sums up; each classroom with its findings; before that, if requested, each value that differs."""
    away = unreachable(facts)
    told = [*(_differences(facts, findings) if differences else ()), *_profiles(findings)]
    told.append(_summary(len(facts), len(away), findings))
    for room in rooms(facts, findings):
        if room.findings:
            rows = [_row(same) for same in equal(room.findings)]
            told += ["", f"{room.name}: {_counted(room.findings)}", *_align(rows)]
    if away:
        told += ["", f"not reached: {', '.join(away)}"]
    return told


def _differences(facts: Mapping[str, Mapping[str, Any]], findings: Findings) -> Iterator[str]:
    """First, because it may be long, and the end is what a person sees."""
    for host in sorted({finding["host"] for finding in findings if finding["id"] == "differs-from-inventory"}):
        tune = (facts.get(host) or {}).get("tune") or {}
        if "before" in tune and "unsupported" in tune:
            first, *rest = drift.table(tune)
            yield from (f"{host}: {first}", *rest, "")


def _profiles(findings: Findings) -> Iterator[str]:
    """All that differs from a profile, and why it matters: it was requested by name."""
    for finding in findings:
        if finding["id"] == "differs-from-profile":
            rows = {name: text for name, text in finding["evidence"].items() if name != "profile"}
            yield f"{finding['host']} against {finding['evidence'].get('profile', 'a profile')}:"
            yield from (f"  {name}: {text}" for name, text in rows.items())
            yield ""


def _summary(hosts: int, away: int, findings: Findings) -> str:
    clean = hosts - away - len({finding["host"] for finding in findings})
    parts = [f"{hosts} host{'' if hosts == 1 else 's'}", _counted(findings), f"{clean} without a finding"]
    return "; ".join(parts + ([f"{away} not reached"] if away else []))


def _counted(findings: Findings) -> str:
    return ", ".join(f"{count} {severity}" for severity, count in counts(findings).items()) or "no findings"


def _row(same: Findings) -> list[str]:
    hosts = sorted({finding["host"] for finding in same})
    nics = sorted({finding["nic"] or "-" for finding in same})
    who = hosts[0] if len(hosts) == 1 else f"{len(hosts)} hosts"
    nic = nics[0] if len(nics) == 1 else f"{len(nics)} NICs"
    return [same[0]["severity"], who, nic, _what(same) + (_on(hosts) if len(hosts) > 1 else "")]


def _what(same: Findings) -> str:
    message = str(same[0]["evidence"]["message"]) if set(same[0]["evidence"]) == {"message"} else ""
    evidence = message or said(same[0]["evidence"])
    # A message is a sentence, whose end says what would be valid.
    short = evidence if message or len(evidence) <= _EVIDENCE else f"{evidence[: _EVIDENCE - 3]}..."
    word = "" if all(finding["evidence"] == same[0]["evidence"] for finding in same) else "one has: "
    return " ".join(f"{same[0]['title']} ({word}{short})".split())


def _on(hosts: Sequence[str]) -> str:
    return f": {listed(hosts, _NAMES)}"


def _align(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[3]]) for row in rows]
