# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the simpler configuration files: sysctl.conf, udev rules, ifcfg, TuneD profiles, units, crontabs."""

from __future__ import annotations

import re
import shlex
from itertools import product
from typing import Dict, List, Mapping, Sequence, Tuple

from . import bonded, ethtool, expand, kernel_files, masks, modules, programs, selectors
from .ini import Entry, sections
from .lexer import Broken, tokens
from .model import CONDITIONAL, NO_EFFECT, NOTE, ON_HOST, OTHER_TOOL, Line
from .settings import Guide
from .shell import Shell

_DEVICES = ("devices", "devices_udev_regex")
# What a section of TuneD may ask of the host before it holds.
_TUNED_CONDITIONS = ("uname_regex", "cpuinfo_regex")
_TUNED_OWN = ("type", "enabled", "replace", "priority", *_DEVICES, *_TUNED_CONDITIONS)
# Programs of ours that a rule of udev may run.
_TUNES = re.compile(r"(^|[/\s'])(ethtool|ip|sysctl|tc|ifconfig|setpci)\s")
# What only a shell understands, outside of the quotes of `sh -c '...'`.
_SHELL_WORDS = re.compile(r"\$\([^)]*\)?|`[^`]*`?|&&|\|\|?|;|>>?")
# What udev would fill in, had a shell not done so before with nothing.
_UDEV_WORDS = ("$name", "$kernel", "$env", "$attr", "$number", "$devpath", "$driver")
_TUNED_NET = ("features", "ring", "coalesce", "channels", "pause")


def sysctl(guide: Guide, lines: Sequence[Line]) -> None:
    """`key = value`, one on each line."""
    for number, text in lines:
        plain = masks.templates(text).strip()
        if not plain or plain[0] in "#;":
            guide.sink.nothing(number, "a comment")
            continue
        key, equals, value = plain.partition("=")
        if equals and re.fullmatch(r"\s*([\"']).*\1\s*(?:#.*)?", value) and re.match(r"-?\s*net[./]", key):
            text = f"{key.strip()}: the kernel gets the quotes as well, and refuses them; write the value without"
            guide.sink.remark(number, NO_EFFECT, text)
        elif equals:
            guide.sysctl(number, key, value)
        elif re.fullmatch(r"-\s*[\w./*-]+", plain):
            guide.sink.nothing(number, f"keeps the patterns of this file from setting {plain[1:].strip()}")
        elif re.fullmatch(r"-?(?:net|kernel|vm|fs)[./][\w./*-]+\s+\S.*", plain) and masks.known(plain):
            text = f"'{plain}' has no sign between the name and the value, so it sets nothing; write key = value"
            guide.sink.remark(number, NO_EFFECT, text)
        elif masks.known(plain):
            guide.sink.unknown(number, f"'{plain}' is no assignment")
        else:
            text = f"{masks.shown(plain)}: which parameters stand there, is known on the host only"
            guide.sink.remark(number, ON_HOST, text)


def _pairs(text: str) -> List[Tuple[str, str, str, str]]:
    """(name, attribute, operator, value) of a udev rule."""
    found = re.findall(r'([A-Z_]+)(?:\{([^}]*)\})?\s*(==|!=|\+=|-=|:=|=)\s*e?"((?:[^"\\]|\\.)*)"', text)
    return list(found)


def udev(guide: Guide, lines: Sequence[Line]) -> None:
    """Rules: which NIC is meant, attributes, and commands."""
    held, start = "", 0
    for number, text in lines:
        plain = text.strip()
        if not held and (not plain or plain.startswith("#")):
            guide.sink.nothing(number, "a comment")
            continue
        start = start or number
        guide.sink.nothing(number, "part of a rule")
        guide.sink.goes_on(number, start)
        if plain.endswith("\\"):
            held += plain[:-1] + " "
            continue
        _rule(guide, start, held + plain)
        held, start = "", 0


