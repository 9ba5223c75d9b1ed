# SPDX-License-Identifier: GPL-3.0-or-later
"""Know for which use a guide gives a line, where only one of several can hold: the value for latency or for throughput,
for 10G or for 40G, to switch something on or off. Of these the first is taken."""

from __future__ import annotations

import re
from typing import Dict, List, Optional, Sequence, Tuple

from ..model import CONTRADICTS, Line, Setting, Sink, Use
from . import advice
from .wording import FENCE, last_sentence, unmarked

# What a host or a network is used for, or is; it makes of a line of words a case.
_USE = re.compile(
    r"\b(?:latenc(?:y|ies)|latenz|throughput|durchsatz|bandwidth|bulk|stream(?:ing|s)?|gam(?:ing|es?)|interactive"
    r"|real-?time|trading|hft|voip|voice|video|media|backups?|databases?|storage|routers?|gateways?|mixed|balanced"
    r"|general[- ]purpose|desktops?|workstations?|[wl]ans?|long[- ](?:distance|haul)|satellite|wireless|workloads?"
    r"|modes?|profiles?|benchmarks?"
    r"|(?:web|file|mail|game|proxy)[- ]?servers?|clients?|senders?|receivers?|transfers?"
    r"|\d+\s*(?:g|m)(?:b(?:it)?(?:ps|/s)?|b?e|bps)?\+?|\d+\s*gi?b\s+(?:of\s+)?(?:ram|memory))(?![\w-])"
    r"|\u5ef6\u8fdf|\u541e\u5410|\u573a\u666f|\u6a21\u5f0f|\u5e26\u5bbd|\u4e07\u5146|\u5343\u5146"
    r"|\u043f\u0440\u043e\u043f\u0443\u0441\u043a\u043d|\u0437\u0430\u0434\u0435\u0440\u0436",
    re.IGNORECASE,
)
# A line of words that begins as a case does, whatever it names.
_FOR = re.compile(
    r"(?:for|on|f\u00fcr|bei|pour|para|\u0434\u043b\u044f)\s+(?!(?:example|instance|this|that|these|those|it|now|more|all"
    r"|every|each|most|any|both|the\s+(?:first|rest|other|next|last)|persist\w*|permanent\w*|reference|details?|safety"
    r"|(?:a|the)\s+(?:permanent|persistent)|ein(?:e[nrms]?)?\s+beispiel|ejemplo|exemple|top|boot|reboot)\b)\S.*",
    re.IGNORECASE,
)
# What is only tried, or was so once, does not come first.
_NOT_FIRST = re.compile(
    r"\b(?:test(?:s|ing)?|debug\w*|temporar\w*|older?|legacy|previous\w*|before|wrong|bad|defaults?|first(?:ly)?)\b",
    re.IGNORECASE,
)
_ONLY_TRIED = re.compile(r"\b(?:test(?:s|ing)?|debug\w*|troubleshoot\w*|temporar\w*|experiment\w*)\b", re.IGNORECASE)
_PREFERRED = re.compile(r"\b(?:recommend\w*|better|prefer\w*|best|final\w*|now)\b", re.IGNORECASE)
_OPPOSITES = (
    (
        r"\b(?:enabl|activat|aktivier|turn(?:ing)?\s+(?:\w+\s+)?on\b|switch(?:ing)?\s+(?:\w+\s+)?on\b)"
        r"|\u542f\u7528|\u5f00\u542f|\u6253\u5f00|\u0432\u043a\u043b\u044e\u0447",
        r"\b(?:disabl|deactivat|deaktivier|turn(?:ing)?\s+(?:\w+\s+)?off\b|switch(?:ing)?\s+(?:\w+\s+)?off\b)"
        r"|\u7981\u7528|\u5173\u95ed|\u043e\u0442\u043a\u043b\u044e\u0447|\u0432\u044b\u043a\u043b\u044e\u0447",
    ),
    (
        r"\b(?:increas|rais|enlarg|erh\u00f6h)|\u589e\u5927|\u589e\u52a0|\u8c03\u5927|\u0443\u0432\u0435\u043b\u0438\u0447",
        r"\b(?:decreas|reduc|lower|shrink|verringer)|\u51cf\u5c0f|\u51cf\u5c11|\u8c03\u5c0f|\u0443\u043c\u0435\u043d\u044c\u0448",
    ),
)
# What leads to several lines of which one is to be chosen.
_OPTIONS = re.compile(
    r"\b(?:two|three|several|different|following|these)\s+(?:\w+\s+)?(?:options|alternatives|choices|possibilities)\b"
    r"|\b(?:one|any|either)\s+of\s+(?:the|these)\b|\balternatives\b",
    re.IGNORECASE,
)
_EITHER = r"[a-z]*\s*(?:/|\(?or\b|oder\b|\u6216|\u0438\u043b\u0438\b)\s*"
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S|\s*\*\*[^*]+\*\*:?\s*$")
_UNDERLINE = re.compile(r"([=~^\"'*+-])\1{3,}\s*")
_BEHIND = re.compile(r"\S\s+#+\s*(\S.*)$")
_FAR = 60  # lines between two cases of one choice
_NEAR = 4
_TITLE = 8  # words of a heading that names a case


