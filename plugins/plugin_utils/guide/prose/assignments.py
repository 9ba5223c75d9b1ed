# SPDX-License-Identifier: GPL-3.0-or-later
"""Find kernel parameters with their values in lines of words: several in one line, or in the middle of a sentence."""

from __future__ import annotations

import re
from typing import NamedTuple, Sequence, Tuple

from .. import masks
from ..keys.kernel_names import by_itself, takes_numbers
from ..keys.settings import Guide
from ..model import CONDITIONAL, Line
from .wording import last_sentence

_NAME = r"(?:net|kernel|vm|fs)(?:\.[\w-]+)*\.[\w-]*[A-Za-z\d]"
_EACH = re.compile(rf"(?<![\w./\"'-])({_NAME})`?\s*=\s*`?[\"']?")
# A value with what words may be glued to it by whoever turned a page into text: `1and`.
_VALUE = re.compile(r"-?\d+(?:[ \t]+-?\d+)*(?![\w.*])|-?\d+(?:[ \t]+-?\d+)*(?=and\b)|[a-z][a-z_\d]*(?=[\s`\"',;.)]|$)")
_REQUESTED = re.compile(
    r"(?:\b(?:set|increase|raise|change|lower|reduce|adjust|bump)\b[^.;`]{0,120}?|,\s*|\band\s+)[`\"']*"
    rf"({_NAME}|[a-z]+_\w+)[`\"']*\s+(?:from\s+\S+\s+)?(?:to|at)\s+(?:at\s+least\s+)?"
    r"[`\"']*(-?\d+(?:\s+-?\d+)*(?!\s*[kKmMgG]i?[bB]?\b)|bbr|cubic|htcp|fq|fq_codel|cake)\b"
    rf"|({_NAME})[`\"']*[^.;=`]{{0,30}}?(?:n\u00e2ng\s+l\u00ean|auf|hasta|до|(?:设|设置|改|调|调整|调大|增大|增加|提高)[为到成]|に設定|으?로)\s*"
    r"[`\"']*(-?\d+(?:\s+-?\d+)*)(?![\w%])",
    re.IGNORECASE,
)


