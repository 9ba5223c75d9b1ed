# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what filters make of the lines that go through them: sed, grep, tr and those that leave lines as they are."""

from __future__ import annotations

import re
from math import factorial
from typing import Callable, Dict, List, Optional, Sequence, Set, Tuple

from ..model import Line

_MOST_LINES, _MOST_CHARACTERS = 2048, 400
# What a pattern may cost: each part that repeats goes through a line once more, and each choice may double the steps.
_MOST_REPEATS, _MOST_CHOICES, _MOST_STEPS = 3, 8, 1_000_000
_SUBSTITUTE = re.compile(r"(?:(?P<where>\d+|/(?:\\.|[^/\\])+/)\s*)?s(?P<sign>[^\w\s\\])(?P<rest>.*)", re.DOTALL)
# Options of sort that leave its lines as they are.
_ORDERING = re.compile(r"-[bfghinrRsuV]+|--(?:reverse|unique|numeric-sort|stable)")
_ADDRESS = r"(?:\d+|\$|/(?:\\.|[^/\\])+/|\\#(?:\\.|[^#\\])+#)"
_DELETE = re.compile(rf"(?P<where>{_ADDRESS})\s*(?:,\s*(?P<until>{_ADDRESS})\s*)?d")
_CLASSES = {
    **{"[:space:]": r"\s", "[:blank:]": r" \t", "[:digit:]": r"\d", "[:alpha:]": "a-zA-Z", "[:upper:]": "A-Z"},
    **{"[:lower:]": "a-z", "[:alnum:]": "a-zA-Z0-9"},
}


def through(words: Sequence[str], lines: Sequence[Line]) -> Optional[List[Line]]:
    """What a filter prints of the lines; None where the words are those of no filter, or do not tell."""
    small = len(lines) <= _MOST_LINES and all(len(text) <= _MOST_CHARACTERS for _number, text in lines)
    function = _FILTERS.get(words[0].rsplit("/", 1)[-1]) if words and small else None
    try:
        return function(list(words[1:]), list(lines)) if function else None
    except re.error:
        return None


def _as_they_are(words: List[str], lines: List[Line]) -> Optional[List[Line]]:
    return lines if words in ([], ["-"]) else None


def _sorted(words: List[str], lines: List[Line]) -> Optional[List[Line]]:
    changing = [word for word in words if word != "-" and not _ORDERING.fullmatch(word)]
    return None if changing else lines


def _substituted(words: List[str], lines: List[Line]) -> Optional[List[Line]]:
    """`envsubst`, whose variables are those of the script as far as they are exported."""
    return lines if not any("$" in text for _number, text in lines) else None


def _sed(words: List[str], lines: List[Line]) -> Optional[List[Line]]:
    extended = any(re.fullmatch(r"-\w*[Er]\w*|--regexp-extended", word) for word in words)
    if any(re.fullmatch(r"-[Er]*n\w*|--quiet|--silent", word) for word in words):
        return None
    scripts, files = parts(["-e" if re.fullmatch("-[Er]+e", word) else word for word in words])
    commands = [
        part for script in scripts for part in re.split(r"\s*[\n]\s*|(?<=[/|#,@g]);\s*", script.strip()) if part
    ]
    if files or not commands:
        return None
    for command in commands:
        changed = _edited(command, lines, extended)
        if changed is None:
            return None
        lines = changed
    return lines


