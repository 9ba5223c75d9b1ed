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


def answers(host: Reader, nic: str, address: str, mtu: int) -> bool:
    """Whether an answer comes back at once."""
    return carries(host, nic, address, mtu, _SOON)


def swallowed(host: Reader, nic: str, address: str, mtu: int) -> bool:
    """Whether neither an answer to a packet of this size comes back nor a word that it is too large."""
    said = host.ask(_packet(nic, address, mtu, _SOON))
    return said.rc == 1 and "error" not in said.out + said.err and "too long" not in said.out + said.err


def carries(host: Reader, nic: str, address: str, mtu: int, seconds: int = _SECONDS) -> bool:
    """Whether an answer to one unfragmented packet of just this MTU comes back through the NIC."""
    return bool(host.ask(_packet(nic, address, mtu, seconds)).rc == 0)


def _packet(nic: str, address: str, mtu: int, seconds: int) -> Query:
    family, headers = ("-6", 48) if ":" in address else ("-4", 28)
    size = ("-M", "do", "-s", str(mtu - headers))
    return Query(("ping", family, "-n", "-q", "-c", "1", "-w", str(seconds), *size, "-I", nic, address), 2 * seconds)
