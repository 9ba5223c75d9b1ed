# SPDX-License-Identifier: GPL-3.0-or-later
"""Where packets go by the routes of a host: networks that containers hide, and answers that leave elsewhere."""

from __future__ import annotations

import json

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import bridges, detours, paths
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import route_table
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

HEAD = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
RULES = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n"


def table(*rows):
    lines = (
        f"{nic}\t{net}\t{gate}\t{flags}\t0\t0\t{metric}\t{mask}\t0\t0\t0\n"
        for nic, net, gate, flags, metric, mask in rows
    )
    return HEAD + "".join(lines)


VPN = ("tun0", "000010AC", "0100080A", "0003", 50, "0000F0FF")
COMPOSE = ("br-8f2a91c0ffee", "000012AC", "00000000", "0001", 0, "0000FFFF")
HIGH = ("000011C8", "00000000", "0001", 0, "0000FFFF")
OTHER = ("docker0", "0001A8C0", "00000000", "0001", 0, "00FFFFFF")
WAY = ("ens3", "00000000", "017100CB", "0003", 100, "00000000")
SECOND = ("ens4", "00000000", "016433C6", "0003", 101, "00000000")


def host_of(text, run=lambda *_words: (1, "", ""), nics=("br-8f2a91c0ffee", "docker0", "tun0")):
    files = {f"/sys/class/net/{nic}/ifindex": "5\n" for nic in nics}
    return memory_host.connect(memory_host.Files({**files, "/proc/net/route": text}), run, True)


def test_a_network_of_containers_within_that_of_a_vpn():
    row = {"nic": "br-8f2a91c0ffee", "network": "172.18.0.0/16", "inside": "172.16.0.0/12", "by": "tun0"}
    assert bridges.overlaps(host_of(table(WAY, VPN, COMPOSE, OTHER))) == [row]


def test_a_network_of_containers_around_that_of_a_nic():
    own = ("eth0", "000012AC", "00000000", "0001", 100, "00FFFFFF")
    row = {"nic": "br-8f2a91c0ffee", "network": "172.18.0.0/16", "around": "172.18.0.0/24", "by": "eth0"}
    assert bridges.overlaps(host_of(table(WAY, COMPOSE, own, OTHER))) == [row]
    beyond = ("eth0", "000112AC", "017100CB", "0003", 100, "00FFFFFF")
    assert bridges.overlaps(host_of(table(WAY, COMPOSE, beyond, OTHER))) == []


def test_a_tunnel_without_a_kind_is_known_by_its_type():
    addresses = '[{"ifname": "tunl0", "addr_info": [{"local": "192.168.12.64", "prefixlen": 32, "scope": "global"}]}]'
    files = {"/sys/class/net/tunl0/uevent": "INTERFACE=tunl0\n", "/sys/class/net/tunl0/type": "768\n"}
    host = memory_host.connect(memory_host.Files(files), lambda *_words: (0, addresses, ""), True)
    assert [row["kind"] for row in paths.addresses(host)] == ["ipip"]


@pytest.mark.parametrize(
    "text",
    [table(WAY, COMPOSE, OTHER), table(VPN), HEAD, "", "x\ny z\n"],
    ids=["no VPN", "no bridge", "head", "", "other"],
)
def test_others_hide_nothing(text):
    assert bridges.overlaps(host_of(text)) == []


@pytest.mark.parametrize(
    "text, nics",
    [
        (table(("tun0", "00000080", "0100080A", "0003", 0, "00000080"), ("docker0", *HIGH)), ["docker0"]),
        (table(VPN, ("br-lan", *COMPOSE[1:])), ["br-lan"]),
        (table(VPN, ("br-ex", *COMPOSE[1:])), ["br-ex"]),
    ],
    ids=["half of all addresses, by OpenVPN", "OpenWrt", "Open vSwitch"],
)
def test_no_network_of_containers_hides_these(text, nics):
    assert bridges.overlaps(host_of(text, nics=(*nics, "tun0"))) == []


def test_the_routes_of_a_router_are_not_compared_with_each_other(monkeypatch):
    many = [(f"eth{number % 2}", f"{number:08X}", "0100080A", "0003", 0, "00FFFFFF") for number in range(20_000)]
    seen = []
    monkeypatch.setattr(route_table, "parse", lambda text, parse=route_table.parse: seen.append(text) or parse(text))
    (row,) = bridges.overlaps(host_of(table(VPN, *many, COMPOSE)))
    assert (row["nic"], row["by"]) == ("br-8f2a91c0ffee", "tun0")
    assert sum(text.count("\n") for text in seen) <= 2001


