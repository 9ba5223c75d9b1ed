# SPDX-License-Identifier: GPL-3.0-or-later
"""Know how the kernel polls a NIC (NAPI): in threads of its own or not, and how long its interrupts stay off (sysfs).

The files are those of the whole NIC, and writing one sets every NAPI instance of it. Instances apart are told over
netlink alone (Linux 6.13), which neither ethtool nor ip speaks.
"""

from __future__ import annotations

from typing import Dict, Mapping, Sequence, Tuple

from ..family import NIC, Family, Field
from ..schema import Action, Cell, Poke, Reader, Reading, Value
from ..text import quote
from ..tools import sysfs

# What the kernel takes at most: napi_defer_hard_irqs is a signed integer since Linux 6.13.
_KEYS: Mapping[str, int] = {"threaded": 1, "gro_flush_timeout": 0, "napi_defer_hard_irqs": (1 << 31) - 1}


def _path(nic: str, key: str) -> str:
    return f"{sysfs.ROOT}/{nic}/{key}"


def _read(host: Reader, nic: str, _keys: Sequence[str]) -> Reading:
    cells: Dict[str, Cell] = {}
    for key, most in _KEYS.items():
        number = sysfs.number(host, _path(nic, key))
        if number is None:
            continue
        if key == "threaded":
            # Another number is a way of polling that a switch could not bring back.
            cells[key] = Cell(number == 1) if number in (0, 1) else Cell(str(number), fixed=True)
        else:
            cells[key] = Cell(number, maximum=most or None)
    return Reading(cells, "the kernel does not show it; gro_flush_timeout came with Linux 3.19, threaded with 5.12")


def _write(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    texts = {key: str(int(str(value)) if not isinstance(value, bool) else int(value)) for key, value in values.items()}
    return tuple(
        Poke(_path(nic, key), texts[key], f"echo {texts[key]} > {quote(_path(nic, key))}")
        for key in _KEYS
        if key in texts
    )


napi = Family(
    name="napi",
    module="irq",
    scope=NIC,
    loose=True,
    blind=(*_KEYS,),
    lets_go={"threaded": "features"},  # veth polls only while gro is on, and threads can only be ended while it polls
    read=_read,
    write=_write,
    about="How the kernel polls a NIC. Busy polling by sockets is C(net.core.busy_poll) and C(net.core.busy_read).",
    fields=(
        Field("threaded", "switch", "poll in kernel threads, whose CPUs and priorities can be set, not in softirqs"),
        Field(
            "gro_flush_timeout",
            "integer",
            "nanoseconds after which packets held for GRO are delivered, and a NIC with deferred interrupts is polled "
            "again; 0 is at the end of each poll",
            unit="nanoseconds",
        ),
        Field(
            "napi_defer_hard_irqs",
            "integer",
            "empty polls before interrupts are enabled again; needs a C(gro_flush_timeout)",
        ),
    ),
    refusals={"Operation not supported": "the driver does not poll at the moment (NAPI; veth only with gro or XDP)"},
)
