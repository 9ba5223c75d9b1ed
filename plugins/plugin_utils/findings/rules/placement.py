# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the work is done: NUMA nodes, power saving, what a cloud allows, checksums of VXLAN."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..harm import kept_slow, lost, rare, squeezed
from ..model import Hit, Rule, nic_remedy
from ..view import Facts, Host, Nic
from .link import wireless

_ALLOWANCES = {
    "allowance_bw_in": "above the incoming bandwidth",
    "allowance_bw_out": "above the outgoing bandwidth",
    "allowance_pps": "above the packets a second",
    "allowance_conntrack": "above the tracked connections",
    "allowance_linklocal": "above the rate of DNS, time and metadata",
}


def _cpus(text: str) -> set[int]:
    """The processors of a list such as 0-21,44."""
    found: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,5})(?:-(\d{1,5}))?", part.strip())
        if match:
            found.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return found


def _remote(host: Host) -> Iterator[Hit]:
    nodes = {name: _cpus(text) for name, text in host.texts("power", "nodes").items()}
    for nic in host.nics:
        home = nodes.get(str(nic.count("numa_node")), set()) if nic.number("numa_node") is not None else set()
        if len(nodes) < 2 or not home or nic.desired("irq", "affinity") is not None or not nic.linked:
            continue
        served = [sum(column) for column in zip(*(row.numbers("counts") for row in nic.rows("interrupts")))]
        far = sum(count for cpu, count in enumerate(served) if cpu not in home)
        if sum(served) < 1_000_000 or far < 0.9 * sum(served):
            continue
        evidence = {
            "NUMA node of the NIC": nic.count("numa_node"),
            "processors of that node": host.texts("power", "nodes")[str(nic.count("numa_node"))],
            "served by others": f"{far} of {sum(served)} interrupts",
            "Speed": f"{nic.speed}Mb/s",
        }
        severity = "" if nic.real and nic.speed >= 25000 else "note"
        yield Hit(evidence, nic.name, remedy=nic_remedy(nic.name, irq={"affinity": "spread"}), severity=severity)


def _far_programs(host: Host) -> Iterator[Hit]:
    nodes = {name: _cpus(text) for name, text in host.texts("power", "nodes").items()}
    fast = [nic for nic in host.nics if nic.real and nic.linked and nic.speed >= 10000]
    homes = {nic.name: nodes.get(str(nic.number("numa_node")), set()) for nic in fast}
    # Without a word of the kernel about its node, a NIC may be near to any.
    if len(nodes) < 2 or not all(homes.values()):
        return
    near = set().union(*homes.values())
    found = {}
    for row in host.rows("programs"):
        # A program without a place may be anywhere by chance, but not with all of many threads.
        bound, ran = _cpus(row.text("allowed")), _cpus(row.text("ran"))
        used = f"{row.number('used') or 0:.2f} processors busy on average"
        if bound and not bound & near:
            found[row.text("name")] = f"may run on {row.text('allowed')} only, {used}"
        elif ran and row.count("threads") >= 8 and not ran & near:
            found[row.text("name")] = f"runs on {row.text('ran')}, {used}"
    for nic in fast if found else []:
        node = str(nic.number("numa_node"))
        where = {"NUMA node of the NIC": int(node), "processors of that node": host.texts("power", "nodes")[node]}
        yield Hit({**where, **found}, nic.name)


def _saving(host: Host) -> Iterator[Hit]:
    governor, driver = host.text("power", "governor"), host.text("power", "frequency_driver")
    slow = kept_slow(host)
    deep = [
        f"{row.text('name')} ({row.count('latency_us')} us)"
        for row in host.rows("power", "idle_states")
        if row.count("latency_us") > 100 and row.flag("disabled") is not True
    ]
    real = [nic for nic in host.nics if nic.real]
    fast = [nic for nic in real if nic.speed >= 10000]
    losses = {nic.name: loss.text for nic in fast for loss in [lost(nic, "rx_missed")] if loss and loss.much}
    full = all((nic.number("ring", "rx", "value") or 0) >= (nic.maximum("ring", "rx") or 0) for nic in fast)
    # A processor that sleeps takes as many packets a round as any other; one that is slow does not.
    late = sum(row.count("squeezed") for row in host.processors) if slow and squeezed(host) else 0
    if slow or (deep and losses and full):
        evidence: dict[str, Any] = {
            "governor": f"{governor} ({driver})" if driver else governor,
            **({"deep idle states": ", ".join(deep)} if deep else {}),
            **{f"lost, ring full, on {name}": text for name, text in losses.items()},
            **({"rounds out of budget": f"{late}, with {host.processed} packets"} if late else {}),
        }
        yield Hit(evidence, severity="" if losses or late else "note")
    elif _ways(real) > 1 and host.forwards and host.flag("power", "battery") is not True:
        slept = {
            row.text("name"): f"{row.count('latency_us')} us to wake up"
            for row in host.rows("power", "idle_states")
            if row.count("latency_us") >= _FELT_US and row.flag("disabled") is not True
        }
        crawls = _crawls(host)
        if slept or crawls:
            action = _CLOCK if crawls and not slept else _AWAKE
            yield Hit({"forwarding": "on", **slept, **crawls}, action=action, severity="note")