def test_routes_that_are_refused_lead_nowhere():
    assert list(route_table.parse(table(("lo", "000010AC", "00000000", "0201", 0, "0000F0FF")))) == []


def answering(rules=RULES, waiting=3):
    def run(words, _data=""):
        if list(words[:2]) == ["ip", "-4"]:
            return 0, rules, ""
        if words[0] == "ss":
            return 0, "".join(f"0 0 198.51.100.9:443 192.0.2.{number}:40000\n" for number in range(waiting)), ""
        info = {"ens3": "203.0.113.9", "ens4": "198.51.100.9"}
        rows = [
            {"ifname": nic, "addr_info": [{"local": address, "prefixlen": 24, "scope": "global", "dynamic": True}]}
            for nic, address in info.items()
        ]
        return 0, json.dumps(rows), ""

    return run


def test_half_open_connections_by_nic():
    assert paths.half_open(host_of(table(WAY, SECOND), answering())) == [{"nic": "ens4", "waiting": 3}]


def test_peers_that_the_same_nic_leads_to_get_their_answers():
    near = ("ens4", "000200C0", "00000000", "0001", 101, "00FFFFFF")
    assert paths.half_open(host_of(table(WAY, SECOND, near), answering())) == []
    elsewhere = ("ens3", *near[1:])
    assert paths.half_open(host_of(table(WAY, SECOND, elsewhere), answering())) == [{"nic": "ens4", "waiting": 3}]


@pytest.mark.parametrize(
    "text, run",
    [(table(WAY), answering()), (table(WAY, SECOND), answering(RULES + RULES)), (table(WAY, SECOND), answering("", 0))],
    ids=["one way", "rules", "nobody waits"],
)
def test_hosts_that_are_not_asked_or_have_none(text, run):
    assert paths.half_open(host_of(text, run)) == []


TAILSCALE = (
    "0:\tfrom all lookup local\n5210:\tfrom all fwmark 0x80000/0xff0000 lookup main\n5270:\tfrom all lookup 52\n"
)
QUICK = "32764:\tfrom all lookup main suppress_prefixlength 0\n32765:\tnot from all fwmark 0xca6c lookup 51820\n"
EARLIER = "100:\tfrom all lookup 52\n"
LAN = ("eth0", "0001A8C0", "00000000", "0001", 0, "00FFFFFF")
IN_52 = "100.79.30.91 dev tailscale0 \n100.100.100.100 dev tailscale0 \n"


@pytest.mark.parametrize(
    "rules, listed, by",
    [
        (TAILSCALE, f"{IN_52}192.168.1.0/24 dev tailscale0 \n", "tailscale0"),
        (TAILSCALE, f"{IN_52}192.168.0.0/16 dev tailscale0 \n", "tailscale0"),
        (TAILSCALE, f"{IN_52}192.168.0.0/16 dev tailscale0 \nthrow 192.168.1.0/24 \n", ""),
        (TAILSCALE, f"{IN_52}192.168.0.0/16 dev tailscale0 \n192.168.1.0/24 dev eth0 scope link \n", ""),
        (TAILSCALE, f"{IN_52}default dev tailscale0 \n", ""),
        (TAILSCALE, f"{IN_52}192.168.1.9 dev tailscale0 \n10.51.0.0/16 dev tailscale0 \n", ""),
        (TAILSCALE, "999.1.1.1/24 dev tailscale0\n192.168.1.0/99 dev tailscale0\nunreachable 192.168.1.0/24\n", ""),
        (QUICK, "192.168.1.0/24 dev tailscale0 \n", ""),
        (f"0:\tfrom all lookup local\n{QUICK}", "192.168.1.0/24 dev tailscale0 \n", ""),
        (f"{EARLIER}{QUICK}", "192.168.1.0/24 dev tailscale0 \n", "tailscale0"),
        ("", "192.168.1.0/24 dev tailscale0 \n", ""),
    ],
)
def test_the_own_network_by_a_table_of_its_own(rules, listed, by):
    def run(words, _data=""):
        told = {("ip", "-4", "rule", "show"): f"{rules}{RULES}", ("ip", "-4", "route", "show", "table", "52"): listed}
        return (0, told[tuple(words)], "") if tuple(words) in told else (1, "", "")

    host = host_of(table(WAY, LAN), run)
    assert detours.gather(host, [{"nic": "vnet0", "kind": "tap"}]) == []
    found = detours.gather(host, [{"nic": "tailscale0", "kind": "tun"}])
    assert [(row["network"], row["nic"], row["by"]) for row in found] == (
        [("192.168.1.0/24", "eth0", by)] if by else []
    )
