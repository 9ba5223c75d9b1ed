# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the simplest configuration files: sysctl.conf, units of systemd, crontabs."""

from __future__ import annotations

import re
import shlex
from typing import Dict, List, Sequence, Tuple

from .. import masks
from ..calls import sentences
from ..keys.settings import Guide
from ..model import NO_EFFECT, NOTE, ON_HOST, Line
from ..scripts.whole import Shell
from ..shell import direct, expand
from .ini import sections

# A line of sysctl.conf.
PARAMETER = re.compile(r"\s*-?(?:net|kernel|vm|fs)[./][\w./*-]+\s*=")
# Variables that systemd fills in, unless a shell does.
_VARIABLE, _BY_A_SHELL = re.compile(r"(?<!\$)\$\{?([A-Za-z_]\w*)"), re.compile(r"(?:/\S*/)?(?:ba|da|k|z)?sh\s")
# A comment behind a command, which a shell would drop.
_BEHIND = re.compile(r"(?<=\s)#\s")


def sysctl(guide: Guide, lines: Sequence[Line]) -> None:
    """`key = value`, one on each line."""
    ends = sum(PARAMETER.match(text) is not None and text.rstrip().endswith(";") for _number, text in lines)
    for number, text in lines:
        plain = masks.templates(text).strip()
        if not plain or plain[0] in "#;":
            guide.sink.nothing(number, "a comment")
            continue
        key, equals, value = plain.partition("=")
        if value.endswith(";") and 2 * ends < len(lines):  # in a list of another language, each line ends so
            text = f"{key.strip()}: the kernel refuses the sign behind the value; write {value[:-1].strip()}"
            guide.sink.remark(number, NO_EFFECT, text)
            continue
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


_STARTS = re.compile(r"\bsystemctl\s(?:.*\s)?(?:enable|start|restart|reenable)\s(.*)")
_INSTANCE = re.compile(r"(?<![\w.-])([\w.-]+)@(\w[\w-]*\d[\w-]*)(?:\.service)?(?=[\s\"'`]|$)")


def own_path(lines: Sequence[Line]) -> str:
    """The path of a template of a unit, where a comment of it says that."""
    return next((found[0] for found in (re.search(r"#.*\w@\.service\b", text) for _number, text in lines) if found), "")


def instances(guide: Guide, path: str = "") -> List[str]:
    """The instances of a template of a unit that the text starts; without a path, those of the only one it has."""
    template = re.split(r"[/#\s]", path)[-1].partition("@")[0]
    if template in guide.instances:
        return guide.instances[template]
    starts = filter(None, (_STARTS.search(text[:500]) for text in guide.texts if "systemctl" in text))
    found = [match for start in starts for match in _INSTANCE.findall(start[1])]
    only = template or (found[0][0] if len({name for name, _instance in found}) == 1 else "")
    return list(dict.fromkeys(instance for name, instance in found if name == only))


def unit(guide: Guide, lines: Sequence[Line], started: Sequence[str] = ()) -> None:
    """A unit of systemd: the commands that it starts, for each instance of a template that is known."""
    entries = sections(guide, lines)
    known: Dict[str, expand.Value] = {}
    for entry in entries:
        if not re.fullmatch(r"\w+", entry.key) and sentences.holds_a_setting(entry.whole):
            text = f"{masks.shown(entry.whole)}: no key of a unit stands before it, so systemd ignores the line"
            guide.sink.remark(entry.line, NO_EFFECT, text)
        if entry.key == "Environment":
            known.update({name: text for name, sign, text in map(_assigned, _unquoted(entry.value)) if sign})
    takes_in = any(entry.key in ("EnvironmentFile", "PassEnvironment") for entry in entries)
    for entry in entries:
        value = masks.placeholders(entry.value).lstrip("-@:+!")
        if entry.key in ("ExecStart", "ExecStartPre", "ExecStartPost") and value:
            word = direct.of_program(value)
            if word:
                text = f"systemd runs no shell, so the command gets '{word}' as it stands; write /bin/sh -c '...'"
                guide.sink.remark(entry.line, NO_EFFECT, f"{masks.shown(value)}: {text}")
                continue
            unset = [name for name in _VARIABLE.findall(value) if name not in known]
            if unset and not takes_in and not _BY_A_SHELL.match(value):
                said = f"${unset[0]}: no Environment of the unit sets it, so for systemd it is empty"
                guide.sink.remark(entry.line, NOTE, said)
            if _BEHIND.search(value):
                said = "systemd takes what stands behind # for arguments of the command; put it into a line of its own"
                guide.sink.remark(entry.line, NOTE, said)
            for pair in [(one, one) for one in started] or [(masks.mask("%i"), masks.mask("%I"))]:
                filled = value.replace("%i", pair[0]).replace("%I", pair[1]).replace("%%", "%")
                shell = Shell(guide)
                shell.scope.values.update(known)
                shell.commands(entry.line, filled.replace("$$", "$"))
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
        Shell(guide).commands(number, masks.placeholders(match[2]))
