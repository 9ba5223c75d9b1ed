# SPDX-License-Identifier: GPL-3.0-or-later
"""Order entries that mean the same NIC for a reader who takes but one of them, and say what that loses."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Callable, Dict, List, Sequence

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Desired

from .model import Entry, Form

# What is compared by its letters alone.
_WORDS = {"driver", "mac", "pci", "bus"}
_ALL_HARDWARE = (("driver", "*"),)


def each_once(form: Form, reader: str, known: Callable[[Entry], bool]) -> List[Entry]:
    """The entries for one who takes the first alone that fits a NIC: the narrowest first, with what wider ones say.

    What the others would have said of a NIC that several fit, which only the host could tell, is noted. Those that
    are not `known` to the reader come last.
    """
    entries = [one for one in form.desired.nics if known(one)]
    merged = [one._replace(families=_families([wide for wide in entries if _covers(wide, one)])) for one in entries]
    order = sorted(range(len(entries)), key=lambda index: -sum(_covers(wide, entries[index]) for wide in entries))
    order.sort(key=lambda index: _width(entries[index]))
    for number, index in enumerate(order):
        late = entries[index]
        takers = [
            entries[before].selector
            for before in order[:number]
            if _may_meet(entries[before], late)
            and not _covers(late, entries[before])
            and not _within(late, merged[before])
        ]
        if takers:
            why = f"{reader} applies only one of them, and this one comes last; write there what the NIC should have"
            form.cannot(f"{late.selector}, where {' or '.join(takers)} fits as well", why)
    return [*(merged[index] for index in order), *(one for one in form.desired.nics if not known(one))]


def _width(one: Entry) -> int:
    """A name before a match before a pattern of names, and all hardware last."""
    if not one.name:
        return 3 if one.match == _ALL_HARDWARE else 1
    return 2 if re.search(r"[*?\[]", one.name) else 0


def _covers(wide: Entry, one: Entry) -> bool:
    """Whether all NICs that an entry means are surely meant by the other as well."""
    if wide.name or one.name:
        return bool(wide.name and one.name) and fnmatchcase(one.name, wide.name)
    match = dict(one.match)
    return wide.match == _ALL_HARDWARE or all(
        key in match and fnmatchcase(match[key].lower(), value.lower()) for key, value in wide.match
    )


def _may_meet(one: Entry, other: Entry) -> bool:
    """Whether there may be a NIC that both mean."""
    if one.name and other.name:
        return _agree(one.name, other.name)
    both = dict(one.match).keys() & dict(other.match).keys() & _WORDS
    return all(_agree(dict(one.match)[key].lower(), dict(other.match)[key].lower()) for key in both)


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
