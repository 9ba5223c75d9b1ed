# SPDX-License-Identifier: GPL-3.0-or-later
"""What listens beside TCP and UDP, what bridges carry, and that facts have each counter that a rule asks for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import (
    bonds,
    bridges,
    kernel,
    listeners,
    nics,
    paths,
    tunnels,
    upcalls,
)
from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import protocols as facts
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import protocols
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

FINDINGS = Path(__file__).parents[2] / "plugins" / "plugin_utils" / "findings"

# As Linux 5.4 writes it; NETLINK_ROUTE is 0, and 4 tells of sockets to ss.
NETLINK = """\
sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks    Drops    Inode
0000000000000000 0   20707      000007d5 0        0        0     2        3914     4021112
0000000000000000 0   20707      00000000 0        0        0     2        1        4021113
0000000000000000 0   1          00000000 0        0        0     2        0        14121
0000000000000000 4   812        00000000 0        0        0     2        77       9021
"""

IGMP = """\
Idx\tDevice    : Count Querier\tGroup    Users Timer\tReporter
1\tlo        :     1      V3
\t\t\t\t010000E0     1 0:00000000\t\t0
2\teth0.100  :    21      V2
\t\t\t\t010101EF     1 0:00000000\t\t0
"""

# A route to a subnet, and the one that refuses everything, which each kernel with IPv6 has at lo.
ROUTES = """\
20010db8000500000000000000000000 40 00000000000000000000000000000000 00 \
00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 \
00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
"""
DEFAULT = """\
00000000000000000000000000000000 00 00000000000000000000000000000000 00 \
fe800000000000000000000000000001 00000400 00000001 00000000 00450003     eth0
"""


def host(files):
    return memory_host.connect(memory_host.Files(files), lambda *_words: (1, "", ""), True)


def test_programs_that_miss_messages_groups_and_routers():
    found = listeners.gather(
        host(
            {
                "/proc/net/netlink": NETLINK,
                "/proc/20707/comm": "zebra\n",
                "/proc/net/igmp": IGMP,
                "/proc/net/ipv6_route": ROUTES,
                "/sys/class/net/eth0/ifindex": "2\n",
                "/sys/class/net/eth0.100/ifindex": "3\n",
                "/proc/sys/net/ipv6/conf/eth0/forwarding": "1\n",
                "/proc/sys/net/ipv6/conf/eth0/accept_ra": "2\n",
                "/proc/sys/net/ipv6/conf/eth0.100/forwarding": "1\n",
                "/proc/sys/net/ipv6/conf/eth0.100/accept_ra": "1\n",
            }
        )
    )
    assert found == {
        "netlink": [{"program": "zebra", "pid": 20707, "missed": 3915}],
        "groups": {"lo": 1, "eth0.100": 21},
        "default_route_6": False,
        "ignores_routers": ["eth0.100"],
    }
    assert protocols.default_route_6(ROUTES + DEFAULT)


# As Linux writes it since 5.13, and with a number above 2^31 as kernels before; a line of another form says nothing.
PACKET_QUEUES = """\
    0  31621  1024 2 65535 18601    12  4123456  1
    1   1204     0 2 65531     0     0 -4294967  1
    2   1204     0 2