def _rule(guide: Guide, number: int, text: str) -> None:
    lost = next((word for word in _UDEV_WORDS if masks.mask(word) in text), "")
    if lost:
        said = f"the shell that writes this file takes {lost} for a variable of its own; quote the word behind <<"
        guide.sink.remark(number, NO_EFFECT, said)
        return
    pairs = _pairs(text)
    chosen = _udev_chosen(pairs)
    subsystem = next((value for name, _a, sign, value in pairs if name == "SUBSYSTEM" and sign == "=="), "net")
    if not pairs:
        guide.sink.unknown(number, "this is no rule of udev")
    gone = any(name == "ACTION" and sign == "==" and value == "remove" for name, _a, sign, value in pairs)
    kind, problem = (NO_EFFECT, "it runs when the NIC goes away") if gone else (CONDITIONAL, chosen.problem)
    with guide.sink.under(kind, problem):
        for (nic, match), pair in product(chosen.nics, pairs):
            _assignment(guide, number, pair, nic, match, subsystem)


def _assignment(
    guide: Guide, number: int, pair: Tuple[str, str, str, str], nic: str, match: selectors.Match, subsystem: str
) -> None:
    """What one assignment of a rule sets."""
    name, attribute, sign, value = pair
    # These ask, or give a name; the command runs all the same.
    tunes = (name, attribute) in (("PROGRAM", ""), ("IMPORT", "program")) and _TUNES.search(value)
    if sign in ("==", "!=") and not tunes:
        return
    before = len(guide.sink.settings)
    if tunes or (name == "RUN" and attribute in ("", "program")):
        words = _SHELL_WORDS.search(re.sub(r"'[^']*'|\\\".*?\\\"", "", value))
        if words:
            text = f"udev runs no shell, so the command gets '{words[0]}' as it stands; write /bin/sh -c '...'"
            guide.sink.remark(number, NO_EFFECT, text)
            return
        for short in ("$name", "%k", "$kernel", "$env{INTERFACE}", "%E{INTERFACE}"):
            value = value.replace(short, nic or masks.mask("$name"))
        Shell(guide).commands(number, value.replace('\\"', '"').replace("$$", "$").replace("%%", "%"))
    elif name == "ATTR" and subsystem != "net":
        guide.sink.remark(number, OTHER_TOOL, f"{attribute}={value} is of '{subsystem}', not of the network")
    elif name == "ATTR" and match and attribute in ("mtu", "tx_queue_len"):
        guide.nic(number, "", "link", "mtu" if attribute == "mtu" else "txqueuelen", value, match)
    elif name == "ATTR":
        kernel_files.write(guide, number, f"/sys/class/net/{nic or masks.mask('$name')}/{attribute}", value)
    elif name == "NAME":
        guide.sink.remark(number, OTHER_TOOL, f"NAME={value}: names of NICs belong to udev")
    elif name not in ("GOTO", "LABEL", "ENV", "TAG", "OPTIONS", "PROGRAM", "IMPORT"):
        guide.sink.remark(number, OTHER_TOOL, f"{name}={value} is no setting of this collection")
    if match:
        # What the rule knows by its device has no name of its own.
        found = guide.sink.settings[before:]
        named = (one._replace(nic="", match=match) if one.nic == "$name" else one for one in found)
        guide.sink.settings.replace(before, named)


# What a rule may ask for without leaving out a NIC of those that its name or device means.
_HARMLESS = (
    *("ACTION", "SUBSYSTEM", "SUBSYSTEMS", "ATTR{type}", "ATTR{dev_id}", "ATTR{dev_port}", "DEVTYPE", "ENV{DEVTYPE}"),
    *("NAME", "KERNEL", "ENV{INTERFACE}", "ENV{ID_NET_NAME}", "TAG"),
)
_DEVICE = {
    "DRIVERS": "driver",
    "DRIVER": "driver",
    "ENV{ID_NET_DRIVER}": "driver",
    "ATTR{address}": "mac",
    "KERNELS": "bus",
}


