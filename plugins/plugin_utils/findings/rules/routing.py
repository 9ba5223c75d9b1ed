# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host with several ways decides about packets: ARP, tunnels, and which way answers take."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_interface
from itertools import permutations

from ..harm import much
from ..model import Hit, Rule
from ..view import Facts, Host
from ..wires import kind

_IGNORE, _ANNOUNCE = "net.ipv4.conf.all.arp_ignore", "net.ipv4.conf.all.arp_announce"
_ARP_FILTER = "net.ipv4.conf.all.arp_filter"

# What a tunnel puts around a packet over IPv4: the outer headers down to the inner packet.
_AROUND = {"wireguard": 60, "vxlan": 50, "geneve": 50, "gretap": 38, "gre": 24, "ipip": 20, "sit": 20}
# Their MTU is that of the wire; what they send is kept smaller by routes of their own.
_ROUTED = ("cilium_",)


def _tunnels(host: Host) -> Iterator[Hit]:
    ways = _ways_out(host)
    served = {row.text("nic") for row in host.rows("tunnels") if row.text("kind") == "tun"}
    for row in _wrapping(host) if ways else []:
        name, told = row.text("nic"), kind(row)
        around = _AROUND.get(told, 0)
        cut, cut_6 = _fragmented(host, "Ip"), _fragmented(host, "Ip6")
        # A program may keep segments of TCP small by itself (mssfix), and only fragments tell that it does not.
        if name in served and cut and row.count("mtu") > max(ways) - _PROGRAM:
            evidence = {f"mtu of {name}": row.count("mtu"), "kind": "tun", "largest mtu below": max(ways)}
            # What else the host has cut, nobody tells from it.
            yield Hit({**evidence, **cut}, name, severity="note", action=_SERVED)
            continue
        fits = max(ways) - around
        # Nothing tells by which protocol the other end is reached but what is cut on the way to it.
        six = told in _OVER_BOTH and bool(cut_6) and row.count("mtu") <= fits
        # Cilium keeps packets small by routes, but not those of WireGuard.
        if name.startswith(_ROUTED) and told != "wireguard":
            continue
        if around and row.count("mtu") > fits - six * _LONGER:
            evidence = {f"mtu of {name}": row.count("mtu"), "kind": told, "largest mtu below": max(ways)}
            cut = cut_6 if six else cut
            action = _SIX.format(name, fits - _LONGER) if six else _fitting(name, told, max(ways))
            yield Hit({**evidence, **cut}, name, severity="medium" if cut else "", action=action)
        elif around and cut and row.count("mtu") > min(ways) - around:
            # Of several networks it may be the smaller one through which the other ends are reached.
            smaller = _busiest(host) == min(ways)
            evidence = {f"mtu of {name}": row.count("mtu"), "kind": told, "smallest mtu below": min(ways)}
            action = _fitting(name, told, min(ways))
            yield Hit({**evidence, **cut}, name, severity="medium" if smaller else "", action=action)
        elif cut and (around or name in served):
            yield from _through_another(host, row, served, cut)


def _through_another(host: Host, row: Facts, served: set[str], cut: dict[str, str]) -> Iterator[Hit]:
    """A tunnel may go through another one that carries less, such as WireGuard through that of Tailscale."""
    name, mtu = row.text("nic"), row.count("mtu")
    others = [each for each in _wrapping(host) if each.text("nic") in served or each.text("kind") == "wireguard"]
    smaller = [(each.count("mtu"), each.text("nic")) for each in others if 0 < each.count("mtu") < mtu]
    if smaller:
        least, outer = min(smaller)
        fits = least - _AROUND.get(row.text("kind"), _AROUND["wireguard"])
        evidence = {f"mtu of {name}": mtu, "kind": row.text("kind"), f"mtu of {outer}": least, **cut}
        yield Hit(evidence, name, severity="note", action=_INSIDE.format(name, outer, fits))


_INSIDE = (
    "If the other end of {0} is reached through {1}, lower the MTU of {0} to {2}: what does not fit is cut into "
    "fragments there, and one lost fragment loses the packet."
)


def _wrapping(host: Host) -> list[Facts]:
    """The devices with addresses, and tunnels of WireGuard without one."""
    rows = host.rows("addresses")
    known = {row.text("nic") for row in rows}
    bare = (row for row in host.rows("tunnels") if row.text("kind") == "wireguard")
    return [*rows, *(row for row in bare if row.text("nic") not in known)]


def _busiest(host: Host) -> int:
    """The MTU of the link with most of the packets."""
    links = [(nic.packets, nic.count("mtu")) for nic in host.nics if nic.linked and nic.count("mtu")]
    return max(links, default=(0, 0))[1]


