# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what chooses between hosts, their roles, or calls of a script, and not only between NICs, drivers or events."""

from __future__ import annotations

import re
from typing import Optional, Sequence, Set, Tuple, Union

from .. import masks
from . import asking, comparing, conditions, expand
from .nodes import For, Node, Sequence_, Simple, While, all_of, tested

_VARIABLE = re.compile(r"[\"']?\$(?:(\w+)|\{(\w+)(?:[,^]{1,2}|:?[-=][^}]*)?\})[\"']?")
# Variables that hold which NIC, which hardware or which release something is for.
_OF_A_NIC = re.compile(
    r"(?i)nic\b|_nic|if$|i?face|ifname|inter|dev|driver|card|port|vendor|model|board|irq|queue|arch|speed"
)
_OF_A_RELEASE = re.compile(r"(?i)id$|dist|release|version|^os|os$|codename|kernel")
_WORD = re.compile(r"([\"']?)([A-Za-z][\w.:/+-]*)\1")
_USUAL = {"install", "setup", "configure", "config", "tune", "optimize", "init", "boot", "deploy", "main", "default"}
_PLAIN = (conditions.START | comparing.EVENTS | _USUAL | {"", "lo", "linux"}) - {"1"}


def variable(subject: str) -> str:
    """The variable that a word is; empty for anything else."""
    found = _VARIABLE.fullmatch(subject)
    return (found[1] or found[2]) if found else ""


def is_plain(text: str) -> bool:
    """Whether a word is what any host is called with, such as `start`, or an event."""
    return text.lower().strip("-") in _PLAIN


def of_a_call(subject: str, scope: expand.Scope) -> bool:
    """Whether a word is an argument of the script."""
    return asking.of_a_call(subject, scope)


def tells_hosts(subject: str, scope: expand.Scope) -> bool:
    """Whether a word chooses between calls, or between hosts by their names or by what these are for."""
    name, value = variable(subject), masks.shown(expand.text(subject, scope))
    if of_a_call(subject, scope) or asking.NAME_OF_HOST.search(subject) or asking.NAME_OF_HOST.search(value):
        return True
    if name in scope.hosts:
        return True
    others = scope.machines | scope.drivers
    return bool(name) and name not in others and not _OF_A_NIC.search(name) and not _OF_A_RELEASE.search(name)


def read_in(node: Union[For, While]) -> Set[str]:
    """The variables for which a menu asks a person in each of its rounds."""
    reads = [one for one in all_of(node.body) if isinstance(one, Simple) and one.words and one.words[0][0] == "read"]
    return {raw for one in reads for raw, _line in one.words[1:] if re.fullmatch(r"[A-Za-z_]\w*", raw)}


def are_numbers(arms: Sequence[Sequence[str]]) -> bool:
    """Whether the cases are the numbers of a menu, of which 1 is no word for yes."""
    return sum(any(pattern.isdecimal() for pattern in patterns) for patterns in arms) > 1


def said(subject: str, patterns: Sequence[str], by_call: bool, numbered: bool) -> str:
    """What to say of a case; nothing where it is that of a plain call."""
    words = [masks.shown(pattern) for pattern in patterns]
    if any(is_plain(word) or (word == "1" and not numbered) for word in words) or (by_call and "*" in words):
        return ""
    if "*" in words:
        return f"only where {subject} is none of the other cases"
    return f"only where {subject} is {' or '.join(words)}"


def words_of(test: Optional[Node]) -> Sequence[str]:
    """The raw words of a condition that is a single test."""
    while isinstance(test, Sequence_) and len(test.commands) == 1:
        test = test.commands[0]
    return tested(test)


def compared(test: Optional[Node], scope: expand.Scope) -> Tuple[str, str]:
    """The variable that a condition needs alone, and the word which it has to be, if that tells hosts apart."""
    words = words_of(test)
    if len(words) != 3 or words[1] not in ("=", "=="):
        return "", ""
    sides = [words[0], words[2]] if _WORD.fullmatch(words[2]) else [words[2], words[0]]
    word, name = _WORD.fullmatch(sides[1]), variable(sides[0])
    if not word or is_plain(word[2]) or word[2].lower() in comparing.AFFIRMED | conditions.UNDO:
        return "", ""
    if not name and asking.NAME_OF_HOST.search(sides[0]):
        return "HOSTNAME", word[2]
    known = masks.known(expand.text(sides[0], scope))
    tells = bool(name) and not known and not of_a_call(sides[0], scope) and tells_hosts(sides[0], scope)
    return ("HOSTNAME" if name in scope.hosts else name, word[2]) if tells else ("", "")
