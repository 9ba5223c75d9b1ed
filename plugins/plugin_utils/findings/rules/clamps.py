# SPDX-License-Identifier: GPL-3.0-or-later
"""The size of segments that a router allows to those behind it, where its line carries less than their wire."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import HOUR, much, seldom, too_large
from ..model import Hit, Rule
from ..view import Facts, Host


def _one_only(host: Host) -> Iterator[Hit]:
    if host.flag("clamps", "ipv4") is not True or host.flag("clamps", "ipv6") is not False:
        return
    refused, since = much(host, "Ip6InTooBigErrors")
    sent, _since = host.protocol("Ip6OutForwDatagrams")
    lines = [row for row in _lines(host) if ":" in row.text("address")]
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


def _lines(host: Host) -> list[Facts]:
    """The addresses of lines by PPP."""
    rows = host.rows("addresses")
    return [row for row in rows if row.text("kind") == "ppp" or row.text("nic").startswith("ppp")]


def _none(host: Host) -> Iterator[Hit]:
    refused, since = much(host, "IpFragFails")
    now = host.number("protocols", "interval")
    line = unclamped(host)
    # Where they are many, the finding that counts them tells the same.
    if line and refused and (now or not seldom(host, refused, HOUR)) and not too_large(host):
        name, mtu = line.text("nic"), line.count("mtu")
        told = f"{refused} beside {host.protocol('IpForwDatagrams')[0]} {since}"
        evidence = {f"mtu of {name}": mtu, "MSS lowered over IPv4": "no", "packets too large for the line": told}
        yield Hit(evidence, name, action=LOWER.format(name))


def unclamped(host: Host) -> Facts | None:
    """The line by PPP that a default route of a router leaves by and for which no rule lowers the MSS over IPv4."""
    if host.flag("clamps", "ipv4") is not False or host.flag("kernel", "forwards_ipv4") is not True:
        return None
    out = {row.text("nic") for row in host.rows("default_routes")}
    lines = [row for row in _lines(host) if row.text("nic") in out and 576 <= row.count("mtu") < 1500]
    return next(iter(lines), None)


LOWER = (
    "Lower the MSS of what leaves by {0} (`iptables -t mangle -A FORWARD -o {0} -p tcp --tcp-flags SYN,RST SYN -j "
    'TCPMSS --clamp-mss-to-pmtu`, or `oifname "{0}" tcp flags syn tcp option maxseg size set rt mtu` in a chain of '
    "forward of nftables); or let the line carry 1500, where the provider can (RFC 4638: an MTU of 1508 on the NIC "
    "below)."
)
_ACTION = (
    "Lower the MSS over IPv6 as well (`ip6tables -t mangle -A FORWARD -o {0} -p tcp --tcp-flags SYN,RST SYN -j TCPMSS "
    "--clamp-mss-to-pmtu`, or the rule of nftables in a table of the family inet), or announce the MTU of the line in "
    "router advertisements (`AdvLinkMTU {1}` of radvd, `ra-param=NIC,mtu:{1},0` of dnsmasq)."
)

RULES = (
    Rule(
        id="mss-not-lowered",
        severity="low",
        title="A router does not lower the MSS to what its line carries",
        condition="a host forwards IPv4, a default route leaves by PPP with an MTU below 1500, it has rules and none "
        "lowers the MSS of connections over IPv4, and at least 1000 packets (100 within an interval), and one an hour, "
        "were too large for the line, but not one in 10000",
        explanation="Clients announce segments for the 1500 bytes of their wire. Servers whose providers filter the "
        "messages that a packet was too large then never get through: some pages and mails hang, all others work.",
        action="Lower the MSS of what leaves by the line, or let it carry 1500 bytes.",
        reference="https://man7.org/linux/man-pages/man8/iptables-extensions.8.html",
        host=_none,
    ),
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