_SIX = (
    "Lower the MTU of {0} to {1}: its packets are cut over IPv6, whose own header has 20 bytes more than that of IPv4."
)


def _ways_out(host: Host) -> list[int]:
    """What the links carry by which packets leave: less than the wire where the host dials in by PPP."""
    dialled = {
        row.text("nic"): row.count("mtu")
        for row in host.rows("addresses")
        if row.text("kind") == "ppp" or row.text("nic").startswith("ppp")
    }
    out = {row.text("nic") for row in host.rows("default_routes")}
    if out and out <= dialled.keys():
        return [mtu for name, mtu in dialled.items() if name in out and mtu]
    return [nic.count("mtu") for nic in host.nics if nic.linked and nic.count("mtu")]


def _fitting(tunnel: str, kind: str, below: int) -> str:
    """What fits through a tunnel: its headers over IPv4, or over IPv6, whose own header has 20 bytes more."""
    fits = below - _AROUND[kind]
    if fits < _LEAST_OF_IPV6:
        return f"Raise the MTU below: through {tunnel} fit {max(fits, 0)} bytes, and IPv6 needs {_LEAST_OF_IPV6}."
    six = f", or to {fits - _LONGER} if its other end is reached over IPv6" if kind in _OVER_BOTH else ""
    return (
        f"Lower the MTU of {tunnel} to {fits}{six}; to less where the path carries less than the link (PPPoE takes 8 "
        "bytes)."
    )


_LONGER = 20
# The others have kinds of their own over IPv6, such as ip6gre.
_OVER_BOTH = ("wireguard", "vxlan", "geneve")
_LEAST_OF_IPV6 = 1280


# IPv4, UDP and the least that OpenVPN puts around a packet.
_PROGRAM = 50
_SERVED = (
    "Let the program send packets that fit: `mssfix` for TCP, and a smaller `tun-mtu` for all else, in the "
    "configuration of OpenVPN (both ends); others have an MTU to set."
)


def _fragmented(host: Host, protocol: str) -> dict[str, str]:
    """The packets that the host itself has cut into fragments, where they are many and one in a thousand."""
    cut, since = much(host, f"{protocol}FragOKs")
    if protocol == "Ip":
        sent = host.protocol("IpForwDatagrams")[0] + host.protocol("UdpOutDatagrams")[0]
    else:
        sent = host.protocol("Ip6OutRequests")[0]
    return {"packets cut into fragments": f"{cut} beside {sent} {since}"} if cut * 1000 > sent else {}


def _flux(host: Host) -> Iterator[Hit]:
    told = [host.sysctl(key) for key in (_IGNORE, _ARP_FILTER)]
    if told[0] != "0" or told[1] not in ("0", ""):
        return
    remedy = {"tuning_host_sysctl": {_IGNORE: 1, _ANNOUNCE: 2}}
    usual = shared_subnets(host)
    for network, members in sorted(shared_subnets(host, wireless=True).items()):
        crossed = _crossed(host, [name for name, _address in members])
        if crossed or network in usual:
            evidence = {"subnet": network, **dict(members if crossed else usual[network]), _IGNORE: 0, **crossed}
            action, severity = (_CROSSED, "medium") if crossed else ("", "")
            yield Hit(evidence, remedy=remedy, action=action, severity=severity)


def _crossed(host: Host, names: list[str]) -> dict[str, str]:
    """Within an interval one NIC only sends, and another one only receives: neighbours have the wrong MAC."""
    nics = [nic for nic in map(host.nic, names) if nic and nic.real and nic.number("counters", "interval")]
    for out, back in permutations(nics, 2):
        (sent, since), (answered, _since) = out.counted("tx_packets"), back.counted("tx_packets")
        if min(sent, back.packets) >= 1000 and out.packets * 100 < sent and answered * 100 < back.packets:
            return {
                f"by {out.name}": f"{sent} packets sent, {out.packets} received {since}",
                f"by {back.name}": f"{answered} packets sent, {back.packets} received {since}",
            }
    return {}


_CROSSED = (
    "What is sent by one NIC is answered by way of the other: let each answer for its own addresses (the router learns "
    "it within minutes), or take one of them down, such as Wi-Fi while the cable is in. If the peers do ask for the "
    "address of the NIC that receives, only the latter helps."
)


