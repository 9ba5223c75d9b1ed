# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of the kernel and answers of programs that are damaged at random: what cannot be read is left out."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import everything
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import sysfs
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings import judge
from ansible_collections.linuxnet.tuning.tests.unit import case_files, memory_host
from ansible_collections.linuxnet.tuning.tests.unit.described_host import Described

HOSTS = [
    about
    for path in sorted((Path(__file__).parent / "cases" / "outside").glob("*/*.yml"))
    for about in case_files.read(path)["hosts"].values()
]
JUNK = ("", "\n", "\0", "-", "--1", "n/a", "9" * 30, "0x", '{"', "[]", "\udcff", "²", "1e400", "x" * 5000, "%s{}")


def hurt(chance, text):
    first, last = sorted(chance.randrange(len(text) + 1) for _end in range(2))
    return chance.choice(
        (text[:first], text[:first] + chance.choice(JUNK) + text[first:], text[:first] + text[last:], text.upper())
    )


def damaged(chance):
    """What is read of a host, some of whose texts are damaged."""
    host = Described(chance.choice(HOSTS))
    files = host.disk.files
    for path in chance.sample(sorted(files), max(1, len(files) // chance.choice((3, 10, 40)))):
        files[path] = hurt(chance, files[path])

    def run(words, _data=""):
        code, out, err = host._run(words)
        return (chance.choice((code, 0, 255)), hurt(chance, out), err) if chance.random() < 0.2 else (code, out, err)

    return everything.gather(memory_host.connect(host.disk, run, True), [], 0, [])


@pytest.mark.parametrize("seed", range(100))
def test_damaged_texts_are_no_end_of_an_audit(seed):
    facts = json.loads(json.dumps(damaged(random.Random(seed))))
    well = {"host": {"sysctl": {"net.ipv4.tcp_sack": "0"}}}
    found = judge.findings({"damaged": {**facts, "groups": []}, "well": well})
    assert [finding["id"] for finding in found if finding["host"] == "well"] == ["tcp-sack-off"]


@pytest.mark.parametrize("text", ["--1", "²", "1-", "", "9" * 30])
def test_what_is_no_number_is_none(text):
    disk = memory_host.Files({"/sys/file": f"{text}\n"})
    assert sysfs.number(memory_host.connect(disk, None, True), "/sys/file") is None


def test_affinity_that_is_no_list_is_a_setting_that_the_nic_lacks():
    host = Described({"nics": {"eth0": {"driver": "igb", "pci": "8086:1521", "queues": [2, 8], "ring": [256, 4096]}}})
    host.disk.files["/proc/irq/100/smp_affinity_list"] = "0-\n"
    nic = host.facts()["nics"]["eth0"]
    assert (
        nic["missing"]["irq"] == "the kernel's files of its interrupts and queues: '0-' is no CPU and no range of CPUs"
    )
    assert nic["ring"]["rx"]["value"] == 256
