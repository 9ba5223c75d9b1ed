# SPDX-License-Identifier: GPL-3.0-or-later
"""Know private flags: switches that a driver has made up for itself (`ethtool --show-priv-flags`)."""

from __future__ import annotations

from typing import Mapping, Sequence, Tuple

from ..family import NIC, Family
from ..schema import Action, Cell, Reader, Reading, Value
from ..tools import ethtool


def _read(host: Reader, nic: str, _keys: Sequence[str]) -> Reading:
    return ethtool.reading(host, "--show-priv-flags", nic, ethtool.private_flags)


def _write(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    return (ethtool.command("--set-priv-flags", nic, dict(sorted(values.items()))),)


private_flags = Family(
    name="private_flags",
    module="ethtool",
    scope=NIC,
    loose=True,
    read=_read,
    write=_write,
    about="Switches of the driver, by the names that C(ethtool --show-priv-flags) shows.",
    open_kind="switch",
    like="legacy-rx",
    key_pattern=r"[A-Za-z0-9][A-Za-z0-9_.:+ -]*",
    hint="The driver decides when a private flag may change; the kernel log (dmesg) says more.",
)
