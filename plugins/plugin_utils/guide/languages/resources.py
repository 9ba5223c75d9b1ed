# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the resources of Puppet and Chef that a text shows: parameters, services, and features of NICs."""

from __future__ import annotations

import re
from typing import Sequence

from ..calls import programs, tasks
from ..keys import kernel_files
from ..keys.settings import Guide
from ..model import NO_EFFECT, ON_HOST, OTHER_TOOL, Line
from ..scripts.whole import Shell
from . import chef, fragments, puppet

# A command of a resource that is more than one command: a loop, a condition, or what is for a shell.
_COMPOUND = re.compile(
    r"\s*(?:command|code)(\s*=>\s*|\s+)(['\"])"
    r"((?:(?:for|while)\s.*;\s*do\s|if\s.*;\s*then\s|(?:/bin/)?(?:ba)?sh\s+-c\s).*)\2\s*,?\s*"
)
_FEATURES = ("tso", "gso", "gro", "lro", "ufo", "sg")


def read(guide: Guide, lines: Sequence[Line], index: int) -> int:
    """Note what the resource in a line declares; gives how many lines that takes, 0 where there is none."""
    number = lines[index][0]
    hashes = chef.hashes(lines, index)
    if hashes:
        for row, _text in lines[index : index + hashes.rows]:
            guide.sink.nothing(row, "part of a list of attributes")
        for one in hashes.found:
            guide.sysctl(one.line, one.key, fragments.interpolated(one.value), switches=True)
        return hashes.rows
    file = chef.sysfs(lines, index)
    if file:
        _write(guide, lines[index : index + file.rows], file)
        return file.rows
    own = puppet.own(lines, index)
    if own:
        said = f"{own.name}: what a resource of this kind sets, its definition says, which is not part of this text"
        guide.sink.remark(number, ON_HOST, said)
        for row, _text in lines[index + 1 : index + own.rows]:
            guide.sink.goes_on(row, number)
        return own.rows
    pairs = puppet.pairs(lines[index][1])
    for name, value in pairs:
        guide.sysctl(number, name, value, switches=True)
    if pairs:
        return 1
    declared = fragments.declared(lines, index)
    if declared:
        _declare(guide, lines, index, declared)
        return declared.below + 1
    compound = _COMPOUND.fullmatch(lines[index][1])
    if compound:
        _compound(guide, lines, index, compound)
        return 1
    verbs = fragments.of_a_service(lines, index)
    for verb in verbs:
        programs.service(guide, number, ["irqbalance", verb])
    attribute = fragments.of_ethtool(lines, index)
    if attribute:
        _attribute(guide, number, *attribute)
    return int(bool(verbs or attribute))


def _compound(guide: Guide, lines: Sequence[Line], index: int, found: re.Match[str]) -> None:
    """A command that only a shell understands, which Puppet has by `provider => shell` alone."""
    number = lines[index][0]
    texts = [text for _number, text in lines]
    begins = next((k for k in range(index, -1, -1) if "{" in texts[k] and k != index), 0)
    ends = next((k for k in range(index, len(texts)) if texts[k].strip().startswith("}")), len(texts))
    around = texts[begins:ends]
    shell = "=>" not in found[1] or any(re.search(r"provider\s*=>\s*['\"]?shell", text) for text in around)
    if not shell and not re.match(r"(?:/bin/)?(?:ba)?sh\s", found[3]):
        word = found[3].split()[0]
        said = f"Puppet runs no shell, so there is no program '{word}'; write provider => shell"
        guide.sink.remark(number, NO_EFFECT, said)
        return
    Shell(guide).commands(number, re.sub(r"\\([\"$])", r"\1", found[3]) if found[2] == '"' else found[3])


def _write(guide: Guide, lines: Sequence[Line], file: chef.File) -> None:
    """A resource for one file of /sys, told where it begins."""
    number = lines[0][0]
    for row, _text in lines[1:]:
        guide.sink.nothing(row, "goes on from the line before")
        guide.sink.goes_on(row, number)
    if file.path:
        kernel_files.write(guide, number, file.path, file.value)
    else:
        guide.sink.remark(
            number, ON_HOST, f"{lines[0][1].strip()}: which file of /sys gets {file.value}, the host knows"
        )


def _declare(guide: Guide, lines: Sequence[Line], index: int, declared: fragments.Declared) -> None:
    """A parameter of a resource, told where its value stands."""
    number = lines[index][0]
    if declared.value is None:
        guide.sink.remark(number, NO_EFFECT, tasks.gone(declared.key))
        return
    for row, _text in lines[index + 1 : index + declared.below + 1]:
        guide.sink.nothing(row, "goes on from the line before")
        guide.sink.goes_on(row, number)
    guide.sysctl(number, declared.key, fragments.interpolated(declared.value), switches=True)


def _attribute(guide: Guide, number: int, nic: str, key: str, value: str) -> None:
    """One attribute of a resource for ethtool, in the words of the module `ethtool`."""
    word = {"enabled": "on", "disabled": "off"}.get(value, value)
    if key in _FEATURES:
        guide.nic(number, nic, "features", key, word)
    elif key in ("speed", "duplex"):
        Shell(guide).commands(number, f"ethtool -s {nic} {key} {word}")
    else:
        guide.sink.remark(number, OTHER_TOOL, f"{nic} {key} {value}: an attribute of Puppet that is not known here")
