# SPDX-License-Identifier: GPL-3.0-or-later
"""Judge kernel parameters (by the table in parameters.py) and features that guides hand down."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import List

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import nearest

from ...parameters import VERDICTS
from ...verdict import Release, Verdict
from ..model import NO_EFFECT, NOTE, OTHER_TOOL
from . import kernel_names

NEWEST: Release = (999, 0)

# Parameters of this host that are no matter of its network.
FOREIGN = ("kernel.", "vm.", "fs.", "dev.", "user.", "debug.", "abi.", "crypto.")

CONGESTION = (
    *("reno", "cubic", "bbr", "bbr2", "bbr3", "htcp", "vegas", "westwood", "illinois", "bic", "hybla", "yeah", "veno"),
    *("highspeed", "lp", "scalable", "dctcp", "cdg", "nv"),
)
# Those of net/sched of the kernel.
_QDISCS_TEXT = """
bfifo bpf cake cake_mq cbs choke codel drr dualpi2 etf ets fq fq_codel fq_pie gred hfsc hhf htb mq mqprio multiq netem
noqueue pfifo pfifo_fast pfifo_head_drop pie plug prio qfq red sfb sfq skbprio taprio tbf
"""
_QDISCS = tuple(_QDISCS_TEXT.split())
# Queueing disciplines with a limit of their own, which do not look at txqueuelen.
OWN_LIMIT = ("fq", "fq_codel", "cake", "fq_pie", "sfq")

# What `ethtool -k` can show, by net/ethtool/common.c of the kernel; another name is refused by ethtool.
_FEATURES = """
tx-scatter-gather tx-checksum-ipv4 tx-checksum-ip-generic tx-checksum-ipv6 highdma tx-scatter-gather-fraglist
tx-vlan-hw-insert rx-vlan-hw-parse rx-vlan-filter tx-vlan-stag-hw-insert rx-vlan-stag-hw-parse rx-vlan-stag-filter
vlan-challenged tx-generic-segmentation tx-lockless netns-local rx-gro rx-gro-hw rx-lro tx-tcp-segmentation
tx-gso-robust tx-tcp-ecn-segmentation tx-tcp-accecn-segmentation tx-tcp-mangleid-segmentation tx-tcp6-segmentation
tx-fcoe-segmentation tx-gre-segmentation tx-gre-csum-segmentation tx-ipxip4-segmentation tx-ipxip6-segmentation
tx-ipip-segmentation tx-sit-segmentation tx-udp_tnl-segmentation tx-udp_tnl-csum-segmentation tx-gso-partial
tx-tunnel-remcsum-segmentation tx-sctp-segmentation tx-esp-segmentation tx-udp-segmentation tx-gso-list
tx-udp-fragmentation tx-checksum-fcoe-crc tx-checksum-sctp fcoe-mtu rx-ntuple-filter rx-hashing rx-checksum
tx-nocache-copy loopback rx-fcs rx-all l2-fwd-offload hw-tc-offload esp-hw-offload esp-tx-csum-hw-offload
rx-udp_tunnel-port-offload tls-hw-tx-offload tls-hw-rx-offload tls-hw-record rx-gro-list macsec-hw-offload
rx-udp-gro-forwarding hsr-tag-ins-offload hsr-tag-rm-offload hsr-fwd-offload hsr-dup-offload
"""
FEATURES = tuple(_FEATURES.split())


# The folders of /proc/sys.
_ROOTS = frozenset(
    ["net", "kernel", "vm", "fs", "dev", "user", "debug", "abi", "crypto", "sunrpc", "fscache", "xen", "lnet", "sched"]
)
# The folders below net of other systems.
_OF_BSD = ("inet", "inet6", "local", "link", "isr", "raw", "pf", "bpf", "wlan")
# What net/ipv4/devinet.c of the kernel has for each NIC.
_IPV4_CONF = """
accept_local accept_redirects accept_source_route arp_accept arp_announce arp_evict_nocarrier arp_filter arp_ignore
arp_notify bc_forwarding bootp_relay disable_policy disable_xfrm drop_gratuitous_arp drop_unicast_in_l2_multicast
force_igmp_version forwarding igmpv2_unsolicited_report_interval igmpv3_unsolicited_report_interval
ignore_routes_with_linkdown log_martians mc_forwarding medium_id promote_secondaries proxy_arp proxy_arp_pvlan
route_localnet rp_filter secure_redirects send_redirects shared_media src_valid_mark tag
"""


def misnamed(key: str) -> str:
    """Why a kernel cannot have a parameter of this name; empty where it can."""
    parts = key.split(".")
    if parts[0] in ("kern", "hw"):
        return f"parameters of {parts[0]} are of BSD and macOS; Linux has none"
    if parts[0] not in _ROOTS:
        other = "; a parameter of a kernel module belongs into tuning_host_module_parameters" if len(parts) == 2 else ""
        return f"/proc/sys has no '{parts[0]}'{other}"
    if parts[0] == "net" and parts[1:2] and parts[1] in _OF_BSD:
        return f"net.{parts[1]} is of BSD and macOS; Linux has no such parameter"
    slip = kernel_names.meant(key)
    if slip:
        return f"the kernel has no such parameter; did you mean '{slip}'?"
    known = _IPV4_CONF.split()
    if parts[:3] == ["net", "ipv4", "conf"] and len(parts) == 5 and parts[4] not in known:
        # A later kernel may have others, so only what is almost one of these is a slip.
        hint = nearest(parts[4], known, otherwise=False)
        return f"the kernel has no such parameter{hint}" if hint else ""
    return ""


def release(text: str) -> Release:
    """(6, 1) of `6.1.0-25-amd64`; the newest when nothing is said."""
    parts = text.split(".")
    if len(parts) < 2 or not parts[0].isdecimal():
        return NEWEST
    minor = "".join(char for char in parts[1] if char.isdecimal())
    return int(parts[0]), int(minor or 0)


def of_parameter(key: str, value: str, kernel: Release) -> List[Verdict]:
    """What there is to say of a kernel parameter; the first is the one that counts."""
    words = value.split()
    numbers = [int(word) for word in words if word.lstrip("-").isdecimal()]
    found = [
        verdict
        for verdict in VERDICTS
        if kernel >= verdict.since
        and any(fnmatchcase(key, pattern) for pattern in verdict.keys)
        and (verdict.when is None or (len(numbers) == len(words) and verdict.when(numbers)))
    ]
    if key.startswith(FOREIGN) and not found:
        found = [Verdict((key,), OTHER_TOOL, "it is no parameter of the network")]
    foreign = kernel_names.unknown(key) if not found else ""
    if foreign:
        found = [Verdict((key,), NOTE, foreign)]
    if key == "net.core.default_qdisc" and value not in _QDISCS:
        hint = nearest(value, _QDISCS, otherwise=False)
        text = f"the kernel knows no queueing discipline '{value}' and refuses it{hint}"
        return [Verdict((key,), NO_EFFECT, text)]
    unlike = strange_congestion_control(value) if key == "net.ipv4.tcp_congestion_control" else ""
    return [Verdict((key,), NO_EFFECT, unlike)] if unlike else found


def strange_congestion_control(name: str) -> str:
    """Why the kernel refuses the name of a congestion control, be it that of all connections or of a route."""
    if name in CONGESTION:
        return ""
    hint = "; meant is bbr" if sorted(name) == sorted("bbr") else nearest(name, CONGESTION, otherwise=False)
    return f"the kernel knows no congestion control '{name}' and refuses it{hint}"
