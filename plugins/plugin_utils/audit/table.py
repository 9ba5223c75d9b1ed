# SPDX-License-Identifier: GPL-3.0-or-later
"""Show findings as a table in a terminal: by classroom, worst first, one line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import drift
from .fleet import Findings, counts, rooms, said, unreachable

# As much evidence as fits beside the rest on a wide terminal; the report has all of it.
_EVIDENCE = 100


def lines(facts: Mapping[str, Mapping[str, Any]], findings: Findings) -> list[str]:
    """What differs from the inventory, host by host; a line that sums up; each classroom with its findings."""
    away = unreachable(facts)
    told = [*_differences(facts, findings), _summary(len(facts), len(away), findings)]
    for room in rooms(facts, findings):
        if room.findings:
            rows = [[finding["severity"], *_where(finding), _what(finding)] for finding in room.findings]
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


def _summary(hosts: int, away: int, findings: Findings) -> str:
    clean = hosts - away - len({finding["host"] for finding in findings})
    parts = [f"{hosts} host{'' if hosts == 1 else 's'}", _counted(findings), f"{clean} without a finding"]
    return "; ".join(parts + ([f"{away} not reached"] if away else []))


def _counted(findings: Findings) -> str:
    return ", ".join(f"{count} {severity}" for severity, count in counts(findings).items()) or "no findings"


def _where(finding: Mapping[str, Any]) -> tuple[str, str]:
    return finding["host"], finding["nic"] or "-"


def _what(finding: Mapping[str, Any]) -> str:
    evidence = said(finding["evidence"])
    short = evidence if len(evidence) <= _EVIDENCE else f"{evidence[: _EVIDENCE - 3]}..."
    return " ".join(f"{finding['title']} ({short})".split())


def _align(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[3]]) for row in rows]
