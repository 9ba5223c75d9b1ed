# SPDX-License-Identifier: GPL-3.0-or-later
"""Understand CPUs for single queues and interrupts: a dictionary by queue or name, and masks as guides write them."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Any, List, Mapping, Sequence

from ..deciding import inputs
from ..family import Field
from ..schema import EXACTLY, Desired, InputError, NotThereError
from . import cpus

MASK = "mask "
_QUEUES = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?")


def understand(field: Field, raw: Any) -> Desired:
    """What a word, CPU lists, masks, or a dictionary of these ask for; InputError says what would be right."""
    plain = field._replace(parse=None)
    if not isinstance(raw, Mapping):
        return inputs.understand(plain, _lists(field, raw))
    rules = []
    for key, value in raw.items():
        name = " ".join(str(key).split())
        text = str(inputs.value(plain, _lists(field, value)))
        if not name or "=" in name or ";" in name or " " in text or (text in field.words and text != cpus.NONE):
            right = "write CPUs for queues or names, such as {0: 0-3, 1: 4-7}"
            raise InputError(f"{field.name}: {{{key!r}: {value!r}}} is not valid; {right}")
        if field.name != "affinity" and name != "*" and not _QUEUES.fullmatch(name):
            raise InputError(f"{field.name}: {key!r} is no queue; write its number, a range such as 0-3, or '*'")
        rules.append(f"{name}={text}")
    if not rules:
        raise InputError(f"{field.name}: the dictionary is empty; write such as {{0: 0-3, 1: 4-7}}")
    return Desired(EXACTLY, "; ".join(rules))


def _lists(field: Field, raw: Any) -> Any:
    """The same with lists in place of masks."""
    text = inputs.vector(raw).lower() if not isinstance(raw, Mapping) and raw is not None else ""
    if not text.startswith(MASK):
        return raw
    try:
        found = [cpus.format_list(cpus.parse_mask(word.replace("0x", ""))) for word in text[len(MASK) :].split()]
    except ValueError:
        raise InputError(f"{field.name}: {raw!r} is not valid; write such as mask f, or mask 0f f0") from None
    return " ".join(found)


def named(desired: str) -> bool:
    """Whether a text comes from a dictionary."""
    return "=" in desired


def apart(desired: str, current: Sequence[str], order: Sequence[int], names: Sequence[str]) -> List[str]:
    """The CPU list of each receiver: what is desired for its name or queue, else what it has; NotThereError."""
    rules = [rule.rpartition("=")[::2] for rule in desired.split("; ")]
    used = set()
    found = []
    for index, queue in enumerate(order):
        name = names[index] if index < len(names) else ""
        exact = [rule for rule in rules if rule[0] == name]
        matches = exact or [rule for rule in rules if _means(rule[0], queue, name)]
        used.update(matches)
        found.append(matches[0][1] if matches else (current[index] if index < len(current) else cpus.NONE))
    for rule in rules:
        if rule not in used and rule[0] != "*":
            last = f"the last queue is {max(order)}" if order else "there is no queue"
            there = f"choose one of {', '.join(names)}" if names else last
            raise NotThereError(f"nothing is called {rule[0]}; {there}")
    return found


def _means(key: str, queue: int, name: str) -> bool:
    match = _QUEUES.fullmatch(key)
    if match:
        return int(match[1]) <= queue <= int(match[2] or match[1])
    return key == "*" or fnmatchcase(name, key)
