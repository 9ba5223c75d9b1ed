# SPDX-License-Identifier: GPL-3.0-or-later
"""Know for which use a guide gives a line, where only one of several can hold: the value for latency or for throughput,
for 10G or for 40G, to switch something on or off. Of these the first is taken."""

from __future__ import annotations

import re
from typing import Dict, List, Optional, Sequence, Tuple

from ..model import CONDITIONAL, CONTRADICTS, Line, Setting, Sink, Use
from . import advice, faults, numbered, undoing, use_words
from .wording import FENCE, NOT, frames, last_sentence, unmarked

_USE = use_words.search(use_words.USE, ends=r"(?![\w-])")
_FOR = use_words.begins(use_words.FOR)
_HOW = re.compile(rf"(?:{use_words.plain(use_words.HOW)})\s+\w.*", re.IGNORECASE)
_OTHERS = use_words.search(use_words.OTHERS)
_RESORT = use_words.search(use_words.RESORT)
_NOT_FIRST = use_words.search(use_words.NOT_FIRST)
_ONLY_TRIED = use_words.search(use_words.ONLY_TRIED)
_PREFERRED = use_words.search(use_words.PREFERRED)
_OPTIONS = use_words.search(use_words.OPTIONS)
_OPPOSITES = tuple((use_words.of(on, ends=""), use_words.of(off, ends="")) for on, off in use_words.OPPOSITES)
# A title that calls its part a case: "The XDP CPU redirect case".
_CASE = re.compile(r"\b(?:the|special|corner)\s+(?:\S+\s+){0,4}case$", re.IGNORECASE)
_FOR_SOME = re.compile(rf"(?!(?:on|in|bei)\b)(?:{_FOR.pattern})", re.IGNORECASE)
# How words begin that hold in some cases only.
_IF = re.compile(r"(?:if|wenn|falls|si|если)\s.*|如果.*", re.IGNORECASE)
# Words above lines that only some hosts need.
_ONLY = re.compile(
    r"(?:consider|use|set|apply|enable|change|add|try)\s+(?:this|that|these|those|it|them)\s+(?:\w+\s+)?only\b.*"
    rf"|{NOT}\s+(?:apply|copy|use|set)\b.*\bblindly\b.*|.*\bfor\s+reference\s+only\b.*",
    re.IGNORECASE,
)
_EITHER = rf"[a-z]*\s*(?:{use_words.plain(use_words.OR)})\s*"
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S|={2,6}\s+\S|\s*\*\*[^*]+\*\*:?\s*$")
_ITEM = re.compile(r"\s*(?:[-*+\u2022]|\d+[.)])\s+\S")
_UNDERLINE = re.compile(r"([=~^\"'*+-])\1{3,}\s*")
_BEHIND = re.compile(r"\S\s+#+\s*(\S.*)$")
# What a value is in other units.
_SIZE = re.compile(r"\W*\d+\s?[KMG]i?B\b")
_SAID = re.compile(r"[A-Za-z]{2,},?\s+[a-z]{2,},?\s+[a-z]{2,}")
_FAR = 60  # lines between two cases of one choice
_NEAR = 4
_TITLE = 8  # words of a heading that names a case
_SAME = 4  # words of a sentence that leads to the same in two parts of a text

_FOR_A_USE = re.compile(r"\W*for\b(?!\s+(?:all|any|every|each)\b).*:\W*$", re.IGNORECASE)


def of(lines: Sequence[Line]) -> Dict[int, Use]:
    """By line, what the words above it, behind it or in the heading of its part say of when it is to be used."""
    found: Dict[int, Use] = {}
    lead = title = block = case = of_heading = 0
    said = named = label = ""  # the words above, and the use that the heading and the last line with a colon name
    opening, goes_on = "", False  # the first line of these words, and whether the next line is of them
    fenced = code = below = listed = only = False
    parts, headings = numbered.Parts(), _Headings()
    for index, (number, text) in enumerate(lines):
        if FENCE.match(text):
            fenced, block, code = not fenced, block + (not fenced), False
            only = only and not below
            continue
        if not text.strip() or frames(text):
            code, goes_on, only = code and fenced, False, only and not below
            continue
        if not advice.is_code(text):
            if fenced and text.lstrip()[0] not in "#/;" and not _SAID.search(text):
                code = below = True  # code of a kind that says nothing here
                found.update(parts.of_a_file(number, block, title))
                continue
            heading = not fenced and _is_heading(lines, index)
            parts.take(number, text, heading)
            found.update(parts.of_a_file(number, block, title))
            if heading:
                block, title = block + 1, number
                of_heading, named = headings.take(number, text)
                lead, said, label = 0, "", ""
                goes_on = only = _ONLY.fullmatch(advice.words(text)) is not None
            elif not _UNDERLINE.fullmatch(text):
                lead, said = number, advice.words(text) if not code or text.lstrip()[0] == "#" else ""
                only = bool((only and goes_on) or _ONLY.fullmatch(said))
                opening = opening if goes_on and not _ITEM.match(text) else said
                goes_on = True
                leads = text.rstrip().endswith((":", "\uff1a"))
                listed = _ITEM.match(text) is not None or (listed and text[:1].isspace())
                if not fenced and not listed and (below or leads):
                    # What a line with a colon says holds for the items of the list below it, and their code.
                    case, label = number, _named(text) if leads else ""
            code = below = False
            continue
        code, below, goes_on = True, True, False
        here = parts.beside(number, _label(text))
        own = _beside(text)
        if own and not (_SIZE.match(own) and _FOR_SOME.fullmatch(named)):
            case_of = own if _USE.search(own) or _RESORT.match(own) else ""
            found[number] = Use(number, own, case_of, block, title, title, "", *here)
            continue
        use = _named(said) if said else ""
        by = lead if use else case if label else of_heading if named else lead
        headed = bool(named) and not use and not label
        found[number] = Use(lead, said, use or label or named, block, by, title, opening, *here, headed, only)
    return found


