# SPDX-License-Identifier: GPL-3.0-or-later
"""Cut commands out of a line that holds more than one of them: words around it without blanks between, as in Chinese, a
second command where a page has lost its line breaks, a sentence that goes on behind it."""

from __future__ import annotations

import re
from typing import List, NamedTuple

from . import sentences

# Letters and signs of languages that are written without blanks.
_UNSPACED = r"[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef\u201c\u201d]"
_RUN = re.compile(rf"{_UNSPACED}+[^\x00-\x7f]*")
_QUOTED = re.compile(rf"\"[^\"]*{_UNSPACED}[^\"]*\"|'[^']*{_UNSPACED}[^']*'|`")
_OR = re.compile(r"[\s,]+(?:or|oder|ou|или)\s*$")
_COMMAND = re.compile(r"(?:^|[\s:(,.])((?:sudo\s+)?(?:/\S*/)?(?:ethtool|sysctl|echo|ip|tc|ifconfig|nmcli|setpci)\s.*)$")
_AGAINST = re.compile(
    "(?:\u4e0d\u8981|\u4e0d\u5f97|\u5207\u52ff|\u8bf7\u52ff|\u7981\u6b62|\u907f\u514d|\u4e0d\u5e94|\u4e0d\u8be5"
    "|\u4e0d\u5efa\u8bae|\u4e0d\u63a8\u8350|\u800c\u4e0d\u662f|\u4ee3\u66ff|\u53d6\u4ee3)[^\u3002\uff0c\uff1b,;]*$"
)
_BEGINS = re.compile(
    r"(?<![&|;\\=(\"'`$])\s+(?=(?:sudo\s+)?(?:ethtool\s+-[A-Z]\s|sysctl\s+-w\s|ip\s+link\s+set\s"
    r"|echo\s+(?:\"[^\"]*\"|'[^']*'|\d+)\s*>>?\s*/(?:proc|sys|etc)/))"
)
_NO_COMMANDS_BEFORE = ("sudo", "then", "do", "else", "run", "exec", "time", "nohup")
# A whole command behind which words go on that are none of its own.
_WHOLE = (
    re.compile(r"((?:sudo\s+)?ethtool\s+-[GCALK]\s+\S+(?:\s+[a-z][\w-]*\s+(?:\d+|on|off|max))+)\s+(.+)"),
    re.compile(r"((?:sudo\s+)?ifconfig\s+\S+\s+(?:mtu|txqueuelen)\s+\d+)\s+(.+)"),
    re.compile(r"((?:sudo\s+)?echo\s+(?:\"[^\"]*\"|'[^']*')\s*>>?\s*/etc/[\w./-]+)\s+(.+)"),
)
_PAIR = re.compile(r"(?:[a-z][\w-]*|[A-Z]{2,}[A-Z-]*)\s+(?:\d+|on|off|max)\b")
_WORDS = re.compile(r"[^\W\d_][\w'\u2019-]*(?:[\s,]+[^\W_][\w'\u2019()-]*)+[.!:]?")
_ALSO_SETS = re.compile(r">\s*/(?:proc/sys|proc/irq|sys/class/net|etc/sysctl)|\bifconfig\s+\S+\s+txqueuelen\s+\d")


class Piece(NamedTuple):
    """A command, and whether the words before it say not to run it."""

    command: str
    against: bool = False


def of(text: str) -> List[Piece]:
    """The commands of such a line in order; none where a line is no such one."""
    between = _between_words(text)
    pieces = between or [Piece(one) for one in _squeezed(text)]
    found = [Piece(_without_words(one.command), one.against) for one in pieces]
    # One command by itself is found by others, with its prompt and its quotes.
    whole = _COMMAND.search(text)
    cut = between or len(found) > 1 or (whole and found[0].command not in (text, whole[1].strip()))
    return found if cut and all(_sets(one.command) for one in found) else []


def _sets(command: str) -> bool:
    bare = sentences.PROMPT.sub("", command, count=1)
    return (sentences.holds_a_setting(bare) or _ALSO_SETS.search(bare) is not None) and sentences.parses(bare)


def _between_words(text: str) -> List[Piece]:
    if not _RUN.search(text) or _QUOTED.search(text):
        return []
    found: List[Piece] = []
    said = ""
    at = 0
    for run in (*_RUN.finditer(text), None):
        end = run.start() if run else len(text)
        begins = _COMMAND.search(text[at:end].partition(" #")[0])
        part = begins[1].rstrip(" \t,.:;()*-") if begins else ""
        if _sets(part):
            found.append(Piece(part, _AGAINST.search(said) is not None))
            said = ""
        else:
            said += text[at:end]
        said += run[0] if run else ""
        at = run.end() if run else end
    return found


def _squeezed(text: str) -> List[str]:
    parts = _BEGINS.split(text)
    if len(parts) > 1 and not _COMMAND.search(parts[0]):
        parts = parts[1:]
    if any(part.split()[-1:] and part.split()[-1] in _NO_COMMANDS_BEFORE for part in parts[:-1]):
        return [text]
    found: List[str] = []
    for part in parts:
        begins = _COMMAND.search(part)
        found.append(begins[1].strip() if begins else part.strip())
        if _OR.search(part):
            found[-1] = _OR.sub("", found[-1])
            break  # what comes behind it stands in for this one
    return found


def _without_words(command: str) -> str:
    for pattern in _WHOLE:
        whole = pattern.fullmatch(command)
        if whole and _WORDS.fullmatch(whole[2]) and not _PAIR.match(whole[2]):
            return whole[1]
    return command