# How a sentence begins that asks its reader to set what it names, and what makes it a matter of cases.
_REQUESTS = re.compile(
    r"(?:(?:then|and|now|next|also|first|finally|please|to\s[^,.;`]{3,60},)\s+)*"
    r"(?:set|add|put|append|insert|include|write|change|configure)\b[^.;]*",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:unless|if|when|where|whether|only|not|never|avoid|don['\u2019]?t|instead|e\.g|example|such\s+as|might|may|could|or"
    r"|either|test\w*|before|old|was|were|defaults?|no\s+(?:longer|effect)|obsolete|deprecated|useless|harm\w*|bad|wrong|breaks?"
    r"|remove|delete)\b",
    re.IGNORECASE,
)
# An item of a list that gives a parameter with its value as code, below a title or before what it is for.
_ITEM = re.compile(
    rf"(?:[-*+\u2022]|\d+[.)])\s+(?:\*\*[^*`]+\*\*\s*(?:[\u2013\u2014:-]+\s*)\*{{0,2}}`{_NAME}\s*=[^`]*`.*"
    rf"|\*{{0,2}}`{_NAME}\s*=[^`]*`\*{{0,2}}\s*(?:$|[\u2013\u2014:(-].*))"
)

# The same with the name as code and a number behind it, and what makes a list of them one of what is so by itself.
_PAIR = re.compile(
    rf"\s*(?:[-*+\u2022]|\d+[.)])\s+[*_]{{0,2}}(`{{1,2}}|\*\*|__)({_NAME})\1[*_]{{0,2}}:?[*_]{{0,2}}\s*[:=]?\s*"
    r"[`'\"]{0,2}(-?\d+(?:\s+-?\d+)*)[`'\"]{0,2}\s*"
)
_BY_ITSELF = re.compile(r"\b(?:defaults?|currently|standard\w*|by\s+itself|output)\b|\u9ed8\u8ba4", re.IGNORECASE)
# What the file of a parameter had and is to have.
_CHANGED = re.compile(r"/proc/sys/((?:net|kernel|vm|fs)/[\w./-]+)\s*:\s*(-?\d[\d \t]*-+>\s*-?\d.*)")
# A row of a table whose columns only blanks or commas part.
_WITHOUT_A_SIGN = re.compile(rf"\s*({_NAME})(?:\s+|\s*[,;]\s*)(-?\d+(?:[\s,;]+-?\d+)*)(?:(?:\t|\s{{2,}})[^\W\d].*)?\s*")
# A time of interrupts with its value, as code in a sentence or in a row of a table.
_OF_A_NIC = re.compile(
    r"(?:`[^`]*?\b|^\W*)(adaptive-[rt]x|[rt]x-(?:usecs|frames)(?:-irq)?)"
    r"(?:(?:\s*[=:]\s*|\s+)(?=[^|]*`)|[`*]*\s*\|\s*[`*]*)(on|off|\d+)(?![\w/-]|\|o)"
)
# The last part of a name with a value, in a row of a table or by itself.
_LAST_PART = re.compile(
    r"[\s|>*-]*[`*]*([a-z][a-z\d]*_\w+|somaxconn)[`*]*\s*(\||=|(?<=[`*]):)\s*[`*\"']*(-?\d+(?:\s+-?\d+)*|bbr|cubic|fq(?:_codel)?)"
    r"(?=$|[\s`*\"'|;,#(])(?!\s+[a-z]).*"
)
_JUDGED = re.compile(r"too\s+(?:small|low|large|high)|\u274c", re.IGNORECASE)
# A value with a name, which lines below use.
_NAMED = re.compile(r"\s*(\w+)\s?=\s?([\"']?)(-?\w+(?:[ \t]+-?\d+)*)\2\s*(?:#.*)?")
_FAR = 30  # items of such a list


class _Found(NamedTuple):
    """The parameters of a line in order, and whether nothing but a sign stands before the first."""

    pairs: Tuple[Tuple[str, str], ...]
    begins: bool


def _in(text: str) -> _Found:
    matches = list(_EACH.finditer(text))
    ends = [match.start() for match in matches[1:]] + [len(text)]
    values = [_VALUE.match(text[match.end() : end]) for match, end in zip(matches, ends)]
    lead = text[: matches[0].start()].strip() if matches else ""
    given = (value[0].strip() if value else "" for value in values)
    pairs = tuple(
        (match[1], "" if value[:1].isalpha() and takes_numbers(match[1]) else value)
        for match, value in zip(matches, given)
    )
    return _Found(pairs, not re.sub(r"^[-*>\u2022\s]+", "", lead) or lead.endswith(":"))


def several(guide: Guide, number: int, text: str) -> bool:
    """Set the parameters of a line that holds nothing but several of them, with words between; False for another."""
    found = _in(text)
    if len(found.pairs) < 2 or not found.begins:
        return False
    for name, value in found.pairs:
        if value:
            guide.sysctl(number, name, value)
        else:
            guide.sink.unknown(number, f"{masks.shown(name)}: where its value ends, the line does not tell")
    return True


def told(guide: Guide, lines: Sequence[Line], index: int) -> bool:
    """What a line tells of one parameter by the item of a list, or by what it was and is to be; False for another."""
    number, text = lines[index]
    changed = _CHANGED.fullmatch(text.strip())
    pair = _PAIR.fullmatch(text)
    if changed:
        guide.sysctl(number, changed[1], changed[2])
    elif pair and _BY_ITSELF.search(_above_the_list(lines, index)):
        said = f"{pair[2]} {pair[3]} stands in a list of what hosts have by themselves"
        guide.sink.remark(number, CONDITIONAL, said)
    elif pair:
        guide.sysctl(number, pair[2], pair[3])
    return bool(changed or pair)


def by_name(guide: Guide, lines: Sequence[Line], index: int, value: str) -> str:
    """A value, or what the lines above give as that of the name that stands in its place."""
    named = re.fullmatch(r"\$\{?(\w+)\}?", value)
    above = [(row, _NAMED.fullmatch(text)) for row, text in lines[:index]] if named else []
    given = [(row, match[3]) for row, match in above if match and named and match[1] == named[1]]
    if not given:
        return value
    guide.sink.note(lines[index][0], f"the value of {value} is that of {guide.sink.position(given[-1][0])}")
    return given[-1][1]


def _above_the_list(lines: Sequence[Line], index: int) -> str:
    """The line of words that leads to the list of an item."""
    above = (text for _number, text in reversed(lines[max(0, index - _FAR) : index]) if text.strip())
    return next((text for text in above if not _PAIR.fullmatch(text)), "")


def spoken(guide: Guide, number: int, text: str) -> None:
    """What a sentence says of the values of parameters: those behind a colon are set, the others remarked."""
    bare = _WITHOUT_A_SIGN.fullmatch(text)
    if bare:
        said = f"{bare[1]} {bare[2].strip()} stands there without a sign; write the value that is to be set behind one"
        guide.sink.remark(number, CONDITIONAL, said)
    for name, value in _OF_A_NIC.findall(text):
        said = f"{name} {value}: for which NIC, the text does not tell; write it under coalesce of that NIC"
        guide.sink.remark(number, CONDITIONAL, said)
    part = _LAST_PART.fullmatch(text)
    whole = by_itself(part[1]) if part else ""
    if part and whole and not _JUDGED.search(text):
        said = f"{part[1]} {part[3]}: if {whole} is meant, write its whole name"
        guide.sink.remark(number, CONDITIONAL, said)
    found = _in(text)
    if (found.begins or _is_requested(text)) and found.pairs and all(value for _name, value in found.pairs):
        for name, value in found.pairs:
            guide.sysctl(number, name, value)
        return
    requested = ((first or second, value or other) for first, value, second, other in _REQUESTED.findall(text))
    for name, value in (*found.pairs, *requested):
        name = name if "." in name else by_itself(name)
        if not name:
            continue
        said = f"{name} = {value}" if value else name
        text_ = f"{said} stands in a sentence, which says whether it is to be set"
        guide.sink.remark(number, CONDITIONAL, masks.shown(text_))


def _is_requested(text: str) -> bool:
    """Whether a line asks its reader to set the parameter that stands as code in it."""
    first = re.search(rf"`{_NAME}\s*=", text)
    if not first or _OPEN.search(text):
        return False
    said = last_sentence(re.sub(r"[*_]{2}", "", text[: first.start()])).lstrip("-*+ ")
    return _ITEM.match(text) is not None or _REQUESTS.fullmatch(said.strip()) is not None


def describes(name: str, between: str, value: str) -> bool:
    """Whether words behind the name of a parameter say what it is for: `net.ipv4.tcp_sack: Selective ACKs`."""
    words = between.strip("\"'] ") == ":" and re.match(r"[A-Za-z]{2}", value) is not None
    return words and value.lower() not in ("true", "false", "yes", "no", "on", "off") and takes_numbers(name)