def parts(words: Sequence[str]) -> Tuple[List[str], List[str]]:
    """The scripts and the files of a call of sed."""
    scripts: List[str] = []
    files: List[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        if word in ("-e", "--expression") and index + 1 < len(words):
            scripts.append(words[index + 1])
            index += 1
        elif word.startswith("--expression="):
            scripts.append(word.partition("=")[2])
        elif not word.startswith("-"):
            files.append(word)
        index += 1
    return (scripts, files) if scripts else (files[:1], files[1:])


def _edited(command: str, lines: List[Line], extended: bool) -> Optional[List[Line]]:
    """The lines after one command of sed, which substitutes or deletes."""
    deletes = _DELETE.fullmatch(command)
    if deletes:
        gone = _range(deletes["where"], deletes["until"], lines, extended)
        return [line for index, line in enumerate(lines, 1) if index not in gone]
    match = _SUBSTITUTE.fullmatch(command)
    pieces = re.split(rf"(?<!\\){re.escape(match['sign'])}", match["rest"]) if match else []
    if not match or len(pieces) != 3 or not re.fullmatch(r"[gI]*", pieces[2]):
        return None
    sign = match["sign"]
    bare = sign if sign not in r".*[]^$+?(){}|" else f"\\{sign}"
    old = _pattern(pieces[0].replace(f"\\{sign}", bare), extended, lines)
    # & is the whole of what is found, and a backslash before a digit one group of it.
    new = re.sub(r"(?<!\\)&", r"\\g<0>", pieces[1].replace(f"\\{sign}", sign))
    new = re.sub(r"\\(?![\dg])(.)", r"\1", new).replace("\\&", "&")
    flags = re.IGNORECASE if "I" in pieces[2] else 0
    count = 0 if "g" in pieces[2] else 1
    return [
        (number, re.sub(old, new, text, count=count, flags=flags))
        if not match["where"] or _is_meant(match["where"], index, text, extended)
        else (number, text)
        for index, (number, text) in enumerate(lines, 1)
    ]


def _range(where: str, until: Optional[str], lines: Sequence[Line], extended: bool) -> Set[int]:
    """Which lines an address means, or all from one to the next that another one means."""
    found: Set[int] = set()
    inside = False
    for index, (_number, text) in enumerate(lines, 1):
        begins = not inside and _is_meant(where, index, text, extended, len(lines))
        if begins or inside:
            found.add(index)
        if until and begins:
            inside = not (until.isdecimal() and int(until) <= index)
        elif inside and until and _is_meant(until, index, text, extended, len(lines)):
            inside = False
    return found


def _is_meant(where: str, index: int, text: str, extended: bool, count: int = 0) -> bool:
    if where == "$":
        return index == count
    if where.isdecimal():
        return index == int(where)
    plain = where[2:-1] if where[0] == "\\" else where[1:-1].replace("\\/", "/")
    return bool(re.search(_pattern(plain, extended, [(index, text)]), text))


def _pattern(text: str, extended: bool, lines: Sequence[Line]) -> str:
    """A regular expression of sed and grep in the words of Python; re.error where it may take long for these lines."""
    for name, inside in _CLASSES.items():
        text = text.replace(name, inside)
    repeats, choices = len(re.findall(r"[*+{]", text)), len(re.findall(r"[?|]", text))
    if repeats > _MOST_REPEATS or choices > _MOST_CHOICES or re.search(r"\)[*+{]", text):
        raise re.error("it may take too long")
    passes = sum(len(line) ** (repeats + 1) for _number, line in lines) // factorial(repeats + 1)
    if passes << choices > _MOST_STEPS:
        raise re.error("it may take too long")
    if extended:
        return text
    return re.sub(r"\\([(){}+?|])|([(){}+?|])", lambda match: match[1] or f"\\{match[2]}", text)


def _grep(words: List[str], lines: List[Line], extended: bool = False) -> Optional[List[Line]]:
    options = "".join(word[1:] for word in words if re.fullmatch(r"-[a-zA-Z]+", word))
    plain = [word for word in words if not re.fullmatch(r"-[a-zA-Z]+", word)]
    if len(plain) != 1 or set(options) - set("vEFiwe"):
        return None
    pattern = re.escape(plain[0]) if "F" in options else _pattern(plain[0], extended or "E" in options, lines)
    flags = re.IGNORECASE if "i" in options else 0
    return [line for line in lines if bool(re.search(pattern, line[1], flags)) != ("v" in options)]


def _tr(words: List[str], lines: List[Line]) -> Optional[List[Line]]:
    plain = [word for word in words if word[:1] != "-"]
    options = "".join(word[1:] for word in words if word[:1] == "-")
    sets = [word.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t") for word in plain]
    if options == "d" and len(sets) == 1 and "\n" not in sets[0] and "-" not in sets[0] and "[" not in sets[0]:
        table: Dict[int, Optional[str]] = dict.fromkeys(map(ord, sets[0]))
    elif not options and len(sets) == 2 and len(sets[0]) == len(sets[1]) == 1:
        table = {ord(sets[0]): sets[1]}
    else:
        return None
    return [(number, part) for number, text in lines for part in text.translate(table).split("\n")]


_FILTERS: Dict[str, Callable[[List[str], List[Line]], Optional[List[Line]]]] = {
    "sed": _sed,
    "grep": _grep,
    "egrep": lambda words, lines: _grep(words, lines, True),
    "tr": _tr,
    "envsubst": _substituted,
    "sort": _sorted,
    **dict.fromkeys(("cat", "uniq", "dos2unix", "tac"), _as_they_are),
}