class _Headings:
    """The headings around a line that name a case, the innermost last: their levels, lines and words."""

    def __init__(self) -> None:
        self.held: List[Tuple[int, int, str]] = []

    def take(self, number: int, text: str) -> Tuple[int, str]:
        """A heading; which one names the case of its part, and its words."""
        level = numbered.level(text)
        self.held = [one for one in self.held if one[0] < level]
        own = _named(text, heading=True)
        if own:
            self.held.append((level, number, own))
        elif not self.held or (level < numbered.NO_HEADING and not faults.TITLE.fullmatch(self.held[-1][2])):
            return number, ""  # only bold words, and the parts of a fault, go on with the case around them
        return self.held[-1][1:]


def _beside(text: str) -> str:
    """What stands behind the code of a line, or before it, if that names a case."""
    behind = _BEHIND.search(text)
    own = advice.words(behind[1]) if behind else _label(text)
    turns = behind and any(re.match(word, own, re.IGNORECASE) for pair in _OPPOSITES for word in pair)
    turns = turns or (behind and undoing.told_beside(own))
    return own if turns or _USE.search(own) or _RESORT.match(own) else ""


def _label(text: str) -> str:
    """The few words before the code of an item or of a row of a table."""
    before, mark, _code = text.partition("`")
    if not mark:
        before, mark, _code = text.partition(": ")
        mark = mark if advice.is_code(_code) and not advice.is_code(f"{before}:") else ""
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
    if heading:
        kinds = (_USE.search, _CASE.search, _FOR_SOME.fullmatch, faults.TITLE.fullmatch)
        return plain if len(plain.split()) <= _TITLE and any(of_kind(plain) for of_kind in kinds) else ""
    sentence = _sentence(plain)
    is_case = _FOR.fullmatch(sentence) or _USE.search(sentence) or _OTHERS.fullmatch(sentence)
    return plain if is_case or _RESORT.match(sentence) else ""


def _sentence(words: str) -> str:
    """The last sentence of a line of words, without what leads from it to the code below."""
    return last_sentence(unmarked(words).rstrip(":\uff1a").strip())


def standing(sink: Sink, settings: Sequence[Setting]) -> List[Setting]:
    """The settings without those that the text gives for some hosts only, or for another use than earlier ones."""
    for one in settings:
        if one.line in sink.uses and sink.uses[one.line].only:
            text = f"{one.named}: the text gives it for some hosts only ({sink.position(sink.uses[one.line].lead)})"
            sink.remark(one.line, CONDITIONAL, text)
    settings = [one for one in settings if one.line not in sink.uses or not sink.uses[one.line].only]
    held: Dict[object, Setting] = {}
    losing: Dict[int, Setting] = {}  # by line
    instead: Dict[int, Setting] = {}  # the same by what is left out
    parts: Dict[int, Setting] = {}  # the same by the line of the words above
    harmful = {id(one) for one in sink.harmful}
    for one in sorted([*settings, *sink.harmful], key=lambda one: one.line) if sink.uses else ():
        before = held.get(one.address) or _adaptive(held, one)
        if id(one) in harmful:
            # What is for another use does not come in its place.
            held.setdefault(one.address, one)
            continue
        same = before is not None and before.address == one.address and before.value == one.value
        if before is None or same or not _chosen(sink.uses, before, one):
            held[one.address] = before if before and same else one
            continue
        losing[one.line] = instead[id(one)] = before
        part = _part(sink.uses[one.line])
        if part != _part(sink.uses[before.line]):
            parts.setdefault(part, before)
    winners: Dict[int, Setting] = {}
    for one in settings:
        part = _part(sink.uses[one.line]) if one.line in sink.uses else 0
        winner = instead.get(id(one)) or losing.get(one.line) or parts.get(part) or _third(sink, one, losing)
        if winner is not None and winner.line < one.line:
            winners[id(one)] = winner
    last = _last(settings, winners)
    kept = []
    for one in settings:
        over = last.get(one.address)
        if over is not None and over.line > one.line and not one.branch:
            if over.value == one.value:
                kept.append(one)
            else:
                sink.gives_way(one, over, "which comes later")
        elif id(one) in winners:
            _tell(sink, one, winners[id(one)])
        else:
            kept.append(one)
    return kept


