# SPDX-License-Identifier: GPL-3.0-or-later
"""What a router or a bridge should not do with the packets that it passes on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model import Hit, Rule, nic_remedy
from ..view import Host, Nic


def _merged(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        # gro keeps what is needed to cut a packet again as it came, so it may stay on; lro does not.
        if nic.flag("physical") is not True or nic.value("features", "lro") is not True:
            continue
        how = passes_on(host, nic)
        if not how:
            continue
        evidence = {"lro": "on", **how}
        fixed = nic.flag("features", "lro", "fixed") is True
        yield Hit(evidence, nic.name, remedy={} if fixed else nic_remedy(nic.name, features={"lro": False}))


def passes_on(host: Host, nic: Nic) -> dict[str, str]:
    """How a NIC comes to pass on what it receives; empty if it does not."""
    above = nic.text("master")
    if above and host.bridge(above):
        return {"port of the bridge": above}
    bond = next((name for name, facts in host.below("bonds").items() if nic.name in facts.below("members")), "")
    if bond and host.count("bonds", bond, "master_mtu"):
        return {"port of the bridge above": bond}
    return {"forwarding": "on"} if host.forwards else {}


def _in_hardware(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        key = "rx-gro-hw"
        if nic.driver not in _MERGERS or nic.value("features", key) is not True or not nic.linked:
            continue
        how = passes_on(host, nic)
        if how:
            fixed = nic.flag("features", key, "fixed") is True
            slow = _SLOW.get(nic.text("pci_id"), "")
            off = {key: False, **({"gro": False} if slow else {})}
            evidence = {"driver": nic.driver, key: "on", **how, **({"known": slow} if slow else {})}
            remedy = {} if fixed else nic_remedy(nic.name, features=off)
            yield Hit(evidence, nic.name, remedy=remedy, action=_GRO if slow else "", severity="low" if slow else "")


# Drivers whose NIC merges packets itself in a way that people have had trouble with.
_MERGERS = ("bnxt_en",)
# Those with which whatever guests and containers download is slow, as a provider of many servers says.
_SLOW = {"14e4:1752": "BCM57502, slow for guests: https://github.com/ovh/docs/pull/7418"}
_GRO = (
    "Switch gro off on this NIC, which takes rx-gro-hw along, and measure a download of a guest before and after; or "
    "update the firmware."
)


def _udp(host: Host) -> Iterator[Hit]:
    tunnels = [row.text("nic") for row in host.rows("addresses") if row.text("nic").startswith("tailscale")]
    if not tunnels or not host.forwards or host.release < (6, 2):
        return
    for nic in host.nics:
        key = "rx-udp-gro-forwarding"
        if nic.linked and nic.value("features", key) is False and nic.flag("features", key, "fixed") is not True:
            remedy = nic_remedy(nic.name, features={key: True, "rx-gro-list": False})
            yield Hit({"tunnel": tunnels[0], key: "off"}, nic.name, remedy=remedy)


def _cut(host: Host) -> Iterator[Hit]:
    tunnels = [row.text("nic") for row in host.rows("addresses") if row.text("nic").startswith("tailscale")]
    release = tuple(int(number) for number in re.findall(r"\d{1,5}", host.text("kernel", "release"))[:3])
    if not tunnels or not _CUTS_SINCE <= release < _CUTS_BEFORE:
        return
    for nic in host.nics:
        on = [key for key in ("tx-udp-segmentation", "gso") if nic.value("features", key) is True]
        if nic.linked and "tx-udp-segmentation" in on:
            evidence = {"tunnel": tunnels[0], "kernel": host.text("kernel", "release"), **dict.fromkeys(on, "on")}
            yield Hit(evidence, nic.name, remedy=nic_remedy(nic.name, features=dict.fromkeys(on, False)))


_CUTS_SINCE, _CUTS_BEFORE = (7, 0), (7, 1, 5)


RULES = (
    Rule(
        id="udp-segments-cut-wrongly",
        severity="note",
        title="This kernel cuts large UDP packets of Tailscale wrongly",
        condition="the host has a Tailscale interface and Linux 7.0 to 7.1.4, and a NIC has tx-udp-segmentation on",
        explanation="What Tailscale sends in one piece arrives damaged if its last part is as long as the others, so "
        "that sending falls to a hundredth while receiving is fast. Linux 7.1.5 has ended it, and Tailscale avoids it "
        "since 1.100.",
        action="Use a newer kernel or Tailscale; until then switch tx-udp-segmentation and gso off.",
        reference="https://github.com/tailscale/tailscale/issues/19777",
        host=_cut,
    ),
    Rule(
        id="hardware-gro-while-forwarding",
        severity="note",
        title="The NIC merges packets in hardware on a host that forwards them",
        condition="a NIC of the driver bnxt_en has rx-gro-hw on, and is the port of a bridge or belongs to a router; "
        "low for BCM57502",
        explanation="Unlike lro it may stay on according to the kernel. But with firmware that merges tunnelled "
        "packets wrongly, VXLAN between guests on different hosts slows down to kilobits per second.",
        action="If tunnels of guests are slow, switch rx-gro-hw off, and gro as well if that is not enough; or update "
        "the firmware.",
        reference="https://github.com/moby/moby/issues/41902",
        host=_in_hardware,
    ),
    Rule(
        id="udp-gro-forwarding",
        severity="note",
        title="A Tailscale router handles each UDP packet on its own",
        condition="the host forwards, has a Tailscale interface and Linux 6.2 or later, and a NIC has "
        "rx-udp-gro-forwarding off",
        explanation="Its tunnel uses UDP, and handling one packet at a time takes most of the processor time. With "
        "this feature the kernel passes on many at once.",
        action="Switch it on at the NIC of the default route, and rx-gro-list off.",
        reference="https://tailscale.com/kb/1320/performance-best-practices",
        host=_udp,
    ),
    Rule(
        id="merging-while-forwarding",
        severity="high",
        title="A host merges packets that it only passes on",
        condition="the host routes packets, or the NIC is the port of a bridge, and the NIC has lro on",
        explanation="Large receive offload forgets the original packet sizes, so the merged packets are too large for "
        "the next link and are dropped. Guests, containers and hosts behind a router then see transfers that hang.",
        action="Switch lro off on this NIC; gro may stay on.",
        reference="https://docs.kernel.org/networking/segmentation-offloads.html",
        host=_merged,
    ),
)
