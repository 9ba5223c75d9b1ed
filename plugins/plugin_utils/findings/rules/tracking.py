# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections that the kernel tracks and balances: what it takes for invalid, long lists, and ports that come again."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import MINUTE, much, overflowed, seldom, squeezed
from ..model import Hit, Rule
from ..view import Host

_BUCKETS = "net.netfilter.nf_conntrack_buckets"
_LIBERAL = "net.netfilter.nf_conntrack_tcp_be_liberal"
_IDLE, _PROBES = "net.netfilter.nf_conntrack_tcp_timeout_established", "net.ipv4.tcp_keepalive_time"
_REUSE, _TRACKED = "net.ipv4.vs.conn_reuse_mode", "net.ipv4.vs.conntrack"

# Two entries for each connection, one for each way; the kernel's own is one to two in each list.
_LONG = 8
# A place in the hash table.
_BUCKET_BYTES = 8

# Before this release only a parameter of the module could (3183ab8997a4).
_WRITABLE = (4, 7)

# Since this release the first packet of a connection that comes again is not dropped (f0a5e4d7a594).
_MENDED = (5, 9)


def _invalid(host: Host) -> Iterator[Hit]:
    count, since = much(host, "nf_conntrack_invalid")
    # Where the kernel tells of TCP alone, its segments are nearly all there is.
    taken = host.protocol("IpInReceives")[0] or host.protocol("TcpInSegs")[0]
    answered, _since = host.protocol("TcpOutRsts")
    broken, _since = host.protocol("TcpEstabResets")
    if not count or not host.forwards or host.sysctl(_LIBERAL) != "0":
        return
    # One packet ends a connection of pods, beside thousands of the others.
    now, many = host.number("protocols", "interval"), count * 1000 >= max(taken, 1)
    if not many and (host.flag("kernel", "kubernetes") is not True or (not now and seldom(host, count, MINUTE))):
        return
    evidence = {
        "packets of no valid state": f"{count} of {taken} {since}",
        "resets sent": answered,
        "connections reset": broken,
        _LIBERAL: 0,
    }
    # What comes from the internet unasked is invalid too, and nobody has a connection that it could end.
    harm = many and taken and answered * 2 > count and broken * 1000 > count
    mends = {"tuning_host_sysctl": {_LIBERAL: 1}}
    yield Hit(evidence, remedy=mends if harm else {}, mends=mends, severity="" if harm else "note")


