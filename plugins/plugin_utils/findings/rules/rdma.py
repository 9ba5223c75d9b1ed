# SPDX-License-Identifier: GPL-3.0-or-later
"""RDMA: links of InfiniBand that are not what they could be, and Ethernet that loses what RDMA sends over it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Facts, Host

_PAGE = "https://docs.kernel.org/admin-guide/abi-stable.html"

# What a link repairs or discards; a good one does so when a cable is touched.
_DAMAGE = {
    "port_rcv_errors": "packets received with an error",
    "link_error_recovery": "times the link had to be trained again",
    "local_link_integrity_errors": "times the errors of the link exceeded its threshold",
}
# What the sender of RDMA found missing, by the names of mlx5_ib and bnxt_re.
_AGAIN = {
    "packet_seq_err": "packets that the other end missed",
    "implied_nak_seq_err": "answers that were missed",
    "local_ack_timeout_err": "times no answer came",
    "seq_err_naks_rcvd": "packets that the other end missed",
    "to_retransmits": "times no answer came",
}
# On the side that receives; adaptive routing makes some as well, so they prove nothing by themselves.
_OUT_OF_ORDER = ("out_of_sequence", "oos_drop_count")


def _where(port: Facts) -> dict[str, str]:
    return {"port": f"{port.text('device')}/{port.text('port')}", "rate": port.text("rate")}


def _infiniband(host: Host) -> list[Facts]:
    return [port for port in host.rows("rdma") if port.text("layer") == "InfiniBand"]


def _narrow(host: Host) -> Iterator[Hit]:
    for port in _infiniband(host):
        # No card is made for one lane; two are what a split cable leaves.
        if re.search(r"\(1X\b", port.text("rate")):
            yield Hit(_where(port), port.text("nic"))


def _damaged(host: Host) -> Iterator[Hit]:
    hours = (host.number("kernel", "uptime") or 0) / 3600
    for port in _infiniband(host):
        found = {about: port.count("counts", name) for name, about in _DAMAGE.items()}
        # A neighbour that boots leaves some hundred; what comes less than once an hour is not felt.
        if sum(found.values()) >= max(1000, hours):
            more = {
                "symbol errors": port.count("counts", "symbol_error"),
                "link lost": port.count("counts", "link_downed"),
            }
            evidence = {**_where(port), **{about: count for about, count in {**found, **more}.items() if count}}
            yield Hit(evidence, port.text("nic"))


def _lost(host: Host) -> Iterator[Hit]:
    hours = (host.number("kernel", "uptime") or 0) / 3600
    for port in host.rows("rdma"):
        again = {name: port.count("counts", name) for name in _AGAIN}
        total, sent = sum(again.values()), port.count("counts", "port_xmit_packets")
        if port.text("layer") != "Ethernet" or total < max(1000, hours) or total * 100_000 < sent:
            continue
        nic = host.nic(port.text("nic"))
        pause = {way: nic.value("pause", way) for way in ("rx", "tx")} if nic else {}
        evidence = {
            **_where(port),
            **{about: f"{again[name]} ({name})" for name, about in _AGAIN.items() if again[name]},
            **{name: port.count("counts", name) for name in _OUT_OF_ORDER if port.count("counts", name)},
            **({"packets sent": sent} if sent else {}),
            **{f"pause {way}": "on" if on else "off" for way, on in pause.items() if isinstance(on, bool)},
        }
        yield Hit(evidence, port.text("nic"))


def _datagram(host: Host) -> Iterator[Hit]:
    for port in _infiniband(host):
        nic, rate = host.nic(port.text("nic")), re.match(r"(\d{1,4})", port.text("rate"))
        # mlx5 moves datagrams by many queues and with offloads, and has no connected mode.
        if not nic or port.text("mode") != "datagram" or port.text("device").startswith("mlx5") or not rate:
            continue
        if 0 < nic.count("mtu") <= 2044 and int(rate[1]) >= 20:
            yield Hit({**_where(port), "mode": "datagram", "mtu": nic.count("mtu")}, nic.name)


RULES = (
    Rule(
        id="infiniband-one-lane",
        severity="high",
        title="A link of InfiniBand uses one lane",
        condition="the rate of an active port of InfiniBand says 1X",
        explanation="Such a link has four lanes, and falls back to one when a contact or a fibre of the cable is bad. "
        "It works, at a quarter of its rate, and slows down all nodes of a job.",
        action="Plug the cable in again at both ends, then replace it; `iblinkinfo` and `ibportstate` show both sides.",
        reference=_PAGE,
        host=_narrow,
    ),
    Rule(
        id="infiniband-link-damaged",
        severity="medium",
        title="A link of InfiniBand damages packets",
        condition="a port of InfiniBand has received packets with errors, was trained again, or exceeded its threshold "
        "of errors, a thousand times in all and once an hour of uptime",
        explanation="Nothing is lost on InfiniBand for lack of room, so each of these is a bad signal. The link stops "
        "while it is trained again, and what was damaged is sent again after a timeout.",
        action="Clean and reseat the cable, then replace it; clear the counters (`perfquery -R`) and see whether they "
        "grow on this side or on that of the switch.",
        reference=_PAGE,
        host=_damaged,
    ),
    Rule(
        id="rdma-packets-lost",
        severity="medium",
        title="RDMA over Ethernet loses packets",
        condition="at least 1000 packets of RDMA over Ethernet, one an hour of uptime and one in 100000 of all that "
        "were sent, were missed by the other end or not answered",
        explanation="RDMA takes the network for lossless: after one lost packet it sends everything since then again, "
        "or waits for a timeout. It is then slower than TCP.",
        action="Give its priority a lossless path: flow control for it (PFC by `dcb pfc` or `mlnx_qos`, or pause "
        "frames) and ECN, at this NIC and at each port of the switches, with the same mapping of DSCP or VLAN "
        "priorities; then see CRC errors on the way.",
        reference="https://github.com/bytedance/byteps/issues/179",
        host=_lost,
        switch=True,
    ),
    Rule(
        id="ipoib-datagrams",
        severity="note",
        title="IP over InfiniBand sends small packets",
        condition="IPoIB runs in datagram mode with an MTU of 2044 or less on a link of 20 Gb/s or more, with a card "
        "that has the connected mode",
        explanation="The processor handles each packet, and 2044 bytes are few for this rate. In connected mode a "
        "packet has up to 65520 bytes; with many nodes that takes more memory.",
        action="Where IP is too slow, use connected mode and an MTU of 65520 on all nodes alike (`ipoib.mode` of "
        "NetworkManager, or /sys/class/net/NIC/mode), or a subnet of InfiniBand with an MTU of 4096.",
        reference="https://docs.kernel.org/infiniband/ipoib.html",
        host=_datagram,
    ),
)
