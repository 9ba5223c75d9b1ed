# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a measured change in a real browser: it shows the verdict and its charts, and fetches nothing."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import report, verdict
from ansible_collections.linuxnet.tuning.tests.browser.chromium import Chromium
from ansible_collections.linuxnet.tuning.tests.unit.measurements import measured

SHARED = [[310e6, 480e6, 940e6], [470e6, 470e6, 930e6], [300e6, 940e6, 640e6]]
OWN = [[938e6, 941e6, 940e6], [939e6, 941e6, 941e6], [940e6, 941e6, 940e6]]


@pytest.fixture(scope="module", params=["kept", "rolled back"])
def page(request, tmp_path_factory):
    before, after = (measured(rows, "down") for rows in (SHARED, OWN))
    if request.param == "rolled back":
        before, after = after, before
    decided = verdict.decide(before, [after], ["router1"], "sum", 0.05)
    browser = Chromium()
    browser.path = tmp_path_factory.mktemp("report") / "prove.html"
    browser.path.write_text(report.write(after, before, decided))
    browser.says = request.param
    browser.open(browser.path)
    yield browser
    browser.close()


def test_page_loads_without_a_complaint_or_a_request(page):
    assert page.evaluate("document.title") == "Network measurement, before and after"
    assert page.complaints() == []
    assert page.requests() == []


def test_verdict_is_the_first_thing_to_be_seen(page):
    page.size(1280, 900)
    verdict_of = "document.querySelector('#verdict')"
    assert page.says in page.evaluate(f"{verdict_of}.textContent")
    assert page.evaluate(f"{verdict_of}.getBoundingClientRect().top < innerHeight / 2")


def test_charts_have_a_row_for_each_client(page):
    charts = "[...document.querySelectorAll('svg')].map(n => [n.getBoundingClientRect().height, n.textContent])"
    sizes, texts = zip(*page.evaluate(charts), strict=True)
    assert all(height > 20 for height in sizes)
    assert all(f"pc{number}" in texts[0] for number in (1, 2, 3))


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_scrolls_sideways(page, width):
    page.size(width, 800, 2 if width == 360 else 1)
    page.evaluate("document.querySelectorAll('details').forEach(n => { n.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
