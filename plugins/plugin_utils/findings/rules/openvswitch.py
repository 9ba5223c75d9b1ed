# SPDX-License-Identifier: GPL-3.0-or-later
"""Open vSwitch: what its datapath in the kernel loses."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import much
from ..model import Hit, Rule
from ..view import Host


def _upcalls(host: Host) -> Iterator[Hit]:
    count, since = much(host, "ovs_lost")
    if count:
        # Since the daemon began it may have been one storm; it cannot have begun before the boot.
        now = bool(host.number("protocols", "interval"))
        evidence = {"lost on the way to ovs-vswitchd": f"{count} packets {since if now else 'since it began'}"}
        yield Hit(evidence, severity="" if now else "note")


RULES = (
    Rule(
        id="ovs-upcalls-lost",
        severity="medium",
        title="Open vSwitch loses the first packets of new flows",
        condition="the netlink sockets of ovs-vswitchd that take packets of new flows from the kernel were full for at "
        "least 100 packets within an interval; a note for 1000 since the daemon began",
        explanation="The kernel knows the flows that were used lately, and sends the first packet of each other one to "
        "ovs-vswitchd (upcall). If new flows come faster than it answers, these packets are dropped, and connections "
        "begin late, after a retransmission.",
        action="See who makes so many flows (`ovs-appctl dpctl/show`: missed and lost; `ovs-appctl dpctl/dump-flows`: "
        "a scan, or rules that match ports where addresses would do) and whether they are at their limit, which falls "
        "while the daemon is late (`ovs-appctl upcall/show`), and give ovs-vswitchd processors that others do "
        "not use. From version 2.16 and Linux 5.15 on there is a socket for each processor, before that "
        "`ovs-vsctl set Open_vSwitch . other_config:n-handler-threads=N` sets how many threads serve them.",
        reference="https://github.com/openshift/cluster-network-operator/pull/1630",
        host=_upcalls,
        proven=True,
    ),
)
