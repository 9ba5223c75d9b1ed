# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benchmark of many hosts makes of its runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(name="report")
def _report(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    before = set(sys.modules)
    import report

    yield report
    for name in set(sys.modules) - before:
        del sys.modules[name]


def runs(report, *told):
    return [report.Figures(name, condition, wall, wall / 2, wall, 1, None) for name, condition, wall in told]


def test_a_run_is_compared_with_the_pings_beside_it(report):
    """On a machine that becomes three times slower, `site` costs half a ping all the same."""
    found = report.in_pings(
        runs(
            report,
            ("site", report.FIRST, 20),
            *(
                (name, report.WARM, seconds * slow)
                for slow in (1, 1, 3, 3, 3)
                for name, seconds in (("ping", 10), ("site", 5))
            ),
            ("ping", report.WARM, 30),
        )
    )
    assert found["site", report.WARM][0] == 0.5
    # A first run comes before all pings of its kind.
    assert found["site", report.FIRST] == (2, 2, 2)


def test_new_connections_are_compared_with_new_connections(report):
    found = report.in_pings(
        runs(
            report,
            ("ping", report.COLD, 10),
            ("site", report.COLD, 5),
            ("ping", report.WARM, 1),
            ("audit", report.WARM, 3),
        )
    )
    assert found == {("site", report.COLD): (0.5, 0.5, 0.5), ("audit", report.WARM): (3, 3, 3)}
