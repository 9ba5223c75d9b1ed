# SPDX-License-Identifier: GPL-3.0-or-later
"""What the page of guides writes as inventory is what the modules take, line by line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import layers
from ansible_collections.linuxnet.tuning.tests.unit import device_host

PAGE = (Path(__file__).parents[2] / "docs/guides.md").read_text()
SECTIONS = [part for part in PAGE.split("\n## ")[1:] if "```yaml" in part]
MACHINE = {"/proc/meminfo": "MemTotal: 67108864 kB\n", "/sys/devices/system/cpu/online": "0-15\n"}


def inventory(section):
    return yaml.safe_load(re.search(r"```yaml\n(.*?)```", section, re.DOTALL)[1])


@pytest.mark.parametrize("section", SECTIONS, ids=[part.partition("\n")[0] for part in SECTIONS])
def test_the_modules_take_the_inventory_of_a_guide(section):
    written = inventory(section)
    given = layers.options(written, lambda value: value, {}.__getitem__)
    paths = [f"/proc/sys/{key.replace('.', '/')}" for key in given["sysctl"]]
    texts = {
        path: "1 1 1\n" if path.endswith(("rmem", "wmem")) else "some\n" if "qdisc" in path else "1\n" for path in paths
    }
    host = device_host.DeviceHost({}, {**MACHINE, **texts})
    # An entry is read as a whole on a host without such a NIC, too; a key that nobody knows ends the call.
    result = engine._compare(host, {**given, "on_unsupported": "fail"})
    assert not result.get("failed"), result.get("msg")
    assert set(result["after"]["sysctl"]) == set(given["sysctl"])


@pytest.mark.parametrize("section", SECTIONS, ids=[part.partition("\n")[0] for part in SECTIONS])
def test_each_key_is_a_line_of_the_guide_and_each_line_has_its_place(section):
    rows = re.findall(r"^\| (?!the guide|---)(.*?) \| (.*?) \|$", section, re.MULTILINE)
    assert len(rows) >= 6 and all(where.strip() for _line, where in rows)
    told = " ".join(" ".join(row) for row in rows)
    for key in (key for layer in inventory(section).values() if isinstance(layer, dict) for key in layer):
        assert key.rpartition(".")[2] in told, key


def test_there_are_all():
    assert [part.partition(":")[0] for part in SECTIONS] == ["ESnet", "AWS", "Tailscale", "Suricata", "Red Hat"]
