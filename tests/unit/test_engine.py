# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole calls on devices in memory: what they set, what they refuse, and what they say."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import paths
from ansible_collections.linuxnet.tuning.plugins.module_utils.family import Field
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import guard, memory
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Answer, TuningError
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import clients
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings.sysctl import sysctl
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import tc
from ansible_collections.linuxnet.tuning.tests.unit.device_host import DeviceHost
from ansible_collections.linuxnet.tuning.tests.unit.devices import igb


def call(host, view="tune", **params):
    return engine.tune(host, view, {"on_unsupported": "fail", "guard_timeout": 0, "permanent": False, **params})


def test_a_queue_of_no_length_is_a_value():
    host = DeviceHost({"igb0": igb()})
    result = call(host, nics=[{"name": "igb0", "txqueuelen": 0}])
    assert result["after"]["nics"] == {"igb0": {"txqueuelen": 0}}
    assert not call(host, nics=[{"name": "igb0", "txqueuelen": 0}])["changed"]
    call(host, state="restored")
    assert host.devices["igb0"].link["txqlen"] == 1000


def test_what_cannot_be_read_any_more_is_not_said_to_be_back():
    device = igb()
    host = DeviceHost({"igb0": device})

    def lose(_words):
        device.channels.clear()
        return 1, "", "netlink error: Input/output error\n"

    device._set_channels = lose
    result = call(host, nics=[{"name": "igb0", "channels": {"combined": 4}}])
    assert result["failed"]
    assert "igb0 channels combined could not be rolled back" in result["msg"]


@pytest.mark.parametrize("check", [True, False])
def test_without_systemd_nothing_temporary_begins(check):
    host = DeviceHost({"igb0": igb()})
    if check:
        host = type("Reader", (engine.ReadOnlyHost,), {"exists": lambda _self, _path: False})(None)
    with pytest.raises(TuningError, match="does not run systemd, so nothing would end the change"):
        call(host, temporary=60, nics=[{"name": "igb0", "mtu": 1300}])
    assert check or host.log == []


def test_what_goes_back_is_not_said_to_be_lost_with_the_reboot():
    host = DeviceHost({"igb0": igb()})
    remark = "This host does not run systemd, so what is set on NICs will not survive the reboot"
    assert remark in call(host, "link", permanent=True, nics=[{"name": "igb0", "mtu": 1300}])["warnings"]
    assert remark not in restored(host, view="link", permanent=True).get("warnings", [])


@pytest.mark.parametrize("temporary", [None, 0])
def test_no_seconds_are_no_end(temporary):
    host = DeviceHost({"igb0": igb()})
    call(host, temporary=temporary, nics=[{"name": "igb0", "mtu": 1300}])
    assert memory.BASELINE in host.files


