# SPDX-License-Identifier: GPL-3.0-or-later
"""Mend what the theme and antsibull-docs write into each page of the site and no option of theirs changes."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

# What is written, what it becomes, and why.
MENDS = (
    ('aria-role="button" ', "", "there is no such attribute, and a link is no button"),
    ('<aside class="sidebar-drawer', '<aside aria-label="All pages" class="sidebar-drawer', "landmarks need a name"),
    ('<aside class="toc-drawer', '<aside aria-label="On this page" class="toc-drawer', "landmarks need a name"),
    ("<pre>", '<pre tabindex="0">', "what is wider than the window is scrolled by keys too"),
    ('<div id="search-results">', '<h1>Search</h1>\n<div id="search-results">', "a page needs a first heading"),
)


def main() -> int:
    """Takes the folder of the site; fails if a mend has found nothing, for then the theme has changed."""
    found: Counter[str] = Counter()
    for path in sorted(Path(sys.argv[1]).rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        for written, better, _why in MENDS:
            found[written] += text.count(written)
            text = text.replace(written, better)
        path.write_text(text, encoding="utf-8")
    stale = [written for written, _better, _why in MENDS if not found[written]]
    for written in stale:
        print(f"No page of the site has {written} any more; remove it from MENDS in {__file__}.")
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
