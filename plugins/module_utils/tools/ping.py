# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak ping: whether a path carries packets of a size."""

from __future__ import annotations

from typing import Any

from ..schema import Query

# A change of the MTU takes the link of many NICs down for some seconds.
_SECONDS = 12


def carries(host: Any, nic: str, address: str, mtu: int) -> bool:
    """Whether an answer to one unfragmented packet of just this MTU comes back through the NIC."""
    family, headers = ("-6", 48) if ":" in address else ("-4", 28)
    size = ("-M", "do", "-s", str(mtu - headers))
    argv = ("ping", family, "-n", "-q", "-c", "1", "-w", str(_SECONDS), *size, "-I", nic, address)
    return bool(host.ask(Query(argv, 2 * _SECONDS)).rc == 0)
