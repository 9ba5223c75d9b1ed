# SPDX-License-Identifier: GPL-3.0-or-later
"""Know conditions that tell machines apart, by their hardware, their release or their name."""

from __future__ import annotations

import re

from .. import masks
from . import expand
from .nodes import Node, Pipeline, Simple, certain

_FILES = r"/etc/(?:\S*release|hostname|issue)|/proc/version|/sys/(?:class|devices/virtual)/dmi/\S+"
# What /proc/cpuinfo has is more often counted than looked for.
_COUNTED = r"/proc/cpuinfo"
_TELLS = (
    r"(?:sudo\s+)?(?:/\S*/)?(?:(?:dmidecode|lspci|lsusb|uname|hostname|hostnamectl|lsb_release|virt-what"
    rf"|systemd-detect-virt)(?=[\s|)`]|$)|cat\s+(?:{_FILES}))"
)
_LOOKS_FOR = re.compile(
    rf"(?:{_TELLS}|lscpu|lshw|cat\s+{_COUNTED}).*\|\s*[ef]?grep\s[^|]*"
    r"|(?:sudo\s+)?(?:/\S*/)?ethtool\s+[^\s|-]\S*\s.*\|\s*[ef]?grep\s[^|]*\b(?:Port|FIBRE|Twisted)\b[^|]*"
    rf"|[ef]?grep\s[^|]*\s[\"']?(?:{_FILES}|{_COUNTED})[\"']?(?:\s.*)?"
)
# The driver of one NIC that is named; those of all NICs with a driver are found by it.
_OF_ONE_NIC = re.compile(
    r"(?:sudo )?(?:/\S*/)?ethtool (?:-i|--driver) [\"']?[A-Za-z][\w.-]*[\"']? \| (?:sudo )?[ef]?grep\s.*"
)
# What else tells one NIC from another: its place, its addresses, what it belongs to, but not whether its link is up.
_OF_A_NIC = re.compile(
    r"(?:sudo )?(?:/\S*/)?(?:ethtool (?:-i|--driver) \S+ \| (?:sudo )?[ef]?grep\s.*(?:bus-info|version)"
    r"|(?:udevadm info|ethtool (?:-P|--show-permaddr)) .*\| (?:sudo )?[ef]?grep\s"
    r"|ip (?:-\S+ )*(?:a(?:ddr(?:ess)?)?|l(?:ink)?) (?:show|list|ls|s) (?:dev )?\S+ \| (?:sudo )?[ef]?grep\s"
    r"(?!.*(?:\bUP\b|[Ss]tate|LOWER|CARRIER|DOWN|mtu|qlen|qdisc|promisc|PROMISC))).*"
)
# Files by which releases are told apart, where a test asks whether they are there.
_OF_A_RELEASE = re.compile(r"[\"']?/etc/[\w.-]*(?:release|version)[\"']?")
# What asks somebody, or looks into a configuration, by the words of its name.
_QUESTION = re.compile(
    r"(?i)(?:[\w.:-]*[._:-])?(?:confirm|ask|yesno|yes_?no|prompt|true|enabled|should|wants?)(?:[._-]\w+)*"
)
# Arguments, their number, and how a command ended.
OF_A_CALL = re.compile(r"[\"']?\$\{?[#?@*\d]\}?[\"']?|\d+")
# What tells this system from others, which have no inventory.
_OF_LINUX = {"linux", "darwin"}
_VARIABLE = re.compile(r"[\"']?\$\{?(\w+)\}?[\"']?")
_HAS_ANSWER = re.compile(rf"(?:\$\(|`)\s*{_TELLS}|\$\{{?HOSTNAME\b")

NAME_OF_HOST = re.compile(r"(?:\$\(|`)\s*(?:hostname|uname\s+-n|cat\s+/etc/hostname)\b|\$\{?HOSTNAME\b")


def answers(raw: str) -> bool:
    """Whether a word is what tells machines apart, as a command prints it."""
    return _HAS_ANSWER.search(raw) is not None


def keep(name: str, raw: str, scope: expand.Scope) -> None:
    """Keep what a variable holds that is set to a word."""
    scope.machines |= {name} if answers(raw) else set()
    scope.hosts |= {name} if NAME_OF_HOST.search(raw) else set()


def of_machines(test: Node, scope: expand.Scope, holds: bool) -> str:
    """What to note of commands that run on some machines only; empty where a condition does not tell these apart."""
    return next(filter(None, (_of_machines(part, scope, so) for part, so in certain(test, holds))), "")


def _bare(word: str) -> str:
    return word.strip("\"'").lower()


def of_a_call(raw: str, scope: expand.Scope) -> bool:
    """Whether a word is an argument, their number or how a command ended, perhaps by another name."""
    return any(OF_A_CALL.fullmatch(text) for text in (raw, masks.shown(expand.text(raw, scope))))


def _of_machines(node: Node, scope: expand.Scope, holds: bool) -> str:
    commands = node.commands if isinstance(node, Pipeline) else (node,)
    raw = [[word for word, _line in one.words] for one in commands if isinstance(one, Simple)]
    if len(raw) != len(commands) or not all(raw):
        return ""
    if raw[0][0] in ("[", "[[", "test"):
        words = [word for word in raw[0][1:] if word not in ("]", "]]")]
        held = {match[1] for match in map(_VARIABLE.fullmatch, words) if match}
        told = any(map(answers, words)) or bool(held & scope.machines)
        release = len(words) == 2 and words[0] in ("-e", "-f", "-r", "-s") and _OF_A_RELEASE.fullmatch(words[1])
        seen = (told or release) and not _OF_LINUX & set(map(_bare, words))
        return f"only where {' '.join(words)} {'holds' if holds else 'does not hold'}" if seen else ""
    command = " | ".join(map(" ".join, raw))
    if len(raw) == 1 and len(raw[0]) > 1 and _QUESTION.fullmatch(raw[0][0]):
        return f"only where {command} {'holds' if holds else 'does not hold'}"
    filled = " | ".join(" ".join(masks.shown(expand.text(word, scope)) for word in words) for words in raw)
    looks = _LOOKS_FOR.fullmatch(command) or _OF_ONE_NIC.fullmatch(filled) or _OF_A_NIC.fullmatch(command)
    return f"only where {command} finds {'something' if holds else 'nothing'}" if looks else ""
