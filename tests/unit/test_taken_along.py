# SPDX-License-Identifier: GPL-3.0-or-later
"""What a change takes along that nobody asked for: queues with their masks, and parameters that others set."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import stack
from ansible_collections.linuxnet.tuning.tests.unit.calls import call, mtu
from ansible_collections.linuxnet.tuning.tests.unit.devices import igb
from ansible_collections.linuxnet.tuning.tests.unit.memory_host import Reader
from ansible_collections.linuxnet.tuning.tests.unit.queues_host import QUEUES, QueuesHost
from ansible_collections.linuxnet.tuning.tests.unit.shell_host import ShellHost


@pytest.fixture
def host(tmp_path):
    return ShellHost(tmp_path, {"igb0": igb, "igb1": igb}, {})


class MaskedHost(QueuesHost):
    """Somebody has set the masks of its queues and its coalescing by hand."""

    def __init__(self, folder):
        super().__init__(folder, anew={"rx-usecs": 3, "tx-usecs": 3})
        self._ethtool(("ethtool", "-L", "igb0", "combined", "4"))
        for number in range(4):
            self.files[f"{QUEUES}/tx-{number}/xps_cpus"] = f"{1 << number:x}"
            self.files[f"{QUEUES}/rx-{number}/rps_cpus"] = "f"
        self.devices["igb0"].coalesce = {"rx-usecs": 50, "tx-usecs": 60}

    def masks(self):
        """What was set by hand, of each queue and of coalescing."""
        files = {
            path: int(text, 16) for path, text in self.files.items() if path.startswith(QUEUES) and "_cpus" in path
        }
        return {**files, **self.devices["igb0"].coalesce}


@pytest.fixture
def queued(tmp_path):
    return MaskedHost(tmp_path)


def test_a_failing_call_puts_back_what_its_channels_took_along(queued):
    before = queued.masks()
    device = queued.devices["igb0"]
    device._set_ring = lambda _words: (1, "", "netlink error: Cannot allocate memory\n")
    nics = [{"name": "igb0", "channels": {"combined": 2}, "ring": {"rx": 4096}}]
    result = engine.tune(queued, "ethtool", {"nics": nics, "on_unsupported": "fail", "guard_timeout": 60})
    assert result["failed"]
    assert "All changes of this call were rolled back" in result["msg"]
    assert device.channels["combined"] == 4
    assert queued.masks() == before
    assert stack.read(queued) == []


def test_what_channels_took_along_and_cannot_be_set_is_named_and_no_hindrance(queued):
    device = queued.devices["igb0"]
    device._set_ring = lambda _words: (1, "", "netlink error: Cannot allocate memory\n")
    device._set_coalesce = lambda _words: (1, "", "netlink error: Invalid argument\n")
    nics = [{"name": "igb0", "channels": {"combined": 2}, "ring": {"rx": 4096}}]
    result = engine.tune(queued, "ethtool", {"nics": nics, "on_unsupported": "fail", "guard_timeout": 60})
    assert "igb0 coalesce rx_usecs, igb0 coalesce tx_usecs changed as well and could not be" in result["msg"]
    assert stack.read(queued) == []


def test_the_shell_puts_back_what_channels_took_along_after_them(queued):
    before = queued.masks()
    call(queued, "ethtool", nics=[{"name": "igb0", "channels": {"combined": 2}}], guard_timeout=60)
    assert len(queued.masks()) == 6
    queued.passes(60)
    assert queued.devices["igb0"].channels["combined"] == 4
    assert queued.masks() == before
    assert queued.lost == []


def test_the_shell_writes_to_no_queue_that_is_not_there_yet(queued):
    before = queued.masks()
    nics = [{"name": "igb0", "channels": {"combined": 2}, "irq": {"xps": "none"}}]
    call(queued, "tune", nics=nics, guard_timeout=60)
    queued.passes(60)
    assert queued.masks() == before
    assert queued.lost == []


def test_restored_brings_back_what_went_with_a_queue(queued):
    before = {path: mask for path, mask in queued.masks().items() if "/queues/" in path}
    call(queued, "ethtool", nics=[{"name": "igb0", "channels": {"combined": 2}}], permanent=True)
    assert len(queued.masks()) == 6
    call(queued, "tune", state="restored", permanent=True)
    assert {path: mask for path, mask in queued.masks().items() if "/queues/" in path} == before
    assert queued.originals() == {}


@pytest.mark.parametrize(
    ("key", "cuts"),
    [("net.ipv6.conf.all.disable_ipv6", True), ("net.ipv4.conf.igb0.rp_filter", True), ("net.core.somaxconn", False)],
)
def test_a_parameter_that_can_cut_the_connection_goes_back_by_itself(host, key, cuts):
    path = f"/proc/sys/{key.replace('.', '/')}"
    host.files[path] = "0"
    assert call(host, "sysctl", sysctl={key: 1}, guard_timeout=60).get("guard", 0) == (60 if cuts else 0)
    host.passes(60)
    assert host.files[path] == ("0" if cuts else "1")


NEIGH, CONF = "/proc/sys/net/ipv4/neigh", "/proc/sys/net/ipv4/conf"
COUPLED = {
    "net.ipv4.neigh.default.unres_qlen": {
        f"{NEIGH}/default/unres_qlen": "101",
        f"{NEIGH}/default/unres_qlen_bytes": "212992",
        f"{NEIGH}/igb0/unres_qlen": "101",
        f"{NEIGH}/igb0/unres_qlen_bytes": "212000",
    },
    "net.ipv4.conf.default.rp_filter": {f"{CONF}/default/rp_filter": "0", f"{CONF}/igb0/rp_filter": "2"},
    "net.ipv4.ip_forward": {"/proc/sys/net/ipv4/ip_forward": "0", f"{CONF}/igb0/forwarding": "1"},
    "net.ipv6.conf.all.disable_ipv6": {
        "/proc/sys/net/ipv6/conf/all/disable_ipv6": "0",
        "/proc/sys/net/ipv6/conf/igb0/disable_ipv6": "1",
    },
    "net.ipv6.conf.all.force_forwarding": {
        "/proc/sys/net/ipv6/conf/all/force_forwarding": "0",
        "/proc/sys/net/ipv6/conf/igb0/force_forwarding": "1",
    },
    "net.ipv4.neigh.igb0.base_reachable_time": {
        f"{NEIGH}/igb0/base_reachable_time": "30",
        f"{NEIGH}/igb0/base_reachable_time_ms": "30500",
    },
    "net.ipv6.route.gc_min_interval": {
        "/proc/sys/net/ipv6/route/gc_min_interval": "0",
        "/proc/sys/net/ipv6/route/gc_min_interval_ms": "500",
    },
    "vm.dirty_background_bytes": {
        "/proc/sys/vm/dirty_background_bytes": "0",
        "/proc/sys/vm/dirty_background_ratio": "10",
    },
    "vm.dirty_ratio": {"/proc/sys/vm/dirty_bytes": "1000000", "/proc/sys/vm/dirty_ratio": "0"},
    "net.ipv4.tcp_congestion_control": {
        "/proc/sys/net/ipv4/tcp_congestion_control": "cubic",
        "/proc/sys/net/ipv4/tcp_allowed_congestion_control": "reno cubic",
    },
}


@pytest.mark.parametrize("key", COUPLED)
def test_the_shell_puts_back_what_a_parameter_set_beside_itself(host, key):
    """What the kernel does to the others in one write is done here by hand, after the call."""
    files = COUPLED[key]
    host.files.update(files)
    mtu(host, 9000, guard_timeout=60)
    call(host, "sysctl", sysctl={key: 5})
    host.files.update(dict.fromkeys(files, "5"))
    host.passes(60)
    assert {path: host.files[path] for path in files} == files


@pytest.mark.parametrize(
    ("number", "share", "said", "idle"), [("0", "20", "ratio", "bytes"), ("9", "0", "bytes", "ratio")]
)
def test_the_shell_puts_back_bytes_that_refuse_a_zero_by_the_share(host, number, share, said, idle):
    """As above the kernel makes the one 0 that was not set: what is said comes first, and a 0 that is there stays."""
    files = {"/proc/sys/vm/dirty_bytes": number, "/proc/sys/vm/dirty_ratio": share}
    host.files.update(files)
    mtu(host, 9000, guard_timeout=60)
    call(host, "sysctl", sysctl={f"vm.dirty_{idle}": 5})
    host.files[f"/proc/sys/vm/dirty_{said}"] = "0"
    host.passes(60)
    assert [line for line in host.ran if "dirty_" in line] == [
        f"sysctl -w vm.dirty_{said}={files[f'/proc/sys/vm/dirty_{said}']}",
        f'[ "$(cat /proc/sys/vm/dirty_{idle})" = 0 ] || sysctl -w vm.dirty_{idle}=0',
    ]
    assert "cannot set" not in host.told


@pytest.mark.parametrize("count", [2, 8])
@pytest.mark.parametrize("permanent", [False, True])
@pytest.mark.parametrize("desired", [{"xps": "spread", "rps": "0-1"}, {"xps": "none"}, {"rps": "all"}, {"xps": "0 1"}])
def test_check_mode_tells_the_commands_of_the_queues_that_will_be_there(queued, count, permanent, desired):
    nics = [{"name": "igb0", "channels": {"combined": count}, "irq": desired}]
    params = {"nics": nics, "on_unsupported": "fail", "guard_timeout": 0, "permanent": permanent}

    told = engine.tune(Reader(queued), "tune", params)
    done = engine.tune(queued, "tune", params)
    assert not done.get("failed"), done
    assert told["commands"] == done["commands"]
    assert engine.tune(queued, "tune", params)["commands"] == []
