# SPDX-License-Identifier: GPL-3.0-or-later
"""Take the pictures of the documentation: pages as a browser shows them, and what a terminal showed, as drawings."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from ansible_collections.linuxnet.tuning.tests.browser.chromium import Chromium

# By picture: the page, what to scroll to, and where that is to stand.
PAGES = {
    "audit": ("audit-first.html", ".card", "start"),
    "prove": ("prove-*.html", "#verdict", "center"),
}
# By drawing: the text, and the command that printed it.
TERMINALS = {
    "audit-terminal": ("audit-first.txt", "ansible-playbook linuxnet.tuning.audit"),
    "site-terminal": ("site.txt", "ansible-playbook linuxnet.tuning.site"),
}
SIZE = (1100, 900)
# Columns of the terminal; letters of a wider one are too small on a page.
COLUMNS = 124


def main() -> int:
    """Takes the folder of the results and that of the pictures."""
    results, pictures = map(Path, sys.argv[1:3])
    pictures.mkdir(parents=True, exist_ok=True)
    browser = Chromium()
    browser.media()
    browser.size(*SIZE)
    for name, (page, part, block) in PAGES.items():
        browser.open(sorted(results.glob(page))[-1].resolve())
        browser.evaluate(f"document.querySelector('{part}').scrollIntoView({{block: '{block}'}})")
        browser.picture(pictures / f"{name}.png")
    browser.close()
    for name, (text, command) in TERMINALS.items():
        # Where the demo was run is nobody's business.
        printed = (results / text).read_text(encoding="utf-8").replace(f"{results.resolve()}/", "results/")
        lines = printed.strip().split("\n")
        width = min(max(len(line) for line in lines) + 1, COLUMNS)
        console = Console(record=True, width=width, file=io.StringIO())
        console.print(Text.from_ansi("\n".join(lines)))
        # A picture fetches nothing, so it has the fonts of whoever looks at it.
        drawn = re.sub(r"@font-face \{.*?\n    \}\n", "", console.export_svg(title=command), flags=re.DOTALL)
        (pictures / f"{name}.svg").write_text(drawn, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
