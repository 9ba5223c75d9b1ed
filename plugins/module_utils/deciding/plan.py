# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide: from desired values and cells to changes, and back again; pure, without any input or output."""

from __future__ import annotations

from typing import Any, Callable, Container, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from ..family import HOST, Family
from ..schema import (
    ABSENT,
    EXACTLY,
    Address,
    Adjusted,
    Cell,
    Cells,
    Change,
    Desired,
    DesiredState,
    InputError,
    Plan,
    Unsupported,
    Value,
    nearest,
    plain,
    say,
)
from .inputs import understand
from .resolve import Refusal, resolve

Families = Mapping[str, Family]


def overlay(layers: Iterable[Tuple[str, Mapping[str, Mapping[str, Any]]]], families: Families) -> DesiredState:
    """Merge layers of (scope, {family: {key: value}}): a later layer wins, key by key."""
    desired: DesiredState = {}
    for number, (scope, layer) in enumerate(layers):
        for name, keys in layer.items():
            seen: Dict[str, Tuple[str, Desired]] = {}
            unfold = families[name].unfold
            for key, raw in (unfold(keys) if unfold else keys).items():
                field = families[name].field(str(key))
                try:
                    one = understand(field, raw)
                except InputError as error:
                    # As it is written: keys of a flat family stand in the entry itself.
                    raise InputError(str(error) if families[name].flat else f"{name} {error}") from None
                if field.name in seen and seen[field.name][1] != one:
                    raise InputError(
                        f"{name}: '{seen[field.name][0]}' and '{key}' are two names of one key, with different values"
                    )
                seen[field.name] = (str(key), one)
                desired[Address(name, scope, field.name)] = one._replace(layer=number)
    return desired


def make(desired: DesiredState, cells: Cells, families: Families, problems: Mapping[Tuple[str, str], str]) -> Plan:
    """What has to be written so that `cells` fulfil `desired`, in the order of the families.

    `problems` tells for (family, scope) why nothing could be read there.
    """
    changes: List[Change] = []
    unsupported: List[Unsupported] = []
    adjusted: List[Adjusted] = []
    planned: Dict[Address, Value] = {}
    order = {name: rank for rank, name in enumerate(families)}
    for address in sorted(desired, key=lambda item: (order[item.family], item.scope, item.key)):
        one = desired[address]
        cell = cells.get(address)
        if cell is None:
            reason = problems.get((address.family, address.scope)) or _missing(address, cells, families)
            unsupported.append(Unsupported(address, one, reason))
            continue
        value = resolve(one, cell)
        if isinstance(value, Refusal):
            unsupported.append(Unsupported(address, one, str(value)))
            continue
        if cell.rounded is not None and cell.rounded == value:
            adjusted.append(Adjusted(address, value, cell.value))
            value = cell.value
        planned[address] = value
        if not cell.fulfils(value):
            if cell.fixed:
                del planned[address]
                unsupported.append(Unsupported(address, one, f"it is fixed at {say(cell.value)}"))
            else:
                changes.append(Change(address, cell.value, value))
    return Plan(tuple(_stacked(changes, cells, families)), tuple(unsupported), tuple(adjusted), planned)


def later(todo: Plan, cells: Cells, families: Families) -> Plan:
    """The same plan with what can be only once the rest is in force, such as names of interrupts that another change
    makes anew, or the queues that virtual functions give back: it is planned as it stands, and judged by then."""
    groups = {change.address[:2] for change in todo.changes}
    waiting = {
        item.address: item.desired.value
        for item in todo.unsupported
        for family, cell in ((families.get(item.address.family), cells.get(item.address)),)
        if family and cell and not cell.fixed and item.desired.kind == EXACTLY
        if getattr(resolve(item.desired, cell), "yet", False)
        if any((cause, item.address.scope) in groups for cause in (*family.shaken_by, *family.counted_by))
    }
    if not waiting:
        return todo
    changes = [*todo.changes, *(Change(address, cells[address].value, word) for address, word in waiting.items())]
    return todo._replace(
        changes=tuple(_stacked(changes, cells, families)),
        unsupported=tuple(item for item in todo.unsupported if item.address not in waiting),
        planned={**todo.planned, **waiting},
    )


