# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak link modes: which of those that a device names (1000baseT/Full) a person means."""

from __future__ import annotations

import re
from functools import partial
from typing import Dict, List, Mapping, Optional, Sequence

from ..family import Field
from ..schema import AT_LEAST, AT_MOST, EXACTLY, Cell, Desired, InputError, Value, nearest

ALL = "all"
# For messages; which there are, a device tells.
_USUAL = tuple(f"{speed}baseT/{duplex}" for speed in (10, 100, 1000, 2500, 5000, 10000) for duplex in ("Half", "Full"))
_MODE = re.compile(r"(\d{1,7})base[\w/-]+", re.IGNORECASE)
_WORD = re.compile(r"\d{1,7}(base[\w/-]+)?", re.IGNORECASE)


def speed(mode: str) -> int:
    """The speed of a mode in Mb/s."""
    match = _MODE.match(mode)
    return int(match[1]) if match else 0


def duplex(mode: str) -> str:
    """`half` or `full`; a mode that names none, such as 10000baseR_FEC, is full."""
    return "half" if mode.lower().endswith("/half") else "full"


def understand(field: Field, raw: object) -> Desired:
    """A list of modes or speeds, C(all), or a bound such as {at_most: 1000}; which modes that are, a device tells."""
    right = "write all, {at_most: 1000}, or a list of modes such as 1000baseT/Full or speeds such as 1000"
    if isinstance(raw, Mapping):
        kind, bound = next(iter(raw.items())) if len(raw) == 1 else ("", "")
        if kind not in (AT_LEAST, AT_MOST):
            close = nearest(str(kind), (AT_LEAST, AT_MOST)) if kind else ""
            raise InputError(f"{field.name}: {dict(raw)!r} is not valid{close or '; ' + right}")
        if isinstance(bound, bool) or not re.fullmatch(r"\d{1,7}", str(bound)):
            raise InputError(f"{field.name}: {kind} {bound!r} is not valid; write a speed in Mb/s such as 1000")
        return Desired(EXACTLY, f"{kind} {bound}")
    parts: Sequence[object] = raw if isinstance(raw, (list, tuple)) else [raw]
    words = [word for part in parts for word in str(part).split()]
    if len(words) == 1 and words[0].lower() == ALL:
        return Desired(EXACTLY, ALL)
    # What a result shows of a desired value can be requested again.
    if len(words) == 2 and words[0] in (AT_LEAST, AT_MOST):
        return understand(field, {words[0]: words[1]})
    if not words or any(isinstance(part, (bool, Mapping)) or part is None for part in parts):
        raise InputError(f"{field.name}: {raw!r} is not valid; {right}")
    for word in words:
        if not _WORD.fullmatch(word):
            close = nearest(word, (ALL, *_USUAL), otherwise=False)
            raise InputError(f"{field.name}: {word!r} is not valid{close or '; ' + right}")
    return Desired(EXACTLY, " ".join(words))


def means(words: str, modes: Sequence[str]) -> str:
    """The modes of a device that words mean, in its own order; ValueError says why they mean none.

    Beside what a person writes there is `100/full`: each mode of that speed and duplex.
    """
    if not modes:
        raise ValueError("the device names no link modes")
    known = {mode.lower(): mode for mode in modes}
    bound, _blank, number = words.partition(" ")
    if words == ALL:
        return " ".join(modes)
    if bound in (AT_LEAST, AT_MOST):
        low = bound == AT_LEAST
        found = [mode for mode in modes if (speed(mode) >= int(number) if low else speed(mode) <= int(number))]
        if not found:
            raise ValueError(f"none of its modes is {bound.replace('_', ' ')} {number} Mb/s{there(modes)}")
        return " ".join(found)
    meant: Dict[str, None] = {}
    for word in words.split():
        some = [known[word.lower()]] if word.lower() in known else []
        match = re.fullmatch(r"(\d*)(?:/(half|full))?", word)
        if match:
            rate, way = match[1], match[2] or ""
            some = [mode for mode in modes if rate in ("", str(speed(mode))) and way in ("", duplex(mode))]
            named = " ".join([*([f"of {rate} Mb/s"] if rate else []), *([f"in {way} duplex"] if way else [])])
            if not some:
                raise ValueError(f"the device has no mode {named}{there(modes)}")
        if not some:
            raise ValueError(f"the device has no mode '{word}'{nearest(word, modes)}")
        meant.update(dict.fromkeys(some))
    return " ".join(mode for mode in modes if mode in meant)


def cells(link: Mapping[str, object]) -> Dict[str, Cell]:
    """The cell of what is advertised, in the device's own order; none where it names no modes."""
    known, offered = _listed(link.get("supported_modes")), _listed(link.get("advertised_modes"))
    if not known:
        return {}
    named = [mode for mode in known if mode in offered] + [mode for mode in offered if mode not in known]
    return {"advertise": Cell(" ".join(named) or None, means=partial(means, modes=known))}


def _listed(value: object) -> List[str]:
    return list(value) if isinstance(value, list) else []


def there(modes: Sequence[str]) -> str:
    """`; it has ...`, to end a message with."""
    return f"; it has {', '.join(modes)}"


def words(cell: Optional[Cell], planned: Value) -> List[str]:
    """`advertise 10baseT/Half off 1000baseT/Full on`: each mode, because the tool leaves those that it is not told.

    The list has to end its command, as a word behind it would be taken for a mode.
    """
    if not planned or not cell or not cell.means:
        return []
    chosen, known = str(planned).split(), str(cell.means(ALL)).split()
    return ["advertise", *(word for mode in known for word in (mode, "on" if mode in chosen else "off"))]


def everything(cell: Optional[Cell]) -> Value:
    """All modes of a device."""
    return cell.means(ALL) if cell and cell.means else None
