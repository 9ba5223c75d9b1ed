# SPDX-License-Identifier: GPL-3.0-or-later
"""Describe what is exported: the desired state by NIC, the files of a form, and what that form has no words for."""

from __future__ import annotations

from typing import Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import (
    EXACTLY,
    MAXIMUM,
    PERCENT,
    PROBE,
    UNKNOWN,
    Desired,
    say,
)

Keys = Mapping[str, Desired]


class Unsaid(NamedTuple):
    """What a form cannot say, and why."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


class Entry(NamedTuple):
    """What is desired of the NICs that a selector means: by family and key."""

    name: str
    match: Tuple[Tuple[str, str], ...]
    families: Dict[str, Dict[str, Desired]]

    @property
    def selector(self) -> str:
        """The NICs as a message names them."""
        return self.name or " ".join(f"{key} {value}" for key, value in self.match)


class DesiredHost(NamedTuple):
    """All that is desired of a host; `others` are variables that only Ansible can fulfil."""

    nics: List[Entry]
    sysctl: Dict[str, Desired]
    profile: str = ""
    others: Tuple[Unsaid, ...] = ()


class Export(NamedTuple):
    """The files of a form by path; `modes` has those that are programs."""

    files: Dict[str, str]
    unsaid: Tuple[Unsaid, ...]
    modes: Mapping[str, str] = {}


class Form:
    """Collects what one form says and what it cannot say."""

    def __init__(self, desired: DesiredHost) -> None:
        self.desired = desired
        self.unsaid: List[Unsaid] = list(desired.others)

    def cannot(self, what: str, why: str) -> None:
        """Note what is left out."""
        found = Unsaid(what, why)
        if found not in self.unsaid:
            self.unsaid.append(found)

    def cannot_any(self, entry: Entry, why: str) -> None:
        """Note an entry that is left out as a whole, with each of its values."""
        for family, keys in entry.families.items():
            for key, one in keys.items():
                self.cannot(named(entry, family, key, one), why)

    def parameters(self) -> Iterator[Tuple[str, Desired]]:
        """The kernel parameters that have one value; the others are left out."""
        for key, one in self.desired.sysctl.items():
            if exactly(one):
                yield key, one
            else:
                self.cannot(f"{key} {one}", why_not(one))

    def header(self, comment: str, about: Sequence[str]) -> List[str]:
        """The lines at the top of a file of this form."""
        return header(comment, about, self.unsaid)


def header(comment: str, about: Sequence[str], unsaid: Sequence[Unsaid]) -> List[str]:
    """The lines at the top of a file: what it is, and what it lacks."""
    lines = list(about)
    if unsaid:
        lines += ["", "Left out, because this form cannot express it:"]
        lines += [f"  {one}" for one in unsaid]
    return [f"{comment} {_plain(line)}".rstrip() for line in lines]


def exactly(one: Desired) -> bool:
    """Whether it is a value, and no bound, no share of a maximum and no question."""
    return one.kind == EXACTLY


def why_not(one: Desired) -> str:
    """Why it is no value that a file could hold."""
    if one.kind == UNKNOWN:
        return str(one.fallback)
    return {
        MAXIMUM: "the maximum of a device is known on the host only",
        PERCENT: "the maximum of a device is known on the host only",
        PROBE: "it is a check of the result, and not a value",
    }.get(one.kind, "it depends on the value that the host has")


def named(entry: Entry, family: str, key: str, one: Desired) -> str:
    """One desired value as a message names it."""
    words = [entry.selector, *([] if family in ("link", "wol") else [family]), key, str(one)]
    return " ".join(word for word in words if word)


def switch(one: Desired, on: str = "on", off: str = "off") -> str:
    """The value in the words of a form."""
    if isinstance(one.value, bool):
        return on if one.value else off
    return say(one.value)


def _plain(text: str) -> str:
    """Text for a comment: on one line, whatever it holds."""
    return "".join(char if char.isprintable() else " " for char in text)
