# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the virtual functions of a NIC (SR-IOV): how many it has, and what each may do.

A key about each of them holds one word for all, or a list in their order. They are made anew when their number changes,
and then have what the driver gives them.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ..family import NIC, Expansion, Family, Field
from ..schema import EXACTLY, MAXIMUM, Action, Address, Cell, Change, Desired, InputError, Reader, Reading, Value
from ..tools import sysfs
from ..tools import vfs as tool

_RIGHT: Mapping[str, Tuple[str, str]] = {
    "mac": (r"[0-9a-f]{2}(:[0-9a-f]{2}){5}", "a MAC address in quotes"),
    "vlan": (r"(?!0\d)\d{1,4}(:[0-7])?", "a VLAN, in quotes with its priority such as '564:1', or 0"),
    "max_tx_rate": (r"(?!0\d)\d{1,6}", "Mb/s, or 0 for no limit"),
    "min_tx_rate": (r"(?!0\d)\d{1,6}", "Mb/s, or 0 for none"),
    "spoofchk": (r"on|off", "true or false"),
    "trust": (r"on|off", "true or false"),
    "link_state": (r"auto|enable|disable", "auto, enable or disable"),
}


# A virtual function that has none chooses its own.
_NO_MAC = "00:00:00:00:00:00"


def _read(host: Reader, nic: str, keys: Sequence[str]) -> Reading:
    count = sysfs.number(host, tool.count_path(nic))
    if count is None:
        return Reading({}, "the device has no virtual functions, or its driver does not make them (sriov_numvfs)")
    cells = {"vfs": Cell(count, maximum=tool.most(host, nic))}
    # Whatever is desired of them: another number takes along what each of them has.
    each = tool.ask(host, nic) if count else []
    for key in tool.KEYS if each else keys:
        words = [one[key] for one in each if key in one]
        if key != "vfs" and len(words) == len(each):  # else the driver does not tell
            cells[key] = Cell(" ".join(words))
    return Reading(cells)


def _expand(
    _nic: str, desired: Mapping[str, Desired], cells: Mapping[str, Cell], _planned: Mapping[Address, Value]
) -> Expansion:
    """One word for all becomes a word for each of those that there will be."""
    count = int(str(cells["vfs"].value))
    vfs = desired.get("vfs")
    if vfs:
        limit = cells["vfs"].maximum or 0
        number = 100 if vfs.kind == MAXIMUM else int(str(vfs.value))
        count = max(1, limit * number // 100) if vfs.relative else number
    spelled: Dict[str, Desired] = {}
    refused: Dict[str, str] = {}
    for key, one in desired.items():
        words = str(one.value).split()
        if key == "vfs":
            spelled[key] = one
        elif len(words) in (1, count):
            spelled[key] = one._replace(value=" ".join(words * count if len(words) == 1 else words))
        else:
            refused[key] = f"it has {len(words)} values, and there are {count} virtual functions"
    macs = [mac for mac in (str(spelled["mac"].value).split() if "mac" in spelled else []) if mac != _NO_MAC]
    if len(set(macs)) < len(macs):
        refused["mac"] = f"{count} virtual functions cannot share a MAC address; write a list with one for each"
    low, high = (str(spelled[key].value).split() if key in spelled else [] for key in ("min_tx_rate", "max_tx_rate"))
    if any(int(least) > int(most) > 0 for least, most in zip(low, high)):
        refused["min_tx_rate"] = "it is above max_tx_rate"
    return Expansion({key: one for key, one in spelled.items() if key not in refused}, refused)


def _write(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    # Where nobody knows how many there are, such as on the way back, there may be some.
    known = cells["vfs"].value if "vfs" in cells else 0
    now = 1 if known is None else int(str(known))
    actions: List[Action] = []
    fresh = "vfs" in values and values["vfs"] != known
    if fresh:
        actions += tool.make(nic, now, int(str(values["vfs"])))
    planned = {key: str(value).split() for key, value in values.items() if key != "vfs" and value is not None}
    current = {key: str(cells[key].value).split() if key in cells else [] for key in planned}
    if fresh:
        # What the kernel tells of those that have none is nothing that each driver lets be set.
        current = {key: [tool.FRESH.get(key, "")] * len(words) for key, words in planned.items()}
    for number in range(max(map(len, planned.values()), default=0)):
        words = {
            key: words[number]
            for key, words in planned.items()
            if number < len(words) and words[number : number + 1] != current[key][number : number + 1]
        }
        actions += [tool.change(nic, number, words)] if words else []
    return tuple(actions)


def _reach(_host: Reader, changes: Sequence[Change]) -> List[str]:
    """Where their number changes, all of them are made anew."""
    return [change.address.scope for change in changes if change.address[::2] == ("sriov", "vfs")]


def _boot(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    """A fresh driver has made none."""
    return _write(nic, values, {})


def _parse(key: str, field: Field, raw: Any) -> Desired:
    items = raw if isinstance(raw, (list, tuple)) else str(raw).split() if isinstance(raw, str) else [raw]
    words = [("on" if item else "off") if isinstance(item, bool) else str(item).strip().lower() for item in items]
    if field.name in ("spoofchk", "trust"):
        words = [{"true": "on", "yes": "on", "false": "off", "no": "off"}.get(word, word) for word in words]
    pattern, right = _RIGHT[key]
    for word in words:
        if not re.fullmatch(pattern, word) or (key == "vlan" and int(word.partition(":")[0]) > 4094):
            raise InputError(f"{field.name}: {raw!r} is not valid; write {right}, for all or a list for each")
    words = [word.replace(":0", "") for word in words] if key == "vlan" else words  # as the kernel prints it
    return Desired(EXACTLY, " ".join(words))


_ABOUT = {
    "trust": "whether it may use promiscuous mode or choose its MAC address",
    "spoofchk": "whether it may send only from its own MAC address and VLAN",
    "vlan": "the VLAN that the NIC puts it into without its knowledge; 0 for none, C('564:1') with a priority",
    "mac": "its MAC address, in quotes; a list with one for each",
    "max_tx_rate": "Mb/s that it may send; 0 is no limit",
    "min_tx_rate": "Mb/s that it is guaranteed; few drivers support it",
    "link_state": "the link that it sees: C(auto) is that of the NIC, C(enable) always up, C(disable) always down",
}

sriov = Family(
    name="sriov",
    module="link",
    scope=NIC,
    read=_read,
    write=_write,
    boot=_boot,
    expand=_expand,
    about=(
        "Virtual functions (SR-IOV): their number, and the rights and limits of all or each of them. Changing the "
        "number removes all existing functions, also those in use, and creates them again. A key other than C(vfs) has "
        "one value for all of them, or a list with one for each."
    ),
    fields=(
        Field("vfs", "integer", "the number of virtual functions", relative=True),
        *(Field(key, "each", about, parse=partial(_parse, key)) for key, about in _ABOUT.items()),
    ),
    hint="The kernel does not remove functions that a guest uses. Drivers support only some of these keys; "
    "`dmesg` says more.",
    refusals={"Operation not supported": "the driver does not allow it to be set"},
    cuts=True,
    shaken_by=("sriov",),
    reach=_reach,
)
