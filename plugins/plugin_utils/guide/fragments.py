# SPDX-License-Identifier: GPL-3.0-or-later
"""Know pieces of configuration in the text of a guide: lines of ifcfg files, and resources of Puppet and Chef."""

from __future__ import annotations

import re
from typing import List, NamedTuple, Optional, Sequence, Tuple

from . import masks
from .model import Line

_OPTIONS = r"(?:ETHTOOL_OPTS|ETHTOOL_OPTIONS|BONDING_OPTS|BONDING_MODULE_OPTS)"
_ASSIGNED = re.compile(r"\s*([A-Z][A-Z0-9_]*)=")
_OPTION_LINE = re.compile(rf"\s*{_OPTIONS}\w*=")
# The same in the middle of a sentence, up to where its quotes end.
_INLINE = re.compile(rf"\b({_OPTIONS}\w*=(?:\"[^\"]*\"|'[^']*'|\S+))")
_FILE = re.compile(r"\bifcfg-([\w.<>$-]*[\w>])")
_ACTED_ON = re.compile(r"=[\"']?-\w+\s+(\S+)")
# How far above its lines a guide names their file.
_ABOVE = 15
_TITLE = re.compile(r"\s*['\"]?((?:net|kernel|vm|fs)\.[\w.-]+)['\"]?\s*:\s*$")
_VALUE = re.compile(r"\bvalue\s*(?:=>|=|:)?\s*(?:'([^']*)'|\"([^\"]*)\"|(\d[\d ]*))")

_ALONE = re.compile(r"\s*[`*\"]*((?:net|kernel|vm|fs)[./][\w./-]+)[`*\"]*\s*")
_OF_ETHTOOL = re.compile(r"\bethtool\s*\{\s*['\"]([\w.-]+)['\"]\s*:")
_ATTRIBUTE = re.compile(r"\s*(\w+)\s*=>\s*['\"]?(\w+)['\"]?\s*,?\s*")

