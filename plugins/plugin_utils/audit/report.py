# SPDX-License-Identifier: GPL-3.0-or-later
"""Show an audit as a page: the fleet, each group, each host with findings, remedies and facts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import yaml

from .. import page
from ..findings import view
from ..findings.judge import merged
from ..findings.model import SEVERITIES
from .fleet import Findings, Room, counts, equal, general, rooms, said, spread, unreachable
from .nics import nic_table
from .stages import stage_tables

# What a card tells beside the evidence: where it is the same, one card is enough for all hosts of a group, or of many.
_TOLD = ("explanation", "action", "remedy", "reference")

Facts = Mapping[str, Mapping[str, Any]]

# On paper: at most three pages, whatever the fleet.
_PAPER_KINDS, _PAPER_ROOMS = 45, 25

# The one in C, where PyYAML has it, is ten times as fast.
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def document(facts: Facts, findings: Findings, when: str) -> str:
    """The whole page."""
    found = rooms(facts, findings)
    away = unreachable(facts)
    sections = [page.Section("overview", "Fleet", _overview(facts, findings, away))]
    if findings:
        sections.append(page.Section("kinds", "What is found", _kinds(findings)))
    sections.append(page.Section("rooms", "Groups", _rooms(found)))
    wide = spread(found, *_TOLD)
    anchors = _anchors(found, wide)
    if wide:
        cards = page.group(*(_shared(same, anchors) for same in wide))
        lead = "What hosts of many groups have, told once."
        sections.append(page.Section("several", "Several groups", cards, lead, False, screen=True))
    once = {id(finding) for same in wide for finding in same}
    sections += [
        page.Section(
            f"room-{index}", room.name, _room(room, facts, anchors, once), _room_lead(room), False, screen=True
        )
        for index, room in enumerate(found)
    ]
    if away:
        lead = "Nothing is known of these hosts."
        sections.append(page.Section("away", "Not reached", _away(facts, away), lead, screen=True))
    shown = [*counts(findings).items()]
    healthy = _healthy(facts, findings, away)
    finder = page.finder([*shown, ("good", healthy)], "Search host, NIC, finding")
    return page.document("Network audit", f"What is wrong, why, and what to write. {when}", sections, finder)


def _healthy(facts: Facts, findings: Findings, away: Sequence[str]) -> int:
    return len(facts) - len(away) - len({finding["host"] for finding in findings})


def _overview(facts: Facts, findings: Findings, away: Sequence[str]) -> page.Html:
    found = counts(findings)
    tiles = [("hosts", len(facts), ""), ("clean", _healthy(facts, findings, away), "good")]
    tiles += [(severity, found.get(severity, 0), severity if severity in found else "") for severity in SEVERITIES[:4]]
    return page.tiles(tiles + ([("not reached", len(away), "")] if away else []))


def _kinds(findings: Findings) -> page.Html:
    hosts: dict[str, Counter[str]] = {}
    for finding in findings:
        hosts.setdefault(finding["id"], Counter())[finding["host"]] += 1
    first = {finding["id"]: finding for finding in reversed(findings)}
    rows = [
        (
            page.badge(first[kind]["severity"], first[kind]["severity"]),
            page.tag("a", first[kind]["title"], href=f"#kind-{kind}"),
            len(names),
        )
        for kind, names in sorted(hosts.items(), key=lambda item: (_rank(first[item[0]]), -len(item[1]), item[0]))
    ]
    return page.table(["severity", "finding", "hosts"], rows, numeric=[2], paper=_PAPER_KINDS)


def _rank(finding: Mapping[str, Any]) -> int:
    return SEVERITIES.index(finding["severity"])


def _rooms(found: Sequence[Room]) -> page.Html:
    rows = [
        (
            page.tag("a", room.name, href=f"#room-{index}"),
            len(room.hosts) + len(room.unreachable),
            sum(not findings for findings in room.hosts.values()),
            _badges(room.findings),
        )
        for index, room in enumerate(found)
    ]
    return page.table(["group", "hosts", "clean", "findings"], rows, numeric=[1, 2], paper=_PAPER_ROOMS)


def _badges(findings: Findings) -> page.Html:
    badges = [page.badge(f"{count} {severity}", severity) for severity, count in counts(findings).items()]
    return page.tag("span", *badges, class_="row") if badges else page.badge("none", "good")


def _room_lead(room: Room) -> str:
    number = len(room.hosts)
    return f"{number} host{'' if number == 1 else 's'} reached, {len(room.findings)} findings"


def _cards(room: Room, once: Collection[int]) -> list[Findings]:
    """What several hosts of a room have, without what is told once for many rooms."""
    findings = [finding for finding in room.findings if id(finding) not in once]
    return [same for same in equal(findings, *_TOLD) if len({finding["host"] for finding in same}) > 1]


def _anchors(found: Sequence[Room], wide: Sequence[Findings]) -> dict[int, str]:
    """For the first card of each kind the place that the overview leads to."""
    firsts: dict[str, int] = {}
    for same in wide:
        firsts.setdefault(same[0]["id"], id(same[0]))
    once = {id(finding) for same in wide for finding in same}
    for room in found:
        cards = _cards(room, once)
        shared = once.union(id(finding) for same in cards for finding in same)
        alone = [one for findings in room.hosts.values() for one in findings if id(one) not in shared]
        for finding in (*(same[0] for same in cards), *alone):
            firsts.setdefault(finding["id"], id(finding))
    return {index: f"kind-{kind}" for kind, index in firsts.items()}


def _room(room: Room, facts: Facts, anchors: Mapping[int, str], once: Collection[int]) -> page.Html:
    clean = [name for name, findings in room.hosts.items() if not findings]
    cards = _cards(room, once)
    shared = {id(finding) for same in cards for finding in same}.union(once)
    blocks = [_shared(same, anchors) for same in cards]
    blocks += [
        _host(name, findings, facts.get(name) or {}, shared, anchors)
        for name, findings in room.hosts.items()
        if findings
    ]
    good = [page.item(_facts(name, facts.get(name) or {}, good=True), tone="good") for name in clean]
    if len(good) > 1:
        good = [page.fold(page.join((f"{len(good)} hosts ", page.badge("no findings", "good"))), *good)]
    return page.group(*blocks, *good)


def _shared(same: Findings, anchors: Mapping[int, str]) -> page.Html:
    """What several hosts have: said once, with what each of them shows."""
    rows = [
        (
            page.tag("a", finding["host"], href=f"#host-{finding['host']}"),
            finding["nic"] or "-",
            said(finding["evidence"]),
        )
        for finding in sorted(same, key=lambda finding: (finding["host"], finding["nic"]))
    ]
    number = len({finding["host"] for finding in same})
    hosts = page.table(["host", "NIC", "evidence"], rows)
    return _card(
        {**same[0], "action": general(same[0], "action"), "anchor": anchors.get(id(same[0]))},
        f"{number} hosts",
        hosts,
        "In host_vars/HOST.yml of each, or once for their group:",
    )


def _host(
    name: str, findings: Findings, facts: Mapping[str, Any], shared: Collection[int], anchors: Mapping[int, str]
) -> page.Html:
    remedy = merged(findings)
    whole = (
        page.details("All remedies of this host together", page.code(_yaml(remedy)))
        if sum(bool(finding["remedy"]) for finding in findings) > 1
        else ""
    )
    title = page.tag("h3", page.tag("span", name), " ", _badges(findings), class_="row")
    own = [
        _finding({**finding, "anchor": anchors.get(id(finding))}) for finding in findings if id(finding) not in shared
    ]
    others = sorted({finding["title"] for finding in findings if id(finding) in shared})
    above = page.tag("p", f"With other hosts, above: {'; '.join(others)}.", class_="soft") if others else ""
    return page.group(title, above, *own, whole, _facts(name, facts), id=f"host-{name}")


def _finding(finding: Mapping[str, Any]) -> page.Html:
    where = " ".join(part for part in (finding["host"], finding["nic"]) if part)
    evidence = page.facts((name, said(value)) for name, value in finding["evidence"].items())
    return _card(finding, where, evidence, f"In host_vars/{finding['host']}.yml:")


def _card(finding: Mapping[str, Any], where: str, evidence: page.Html, file: str) -> page.Html:
    head = page.tag(
        "div",
        page.badge(finding["severity"], finding["severity"]),
        page.tag("strong", finding["title"]),
        page.tag("span", where, class_="soft"),
        class_="row",
    )
    parts = [head, evidence]
    parts += [page.tag("p", finding["explanation"]), page.tag("p", page.tag("strong", "Do: "), finding["action"])]
    if finding["remedy"]:
        parts += [
            page.tag("p", file, class_="soft"),
            page.code(_yaml(finding["remedy"])),
        ]
    about = page.tag("a", "reference", href=finding["reference"], rel="noreferrer")
    parts.append(page.tag("p", page.tag("code", finding["id"]), " · ", about, class_="soft"))
    return page.item(*parts, tone=finding["severity"], class_="card", id=finding["anchor"])


def _yaml(remedy: Mapping[str, Any]) -> str:
    return str(yaml.dump(remedy, Dumper=_DUMPER, sort_keys=False, default_flow_style=False, width=100)).rstrip()


def _facts(name: str, facts: Mapping[str, Any], good: bool = False) -> page.Html:
    summary = page.tag(
        "span",
        page.tag("strong", name) if good else "Facts",
        page.badge("no findings", "good") if good else "",
        page.tag("span", _about(facts), class_="soft"),
        class_="row",
    )
    return page.details(summary, *_parts(facts))


def _about(facts: Mapping[str, Any]) -> str:
    kernel = view.Facts(view.Facts(facts).at("host", "kernel"))
    words = [kernel.text("system"), kernel.text("release"), f"{kernel.count('cpu_count') or '?'} CPUs"]
    return ", ".join(word for word in words if word) if kernel.raw else ""


def _parts(facts: Mapping[str, Any]) -> Iterator[page.Html]:
    known = view.Facts(facts)
    yield nic_table(known.below("nics"))
    yield from stage_tables(facts)
    if known.words("remarks"):
        yield page.tag("p", "Not read: ", "; ".join(known.words("remarks")), class_="soft")
    whole = {key: known.at(key) for key in ("host", "nics") if known.at(key)}
    text = json.dumps(whole, indent=1, sort_keys=True, default=str)
    yield page.details("As nic_info has read them", page.code(text), class_="raw")


def _away(facts: Facts, away: Sequence[str]) -> page.Html:
    rows = [(name, view.Facts(facts.get(name)).text("reason")) for name in away]
    return page.group(page.table(["host", "reason"], rows))