def shared_subnets(host: Host, *, wireless: bool = False) -> dict[str, list[tuple[str, str]]]:
    """By subnet of IPv4 the NICs with an address in it, where two or more have no hardware in common."""
    found: dict[str, dict[str, tuple[str, set[str]]]] = {}
    for row in host.rows("addresses"):
        nic, hardware = row.text("nic"), set(row.words("hardware"))
        network = subnet(row.text("address"))
        # What has no hardware is no wire, and a laptop has its cable and its Wi-Fi at once.
        if network and hardware and (wireless or not any(name.startswith("wl") for name in hardware)):
            found.setdefault(network, {}).setdefault(nic, (row.text("address"), hardware))
    shared = {}
    for network, members in found.items():
        apart = [
            nic
            for nic, (_address, own) in members.items()
            if not any(own & other for name, (_other, other) in members.items() if name != nic)
        ]
        if len(apart) > 1:
            shared[network] = [(nic, members[nic][0]) for nic in sorted(apart)]
    return shared


def subnet(address: str) -> str:
    """The network of an address of IPv4; empty of one alone, and of what is wider than a /8."""
    try:
        network = ip_interface(address).network
    except ValueError:
        return ""
    return str(network) if network.version == 4 and 1 < network.num_addresses < 1 << 24 else ""


# So many half-open connections at once are no accident.
_WAITING = 10


def _elsewhere(host: Host) -> Iterator[Hit]:
    ways = {row.text("nic"): row.count("metric") for row in reversed(host.rows("default_routes"))}
    best = min(ways.values(), default=0)
    used = [nic for nic, metric in ways.items() if metric == best]
    waiting = {row.text("nic"): row.count("waiting") for row in host.rows("half_open")}
    for nic in sorted(waiting):
        # By a flood of requests the NIC in use has as many.
        first = sum(waiting.get(name, 0) for name in used)
        if nic not in used and waiting[nic] >= _WAITING and waiting[nic] > 10 * first:
            evidence = {
                "default routes": {name: f"metric {metric}" for name, metric in sorted(ways.items())},
                "rules of routing": "none",
                f"half-open connections at {nic}": waiting[nic],
                "at the NIC of the best route": first,
            }
            yield Hit(evidence, nic)


RULES = (
    Rule(
        id="arp-flux",
        severity="note",
        title="Two NICs in one subnet answer for each other",
        condition="two NICs that share no hardware have addresses of the same subnet of IPv4, and the host answers "
        "ARP requests for any of its addresses on any of its NICs; medium, and with Wi-Fi as well, where within an "
        "interval one of them sent at least 1000 packets and received less than a hundredth of that, while the other "
        "one received at least 1000 and sent less than a hundredth",
        explanation="Linux answers for all its addresses on each NIC, so neighbours send to whichever MAC answered "
        "last. Packets then arrive through the wrong cable, and an address may become unreachable when the other "
        "cable fails.",
        action="Let each NIC answer for its own addresses; or take one of them down, bond them, or give each its own "
        "subnet.",
        reference="https://docs.kernel.org/networking/ip-sysctl.html",
        host=_flux,
    ),
    Rule(
        id="tunnel-mtu-above-uplink",
        severity="note",
        title="A tunnel takes larger packets than its uplink can carry",
        condition="the MTU of a tunnel is above that of every link below it without the tunnel's headers, the link "
        "being that of PPP where all default routes leave by it; medium where the host has cut at least 1000 packets "
        "(100 within an interval), and one in a thousand, into fragments; of a tunnel that a program serves a note, "
        "and only there; by the headers over IPv6 only where packets of IPv6 are cut; with as many cut also where it "
        "is above the smallest of several links, which is medium if that link has most packets, or above another "
        "tunnel of the host, through which it may go",
        explanation="A full packet with its outer headers does not fit, so it is fragmented or dropped. That halves "
        "the rate, and transfers hang where fragments are filtered.",
        action="Lower the MTU of the tunnel to that of the uplink without its headers (WireGuard over IPv4: 60, over "
        "IPv6: 80; VXLAN: 50).",
        reference="https://man7.org/linux/man-pages/man8/ip-link.8.html",
        host=_tunnels,
    ),
    Rule(
        id="answers-leave-elsewhere",
        severity="medium",
        title="Answers leave by another NIC than the one that was asked",
        condition="two NICs have a default route each, there are no rules of routing, and at least ten connections at "
        "an address of the NIC with the worse route wait for the end of their handshake, ten times as many as at the "
        "other",
        explanation="The best default route serves all packets, whatever their source. Providers and firewalls drop "
        "answers with an address that is not of their network, so that nobody can connect to the second address.",
        action="Give each source a table of its own (`ip rule add from ADDRESS table N` with a default route in it; "
        "`routing-policy` of netplan, `RoutingPolicyRule` of systemd-networkd), or keep one default route only.",
        reference="https://man7.org/linux/man-pages/man8/ip-rule.8.html",
        host=_elsewhere,
    ),
)