_CELL = re.compile(r"\s*\|\s*[`*]*((?:net|kernel|vm|fs)\.[\w.-]+)[`*]*\s*\|(.*)\|\s*$")
_WORDS_OF_OLD = re.compile(r"default|current|before|old|was|min|range|unit|type", re.IGNORECASE)
_WORDS_OF_NEW = re.compile(r"recommend|suggest|new|tuned|after|target|optim|our|value|setting|set to", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d[\d\s]*|bbr|cubic|htcp|reno|dctcp|fq|fq_codel|cake|pfifo_fast")


class Ifcfg(NamedTuple):
    """Lines of an ifcfg file, and the NIC that they are for."""

    lines: List[Line]
    nic: str


def shows_ifcfg(lines: Sequence[Line]) -> bool:
    """Whether a text shows lines of ifcfg files, where a script would only set variables that it uses."""
    texts = [text for _number, text in lines]
    uses = re.compile(rf"<<|\$\{{?{_OPTIONS}")
    return any(_OPTION_LINE.match(text) for text in texts) and not any(uses.search(text) for text in texts)


def ifcfg(lines: Sequence[Line], index: int) -> Optional[Ifcfg]:
    """The assignments from here on, where they are those of an ifcfg file."""
    held: List[Line] = []
    keys = set()
    for number, text in lines[index:]:
        assigned = _ASSIGNED.match(text)
        if not assigned:
            break
        held.append((number, text.strip()))
        keys.add(assigned[1])
    own = [text for _number, text in held if _OPTION_LINE.match(text)]
    if not own and not {"MASTER", "SLAVE"} <= keys and not {"DEVICE", "MTU"} <= keys:
        return None
    return Ifcfg(held, "" if "DEVICE" in keys else _named(lines, index, own))


def inline(lines: Sequence[Line], index: int, text: str) -> Optional[Ifcfg]:
    """One assignment of an ifcfg file that stands in a sentence."""
    found = _INLINE.search(text)
    return Ifcfg([(lines[index][0], found[1])], _named(lines, index, [found[1]])) if found else None


def _named(lines: Sequence[Line], index: int, own: Sequence[str]) -> str:
    """The NIC by the name of the file above, or by what its options act on."""
    for _number, text in reversed(lines[max(0, index - _ABOVE) : index + 1]):
        file = _FILE.search(text)
        if file:
            return masks.mask(file[1]) if re.search(r"[<$]|^(NIC|IFACE|NAME)$", file[1]) else file[1]
    acted = next((found[1] for found in map(_ACTED_ON.search, own) if found), "")
    return acted or masks.mask("<NIC>")


def declared(lines: Sequence[Line], index: int) -> Optional[Tuple[str, str]]:
    """A parameter that a resource of Puppet or Chef declares, its value perhaps some lines below."""
    text = lines[index][1]
    attribute = re.search(r"\[['\"]sysctl['\"]\](?:\[['\"]params['\"]\])?((?:\[['\"][\w-]+['\"]\])+)\s*=\s*(.+)", text)
    if attribute:
        return ".".join(re.findall(r"['\"]([\w-]+)['\"]", attribute[1])), attribute[2].strip().strip("'\"")
    below = "\n".join(text for _number, text in lines[index + 1 : index + 6])
    named = re.search(r"\bsysctl\w*(?:::\w+)*\s*[{(]?\s*['\"]((?:net|kernel|vm|fs)\.[\w./-]+)['\"]", text)
    title = _TITLE.match(text)
    if named:
        value = _VALUE.search(f"{text[named.end() :]}\n{below}")
    elif title:
        # One of several bodies of a resource; it ends before the next title.
        value = _VALUE.search(re.split(r"(?m);|^\s*['\"]?[\w.-]+['\"]?\s*:\s*$", below)[0])
    else:
        return None
    name = named or title
    return (name[1], next(part for part in value.groups() if part is not None)) if name and value else None


def of_ethtool(lines: Sequence[Line], index: int) -> Optional[Tuple[str, str, str]]:
    """The NIC, the key and the value of one line of a resource `ethtool { 'eth0': ... }` of Puppet."""
    attribute = _ATTRIBUTE.fullmatch(lines[index][1])
    if not attribute:
        return None
    for _number, text in reversed(lines[max(0, index - _ABOVE) : index]):
        title = _OF_ETHTOOL.search(text)
        if title:
            return title[1], attribute[1], attribute[2]
        if "}" in text:
            break
    return None


def above_its_value(lines: Sequence[Line], index: int) -> Optional[Tuple[str, str]]:
    """A parameter alone in its line with a value alone in the next one: a table whose cells have become lines."""
    name = _ALONE.fullmatch(lines[index][1])
    below = next((text.strip() for _number, text in lines[index + 1 : index + 3] if text.strip()), "")
    return (name[1], below) if name and (_NUMBER.fullmatch(below) or re.fullmatch(r"0x[0-9a-fA-F]+", below)) else None


def cell(lines: Sequence[Line], index: int) -> Optional[Tuple[str, str]]:
    """A parameter in a table, with what the column of values says; a column of defaults is none."""
    row = _CELL.match(lines[index][1])
    if not row:
        return None
    top = index
    while top and lines[top - 1][1].lstrip().startswith("|"):
        top -= 1
    heads = [head.strip() for head in lines[top][1].strip().strip("|").split("|")][1:] if top < index else []
    cells = [text.strip().strip("`* ") for text in row[2].split("|")]
    named = list(zip(heads, cells)) if len(heads) >= len(cells) else []
    chosen = [text for head, text in named if _WORDS_OF_NEW.search(head) and not _WORDS_OF_OLD.search(head)]
    chosen = chosen or ([] if named and _WORDS_OF_OLD.search(named[0][0]) else cells[:1])
    found = next((text for text in chosen if _NUMBER.fullmatch(text)), None)
    return (row[1], found) if found else None
