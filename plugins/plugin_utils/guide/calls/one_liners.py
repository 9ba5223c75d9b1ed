# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the commands that one-liners in other languages run: `perl -e 'system("...")'`, awk's system(), os.system()."""

from __future__ import annotations

import re
from typing import List, Sequence

from . import programs

# By language, how the word before its program looks; that of awk is the first word that is no option.
_BEFORE = {"perl": "eE", "ruby": "e", "python": "c", "php": "r", "node": "e"}
_AWK = ("awk", "gawk", "mawk", "nawk")
_AWK_WITH_WORD = ("-F", "-v", "--field-separator", "--assign")
_CALL = re.compile(
    r"(?<![\w$@%])(?:os\.|subprocess\.)?(?:system|exec|popen|run|call|check_call|check_output|getoutput|shell_exec|passthru)"
    r"(?:Sync)?\b\s*\(?\s*(?=[\[\"'`]|[rbf][\"'])"
)
# What awk prints: `{print "ethtool -K " $2 " gro off"}`.
_PRINTS = re.compile(r"\bprint(f\b)?\s*\(?(?=[\s\"(])")
_QUOTED = re.compile(r"`(?P<text>[^`]+)`|\bqx\s*[({](?P<more>[^)}]+)[)}]|%x\s*[({\[](?P<most>[^)}\]]+)[)}\]]")
_TOKEN = re.compile(
    r"\s*(?:[rbf]?(?P<sign>[\"'])(?P<text>(?:\\.|(?!(?P=sign)).)*)(?P=sign)|(?P<name>\$?[A-Za-z_]\w*)\b(?!\s*=)"
    r"|\$(?P<field>\d+)|(?P<comma>,)|(?P<plain>[\[\].+]))"
)
# What nobody but the program knows: `{nic}` of a string of Python, `#{nic}` of one of Ruby, `%s`.
_WITHIN = re.compile(r"#?\{(\w+)\}|%[sd]")


def program_of(words: Sequence[str]) -> str:
    """The text of the program that a call of an interpreter has among its words; empty where it has none."""
    name = re.sub(r"[\d.]+$", "", programs.program(words[0]))
    if name in _AWK:
        rest = list(words[1:])
        while rest and rest[0].startswith("-"):
            rest = rest[2:] if rest[0] in _AWK_WITH_WORD else rest[1:]
        return rest[0] if rest else ""
    letters = _BEFORE.get(name)
    pairs = zip(words[1:], words[2:]) if letters else ()
    return "\n".join(after for word, after in pairs if re.fullmatch(rf"-\w*[{letters}]", word))


def commands(text: str) -> List[str]:
    """The commands of a shell that a program runs, as far as it says them in one piece."""
    found = [(match.start(), _words(text, match.end())) for match in _CALL.finditer(text)]
    found += [(match.start(), next(filter(None, match.groups()))) for match in _QUOTED.finditer(text)]
    return [command for _start, command in sorted(found) if command]


def runs_text(words: Sequence[str]) -> bool:
    """Whether an interpreter is called without a program, so that it reads one."""
    known = re.sub(r"[\d.]+$", "", programs.program(words[0])) in _BEFORE
    return known and not program_of(words) and all(word == "-" or word[:1] == "-" for word in words[1:])


def printed(words: Sequence[str]) -> List[str]:
    """The commands that awk prints for a shell to run, with the fields of its input as variables."""
    text = program_of(words) if words and programs.program(words[0]) in _AWK else ""
    found = [_words(text, match.end()) for match in _PRINTS.finditer(text) if not match[1]]
    return [command for command in found if command]


def _words(text: str, index: int) -> str:
    """The arguments of a call: strings side by side are one text, and those of a list its words."""
    pieces: List[str] = []
    while True:
        match = _TOKEN.match(text, index)
        if not match:
            break
        index = match.end()
        if match["sign"]:
            plain = re.sub(r"\\(.)", r"\1", match["text"])
            pieces.append(_WITHIN.sub(lambda inner: f"${inner[1] or 'value'}", plain))
        elif match["comma"]:
            pieces.append(" ")
        elif match["field"]:
            pieces.append(f"$field{match['field']}")
        elif match["name"]:
            pieces.append(f"${match['name'].lstrip('$')}")
    return "".join(pieces).strip()