"""


def test_queues_of_programs_that_decide_about_packets():
    files = {"/proc/net/netfilter/nfnetlink_queue": PACKET_QUEUES, "/proc/31621/comm": "ntopng\n"}
    assert listeners.gather(host(files))["packet_queues"] == [
        {"program": "ntopng", "queue": 0, "pid": 31621, "waiting": 1024, "full": 18601, "missed": 12, "given": 4123456},
        {"program": "", "queue": 1, "pid": 1204, "waiting": 0, "full": 0, "missed": 0, "given": (1 << 32) - 4294967},
    ]


def test_of_many_queues_those_with_losses_are_kept():
    rows = "".join(f"{n} {n} 0 2 65535 {500000 * (n == 12)} 0 9 1\n" for n in range(16))
    found = listeners.gather(host({"/proc/net/netfilter/nfnetlink_queue": rows}))["packet_queues"]
    assert [row["queue"] for row in found] == [12, 0, 1, 2, 3, 4, 5, 6]


MOUNTS = """\
40 25 0:50 / /mnt/old\\040nas rw,relatime shared:9 - cifs //nas/data rw,vers=1.0,cache=strict,username=a,rsize=61440
41 25 0:51 / /mnt/files rw,relatime - smb3 //files/home rw,vers=3.1.1,cache=none,rsize=4194304,wsize=4194304
42 25 0:52 / /srv rw,relatime shared:10 - nfs4 nas:/srv rw,vers=4.2,rsize=1048576,wsize=1048576,addr=10.1.0.2
"""


def test_mounts_over_smb():
    assert facts.shares(host({"/proc/self/mountinfo": MOUNTS})) == [
        {"at": "/mnt/old\\040nas", "from": "//nas/data", "options": _options("1.0", "strict", rsize="61440")},
        {"at": "/mnt/files", "from": "//files/home", "options": _options("3.1.1", "none", "4194304", "4194304")},
    ]
    assert facts.shares(host({"/proc/self/mountinfo": MOUNTS.splitlines()[2]})) is None


def _options(vers, cache, rsize, wsize=""):
    return {"vers": vers, "cache": cache, "rsize": rsize, **({"wsize": wsize} if wsize else {})}


@pytest.mark.parametrize(
    ("bus", "ids", "found"),
    [
        ("2-1:1.0", ("0bda", "8156"), {"usb_speed": 5000, "usb_id": "0bda:8156"}),
        ("2-1.4:1.0", ("0BDA", ""), {"usb_speed": 5000}),
        ("0000:02:00.0", ("0bda", "8156"), {}),
    ],
)
def test_ids_of_a_usb_adapter(bus, ids, found):
    disk = memory_host.Files()
    disk.add_nic("eth0", "r8152", ":", bus)
    above = "/sys/class/net/eth0/device/.."
    disk.files.update({f"{above}/speed": "5000\n"})
    disk.files.update(
        {f"{above}/{name}": f"{text}\n" for name, text in zip(("idVendor", "idProduct"), ids, strict=True)}
    )
    about = nics.gather(memory_host.connect(disk, lambda *_words: (1, "", ""), True), [], [])["eth0"]
    assert {key: about[key] for key in ("usb_speed", "usb_id") if key in about} == found


def test_a_host_without_any_of_them():
    assert listeners.gather(host({})) == {
        "netlink": [],
        "groups": {},
        "default_route_6": False,
        "ignores_routers": [],
    }


# Sockets of NETLINK_GENERIC: the first two take packets of new flows, the third is in a group, the fourth is atop's.
UPCALLS = """\
sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks    Drops    Inode
0000000000000000 16  2908420113 00000000 0        0        0     2        4100     51001
0000000000000000 16  2412098721 00000000 0        0        0     2        319      51002
0000000000000000 16  3111276123 00000010 0        0        0     2        12       51003
0000000000000000 16  812        00000000 0        0        0     2        77       9021
0000000000000000 0   1377       00000000 0        0        0     2        5        51004
"""
VSWITCHD = {"/run/openvswitch/ovs-vswitchd.pid": "1377\n", "/proc/1377/comm": "ovs-vswitchd\n"}


def test_what_open_vswitch_lost_is_told_by_its_own_sockets():
    fds = {f"/proc/1377/fd/{number}": f"socket:[5100{number}]" for number in range(1, 5)}
    files = memory_host.Files({**VSWITCHD, "/proc/net/netlink": UPCALLS, **dict.fromkeys(fds, "")})
    files.links.update({**fds, "/proc/1377/fd/0": "null"})
    vswitchd = memory_host.connect(files, lambda *_words: (1, "", ""), True)
    assert upcalls.sample(vswitchd) == {"ovs_lost": 4419}
    assert facts.gather(vswitchd, {"ovs_lost": 4000}, 5)["growth"]["ovs_lost"] == 419
    assert upcalls.sample(host(VSWITCHD)) == {"ovs_lost": 0}
    # Another program has got the number of a daemon that is gone.
    assert upcalls.sample(host({**VSWITCHD, "/proc/1377/comm": "bash\n", "/proc/net/netlink": UPCALLS})) == {}
    assert upcalls.sample(host({})) == {}


def test_ports_of_bridges_by_kind():
    files = {
        "/sys/class/net/br0/brif/eno1/port_no": "0x1\n",
        "/sys/class/net/br0/brif/tap100i0/port_no": "0x2\n",
        "/sys/class/net/br0/brif/veth1/port_no": "0x3\n",
        "/sys/class/net/br0/bridge/multicast_snooping": "1\n",
        "/sys/class/net/br0/bridge/vlan_filtering": "0\n",
        "/sys/class/net/vmbr1/brif/eno1/port_no": "0x1\n",
        "/sys/class/net/vmbr1/bridge/multicast_snooping": "0\n",
        "/sys/class/net/vmbr1/bridge/vlan_filtering": "1\n",
        "/sys/class/net/eno1/device/vendor": "0x8086\n",
        "/sys/class/net/tap100i0/tun_flags": "0x5002\n",
        "/sys/class/net/docker0/bridge/stp_state": "0\n",
        "/sys/class/net/br0/bridge/stp_state": "1\n",
        "/sys/class/net/br0/bridge/forward_delay": "1500\n",
        "/sys/class/net/vmbr1/bridge/stp_state": "2\n",
        "/sys/class/net/vmbr1/bridge/forward_delay": "1500\n",
        "/sys/class/net/tap100i0/brport/state": "2\n",
        "/sys/class/net/eno1/brport/state": "3\n",
        "/sys/class/net/eno1/mtu": "9000\n",
        "/sys/class/net/tap100i0/mtu": "9000\n",
        "/sys/class/net/veth1/mtu": "1500\n",
    }
    smallest, waits = {"smallest": {"port": "veth1", "mtu": 1500, "inside": 1}}, {"forward_delay": 15, "learning": 1}
    assert bridges.gather(host(files)) == [
        {"name": "br0", "containers": 1, "guests": 1, "nics": 1, "snoops": True, **smallest, **waits},
        {"name": "vmbr1", "nics": 1, "vlans": True},
    ]


def test_time_that_a_hypervisor_takes_is_part_of_what_a_guest_wants():
    text = "cpu  100 20 300 4000 50 6 70 80 9 0\ncpu0 1 1 1 1 1 1 1 1 1 1\nintr 9123 7 0\n"
    assert protocols.processor_time(text) == {
        "cpu_busy": 100 + 20 + 300 + 6 + 70 + 80,
        "cpu_irq": 6 + 70,
        "cpu_steal": 80,
        "interrupts": 9123,
    }
    assert protocols.processor_time("cpu  1 2 3\n") == protocols.processor_time("") == {}


# As Linux 6.1 writes it, with one pool for each of two nodes.
PORT = "( sport = :2049 )"
POOLS = """\
# pool packets-arrived sockets-enqueued threads-woken threads-timedout
0 5000 5100 4000 0
1 50 60 60 0
"""


def test_what_waits_for_threads_of_an_nfs_server_is_told_of_all_pools():
    counted = "rc 0 0 0\nth 8 0 0.000 0.000 0.000\nnet 2243 10 2233 5\n"
    assert protocols.nfs_server(POOLS, counted) == {
        "nfsd_arrived": 5050,
        "nfsd_enqueued": 5160,
        "nfsd_woken": 4060,
        "nfsd_threads": 8,
        "nfsd_full": 0,
    }
    assert protocols.nfs_server("", "") == protocols.nfs_server("# pool\n0 x\n", "th\n") == {}
    files = {"/proc/fs/nfsd/pool_stats": POOLS, "/proc/net/rpc/nfsd": counted}
    clients = "0 0 10.0.0.1:2049 10.0.0.2:700\n0 0 10.0.0.1:2049 10.0.0.3:700\n"
    told = facts.gather(
        memory_host.connect(memory_host.Files(files), lambda argv, _data: (0, clients * (argv[-1] == PORT), ""), True),
        {"nfsd_enqueued": 160, "nfsd_woken": 60},
        5,
    )
    assert told["fill"] == {"nfsd_threads": 8, "nfsd_connections": 2} and "nfsd_threads" not in told["total"]
    assert told["growth"] == {"nfsd_enqueued": 5000, "nfsd_woken": 4000}
    files["/proc/fs/nfsd/max_connections"] = "2000\n"
    assert facts.gather(host(files), {}, 0)["fill"]["nfsd_max_connections"] == 2000
    files["/proc/fs/nfsd/max_connections"] = "0\n"
    assert "nfsd_max_connections" not in facts.gather(host(files), {}, 0)["fill"]
    # A server that starts or ends would let the reader of its pools wait.
    files["/proc/net/rpc/nfsd"] = "th 0 0 0.000\n"
    assert facts.gather(host(files), {}, 0) == {"total": {"nfsd_full": 0}, "fill": {}}


def test_connections_that_are_held_back_are_facts_of_the_sockets():
    text = "0 9 10.0.0.1:9092 10.0.0.9:50123\n\t cubic busy:90000ms sndbuf_limited:87000ms(96.7%)\n"
    answers = memory_host.connect(memory_host.Files({}), lambda argv, _data: (0, text * (argv[1] == "-tinH"), ""), True)
    (row,) = facts.sockets(answers, {})["held_back"]
    assert (row["peer"], row["by"]) == ("10.0.0.9 port 50123", "buffer")
    assert facts.sockets(host({}), {}) == {}


def test_a_bond_tells_which_member_works():
    base = "/sys/class/net/bond0/bonding"
    files = {"/sys/class/net/bonding_masters": "bond0\n", f"{base}/active_slave": "eth1\n", f"{base}/slaves": ""}
    assert bonds.gather(host(files))["bond0"]["active"] == "eth1"


def test_a_client_of_nfs_tells_what_it_sent_again():
    text = "net 0 0 0 0\nrpc 9000 41 9000\nproc3 22 0 100\n"
    assert protocols.nfs_client(text) == {"nfs_calls": 9000, "nfs_again": 41}
    assert protocols.nfs_client("") == protocols.nfs_client("rpc x 1\n") == {}
    assert facts.sample(host({"/proc/net/rpc/nfs": text}))["nfs_again"] == 41


def test_facts_have_each_counter_that_a_rule_asks_for():
    """A name that nobody gathers is always 0, and its rule never holds."""
    text = "".join(path.read_text() for path in FINDINGS.rglob("*.py"))
    needed = set(re.findall(r'\b(?:protocol\(|much\(host, )"(\w+)"', text))
    told = {f"{protocol}{name}" for protocol, names in protocols.WATCHED.items() for name in names}
    told |= {*protocols.WATCHED_6, *protocols.WATCHED_X, *protocols.processor_time(f"cpu{' 1' * 10}\nintr 1\n")}
    told |= {*protocols.nfs_server(POOLS, "th 8 594 3733.140\n")}
    told |= {*protocols.nfs_client("rpc 9 1 0\n")}
    told |= {*upcalls.sample(host(VSWITCHD))}
    told |= {f"{table}_{name}" for table, names in facts._TABLES.items() for name in names}
    assert len(needed) > 20
    assert needed - told == set()


def test_an_instance_of_xen_at_amazon_says_so():
    told = [kernel.gather(host({"/sys/hypervisor/uuid": uuid})) for uuid in ("ec2c1fd3-4f6a\n", "00000000-0000\n")]
    assert [facts.get("ec2") for facts in (*told, kernel.gather(host({})))] == [True, None, None]


def test_default_routes_with_their_metric():
    text = (
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
        "wlan0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
        "*\t00000000\t00000000\t0200\t0\t0\t9\t00000000\t0\t0\t0\n"
        "eth0\t0001A8C0\t00000000\t0001\t0\t0\t600\t00FFFFFF\t0\t0\t0\n"
    )
    way = {"nic": "wlan0", "metric": 100, "gateway": "192.168.1.1"}
    assert paths.ways_out(host({"/proc/net/route": text})) == [way]
    assert paths.ways_out(host({})) == []


def test_queues_that_a_program_reads_grow_within_an_interval():
    base = "/sys/class/net/tap100i0"
    files = {
        f"{base}/tun_flags": "0x5002\n",
        f"{base}/tx_queue_len": "1000\n",
        f"{base}/statistics/tx_packets": "5000\n",
        f"{base}/statistics/tx_dropped": "700\n",
        "/sys/class/net/tun0/tun_flags": "0x1001\n",
        "/sys/class/net/eth0/tun_flags": "junk\n",
        "/sys/class/net/wg0/uevent": "DEVTYPE=wireguard\nINTERFACE=wg0\nIFINDEX=9\n",
        "/sys/class/net/wg0/mtu": "1420\n",
        "/sys/class/net/wg0/statistics/tx_packets": "91000\n",
        "/sys/class/net/wg0/statistics/tx_dropped": "39120\n",
        "/sys/class/net/wg0/statistics/rx_packets": "7000\n",
        "/sys/class/net/wg0/threaded": "0\n",
        "/sys/class/net/vni104/uevent": "DEVTYPE=vxlan\nINTERFACE=vni104\nIFINDEX=12\n",
        "/sys/class/net/vni104/mtu": "9000\n",
    }
    before = [
        {"nic": "tap100i0", "kind": "tap", "sent": 1000, "dropped": 100},
        {"nic": "wg0", "kind": "wireguard", "sent": 91000, "unanswered": 39000, "received": 6000},
    ]
    tap, tun, vxlan, wireguard = tunnels.gather(host(files), before, 5)
    assert tap == {
        "nic": "tap100i0",
        "kind": "tap",
        "queue": 1000,
        "sent": 5000,
        "dropped": 700,
        "headers": True,
        "growth": {"sent": 4000, "dropped": 600},
        "interval": 5,
    }
    assert tun == {"nic": "tun0", "kind": "tun"}
    counted = {"sent": 91000, "unanswered": 39120, "received": 7000, "threads": False}
    grown = {"growth": {"sent": 0, "unanswered": 120, "received": 1000}, "interval": 5}
    assert wireguard == {"nic": "wg0", "kind": "wireguard", "mtu": 1420, **counted, **grown}
    assert vxlan == {"nic": "vni104", "kind": "vxlan", "mtu": 9000}
    assert "growth" not in tunnels.gather(host(files), [], 0)[0]
