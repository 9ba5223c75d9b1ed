# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the n-tuple rules of a NIC: which flows its hardware gives to which queue, or drops (`ethtool -n`, `-N`).

A rule has no name on the device, but a location; that is its key here. So the rules of others stay what they are, and
one that was at a location of ours comes back with `restored`.
"""

from __future__ import annotations

from typing import Any, List, Mapping, Sequence, Tuple

from ..family import NIC, Family, Field
from ..schema import ABSENT, EXACTLY, Action, Cell, Desired, InputError, Reader, Reading, Value, nearest
from ..tools import ethtool, sysfs
from ..tools import ntuple as tool


def _read(host: Reader, nic: str, keys: Sequence[str]) -> Reading:
    rules, problem = tool.ask(host, nic)
    if problem:
        return Reading({}, f"the device does not have it ({problem})")
    # There is no way back to what cannot be spelled.
    cells = {key: Cell(rule, fixed=rule == tool.FOREIGN) for key, rule in rules.items() if not keys or key in keys}
    free = Cell(None, means=_never) if keys and not rules and _takes_none(host, nic) else Cell(None)
    return Reading({**dict.fromkeys(keys, free), **cells}, "the device has no rules")


def _takes_none(host: Reader, nic: str) -> bool:
    """A driver that tells its rules need not take any: the 82576 of igb refuses each, and so says its feature.

    Ports of a switch take rules without it.
    """
    cell = ethtool.features(host.ask(ethtool.query("-k", nic)).out, {}).get("ntuple-filters")
    return bool(
        cell and cell.fixed and not cell.value and "DEVTYPE=dsa" not in sysfs.text(host, f"{sysfs.ROOT}/{nic}/uevent")
    )


def _never(_rule: str) -> str:
    raise ValueError("the device takes no rules: its feature ntuple is off [fixed]")


def _write(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    """Not every driver takes a rule at a location that is in use, and some refuse two rules about one flow."""
    gone = [key for key in values if key in cells and cells[key].value is not None]
    actions: List[Action] = [tool.delete(nic, key) for key in gone]
    return (*actions, *(tool.add(nic, key, str(rule)) for key, rule in values.items() if rule is not None))


def _boot(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    return _write(nic, values, {})


def _parse(field: Field, raw: Any) -> Desired:
    if raw is None or (isinstance(raw, str) and raw.strip() in ("absent", "none")):
        return Desired(ABSENT)
    if isinstance(raw, Mapping):
        words = _of_mapping(field, raw)
    elif isinstance(raw, str):
        words = raw.split()
    else:
        raise InputError(f"{field.name}: {raw!r} is not valid; write flow, what it matches and action, or absent")
    if len(words) == 1 and nearest(words[0], ("absent",), otherwise=False):
        raise InputError(f"{field.name}: {raw!r} is not valid; did you mean 'absent'?")
    try:
        return Desired(EXACTLY, tool.read(words))
    except ValueError as error:
        raise InputError(f"{field.name}: {error}") from None


def _of_mapping(field: Field, raw: Mapping[str, Any]) -> List[str]:
    words = [str(raw.get("flow", raw.get("flow_type", "")))]
    for key, value in raw.items():
        name = str(key).replace("_", "-")
        if name in ("flow", "flow-type", "name") or name.endswith("-mask"):
            continue
        if isinstance(value, (bool, Mapping, list)) or value is None:
            raise InputError(f"{field.name}: {key}: {value!r} is not valid; write one value")
        words += [name, str(value)]
        mask = raw.get(f"{key}_mask", raw.get(f"{name}-mask"))
        words += ["m", str(mask)] if mask is not None else []
    fields = {str(key).replace("_", "-") for key in raw}
    for name in fields:
        if name.endswith("-mask") and name[:-5] not in fields:
            raise InputError(f"{field.name}: {name} is the mask of nothing; write {name[:-5]} as well")
    return words


ntuple_rules = Family(
    name="ntuple_rules",
    module="ethtool",
    scope=NIC,
    read=_read,
    write=_write,
    boot=_boot,
    about=(
        "Which flows the hardware gives to which queue, or drops, before RSS. The key of a rule is its location; "
        "rules at other locations are not changed. The value is a dictionary of C(flow), what it matches in the words "
        "of C(ethtool -N), and C(action), which is a queue or C(drop), such as C(7: {flow: tcp4, dst_port: 2049, "
        "action: 2}); the same as a text; or C(absent). A C(name) in it is a comment. Write "
        "C(features: {ntuple: true}) as well."
    ),
    open_kind="rule",
    like="7",
    open_parse=_parse,
    key_pattern=r"[0-9]{1,9}",
    hint="NICs support some fields only: igb MAC addresses, Ethernet type and VLAN; an X540 one mask for all rules. "
    "Rules need the feature ntuple.",
    whole=True,
    refusals={"Operation not supported": "the device does not take such rules, or not while ntuple is off"},
)
