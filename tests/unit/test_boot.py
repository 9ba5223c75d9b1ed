# SPDX-License-Identifier: GPL-3.0-or-later
"""What a NIC that is fresh from its driver is given, where that is something else than the difference from now."""

from __future__ import annotations

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Cell
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings.irq import irq
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings.multiq import multiq
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import systemd


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
        "affinity": Cell("each 0 1", place="/proc/irq/27/smp_affinity_list /proc/irq/28/smp_affinity_list"),
        "interrupts": Cell(("igb0-TxRx-0", "igb0-TxRx-1"), fixed=True),
        "rps": Cell("0-1", place="/sys/class/net/igb0/queues/rx-0/rps_cpus"),
    }
    first, second, third = lines(irq, values, cells)
    assert first == (
        "/bin/sh -c \"echo 0 > /proc/irq/$$(grep -w igb0-TxRx-0 /proc/interrupts | cut -d: -f1 | tr -d ' ')"
        '/smp_affinity_list"'
    )
    assert "igb0-TxRx-1" in second
    assert third == '/bin/sh -c "echo 00000003 > /sys/class/net/igb0/queues/rx-0/rps_cpus"'
