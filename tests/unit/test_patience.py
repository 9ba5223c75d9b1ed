# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a value is waited for that settles after its command has ended."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.carrying_out import applying
from ansible_collections.linuxnet.tuning.plugins.module_utils.family import HOST
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Address, Cell, Run
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

KEY = Address("bonding", "", "mode")


@pytest.mark.parametrize(
    ("answers", "patience", "seconds"),
    [
        ((0,), 30, [30]),
        ((0, 0), 30, [30]),
        # NetworkManager may activate by itself what a command was refused, and does so at once.
        ((1,), 30, [applying.REFUSED_SECONDS]),
        ((0, 1), 30, [applying.REFUSED_SECONDS]),
        # What an earlier command complains of says nothing of the last one.
        ((1, 0), 30, [30]),
        ((1,), 2, [2]),
        ((0,), 0, []),
    ],
)
def test_what_is_refused_is_waited_for_shortly(answers, patience, seconds):
    waited, left = [], list(answers)
    host = memory_host.connect(memory_host.Files(), lambda _argv, _data="": (left.pop(0), "", ""), False)
    host.wait_until = lambda _happened, limit: waited.append(limit)
    write = [Run(("nmcli", str(number))) for number in range(len(answers))]
    family = SimpleNamespace(write=lambda *_given: write, follows="", scope=HOST, patience=patience)
    cells = {KEY: Cell("balance-rr")}
    applying.Applying(host, {"bonding": family}, cells, lambda _addresses: cells).do(
        ("bonding", ""), {"mode": "802.3ad"}
    )
    assert waited == seconds
