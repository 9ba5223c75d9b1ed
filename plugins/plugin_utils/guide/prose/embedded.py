# SPDX-License-Identifier: GPL-3.0-or-later
"""Find files that stand in the words of a guide without fences around them, as pages give them as plain text."""

from __future__ import annotations

import re
from typing import Callable, List, NamedTuple, Optional, Sequence

from ..budget import TooLarge
from ..formats import composed
from ..model import Line
from ..shell import excerpts

Detect = Callable[[Sequence[Line]], Optional[str]]

_SECTION = re.compile(
    r"\s*\[(?:Match|Link|Network|NetDev|Address|Route|Bond|Unit|Service|Install|Timer|main|sysctl|net|cpu|vm"
    r"|disk|sysfs|script"
    r"|modules|bootloader|irqbalance|connection|ethernet|ethtool|ipv[46]|bond|user|proxy)\]\s*"
)
_PAIR = re.compile(r"\s*(?:[#;].*|[\w.*/-]+\s*=.*)?")
_OF_SECTIONS = ("systemd", "unit", "tuned", "networkmanager")
_STANZA = re.compile(r"\s*iface\s+\S+\s+inet6?\s+\w+\s*")
_BEFORE_STANZA = re.compile(r"\s*(?:auto|allow-(?:hotplug|auto))\s+\S+(?:\s+\S+)*\s*")
_OPTION = re.compile(
    r"\s*(?:address|netmask|gateway|broadcast|network|mtu|metric|hwaddress|(?:pre|post)-(?:up|down)|up|down"
    r"|dns-\w+|txqueuelen"
    r"|(?:bridge|bond|vlan|offload|ethtool|ethernet|hardware|link|slaves)[-_]?[\w-]*)\s+\S.*"
)
_KEY = re.compile(r"\s*(?:-\s+)?[\w.\"'/-]+:(?:\s|$)|\s*-\s")
_OPENS = re.compile(r"(\s*)(?:- )?[\w.\"'/-]+:(?:\s+\S.*)?\s*")
# A key of a file of netplan, Ansible, Salt, cloud-init and the like; a list of a guide has none.
_OF_YAML = re.compile(
    r"\s*(?:-\s+)?(?:network|ethernets|bonds|sysctls?|runcmd|write_files|(?:[a-z]+\.)*(?:sysctl|command|shell)"
    r"|ethtool\.\w+|sysctl\.present|cmd\.run|file\.\w+|kernel\.sysctl)\s*:"
)
_WRITES = re.compile(r"\s*(?:(?:[$#]|\S+[$#])\s+)?((?:sudo\s+)?(?:cat|tee)\b[^|;]*<<.*)")
# A section of a file of OpenWrt in /etc/config, and what stands in it.
_SECTION_OF_UCI = re.compile(r"\s*config\s+[\w-]+(?:\s+['\"]?[\w.-]+['\"]?)?\s*")
_OPTION_OF_UCI = re.compile(r"\s*(?:option|list)\s+[\w-]+\s+(?:'[^']*'|\"[^\"]*\"|\S+)\s*(?:#.*)?")
_MOST_LINES = 400


class Block(NamedTuple):
    """The form of a file, its lines as they are to be read, and how many lines of the text it takes."""

    form: str
    lines: List[Line]
    taken: int


def block(lines: Sequence[Line], index: int, detect: Detect) -> Optional[Block]:
    """The file that begins in a line, if one does."""
    text = lines[index][1]
    if _SECTION.fullmatch(text):
        return _of_sections(lines, index, detect)
    if _STANZA.fullmatch(text) or _BEFORE_STANZA.fullmatch(text):
        return _of_stanzas(lines, index)
    if _SECTION_OF_UCI.fullmatch(text):
        return _of_uci(lines, index)
    writes = _WRITES.fullmatch(text)
    if writes:
        below = excerpts.document(lines, index)
        width = _indent(text)
        body = [(row, one[min(width, _indent(one)) :]) for row, one in lines[index + 1 : index + 1 + below]]
        held = [(lines[index][0], writes[1]), *body]
        return Block("shell", held, len(held)) if below else None
    return _of_yaml(lines, index, detect) if _OPENS.fullmatch(text) else None


def _until(lines: Sequence[Line], index: int, goes_on: Callable[[str], bool]) -> List[Line]:
    """The lines from here on as long as they go on, without the blank ones and comments at the end."""
    last = index
    for k in range(index, min(len(lines), index + _MOST_LINES)):
        text = lines[k][1]
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        if k > index and not goes_on(text):
            break
        last = k
    return list(lines[index : last + 1])


def _of_sections(lines: Sequence[Line], index: int, detect: Detect) -> Optional[Block]:
    continued = False

    def goes_on(text: str) -> bool:
        nonlocal continued
        held = continued or _SECTION.fullmatch(text) is not None or _PAIR.fullmatch(text) is not None
        continued = text.rstrip().endswith("\\")
        return held

    found = _until(lines, index, goes_on)
    form = detect(found)
    return Block(form, found, len(found)) if form in _OF_SECTIONS and len(found) > 1 else None


def _of_stanzas(lines: Sequence[Line], index: int) -> Optional[Block]:
    width = _indent(lines[index][1])

    def goes_on(text: str) -> bool:
        begins = _STANZA.fullmatch(text) or _BEFORE_STANZA.fullmatch(text)
        return bool(begins or _OPTION.fullmatch(text)) or (
            _indent(text) > width and not text.rstrip().endswith((".", ":"))
        )

    found = _until(lines, index, goes_on)
    whole = len(found) > 1 and any(_STANZA.fullmatch(text) for _number, text in found)
    return Block("interfaces", found, len(found)) if whole else None


def _of_uci(lines: Sequence[Line], index: int) -> Optional[Block]:
    def goes_on(text: str) -> bool:
        return any(one.fullmatch(text) for one in (_SECTION_OF_UCI, _OPTION_OF_UCI))

    found = _until(lines, index, goes_on)
    return Block("uci", found, len(found)) if _OPTION_OF_UCI.fullmatch(found[-1][1]) else None


def _of_yaml(lines: Sequence[Line], index: int, detect: Detect) -> Optional[Block]:
    width = _indent(lines[index][1])

    def goes_on(text: str) -> bool:
        return _indent(text) > width or (_indent(text) == width and _KEY.match(text) is not None)

    found = [(number, text[width:]) for number, text in _until(lines, index, goes_on)]
    if not any(_indent(text) for _number, text in found) or not any(_OF_YAML.match(text) for _number, text in found):
        return None
    try:
        nodes = composed.compose(found)
    except TooLarge:
        return None
    return Block("yaml", found, len(found)) if nodes is not None else None


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