def _last(settings: Sequence[Setting], winners: Dict[int, Setting]) -> Dict[object, Setting]:
    """By address, what comes after all that the text lets its reader choose from, and stands whatever they choose."""
    offered = {one.address for one in settings if id(one) in winners and winners[id(one)].address == one.address}
    found = {one.address: one for one in settings if one.address in offered}
    chosen = {(winner.address, winner.value) for winner in winners.values()}
    return {
        address: one
        for address, one in found.items()
        if not one.branch and id(one) not in winners and (address, one.value) not in chosen
    }


def _part(use: Use) -> int:
    return use.whole or use.lead


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
    if _RESORT.match(_sentence(other.words)):
        return other.lead - first.line <= _FAR
    if other.lead == second.line and undoing.told_beside(other.words):
        return True
    if one.options and one.options == other.options and one.option != other.option:
        return not _PREFERRED.search(other.title) or _PREFERRED.search(one.title) is not None
    if other.headed and not one.use and one.part != other.part and not _NOT_FIRST.search(one.words):
        return not _PREFERRED.search(other.use)  # what is for all stands above it
    if _PREFERRED.search(other.words) and not _PREFERRED.search(one.words):
        return False
    if one.lead and one.lead == other.lead:
        both = any(re.search(rf"(?:{on}){_EITHER}(?:{off})", one.words, re.IGNORECASE) for on, off in _OPPOSITES)
        return (both or _OPTIONS.search(one.words) is not None) and second.line - first.line <= _NEAR
    # What holds until the next boot is meant all the same.
    passed_over = _NOT_FIRST.search(re.sub(r"(?i)temporar\w*", "", one.words))
    if not passed_over and _opposite(one.words, other.words, _OPPOSITES[0]):
        return True
    if _NOT_FIRST.search(one.words) or other.lead - first.line > _FAR:
        return False
    if _OTHERS.fullmatch(_sentence(other.words)) or _told_again(one, other) or _two_ends(one, other):
        return True
    if one.part == other.part and _IF.fullmatch(other.opening) and other.lead > first.line:
        return True
    if one.block == other.block and (_ONLY_TRIED.search(other.words) or _names_each(first, one, second, other)):
        return True
    if any(_opposite(one.words, other.words, pair) for pair in _OPPOSITES):
        return True
    if one.use and other.use:
        return one.use != other.use
    if _CASE.search(other.use) and other.by == other.part != one.part:
        return True
    # A case below what is said for all.
    if other.use and one.part == other.part and other.by == other.lead > first.line and _FOR_A_USE.match(other.opening):
        return True
    return bool(other.use) and one.block == other.block and other.by == other.lead and other.lead - first.line <= _NEAR


def _told_again(one: Use, other: Use) -> bool:
    """Whether the same sentence leads to both, each in a part of its own: one for each of several programs."""
    words = one.words.rstrip(": ")
    return one.part != other.part and words == other.words.rstrip(": ") and len(words.split()) >= _SAME


def _has_an_end(use: Use) -> bool:
    return use.words.rstrip().endswith(":") and _HOW.fullmatch(use.opening) is not None


def _two_ends(one: Use, other: Use) -> bool:
    """Whether each sentence above tells what its line is good for: "To set 16 queues:", "To set 8 queues:"."""
    leads = _has_an_end(one) and _has_an_end(other)
    return leads and one.block == other.block and (one.opening, one.words) != (other.opening, other.words)


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
    if mine is None or mine.lead in (0, one.line) or one.family in ("sysctl", "") or _has_an_end(mine):
        return None
    for line, winner in losing.items():
        use, won = sink.uses[line], sink.uses[winner.line]
        same = (winner.nic, winner.match, winner.family) == (one.nic, one.match, one.family)
        if same and line < one.line and use.block == won.block == mine.block and mine.lead not in (use.lead, won.lead):
            return winner
    return None


def _tell(sink: Sink, one: Setting, winner: Setting) -> None:
    """A line is left out, for an earlier one is taken; both say so."""
    use, won = sink.uses[one.line], sink.uses.get(winner.line)
    words = use.title if won and use.option and use.option != won.option else use.use or use.words
    if one.address == winner.address:
        sink.gives_way(one, winner, "which the text gives first, for another use")
    else:
        said = f"{one.named} goes with what the text gives for another use than {sink.position(winner.line)}"
        sink.remark(one.line, CONTRADICTS, said)
    short = words if len(words) <= 60 else f"{words[:57]}..."
    sink.note(winner.line, f"for another use, {sink.position(one.line)} has other values: {short}")
