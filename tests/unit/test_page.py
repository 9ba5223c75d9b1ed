# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame of the pages: nothing that comes from a host becomes markup, and nothing is fetched."""

from __future__ import annotations

import re

from ansible_collections.linuxnet.tuning.plugins.plugin_utils import page

EVIL = "</script><img src=x onerror='alert(1)'>\"&"


def test_everything_but_markup_is_escaped():
    parts = [
        page.badge(EVIL, EVIL),
        page.tiles([(EVIL, EVIL, EVIL)]),
        page.table([EVIL], [[EVIL]]),
        page.facts([(EVIL, EVIL)]),
        page.code(EVIL),
        page.details(EVIL, EVIL, id=EVIL),
        page.item(EVIL, tone=EVIL),
        page.group(EVIL),
        page.finder([(EVIL, 1)], EVIL),
    ]
    whole = page.document(EVIL, EVIL, [page.Section(EVIL, EVIL, page.join([EVIL, *parts]), EVIL)], page.join([EVIL]))
    assert "<img" not in whole
    assert whole.count("</script>") == 1
    assert not re.search(r"=\"[^\"<>]*onerror='", whole)


def test_attributes_are_named_as_in_html():
    made = page.tag("input", type="checkbox", checked=True, disabled=False, class_="a", data_tone=None, aria_label="b")
    assert made == '<input type="checkbox" checked class="a" aria-label="b">'


def test_page_stands_on_its_own():
    whole = page.document("Title", "Lead", [page.Section("a", "A", page.Html("<p>text</p>"))])
    assert not re.search(r"(src|href)=\"?(https?:)?//", whole)
    assert "url(" not in whole and "@import" not in whole
    assert "default-src 'none'" in whole.replace("&#x27;", "'")
    assert '<a href="#a">A</a>' in whole and '<section id="a">' in whole
