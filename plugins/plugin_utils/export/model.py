# SPDX-License-Identifier: GPL-3.0-or-later
"""Describe what is exported: the desired state by NIC, the files of a form, and what that form has no words for."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Callable, Dict, List, Mapping, NamedTuple, Sequence, Tuple

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


class Entry(NamedTuple):
    """What is desired of the NICs that a selector means: by family and key."""

    name: str
    match: Tuple[Tuple[str, str], ...]
    families: Dict[str, Dict[str, Desired]]

    @property
    def selector(self) -> str:
        """The NICs as a message names them."""
        return self.name or " ".join(f"{key} {value}" for key, value in self.match)

    @property
    def width(self) -> int:
        """A name before a match before a pattern of names, and all hardware last."""
        if not self.name:
            return 3 if self.match == (("driver", "*"),) else 1
        return 2 if re.search(r"[*?\[]", self.name) else 0

    def covers(self, other: Entry) -> bool:
        """Whether all NICs that the other entry means are surely meant by this one as well."""
        if self.name or other.name:
            return bool(self.name and other.name) and fnmatchcase(other.name, self.name)
        asked = dict(other.match)
        return self.match == (("driver", "*"),) or all(
            key in asked and fnmatchcase(asked[key].lower(), value.lower()) for key, value in self.match
        )

    def may_meet(self, other: Entry) -> bool:
        """Whether there may be a NIC that both mean."""
        if self.name and other.name:
            return _agree(self.name, other.name)
        both = dict(self.match).keys() & dict(other.match).keys() & _WORDS
        return all(_agree(dict(self.match)[key].lower(), dict(other.match)[key].lower()) for key in both)


# What is compared by its letters alone.
_WORDS = {"driver", "mac", "pci", "bus"}


def _agree(one: str, other: str) -> bool:
    """Whether two patterns may fit the same text, as far as the letters before their first sign tell."""
    ways = [re.split(r"[*?\[]", text, maxsplit=1) for text in (one, other)]
    (first, *open_), (second, *other_open) = ways
    if not open_ and not other_open:
        return first == second
    if not open_:
        return fnmatchcase(first, other)
    if not other_open:
        return fnmatchcase(second, one)
    return first.startswith(second) or second.startswith(first)


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

    def each_once(self, reader: str, known: Callable[[Entry], bool]) -> List[Entry]:
        """The entries for one who takes the first alone that fits a NIC: the narrowest first, with what wider ones say.

        What the others would have said of a NIC that several fit, which only the host could tell, is noted. Those that
        are not `known` to the reader come last.
        """
        entries = [one for one in self.desired.nics if known(one)]
        merged = [one._replace(families=_families([wide for wide in entries if wide.covers(one)])) for one in entries]
        order = sorted(range(len(entries)), key=lambda place: -sum(wide.covers(entries[place]) for wide in entries))
        order.sort(key=lambda place: entries[place].width)
        for number, place in enumerate(order):
            late = entries[place]
            takers = [
                entries[before].selector
                for before in order[:number]
                if entries[before].may_meet(late)
                and not late.covers(entries[before])
                and not _within(late, merged[before])
            ]
            if takers:
                why = f"{reader} takes one of them for a NIC, this one last; write there what it is to have of both"
                self.cannot(f"{late.selector}, where {' or '.join(takers)} fits as well", why)
        return [*(merged[place] for place in order), *(one for one in self.desired.nics if not known(one))]

    def header(self, comment: str, about: Sequence[str]) -> List[str]:
        """The lines at the top of a file of this form."""
        return header(comment, about, self.unsaid)


def _families(entries: Sequence[Entry]) -> Dict[str, Dict[str, Desired]]:
    """What entries say together, later ones over earlier ones."""
    found: Dict[str, Dict[str, Desired]] = {}
    for entry in entries:
        for family, keys in entry.families.items():
            found.setdefault(family, {}).update(keys)
    return found


def _within(one: Entry, other: Entry) -> bool:
    """Whether an entry says nothing that the other does not say too."""
    return all(
        other.families.get(family, {}).get(key) == value
        for family, keys in one.families.items()
        for key, value in keys.items()
    )


def header(comment: str, about: Sequence[str], unsaid: Sequence[Unsaid]) -> List[str]:
    """The lines at the top of a file: what it is, and what it lacks."""
    lines = list(about)
    if unsaid:
        lines += ["", "Not said here, for this form has no words for it:"]
        lines += [f"  {one.what}: {one.why}" for one in unsaid]
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
        PROBE: "it is a question to ask once values are set, and no value",
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