def _udev_chosen(pairs: Sequence[Tuple[str, str, str, str]]) -> selectors.Chosen:
    """The NICs that a rule is for."""
    told = [(f"{name}{{{attribute}}}" if attribute else name, sign, value) for name, attribute, sign, value in pairs]
    conditions = {key: value for key, sign, value in told if sign == "=="}
    names = next(
        (conditions[key] for key in ("NAME", "KERNEL", "ENV{INTERFACE}", "ENV{ID_NET_NAME}") if conditions.get(key)), ""
    )
    vendor, model = conditions.get("ATTRS{vendor}", ""), conditions.get("ATTRS{device}", "")
    ids = vendor.startswith("0x") and model.startswith("0x")
    device = {kind: conditions[key] for key, kind in _DEVICE.items() if conditions.get(key)}
    device = {kind: text.lower() if kind == "mac" else text for kind, text in device.items()}
    device.update({"pci": f"{vendor[2:]}:{model[2:]}".lower()} if ids else {})
    known = {*_HARMLESS, *_DEVICE, *(("ATTRS{vendor}", "ATTRS{device}") if ids else ())}
    strange = [f'{key}=="{value}"' for key, value in conditions.items() if key not in known]
    strange += [f'{key}!="{value}"' for key, sign, value in told if sign == "!=" and value not in ("lo", "remove")]
    return selectors.choose(
        names.split("|") if names else [], [(kind, text.split("|")) for kind, text in device.items()], strange
    )


def ifcfg(guide: Guide, lines: Sequence[Line], path: str = "", nic: str = "") -> None:
    """The files of the old network scripts (and of wicked); `nic` where neither the file nor its path names it."""
    found: Dict[str, Tuple[int, str]] = {}
    scope = expand.Scope([])
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
            found[assigned[0].upper()] = (number, value)
    # In the file itself, ${DEVICE} may stand before the line that sets it.
    # NAME is what people call it, unless nothing else tells the device.
    name = found.get("DEVICE", (0, ""))[1] or nic or path.rpartition("ifcfg-")[2] or found.get("NAME", (0, ""))[1]
    for key, (number, value) in found.items():
        _ifcfg_line(guide, number, name, key, value, {word: text for word, (_number, text) in found.items()})


def _first_word(text: str) -> Tuple[str, str]:
    """What an assignment takes, and what stands behind it without quotes."""
    try:
        words = [token.raw for token in tokens([(1, text)]) if token.kind == "word"]
    except Broken:
        return text, ""
    return (words[0] if words else text), " ".join(words[1:])


def _ifcfg_line(guide: Guide, number: int, nic: str, key: str, value: str, others: Mapping[str, str]) -> None:
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
    elif key in ("MASTER", "MASTER_UUID") and others.get("SLAVE", "yes") == "yes" and value:
        guide.sink.set(number, masks.name(value), "bond", "members", nic)
    elif key in ("DEVICE", "NAME", "HWADDR", "UUID", "TYPE", "SLAVE", "BONDING_MASTER", "STARTMODE", "USERCTL"):
        guide.sink.remark(number, OTHER_TOOL, f"{key}={masks.shown(value)}: it says which NIC this is")
    else:
        guide.sink.remark(number, OTHER_TOOL, f"{key}={masks.shown(value)}: it belongs to the network manager")


def _tuned_sysctl(guide: Guide, entry: Entry, value: str) -> None:
    """`=>N` raises only, and `=<N` lowers only."""
    bound = {">": "at_least", "<": "at_most"}.get(value[:1], "")
    raw = value[1:].strip() if bound else value
    guide.sysctl(entry.line, entry.key, raw if "${" not in raw else masks.mask(raw), bound=bound)


