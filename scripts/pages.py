# SPDX-License-Identifier: GPL-3.0-or-later
"""What the scripts have in common that write documentation from tables."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def write(texts: Mapping[Path, str]) -> int:
    """Write the files, or with --check tell whether they are up to date; gives the exit code."""
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
    checked = "--check" in sys.argv[1:]
    for path in stale:
        if checked:
            print(f"{path.relative_to(ROOT)} is not up to date; run: make docs")
        else:
            path.write_text(texts[path])
            print(f"wrote {path.relative_to(ROOT)}")
    return int(checked and bool(stale))
