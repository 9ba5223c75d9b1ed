# SPDX-License-Identifier: GPL-3.0-or-later
"""Read attributes of Chef: one path with a value, or hashes within each other."""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..model import Branch, Cases, Line, Sink
from . import groups

_LEVELS = r"default|override|normal|set|automatic|force_default|force_override"
# `default['a']['b'] = 1` of Chef, where `a` or `b` begins the name of a parameter.
_PATH = rf"\s*(?:node\.)?(?:{_LEVELS}|node)(?:_unless)?((?:\[(?:['\"][\w./-]+['\"]|:\w+)\])+)\s*=\s*"
_ATTRIBUTE = re.compile(rf"{_PATH}(.+)")
# What opens hashes within each other: such a path, or an attribute list of a role.
_HASH = re.compile(rf"{_PATH}\{{|\s*(?:default|override|normal)_attributes\s*[({{]")
_ROOT = re.compile(r"(?:net|kernel|vm|fs)(?:\.|$)")
_TOKEN = re.compile(
    r"\s+|#.*|(?P<key>['\"][\w./-]+['\"]\s*=>|:\w+\s*=>|\w+:(?!:)|['\"][\w./-]+['\"]\s*:)"
    r"|(?P<bracket>[{}()])|,|(?P<value>'[^']*'|\"[^\"]*\"|[^\s,{}()#][^,{}()#]*)"
)
_MOST_LINES = 500
_CHOICE = re.compile(r"(\s*)(?:if|unless|case)\s+([!(]*node\b.*)")
_CASE_OF_IT = re.compile(r"(\s*)(?:(?:when|elsif)\s+(\S.*)|else$)")
_BEHIND = re.compile(r"\bthen\b.*|(?<=\s)#.*")  # what a condition has behind it


class _Choice(NamedTuple):
    """A condition that asks for something of the node, the case of it that has begun, and how far it is indented."""

    margin: str
    subject: str
    group: int
    number: int
    said: str


def cases(sink: Sink, lines: Sequence[Line]) -> Cases:
    """By line, the cases of conditions of a recipe that ask for something of the node, and when these hold."""
    found: Dict[int, Tuple[Branch, Tuple[str, ...]]] = {}
    opened: List[_Choice] = []
    for number, text in lines:
        bare = _BEHIND.sub("", text).rstrip()
        begins, case = _CHOICE.fullmatch(bare), _CASE_OF_IT.fullmatch(bare)
        last = opened[-1] if opened else None
        if begins:
            sink.groups += 1
            chosen = text.lstrip().startswith("case")
            negated = "not " if text.lstrip().startswith("unless") else ""
            said = "" if chosen else f"only where {negated}{begins[2]}"
            opened.append(_Choice(begins[1], begins[2] if chosen else "", sink.groups, 0, said))
        elif last and text.strip() == "end" and text.startswith(f"{last.margin}end"):
            opened.pop()
        elif last and case and len(case[1]) in (len(last.margin), len(last.margin) + 2):
            is_what = f"{last.subject} is " if last.subject else ""
            said = f"only where {is_what}{case[2]}" if case[2] else f"only where no other case of line {number} holds"
            opened[-1] = last._replace(number=last.number + 1, said=said)
        elif opened:
            inside = [one for one in opened if one.said]
            branch: Branch = tuple((one.group, one.number, "if") for one in inside)
            for one in inside:
                branch += groups.of_words(sink, "recipe", one.said)
            found[number] = branch, tuple(one.said for one in inside)
    return {} if opened else found


class Attribute(NamedTuple):
    """A parameter with its value, and the line in which it stands."""

    line: int
    key: str
    value: str


def attribute(line: Line) -> Optional[Attribute]:
    """An attribute in one line, whose path ends with the name of a parameter, in one part or in several."""
    match = _ATTRIBUTE.match(line[1])
    key = _parameter(re.findall(r"[\w./-]+", match[1])) if match else ""
    return Attribute(line[0], key, _plain(match[2])) if match and key else None


class File(NamedTuple):
    """A file of /sys with what goes into it, and how many lines the resource takes; empty where a variable says it."""

    path: str
    value: str
    rows: int


def sysfs(lines: Sequence[Line], index: int) -> Optional[File]:
    """`sysfs NAME do ... variable 'class/net/eth0/mtu' ... value 9000 ... end`; None where none begins in a line."""
    if not re.match(r"\s*sysfs\s+['\"].*['\"]\s+do\s*$", lines[index][1]):
        return None
    below = lines[index : index + _MOST_LINES]
    ends = next((k for k, (_number, text) in enumerate(below) if text.strip() == "end"), 0)
    told = [text.split(None, 1) for _number, text in below[1:ends]]
    parts = {pair[0]: pair[1].strip() for pair in told if len(pair) == 2}
    path = parts.get("variable", "")
    literal = re.fullmatch(r"(['\"])/*(?:sys/)?([^#'\"]+)\1", path)
    return File(f"/sys/{literal[2]}" if literal else "", _plain(parts.get("value", "")), ends + 1) if ends else None


class Hash(NamedTuple):
    """Hashes within each other: how many lines they take, and what they hold."""

    rows: int
    found: List[Attribute]


def hashes(lines: Sequence[Line], index: int) -> Optional[Hash]:
    """The attributes that begin in a line as hashes within each other; None where it begins none."""
    opened = _HASH.match(lines[index][1])
    if not opened:
        return None
    path = re.findall(r"[\w./-]+", opened[1] or "")
    begun = len(path)
    opens: List[int] = []  # for each bracket that is open, how long the path is in it
    found: List[Attribute] = []
    for count, (number, text) in enumerate(lines[index : index + _MOST_LINES], 1):
        start = 0 if count > 1 else opened.end() - 1
        for token in _TOKEN.finditer(text, start):
            if token["key"]:
                path.append(token["key"].strip(" =>:'\""))
            elif token["bracket"] in ("{", "("):
                opens.append(len(path))
            elif token["bracket"]:
                del path[max(opens.pop() - 1, begun) if opens else begun :]
            elif token["value"]:
                key = _parameter(path)
                found += [Attribute(number, key, _plain(token["value"]))] if key else []
                del path[max(len(path) - 1, begun) :]
        if not opens:
            return Hash(count, found) if found else None
    return None


def _parameter(path: Sequence[str]) -> str:
    """The name of a parameter with which a path ends; empty where it ends with none."""
    first = next((k for k, part in enumerate(path) if _ROOT.match(part)), len(path))
    name = ".".join(path[first:])
    return name if name.count(".") >= (2 if name.startswith("net") else 1) else ""


def _plain(value: str) -> str:
    """A value of Ruby without its quotes, the comment behind it, and the underscores within a number."""
    text = value.partition(" #")[0].strip().strip("'\"")
    return text.replace("_", "") if re.fullmatch(r"\d[\d_]*", text) else text