def ahead(cells: Cells, planned: Mapping[Address, Value], families: Families) -> Cells:
    """The cells once the planned values are set, as far as that can be known: queues come with channels."""
    foreseen = cells
    for name, scope in {address[:2] for address in cells}:
        foresee = families[name].foresee
        for cause in (*families[name].shaken_by, *families[name].counted_by) if foresee else ():
            before = {key: cell.value for key, cell in keys(cells, cause, scope).items()}
            after = {key: planned.get(Address(cause, scope, key), value) for key, value in before.items()}
            if foresee and after != before:
                made = foresee(keys(cells, name, scope), before, after)
                foreseen = {**foreseen, **{Address(name, scope, key): cell for key, cell in made.items()}}
    return foreseen


def _stacked(changes: Sequence[Change], cells: Cells, families: Families) -> List[Change]:
    """Numbers of stacked NICs go up from below and down from above: a VLAN never has a larger MTU than its NIC."""
    rank = ranks(changes, families)

    def height(change: Change) -> int:
        level = cells[change.address].level
        lower = isinstance(change.before, int) and isinstance(change.after, int) and change.after < change.before
        return -level if lower else level

    # A stable sort: without stacked NICs the order stays as it is.
    return sorted(changes, key=lambda change: (rank(change.address[:2]), height(change)))


def ranks(changes: Iterable[Change], families: Families, back: bool = False) -> Callable[[Tuple[str, str]], float]:
    """The rank of each (family, NIC) in the order of the families, with those that go before others.

    On the way `back` the order is turned round, so there it is what goes up that others go after.
    """
    order = {name: rank for rank, name in enumerate(families)}
    turned = [change.address for change in _turned(changes, lambda before, after: (after < before) != back)]
    fewer = {address[:2] for address in turned}
    keys_of = {group: {address.key for address in turned if address[:2] == group} for group in fewer}

    def rank(group: Tuple[str, str]) -> float:
        name, scope = group
        first = [order[other] - 0.5 for other in families[name].goes_before if (other, scope) in fewer]
        released = {families[name].lets_go.get(key) for key in keys_of.get(group, ())}
        first += [order[other] - 0.5 for other in released if other and (other, scope) in fewer]
        return min([float(order[name]), *first])

    return rank


def _turned(changes: Iterable[Change], way: Callable[[int, int], bool]) -> List[Change]:
    """Those of numbers and switches that go a way."""
    return [
        change
        for change in changes
        if isinstance(change.before, int) and isinstance(change.after, int) and way(change.before, change.after)
    ]


def holders(changes: Sequence[Change], before: Cells, families: Families) -> Tuple[Change, ...]:
    """What may keep a number from going down again, such as a table of queues that looks right and is held fast."""
    down = {change.address[:2] for change in _turned(changes, lambda before, after: after < before)}
    named = {change.address for change in changes}
    return tuple(
        Change(address, cell.value, cell.restore)
        for address, cell in before.items()
        if any((other, address.scope) in down for other in families[address.family].goes_before)
        and address not in named
        and not (cell.fixed or cell.members)
    )


def backwards(
    groups: Iterable[Tuple[str, str]], shaken: Container[Tuple[str, str]], changes: Iterable[Change], families: Families
) -> List[Tuple[str, str]]:
    """The (family, NIC) in the order of an undo: what was set last goes back first, as it may hang on what was first.

    But what a change took along, such as the files of a queue, can only be set once that is back; and that of which the
    kernel makes a default, such as the MTU for a qdisc, has to be back before.
    """
    rank, sources = ranks(changes, families, back=True), _sources(changes, families)

    def turn(group: Tuple[str, str]) -> Tuple[bool, float]:
        name, _scope = group
        late = group in shaken and not families[name].goes_before  # which has its own place on either way
        return late, rank(group) if late else -max(rank(group), sources.get(name, 0))

    return sorted(groups, key=turn)


def _sources(changes: Iterable[Change], families: Families) -> Dict[str, float]:
    """The families of which others here have their defaults made, with a rank behind these.

    All NICs of a family move together, as the MTUs of stacked ones keep their order.
    """
    addresses = {change.address for change in changes}
    order = {name: rank for rank, name in enumerate(families)}
    sources: Dict[str, float] = {}
    for name, scope in {address[:2] for address in addresses}:
        for other, key in families[name].made_of:
            if {Address(other, scope, key), Address(other, "", key)} & addresses:
                sources[other] = max(sources.get(other, 0), order[name] + 0.5)
    return sources


