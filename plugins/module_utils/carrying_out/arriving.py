# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep for NICs that come later: what entries with a pattern ask for, as far as that needs nothing of the NIC."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Sequence, Tuple

from ..deciding import desire, plan
from ..deciding.inputs import FORMULAS
from ..family import Family
from ..host import ReadOnlyHost
from ..schema import EXACTLY, Action, Address, Desired, Value
from ..tools import later, systemd

Families = Mapping[str, Family]


class Default(NamedTuple):
    """What one entry asks of a family for the names that fit its pattern."""

    pattern: str
    family: Family
    values: Mapping[str, Value]


def defaults(
    families: Iterable[Family], params: Mapping[str, Any], physical: Iterable[str]
) -> Tuple[List[Default], List[str]]:
    """What can be said of a NIC that is not there yet, in the order of the entries, and what waits for the next run.

    A pattern that fits one of the `physical` NICs is about these, which have units of their own.
    """
    own = {family.name: family for family in families}
    found: List[Default] = []
    waiting: Dict[str, List[str]] = {}
    for entry in params.get("nics") or ():
        pattern = str(entry.get("name") or "")
        if not re.search(r"[*?\[]", pattern) or any(fnmatchcase(nic, pattern) for nic in physical):
            continue
        layer = {name: keys for name, family in own.items() for keys in [desire.keys_of(family, entry)] if keys}
        computed = {name for name, keys in layer.items() if any(word in str(keys) for word in FORMULAS)}
        made = plan.overlay([(pattern, {n: k for n, k in layer.items() if n not in computed})], own)
        values: Dict[str, Dict[str, Value]] = {}
        for address, one in made.items():
            if later.speakable(pattern) and _known(own[address.family], address, one):
                values.setdefault(address.family, {})[address.key] = one.value
            else:
                waiting.setdefault(pattern, []).append(f"{address.family} {address.key}")
        for name in computed:
            waiting.setdefault(pattern, []).append(name)
        found += [Default(pattern, family, values[name]) for name, family in own.items() if name in values]
    return found, [
        f"{pattern}: {', '.join(sorted(set(keys)))}: it depends on the NIC, so NICs that appear later get it from "
        "the next run"
        for pattern, keys in waiting.items()
    ]


def _known(family: Family, address: Address, one: Desired) -> bool:
    return one.kind == EXACTLY and any(fnmatchcase(address.key, key) for key in family.blind)


def serves(found: Sequence[Default], nic: str, desired: Mapping[Address, Desired]) -> bool:
    """Whether the unit for NICs that come later does all that is desired of a NIC, so that it needs none of its own."""
    covered: Dict[Tuple[str, str], Value] = {}
    for one in found:
        if fnmatchcase(nic, one.pattern):
            covered.update({(one.family.name, key): value for key, value in one.values.items()})
    mine = [(address, one) for address, one in desired.items() if address.scope == nic]
    return bool(covered) and all(
        one.kind == EXACTLY and covered.get((address.family, one.group or address.key), ...) == one.value
        for address, one in mine
    )


def texts(host: ReadOnlyHost, found: Sequence[Default]) -> Dict[str, str]:
    """By path, the files that bring NICs to their defaults when they come."""
    parts: Dict[str, List[Tuple[str, str, Sequence[str], Sequence[Action]]]] = {}
    for pattern, family, values in found:
        write = family.boot or family.write
        actions = systemd.with_programs(host, write(later.PLACEHOLDER, values, {}))
        if family.loose and len(values) > 1:
            alone = [
                systemd.with_programs(host, family.write(later.PLACEHOLDER, {key: values[key]}, {})) for key in values
            ]
            actions = [systemd.or_each(actions, [action for made in alone for action in made])]
        if actions:
            parts.setdefault(family.dropin, []).append((pattern, family.name, list(values), actions))
    made = {later.dropin(module): later.render(ones) for module, ones in parts.items()}
    made.update({later.rules(module): later.start([one[0] for one in ones]) for module, ones in parts.items()})
    return made


def files(host: ReadOnlyHost, modules: Iterable[str], planned: Mapping[str, str]) -> Dict[str, Any]:
    """The files as they are to be; None for one that has to go."""
    own = [path for module in modules for path in (later.dropin(module), later.rules(module))]
    stale = [path for path in own if path not in planned and host.exists(path)]
    others = [path for path in (f"{later.FOLDER}/{name}" for name in host.names(later.FOLDER)) if path not in own]
    left = [path for path in (*others, *planned) if path.startswith(later.FOLDER)]
    unit: Dict[str, Any] = {path: text if left else None for path, text in later.template().items()}
    return {**(unit if left or stale else {}), **planned, **dict.fromkeys(stale)}
