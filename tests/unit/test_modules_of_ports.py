# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules are asked only of ports that are in trouble."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import optics
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

TEXT = "\tModule temperature                        : 41.00 degrees C / 105.80 degrees F\n"


def host(asked, text=TEXT):
    def run(argv, _data=""):
        asked.append(argv)
        return (0, text, "")

    return memory_host.connect(memory_host.Files({}), run, True)


@pytest.mark.parametrize(
    "nic, used, reads",
    [
        ({"port": "FIBRE", "carrier": True, "counters": {"total": {"carrier_changes": 2}}}, ["eth0"], False),
        ({"port": "FIBRE", "carrier": False}, [], False),
        ({"port": "FIBRE", "carrier": None}, ["eth0"], False),
        ({"port": "Twisted Pair", "carrier": False}, ["eth0"], False),
        ({"port": "FIBRE", "carrier": False}, ["eth0"], True),
        ({"port": "Direct Attach Copper", "carrier": False, "master": "bond0"}, [], True),
        ({"port": "FIBRE", "carrier": True, "counters": {"total": {"carrier_changes": 412}}}, [], True),
        ({"port": "FIBRE", "carrier": True, "counters": {"total": {}, "growth": {"rx_crc": 31}}}, [], True),
        ({"port": "FIBRE", "carrier": True, "counters": {"silent": True}}, [], False),
    ],
)
def test_only_ports_in_trouble_are_asked(nic, used, reads):
    asked = []
    found = optics.gather(host(asked), {"eth0": nic}, used)
    assert bool(asked) is reads
    assert found == ({"eth0": {"temperature": 41.0}} if reads else {})


def test_a_cage_that_is_empty_tells_nothing_and_not_every_port_is_asked():
    down = {"port": "FIBRE", "carrier": False}
    assert optics.gather(host([], ""), {"eth0": down}, ["eth0"]) == {}
    asked = []
    names = [f"eth{number}" for number in range(9)]
    assert len(optics.gather(host(asked), dict.fromkeys(names, down), names)) == len(asked) == 4
