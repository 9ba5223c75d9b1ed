# SPDX-License-Identifier: GPL-3.0-or-later
"""Let axe-core judge every page of the documentation site: as wide as a desktop and a phone, and in the dark."""

from __future__ import annotations

import sys
from pathlib import Path

from ansible_collections.linuxnet.tuning.tests.browser.chromium import Chromium

# How wide the window is, and which colours its reader prefers.
VIEWS = ((1280, "light"), (390, "light"), (1280, "dark"))


def main() -> int:
    """Takes the folder of the site, and perhaps names of pages; prints each fault, and fails if there is one."""
    site = Path(sys.argv[1]).resolve()
    pages = [site / name for name in sys.argv[2:]] or sorted(site.rglob("*.html"))
    faults = 0
    browser = Chromium()
    try:
        for path in pages:
            browser.open(path)
            for width, scheme in VIEWS:
                browser.media(scheme=scheme)
                browser.size(width, 844)
                for fault in browser.faults():
                    print(f"{path.relative_to(site)} at {width} px, {scheme}: {fault}")
                    faults += 1
    finally:
        browser.close()
    views = ", ".join(f"{width} px {scheme}" for width, scheme in VIEWS)
    print(f"axe-core: {faults} faults in {len(pages)} pages, each at {views}")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