def of(lines: Sequence[Line]) -> Dict[int, Use]:
    """By line, what the words above it, behind it or in the heading of its part say of when it is to be used."""
    found: Dict[int, Use] = {}
    lead = title = block = 0
    said = named = ""  # the words above, and the use that the heading names
    fenced = code = False
    for index, (number, text) in enumerate(lines):
        if FENCE.match(text):
            fenced, block = not fenced, block + (not fenced)
            continue
        if not text.strip():
            code = code and fenced
            continue
        if not advice.is_code(text):
            if not fenced and _is_heading(lines, index):
                block, title, named = block + 1, number, _named(text, heading=True)
                lead, said = 0, ""
            elif not _UNDERLINE.fullmatch(text):
                lead, said = number, advice.words(text) if not code or text.lstrip()[0] == "#" else ""
            code = False
            continue
        code = True
        beside = _BEHIND.search(text)
        own = advice.words(beside[1]) if beside else _label(text)
        if own and _USE.search(own):
            found[number] = Use(number, own, own, block)
            continue
        use = _named(said) if said else ""
        found[number] = Use(lead, said, use or named, block, lead if use or not named else title)
    return found


def _label(text: str) -> str:
    """The few words before the code of an item or of a row of a table."""
    before, mark, _code = text.partition("`")
    words = advice.words(before.replace("|", " ")).rstrip(": \u2013\u2014-") if mark else ""
    return words if len(words.split()) <= _TITLE else ""


def _is_heading(lines: Sequence[Line], index: int) -> bool:
    below = lines[index + 1][1] if index + 1 < len(lines) else ""
    if _UNDERLINE.fullmatch(below):
        return True
    # A comment stands right above what it is about.
    return _HEADING.match(lines[index][1]) is not None and not (below.strip() and advice.is_code(below))


def _named(text: str, heading: bool = False) -> str:
    """The words of a line if they name a case."""
    plain = advice.words(text)
    sentence = last_sentence(unmarked(plain).rstrip(":").strip())
    if heading:
        return plain if len(plain.split()) <= _TITLE and _USE.search(plain) else ""
    return plain if _FOR.fullmatch(sentence) or _USE.search(sentence) else ""


def standing(sink: Sink, settings: Sequence[Setting]) -> List[Setting]:
    """The settings without those that the text gives for another use than earlier ones."""
    held: Dict[object, Setting] = {}
    losing: Dict[int, Setting] = {}  # by line
    instead: Dict[int, Setting] = {}  # the same by what is left out
    parts: Dict[int, Setting] = {}  # the same by the line of the words above
    for one in settings if sink.uses else ():
        before = held.get(one.address) or _adaptive(held, one)
        same = before is not None and before.address == one.address and before.value == one.value
        if before is None or same or not _chosen(sink.uses, before, one):
            held[one.address] = before if before and same else one
            continue
        losing[one.line] = instead[id(one)] = before
        lead = sink.uses[one.line].lead
        if lead != sink.uses[before.line].lead:
            parts.setdefault(lead, before)
    kept = []
    for one in settings:
        lead = sink.uses[one.line].lead if one.line in sink.uses else 0
        winner = instead.get(id(one)) or losing.get(one.line) or parts.get(lead) or _third(sink, one, losing)
        if winner is None or winner.line >= one.line:
            kept.append(one)
            continue
        _tell(sink, one, winner)
    return kept


