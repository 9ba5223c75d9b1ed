# SPDX-License-Identifier: GPL-3.0-or-later
"""Know for which of several hosts a text gives a line: by the host of a prompt, a label such as `DB:`, the heading of
its part, or words above it such as "On the sender:"."""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple, Sequence, Tuple

from .. import role_words
from ..calls import sentences
from ..model import Case, Line, Sink
from . import advice, numbered
from .wording import FENCE, frames, unmarked

_AT_A_PROMPT = re.compile(
    r"\s*(?:\(\w+\)\s*)?(?:\[?[\w.-]+@([A-Za-z][\w.-]*)[ :~][^#$]{0,40}[#$]"
    r"|\[?([A-Za-z][\w-]*\d)\]?(?::\S*)?\s?[#$>])\s+\S"
)
_ON = r"(?:(?:then|now|next|finally|also),?\s+)?(?:on|at)"
_THEN = r"(?:,?\s*(?:run|type|execute|use|do|set|enter|issue)(?:\s+(?:this|the\s+following|these)(?:\s+\w+)?)?)?"
_LEADS = re.compile(rf"{_ON}\s+(?P<who>.+?){_THEN}", re.IGNORECASE)
# What a heading says beside the host.
_ABOUT = re.compile(
    r"^(?:for|on|at|configur\w+|tuning|setting\s+up|prepar\w+|setup(?:\s+of)?)\s+(?:the\s+)?"
    r"|\s+(?:side|setup|set-?up|config\w*|settings?|tuning|tweaks?|commands?|parameters?|optimi[sz]ation|steps?|script)\b",
    re.IGNORECASE,
)
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S|={2,6}\s+\S|\s*\*\*[^*`]+\*\*\s*:?\s*$|\s*__[^_`]+__\s*:?\s*$")
_LABEL = re.compile(
    r"\s*(?:(?P<sign>[-*+]|#+|\d+[.)])\s*)?[*_]*(?P<name>\w[\w .()/-]{0,30}?)"
    r"[*_]*\s?[:\uff1a][*_]*(?:\s+(?P<rest>\S.*))?$"
)
_ROW = re.compile(r"\s*\|(?P<sign>)\s*[*_]*(?P<name>\w[\w .()/-]{0,30}?)[*_]*\s*\|\s*(?P<rest>\S.*)")
_ADDRESS = re.compile(r"\(?(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]{0,4}(?::[\da-f]{0,4}){2,7})(?:/\d+)?\)?")
_OF_ALL = re.compile(r"\W*(?:on\s+|for\s+)?(?:both|all|every|each|common|general)\b", re.IGNORECASE)
_SAID = "the text gives it for {}, one of several hosts"


class _Found(NamedTuple):
    kind: str
    name: str
    shown: str


def told(sink: Sink, lines: Sequence[Line], is_script: bool) -> None:
    """Keep for which host each line is, where a text is for several of them."""
    found = _by_line(lines, is_script)
    for kind in ("prompt", "words"):
        named = {number: one for number, one in found if one.kind == kind}
        names = {one.name for one in named.values()}
        # A label that names no role is that of a host beside others that do.
        if len(names) < 2 or (kind == "words" and not any(role_words.of_a_part(one.shown) for one in named.values())):
            continue
        for number, one in named.items():
            branch, caveats = sink.cases.get(number, ((), ()))
            case = Case(_SAID.format(one.shown))
            sink.cases[number] = ((*branch, *sink.case(kind, one.name, case)), caveats)


def _by_line(lines: Sequence[Line], is_script: bool) -> List[Tuple[int, _Found]]:
    found: List[Tuple[int, _Found]] = []
    headings: List[Tuple[int, str]] = []  # the levels and hosts of those around a line, the innermost last
    lead, fenced, before = "", False, ""
    labels = _labels(lines) if not is_script else {}
    for number, text in lines:
        if FENCE.match(text):
            fenced = not fenced
            continue
        prompt = _AT_A_PROMPT.match(text)
        if prompt:
            name = (prompt[1] or prompt[2]).lower()
            found.append((number, _Found("prompt", name, name)))
        # What follows a command at once is a comment.
        titled = not (before.strip() and text[:1] == "#" and advice.is_code(before))
        before = text
        if not text.strip() or frames(text):
            continue
        if number in labels:
            name, rest = labels[number]
            lead = lead if rest else name
            if rest:
                found.append((number, _Found("words", _plain(name), name)))
        elif not fenced and not is_script and titled and _HEADING.match(text):
            depth, lead = numbered.level(text), ""
            headings = [one for one in headings if one[0] < depth]
            headings.append((depth, _host(_ABOUT.sub("", unmarked(text).rstrip(":")))))
        elif (not advice.is_code(text) and not (fenced and (headings or lead) and text[:1] != "#")) or text.lstrip()[
            0
        ] == "#":
            comment = text.lstrip()[0] == "#"
            leads = _LEADS.fullmatch(unmarked(advice.words(text)).rstrip(":,. \uff1a"))
            who = _host(leads["who"]) if leads else ""
            lead = who or ("" if leads or not (comment or fenced) or _OF_ALL.match(text) else lead)
        else:
            name = lead or next((host for _depth, host in reversed(headings) if host), "")
            if name:
                found.append((number, _Found("words", _plain(name), name)))
    return found


def _labels(lines: Sequence[Line]) -> Dict[int, Tuple[str, str]]:
    """By line, a label of a host and the command behind it, if a text has labels for several."""
    found: Dict[int, Tuple[str, str]] = {}
    for number, text in lines:
        label = _LABEL.match(text) or _ROW.match(text)
        if not label or len(label["name"].split()) > 3 or advice.is_code(f"{label['name']}:"):
            continue
        name, rest = label["name"], _ADDRESS.sub("", label["rest"] or "").rstrip(" |")
        command = bool(rest) and sentences.holds_a_setting(rest) and advice.is_code(rest)
        alone = (label["sign"] or "")[:1] not in ("#", "|") and re.fullmatch(r"[A-Z]{2,5}\d?|[A-Z][a-z]+\d*", name)
        if (role_words.of_a_part(name) or alone) and (command or not rest):
            found[number] = (name, rest)
    roles = {role_words.of_a_part(name) for name, _rest in found.values()} - {""}
    alike = {number: one for number, one in found.items() if role_words.of_a_part(one[0])}
    return found if len(roles) > 1 else alike


def _host(words: str) -> str:
    """The host or role that words name, and nothing else; empty where they name none, or all."""
    plain = re.sub(r"^(?:the|each|every|an?|your|my|our)\s+|[`*_\"']", "", words.strip(), flags=re.IGNORECASE)
    plain = re.sub(r"\s*\([^()]*\)$", "", plain)
    return plain if len(plain.split()) <= 3 and role_words.of_a_part(plain) else ""


def _plain(name: str) -> str:
    """A name without what differs between its mentions."""
    bare = re.sub(r"\b(?:side|machine|host|node|server|system|vm|box|pc)s?\b", "", name.lower()).strip()
    return re.sub(r"s$", "", bare or name.lower())
