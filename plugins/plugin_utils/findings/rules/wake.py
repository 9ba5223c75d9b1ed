# SPDX-License-Identifier: GPL-3.0-or-later
"""Who switches off that a host can be woken over the network."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host


def _stopped(host: Host) -> Iterator[Hit]:
    if host.flag("managers", "tlp_stops_waking") is not True or host.flag("power", "battery") is True:
        return
    for nic in host.nics:
        desired = nic.desired("wol")
        told = {} if desired in (None, "d") else {"the inventory asks for": str(desired)}
        if told or (nic.linked and nic.text("wol") == "d"):
            evidence = {"Wake-on": nic.text("wol"), "WOL_DISABLE of TLP": "Y", **told}
            yield Hit(evidence, nic.name, severity="low" if told else "note")


RULES = (
    Rule(
        id="wake-switched-off",
        severity="note",
        title="TLP switches Wake-on-LAN off at each boot",
        condition="TLP is configured to disable Wake-on-LAN on a host without a battery, and a NIC that can wake it "
        "has it off; low where the inventory asks for it",
        explanation="TLP saves power on laptops, and its own default is to disable Wake-on-LAN. Desktops of some "
        "distributions have it as well, so that a classroom cannot be woken over the network any more.",
        action="Write `WOL_DISABLE=N` into /etc/tlp.conf (/etc/default/tlp of old versions), or remove TLP from hosts "
        "that are to be woken; then set `wol: magic` for the NIC.",
        reference="https://github.com/epoptes/epoptes/issues/27",
        host=_stopped,
    ),
)
