# SPDX-License-Identifier: GPL-3.0-or-later
"""The program that moves interrupts and threads to processors by their names: `tuna -q 'eth0*' -c 2,3 -m`."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, Sequence, Tuple

from .. import masks
from ..keys import kernel_files
from ..keys.settings import Guide
from ..model import ON_HOST, OTHER_TOOL
from ..shell import interrupts

# What the options mean that say which interrupts and processors, and what is done with these; both have long names.
_LISTS: Mapping[str, str] = {
    **dict.fromkeys(("-q", "--irqs", "--irq"), "irqs"),
    **dict.fromkeys(("-c", "--cpus", "--cpu"), "cpus"),
    **dict.fromkeys(("-S", "--sockets", "--socket"), "sockets"),
    **dict.fromkeys(("-t", "--threads", "--thread", "-p", "--priority", "-r", "--run", "-a", "-s", "--save"), "other"),
}
_ACTS: Mapping[str, str] = {
    **dict.fromkeys(("-m", "--move", "move"), "move"),
    **dict.fromkeys(("-x", "--spread", "spread"), "spread"),
    **dict.fromkeys(("-Q", "--show_irqs", "--show-irqs", "show_irqs", "-P", "--show_threads", "show_threads"), "show"),
    **dict.fromkeys(("--show", "-W", "--what_is", "what_is", "-g", "--gui", "gui", "-v", "--version", "-h"), "show"),
    **dict.fromkeys(("-i", "--isolate", "isolate", "-I", "--include", "include", "priority", "run", "apply"), "other"),
}
# A variable that holds the number of an interrupt.
_IS_NUMBER = re.compile(r"(?i)\$\{?(?!\w*n(?:ic|et))\w*irqs?\w*\}?")


def is_command(words: Sequence[str]) -> bool:
    """Whether words behind the name are those of a call, and not of a sentence about the program."""
    return bool(words) and (words[0].startswith("-") or (words[0] in _ACTS and any(map(_is_option, words[1:]))))


def _is_option(word: str) -> bool:
    return re.match(r"--?[A-Za-z]", word) is not None


def read(guide: Guide, line: int, words: List[str]) -> None:
    """Interrupts that it gives to processors; threads and processors are no settings of this collection."""
    lists, act = _parsed(words)
    said = f"tuna {' '.join(map(masks.shown, words))}"
    if not lists.get("irqs") or act not in ("move", "spread"):
        if act in ("show", "") and "other" not in lists:
            guide.sink.nothing(line, "only reads")
        else:
            guide.sink.remark(line, OTHER_TOOL, f"{said}: it is of threads and processors; TuneD sets it")
        return
    if not lists.get("cpus"):
        guide.sink.remark(line, ON_HOST, f"{said}: which processors these are, is known on the host only")
        return
    for name in lists["irqs"].split(","):
        _given(guide, line, name, lists["cpus"], act == "spread")


def _parsed(words: Sequence[str]) -> Tuple[Dict[str, str], str]:
    """The lists of a call, and what it does last with them, for each action is carried out as it comes."""
    lists: Dict[str, str] = {}
    act = ""
    rest = list(words)
    while rest:
        word, mark, text = rest.pop(0).partition("=")
        short = re.fullmatch(r"(-[qcS])(\S+)", word)
        if short and not mark:
            word, mark, text = short[1], "=", short[2]
        if word in _LISTS:
            value = text if mark else rest.pop(0) if rest and not _is_option(rest[0]) else ""
            lists[_LISTS[word]] = value.strip("\"'").replace("\\", "")
        elif word in _ACTS:
            act = _ACTS[word]
    return lists, act


def _given(guide: Guide, line: int, name: str, cpus: str, spread: bool) -> None:
    """What interrupts of a name or number get: all of the processors, or one after the other."""
    number = name.isdecimal() or interrupts.WORD.fullmatch(name) or _IS_NUMBER.fullmatch(masks.shown(name))
    found = None if number else interrupts.by_name(name)
    if name == "*":
        text = "all interrupts of the host, of disks too; write irq: {affinity: ...} for the NICs"
        guide.sink.remark(line, ON_HOST, f"{text}, here {masks.shown(cpus)}")
    elif found is not None and spread:
        for one in found.interrupts:
            dealt = interrupts.Dealt(cpus, False, "")
            if one.names == "*" and masks.known(cpus):
                kernel_files.affinity(guide, line, one, dealt)
            else:
                text = f"{interrupts.who(one)} to {masks.shown(cpus)} in turn: write irq: {{affinity: ...}}"
                guide.sink.remark(line, ON_HOST, text)
    elif found is not None:
        word = guide.interrupts.word(found)
        kernel_files.write(guide, line, f"/proc/irq/{word}/smp_affinity_list", cpus)
    elif number or not masks.known(name):
        kernel_files.write(guide, line, f"/proc/irq/{name}/smp_affinity_list", cpus)
    else:
        text = f"interrupts called {masks.shown(name)} are of no NIC, as far as the text tells"
        guide.sink.remark(line, OTHER_TOOL, text)
