# SPDX-License-Identifier: GPL-3.0-or-later
"""Name servers: one that does not answer holds up all that begins with a name."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host


def _silent(host: Host) -> Iterator[Hit]:
    servers, silent = host.words("nameservers", "servers"), host.texts("nameservers", "silent")
    turns = host.flag("nameservers", "rotate") is True
    # The router serves names as well in small networks, and a gateway that is gone has a finding of its own.
    ways = {row.text("gateway") for row in host.rows("default_routes") if row.flag("silent") is True}
    dead = [server for server in servers if server in silent and server not in ways]
    # Of those that come later nobody takes notice, unless each is asked in turn.
    if not dead or not (turns or servers[0] in dead):
        return
    told = {f"nameserver {server}": f"does not say its MAC at {silent[server]}" for server in dead}
    evidence = {
        **told,
        "nameservers": ", ".join(servers),
        "a look-up waits": f"{host.count('nameservers', 'timeout')} s",
    }
    yield Hit(evidence, silent[dead[0]], severity="high" if len(dead) == len(set(servers)) else "")


def _in_vain(host: Host) -> Iterator[Hit]:
    number, late = (host.count("nameservers", "resolved", name) for name in ("transactions", "timeouts"))
    if late >= 100 and late * 20 >= number:
        yield Hit({"names asked for": number, "nobody answered": f"{late} times since systemd-resolved began"})


RULES = (
    Rule(
        id="name-server-timeouts",
        severity="note",
        title="systemd-resolved often waits for name servers that do not answer",
        condition="it had at least 100 timeouts, and one for 20 names that it was asked for",
        explanation="A server that does not answer, or not what it is asked (DNSSEC, DNS over TLS), is asked again "
        "with less, and then the next one, which takes seconds each time. Names of the own link that nobody has "
        "(LLMNR, mDNS) count as well.",
        action="`resolvectl status` tells the servers of each NIC: ask each of them (`dig @SERVER example.org`), and "
        "take out those that do not answer. Where they do, set DNSSEC, DNSOverTLS and LLMNR to no in resolved.conf.",
        reference="https://github.com/systemd/systemd/issues/25294",
        host=_in_vain,
    ),
    Rule(
        id="nameserver-silent",
        severity="medium",
        title="Each look-up of a name waits for a name server that is gone",
        condition="within the last minute the kernel got no answer when it asked for the MAC of a name server on an "
        "own link, which is the first of resolv.conf, or one of several that take turns (rotate); high where all are "
        "like that",
        explanation="A program that looks up a name asks the first server, waits until its time is over, and asks the "
        "next, again for each name. Logins, mounts and connections begin that much later, while the network itself is "
        "fast.",
        action="Start the server, or take its address out where it comes from: `resolvectl status` or `nmcli -f "
        "ipv4.dns connection show NAME` tell, else it is the DHCP server or the file itself. Until then `options "
        "timeout:1` in resolv.conf makes each wait shorter.",
        reference="https://man7.org/linux/man-pages/man5/resolv.conf.5.html",
        host=_silent,
    ),
)