def _crawls(host: Host) -> dict[str, Any]:
    """The clock of processors that may sink to less than an eighth; where the hardware chooses, it does so in time."""
    governor, driver = host.text("power", "governor"), host.text("power", "frequency_driver")
    slowest, fastest = (host.count("power", f"{name}_khz") for name in ("slowest", "fastest"))
    by_hardware = driver.startswith(("intel_pstate", "amd-pstate"))
    if governor in ("", "performance") or by_hardware or not 0 < slowest * 8 < fastest:
        return {}
    return {"governor": governor, "clock": f"{slowest // 1000} to {fastest // 1000} MHz"}


def _ways(nics: list[Nic]) -> int:
    """How many networks cables lead to at most: those of one bond or bridge lead to one."""
    return len({nic.text("master") or nic.name for nic in nics if not wireless(nic)})


# A router in a local network takes less than that for all it does with a packet.
_FELT_US = 1000
_AWAKE = (
    "Nothing is lost by that, but packets that come after a pause wait for the processor: where the time to the next "
    "host matters, limit the idle states (the tuned profile network-latency; or at boot `intel_idle.max_cstate=1` on "
    "Intel, `processor.max_cstate=1` on AMD)."
)
_CLOCK = (
    "Nothing is lost by that, but packets that come after a pause are handled at the slowest clock, which the governor "
    "raises only later: where the time to the next host matters, use the governor performance, or a higher least clock "
    "(scaling_min_freq)."
)