def tuned(guide: Guide, lines: Sequence[Line]) -> None:
    """A profile of TuneD."""
    entries = _filled(sections(guide, lines))
    devices = {entry.section: _tuned_nics(entry.key, entry.value) for entry in entries if entry.key in _DEVICES}
    types = {entry.section: entry.value for entry in entries if entry.key == "type"}
    conditions = {entry.section: entry.whole for entry in entries if entry.key in _TUNED_CONDITIONS}
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
        elif kind in ("main", "variables") or entry.key in _TUNED_OWN:
            guide.sink.nothing(entry.line, "says what the profile is")
        elif entry.section in conditions:
            text = f"[{entry.section}] holds only where {conditions[entry.section]} fits the host"
            guide.sink.remark(entry.line, CONDITIONAL, text)
        elif kind == "sysctl" and entry.key == "drop":
            text = f"drop={value}: what the profile that it includes has of these is left out"
            guide.sink.remark(entry.line, OTHER_TOOL, text)
        elif kind == "sysctl":
            _tuned_sysctl(guide, entry, value)
        elif kind == "net" and entry.key in _TUNED_NET:
            for key, text in ethtool.pairs_of(value):
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
            guide.sink.remark(entry.line, OTHER_TOOL, f"{entry.key}={value}: a script that is not part of this text")
        else:
            guide.sink.remark(entry.line, OTHER_TOOL, f"[{entry.section}] {entry.key}={value}: TuneD sets it")


def _filled(entries: Sequence[Entry]) -> List[Entry]:
    """The entries with what the section [variables] says in place of `${...}`."""
    known = {entry.key: entry.value for entry in entries if entry.section == "variables" and "$" not in entry.value}
    return [
        entry._replace(value=re.sub(r"\$\{(\w+)\}", lambda match: known.get(match[1], match[0]), entry.value))
        for entry in entries
    ]


def _tuned_nics(key: str, value: str) -> Tuple[List[str], selectors.Match]:
    """The NICs of a section, by name or by their driver; none where only udev knows."""
    if key == "devices":
        return [word for word in re.split(r"[,\s]+", value) if word] or ["*"], ()
    form = r"\^?\(?\^?(INTERFACE|ID_NET_DRIVER)=([\w.-]+)\$?\)?\$?"
    named = [match for match in (re.fullmatch(form, one) for one in value.split("|")) if match]
    if len(named) != value.count("|") + 1 or (len(named) > 1 and any(one[1] != "INTERFACE" for one in named)):
        return [], ()
    return ([one[2] for one in named], ()) if named[0][1] == "INTERFACE" else ([""], (("driver", named[0][2]),))


def unit(guide: Guide, lines: Sequence[Line]) -> None:
    """A unit of systemd: the commands that it starts."""
    entries = sections(guide, lines)
    known: Dict[str, expand.Value] = {}
    for entry in entries:
        if entry.key == "Environment":
            known.update({name: text for name, sign, text in map(_assigned, _unquoted(entry.value)) if sign})
    for entry in entries:
        value = entry.value.lstrip("-@:+!")
        if entry.key in ("ExecStart", "ExecStartPre", "ExecStartPost") and value:
            instance = value.replace("%i", masks.mask("%i")).replace("%I", masks.mask("%I")).replace("%%", "%")
            shell = Shell(guide)
            shell.scope.values.update(known)
            shell.commands(entry.line, instance.replace("$$", "$"))
        elif entry.key == "EnvironmentFile":
            guide.sink.remark(entry.line, NOTE, f"it takes in {value}, which is not part of this text")
        elif entry.key.startswith("Exec"):
            why = "it runs when the unit ends or is reloaded"
            with guide.sink.under(NO_EFFECT, why):
                Shell(guide).commands(entry.line, value)
            guide.sink.nothing(entry.line, why)
        else:
            guide.sink.nothing(entry.line, "says when the unit runs")


def _unquoted(text: str) -> List[str]:
    """The words of a list of assignments, of which one may be in quotes as a whole."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _assigned(word: str) -> Tuple[str, str, str]:
    return word.partition("=")


def crontab(guide: Guide, lines: Sequence[Line]) -> None:
    """Lines of cron; those that run again and again set nothing new."""
    for number, text in lines:
        plain = text.strip()
        match = re.match(r"(@\w+|(?:[-*/,0-9]+\s+){5})\s*(?:root\s+)?(.*)", plain)
        if not plain or plain.startswith("#") or not match:
            guide.sink.nothing(number, "sets nothing by itself")
            continue
        Shell(guide).commands(number, match[2])
