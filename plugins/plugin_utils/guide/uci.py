# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the configuration of OpenWrt: files of /etc/config, and the commands of uci that write them."""

from __future__ import annotations

import re
import shlex
from typing import Dict, List, Mapping, Sequence, Tuple

from . import masks
from .model import NO_EFFECT, ON_HOST, OTHER_TOOL, Line
from .settings import Guide

# The options of a device or interface that are settings of the collection.
_KEYS: Mapping[str, Tuple[str, str]] = {
    "mtu": ("link", "mtu"),
    "txqueuelen": ("link", "txqueuelen"),
    "rxpause": ("pause", "rx"),
    "txpause": ("pause", "tx"),
    "gro": ("features", "gro"),
}
# What tells the device of a section; the first that is there.
_NAMES = ("name", "device", "ifname")
_LINE = re.compile(r"\s*(config|option|list|package)\s+([\w-]+)(?:\s+(.*?))?\s*")
_SET = re.compile(r"\bset\s+[\"']?network\.([^.=\s]+)\.(name|device|ifname)=[\"']?([^\"'`\s;]+)")
_ABOUT = "OpenWrt has it in /etc/config, and this collection does not write there"


def read(guide: Guide, lines: Sequence[Line]) -> None:
    """A file of /etc/config, section by section."""
    section: List[Tuple[int, str, str]] = []
    for number, text in lines:
        found = _LINE.fullmatch(text)
        word, key, value = (found[1], found[2], (found[3] or "").strip("'\"")) if found else ("", "", "")
        if word == "config":
            _section(guide, section)
            section = []
            guide.sink.nothing(number, "begins a section")
        elif word in ("option", "list"):
            section.append((number, key, value))
        elif not text.strip() or text.lstrip().startswith("#") or word == "package":
            guide.sink.nothing(number, "a comment")
        else:
            guide.sink.unknown(number, f"'{text.strip()}' is no line of a file of /etc/config")
    _section(guide, section)


def _section(guide: Guide, options: Sequence[Tuple[int, str, str]]) -> None:
    told: Dict[str, str] = {key: value for _number, key, value in options}
    names = next((told[word] for word in _NAMES if told.get(word)), "")
    for number, key, value in options:
        _option(guide, number, names, key, value)


def batch(guide: Guide, lines: Sequence[Line]) -> None:
    """What `uci batch` reads, a command in each line."""
    for number, text in lines:
        try:
            words = shlex.split(text)
        except ValueError:
            words = text.split()
        command(guide, number, words)


def command(guide: Guide, line: int, words: List[str]) -> None:
    """`uci set network.SECTION.OPTION=VALUE`; the device of a section is told by another such command."""
    plain = [word for word in words if not word.startswith("-")]
    path, equals, value = plain[1].partition("=") if len(plain) > 1 else ("", "", "")
    parts = masks.shown(path).split(".")
    if plain[:1] not in (["set"], ["add_list"]) or not equals or len(parts) < 3:
        guide.sink.nothing(line, "sets nothing by itself")
        return
    if parts[0] != "network":
        guide.sink.remark(line, OTHER_TOOL, f"{'.'.join(parts)}={masks.shown(value)}: {_ABOUT}")
        return
    named = {found[2]: found[3] for found in map(_SET.search, guide.texts) if found and found[1] == parts[1]}
    names = next((named[word] for word in _NAMES if word in named), "")
    _option(guide, line, masks.mask(names) if "$" in names else names, parts[2], value)


def _option(guide: Guide, line: int, names: str, key: str, value: str) -> None:
    shown = f"{key} {masks.shown(value)}"
    if key in _NAMES:
        guide.sink.nothing(line, "says which device this is")
    elif key not in _KEYS:
        guide.sink.remark(line, OTHER_TOOL, f"{shown}: {_ABOUT}")
    elif not value:
        guide.sink.remark(line, NO_EFFECT, f"{key}: no value is given")
    elif not names:
        guide.sink.remark(line, ON_HOST, f"{shown}: which device its section has, this text does not say")
    for nic in names.split() if key in _KEYS and value else ():
        guide.nic(line, nic, *_KEYS[key], value)
