# SPDX-License-Identifier: GPL-3.0-or-later
"""Read profiles of TuneD."""

from __future__ import annotations

import re
from typing import List, Sequence, Tuple

from .. import masks
from ..calls import beside, ethtool
from ..keys import kernel_files, modules
from ..keys.settings import Guide
from ..model import CONDITIONAL, OTHER_TOOL, Line
from . import selectors
from .ini import Entry, sections

_DEVICES = ("devices", "devices_udev_regex")
# What a section of TuneD may ask of the host before it holds.
_CONDITIONS = ("uname_regex", "cpuinfo_regex")
_OWN = ("type", "enabled", "replace", "priority", *_DEVICES, *_CONDITIONS)
# A variable, or a function with what it is called with: `${f:cpulist_invert:${isolated_cores}}`.
_FILLED_IN = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}")
_NET = ("features", "ring", "coalesce", "channels", "pause")


def _sysctl(guide: Guide, entry: Entry, value: str) -> None:
    """`=>N` raises only, and `=<N` lowers only."""
    bound = {">": "at_least", "<": "at_most"}.get(value[:1], "")
    raw = value[1:].strip() if bound else value
    guide.sysctl(entry.line, entry.key, raw if "${" not in raw else masks.mask(raw), bound=bound)


def read(guide: Guide, lines: Sequence[Line]) -> None:
    """One profile."""
    entries = _filled(sections(guide, lines))
    devices = {entry.section: _nics(entry.key, entry.value) for entry in entries if entry.key in _DEVICES}
    types = {entry.section: entry.value for entry in entries if entry.key == "type"}
    conditions = {entry.section: entry.whole for entry in entries if entry.key in _CONDITIONS}
    for entry in entries:
        kind = types.get(entry.section, entry.section)
        value = entry.value.strip("\"'")
        nics, match = devices.get(entry.section, (["*"], ()))
        if kind == "net" and nics == []:
            text = f"which NICs {entry.section} is for, udev alone knows"
            guide.sink.remark(entry.line, CONDITIONAL, text)
            continue
        if kind == "main" and entry.key == "include":
            guide.sink.remark(entry.line, OTHER_TOOL, f"include={value}: that profile sets more; take it in as well")
        elif kind in ("main", "variables") or entry.key in _OWN:
            guide.sink.nothing(entry.line, "says what the profile is")
        elif entry.section in conditions:
            text = f"[{entry.section}] holds only where {conditions[entry.section]} fits the host"
            guide.sink.remark(entry.line, CONDITIONAL, text)
        elif kind == "sysctl" and entry.key == "drop":
            text = f"drop={value}: what the profile that it includes has of these is left out"
            guide.sink.remark(entry.line, OTHER_TOOL, text)
        elif kind == "sysctl":
            _sysctl(guide, entry, value)
        elif kind == "net" and entry.key in _NET:
            for key, text in ethtool.pairs_of(_FILLED_IN.sub(lambda found: masks.mask(found[0]), value)):
                for nic in nics:
                    plain = key if entry.key == "features" else key.replace("-", "_")
                    guide.nic(entry.line, nic, entry.key, plain, text, match)
        elif kind == "net" and entry.key in ("mtu", "txqueuelen"):
            for nic in nics:
                guide.nic(entry.line, nic, "link", entry.key, value, match)
        elif kind == "net" and entry.key == "wake_on_lan":
            for nic in nics:
                guide.nic(entry.line, nic, "wol", "wol", value, match)
        elif kind == "net" and entry.key == "nf_conntrack_hashsize":
            modules.one(guide, entry.line, "nf_conntrack", "hashsize", value)
        elif kind == "modules" and "=" in value:
            # A `+r` before the options asks for the module to be loaded anew.
            modules.options(guide, entry.line, entry.key, re.sub(r"^\+r,?\s*", "", value).split())
        elif kind == "net" and entry.key == "dynamic":
            guide.sink.nothing(entry.line, "says whether TuneD changes settings with the load")
        elif kind == "sysfs":
            kernel_files.write(guide, entry.line, entry.key, value)
        elif kind == "script":
            beside.call(guide, entry.line, value, f"{entry.key}={value}: a script that is not part of this text")
        else:
            guide.sink.remark(entry.line, OTHER_TOOL, f"[{entry.section}] {entry.key}={value}: TuneD sets it")


def _filled(entries: Sequence[Entry]) -> List[Entry]:
    """The entries with what the section [variables] says in place of `${...}`."""
    known = {entry.key: entry.value for entry in entries if entry.section == "variables" and "$" not in entry.value}
    return [
        entry._replace(value=re.sub(r"\$\{(\w+)\}", lambda match: known.get(match[1], match[0]), entry.value))
        for entry in entries
    ]


def _nics(key: str, value: str) -> Tuple[List[str], selectors.Match]:
    """The NICs of a section, by name or by their driver; none where only udev knows."""
    if key == "devices":
        return [word for word in re.split(r"[,\s]+", value) if word] or ["*"], ()
    form = r"\^?\(?\^?(INTERFACE|ID_NET_DRIVER)=([\w.-]+)\$?\)?\$?"
    named = [match for match in (re.fullmatch(form, one) for one in value.split("|")) if match]
    if len(named) != value.count("|") + 1 or (len(named) > 1 and any(one[1] != "INTERFACE" for one in named)):
        return [], ()
    return ([one[2] for one in named], ()) if named[0][1] == "INTERFACE" else ([""], (("driver", named[0][2]),))
