# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the parameters of a device that devlink has: those in force at once, and those that the device keeps by itself.

What a driver takes only while it begins needs `devlink dev reload`, which takes the NIC away for some time; that is for
people to do.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ..family import NIC, Expansion, Family, Field
from ..schema import EXACTLY, Action, Address, Cell, Desired, InputError, Reader, Reading, Value, say
from ..tools import devlink as tool
from ..tools import sysfs

# NICs whose drivers have parameters, after the kernel's Documentation/networking/devlink. Where nobody asks for a
# parameter, no other NIC is asked what it has.
_DRIVERS = ("mlx5_core", "mlx4_core", "ice", "bnxt_en", "nfp", "qede", "rvu_nicpf")
_AT_INIT = (
    "the driver reads it only when it starts: set it with `devlink dev param set ... cmode driverinit`, then "
    "`devlink dev reload`, which removes the NIC for some seconds"
)
_SWITCH = ("true", "false")
_LATER = "the device keeps it, and uses it after a reset, usually a cold start of the host"


def _handle(host: Reader, nic: str) -> str:
    return f"pci/{sysfs.identity(host, nic).bus}"


def _read(host: Reader, nic: str, keys: Sequence[str]) -> Reading:
    if not keys and sysfs.driver(host, nic) not in _DRIVERS:
        return Reading({}, "nobody has asked")
    handle = _handle(host, nic)
    if not sysfs.is_function(handle[4:]):
        return Reading({}, "it is not a PCI device of its own")
    known, problem = tool.ask(host, handle)
    return Reading(
        {name: _cell(handle, one.way, one.ways[one.way]) for name, one in known.items() if one.way},
        problem or "the device has no devlink parameters",
    )


def _cell(handle: str, way: str, value: Any) -> Cell:
    return Cell(tool.spelled(value), where=f"{handle} {way}", fixed=way == tool.AT_INIT)


def _expand(
    _nic: str, desired: Mapping[str, Desired], cells: Mapping[str, Cell], _planned: Mapping[Address, Value]
) -> Expansion:
    """What waits for a reset is told; what a driver takes only at its beginning is refused, unless it is so."""
    refused: Dict[str, str] = {}
    remarks: List[str] = []
    for key, one in desired.items():
        now = cells[key].value if key in cells else None
        where = cells[key].where if key in cells else ""
        if now is None or one.value == now:
            continue
        if (now in _SWITCH) is not (one.value in _SWITCH):
            refused[key] = (
                f"it is a switch, currently {now}" if now in _SWITCH else f"it is not a switch, currently {now}"
            )
        elif where.endswith(tool.AT_INIT):
            refused[key] = f"{_AT_INIT}. It is {now}"
        elif where.endswith(tool.PERMANENT):
            remarks.append(f"{key}: {_LATER}")
    return Expansion({key: one for key, one in desired.items() if key not in refused}, refused, tuple(remarks))


def _write(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    found = {key: cells[key].where.split() for key in values if key in cells}
    handle = next((words[0] for words in found.values()), "")
    changes = {key: (str(values[key]), words[-1]) for key, words in sorted(found.items())}
    return tuple(tool.change(handle, changes))


def _boot(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Sequence[Action]:
    """What the device keeps by itself is not written into its memory at each boot."""
    kept = {key: value for key, value in values.items() if key in cells and cells[key].where.endswith(tool.RUNTIME)}
    return _write(nic, kept, cells)


def _parse(field: Field, raw: Any) -> Desired:
    text = say(raw).strip() if not isinstance(raw, bool) else str(raw).lower()
    if isinstance(raw, (list, tuple, Mapping)) or raw is None or not text or len(text.split()) != 1:
        raise InputError(f"{field.name}: {raw!r} is not valid; write one word, a number, true or false")
    return Desired(EXACTLY, {"on": "true", "off": "false"}.get(text, text))


devlink = Family(
    name="devlink",
    module="link",
    scope=NIC,
    read=_read,
    write=_write,
    boot=_boot,
    expand=_expand,
    about=(
        "Parameters of the device by the names that C(devlink dev param show) has, such as C(enable_roce) or "
        "C(enable_sriov). The mode C(runtime) is set at once and at each boot; C(permanent) is kept by the device and "
        "takes effect at its next reset; C(driverinit) needs a reload, so it is refused unless it is in force."
    ),
    open_kind="parameter",
    like="enable_roce",
    open_parse=_parse,
    hint="`devlink dev param show` shows what the device has and how it can be set.",
    refusals={"Operation not supported": "the device does not allow it to be set"},
    lacks={"not found": "the device does not have it"},
)