def _allowance(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        moved = nic.packets + nic.counted("tx_packets")[0]
        found, severe, actions = {}, False, []
        for name, about in _ALLOWANCES.items():
            count, since = nic.counted(name)
            least = 100 if nic.number("counters", "interval") else 1000
            # What is allowed apart from the rest is no share of it: a lost name or connection is felt by itself.
            own = name in _APART and not rare(nic, count, _TEN_MINUTES)
            if count >= least and (own or count > moved / 100_000):
                found[about] = f"{count} packets {since}"
                severe = severe or count > moved / 100
                actions.append(_APART.get(name, _LARGER))
        if found:
            size, top = nic.number("channels", "combined", "value"), nic.maximum("channels", "combined") or 0
            most = min(int(top), host.count("kernel", "cpu_count") or int(top))
            more = nic_remedy(nic.name, channels={"combined": most}) if most else {}
            mends, remedy = more if list(found) == [_ALLOWANCES["allowance_pps"]] else {}, {}
            # Below the limit of the instance each queue has one of its own.
            if _ALLOWANCES["allowance_pps"] in found and size and size < most:
                found["combined channels"] = f"{size:g} of {top:g}"
                remedy = more
                actions.insert(0, _QUEUES)
            action = " ".join(dict.fromkeys(actions))
            yield Hit(found, nic.name, remedy=remedy, severity="high" if severe else "", action=action, mends=mends)


_TEN_MINUTES = 600
_QUEUES = "Use more channels first, for a queue alone may not send all that the instance may."
_LARGER = "Take a larger type, or one optimised for networks, and spread the load."
_APART = {
    "allowance_conntrack": "Keep fewer connections: let security groups allow both directions without tracking, close "
    "what is idle, or take a larger type.",
    "allowance_linklocal": "Ask for names less often than 1024 times a second: cache them on the host (such as "
    "node-local DNS), with ndots low in Kubernetes, and spread what asks over more instances.",
}


def overlays(host: Host) -> list[str]:
    """Devices that wrap packets into UDP, by what the kernel calls them, or by the names of those who make them."""
    # Below a bridge they have no address of their own.
    names = {row.text("nic"): row for key in ("tunnels", "addresses") for row in host.rows(key)}
    return sorted(name for name, row in names.items() if _wraps(name, row))


def _wraps(name: str, row: Facts) -> bool:
    known = r"flannel\.\d+|flannel-v6\.\d+|vxlan[\w.-]*|cilium_vxlan|weave|antrea-gw\d"
    return row.text("kind") in ("vxlan", "geneve") or re.fullmatch(known, name) is not None


def _offloads(nic: Nic) -> list[str]:
    """What a NIC is trusted to do with packets inside of packets."""
    features = nic.below("features")
    keys = [key for key in features if "udp_tnl" in key or key == "tx-checksum-ip-generic"]
    return sorted(key for key in keys if nic.value("features", key) is True)


def _checksums(host: Host) -> Iterator[Hit]:
    around = overlays(host)
    hidden = [] if around or not host.flag("listeners", "docker_overlay") else ["that of Docker Swarm"]
    broken, since = host.protocol("UdpInCsumErrors")
    harm = broken >= 100 and broken * 10_000 > host.protocol("UdpInDatagrams")[0]
    # Before Linux 5.7 NAT made a checksum of none, when the packet of an overlay passed it twice.
    old = (0, 0) < host.release < (5, 7) and host.forwards
    for nic in host.nics if around or hidden else []:
        on = _offloads(nic)
        # vmxnet3 does this for some ports only, by the version of the hypervisor.
        if on and nic.linked and (harm or old or nic.driver == "vmxnet3"):
            evidence = {
                "overlay": around or hidden,
                "driver": nic.driver,
                **dict.fromkeys(on, "on"),
                **({"UDP packets with a wrong checksum": f"{broken} {since}"} if broken else {}),
                "kernel": host.text("kernel", "release"),
            }
            # What Docker hides cannot be set, so the NIC itself computes no more.
            devices = around or ([nic.name] if "tx-checksum-ip-generic" in on else [])
            off = [{"name": name, "features": {"tx-checksum-ip-generic": False}} for name in devices]
            remedy = {"tuning_host_nics": off} if off else {}
            yield Hit(evidence, nic.name, "", remedy, _HIDDEN if hidden else "", "" if harm else "note")


_HIDDEN = (
    "Switch off the checksum offload of the NIC (`ethtool -K NIC tx-checksum-ip-generic off`) on all nodes, or begin "
    "the swarm with another port (`docker swarm init --data-path-port`), which VMware does not take for its own "
    "VXLAN; or update the hypervisor."
)


RULES = (
    Rule(
        id="interrupts-remote-numa",
        severity="medium",
        title="Interrupts are served on another NUMA node than that of the NIC",
        condition="at least 90 % of a million or more interrupts of a NIC of 25000 Mb/s or more were served outside of "
        "its NUMA node; on slower ones it is a note",
        explanation="Each packet then crosses the interconnect between the sockets, which costs time and is shared "
        "with everything else. From 25G on one node cannot keep up.",
        action="Serve the interrupts on the NIC's node, and run the busy programs there (`numactl --cpunodebind`).",
        reference="https://docs.kernel.org/networking/scaling.html",
        host=_remote,
    ),
    Rule(
        id="programs-remote-numa",
        severity="note",
        title="A busy program runs on another NUMA node than that of the NIC",
        condition="on a host with several NUMA nodes, one of the five busiest programs may not run on a node with a "
        "NIC of 10000 Mb/s or more, or has eight threads or more and none of them ran there",
        explanation="Everything that it sends and receives crosses the interconnect between the sockets. This matters "
        "if the program serves this NIC; work that does not use the network may stay where it is.",
        action="If it serves this NIC, run it on that node: `NUMAPolicy=` and `CPUAffinity=` in its unit, or "
        "`numactl --cpunodebind`.",
        reference="https://docs.kernel.org/admin-guide/mm/numaperf.html",
        host=_far_programs,
    ),
    Rule(
        id="cpu-saves-power",
        severity="medium",
        title="Processors save power while packets are lost",
        condition="packets are lost at a ring of a fast NIC while the governor keeps processors slow, or lets them "
        "sleep for more than 100 us with a ring that cannot be larger, or slow ones often end a round of receiving "
        "with packets left; without losses it is a note, as for a router with NICs in several networks and no battery "
        "whose processors need 1 ms or more to wake up, or may run at less than an eighth of their clock",
        explanation="A processor that sleeps or runs slowly comes too late to the ring. At 10G a ring of 512 is full "
        "within less than half a millisecond.",
        action="Use the governor performance, and limit idle states, for example with the tuned profile "
        "network-latency.",
        reference="https://docs.kernel.org/admin-guide/pm/cpuidle.html",
        host=_saving,
    ),
    Rule(
        id="cloud-allowance",
        severity="medium",
        title="The cloud throttles the instance, which has used up its allowance",
        condition="the driver has counted at least 1000 packets (100 within an interval), and one in 100000, above an "
        "allowance of the instance; one in a hundred is high, and of names and connections one in ten minutes is "
        "enough",
        explanation="Each instance type has limits for bandwidth, packets per second and connections, and bursts are "
        "allowed for a short time only. What exceeds them is queued or dropped outside the instance, whatever is set "
        "inside.",
        action="Choose a larger type or one that is optimised for networking, spread the load, or keep connections "
        "below the limit.",
        reference="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-network-performance-ena.html",
        host=_allowance,
    ),
    Rule(
        id="vxlan-checksum",
        severity="high",
        title="Encapsulated packets get a wrong checksum",
        condition="an overlay such as VXLAN, or that of Docker Swarm, lies on a NIC that computes inner checksums, and "
        "UDP has received at least 100 packets with a wrong one; a note for vmxnet3, and for kernels before Linux 5.7, "
        "which are known for it",
        explanation="The NIC, or the hypervisor behind it, fills in the checksum of the inner packet wrongly, and the "
        "other node drops it. Small packets within a node pass, and services on other nodes do not answer.",
        action="Switch off the checksum offload of the overlay's device (`ethtool -K DEVICE tx-checksum-ip-generic "
        "off`) on all nodes, or update kernel and hypervisor. Where that does not help, as with the outer checksum of "
        "some Intel E810, switch off that of the NIC (`ethtool -K NIC tx off`).",
        reference="https://github.com/flannel-io/flannel/issues/1279",
        host=_checksums,
    ),
)
