# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what conditions of a script compare that tells hosts or NICs apart: `[ "$SITE" = lab ]`, `[[ $x =~ ^rk ]]`."""

from __future__ import annotations

import re
from typing import FrozenSet, Iterable, List, Optional, Sequence

from .. import masks
from ..model import Part
from . import asking, bindings, drivers, expand
from .conditions import START, UNDO
from .nodes import JOINED, AndOr, Node, Not, Pipeline, Sequence_, Simple, tested

_VARIABLE = re.compile(r"[\"']?\$\{?(\w+)(?:[,^]{1,2}|:?-[^}]*)?\}?[\"']?")
# Words that say what a call is for or that something is there at all, and those of systems that have no inventory.
EVENTS = {"vpn-up", "pre-up", "post-up", "dhcp4-change", "dhcp6-change", "routable", "configured", "bound", "renew"}
_OF_ANY = START | UNDO | EVENTS | {"", "*", "lo", "linux", "darwin", "root"}
AFFIRMED = {"yes", "y", "true", "on", "1", "enable", "enabled"}
# What tells one NIC from another, where the inventory has names and drivers.
_OF_A_NIC = re.compile(
    r"/sys/class/net/[^/]+/(?:device/(?:uevent|driver|vendor|device|subsystem_\w+|modalias|numa_node|label)"
    r"|address|type|ifalias|phys_\w+|dev_id|dev_port)\b"
    r"|\bethtool (?:-P|--show-permaddr) |\bbus-info\b|\budevadm info\b|\bip (?:-\S+ )*a(?:ddr(?:ess)?)? "
)
# What a function of the script answers, by its name.
_BY_A_FUNCTION = re.compile(r"(?:\$\(|`)\s*(?!lsb_release)[a-z]\w*_\w+\s+[\"']?\$")
# A number, or a pattern of numbers.
_OF_A_NUMBER = re.compile(r"\d+|\^?-?\??\(?(?:\[0-9\]|\\d|\[\[:digit:\]\])[+*]?\)?\$?")
_OF_THE_USER = {"EUID", "UID", "USER", "LOGNAME", "SUDO_USER", "SHELL", "TERM", "BASH_SOURCE", "OSTYPE", "REPLY"}


def compared(test: Optional[Node], scope: expand.Scope, holds: bool = True) -> List[Part]:
    """What to note where a condition compares variables of the script with words: a note for each part it needs."""
    return [one._replace(said=f"only where {one.said}") for one in _needed(test, scope, holds)]


def of_driver(found: Sequence[drivers.Bindings]) -> List[Part]:
    """The same of the drivers that a condition needs, for what is set for a NIC that has a name."""
    names = list(dict.fromkeys(one.get(drivers.DRIVER, "") for one in found))
    return [Part(f"only where the driver is {' or '.join(names)}", frozenset(names))] if all(names) else []


def _needed(node: Optional[Node], scope: expand.Scope, holds: bool) -> List[Part]:
    if isinstance(node, (Sequence_, Pipeline)) and len(node.commands) == 1:
        return _needed(node.commands[0], scope, holds)
    if isinstance(node, Not):
        return _needed(node.command, scope, not holds)
    if isinstance(node, AndOr):
        sides = [_needed(side, scope, holds) for side in (node.left, node.right)]
        return _joined(sides, (node.operator == "&&") is holds)
    if isinstance(node, Pipeline) and not holds:
        names = [one[drivers.DRIVER] for one in drivers.searched(node) if one]
        return [_of_others(" or ".join(names))] if names else []
    words = tested(node)
    if not words and isinstance(node, Simple) and node.words and node.words[0][0] in ("grep", "egrep"):
        return _of_grep([raw for raw, _line in node.words], drivers.found_in(node, scope), scope, holds)
    return _of_words(words, scope, holds)


def _of_grep(words: List[str], found: List[drivers.Bindings], scope: expand.Scope, holds: bool) -> List[Part]:
    """The same of what is looked for in a file that tells NICs apart; a driver stands in the setting itself."""
    if all(found):
        return [] if holds else [_of_others(" or ".join(one[drivers.DRIVER] for one in found))]
    told = _OF_A_NIC.search(" ".join(drivers.filled(word, scope) for word in words))
    said = f"{' '.join(words)} finds {'something' if holds else 'nothing'}"
    return [Part(said, frozenset())] if told else []