def ungroup(desired: DesiredState, cells: Cells) -> DesiredState:
    """Turn the desired value of a group such as tso into the same one for each member that can change.

    A member that is requested by its own name keeps its own, unless the group is requested in a later layer. A group of
    fixed members stays a group.
    """
    members: DesiredState = {}
    rest: DesiredState = {}
    for address, one in desired.items():
        cell = cells.get(address)
        free = [
            address._replace(key=key)
            for key in (cell.members if cell else ())
            if address._replace(key=key) in cells and not cells[address._replace(key=key)].fixed
        ]
        members.update(dict.fromkeys(free, one._replace(group=address.key)))
        if not free:
            rest[address] = one
    rest = {key: own for key, own in rest.items() if key not in members or own.layer >= members[key].layer}
    return {**members, **rest}


def _missing(address: Address, cells: Cells, families: Families) -> str:
    """What the device has instead: the answer to `combined` on a device with rx and tx channels."""
    if families[address.family].scope == HOST:
        return "this kernel does not have it, or does not allow it to be read"
    others = [
        f"{other.key} {say(cell.value)}" + (f" (maximum {cell.maximum})" if cell.maximum is not None else "")
        for other, cell in sorted(cells.items())
        if (other.family, other.scope) == (address.family, address.scope)
    ]
    if not others:
        return "the device does not have it"
    if len(others) > 12:
        known = [other.key for other in cells if (other.family, other.scope) == (address.family, address.scope)]
        close = nearest(address.key.lower(), [*known, *families[address.family].aliases], otherwise=False)
        return f"the device does not have it (it has {len(others)} other {address.family} keys){close}"
    return f"the device does not have it; it has {', '.join(others)}"


def invert(plan: Plan, before: Cells) -> DesiredState:
    """The desired state that undoes a plan."""
    return {
        change.address: Desired(ABSENT) if cell.restore is None else Desired(EXACTLY, cell.restore)
        for change in plan.changes
        for cell in (before[change.address],)
    }


def restore(before: Cells, after: Cells, touched: Iterable[Tuple[str, str]]) -> DesiredState:
    """What a set command changed beside what was requested: such keys go back as well."""
    groups = set(touched)
    return {
        address: Desired(EXACTLY, cell.restore)
        for address, cell in before.items()
        if (address.family, address.scope) in groups
        and not (cell.fixed or cell.members)
        and cell.restore is not None
        and address in after
        and after[address].restore != cell.restore
        # What a link partner has refused cannot be asked back: the kernel sees nothing to change.
        and not (after[address].partner and after[address].fulfils(cell.restore))
    }


def side_effects(before: Cells, after: Cells, requested: Container[Address]) -> List[Change]:
    """What is different afterwards without having been requested, such as tso when tx went off."""
    return [
        Change(address, cell.value, after[address].value)
        for address, cell in sorted(before.items())
        if address in after
        and address not in requested
        and not (cell.members or cell.fixed)
        and cell.value != after[address].value
    ]


def steps(changes: Sequence[Change]) -> Dict[Tuple[str, str], Dict[str, Value]]:
    """Changes grouped by (family, scope), in order: what one set command takes."""
    grouped: Dict[Tuple[str, str], Dict[str, Value]] = {}
    for change in changes:
        grouped.setdefault((change.address.family, change.address.scope), {})[change.address.key] = change.after
    return grouped


def commands(changes: Sequence[Change], cells: Cells, families: Families) -> List[str]:
    """What carrying out these changes would run and write, as text."""
    return [
        line
        for (family, scope), values in steps(changes).items()
        for action in families[family].write(scope, values, keys(cells, family, scope))
        for line in plain(action)
    ]


def keys(cells: Cells, family: str, scope: str) -> Dict[str, Cell]:
    """The cells of one family on one NIC, by key."""
    return {address.key: cell for address, cell in cells.items() if address[:2] == (family, scope)}


def rounded(families: Families, change: Change, answer: Value) -> Optional[Adjusted]:
    """Whether a different answer is the device's rounding of the number requested, and not a refusal.

    Drivers round to multiples of 8 or 32, up to a power of two, or to hardware ticks; a number far away was
    clamped or ignored, which is a failure that the person must hear of.
    """
    family = families[change.address.family]
    # A file holds what is written or does not, and so does what nobody can ask for.
    allowed = 0 if family.follows or not family.named else family.field(change.address.key).rounding
    desired, given = _count(change.after), _count(answer)
    if not (allowed and desired and given):
        return None
    # A power of two that was there before says nothing: the command may have been ignored.
    power = given == 1 << desired.bit_length() and answer != change.before
    if abs(given - desired) <= max(allowed, desired // 8) or power:
        return Adjusted(change.address, change.after, answer)
    return None


def _count(value: Value) -> int:
    """A number above 0, be it written as a text; or 0."""
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return max(0, value) if isinstance(value, int) and not isinstance(value, bool) else 0
