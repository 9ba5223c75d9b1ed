# SPDX-License-Identifier: GPL-3.0-or-later
"""There is one host in memory with layers, and docs/architecture.md says what each of them is for."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.host import ReadOnlyHost
from ansible_collections.linuxnet.tuning.tests.unit.devices import igb
from ansible_collections.linuxnet.tuning.tests.unit.memory_host import Files, MemoryHost, Reader
from ansible_collections.linuxnet.tuning.tests.unit.wilful_host import WilfulHost

FOLDER = Path(__file__).parent
LAYERS = ["memory_host", "device_host", "shell_host", "queues_host", "wilful_host"]


def derived(path):
    """The classes of a file by what they are derived from."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef):
            yield from ((ast.unparse(base).rpartition(".")[2], node.name) for base in node.bases)


def test_one_file_stands_in_for_the_host():
    found = {path.stem for path in FOLDER.glob("*.py") if {"Host", "ReadOnlyHost"} & dict(derived(path)).keys()}
    assert found == {"memory_host"}


def test_each_layer_builds_on_the_one_before():
    hosts = [one for one in WilfulHost.__mro__ if one.__module__.endswith("_host")]
    assert list(dict.fromkeys(one.__module__.rpartition(".")[2] for one in reversed(hosts))) == LAYERS


def test_each_layer_is_told_of():
    text = (FOLDER.parents[1] / "docs/architecture.md").read_text()
    section = text.partition("## The host of the unit tests")[2].partition("## ")[0]
    assert re.findall(r"^- `(\w+)\.py`: ", section, re.MULTILINE) == LAYERS
    assert {path.stem for path in FOLDER.glob("*_host.py")} - {"test_host"} == {*LAYERS, "described_host"}


def test_who_replaces_the_files_replaces_them_for_everybody():
    host = MemoryHost(None, Files({"/a": "1"}))
    reader = Reader(host)
    host.files = {"/b/c": "2"}
    assert (reader.read("/a"), reader.read("/b/c"), reader.names("/b")) == (None, "2", ["c"])
    assert host.disk.files is host.files


def test_a_reader_sees_what_each_layer_sees_and_cannot_write(tmp_path):
    host = WilfulHost(tmp_path)
    reader = Reader(host)
    assert isinstance(reader, ReadOnlyHost) and not hasattr(reader, "do")
    host.now, host.clocks, host.devices["igb7"] = 1234, {"linuxnet-tuning-window": 1300}, igb()
    assert reader.uptime() == 1234
    assert reader.exists("/run/systemd/transient/linuxnet-tuning-window.service")
    assert reader.names("/sys/class/net") == ["e1000e0", "igb0", "igb0.5", "igb0.5.7", "igb7"]
    assert reader.target("/sys/class/net/igb7/device/driver") == "igb"


@pytest.mark.parametrize("name", [name for name in vars(ReadOnlyHost) if not name.startswith("_")])
def test_what_looks_at_a_host_does_not_look_at_this_machine(name):
    """But for a clock that nobody sets, and a URL."""
    own = {"ask": "_run", "wait_for": "wait_until"}.get(name, name)
    assert own in vars(MemoryHost) or name in ("seconds", "fetch")
