# SPDX-License-Identifier: GPL-3.0-or-later
"""NICs that the configuration names and that have another name by now."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Facts, Host, Nic


def _renamed(host: Host) -> Iterator[Hit]:
    spare = [nic for nic in host.nics if _unused(nic)]
    for row in host.rows("absent"):
        name, above = row.text("nic"), row.text("above")
        like = [nic.name for nic in spare if _form(nic.name) == _form(name)]
        bare = bool(above) and _bare(host, above)
        if not bare and not spare:
            continue  # what is out of its slot is no news
        left = like or [nic.name for nic in spare]
        evidence = {
            row.text("file"): f"names {name}, which is not there",
            **({f"ports of {above}": f"{name}, no other NIC"} if bare else {}),
            **({"nobody uses": ", ".join(left)} if left else {}),
        }
        severity = ("high" if _has_address(host, above) else "medium") if bare else "medium" if like else "note"
        yield Hit(evidence, left[0] if left else "", severity=severity, action="" if left else _GONE)


def _form(name: str) -> str:
    """A name without its numbers: those of buses and slots change when a card comes or goes."""
    return re.sub(r"\d+", "0", name)


def _unused(nic: Nic) -> bool:
    """Whether it is hardware that nobody has configured, and through which nothing has come."""
    host = nic.host
    managed = {name for manager in Facts(host.at("managers", "nics")).raw for name in _words(host, manager)}
    addressed = {name for row in host.rows("addresses") for name in (row.text("nic"), *row.words("hardware"))}
    idle = nic.flag("carrier") is not True or not nic.packets
    own = nic.flag("physical") is True and nic.flag("virtual_function") is not True and not nic.text("master")
    return own and idle and nic.name not in managed | addressed


def _words(host: Host, manager: object) -> list[str]:
    return host.words("managers", "nics", manager) if isinstance(manager, str) else []


def _bare(host: Host, above: str) -> bool:
    """Whether a bridge or bond is there without any wire; one without address and ports nobody tells of."""
    rows = [row for row in host.rows("bridges") if row.text("name") == above]
    wired = any(row.count("nics") or row.count("others") for row in rows)
    ported = any(nic.text("master") == above for nic in host.nics)
    return bool(rows or _has_address(host, above)) and not wired and not ported


def _has_address(host: Host, name: str) -> bool:
    return any(row.text("nic") == name for row in host.rows("addresses"))


_GONE = (
    "See whether the device is still there (`lspci -nn`): whether its slot, its driver or a passthrough to a guest has "
    "taken it away; then give the bridge or bond a NIC that is there."
)

RULES = (
    Rule(
        id="configured-nic-absent",
        severity="medium",
        title="The configuration names a NIC that is not there",
        condition="a file of ifupdown or systemd-networkd (netplan) sets up a NIC at boot, or makes it the port of a "
        "bridge or bond, that is not there by any of its names, while another NIC of the same form of name is "
        "configured by nobody (of another form a note); high where the bridge or bond has an address and no other NIC "
        "for a port, whatever else is there",
        explanation="Names such as enp4s0 tell bus and slot, whose numbers change when a card, a disk or the firmware "
        "of the board does. The configuration then leads nowhere, and the bridge or network has no wire.",
        action="Put the name that the NIC has now into the file, or tie a name to its MAC (a .link file of systemd, "
        "`match: {macaddress: ...}` of netplan), so that it stays.",
        reference="https://hexie.dev/bridge-with-no-slave/",
        host=_renamed,
    ),
)
