# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak ping: whether a path carries packets of a size."""

from __future__ import annotations

from ..schema import Query, Reader

# A change of the MTU takes the link of many NICs down for some seconds.
_SECONDS = 12

# The link is up, for a smaller packet has come back a moment ago.
_SOON = 1

# Lengths are told in steps of four, as the headers of tunnels have them.
_STEP = 4


def largest(host: Reader, nic: str, address: str, small: int, mtu: int) -> int:
    """The largest packet that comes back, of sizes between one that does and one that does not."""
    while mtu - small > _STEP:
        middle = small + max(_STEP, (mtu - small) // 2 // _STEP * _STEP)
        if carries(host, nic, address, middle, _SOON):
            small = middle
        else:
            mtu = middle
    return small


def carries(host: Reader, nic: str, address: str, mtu: int, seconds: int = _SECONDS) -> bool:
    """Whether an answer to one unfragmented packet of just this MTU comes back through the NIC."""
    family, headers = ("-6", 48) if ":" in address else ("-4", 28)
    size = ("-M", "do", "-s", str(mtu - headers))
    argv = ("ping", family, "-n", "-q", "-c", "1", "-w", str(seconds), *size, "-I", nic, address)
    return bool(host.ask(Query(argv, 2 * seconds)).rc == 0)
