# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections that a cloud forgets while they are idle, before the host asks whether they still live."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import much
from ..model import Hit, Rule, sysctl_remedy
from ..view import Host

_TIME, _STEP = "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_keepalive_intvl"
# Seconds by the driver of each cloud: NAT gateways and network load balancers of AWS
# (docs.aws.amazon.com/elasticloadbalancing/latest/network/update-idle-timeout.html); load balancers of Azure
# (learn.microsoft.com/azure/load-balancer/load-balancer-tcp-reset); the firewall of Google's VPC.
# Hyper-V has this driver outside of that cloud as well, where nothing else tells the two apart.
_HYPER_V = "Azure, if this guest is there,"
_FORGET = {"ena": ("AWS", 350), "hv_netvsc": (_HYPER_V, 240), "mana": ("Azure", 240), "gve": ("Google", 600)}


def _forgotten(host: Host) -> Iterator[Hit]:
    found = [_FORGET[nic.driver] for nic in host.nics if nic.driver in _FORGET]
    keeps, step = host.whole(_TIME), host.whole(_STEP)
    if not found or not keeps:
        return
    cloud, seconds = found[0]
    ended, since = much(host, "TcpExtTCPAbortOnTimeout")
    # Who never answered at all was not forgotten.
    ended -= min(ended, host.protocol("TcpAttemptFails")[0])
    opened = host.protocol("TcpActiveOpens")[0] + host.protocol("TcpPassiveOpens")[0]
    if keeps < seconds or ended < 100 or ended * 100 < opened:
        return
    evidence = {
        "connections given up after silence": f"{ended} of {opened} {since}",
        _TIME: keeps,
        f"{cloud} forgets after": f"{seconds} s",
    }
    # Time for two questions; the kernel repeats one after `step` seconds.
    ask = seconds - 2 * min(step or 75, seconds // 4)
    yield Hit(evidence, remedy=sysctl_remedy(net__ipv4__tcp_keepalive_time=ask))


RULES = (
    Rule(
        id="cloud-forgets-idle",
        severity="note",
        title="The cloud forgets idle connections before keepalive asks",
        condition="a guest of AWS, Azure (or of Hyper-V elsewhere) or Google has given up at least 1000 connections "
        "(100 within an interval), and one in a hundred, because nobody answered any more, and "
        "net.ipv4.tcp_keepalive_time is longer than the time after which NAT gateways and load balancers there forget "
        "them",
        explanation="They drop a connection that was idle for some minutes, mostly without a word. The next request, "
        "such as that of a pool of database connections, then waits for minutes and fails.",
        action="Ask sooner, and let programs switch keepalive on (SO_KEEPALIVE, `tcp_keepalives_idle` of PostgreSQL), "
        "for without that the kernel asks nobody.",
        reference="https://docs.aws.amazon.com/elasticloadbalancing/latest/network/update-idle-timeout.html",
        host=_forgotten,
        proven=True,
    ),
)
