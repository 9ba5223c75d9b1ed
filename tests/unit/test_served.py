# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of everyday hosts: what a guest runs on, small ports of a bridge, buffers of Samba, shapers left behind."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import bridges, kernel, queues, served
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import qdisc_counters, samba
from ansible_collections.linuxnet.tuning.tests.unit import memory_host


def host(files=None, answers=None, links=None):
    disk = memory_host.Files(files)
    disk.links.update(links or {})
    return memory_host.connect(disk, lambda argv, _data="": (0, (answers or {}).get(" ".join(argv), ""), ""), True)


@pytest.mark.parametrize(
    ("vendor", "product", "above"),
    [
        ("VMware, Inc.", "VMware Virtual Platform", "VMware"),
        ("QEMU", "Standard PC (Q35 + ICH9, 2009)", "QEMU"),
        ("innotek GmbH", "VirtualBox", "VirtualBox"),
        ("Microsoft Corporation", "Virtual Machine", "Hyper-V"),
        ("Microsoft Corporation", "Surface Pro 7", None),
        ("Dell Inc.", "PowerEdge R640", None),
        ("", "", None),
    ],
)
def test_firmware_tells_the_hypervisor(vendor, product, above):
    folder = "/sys/class/dmi/id"
    told = kernel.gather(host({f"{folder}/sys_vendor": f"{vendor}\n", f"{folder}/product_name": f"{product}\n"}))
    assert told.get("guest_of") == above


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "[global]\n  socket options = TCP_NODELAY SO_RCVBUF=8192 SO_SNDBUF=8192\n",
            {"SO_RCVBUF": 8192, "SO_SNDBUF": 8192},
        ),
        ("[global]\n\tSocket Options=so_sndbuf = 65536 \\\n  IPTOS_LOWDELAY\n", {"SO_SNDBUF": 65536}),
        ("[global]\n# socket options = SO_RCVBUF=8192\n; socket options = SO_RCVBUF=8192\n", {}),
        ("[global]\nsocket options = SO_RCVBUF=8192\nsocket options = TCP_NODELAY\n", {}),
        ("", {}),
    ],
)
def test_buffers_of_samba(text, found):
    assert samba.buffers(text) == found


def test_samba_has_buffers_only_where_it_runs():
    files = {samba.CONFIGURATION: "[global]\nsocket options = SO_RCVBUF=8192\n"}
    assert served.samba_buffers(host(files)) is None
    files["/sys/fs/cgroup/system.slice/smbd.service/cgroup.procs"] = "812\n"
    assert served.samba_buffers(host(files)) == {"SO_RCVBUF": 8192}
    del files["/sys/fs/cgroup/system.slice/smbd.service/cgroup.procs"]
    files["/run/samba/smbd.pid"] = "812\n"
    assert served.samba_buffers(host(files)) == {"SO_RCVBUF": 8192}
    files[samba.CONFIGURATION] = "[global]\n"
    assert served.samba_buffers(host(files)) is None


def test_uplinks_of_a_bridge_that_a_guest_has_made_smaller():
    sizes = {"br0": 1500, "bond0": 9000, "tap1i0": 9000, "veth1": 9000, "tap2i0": 1500}
    files = {f"/sys/class/net/{name}/mtu": f"{mtu}\n" for name, mtu in sizes.items()}
    files.update({f"/sys/class/net/{name}/tun_flags": "0x5102\n" for name in sizes if name.startswith("tap")})
    files.update({f"/sys/class/net/br0/brif/{name}/state": "3\n" for name in sizes if name != "br0"})
    links = {"/sys/class/net/bond0/lower_eno1": "eno1"}
    (row,) = bridges.gather(host(files, links=links))
    assert row["smallest"] == {"port": "tap2i0", "mtu": 1500, "inside": 2, "uplinks": {"bond0": 9000}}
    (row,) = bridges.gather(host({**files, "/sys/class/net/br0/mtu": "9000\n"}, links=links))
    assert row["smallest"] == {"port": "tap2i0", "mtu": 1500, "inside": 2}


SHAPED = """\
qdisc noqueue 0: dev lo root refcnt 2
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
qdisc tbf 8001: dev eth0 root refcnt 5 rate 100Mbit burst 32000b lat 400.0ms
 Sent 2712301230123 bytes 1912301230 pkt (dropped 4123012, overlimits 3912301230 requeues 0)
qdisc htb 1: dev eth1 root refcnt 2 r2q 10 default 0x20 direct_packets_stat 12 direct_qlen 1000
 Sent 91230123 bytes 812301 pkt (dropped 41230, overlimits 912301 requeues 0)
qdisc sfq 20: dev eth1 parent 1:20 limit 127p quantum 1514b depth 127 divisor 1024 perturb 10sec
 Sent 91230123 bytes 812301 pkt (dropped 41230, overlimits 0 requeues 0)
qdisc tbf 8002: dev eth2 root refcnt 5 rate 1500Kbit burst 32000b lat 400.0ms
 Sent 2712 bytes 19 pkt (dropped 0, overlimits 39 requeues 0)
"""
CLASSES = """\
class htb 1:1 root rate 10Mbit ceil 10Mbit burst 1600b cburst 1600b
class htb 1:20 parent 1:1 leaf 20: prio 2 rate 4Mbit ceil 9500Kbit burst 1600b cburst 1599b
"""


def test_shapers_with_their_rate():
    shown = queues.dropping(host(answers={"tc class show dev eth1": CLASSES}), SHAPED)
    tbf, htb = shown["shapers"]
    assert (tbf["nic"], tbf["rate"], tbf["mbits"], tbf["dropped"]) == ("eth0", "100Mbit", 100.0, 4123012)
    assert (htb["nic"], htb["rate"], htb["mbits"], htb["sent"]) == ("eth1", "10Mbit", 10.0, 812301)
    assert qdisc_counters.ceiling("") == ("", 0.0)
