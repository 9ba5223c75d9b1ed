# SPDX-License-Identifier: GPL-3.0-or-later
"""The size of segments that a router allows to those behind it, where its line carries less than their wire."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import much
from ..model import Hit, Rule
from ..view import Host


def _one_only(host: Host) -> Iterator[Hit]:
    if host.flag("clamps", "ipv4") is not True or host.flag("clamps", "ipv6") is not False:
        return
    refused, since = much(host, "Ip6InTooBigErrors")
    sent, _since = host.protocol("Ip6OutForwDatagrams")
    lines = [
        row
        for row in host.rows("addresses")
        if (row.text("kind") == "ppp" or row.text("nic").startswith("ppp")) and ":" in row.text("address")
    ]
    # Who knows the MTU by router advertisements sends nothing that is too large.
    if not lines or not refused or refused * 10_000 <= sent:
        return
    nic, mtu = lines[0].text("nic"), lines[0].count("mtu")
    if 1280 <= mtu < 1500:
        evidence = {
            f"mtu of {nic}": mtu,
            "MSS lowered over IPv4": "yes",
            "MSS lowered over IPv6": "no",
            "packets of IPv6 too large for the line": f"{refused} beside {sent} {since}",
        }
        yield Hit(evidence, nic, action=_ACTION.format(nic, mtu))


_ACTION = (
    "Lower the MSS over IPv6 as well (`ip6tables -t mangle -A FORWARD -o {0} -p tcp --tcp-flags SYN,RST SYN -j TCPMSS "
    "--clamp-mss-to-pmtu`, or the rule of nftables in a table of the family inet), or announce the MTU of the line in "
    "router advertisements (`AdvLinkMTU {1}` of radvd, `ra-param=NIC,mtu:{1},0` of dnsmasq)."
)

RULES = (
    Rule(
        id="mss-not-lowered-for-ipv6",
        severity="medium",
        title="A router lowers the MSS for IPv4 alone",
        condition="a host forwards IPv6 by PPP with an MTU below 1500, has a rule that lowers the MSS of connections "
        "over IPv4 and none over IPv6, and at least 1000 packets of IPv6 (100 within an interval), and one in 10000, "
        "were too large for the line",
        explanation="Clients announce segments for the 1500 bytes of their wire. Servers whose providers filter the "
        "messages that a packet was too large then never get through: some pages and downloads hang, over IPv6 only.",
        action="Lower the MSS over IPv6 as well, or announce the MTU of the line in router advertisements.",
        reference="https://github.com/microsoft/winget-cli/issues/5269",
        host=_one_only,
    ),
)
