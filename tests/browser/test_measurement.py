# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a measured change in a real browser: it shows the verdict and its charts, and fetches nothing."""

from __future__ import annotations

import base64
import re

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import report, verdict
from ansible_collections.linuxnet.tuning.tests.browser.chromium import Chromium
from ansible_collections.linuxnet.tuning.tests.unit.measurements import measured

SHARED = [[310e6, 480e6, 940e6], [470e6, 470e6, 930e6], [300e6, 940e6, 640e6], [440e6, 470e6, 930e6]] * 2
OWN = [[938e6, 941e6, 940e6], [939e6, 941e6, 941e6], [940e6, 941e6, 940e6], [941e6, 940e6, 939e6]] * 2


@pytest.fixture(scope="module", params=["better", "worse"])
def page(request, tmp_path_factory):
    before, after = (measured(rows, "down") for rows in (SHARED, OWN))
    if request.param == "worse":
        before, after = after, before
    decided = verdict.decide([("before", before), ("after", after)], ["router1"], "sum", 0.05)
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
    charts = "[...document.querySelectorAll('#group1 svg')].map(n => [n.getBoundingClientRect().height, n.textContent])"
    sizes, texts = zip(*page.evaluate(charts), strict=True)
    assert all(height > 20 for height in sizes)
    assert all(f"pc{number}" in texts[0] for number in (1, 2, 3))


def test_charts_say_what_the_verdict_says(page):
    """Both medians stand beside the chart of the figure that decides, which is in the verdict."""
    said = page.evaluate("document.querySelector('#verdict svg').textContent")
    low, high = "1.85 Gbit/s", "2.82 Gbit/s"
    assert low in said and high in said
    assert f"from {low if page.says == 'better' else high} to" in page.evaluate(
        "document.querySelector('#verdict').textContent"
    )


def test_charts_are_drawn_anew_for_a_phone(page):
    sizes = "[...document.querySelectorAll('svg text')].map(n => parseFloat(getComputedStyle(n).fontSize))"
    scale = "[...document.querySelectorAll('svg')].map(n => n.getScreenCTM().a)"
    boxes = "[...document.querySelectorAll('svg text')].map(n => n.getBoundingClientRect()).map(r => [r.left, r.right])"
    for width in (390, 1280):
        page.size(width, 844, 2 if width == 390 else 1)
        assert min(page.evaluate(sizes)) >= 12
        assert set(page.evaluate(scale)) == {1}
        assert all(left >= 0 and right <= width for left, right in page.evaluate(boxes))


def test_every_chart_has_an_axis_with_a_unit_and_its_data(page):
    charts = page.evaluate(
        "[...document.querySelectorAll('svg')].map(n => [n.querySelectorAll('.axis').length,"
        "n.querySelector('text.axis:last-of-type') !== null, n.nextElementSibling.tagName])"
    )
    assert all(labels >= 3 and after == "DETAILS" for labels, _axis, after in charts)
    units = page.evaluate(
        "[...document.querySelectorAll('svg')].map(n => [...n.querySelectorAll('.axis')]"
        ".map(t => t.textContent).join(' '))"
    )
    assert all(any(unit in text for unit in ("bit/s", "best", "B", "bytes")) for text in units)


def test_whiskers_can_be_seen(page):
    wide = page.evaluate(
        "Math.min(...[...document.querySelectorAll('.whisker')].map(n => parseFloat(getComputedStyle(n).strokeWidth)))"
    )
    assert wide >= 2


def test_words_are_not_those_of_a_program(page):
    text = page.evaluate("document.body.innerText")
    assert not any(word in text for word in ("True", "False", "['", "None"))


def test_no_unit_breaks_in_the_middle_of_a_tile(page):
    widths = """(() => { const tiles = document.querySelector(".tiles");
        const tile = tiles.querySelector("dd"), before = tiles.innerHTML;
        tile.textContent = '170 ms/Gbit'; tile.style.overflowWrap = 'normal';
        tiles.innerHTML += tiles.innerHTML;
        const found = [tiles.querySelector('dd').scrollWidth, tiles.querySelector('dd').clientWidth];
        tiles.innerHTML = before; return found; })()"""
    for width in range(340, 641, 20):
        page.size(width, 844)
        needed, there = page.evaluate(widths)
        assert needed <= there, width


def test_paper_has_two_pages(page):
    page.media("print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    paper = base64.b64decode(page.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) <= 2
    page.media()


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_scrolls_sideways(page, width):
    page.size(width, 800, 2 if width == 360 else 1)
    page.evaluate("document.querySelectorAll('details').forEach(n => { n.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
