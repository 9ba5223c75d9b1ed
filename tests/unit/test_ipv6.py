# SPDX-License-Identifier: GPL-3.0-or-later
"""What an MTU below 1280 takes from a NIC for good: all of IPv6 that somebody had set (RFC 8200).

It comes back with the MTU, whichever way that goes back."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.carrying_out import prepare
from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import plan
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import guard, revert, stack
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import EXACTLY, Address, Cell, Desired
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings.registry import FAMILIES
from ansible_collections.linuxnet.tuning.tests.unit.calls import call, mtu
from ansible_collections.linuxnet.tuning.tests.unit.device_host import DeviceHost
from ansible_collections.linuxnet.tuning.tests.unit.devices import e1000e, igb
from ansible_collections.linuxnet.tuning.tests.unit.shell_host import ShellHost

HERS = {"fd00::1/64"}


@pytest.fixture
def host(tmp_path):
    return ShellHost(tmp_path, {"igb0": igb})


def restored(host):
    return call(host, "link", state="restored")


def test_the_end_of_a_window_brings_it_back(host):
    mtu(host, 1200, temporary=60)
    assert host.addresses["igb0"] == set()
    host.passes(60)
    assert host.addresses["igb0"] == HERS


@pytest.mark.parametrize("value", [1400, 9000])
@pytest.mark.parametrize("timeout", [0, 30])
def test_a_call_in_the_place_of_a_window_brings_it_back(host, value, timeout):
    mtu(host, 1200, temporary=600)
    done = mtu(host, value, guard_timeout=timeout)
    assert host.addresses["igb0"] == HERS
    assert "igb0 has again what a temporary change had removed: address fd00::1/64" in done["remarks"]
    guard.serve(host, "confirmed", False)
    host.addresses["igb0"].clear()  # by somebody, and later
    host.passes(600)
    assert host.addresses["igb0"] == set()
    assert not stack.read(host)


def test_a_call_in_the_place_of_a_window_that_nobody_confirms_leaves_the_window_as_it_was(host):
    mtu(host, 1200, temporary=600)
    mtu(host, 9000, guard_timeout=30)
    host.passes(30)
    assert host.devices["igb0"].link["mtu"] == 1200
    assert host.addresses["igb0"] == set()
    host.passes(570)
    assert host.addresses["igb0"] == HERS


def test_the_originals_within_a_window_bring_it_back(host):
    mtu(host, 1200, temporary=600)
    restored(host)
    assert host.addresses["igb0"] == HERS
    assert not stack.read(host)


@pytest.mark.parametrize("timeout", [0, 30])
def test_a_window_that_is_to_stay_keeps_it_for_the_originals(host, timeout):
    mtu(host, 1200, temporary=60)
    mtu(host, 1200, guard_timeout=timeout)
    guard.serve(host, "confirmed", False)
    host.passes(60)
    assert host.devices["igb0"].link["mtu"] == 1200
    assert host.addresses["igb0"] == set()
    assert "cannot set" not in host.told
    restored(host)
    assert host.addresses["igb0"] == HERS


@pytest.mark.parametrize("ends", [(60, 600), (600, 60)])
@pytest.mark.parametrize("values", [(1200, 1100), (1200, 1200), (1200, 1400), (1400, 1200)])
def test_of_two_windows_the_last_one_brings_it_back(host, values, ends):
    for value, end in zip(values, ends, strict=True):
        mtu(host, value, temporary=end)
    host.passes(60)
    left = values[ends.index(600)]
    assert host.devices["igb0"].link["mtu"] == left
    assert host.addresses["igb0"] == (HERS if left >= 1280 else set())
    host.passes(540)
    assert host.devices["igb0"].link["mtu"] == 1500
    assert host.addresses["igb0"] == HERS
    assert "cannot set" not in host.told and not stack.read(host)


CONF = "/proc/sys/net/ipv6/conf"


class KernelHost(ShellHost):
    """What addrconf.c does by itself: without IPv6 a NIC has no address, and its MTU becomes that of IPv6."""

    def __init__(self, folder):
        files = {f"{CONF}/{name}/disable_ipv6": "0" for name in ("all", "default", "igb0")}
        files.update({f"{CONF}/igb0/mtu": "1400", "/sys/class/net/igb0/mtu": "1500"})
        super().__init__(folder, {"igb0": igb}, files)

    def do(self, action):
        complaint = super().do(action)
        path = getattr(action, "path", "")
        if path.endswith("/disable_ipv6"):
            every = [CONF + f"/{name}/disable_ipv6" for name in ("all", "default", "igb0")]
            self.files.update(dict.fromkeys(every if "/all/" in path else [path], action.text))
        if self.files[f"{CONF}/igb0/disable_ipv6"].strip() == "1":
            self.addresses["igb0"].clear()
        if str(action).startswith("ip link set dev igb0 mtu"):
            value = str(self.devices["igb0"].link["mtu"])
            self.files.update({f"{CONF}/igb0/mtu": value, "/sys/class/net/igb0/mtu": value})
        return complaint


@pytest.fixture
def kernel(tmp_path):
    return KernelHost(tmp_path)


@pytest.mark.parametrize("name", ["igb0", "all"])
def test_what_goes_with_a_parameter_that_disables_it_comes_back(kernel, name):
    off = {"sysctl": {f"net.ipv6.conf.{name}.disable_ipv6": 1}}
    done = call(kernel, **off, hold=True, guard_timeout=60)
    assert any("igb0 loses with this change: address fd00::1/64" in said for said in done["warnings"])
    assert kernel.addresses["igb0"] == set()
    kernel.passes(60)
    assert kernel.addresses["igb0"] == HERS
    for view in ("tune", "sysctl"):
        call(kernel, **off)
        assert kernel.addresses["igb0"] == set()
        call(kernel, view=view, state="restored")
        assert kernel.addresses["igb0"] == HERS
        assert kernel.originals() == {}


def test_a_default_that_disables_it_takes_nothing_along(kernel):
    done = call(kernel, sysctl={"net.ipv6.conf.default.disable_ipv6": 1})
    assert done["warnings"] == [] and kernel.addresses["igb0"] == HERS


def test_a_smaller_mtu_of_ipv6_comes_back_with_the_mtu(kernel):
    call(kernel, nics=[{"name": "igb0", "mtu": 9000}], guard_timeout=60)
    assert kernel.files[f"{CONF}/igb0/mtu"] == "9000"
    kernel.passes(60)
    assert kernel.files[f"{CONF}/igb0/mtu"] == "1400"
    kernel.files["/sys/class/net/igb0/mtu"] = "1500"
    call(kernel, nics=[{"name": "igb0", "mtu": 9000}])
    assert ("igb0", "net.ipv6.conf.igb0.mtu") in kernel.originals()
    call(kernel, state="restored")
    assert kernel.files[f"{CONF}/igb0/mtu"].strip() == "1400"
    assert kernel.originals() == {}


def test_an_mtu_of_ipv6_that_ours_has_ended_is_no_original(kernel):
    call(kernel, nics=[{"name": "igb0", "mtu": 9000}])
    call(kernel, sysctl={"net.ipv6.conf.igb0.mtu": 1300})
    assert kernel.originals()["", "net.ipv6.conf.igb0.mtu"] == "1400"
    done = call(kernel, state="restored")
    assert kernel.files[f"{CONF}/igb0/mtu"].strip() == "1400"
    assert done["warnings"] == [] and kernel.originals() == {}


def test_what_cannot_be_brought_back_holds_up_nothing_else(kernel):
    kernel.addresses["igb0"].add("fd00::2/64")
    call(kernel, nics=[{"name": "igb0", "mtu": 1200}])
    usual = kernel._ipv6
    kernel._ipv6 = lambda argv: (0, "", "") if argv[2:5] == ("address", "replace", "fd00::2/64") else usual(argv)
    done = call(kernel, state="restored")
    assert kernel.devices["igb0"].link["mtu"] == 1500 and kernel.addresses["igb0"] == HERS
    assert ("igb0", "address fd00::2/64") in kernel.originals()
    assert any("fd00::2/64" in said and "remains saved" in said for said in done["warnings"])


def test_a_call_that_fails_and_the_originals_bring_it_back():
    low = {"name": "e1000e0", "mtu": 1000}
    host = DeviceHost({"e1000e0": e1000e(), "igb0": igb()})
    done = engine.tune(host, "tune", {"nics": [{**low, "pause": {"rx": False}}], "on_unsupported": "fail"})
    assert done["failed"] and done["msg"].endswith("All changes of this call were rolled back.")
    assert host.addresses == {"e1000e0": {"fd00::1/64"}, "igb0": {"fd00::1/64"}}
    done = engine.tune(host, "tune", {"nics": [low], "on_unsupported": "fail"})
    assert host.addresses["e1000e0"] == set()
    assert done["remarks"] == [
        "e1000e0 loses with this change: address fd00::1/64; it is restored if the change is reverted"
    ]
    done = engine.tune(host, "tune", {"nics": [{"name": "e1000e0"}], "state": "restored", "on_unsupported": "fail"})
    assert [line for line in host.log if line.startswith("ip ")][-2:] == [
        "ip link set dev e1000e0 mtu 1500",
        "ip -6 address replace fd00::1/64 dev e1000e0",
    ]
    # The same by the shell, after the link.
    todo = plan.make({Address("link", "e1000e0", "mtu"): Desired(EXACTLY, 1000)}, _cells(host, "link"), FAMILIES, {})
    beside = _cells(host, "ipv6")
    steps = revert.steps(FAMILIES, todo, {**_cells(host, "link"), **beside}, list(beside))
    actions = [action for step in steps for action in step.actions]
    assert [str(action) for action in actions] == [
        "ip link set dev e1000e0 mtu 1500",
        "ip -6 address replace fd00::1/64 dev e1000e0",
    ]


def test_it_goes_back_as_a_whole():
    """A route from an address, and one by the way of another, need the order and each other."""
    keys = {
        "address fd00::1/64": "fd00::1/64",
        "route default": "default via fd00:9::1 src fd00::1",
        "route fd00:9::/64": "fd00:9::/64",
    }
    before = {Address("ipv6", "v0", key): Cell(value) for key, value in keys.items()}
    mtu = Address("link", "v0", "mtu")
    todo = plan.make({mtu: Desired(EXACTLY, 1000)}, {mtu: Cell(1500)}, FAMILIES, {})
    made, _files = revert.lines(revert.steps(FAMILIES, todo, {mtu: Cell(1500), **before}, list(before)), 1, {mtu: 1000})
    (whole,) = {line.command for line in made if " ipv6 " in line.name}
    order = ["address replace fd00::1/64 nodad", "route replace fd00:9::/64", "route replace default"]
    positions = [whole.index(words) for words in order]
    assert positions == sorted(positions)
    # What was not there before us goes with the MTU by itself.
    assert FAMILIES["ipv6"].write("v0", dict.fromkeys(keys, "absent"), {}) == []


def _cells(host, family):
    return prepare.read(host, FAMILIES, {(family, "e1000e0"): []}).cells
