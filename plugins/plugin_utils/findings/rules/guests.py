# SPDX-License-Identifier: GPL-3.0-or-later
"""Guests and their hypervisor: time that it takes away, and packets that a guest does not fetch."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import overflowed, squeezed, stolen
from ..model import Hit, Rule
from ..view import Host


def _taken(host: Host) -> Iterator[Hit]:
    share, since = stolen(host)
    if not share or not (squeezed(host) or overflowed(host)):
        return
    rows = host.processors
    evidence = {
        "time taken away": f"{share} % of what the guest wanted, {since}",
        "rounds that ran out of budget": sum(row.count("squeezed") for row in rows),
        "dropped before the protocols": sum(row.count("dropped") for row in rows),
    }
    yield Hit(evidence)


def _unfetched(host: Host) -> Iterator[Hit]:
    for row in host.rows("tunnels"):
        if row.text("kind") != "tap":
            continue
        seconds = row.number("interval")
        growth = ("growth",) if seconds else ()
        sent, dropped = row.count(*growth, "sent"), row.count(*growth, "dropped")
        # A guest that boots or is paused fetches nothing, and nobody misses it; only one that works loses something.
        works = sent >= (100 if seconds else 1_000_000)
        if works and dropped >= (100 if seconds else 1000) and dropped * 100 >= sent + dropped:
            since = f"in {seconds:g} s" if seconds else "since the guest started"
            evidence = {
                "dropped before the guest": f"{dropped} beside {sent} {since}",
                "queue length": row.count("queue"),
            }
            yield Hit(evidence, row.text("nic"), severity="" if seconds else "note")


RULES = (
    Rule(
        id="guest-queue-overflows",
        severity="medium",
        title="A guest does not fetch its packets in time",
        condition="the tap of a guest that received at least 100 packets has dropped as many, and one in a hundred, "
        "within an interval; a note where a tap has dropped 1000, and one in a hundred of a million or more, since the "
        "guest started",
        explanation="What is sent to a guest waits in the queue of its tap until a processor of the guest, or the "
        "thread of vhost, takes it. If these do not run for some milliseconds, the queue is full.",
        action="Give the guest and its vhost threads processors that others do not use, and several queues (`<driver "
        "name='vhost' queues='4'/>` in libvirt, multiqueue in Proxmox); then a longer queue (`ip link set TAP "
        "txqueuelen 10000`), which holds a burst.",
        reference="https://docs.redhat.com/en/documentation/red_hat_openstack_platform/13/html/"
        "ovs-dpdk_end_to_end_troubleshooting_guide/high_packet_loss_in_the_tx_queue_of_the_instance_s_tap_interface",
        host=_unfetched,
        proven=True,
    ),
    Rule(
        id="processor-taken-away",
        severity="medium",
        title="The hypervisor takes processor time away while packets wait",
        condition="at least 10 % of the time in which a guest wanted to run went to others (steal), and its processors "
        "ran out of budget or dropped packets",
        explanation="While a virtual processor does not run, its packets wait in the ring and in the backlog, and are "
        "lost when these are full. No setting of the guest gives it more time.",
        action="Give the guest processors of its own, a larger share or another host; a guest on credits (burstable) "
        "needs a larger type.",
        reference="https://man7.org/linux/man-pages/man5/proc_stat.5.html",
        host=_taken,
        proven=True,
    ),
)
