# SPDX-License-Identifier: GPL-3.0-or-later
"""What the callback says at the end."""

from __future__ import annotations

from ansible_collections.linuxnet.tuning.plugins.callback import summary


def test_each_host_is_named_once_under_the_worst_that_is_true():
    hosts = {
        "pc1": {"ok": 1, "changed": 0},
        "pc2": {"ok": 2, "changed": 1},
        "pc3": {"ok": 1, "changed": 1, "failures": 1},
        "pc4": {"unreachable": 1},
        "pc5": {"ok": 2, "changed": 1},
    }
    found = summary.summarise(hosts, {"pc3", "pc5"})
    assert found == {
        "failed": ["pc3"],
        "unreachable": ["pc4"],
        "reverted": ["pc5"],
        "changed": ["pc2"],
        "unchanged": ["pc1"],
    }


def test_lines_are_short_for_a_fleet():
    found = summary.summarise({f"pc{number:03}": {"ok": 1} for number in range(200)}, set())
    assert summary.lines(found) == [
        "unchanged    200   pc000, pc001, pc002, pc003, pc004, pc005, pc006, pc007 and 192 more"
    ]
