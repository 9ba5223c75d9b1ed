# SPDX-License-Identifier: GPL-3.0-or-later
"""Services whose fixed ports the kernel gives to outgoing connections."""

from __future__ import annotations

from collections.abc import Iterator

from ....module_utils.tools.fixed_ports import SERVICES
from ..model import Hit, Rule, sysctl_remedy
from ..view import Host

_RANGE, _RESERVED = "net.ipv4.ip_local_port_range", "net.ipv4.ip_local_reserved_ports"


def _exposed(host: Host) -> Iterator[Hit]:
    span, reserved = host.vector(_RANGE), _ports(host.sysctl(_RESERVED))
    listening = set(host.numbers("limits", "fixed_ports"))
    taken = {row.count("port"): row.text("to") for row in host.rows("sockets", "fixed_ports_taken")}
    if len(span) != 2 or reserved is None:
        return
    for service, ports in SERVICES.items():
        open_to_all = [port for port in ports if span[0] <= port <= span[1] and port not in reserved]
        own = sorted(listening & set(open_to_all))
        if not own:
            continue
        # The service cannot start on a port that another program has for the moment.
        lost = {f"port {port} taken by a connection to": taken[port] for port in sorted(set(taken) & set(open_to_all))}
        lost = {name: peer for name, peer in lost.items() if int(name.split()[1]) not in listening}
        evidence = {
            f"{service} listens on": ", ".join(map(str, own)),
            _RANGE: host.sysctl(_RANGE),
            _RESERVED: host.sysctl(_RESERVED) or "none",
            **lost,
        }
        best = ",".join(map(str, sorted(reserved | set(open_to_all))))
        remedy = sysctl_remedy(net__ipv4__ip_local_reserved_ports=best) if len(reserved) <= _FEW else {}
        yield Hit(evidence, remedy=remedy, severity="medium" if lost else "")


# Ports that are written one by one; who has reserved more has written ranges, and adds to these by himself.
_FEW = 64


def _ports(text: str) -> set[int] | None:
    """The ports of a list such as 8080,9000-9010; None if it is none."""
    found: set[int] = set()
    for part in text.replace(" ", "").split(",") if text.strip() else ():
        first, _dash, last = part.partition("-")
        if not first.isdecimal() or (last and not last.isdecimal()) or len(first) > 5 or len(last) > 5:
            return None
        found.update(range(int(first), int(last or first) + 1))
    return found


RULES = (
    Rule(
        id="service-port-in-local-range",
        severity="note",
        title="An outgoing connection may take the port of a service",
        condition="a service of Hadoop 2, HBase, ClickHouse Keeper or Jenkins listens on its fixed port, which is in "
        "net.ipv4.ip_local_port_range and not in ip_local_reserved_ports; medium where an outgoing connection has "
        "another one of its ports, on which nobody listens",
        explanation="The kernel picks the own port of an outgoing connection from that range, and knows nothing of "
        "services that are not running yet. After a restart one of them then fails now and then with `Address already "
        "in use`, as long as that connection lasts.",
        action="Reserve the ports; where one is taken, restart the program that has it (`ss -tnp sport = :PORT`), then "
        "the service.",
        reference="https://github.com/microsoft/pai/issues/1160",
        host=_exposed,
    ),
)