def _adaptive(held: Dict[object, Setting], one: Setting) -> Optional[Setting]:
    """Where the driver chooses the times of interrupts, no fixed ones hold, and the other way round."""
    if one.family != "coalesce" or one.key[:3] not in ("rx_", "tx_", "ada"):
        return None
    side = one.key[-2:] if one.key.startswith("adaptive") else one.key[:2]
    other = [f"adaptive_{side}"] if one.key[:2] == side else [f"{side}_usecs", f"{side}_frames"]
    found = (held.get((one.nic, one.match, one.family, key)) for key in other)
    drives = one.value is True or one.key[:2] == side
    return next((each for each in found if each and drives and each.value is not False), None)


def _chosen(uses: Dict[int, Use], first: Setting, second: Setting) -> bool:
    """Whether the text lets its reader choose between two lines that set the same."""
    if first.line not in uses or second.line not in uses or first.line >= second.line:
        return False
    one, other = uses[first.line], uses[second.line]
    if _PREFERRED.search(other.words) and not _PREFERRED.search(one.words):
        return False
    if one.lead and one.lead == other.lead:
        both = any(re.search(rf"(?:{on}){_EITHER}(?:{off})", one.words, re.IGNORECASE) for on, off in _OPPOSITES)
        return (both or _OPTIONS.search(one.words) is not None) and second.line - first.line <= _NEAR
    if _NOT_FIRST.search(one.words) or other.lead - first.line > _FAR:
        return False
    if one.block == other.block and (_ONLY_TRIED.search(other.words) or _names_each(first, one, second, other)):
        return True
    if any(_opposite(one.words, other.words, pair) for pair in _OPPOSITES):
        return True
    if one.use and other.use:
        return one.use != other.use
    # A case below what is said for all.
    return bool(other.use) and one.block == other.block and other.by == other.lead and other.lead - first.line <= _NEAR


def _names_each(first: Setting, one: Use, second: Setting, other: Use) -> bool:
    """Whether the words above each line name its value, such as `# BBR` and `# CUBIC`."""
    values = [str(setting.value).partition(" ")[0].lower().replace("_", "") for setting in (first, second)]
    said = [re.findall(r"[\w-]+", use.words.lower()) for use in (one, other)]
    named = all(re.match(r"[a-z]", value) and value in words for value, words in zip(values, said))
    return named and values[1] not in said[0]


def _opposite(one: str, other: str, pair: Tuple[str, str]) -> bool:
    found = [[re.search(word, said, re.IGNORECASE) is not None for word in pair] for said in (one, other)]
    return found in ([[True, False], [False, True]], [[False, True], [True, False]])


def _third(sink: Sink, one: Setting, losing: Dict[int, Setting]) -> Optional[Setting]:
    """For what the text offers in the same block for the same of a NIC, in whatever words: what it stands in for."""
    mine = sink.uses.get(one.line)
    if mine is None or not mine.lead or one.family in ("sysctl", ""):
        return None
    for line, winner in losing.items():
        use, won = sink.uses[line], sink.uses[winner.line]
        same = (winner.nic, winner.match, winner.family) == (one.nic, one.match, one.family)
        if same and line < one.line and use.block == won.block == mine.block and mine.lead not in (use.lead, won.lead):
            return winner
    return None


def _tell(sink: Sink, one: Setting, winner: Setting) -> None:
    """A line is left out, for an earlier one is taken; both say so."""
    words = sink.uses[one.line].use or sink.uses[one.line].words
    if one.address == winner.address:
        sink.gives_way(one, winner, "which the text gives first, for another use")
    else:
        said = f"{one.named} goes with what the text gives for another use than {sink.position(winner.line)}"
        sink.remark(one.line, CONTRADICTS, said)
    short = words if len(words) <= 60 else f"{words[:57]}..."
    sink.note(winner.line, f"for another use, {sink.position(one.line)} has other values: {short}")