def _lists(host: Host) -> Iterator[Hit]:
    used, buckets = host.count("protocols", "fill", "conntrack_count"), host.whole(_BUCKETS)
    most, memory = host.count("protocols", "fill", "conntrack_max"), host.count("kernel", "memory_kib") * 1024
    if not buckets or used * 2 < _LONG * buckets:
        return
    desired = 1 << max(0, max(used, most) - 1).bit_length()
    # The hash table takes at most a thousandth of the memory.
    while memory and desired > 2 * buckets and desired * _BUCKET_BYTES > memory // 1000:
        desired >>= 1
    evidence = {"nf_conntrack_count": used, _BUCKETS: buckets, "entries in each list": used * 2 // buckets}
    harm = squeezed(host) or overflowed(host)
    fixed = (0, 0) < host.release < _WRITABLE
    remedy = {} if fixed else {"tuning_host_sysctl": {_BUCKETS: desired}}
    yield Hit(evidence, remedy=remedy, severity="" if harm else "note")


def _reused(host: Host) -> Iterator[Hit]:
    mended = not (0, 0) < host.release < _MENDED or ".el8" in host.text("kernel", "release")
    if mended or host.sysctl(_REUSE) != "1" or host.sysctl(_TRACKED) != "1":
        return
    retried, since = host.protocol("TcpExtTCPSynRetrans")
    opened, _since = host.protocol("TcpActiveOpens")
    harm = retried >= 1000 and retried * 100 > opened
    evidence = {
        _REUSE: 1,
        _TRACKED: 1,
        "kernel": host.text("kernel", "release"),
        **({"connections asked for again": f"{retried} of {opened} {since}"} if harm else {}),
    }
    yield Hit(evidence, remedy={"tuning_host_sysctl": {_REUSE: 0}}, severity="" if harm else "note")


def _idle(host: Host) -> Iterator[Hit]:
    forgets, probes = host.whole(_IDLE), host.whole(_PROBES)
    used, most = (host.count("protocols", "fill", f"conntrack_{name}") for name in ("count", "max"))
    if not used or not 0 < forgets < probes:
        return
    # A connection is given up when none of the probes has come back.
    patience = host.whole("net.ipv4.tcp_keepalive_probes") * host.whole("net.ipv4.tcp_keepalive_intvl")
    mends = {"tuning_host_sysctl": {_IDLE: {"at_least": probes + patience}}}
    # Entries that stay longer are more at a time.
    room = used * (probes + patience) < most * forgets
    yield Hit(
        {_IDLE: forgets, _PROBES: probes}, remedy=mends if room else {}, action="" if room else _NO_ROOM, mends=mends
    )


_NO_ROOM = (
    "More entries at a time would fill the table (nf_conntrack_max): let the hosts at both ends ask sooner "
    "(net.ipv4.tcp_keepalive_time below the timeout), which programs have to switch on (SO_KEEPALIVE)."
)

# Seconds for which IPVS remembers a connection that is silent, unless `ipvsadm --set` or kube-proxy say otherwise
# (net/netfilter/ipvs/ip_vs_proto_tcp.c); nothing can be read of it without a program.
_BALANCED = 900


def _unbalanced(host: Host) -> Iterator[Hit]:
    probes, step = host.whole(_PROBES), host.whole("net.ipv4.tcp_keepalive_intvl") or 75
    # The parameters are there once the module is loaded.
    if not host.sysctl(_TRACKED) or probes < _BALANCED:
        return
    evidence = {"IPVS": "loaded", _PROBES: probes, "IPVS forgets after": f"{_BALANCED} s, unless it is set"}
    ask = _BALANCED - 2 * min(step, _BALANCED // 6)
    yield Hit(evidence, remedy={"tuning_host_sysctl": {_PROBES: min(ask, 600)}})


RULES = (
    Rule(
        id="conntrack-invalid",
        severity="medium",
        title="Connections are reset, because the firewall takes their packets for invalid",
        condition="the host forwards, and at least 1000 packets (100 within an interval), and one in a thousand, "
        "belonged to no valid state, at least half as many resets were sent, and connections were reset; a note "
        "without those, and on a node of Kubernetes from one a minute on",
        explanation="A packet outside of the window that conntrack expects is not translated back by NAT, so it "
        "reaches somebody who does not know the connection and resets it. Large transfers through services of "
        "Kubernetes break off now and then.",
        action="Let conntrack be liberal about windows, or drop what is invalid (`-m conntrack --ctstate INVALID -j "
        "DROP`) before it is answered.",
        reference="https://github.com/kubernetes/kubernetes/issues/74839",
        host=_invalid,
    ),
    Rule(
        id="conntrack-lists-long",
        severity="medium",
        title="The hash table of tracked connections is too small for them",
        condition="its lists have eight entries and more on average, and processors run out of budget or drop packets; "
        "without those it is a note",
        explanation="nf_conntrack_max was raised and nf_conntrack_buckets was not, so each packet is compared with "
        "many entries. That takes the processors' time in softirq.",
        action="Raise nf_conntrack_buckets to about nf_conntrack_max; before Linux 4.7 that is the parameter hashsize "
        "of the module nf_conntrack.",
        reference="https://docs.kernel.org/networking/nf_conntrack-sysctl.html",
        host=_lists,
    ),
    Rule(
        id="ipvs-connection-reuse",
        severity="medium",
        title="IPVS drops the first packet of connections whose port comes again",
        condition="before Linux 5.9, net.ipv4.vs.conn_reuse_mode and net.ipv4.vs.conntrack are 1, and one of a hundred "
        "requests for a connection was sent again; without that it is a note",
        explanation="A client that opens many connections takes its ports again while the old entry is still there, "
        "and the packet is dropped until it is sent again a second later. Services of Kubernetes answer after one "
        "second under load.",
        action="Use Linux 5.9 or later; until then set it to 0, which sends returning clients to the same server even "
        "when that is to go.",
        reference="https://github.com/kubernetes/kubernetes/issues/70747",
        host=_reused,
    ),
    Rule(
        id="ipvs-forgets-idle",
        severity="note",
        title="IPVS forgets idle connections before keepalive asks whether they live",
        condition="the module ip_vs is loaded, and net.ipv4.tcp_keepalive_time is 900 or more",
        explanation="IPVS, by which kube-proxy in that mode, Docker Swarm and keepalived balance, forgets a connection "
        "that was silent for 15 minutes, without a word. The next request of a pool is then reset or lost, and works "
        "when it is repeated.",
        action="Let keepalive ask sooner on the hosts and in the containers (each pod has a value of its own), and let "
        "programs switch it on (SO_KEEPALIVE); or let IPVS wait longer (`ipvs.tcpTimeout` of kube-proxy, "
        "`ipvsadm --set 7500 120 300`).",
        reference="https://github.com/kubernetes/kubernetes/issues/71358",
        host=_unbalanced,
    ),
    Rule(
        id="conntrack-forgets-idle",
        severity="note",
        title="Idle connections are forgotten before keepalive asks whether they live",
        condition="connections are tracked, and net.netfilter.nf_conntrack_tcp_timeout_established is below "
        "net.ipv4.tcp_keepalive_time of the same host",
        explanation="Where a connection was silent for longer, its next packet belongs to none that NAT or firewall "
        "know. Sessions of SSH, databases and message queues hang or are reset after a pause.",
        action="Let entries stay until keepalive has had its answer, as RFC 5382 asks of every NAT; IPVS has a limit "
        "of its own, 15 minutes (`ipvsadm -l --timeout`).",
        reference="https://www.rfc-editor.org/rfc/rfc5382#section-5",
        host=_idle,
    ),
)
