# SPDX-License-Identifier: GPL-3.0-or-later
"""What the configuration of a host names and that is not there, and default routes whose gateway does not answer."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import absent, paths, power, vlans
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

MAIN, BRIDGE = "/etc/network/interfaces", "/etc/network/interfaces.d/vmbr0"
INTERFACES = """\
auto lo
iface lo inet loopback
iface enp4s0 inet manual
allow-hotplug enp7s0
iface enp7s0 inet dhcp
iface enp8s0 inet dhcp
source /etc/network/interfaces.d/*
"""
PORTS = "auto vmbr0\niface vmbr0 inet static\n\taddress 10.0.18.10/24\n\tbridge-ports enp4s0 enx00e04c680001\n"
NETPLAN = "/run/systemd/network/10-netplan-enp5s0.network"
RUNS = {"/run/systemd/netif/state": ""}


def host(files, there=(), answers=()):
    known = {f"/sys/class/net/{nic}/ifindex": "1\n" for nic in there}
    answered = {("ip", "-o", "link", "show", "dev", nic): (0, f"2: eno1: <UP> altname {nic}\n", "") for nic in answers}

    def run(argv, _data=""):
        return answered.get(tuple(argv), (1, "", "Device does not exist."))

    return memory_host.connect(memory_host.Files({**files, **known}), run, True)


def test_ports_and_what_begins_at_boot():
    files = {MAIN: INTERFACES, BRIDGE: PORTS}
    assert absent.gather(host(files)) == [
        {"nic": "enp4s0", "file": BRIDGE, "above": "vmbr0"},
        {"nic": "enx00e04c680001", "file": BRIDGE, "above": "vmbr0"},
        {"nic": "enp7s0", "file": MAIN},
    ]
    assert absent.gather(host(files, ("enp4s0", "enx00e04c680001", "enp7s0"))) is None
    # By another of its names a NIC is there as well.
    assert absent.gather(host(files, ("enp4s0", "enx00e04c680001"), ("enp7s0",))) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[Match]\nName=enp5s0\n\n[Network]\nDHCP=ipv4\n", [{"nic": "enp5s0", "file": NETPLAN}]),
        ("[Match]\nName=enp5s0\n\n[Network]\nBond=bond0\n", [{"nic": "enp5s0", "file": NETPLAN, "above": "bond0"}]),
        ("[Match]\nName=enp5s0\n\n[Link]\nRequiredForOnline=no\n", None),
        ("[Match]\nName=enp5s0\n\n[Link]\nUnmanaged=yes\n", None),
        ("[Match]\nName=en*\n\n[Network]\nDHCP=yes\n", None),
        ("[Match]\nName=br0 wg0 enx00e04c680001 eth0.10\n", None),
        ("[Match]\nPermanentMACAddress=52:54:00:12:34:56\n", None),
    ],
)
def test_names_of_networkd(text, found):
    assert absent.gather(host({NETPLAN: text, **RUNS})) == found
    assert absent.gather(host({NETPLAN: text})) is None


def test_a_pattern_of_ports_names_nobody():
    text = "iface br0 inet dhcp\n\tbridge_ports regex eth.* none\niface bond0 inet manual\n\tbond-slaves none\n"
    assert absent.gather(host({MAIN: text})) is None


ROUTES = (
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
    "wlan0\t00000000\t010010AC\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
    "eth0\t00000000\tFA00A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
    "eth1\t00000000\t00000000\t0001\t0\t0\t202\t00000000\t0\t0\t0\n"
)
ARP = (
    "IP address       HW type     Flags       HW address            Mask     Device\n"
    "172.16.0.1       0x1         0x0         00:00:00:00:00:00     *        wlan0\n"
    "192.168.0.250    0x1         0x2         f0:9f:c2:01:02:03     *        eth0\n"
    "192.168.0.250    0x1         0x0         00:00:00:00:00:00     *        eth1\n"
)


def test_gateways_that_do_not_answer():
    assert paths.ways_out(host({"/proc/net/route": ROUTES, "/proc/net/arp": ARP})) == [
        {"nic": "wlan0", "metric": 0, "gateway": "172.16.0.1", "silent": True},
        {"nic": "eth0", "metric": 0, "gateway": "192.168.0.250"},
        {"nic": "eth1", "metric": 202},
    ]


@pytest.mark.parametrize(
    ("carrier", "status", "told"), [("0", "suspended", True), ("0", "active", None), ("", "suspended", None)]
)
def test_a_nic_that_sleeps_without_a_link(carrier, status, told):
    base = "/sys/class/net/enp3s0"
    files = {f"{base}/carrier": f"{carrier}\n", f"{base}/device/power/runtime_status": f"{status}\n"}
    assert power.of_nic(host(files), "enp3s0").get("suspended") is told


def test_vlans_that_hear_nobody():
    names = "VLAN Dev name\t | VLAN ID\nName-Type: VLAN_NAME_TYPE_RAW_PLUS_VID_NO_PAD\n"
    files = {"/proc/net/vlan/config": f"{names}eth0.150       | 150  | eth0\neth0.7         | 7  | eth0\n"}
    for name, sent, received in (("eth0.150", 4022, 0), ("eth0.7", 900, 12)):
        files[f"/sys/class/net/{name}/statistics/tx_packets"] = f"{sent}\n"
        files[f"/sys/class/net/{name}/statistics/rx_packets"] = f"{received}\n"
    files["/proc/net/arp"] = ARP.replace("wlan0", "eth0.150")
    row = {"nic": "eth0.150", "id": 150, "below": "eth0", "sent": 4022, "unanswered": 1}
    assert vlans.gather(host(files)) == [row]
    assert vlans.gather(host({})) is None
