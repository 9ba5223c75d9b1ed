# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of an audit in a real browser: it searches, filters, copies, fits a phone, and fetches nothing."""

from __future__ import annotations

import base64
import os
import re
from pathlib import Path

import pytest
import yaml

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.audit import report
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings import judge
from ansible_collections.linuxnet.tuning.tests.browser.chromium import Chromium

STORIES = sorted((Path(__file__).resolve().parents[1] / "unit/cases/stories").glob("*.yml"))
EVIL = "<img src=x onerror=\"document.title='broken in'\"><script>document.title='broken in'</script>"


def facts():
    whole = {"pc-fine": {"groups": ["room1"], "nics": {}, "host": {"kernel": {"release": "6.1.0", "cpu_count": 4}}}}
    for path in STORIES:
        whole.update(yaml.safe_load(path.read_text())["facts"])
    whole["evil"] = {"groups": [EVIL], "tune": {"failed": True, "msg": EVIL}, "nics": {EVIL: {"driver": EVIL}}}
    whole["pc-off"] = {"groups": ["room1"], "unreachable": True, "reason": "no route to host"}
    return whole


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    folder = Path(os.environ.get("PICTURES") or tmp_path_factory.mktemp("pictures"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    whole = facts()
    path = tmp_path_factory.mktemp("report") / "audit.html"
    path.write_text(report.document(whole, judge.findings(whole), "2026-11-21 12:00"))
    browser = Chromium()
    browser.path = path
    yield browser
    browser.close()


@pytest.fixture
def page(browser):
    browser.media()
    browser.size(1280, 900)
    browser.open(browser.path)
    return browser


VISIBLE = "[...document.querySelectorAll('[data-item]')].filter(n => n.checkVisibility())"


def search(page, text):
    page.evaluate(
        f"(() => {{ const field = document.querySelector('[data-search]'); field.value = {text!r};"
        "field.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


def test_page_loads_without_a_complaint_or_a_request(page, pictures):
    assert page.evaluate("document.title") == "Network audit"
    assert page.evaluate(f"{VISIBLE}.length") > 15
    page.picture(pictures / "desktop.png")
    assert page.complaints() == []
    assert page.requests() == []


def test_the_browser_itself_would_refuse_to_fetch(page):
    fetched = page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'fetched', () => 'refused')")
    assert fetched == "refused"
    assert any("Content Security Policy" in text for text in page.complaints())


def test_search_leaves_what_fits(page):
    search(page, "ROUTER1 ring")
    assert page.evaluate(f"{VISIBLE}.map(n => n.querySelector('strong').textContent)") == [
        "The receive ring overflows and could be larger",
    ]
    assert "1 of " in page.evaluate("document.querySelector('[data-left]').textContent")
    assert not page.evaluate("document.getElementById('host-head').checkVisibility()")
    search(page, "")
    assert page.evaluate("document.getElementById('host-head').checkVisibility()")
    assert page.evaluate("document.querySelector('[data-left]').textContent") == ""


def test_switch_leaves_a_severity_out(page):
    tones = f"[...new Set({VISIBLE}.map(n => n.dataset.tone))].sort()"
    assert page.evaluate(tones) == ["critical", "good", "high", "medium", "note"]
    page.evaluate("document.querySelector('[data-tone-switch][value=high]').click()")
    assert page.evaluate(tones) == ["critical", "good", "medium", "note"]
    assert page.complaints() == []


def test_copy_says_what_it_did(page):
    page.evaluate("document.querySelector('.card .copy').click()")
    assert page.evaluate(
        "new Promise(done => setTimeout(() => done(document.querySelector('.card .copy').textContent), 300))"
    ) in ("Copied", "Selected")


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_scrolls_sideways(page, pictures, width):
    page.size(width, 800, 2 if width == 360 else 1)
    page.evaluate("document.querySelectorAll('details').forEach(n => { n.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.querySelectorAll('.card').length") > 15
    if width == 360:
        page.open(page.path)
        page.picture(pictures / "phone.png")
        page.evaluate("document.querySelector('.card').scrollIntoView()")
        page.picture(pictures / "phone-finding.png")


def test_dark_and_light_are_readable(page, pictures):
    colours = "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    light = page.evaluate(colours)
    page.media(scheme="dark")
    dark = page.evaluate(colours)
    for ink, ground in (light, dark):
        assert contrast(ink, ground) > 7
    assert light != dark
    page.evaluate("document.querySelector('.card').scrollIntoView()")
    page.picture(pictures / "dark.png")


def contrast(*colours):
    """The ratio of WCAG 2."""
    lights = []
    for colour in colours:
        parts = [int(part) / 255 for part in colour[4:-1].split(",")]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        lights.append(sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True)) + 0.05)
    return max(lights) / min(lights)


def paper(page):
    """What the printer would get: the number of its sheets, and whether a part is on them."""
    page.media("print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    sheets = base64.b64decode(page.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])
    return len(re.findall(rb"/Type\s*/Page\b", sheets))


def test_paper_has_a_summary_and_what_was_searched_for(page):
    shown = "[...document.querySelectorAll('.finder, #kinds, .card')].map(n => n.checkVisibility())"
    assert paper(page) <= 3
    finder, kinds, *cards = page.evaluate(shown)
    assert (finder, kinds, any(cards)) == (False, True, False)
    page.media()
    search(page, "ROUTER1 ring")
    assert paper(page) <= 3
    assert sum(page.evaluate(shown)[2:]) == 1
    assert page.evaluate("[...document.querySelectorAll('details')].every(n => n.open)")


def test_paper_has_three_sheets_at_most_for_any_fleet(page, tmp_path):
    whole, finding = {}, next(one for one in judge.findings(facts()) if len(one["title"]) > 50)
    found = []
    for number in range(900):
        whole[f"pc{number}"] = {"groups": [f"a-room-with-a-long-name-{number // 3}"], "nics": {}, "host": {}}
        found.append({**finding, "id": f"kind-{number % 200}", "host": f"pc{number}", "title": "long words " * 7})
    path = tmp_path / "audit.html"
    path.write_text(report.document(whole, found, "2026-11-21 12:00"))
    page.open(path)
    assert paper(page) <= 3
    told = page.evaluate("[...document.querySelectorAll('.paper')].map(n => n.checkVisibility() && n.textContent)")
    assert told == ["and 155 more", "and 275 more"]


def test_hosts_without_findings_are_one_line_until_they_are_searched_for(page, tmp_path):
    whole = {f"pc{number}": {"groups": ["room1"], "nics": {}, "host": {}} for number in range(30)}
    path = tmp_path / "audit.html"
    path.write_text(report.document(whole, [], "2026-11-21 12:00"))
    page.open(path)
    assert page.evaluate(f"{VISIBLE}.length") == 0
    assert "30 hosts no findings" in page.evaluate("document.querySelector('#room-0').innerText")
    search(page, "pc17")
    assert page.evaluate(f"{VISIBLE}.map(n => n.querySelector('strong').textContent)") == ["pc17"]
    search(page, "")
    assert page.evaluate(f"{VISIBLE}.length") == 0


def test_what_a_host_says_stays_text(page):
    assert page.evaluate("document.title") == "Network audit"
    assert page.evaluate("document.querySelectorAll('img').length") == 0
    assert EVIL in page.evaluate("document.body.textContent")


def test_a_link_opens_what_is_closed(page):
    page.evaluate("location.hash = '#host-store'")
    assert page.evaluate("document.getElementById('host-store').getBoundingClientRect().top < innerHeight")
