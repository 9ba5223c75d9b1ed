# SPDX-License-Identifier: GPL-3.0-or-later
"""NFS over a bond: a mount is one connection, and a bond gives each connection one member."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address, ip_interface

from ..model import Hit, Rule
from ..view import Facts, Host, Nic

# Calls since the mount, or within an interval, that are more than a home directory has.
_CALLS, _CALLS_NOW = 100_000, 1000
# Bytes that such a mount moves at least.
_MUCH = 100_000_000_000


def _one(host: Host) -> Iterator[Hit]:
    for bond, facts in host.below("bonds").items():
        members = [nic for nic in host.under(bond) if nic.linked]
        if facts.text("mode") not in ("802.3ad", "balance-xor") or len(members) < 2:
            continue
        best = max(members, key=lambda nic: nic.counted("rx_bytes")[0])
        total = sum(nic.counted("rx_bytes")[0] for nic in members)
        now = _full(best)
        # Of several clients and mounts each member would have some.
        if best.counted("rx_bytes")[0] * 3 < total * 2 or not (now or total >= _MUCH):
            continue
        for row in host.rows("nfs"):
            if _single(row) and _busy(row) and _by(host, row, bond):
                shown = {
                    "mount": row.text("at"),
                    "from": row.text("from"),
                    **{
                        nic.name: f"{100 * nic.counted('rx_bytes')[0] // total} % of what was received"
                        for nic in members
                    },
                    **({"rate of this member": now} if now else {}),
                }
                yield Hit(shown, bond, severity="" if now else "note")


def _full(nic: Nic) -> str:
    """What a member received within an interval, as a person reads it, if it is four fifths of what it can."""
    seconds = nic.number("counters", "interval") or 0
    rate = nic.counted("rx_bytes")[0] * 8 / 1_000_000 / seconds if seconds else 0
    return f"{rate:.0f} of {nic.speed} Mb/s" if nic.speed and rate >= 0.8 * nic.speed else ""


def _single(row: Facts) -> bool:
    """Whether a mount has one connection of TCP."""
    several = row.text("options", "nconnect") not in ("", "1")
    return row.text("options", "proto").startswith("tcp") and not several


def _busy(row: Facts) -> bool:
    if row.number("interval"):
        return row.count("growth", "calls") >= _CALLS_NOW
    return row.count("calls") >= _CALLS


def _by(host: Host, row: Facts, bond: str) -> bool:
    """Whether the server is reached through a bond: by its address, or because there is no other way."""
    below = set(host.below("bonds", bond, "members"))
    ours = [item for item in host.rows("addresses") if item.words("hardware")]
    over = [item for item in ours if set(item.words("hardware")) == below]
    if over and len(over) == len(ours):
        return True
    try:
        server = ip_address(row.text("from").rpartition(":/")[0].strip("[]"))
        return any(server in ip_interface(item.text("address")).network for item in over)
    except ValueError:
        return False


RULES = (
    Rule(
        id="nfs-on-one-member",
        severity="medium",
        title="A mount over NFS is held to one member of a bond",
        condition="a mount by TCP without nconnect, with at least 100000 calls (1000 within an interval), goes through "
        "a bond that hashes, and one member received four fifths of its rate within an interval, and two thirds of "
        "all; a note where that is not known and the bond has received 100 GB since the drivers were loaded",
        explanation="A mount has one connection, and a bond gives each connection one member, whatever its hash looks "
        "at. So it is never faster than that member, and the others are idle.",
        action="Mount with `nconnect=4` or more (Linux 5.3): unmount all of this server first, because a further mount "
        "takes the connections of the first one. The switch must hash by ports as well.",
        reference="https://man7.org/linux/man-pages/man5/nfs.5.html",
        host=_one,
        switch=True,
    ),
)
