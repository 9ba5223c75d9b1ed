# SPDX-License-Identifier: GPL-3.0-or-later
"""Read why a profile has each of its lines: the comments of its file are what an audit says of a difference.

A comment is about the lines below it, up to the next comment or an empty line; one at the end of a line is about that
line. It begins with the name of its source, such as [esnet], which the head of the file has with its address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import yaml

# What stands around a value, and is no key of a family.
CONDITIONS = ("at_least", "at_most", "if_available")
_SOURCE = re.compile(r"^#\s+\[([\w-]+)\]\s+(https://\S+)$", re.MULTILINE)
_TAG = re.compile(r"\[([\w-]+)\]\s+")


class Why(NamedTuple):
    """What a line is for, and where that stands."""

    text: str
    reference: str = ""


def sources(text: str) -> dict[str, str]:
    """The addresses of the sources by their names."""
    return dict(_SOURCE.findall(text))


def reasons(text: str) -> dict[str, Why]:
    """By setting, as a comparison names it (`ring rx`, or a kernel parameter), why it is there; pure."""
    lines, known = text.splitlines(), sources(text)
    found: dict[str, Why] = {}
    for setting, number in _settings(yaml.compose(text, Loader=yaml.SafeLoader)):
        comment = _comment(lines, number)
        tag = _TAG.match(comment)
        reference = known.get(tag[1], "") if tag else ""
        # The first has the reason; what is the same on other NICs only says so.
        found.setdefault(setting, Why(comment[tag.end() :] if tag else comment, reference))
    return found


def of(known: dict[str, Why], setting: str) -> Why:
    """The reason of a setting; of a member of a group such as tso that of its family."""
    family = setting.partition(" ")[0]
    return known.get(setting) or next((why for name, why in known.items() if name.startswith(f"{family} ")), Why(""))


def _settings(root: yaml.Node | None) -> Iterator[tuple[str, int]]:
    """(setting, line) of each value."""
    for section, node in _pairs(root):
        if section.value == "sysctl":
            yield from ((key.value, key.start_mark.line) for key, _value in _pairs(node))
        for entry in node.value if section.value == "nics" and isinstance(node, yaml.SequenceNode) else ():
            for key, value in _pairs(entry):
                if key.value in ("name", "match"):
                    continue
                parts = [(name.value, name.start_mark.line) for name, _value in _pairs(value)]
                inner = [(f"{key.value} {name}", line) for name, line in parts if name not in CONDITIONS]
                yield from inner or [(key.value, key.start_mark.line)]


def _pairs(node: yaml.Node | None) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    return node.value if isinstance(node, yaml.MappingNode) else []


def _comment(lines: list[str], number: int) -> str:
    """The comment about a line: at its end, or above it and its neighbours."""
    trailing = re.search(r"\s#\s+(.*)$", lines[number])
    if trailing:
        return trailing[1].strip()
    index, depth = number, _indent(lines[number])
    while index > 0 and lines[index - 1].strip() and not lines[index - 1].lstrip().startswith("#"):
        index -= 1
        if _indent(lines[index]) < depth:
            depth = _indent(lines[index])
            # Above the keys of a family stands its name, and above that the section or the NICs that are meant.
            if not depth or not lines[index].rstrip().endswith(":"):
                return ""
    words: list[str] = []
    while index > 0 and lines[index - 1].lstrip().startswith("#"):
        index -= 1
        words.insert(0, lines[index].lstrip().lstrip("#").strip())
    return " ".join(words)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