BROKEN = {
    "damaged": "{",
    "newer": json.dumps({"version": 2, "values": []}),
    "without a value": json.dumps({"version": 1, "values": [{"family": "link", "nic": "igb0", "key": "mtu"}]}),
    "of another shape": json.dumps({"version": 1, "values": {"igb0": 1500}}),
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("params", [{"state": "restored"}, {"nics": [{"name": "igb0", "mtu": 9000}]}])
def test_originals_that_cannot_be_read_are_an_error(text, params):
    host = DeviceHost({"igb0": igb()}, {memory.BASELINE: text})
    with pytest.raises(TuningError, match=r"cannot be read .* Nothing was changed"):
        call(host, **params)
    assert host.log == []
    assert host.files[memory.BASELINE] == text


@pytest.mark.parametrize(("desired", "counted"), [("1000", "1024"), ("1024", "1024"), ("0", "0"), ("1 1025", "1 2048")])
def test_tables_of_flows_are_as_large_as_the_kernel_makes_them(desired, counted):
    from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import irq

    assert irq._counted(len(desired.split()), desired) == counted


class Pinged:
    """A host whose peers answer."""

    def __init__(self):
        self.asked = []

    def names(self, _path):
        return ["eth0", "eth1", "lo"]

    def read(self, _path):
        return "9000\n"

    def ask(self, query):
        self.asked.append((query.argv[-2], query.argv[-1]))
        return Answer(0, "", "")


@pytest.mark.parametrize("name", ["eth0", "eth[0]"])
@pytest.mark.parametrize("addresses", ["192.0.2.1 fd00::1", ["192.0.2.1", "fd00::1"]])
def test_peers_are_asked_however_they_are_written(name, addresses):
    host = Pinged()
    paths.to_peers(
        host, [{"name": name, "path_check": addresses}, {"name": "eth0"}, {"name": "eth9", "path_check": "::1"}]
    )
    assert host.asked == [("eth0", "192.0.2.1"), ("eth0", "fd00::1")]


# As tc 6.1 prints these destinations; the action is that of a capture on Linux 6.1.
SHOWN = {
    "10.0.0.1=5": ("ip", ["match 0a000001/ffffffff at 16"]),
    "0.0.0.0/0=5": ("ip", ["match 00000000/00000000 at 16"]),
    "::/0=5": ("ipv6", []),
}


@pytest.mark.parametrize(
    ("written", "client"),
    [
        ("10.0.0.1/32=5", "10.0.0.1=5"),
        ("0.0.0.0/0=5", "0.0.0.0/0=5"),
        ("::/0=5", "::/0=5"),
        ("fd00::1/128=3", "fd00::1=3"),
    ],
)
def test_a_network_is_read_as_it_was_written(written, client):
    assert clients.understand(Field("clients", "clients"), [written]).value == (client,)
    if client in SHOWN:
        protocol, matches = SHOWN[client]
        head = f"filter protocol {protocol} pref 20005 u32 chain 0"
        lines = [
            head,
            f"{head} fh 800: ht divisor 1",
            f"{head} fh 800::800 order 2048 key ht 800 bkt 0 terminal flowid",
        ]
        lines += [f"  {match}" for match in matches]
        lines += ["\taction order 1: skbedit queue_mapping 5 pipe", "\t index 1 ref 1 bind 1"]
        (found,) = tc.parse_filters("\n".join(lines))
        assert found.client == client
        assert tc.parse_mappings("\n".join(lines))[0].client == client.partition("=")[0]


def test_one_address_is_one_client_however_it_is_written():
    with pytest.raises(TuningError, match="is there twice"):
        clients.understand(Field("clients", "clients"), ["10.0.0.1/32=5", "10.0.0.1=6"])


def test_the_hint_names_the_variable_of_the_inventory():
    with pytest.raises(TuningError, match="tuning_on_unsupported"):
        call(DeviceHost({"igb0": igb()}), nics=[{"name": "igb0", "ring": {"rx_mini": 8}}])


def restored(host, **params):
    return call(host, state="restored", **params)


def noted(host):
    text = host.files.get(memory.BASELINE)
    return [(entry["nic"], entry["key"]) for entry in json.loads(text)["values"]] if text else []


def test_an_original_whose_key_is_gone_does_not_hold_up_the_others():
    keys = {"/proc/sys/net/ipv4/conf/igb9/rp_filter": "1\n", "/proc/sys/net/core/somaxconn": "4096\n"}
    host = DeviceHost({"igb0": igb(), "igb9": igb()}, keys)
    sysctl = {"net.ipv4.conf.igb9.rp_filter": 0, "net.core.somaxconn": 9000}
    call(host, nics=[{"name": "igb0", "mtu": 9000}], sysctl=sysctl)
    gone = next(iter(keys))
    host.files.pop(gone)
    device = host.devices.pop("igb9")
    result = restored(host)
    assert not result.get("failed"), result
    assert host.devices["igb0"].link["mtu"] == 1500
    assert host.files["/proc/sys/net/core/somaxconn"].strip() == "4096"
    assert noted(host) == [("", "net.ipv4.conf.igb9.rp_filter")]
    assert [item["nic"] for item in result["unsupported"]] == ["igb9"]
    assert any("cannot be set back now, and stays noted" in text for text in result["warnings"])
    assert not restored(host)["changed"]
    host.files[gone] = "0\n"
    host.devices["igb9"] = device
    assert restored(host)["changed"]
    assert host.files[gone].strip() == "1"
    assert noted(host) == []
    assert not [path for path in host.files if "linuxnet-tuning" in path]


def test_an_original_that_the_kernel_refuses_does_not_hold_up_the_others():
    key = "/proc/sys/vm/dirty_background_bytes"

    class Refusing(DeviceHost):
        def do(self, action):
            if getattr(action, "path", "") == key and action.text == "0":
                self.log.append(str(action))
                return "Invalid argument"
            return super().do(action)

    device = igb()
    host = Refusing({"igb0": device}, {key: "0\n", "/proc/sys/net/core/somaxconn": "4096\n"})
    call(
        host,
        nics=[{"name": "igb0", "channels": {"combined": 8}, "mtu": 9000}],
        sysctl={"vm.dirty_background_bytes": 1000000, "net.core.somaxconn": 9000},
    )
    device.channels_max["combined"] = 1  # and fewer queues than before
    device.channels["combined"] = 1
    result = restored(host)
    assert not result.get("failed"), result
    assert (device.link["mtu"], host.files["/proc/sys/net/core/somaxconn"].strip()) == (1500, "4096")
    assert host.files[key].strip() == "1000000"
    assert sorted(noted(host)) == [("", "vm.dirty_background_bytes"), ("igb0", "combined")]
    said = " ".join(result["warnings"])
    assert "Invalid argument" in said
    assert "the maximum is 1" in said


class TwoWays(DeviceHost):
    """A limit of memory as page-writeback.c has it: as bytes, of which 0 is refused, or as a share."""

    def do(self, action):
        path = getattr(action, "path", "")
        if path.endswith("_bytes") and action.text == "0" and self.files[path].strip() != "0":
            return "Invalid argument"
        if getattr(action, "lazy", False) and self.files[path].strip() == action.text:
            return ""
        if path.startswith("/proc/sys/vm/dirty_"):
            self.files[path.replace("bytes", "ratio") if "bytes" in path else path.replace("ratio", "bytes")] = "0\n"
        return super().do(action)


@pytest.mark.parametrize("kept", [("0", "10"), ("1000000", "0")])
@pytest.mark.parametrize("desired", [{"vm.dirty_background_bytes": 5000000}, {"vm.dirty_background_ratio": 20}])
def test_a_limit_of_memory_comes_back_in_the_way_it_was_said(kept, desired):
    paths = ("/proc/sys/vm/dirty_background_bytes", "/proc/sys/vm/dirty_background_ratio")
    host = TwoWays({"igb0": igb()}, dict(zip(paths, kept, strict=True)))
    assert not call(host, sysctl=desired).get("failed")
    assert [host.files[path].strip() for path in paths] != list(kept)
    assert restored(host)["warnings"] == []
    assert [host.files[path].strip() for path in paths] == list(kept)
    assert noted(host) == []


def test_the_finer_of_two_units_is_set_last():
    neighbours = "net.ipv4.neigh.igb0.unres_qlen"
    written = sysctl.write("", {f"{neighbours}_bytes": "212992", neighbours: "101"}, {})
    assert [action.text for action in written] == ["101", "212992"]


@pytest.fixture
def guarded():
    """A host with a permanent MTU that somebody has confirmed."""
    host = DeviceHost({"igb0": igb()}, {"/run/systemd/system": ""})
    call(host, view="link", guard_timeout=60, nics=[{"name": "igb0", "mtu": 9000}])
    guard.serve(host, "confirmed", False)
    assert noted(host) == [("igb0", "mtu")]
    return host


def test_originals_are_kept_until_it_is_confirmed_that_they_are_back(guarded):
    restored(guarded, guard_timeout=60)
    assert noted(guarded) == [("igb0", "mtu")]
    restored(guarded, guard_timeout=60)  # also by a run that finds nothing to change
    assert noted(guarded) == [("igb0", "mtu")]
    guard.serve(guarded, "confirmed", False)
    assert noted(guarded) == []
    assert not [path for path in guarded.files if "linuxnet-tuning" in path]


def test_originals_that_nobody_confirmed_can_be_set_back_once_more(guarded):
    restored(guarded, guard_timeout=60)
    (layer,) = guard.pending(guarded)
    (line,) = (line for line in layer.lines if line.kind == "held")
    assert (line.command, line.words) == ("live ip link set dev igb0", "mtu 9000")  # what the clock does
    guarded.devices["igb0"].link["mtu"] = 9000
    guard.drop(guarded, layer.number)
    assert restored(guarded)["changed"]
    assert guarded.devices["igb0"].link["mtu"] == 1500
    assert noted(guarded) == []


def test_what_is_changed_again_before_the_confirmation_keeps_its_original(guarded):
    restored(guarded, guard_timeout=60)
    call(guarded, view="link", guard_timeout=60, nics=[{"name": "igb0", "mtu": 4000}])
    guard.serve(guarded, "confirmed", False)
    assert noted(guarded) == [("igb0", "mtu")]
    restored(guarded)
    assert guarded.devices["igb0"].link["mtu"] == 1500


@pytest.mark.parametrize(
    ("state", "check", "reads"),
    [("checked", False, True), ("status", False, False), ("confirmed", False, False), ("confirmed", True, True)],
)
def test_who_checks_a_host_takes_no_lock(state, check, reads, monkeypatch):
    """It would be taken for a call that hangs, and the clock would end it."""
    modes = []
    monkeypatch.setattr(engine, "connect", lambda _runner, check_mode: modes.append(check_mode))
    monkeypatch.setattr(engine, "answer", lambda *_arguments: None)
    engine.protect(SimpleNamespace(params={"state": state}, check_mode=check))
    assert modes == [reads]
