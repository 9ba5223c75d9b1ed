# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kernel ends where a host begins to forward: LRO, which comes back when it does not forward any more."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import guard, stack
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Address, Change
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings.features import lro
from ansible_collections.linuxnet.tuning.tests.unit.calls import call
from ansible_collections.linuxnet.tuning.tests.unit.devices import igb, vmxnet3
from ansible_collections.linuxnet.tuning.tests.unit.shell_host import ShellHost

FILES = {
    "/proc/sys/net/ipv4/ip_forward": "0",
    "/proc/sys/net/ipv4/conf/all/forwarding": "0",
    "/proc/sys/net/ipv6/conf/all/forwarding": "0",
    "/proc/sys/net/ipv4/conf/vmxnet0/forwarding": "0",
    "/proc/sys/net/ipv4/conf/default/forwarding": "0",
}


class KernelHost(ShellHost):
    """dev_disable_lro() in the kernel's net/core/dev.c."""

    def do(self, action):
        complaint = super().do(action)
        path = getattr(action, "path", "")
        if path.startswith("/proc/sys/net/") and "/default/" not in path and action.text == "1":
            device = self.devices["vmxnet0"]
            device.features["lro"] = device.requested["lro"] = False
        return complaint

    @property
    def lro(self):
        return self.devices["vmxnet0"].features["lro"]


@pytest.fixture
def host(tmp_path):
    return KernelHost(tmp_path, {"vmxnet0": vmxnet3, "igb0": igb}, FILES)


KEYS = (
    "net.ipv4.ip_forward",
    "net.ipv4.conf.all.forwarding",
    "net.ipv6.conf.all.forwarding",
    "net.ipv4.conf.vmxnet0.forwarding",
)


@pytest.mark.parametrize("key", KEYS)
def test_lro_comes_back_with_a_revert_and_with_the_originals(host, key):
    done = call(host, "sysctl", sysctl={key: 1}, hold=True, guard_timeout=60)
    assert done["warnings"] == ["vmxnet0 loses with this change: lro; it is restored if the change is reverted"]
    assert not host.lro
    host.passes(60)
    assert host.lro
    for view in ("tune", "sysctl"):
        call(host, sysctl={key: 1})
        assert not host.lro
        done = call(host, view, state="restored")
        assert host.lro
        assert host.originals() == {}
    assert key in done["after"] and "nics" not in done["after"]


@pytest.mark.parametrize(("requested", "warnings"), [({"lro": False}, 0), ({"gro": False}, 1)])
def test_nothing_is_said_of_lro_that_the_call_is_to_switch_off(host, requested, warnings):
    nics = [{"name": "vmxnet0", "features": requested}]
    done = call(host, nics=nics, sysctl={KEYS[0]: 1}, hold=True, guard_timeout=60)
    assert len([said for said in done["warnings"] if "loses with this change" in said]) == warnings
    host.passes(60)
    assert host.lro


def test_a_call_that_fails_brings_lro_back(host):
    low = {"name": "igb0", "pause": {"rx": False}}  # which this driver ignores
    done = engine.tune(host, "tune", {"nics": [low], "sysctl": {KEYS[0]: 1}, "on_unsupported": "fail"})
    assert done["failed"] and done["msg"].endswith("All changes of this call were rolled back.")
    assert host.lro


@pytest.mark.parametrize(
    ("key", "number"), [("net.ipv4.conf.bond0/5.forwarding", 1), ("net.ipv6.conf.bond0.forwarding", 2)]
)
def test_what_lies_below_loses_lro_as_well(key, number):
    """dev_disable_lro() goes down to every lower device, and any number but 0 is on."""
    lower = {"bond0.5": ["lower_bond0"], "bond0": ["lower_eth0", "lower_eth1"]}
    reader = SimpleNamespace(names=lambda path: lower.get(path.rpartition("/")[2], []))
    reached = lro.reach(reader, [Change(Address("sysctl", "", key), "0", number)])
    assert [name for name in reached if name != "bond0.5"] == ["bond0", "eth0", "eth1"]


@pytest.mark.parametrize("sysctl", [{"net.ipv4.conf.default.forwarding": 1}, {KEYS[0]: 0}])
def test_nothing_is_said_where_no_nic_begins_to_forward(host, sysctl):
    assert call(host, sysctl=sysctl)["warnings"] == []
    assert host.lro


class Router(KernelHost):
    """inet_forward_change() in net/ipv4/devinet.c: the key of the host is that of each NIC as well."""

    def do(self, action):
        complaint = super().do(action)
        if getattr(action, "path", "").endswith("/ip_forward"):
            self.files.update({path: action.text for path in self.files if "/ipv4/conf/" in path})
        return complaint


@pytest.mark.parametrize("held", [{}, {"hold": True, "guard_timeout": 60}])
@pytest.mark.parametrize("permanent", [False, True])
def test_what_a_window_has_set_beside_a_key_stays_with_that_key(tmp_path, held, permanent):
    """The forwarding of each NIC, after `prove` has kept ip_forward: it was tried as a temporary change."""
    host = Router(tmp_path, {"vmxnet0": vmxnet3, "igb0": igb}, FILES)
    call(host, sysctl={KEYS[0]: 1}, temporary=3600, **held)
    guard.serve(host, "confirmed", False)
    tuned = {path: host.files[path].strip() for path in FILES}
    assert list(tuned.values()) == ["1", "1", "0", "1", "1"]
    call(host, sysctl={KEYS[0]: 1}, permanent=permanent, file="90-linuxnet-tuning.conf", **held)
    guard.serve(host, "confirmed", False)
    host.passes(3600)
    assert {path: host.files[path].strip() for path in FILES} == tuned
    assert not host.lro
    assert stack.read(host) == []
    call(host, state="restored", permanent=permanent, file="90-linuxnet-tuning.conf")
    assert {path: host.files[path].strip() for path in FILES} == FILES
    assert host.lro and host.originals() == {}
