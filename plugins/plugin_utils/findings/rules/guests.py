# SPDX-License-Identifier: GPL-3.0-or-later
"""Guests and their hypervisor: time that it takes away, and packets that a guest does not fetch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import median
from typing import Any

from ..harm import HOUR, much, overflowed, pressed, seldom, squeezed, stolen, throttled
from ..model import Hit, Rule, nic_remedy
from ..view import Fleet, Host, Nic


def _taken(host: Host) -> Iterator[Hit]:
    share, since = stolen(host)
    refused, _since = much(host, "TcpExtListenOverflows")
    if not share or not (squeezed(host) or overflowed(host) or refused):
        return
    rows = host.processors
    evidence = {
        "time taken away": f"{share} % of what the guest wanted, {since}",
        "rounds that ran out of budget": sum(row.count("squeezed") for row in rows),
        "dropped before the protocols": sum(row.count("dropped") for row in rows),
        **({"accept queue overflowed": refused} if refused else {}),
    }
    yield Hit(evidence)


def _quota(host: Host) -> Iterator[Hit]:
    share = throttled(host)
    if not share:
        return
    refused, since = much(host, "TcpExtListenOverflows")
    if seldom(host, refused, HOUR) and not host.number("protocols", "interval"):
        refused = 0
    evidence = {
        "periods with the quota used up": f"{host.count('brakes', 'quota', 'throttled')}, {share} % of all",
        **({"accept queue overflowed": f"{refused} times {since}"} if refused else {}),
    }
    yield Hit(evidence, severity="" if refused else "note")


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


def _emulated(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        chip = _CHIPS.get(nic.text("pci_id"), "") if nic.driver in _EMULATED else ""
        # The interface of Xen is the only one where the instance has no other.
        xen = nic.driver in ("vif", "xen-netfront") and host.flag("kernel", "ec2") is True
        if nic.linked and (chip or xen):
            # A real card of this kind may be a slow one, and only the firmware tells whether this is a guest.
            above = host.text("kernel", "guest_of")
            most = 2 * _packets(nic) >= max(map(_packets, host.nics))
            harm = (xen or (above and most)) and (pressed(host) or overflowed(host))
            late = {"processors": "out of budget, or their backlog overflowed"} if harm and above else {}
            told = {"hypervisor": above} if above else {}
            evidence = {"driver": nic.driver, "chip": chip or "the paravirtual one of Xen, on EC2", **told, **late}
            yield Hit(evidence, nic.name, severity="medium" if harm else "", action=_ENHANCED if xen else "")


# What QEMU, VirtualBox, VMware, Xen and Hyper-V emulate for guests without a driver of their own.
_EMULATED = ("e1000", "8139cp", "pcnet32", "ne2k-pci", "tulip")
_CHIPS = {
    "8086:100e": "Intel 82540EM",
    "8086:100f": "Intel 82545EM",
    "10ec:8139": "Realtek 8139",
    "1022:2000": "AMD PCnet",
    "10ec:8029": "Realtek 8029",
    "1011:0009": "DEC 21140",
}
_ENHANCED = (
    "Use an instance type of the present, and an image with the driver ena (or ixgbevf), with enhanced networking "
    "switched on for the instance (`aws ec2 modify-instance-attribute --ena-support`)."
)


def _bare(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        # A value that is off and fixed is one that the device has not offered.
        lacks = [key for key in _OFFERED if nic.value("features", key) is False and _fixed(nic, key)]
        if nic.driver == "virtio_net" and nic.linked and lacks == list(_OFFERED):
            # The harm is another NIC's where that carries most of the packets.
            busy = 2 * _packets(nic) >= max(map(_packets, host.nics))
            harm = busy and (squeezed(host) or overflowed(host))
            sent = nic.number("counters", "total", "tx_packets")
            if not harm and sent is not None and sent < _MUCH:
                continue
            late = {"processors": "out of budget, or their backlog overflowed"} if harm else {}
            evidence = {"driver": nic.driver, **dict.fromkeys(lacks, "off [fixed]"), **late}
            yield Hit(evidence, nic.name, severity="medium" if harm else "")


def _synthetic(fleet: Fleet) -> Iterator[Hit]:
    guests = [(host, nic) for host in fleet.hosts for nic in host.nics if nic.driver == "hv_netvsc" and nic.linked]
    pools: dict[tuple[str, int], list[Nic]] = {}
    for host, nic in guests:
        for group in host.groups:
            pools.setdefault((group, host.count("kernel", "cpu_count")), []).append(nic)
    direct = {pool: [nic for nic in members if _direct(nic)] for pool, members in pools.items()}
    for host, nic in guests:
        if _direct(nic):
            continue
        late, lost = (sum(row.count(name) for row in host.processors) for name in ("squeezed", "dropped"))
        harm = {
            **({"rounds that ran out of budget": late} if squeezed(host) else {}),
            **({"dropped before the protocols": lost} if overflowed(host) else {}),
        }
        evidence = {"driver": nic.driver, "virtual function": "none", **harm}
        # Who alone of several of one size and group has none was not meant to be so.
        own = [(group, host.count("kernel", "cpu_count")) for group in host.groups]
        odd = [pool for pool in own if len(direct[pool]) * 2 > len(pools[pool]) and _packets(nic) >= _MUCH]
        if harm:
            yield Hit(evidence, nic.name, host.name)
        elif odd:
            pool = min(odd, key=lambda pool: (len(pools[pool]), pool))
            told = _beside(host, direct[pool], len(pools[pool]))
            yield Hit({**evidence, **told}, nic.name, host.name, severity="low" if _BUSY in told else "note")


def _beside(host: Host, others: list[Nic], every: int) -> dict[str, Any]:
    """Those of the same size and group that have a virtual function, and what packets cost here, if it is much more."""
    own, theirs = _in_softirq(host), median(_in_softirq(nic.host) for nic in others)
    told: dict[str, Any] = {f"of {every} alike have one": [nic.host.name for nic in others[:3]]}
    if own >= _HEAVY and own >= theirs * _MORE:
        told[_BUSY] = f"{100 * own:.0f} % of their time, those of the others {100 * theirs:.0f} %"
    return told


_BUSY = "processors in softirq"
# The part of the time of all processors that packets take, and how many times what it takes others.
_HEAVY, _MORE = 0.1, 3


def _direct(nic: Nic) -> bool:
    return any(other.text("master") == nic.name for other in nic.host.nics)


def _twice(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        functions = [other for other in host.nics if other.text("master") == nic.name and other.linked]
        queued = [_discipline(each) for each in (nic, *functions)]
        if nic.driver != "hv_netvsc" or not functions or not all(queued):
            continue
        dropped, sent = nic.count("queues", "qdisc", "dropped"), nic.count("counters", "total", "tx_packets")
        harm = dropped >= 1000 and dropped * 10_000 >= sent
        if harm or sent >= _MUCH:
            evidence = {f"qdisc of {each.name}": told for each, told in zip((nic, *functions), queued, strict=True)}
            lost = {f"dropped by that of {nic.name}": f"{dropped} beside {sent} packets"} if harm else {}
            remedy = nic_remedy(nic.name, qdisc={"root": "noqueue"}) if harm else {}
            yield Hit({**evidence, **lost}, nic.name, remedy=remedy, severity="medium" if harm else "")


def _discipline(nic: Nic) -> str:
    """What packets wait in before a NIC; empty where that is nothing."""
    root, leaf = (nic.text("queues", "qdisc", name) for name in ("root", "leaf"))
    return "" if root == "noqueue" else leaf or root


def _in_softirq(host: Host) -> float:
    rows = host.processors
    spent = sum(row.count("time") for row in rows)
    return sum(row.count("softirq") for row in rows) / spent if spent else 0.0


def _by_qemu(host: Host) -> Iterator[Hit]:
    # A VPN may have taps too, such as tap0 of OpenVPN, and so have guests of others, which need no vhost.
    taps = [
        row
        for row in host.rows("tunnels")
        if row.text("kind") == "tap"
        and (_GUEST.fullmatch(row.text("nic")) or (row.flag("headers") and host.flag("kernel", "qemu")))
    ]
    moved = sum(row.count("sent") for row in taps)
    if taps and host.flag("kernel", "kvm") and host.flag("kernel", "vhost_net") is False and moved >= _MUCH:
        yield Hit({"guests' taps": len(taps), "packets to them": moved, "module vhost_net": "not loaded"})


# The names that libvirt and Proxmox give to the taps of guests.
_GUEST = re.compile(r"vnet\d+|tap\d+i\d+")
# Packets sent by a NIC that somebody uses for more than to log in.
_MUCH = 10_000_000


def _packets(nic: Nic) -> int:
    return nic.count("counters", "total", "rx_packets") + nic.count("counters", "total", "tx_packets")


def _fixed(nic: Nic, key: str) -> bool:
    return nic.at("features", key, "fixed") is True


# VIRTIO_NET_F_CSUM and VIRTIO_NET_F_HOST_TSO4 (and 6) of include/uapi/linux/virtio_net.h; without the first one
# virtnet_probe() of drivers/net/virtio_net.c offers nothing of the second.
_OFFERED = ("tx", "tso")


RULES = (
    Rule(
        id="processor-quota-used-up",
        severity="medium",
        title="A container uses up its quota of processors and stands still until the next period",
        condition="a container had used up its quota in a tenth of at least 1000 periods, and its accept queue "
        "overflowed once an hour; without that it is a note",
        explanation="A quota (`cpu.max`, `cpulimit` of Proxmox, `limits.cpu` of Kubernetes) is given for each tenth of "
        "a second. A program with many threads uses it up at once, and answers nothing for the rest, although the "
        "host has processors to spare.",
        action="Raise the quota or take it away, and give shares instead (`cpu.weight`, `cpuunits`, `requests.cpu`); "
        "else let the program have no more threads than the quota has processors (`GOMAXPROCS`, `worker_processes`).",
        reference="https://docs.kernel.org/scheduler/sched-bwc.html",
        host=_quota,
        proven=True,
    ),
    Rule(
        id="guest-without-offloads",
        severity="note",
        title="The hypervisor takes only packets of full size from this guest",
        condition="virtio has neither checksums nor segmentation offload of TCP, and cannot have them, and has sent at "
        "least 10 million packets; medium where the processors of the guest ran out of budget or dropped packets, and "
        "no other NIC carries more than twice as much",
        explanation="Between a guest and its hypervisor 64 KiB can pass at once, and a checksum that nobody needs on "
        "the way. A hypervisor that does not take that costs the guest half of its speed or more.",
        action="Let the hypervisor open the tap with IFF_VNET_HDR, as libvirt and Proxmox do, and see whether its "
        "configuration of the guest switches them off (`<host csum='off'/>` in libvirt, `csum=off` at "
        "virtio-net-pci of QEMU); the user-mode network of QEMU has none.",
        reference="https://github.com/Mirantis/virtlet/issues/882",
        host=_bare,
    ),
    Rule(
        id="emulated-nic",
        severity="note",
        title="The NIC of a guest is an emulation of an old card",
        condition="the driver and the chip are those that hypervisors emulate, or the instance of EC2 has the NIC of "
        "Xen; medium where the processors of such an instance, or of a host whose firmware is that of a hypervisor, "
        "ran out of budget or dropped packets, and no other NIC carries more than twice as much",
        explanation="Each packet costs an exit to the hypervisor, which plays the registers of the card. A NIC that is "
        "made for guests is several times faster, and has several queues.",
        action="Give the guest virtio (KVM, Proxmox, VirtualBox), vmxnet3 (VMware) or the synthetic adapter (Hyper-V); "
        "a real card of that age needs nothing.",
        reference="https://github.com/xcp-ng/xcp/issues/27",
        host=_emulated,
    ),
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
        "ran out of budget or dropped packets, or the accept queues of its programs overflowed at least 1000 times "
        "(100 within an interval)",
        explanation="While a virtual processor does not run, its packets wait in the ring and in the backlog, and are "
        "lost when these are full. No setting of the guest gives it more time.",
        action="Give the guest processors of its own, a larger share or another host; a guest on credits (burstable) "
        "needs a larger type.",
        reference="https://man7.org/linux/man-pages/man5/proc_stat.5.html",
        host=_taken,
        proven=True,
    ),
    Rule(
        id="accelerated-networking-off",
        severity="medium",
        title="All packets of this guest pass through the virtual switch of Hyper-V",
        condition="a NIC of hv_netvsc has no virtual function of a real card, and the processors of the guest ran out "
        "of budget or dropped packets; low where most hosts of as many processors in one group of the inventory "
        "have one, and packets take a tenth of the processors' time and three times that of the others; a note where "
        "they do not, but the NIC has moved 10 million packets",
        explanation="Azure and Hyper-V can give the guest a part of the real card (accelerated networking, SR-IOV), "
        "which moves packets without the host's processors. Without it each packet is copied twice, and delays vary.",
        action="Switch accelerated networking on for the NIC (`az network nic update --accelerated-networking true`, "
        "with a size that has it), or SR-IOV in the settings of the guest on Hyper-V.",
        reference="https://learn.microsoft.com/azure/virtual-network/accelerated-networking-overview",
        fleet=_synthetic,
    ),
    Rule(
        id="queued-twice",
        severity="note",
        title="Each packet of this guest waits in two queues, one after the other",
        condition="a NIC of hv_netvsc with a virtual function has a queueing discipline, as the virtual function has "
        "one too, and has sent 10 million packets; medium where that of the upper one has dropped at least 1000, and "
        "one in ten thousand",
        explanation="With accelerated networking the synthetic NIC hands each packet to the virtual function, which "
        "has a queue of its own. The upper one cannot know how full that is, and only costs processors and time.",
        action="Leave the queue to the virtual function: noqueue at the synthetic NIC, and fq or fq_codel below. While "
        "the virtual function is taken away for maintenance, what does not fit into the ring is lost then.",
        reference="https://github.com/flatcar/Flatcar/issues/1458",
        host=_twice,
    ),
    Rule(
        id="guests-without-vhost",
        severity="low",
        title="QEMU itself moves the packets of guests",
        condition="a host of KVM has guests with taps, by the names that libvirt and Proxmox give them, or because "
        "they are made for guests and QEMU runs, that have moved at least 10 million packets, and the module "
        "vhost_net is not loaded",
        explanation="With vhost_net the kernel passes packets between a guest with virtio and its tap. Without it "
        "each one wakes the process of QEMU, which costs much of the processor and of the speed.",
        action="Load it (`modprobe vhost_net`, and /etc/modules-load.d for the next boot), give guests NICs of the "
        "model virtio (with `vhost=on` at the tap, where you start QEMU yourself), and start them anew.",
        reference="https://www.linux-kvm.org/page/VhostNet",
        host=_by_qemu,
    ),
)
