# SPDX-License-Identifier: GPL-3.0-or-later
"""Every page that the collection writes, in the eyes of axe-core: wide and on a phone, by day and by night."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.audit import report as audit
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.each import tell
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings import judge
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import history, history_page, report, verdict
from ansible_collections.linuxnet.tuning.tests.browser.chromium import Chromium
from ansible_collections.linuxnet.tuning.tests.browser.test_report import facts
from ansible_collections.linuxnet.tuning.tests.unit.measurements import BEFORE, HARM, measured
from ansible_collections.linuxnet.tuning.tests.unit.test_each import entry


def pages():
    """Each page by its name."""
    slow, fast = ([[rate, 2 * rate, 940e6]] * 8 for rate in (300e6, 470e6))
    before, after = (measured(rows, "down") for rows in (slow, fast))
    decided = verdict.decide([("before", before), ("after", after)], ["router1"], "sum", 0.05)
    nights = [measured([[90.0 - 30 * (night > 14)] * 3] * 3) for night in range(24)]
    for night, one in enumerate(nights, 1):
        one["ended"] = f"2026-11-{night:02}"
    whole = facts()
    double = [[2 * rate for rate in rates] for rates in BEFORE]
    steps = [entry("mtu", [BEFORE]), entry("ring", [double]), entry("pause", [HARM])]
    return {
        "audit": audit.document(whole, judge.findings(whole), "2026-11-21 12:00"),
        "benchmark": report.write(after),
        "prove": report.write(after, before, decided),
        "prove_each": report.write(after, before, first=[tell.section(steps)]),
        "history": history_page.write(history.make(nights)),
    }


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, text in pages().items():
        (folder / f"{name}.html").write_text(text)
    browser = Chromium()
    browser.folder = folder
    yield browser
    browser.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["audit", "benchmark", "prove", "prove_each", "history"])
def test_page_has_no_fault(browser, name, width, scheme):
    browser.media(scheme=scheme)
    browser.size(width, 844, 2 if width == 390 else 1)
    browser.open(browser.folder / f"{name}.html")
    browser.evaluate("document.querySelectorAll('details').forEach(node => { node.open = true; })")
    assert browser.faults() == []
