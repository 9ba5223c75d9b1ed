# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bridge is told about its ports: spanning tree, for which guests wait, and to forget who is where."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host

# Seconds of each of two states; with 2, the least, a guest waits no longer than it boots.
_FELT = 5


def _waits(host: Host) -> Iterator[Hit]:
    for row in host.rows("bridges"):
        delay, name = row.count("forward_delay"), row.text("name")
        if delay >= _FELT and row.count("guests") and row.count("nics"):
            waiting = row.count("learning")
            evidence = {
                "bridge": name,
                "stp_state": 1,
                "a new port waits": f"{2 * delay} s",
                "guests": row.count("guests"),
                "its NICs": row.count("nics"),
                **({"guests that wait now": waiting} if waiting else {}),
            }
            loops = row.count("nics") > 1
            yield Hit(evidence, action=(_LOOPS if loops else _OFF).format(name), severity="low" if waiting else "")


_OFF = (
    "With one NIC the bridge itself makes no loop: switch spanning tree off (`ip link set {0} type bridge stp_state "
    "0`, and where the bridge is described: `bridge.stp no` of NetworkManager, `STP=no` of systemd-networkd, "
    "`bridge_stp off` of ifupdown), or let a port wait 2 seconds only (`forward_delay 200`)."
)
_LOOPS = (
    "The bridge has several NICs, so that spanning tree may be needed: let a port wait 2 seconds only (`ip link set "
    "{0} type bridge forward_delay 200`, and where the bridge is described), or bond the NICs and switch it off."
)


def _floods(host: Host) -> Iterator[Hit]:
    for row in host.rows("bridges"):
        kinds = {kind: row.count(kind) for kind in ("nics", "guests", "containers", "others") if row.count(kind)}
        # Between two ports there is nothing to choose.
        if row.flag("forgets") is True and sum(kinds.values()) > 2:
            # One guest beside the wires is mostly there to see all of it.
            several = row.count("guests") + row.count("containers") > 1
            yield Hit({"bridge": row.text("name"), "ageing_time": 0, **kinds}, severity="" if several else "note")


RULES = (
    Rule(
        id="bridge-forgets-addresses",
        severity="low",
        title="A bridge sends everything to all its ports, because it keeps no addresses",
        condition="a bridge of more than two ports has an ageing time of 0; a note with fewer than two guests or "
        "containers, as to see everything may be what it is for",
        explanation="With 0 a bridge forgets at once at which port an address is, so it works like a hub: each guest "
        "or container gets the packets of all others, and the processor copies them as often. Mirrors of ports, and "
        "some versions of OpenStack, set it.",
        action="Let it keep them for the usual 300 seconds (`ip link set BRIDGE type bridge ageing_time 30000`, and "
        "where the bridge is described), unless it is there to mirror.",
        reference="https://bugs.launchpad.net/os-vif/+bug/1837252",
        host=_floods,
    ),
    Rule(
        id="bridge-delays-guests",
        severity="note",
        title="A guest has no network in its first seconds, as its bridge waits for spanning tree",
        condition="a bridge with guests and a NIC has the kernel's spanning tree on with a forward delay of 5 seconds "
        "or more; low where ports of guests wait at the moment",
        explanation="A new port first listens and then learns, each as long as the forward delay, usually 15 seconds, "
        "and passes nothing meanwhile. Guests that ask DHCP or a server for their image at once give up, and one that "
        "was migrated is cut off for so long.",
        action="Switch spanning tree off where the bridge has one NIC, or let a port wait 2 seconds only.",
        reference="https://github.com/OpenNebula/one-deploy/pull/290",
        host=_waits,
    ),
)
