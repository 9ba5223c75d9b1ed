# SPDX-License-Identifier: GPL-3.0-or-later
"""What a NIC that is fresh from its driver is given, where that is something else than the difference from now."""

from __future__ import annotations

import shlex
import subprocess

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Cell
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings.irq import irq
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings.multiq import multiq
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import systemd
from ansible_collections.linuxnet.tuning.tests.unit.device_host import DeviceHost
from ansible_collections.linuxnet.tuning.tests.unit.devices import igb


def lines(family, values, cells):
    text = systemd.render([(family.name, list(values), family.boot("igb0", values, cells))])
    return [line.partition("ExecStart=-")[2] for line in text.splitlines() if line.startswith("ExecStart=-")]


def test_clients_are_mapped_from_nothing_though_they_are_there_already():
    values = {"method": "multiq", "clients": ("192.168.32.1=1",)}
    cells = {key: Cell(value) for key, value in {**values, "root": "multiq 1:", "clsact": False, "others": ()}.items()}
    made = lines(multiq, values, cells)
    assert made[0] == "tc qdisc replace dev igb0 root handle 1: multiq"
    assert "match ip dst 192.168.32.1/32 action skbedit queue_mapping 1" in made[1]
    assert len(made) == 2


def test_interrupts_are_found_by_name_and_files_written_whatever_they_hold():
    values = {"affinity": "each 0 1", "rps": "0-1"}
    cells = {
        "affinity": Cell("each 0 1", where="/proc/irq/27/smp_affinity_list /proc/irq/28/smp_affinity_list"),
        "interrupts": Cell(("igb0-TxRx-0", "igb0-TxRx-1"), fixed=True),
        "rps": Cell("0-1", where="/sys/class/net/igb0/queues/rx-0/rps_cpus"),
    }
    first, second, third = lines(irq, values, cells)
    assert first == (
        "/bin/sh -c \"echo 0 > /proc/irq/$$(grep -w igb0-TxRx-0 /proc/interrupts | cut -d: -f1 | tr -d ' ')"
        '/smp_affinity_list"'
    )
    assert "igb0-TxRx-1" in second
    assert third == '/bin/sh -c "echo 00000003 > /sys/class/net/igb0/queues/rx-0/rps_cpus"'


def test_of_interrupts_with_one_name_each_has_its_own_line_at_boot():
    """All of atlantic have the name of the NIC: without the line a shell gets several numbers, and a path of none."""
    values = {"affinity": "each 0 1"}
    cells = {
        "affinity": Cell("each 0 1", where="/proc/irq/27/smp_affinity_list /proc/irq/28/smp_affinity_list"),
        "interrupts": Cell(("igb0", "igb0"), fixed=True),
    }
    first, second = lines(irq, values, cells)
    assert "echo 0 > /proc/irq/$$(grep -w igb0 /proc/interrupts | sed -n 1p | cut -d: -f1" in first
    assert "echo 1 > /proc/irq/$$(grep -w igb0 /proc/interrupts | sed -n 2p | cut -d: -f1" in second


def kept(host, desired):
    """The commands of the drop-in for a NIC of which this is asked."""
    params = {"on_unsupported": "fail", "guard_timeout": 0, "permanent": True, "nics": [{"name": "igb0", **desired}]}
    engine.tune(host, "ethtool", params)
    text = host.files[systemd.dropin("igb0", "ethtool")]
    return [line.partition("=-")[2] for line in text.splitlines() if line.startswith("ExecStart")]


@pytest.fixture
def host():
    return DeviceHost({"igb0": igb()}, {"/run/systemd/system": ""})


def run(device, line, tmp_path):
    """Carry out a line of a drop-in in a real shell; what ethtool is called with, and how it ends."""
    log = tmp_path / "log"
    log.write_text("")
    known = " ".join([*device, "on", "off", "-K", "igb0"])
    tool = tmp_path / "ethtool"
    tool.write_text(
        f'#!/bin/sh\nfor word; do case " {known} " in *" $word "*) ;; *) exit 92;; esac; done\necho "$*" >> {log}\n'
    )
    tool.chmod(0o755)
    (_shell, _option, command) = shlex.split(line.replace("$$", "$").replace("ethtool -K", f"{tool} -K"))
    ended = subprocess.run(["sh", "-c", command], check=False).returncode
    return log.read_text().splitlines(), ended


def test_a_group_is_kept_by_its_name(host):
    (line,) = kept(host, {"features": {"tso": False}})
    assert line == "ethtool -K igb0 tso off"


def test_a_member_with_a_word_of_its_own_keeps_it(host):
    (line,) = kept(host, {"features": {"tso": False, "tx-tcp6-segmentation": True}})
    assert line.startswith('/bin/sh -c "ethtool -K igb0 tso off tx-tcp6-segmentation on || ')


def test_a_key_that_the_next_kernel_lacks_spoils_no_other(host, tmp_path):
    (line,) = kept(host, {"features": {"gro": False, "tso": False, "tx-tcp6-segmentation": True}})
    assert run(["gro", "tso", "tx-tcp6-segmentation"], line, tmp_path) == (
        ["-K igb0 gro off tso off tx-tcp6-segmentation on"],
        0,
    )
    assert run(["gro", "tso"], line, tmp_path) == (["-K igb0 gro off", "-K igb0 tso off"], 92)


def test_what_belongs_together_stays_together(host):
    lines = kept(host, {"pause": {"autoneg": False, "rx": True, "tx": True}, "ring": {"rx": 4096, "tx": 4096}})
    assert lines == ["ethtool -G igb0 rx 4096 tx 4096", "ethtool -A igb0 autoneg off rx on tx on"]
