# SPDX-License-Identifier: GPL-3.0-or-later
"""Show findings as a table in a terminal: by group, worst first, one line for what several hosts have.

Below it stand the lines to paste, where they are the same for all of these hosts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from .. import drift
from ..findings.view import Facts as View
from ..results import listed
from .fleet import Findings, counts, equal, rooms, said, spread, unreachable

# As much evidence as fits beside the rest on a wide terminal; the report has all of it.
_EVIDENCE = 100

# Longer lines to paste are for the report.
_REMEDY = 200

# More names fill a terminal; the report has all of them.
_NAMES = 50


def lines(facts: Mapping[str, Mapping[str, Any]], findings: Findings, differences: bool = False) -> list[str]:
    """A line that sums up; what many groups share; each group; before that, if requested, each value that differs."""
    away = unreachable(facts)
    told = [*(_differences(facts, findings) if differences else ()), *_profiles(findings)]
    told.append(_summary(len(facts), len(away), findings))
    found = rooms(facts, findings)
    shared = spread(found)
    once = {id(finding) for same in shared for finding in same}
    told += _block("several groups", shared)
    for room in found:
        told += _block(room.name, equal([finding for finding in room.findings if id(finding) not in once]))
    if away:
        told += ["", *_away(facts, away)]
    return told


def _away(facts: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> Iterator[str]:
    """The hosts that did not answer; of those that did and could not be read, no callback has told the reason."""
    unread: dict[str, list[str]] = {}
    for name in names:
        host = View(facts.get(name))
        if host.words("remarks"):
            unread.setdefault(host.text("reason"), []).append(name)
    silent = [name for name in names if not any(name in hosts for hosts in unread.values())]
    if silent:
        yield f"not reached: {', '.join(silent)}"
    for reason, hosts in unread.items():
        yield f"could not be read: {', '.join(hosts)} ({reason})"


def _block(name: str, rows: Sequence[Findings]) -> list[str]:
    if not rows:
        return []
    told = ["", f"{name}: {_counted([finding for same in rows for finding in same])}"]
    for same, line in zip(rows, _align([_row(same) for same in rows])):
        told += [line, *_lines(same)]
    return told


def _lines(same: Findings) -> Iterator[str]:
    """What to paste, where it is the same for all; a note is not worth the place, and the report has all."""
    first = same[0]
    if first["severity"] != "note" and all(finding["remedy"] == first["remedy"] for finding in same):
        for key, value in first["remedy"].items():
            flow = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=1 << 16).strip()
            if len(flow) <= _REMEDY:
                yield f"  {key}: {flow}"


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
    parts = [f"{hosts} host{'' if hosts == 1 else 's'}", _counted(findings)]
    parts += [f"{clean} without a finding"] if findings and clean else []
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
    word = "" if all(finding["evidence"] == same[0]["evidence"] for finding in same) else "for example "
    return " ".join(f"{same[0]['title']} ({word}{short})".split())


def _on(hosts: Sequence[str]) -> str:
    return f": {listed(hosts, _NAMES)}"


def _align(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[3]]) for row in rows]
