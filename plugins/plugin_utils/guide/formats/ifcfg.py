# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the files of the old network scripts, and of wicked."""

from __future__ import annotations

import re
from typing import Dict, Mapping, Sequence, Tuple

from .. import masks
from ..calls import ethtool, programs
from ..keys import bonded, kernel_files
from ..keys.settings import Guide
from ..model import CONTRADICTS, NO_EFFECT, OTHER_TOOL, Line
from ..shell import expand
from ..shell.lexer import Broken, tokens


def read(guide: Guide, lines: Sequence[Line], path: str = "", nic: str = "") -> None:
    """One file; `nic` is for it where neither the file nor its path names it."""
    found: Dict[str, Tuple[int, str]] = {}
    scope = expand.Scope([])
    # A task that puts one line into a file does not show the one that names the device.
    named = nic or path.rpartition("ifcfg-")[2]
    scope.values.update({"DEVICE": named} if named else {})
    for number, text in lines:
        plain = masks.templates(text).strip()
        assigned = expand.assignment(plain)
        if not plain or plain.startswith("#"):
            guide.sink.nothing(number, "a comment")
        elif not assigned and programs.program(plain.split()[0]) in programs.PROGRAMS:
            text = "a command in it counts with the network scripts of old releases only; NetworkManager skips the line"
            guide.sink.remark(number, NO_EFFECT, text)
        elif not assigned:
            guide.sink.unknown(number, f"'{masks.shown(plain)}' is no assignment")
        else:
            raw, lost = _first_word(plain)
            value = expand.text(raw, scope).partition("=")[2]
            scope.values[assigned[0]] = value
            if lost:
                text = f"{lost} is lost: without quotes the value of {assigned[0]} ends at the first blank"
                guide.sink.remark(number, NO_EFFECT, text)
            before = found.get(assigned[0].upper())
            if before:
                text = f"the file is run as a script, and line {number} assigns {assigned[0]} anew"
                guide.sink.remark(before[0], CONTRADICTS if before[1] != value else NO_EFFECT, text)
            found[assigned[0].upper()] = (number, value)
    # In the file itself, ${DEVICE} may stand before the line that sets it.
    # NAME is what people call it, unless nothing else tells the device.
    name = found.get("DEVICE", (0, ""))[1] or named or found.get("NAME", (0, ""))[1]
    for key, (number, value) in found.items():
        _line(guide, number, name, key, value, {word: text for word, (_number, text) in found.items()})


def _first_word(text: str) -> Tuple[str, str]:
    """What an assignment takes, and what stands behind it without quotes."""
    try:
        words = [token.raw for token in tokens([(1, text)]) if token.kind == "word"]
    except Broken:
        return text, ""
    return (words[0] if words else text), " ".join(words[1:])


def _line(guide: Guide, number: int, nic: str, key: str, value: str, others: Mapping[str, str]) -> None:
    if key == "MTU":
        if value:
            guide.nic(number, nic, "link", "mtu", value)
    elif key.startswith(("ETHTOOL_OPTS", "ETHTOOL_OPTIONS")):
        ethtool.options(guide, number, nic, value)
    elif key in ("BONDING_OPTS", "BONDING_MODULE_OPTS"):
        for word in value.split():
            name, _equals, text = word.partition("=")
            kernel_files.bond(guide, number, nic, name, text)
    elif bonded.ifcfg(guide, number, nic, key, value, others):
        return
    elif re.fullmatch(r"BONDING_SLAVE_?\d+", key):
        guide.sink.set(number, nic, "bond", "members", masks.name(value))
    elif key in ("MASTER", "MASTER_UUID") and others.get("SLAVE", "yes") == "yes" and value:
        guide.sink.set(number, masks.name(value), "bond", "members", nic)
    elif key in ("DEVICE", "NAME", "HWADDR", "UUID", "TYPE", "SLAVE", "BONDING_MASTER", "STARTMODE", "USERCTL"):
        guide.sink.remark(number, OTHER_TOOL, f"{key}={masks.shown(value)}: it says which NIC this is")
    else:
        guide.sink.remark(number, OTHER_TOOL, f"{key}={masks.shown(value)}: it belongs to the network manager")
