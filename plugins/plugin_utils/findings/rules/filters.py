# SPDX-License-Identifier: GPL-3.0-or-later
"""The filter of a NIC for addresses: what it throws away although a bridge behind it should get everything."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import lost
from ..model import Hit, Rule, nic_remedy
from ..view import Facts, Host


def _filtered(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        master, loss = nic.text("master"), lost(nic, "rx_filtered")
        # What a switch floods for others is filtered everywhere else, and that is what the filter is for.
        many = loss and nic.counted("rx_filtered")[0] * 20 > nic.packets
        if loss and many and nic.linked and master and host.bridge(master) and not _alone(host, master):
            evidence = {"filtered by the NIC": loss.text, "bridge": master, "driver": nic.driver}
            yield Hit(evidence, nic.name, severity="" if nic.number("counters", "interval") else "note")


def _alone(host: Host, bridge: str) -> bool:
    """Whether a port is the only one of a bridge with VLANs, whose filter the kernel leaves on: it floods nothing.

    br_manage_promisc in net/bridge/br_if.c.
    """
    about = next((row for row in host.rows("bridges") if row.text("name") == bridge), Facts({}))
    return about.flag("vlans") is True and sum(about.count(kind) for kind in _PORTS) <= 1


_PORTS = ("nics", "guests", "containers", "others")

# How many VLANs the cards of a driver filter: what ConnectX-4 to 6 tell (log_max_vlan_list), as mlx5_core writes into
# the kernel's log, and MLX4_MAX_VLAN_NUM of include/linux/mlx4/device.h but the two that it keeps for itself.
_ROOM = {"mlx5_core": 512, "mlx4_en": 126}
# mlx4_en refuses those beyond, so that the bridge has no more of them than there is room, or one less: 8021q has taken
# VLAN 0 (nbp_vlan_add in net/bridge/br_vlan.c gives up what the driver refuses).
_REFUSES = {"mlx4_en": 125}


def _vlans(host: Host) -> Iterator[Hit]:
    for row in host.rows("bridges"):
        for nic in host.nics:
            room, used = _ROOM.get(nic.driver, 0), row.count("vlan_ids", nic.name)
            if room and used >= _REFUSES.get(nic.driver, room + 1) and nic.value("features", "rx-vlan-filter") is True:
                evidence = {"bridge": row.text("name"), "VLANs of the port": used, "VLANs that the card filters": room}
                remedy = nic_remedy(nic.name, features={"rx-vlan-filter": False})
                yield Hit({**evidence, "rx-vlan-filter": "on", "driver": nic.driver}, nic.name, remedy=remedy)


def _functions(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        master, functions = nic.text("master"), nic.value("sriov", "vfs")
        row = next((row for row in host.rows("bridges") if row.text("name") == master), Facts({}))
        inside = row.count("guests") + row.count("containers")
        # A card whose switch the host runs (switchdev) has a port for each function, which may be in the bridge.
        if isinstance(functions, int) and functions > 0 and inside and nic.driver not in _SWITCHDEV:
            evidence = {"bridge": master, "guests and containers": inside, "virtual functions": functions}
            yield Hit({**evidence, "driver": nic.driver}, nic.name)


_SWITCHDEV = ("mlx5_core", "nfp", "sfc")


RULES = (
    Rule(
        id="bridge-beside-functions",
        severity="note",
        title="Guests at a bridge and guests with virtual functions of its port may not reach each other",
        condition="a NIC with virtual functions is the port of a bridge that has guests or containers; not where its "
        "driver has the card's switch run by the host",
        explanation="The switch inside of the card knows the MACs of its functions only. What a guest with a function "
        "sends to a MAC behind the bridge of the same card goes out by the cable and does not come back, while all "
        "other hosts reach both.",
        action="Enter the MACs behind the bridge (`bridge fdb add MAC dev NIC`, by a hook when a guest starts), give "
        "the bridge another port of the card, or a trusted function in place of the NIC itself.",
        reference="https://github.com/canonical/hotsos/issues/365",
        host=_functions,
    ),
    Rule(
        id="bridge-port-filters",
        severity="medium",
        title="A NIC filters packets that its bridge should get",
        condition="a NIC below a bridge has filtered at least 100 packets by their address within an interval, and one "
        "in 20 of what it received; since the driver was loaded it is a note, for it may not have been below the "
        "bridge all the time, and not where it is the only port of a bridge that knows VLANs",
        explanation="A bridge switches the filter of its ports off, so that packets for its guests come through. Parts "
        "of a card that firmware or chassis have divided (NPAR, Flex-10, UMC), and virtual functions, may not do that, "
        "and guests are not found from outside.",
        action="See whether the NIC is promiscuous (`ip -d link show NIC`), allow it in the settings of the card or "
        "its chassis, or `trust on` for a virtual function at its hypervisor; update the card's firmware. Where all "
        "guests are reached from outside, it is only what the switch floods, and no harm.",
        reference="https://docs.kernel.org/networking/statistics.html",
        host=_filtered,
    ),
    Rule(
        id="vlan-filter-full",
        severity="high",
        title="A bridge has more VLANs than its card can filter",
        condition="a card of Mellanox is the port of a bridge for more VLANs than it has room for, or of ConnectX-3 "
        "for 125 or more, and rx-vlan-filter is on",
        explanation="A bridge that knows VLANs enters each of them into the filter of its card, and `bridge-vids "
        "2-4094` are thousands. The card takes the first ones (512 of ConnectX-4 and later, 126 of ConnectX-3), and "
        "packets of the others never arrive.",
        action="Switch rx-vlan-filter off on this NIC, or give the port only those VLANs that are in use.",
        reference="https://github.com/CumulusNetworks/ifupdown2/pull/266",
        host=_vlans,
    ),
)
