# SPDX-License-Identifier: GPL-3.0-or-later
"""Know by which words people look for a setting, and what to write then: for docs/settings.md and error messages."""

from __future__ import annotations

import re
from typing import NamedTuple, Tuple


class Known(NamedTuple):
    """Words for a setting, and what to write, as YAML: keys of an entry of a NIC, or variables (`tuning_...`)."""

    words: Tuple[str, ...]
    write: Tuple[str, ...]


KNOWN: Tuple[Known, ...] = (
    Known(("jumbo frames", "MTU size"), ("mtu: 9000",)),
    Known(("queue length of the link", "tx queue length", "qlen"), ("txqueuelen: 10000",)),
    Known(("BIG TCP", "packets above 64 KB"), ("gso_max_size: 185000", "gro_max_size: 185000")),
    Known(("ring buffer", "ring size", "buffer size of the NIC", "descriptors"), ("ring: {rx: max, tx: max}",)),
    Known(("number of queues", "multiqueue", "queues", "RSS queues"), ("channels: {combined: max}",)),
    Known(
        ("receive side scaling (RSS)", "symmetric hashing", "hash key", "indirection table", "rxfh"),
        ("rss: {function: toeplitz, key: symmetric, indirection: equal}",),
    ),
    Known(
        ("n-tuple filter", "flow director", "flow steering", "add an ntuple rule"),
        ("features: {ntuple: true}", "ntuple_rules: {7: {flow: tcp4, dst_port: 2049, action: 2}}"),
    ),
    Known(("large receive offload (LRO)",), ("features: {lro: false}",)),
    Known(("generic receive offload (GRO)",), ("features: {gro: false}",)),
    Known(("TCP segmentation offload (TSO)", "segmentation"), ("features: {tso: false}",)),
    Known(("checksum offload", "checksumming"), ("features: {rx: false, tx: false}",)),
    Known(("UDP GRO forwarding",), ("features: {rx-udp-gro-forwarding: true, rx-gro-list: false}",)),
    Known(("VLAN offload", "VLAN stripping"), ("features: {rxvlan: false, txvlan: false}",)),
    Known(("offloads in general", "offload", "offloads", "offloading"), ("features: {gro: false, tso: false}",)),
    Known(
        ("interrupt moderation", "interrupt coalescing", "interrupt throttling", "moderation", "ITR"),
        ("coalesce: {adaptive_rx: false, rx_usecs: 50}",),
    ),
    Known(("adaptive moderation", "dynamic interrupt moderation (DIM)"), ("coalesce: {adaptive_rx: true}",)),
    Known(("copybreak", "rx copybreak"), ("tunables: {rx_copybreak: 256}",)),
    Known(
        ("flow control", "pause frames", "802.3x", "turn off flow control"),
        ("pause: {autoneg: false, rx: false, tx: false}",),
    ),
    Known(
        ("Energy-Efficient Ethernet (EEE)", "energy efficient ethernet", "green ethernet", "802.3az"),
        ("eee: {enabled: false}",),
    ),
    Known(("link speed", "limit the speed", "advertised modes"), ("speed: {advertise: {at_most: 1000}}",)),
    Known(("autonegotiation", "auto-negotiation", "negotiation"), ("speed: {autoneg: true}",)),
    Known(("forward error correction (FEC)", "reed-solomon"), ("fec: {encoding: rs}",)),
    Known(("wake on LAN", "wake-on-lan", "magic packet", "wakeonlan"), ("wol: magic",)),
    Known(("downshift", "PHY tunables", "EDPD"), ("phy: {downshift: 'off'}",)),
    Known(("power of a transceiver", "SFP", "QSFP", "transceiver"), ("module: {power_mode_policy: high}",)),
    Known(
        ("interrupt affinity", "pin interrupts to CPUs", "smp_affinity", "CPU pinning", "interrupts", "interrupt"),
        ("irq: {affinity: 2-5, irqbalance_ban: true}",),
    ),
    Known(("turn off irqbalance", "irqbalance"), ("irq: {irqbalance: stop}",)),
    Known(("receive packet steering (RPS)", "rps_cpus"), ("irq: {rps: all}",)),
    Known(
        ("receive flow steering (RFS, aRFS)", "RFS", "aRFS"),
        ("irq: {rps_flow_cnt: 2048}", "tuning_sysctl: {net.core.rps_sock_flow_entries: 32768}"),
    ),
    Known(("transmit packet steering (XPS)", "xps_cpus"), ("irq: {xps: spread}",)),
    Known(("threaded NAPI",), ("napi: {threaded: true}",)),
    Known(
        ("GRO flush timeout", "deferred interrupts", "softirq deferral"),
        ("napi: {gro_flush_timeout: 20000, napi_defer_hard_irqs: 2}",),
    ),
    Known(("busy polling", "busy poll"), ("tuning_sysctl: {net.core.busy_poll: 50, net.core.busy_read: 50}",)),
    Known(
        ("pacing", "fair queueing (fq)", "rate limit of each flow", "qdiscs", "queueing discipline"),
        ("qdisc: {leaves: fq maxrate 1gbit}",),
    ),
    Known(
        ("limit an upload", "bufferbloat", "traffic shaping", "shaping", "upload", "rate limit of the link"),
        ("qdisc: {root: cake bandwidth 20mbit}",),
    ),
    Known(("one slow client blocks the others", "queue for each client"), ("multiq: {clients: [192.168.32.1-18]}",)),
    Known(
        ("initial congestion window", "initcwnd on the default route"),
        ("routes: {default: {initcwnd: 30, initrwnd: 30}}",),
    ),
    Known(("congestion control", "BBR"), ("tuning_sysctl: {net.ipv4.tcp_congestion_control: bbr}",)),
    Known(
        ("socket buffer", "TCP buffer", "TCP window", "bandwidth-delay product (BDP)", "BDP"),
        (
            "tuning_sysctl: {net.core.rmem_max: {at_least: {bdp: {rtt_ms: 40}}}, "
            "net.ipv4.tcp_rmem: {at_least: [4096, 131072, {bdp: {rtt_ms: 40}}]}}",
        ),
    ),
    Known(("IP forwarding", "router"), ("tuning_sysctl: {net.ipv4.ip_forward: 1, net.ipv6.conf.all.forwarding: 1}",)),
    Known(("reverse path filter", "kernel parameter of a NIC"), ("sysctl: {'net.ipv4.conf.{nic}.rp_filter': 2}",)),
    Known(("virtual functions (SR-IOV)", "SR-IOV", "VFs"), ("sriov: {vfs: 4, trust: true}",)),
    Known(("ASPM", "PCIe power saving", "active state power management"), ("pci: {l0s_aspm: false, l1_aspm: false}",)),
    Known(("maximum read request size (MRRS)", "PCIe read request", "MRRS"), ("pci: {max_read_request: 4096}",)),
    Known(
        ("option of a driver", "module option", "modprobe"),
        ("tuning_module_parameters: {e1000e.InterruptThrottleRate: 3000}",),
    ),
    Known(
        ("NICs that come later", "veth", "NICs of containers", "hot-plug"),
        ("name: veth*", "mtu: 1450", "features: {gro: true}"),
    ),
    Known(("CPU governor", "C-states", "power management"), ("tuning_tuned_profile: latency-performance",)),
)


def _spelled(word: str) -> str:
    """A word as it is compared: without what stands in brackets, and with blanks between its parts."""
    return " ".join(re.sub(r"\(.*?\)", "", word.lower()).replace("_", " ").replace("-", " ").split())


def instead(key: str) -> str:
    """`; write such as ...` for a key that is a word of people; empty for any other."""
    spelled = _spelled(key)
    for known in KNOWN:
        short = {part.lower() for word in known.words for part in re.findall(r"\((\w+)\)", word)}
        if spelled in short or spelled in map(_spelled, known.words):
            return f"; write such as {', '.join(known.write)}"
    return ""
