# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak of kernel modules: their parameters in /sys/module, and the files that set them for the next boot.

A module takes its parameters from modprobe.d while it is loaded. One that is built into the kernel never is, so
systemd-tmpfiles writes its parameters at boot instead.
"""

from __future__ import annotations

import re
from typing import Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..schema import Poke, Query, Reader, TuningError, nearest
from ..text import quote
from . import conf, optional

ROOT = "/sys/module"
FILE = "/etc/modprobe.d/linuxnet-tuning.conf"
BUILT_IN = "/etc/tmpfiles.d/linuxnet-tuning.conf"

# As modprobe.d(5) has them: of equal names the first folder wins, then all in order of their names.
FOLDERS = ("/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d")
_COMMAND_LINE = "/proc/cmdline"

_YES, _NO = ("y", "1", "yes", "true", "on"), ("n", "0", "no", "false", "off")


class Parameter(NamedTuple):
    """What the kernel tells of a parameter: no value while its module is not loaded; `problem` is why it has none."""

    value: Optional[str] = None
    writable: bool = False
    built_in: bool = False
    driver: bool = False
    problem: str = ""


def name(key: str) -> str:
    """The one name of `module.parameter`: the kernel takes a dash in the name of a module for an underscore."""
    module, dot, parameter = key.partition(".")
    return f"{module.replace('-', '_')}{dot}{parameter}"


def path(key: str) -> str:
    """The file that holds a parameter while its module is loaded."""
    module, _dot, parameter = key.partition(".")
    return f"{ROOT}/{module}/parameters/{parameter}"


def poke(key: str, value: str) -> Poke:
    """Set a parameter of a module that is loaded."""
    return Poke(path(key), value, f"echo {quote(value)} > {quote(path(key))}")


def look(host: Reader, key: str) -> Parameter:
    """What there is of a parameter. The files of a module say all while it is loaded; else its own description does."""
    module, _dot, parameter = key.partition(".")
    folder = f"{ROOT}/{module}"
    loaded = bool(host.exists(folder))
    # What is loaded tells how far that is (kernel/module/sysfs.c); what is built in has no such file.
    built_in = loaded and not host.exists(f"{folder}/initstate")
    if loaded and host.exists(path(key)):
        text = host.read(path(key))
        if text is None:
            return Parameter(
                problem="the kernel does not allow it to be read, so nothing would tell whether it took effect"
            )
        # A text that was never set is shown so, and would be one if that was written back.
        writable = host.writable(path(key)) and text.strip() != "(null)"
        return Parameter(_chosen(text.strip()), writable, built_in, bool(host.names(f"{folder}/drivers")))
    query = Query(("modinfo", "-F", "parm", module))
    # Where it is not installed, as in containers, what is loaded shows most of its parameters itself.
    answer = optional.ask(host, query)
    known = [line.partition(":")[0] for line in answer.out.splitlines() if ":" in line]
    if parameter in known:
        # One that has no file is for the time of loading only.
        return Parameter("" if loaded else None, built_in=built_in, driver=bool(host.names(f"{folder}/drivers")))
    if answer.rc == optional.MISSING and not loaded:
        return Parameter(problem="its module is not loaded, and without modinfo (the package kmod) nothing tells of it")
    if answer.rc and not loaded:
        return Parameter(problem=f"this host has no such module ({answer.complaint})")
    known += [found for found in host.names(f"{folder}/parameters") if found not in known]
    return Parameter(problem=f"{module} has no such parameter{nearest(parameter, known)}")


def _chosen(text: str) -> str:
    """One of several words is shown in brackets among the others, as the policy of pcie_aspm is."""
    chosen = re.findall(r"\[(\w+)\]", text)
    return chosen[0] if len(chosen) == 1 and re.fullmatch(r"[\w\[\] ]+", text) else text


def same(desired: str, value: str) -> bool:
    """Whether two texts are one value to the kernel."""
    if value in ("Y", "N"):
        return desired.lower() in (_YES if value == "Y" else _NO)
    return desired == value or (_number(desired) is not None and _number(desired) == _number(value))


def spelled(desired: str, value: str) -> str:
    """A text as the kernel will say it, going by what it says now."""
    if value in ("Y", "N") and desired.lower() in (*_YES, *_NO):
        return "Y" if desired.lower() in _YES else "N"
    number = _number(desired)
    return str(number) if number is not None and _number(value) is not None else desired


def _number(text: str) -> Optional[int]:
    if not re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|[0-9]+)", text):
        return None
    return int(text, 16 if "x" in text.lower() else 10)


def file_of(host: Reader, key: str) -> str:
    """The file that sets a parameter at boot."""
    folder = f"{ROOT}/{key.partition('.')[0]}"
    built_in = host.exists(folder) and not host.exists(f"{folder}/initstate")
    return BUILT_IN if built_in and host.exists(path(key)) and host.writable(path(key)) else FILE


def options(text: str) -> Iterator[Tuple[str, str]]:
    """(key, value) of each parameter that a file of modprobe.d sets."""
    for line in text.replace("\\\n", " ").splitlines():
        words = line.split()
        if len(words) > 2 and words[0] == "options":
            for word in words[2:]:
                parameter, equals, value = word.partition("=")
                yield name(f"{words[1]}.{parameter}"), value.strip('"') if equals else "1"


def written(text: str) -> Iterator[Tuple[str, str]]:
    """(key, value) of each parameter that a file of tmpfiles.d writes."""
    for match in re.finditer(rf"^w {ROOT}/(\S+)/parameters/(\S+)(?: -){{4}} (\S+)$", text, re.MULTILINE):
        yield f"{match[1]}.{match[2]}", match[3]


def own(host: Reader) -> Dict[str, Tuple[str, str]]:
    """By key, the value and the file of each line of ours; TuningError where somebody else wrote such a file."""
    found: Dict[str, Tuple[str, str]] = {}
    for file, read in ((FILE, options), (BUILT_IN, written)):
        text = host.read(file)
        if text is None:
            continue
        if not text.startswith(conf.HEADER) or not host.plain(file):
            raise TuningError(f"{file} was not written by this collection, so it is not changed; move it away")
        found.update({key: (value, file) for key, value in read(text)})
    return found


def render(file: str, values: Mapping[str, str]) -> Optional[str]:
    """The text of a file of ours, or None where it has nothing to say."""
    if not values:
        return None
    if file == BUILT_IN:
        lines = [f"w {path(key)} - - - - {value}" for key, value in sorted(values.items())]
        return "\n".join([conf.HEADER, *lines, ""])
    modules: Dict[str, List[str]] = {}
    for key, value in sorted(values.items()):
        module, _dot, parameter = key.partition(".")
        modules.setdefault(module, []).append(f"{parameter}={value}")
    return "\n".join([conf.HEADER, *(f"options {module} {' '.join(words)}" for module, words in modules.items()), ""])


def overriders(host: Reader, keys: Sequence[str]) -> List[Dict[str, str]]:
    """What sets a parameter after our file does: kmod takes all files in order, then the kernel's command line."""
    found: Dict[str, Dict[str, str]] = {}
    for path in conf.in_order(host, FOLDERS, ".conf", beyond=FILE.rpartition("/")[2]).values():
        for key, value in options(host.read(path) or ""):
            found[key] = {"key": key, "file": path, "value": value}
    for word in (host.read(_COMMAND_LINE) or "").split():
        key, equals, value = word.partition("=")
        if equals and "." in key:
            found[name(key)] = {"key": name(key), "file": _COMMAND_LINE, "value": value}
    return [found[key] for key in keys if key in found]


def forbids_messages(host: Reader) -> bool:
    """Whether the kernel's command line forbids all devices to send their interrupts as messages (MSI)."""
    return re.search(r"\bpci=(\S+,)?nomsi\b", host.read(_COMMAND_LINE) or "") is not None
