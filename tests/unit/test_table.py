# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of layers as a file: damaged it is an error and stays as it is, and its size has no end."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import guard, stack
from ansible_collections.linuxnet.tuning.plugins.module_utils.host import ReadOnlyHost
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import TuningError
from ansible_collections.linuxnet.tuning.tests.unit.devices import igb
from ansible_collections.linuxnet.tuning.tests.unit.shell_host import ShellHost


@pytest.fixture
def host(tmp_path):
    return ShellHost(tmp_path, {"igb0": igb, "igb1": igb})


def mtu(host, value, nic="igb0", **params):
    usual = {"on_unsupported": "fail", "guard_timeout": 0, "permanent": False, "nics": [{"name": nic, "mtu": value}]}
    result = engine.tune(host, "link", {**usual, **params})
    assert not result.get("failed"), result


def mtus(host):
    return [device.link["mtu"] for device in host.devices.values()]


DAMAGES = {
    "a part of it": lambda text: text[: len(text) * 2 // 3],
    "a part of its first line": lambda text: text[:40],
    "its last word": lambda text: text[:-3],
    "a line without its layer": lambda text: text.replace("\t1\t", "\t7\t", 1),
    "no table": lambda _text: "\udcff\udcfe\0\n",
    "no number": lambda text: text.replace("layer\t1", "layer\tx"),
    "fewer columns": lambda text: text.replace("\theld\t", "\t"),
    "more columns": lambda text: text.replace("\theld\t", "\theld\theld\t\t"),
    "neither held nor beside": lambda text: text.replace("\theld\t", "\tkept\t"),
    "a line of something else": lambda text: f"{text}# see ticket 12\n",
    "no note": lambda text: text.replace('{"at"', '["at"'),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("view", ["link", "guard"])
def test_a_damaged_table_is_an_error_and_stays(host, damage, view):
    mtu(host, 1300, temporary=60)
    host.files[stack.TABLE] = damaged = DAMAGES[damage](host.files[stack.TABLE])
    with pytest.raises(TuningError, match=r"line \d+ of /var/lib/linuxnet-tuning/guard/layers is damaged"):
        guard.serve(host, "confirmed", False) if view == "guard" else mtu(host, 9000, "igb1")
    assert host.files[stack.TABLE] == damaged
    assert mtus(host) == [1300, 1500]


def test_a_table_of_hundreds_of_nics_is_read_as_a_whole(tmp_path):
    table = tmp_path / "layers"
    real = ReadOnlyHost(None)
    rows = [f"key\t1\t{number}\theld\tn{number} link mtu\t1\t2\t{'x' * 900}\t" for number in range(2000)]
    note = '{"at": "today", "timeout": 60, "changes": []}'
    table.write_text("".join(f"{row}\n" for row in (f"layer\t1\t0\t60\t{note}", *rows)))
    assert table.stat().st_size > 1 << 20
    reads = type("Reads", (), {"read": lambda _self, _path, most=0: real.read(str(table), most)})()
    assert len(stack.read(reads)[0].lines) == 2000


def test_a_command_that_many_keys_share_stands_once(host):
    host.addresses["igb0"] = {f"fd00::{number:x}/64" for number in range(1, 200)}
    mtu(host, 1200, guard_timeout=60)
    assert len(host.files[stack.TABLE]) < 40000
    host.passes(60)
    assert len(host.addresses["igb0"]) == 199