def _joined(sides: Sequence[List[Part]], both: bool) -> List[Part]:
    """The parts of a condition that needs both sides, or one that says what it needs of either."""
    if both:
        return [part for side in sides for part in side]
    if not all(sides):
        return []
    parts = [part for side in sides for part in side]
    said = " or ".join(" and ".join(part.said for part in side) for side in sides)
    return [Part(said, _all(part.words for part in parts), _all(part.nics for part in parts))]


def _all(sets: Iterable[FrozenSet[str]]) -> FrozenSet[str]:
    return frozenset(text for one in sets for text in one)


def _of_words(words: Sequence[str], scope: expand.Scope, holds: bool) -> List[Part]:
    for joined, together in JOINED:
        index = next((number for number, word in enumerate(words) if word in joined), 0)
        if index:
            found = [_of_words(side, scope, holds) for side in (words[:index], words[index + 1 :])]
            return _joined(found, together is holds)
    if words[:1] == ["!"]:
        return _of_words(words[1:], scope, not holds)
    words = _without_guard(words)
    driver, there = drivers.tested(words, scope)
    if driver:
        return [] if there is holds else [_of_others(driver)]
    numbers = words[1:2] in (["-eq"], ["-ne"])
    if len(words) < 3 or not (numbers or words[1] in ("=", "==", "!=", "=~")):
        return []
    sides = (words[0], "".join(words[2:]))
    # Of what compares numbers a switch tells something, and what is read of a NIC.
    told = (not numbers or words[1:] == ["-eq", "1"]) and _tells(words, scope, holds)
    if not told and not _reads_of_nic(words, scope, holds):
        return []
    variables = [side for side in sides if _VARIABLE.fullmatch(side)]
    said = f"{words[0]} {words[1]} {sides[1]} {'holds' if holds else 'does not hold'}"
    literal = frozenset(expand.text(side, scope) for side in sides if side not in variables)
    return [Part(said, literal, _nics(variables, scope))]


def _without_guard(words: Sequence[str]) -> List[str]:
    """A comparison without the letter that keeps its sides from being empty: `[ "x$a" = "xon" ]`."""
    bare = [re.sub(r"^([\"']?)x", r"\1", word) for word in (*words[:1], *words[2:])]
    guarded = len(words) == 3 and "$" in bare[0] and all(map(re.compile("[\"']?x").match, (words[0], words[2])))
    return [bare[0], words[1], bare[1] or '""'] if guarded else list(words)


def _nics(variables: Sequence[str], scope: expand.Scope) -> FrozenSet[str]:
    """What two variables stand for."""
    return frozenset(masks.shown(expand.text(one, scope)) for one in variables if len(variables) == 2)


def _of_others(driver: str) -> Part:
    return Part(f"the driver is not {driver}", frozenset())


def _tells(words: Sequence[str], scope: expand.Scope, holds: bool) -> bool:
    """Whether a comparison tells hosts or NICs apart, and not only what a call is for, or whether there is anything."""
    sides = (words[0], "".join(words[2:]))
    names = [match[1] for match in map(_VARIABLE.fullmatch, sides) if match]
    same = (words[1] != "!=") is holds
    if not names or (len(names) == 2 and same) or any("$" in side and asking.of_a_call(side, scope) for side in sides):
        return False
    # What tells machines apart is noted as such, and the driver that a setting is for stands in it.
    if _OF_THE_USER & set(names) or scope.machines & set(names) or (same and scope.drivers & set(names)):
        return False
    found = {_bare(side, scope, words[1]) for side in sides if not _VARIABLE.fullmatch(side)}
    literal = {word for text in found for word in text}
    if same and literal & AFFIRMED and all(scope.get(name) is None for name in names):
        return True  # a switch from outside the script, which is off without it
    return not literal or not (literal <= _OF_ANY or all(_OF_A_NUMBER.fullmatch(word) for word in literal))


def _reads_of_nic(words: Sequence[str], scope: expand.Scope, holds: bool) -> bool:
    """Whether a side is what a file of sysfs has that tells NICs apart; a driver stands in the setting itself."""
    reads = any("$(" in side or "`" in side for side in words)
    spelt = " ".join(drivers.filled(word, scope) for word in words)
    told = _OF_A_NIC.search(spelt) or _BY_A_FUNCTION.search(spelt)
    return reads and told is not None and not any(map(bool, bindings.of_words(words, scope, holds)))


def _bare(side: str, scope: expand.Scope, sign: str) -> FrozenSet[str]:
    """The words that a side compares with: one, or those between which a regular expression chooses."""
    text = masks.shown(expand.text(side, scope)).lower()
    chosen = re.sub(r"[\^$()]", "", text).split("|") if sign == "=~" and "[" not in text else [text]
    return frozenset(one.strip("-") for one in chosen)
