# SPDX-License-Identifier: GPL-3.0-or-later
"""Write files on the controller."""

from __future__ import annotations

import os
import tempfile


def write(path: str, text: str) -> None:
    """Write a file as a whole or not at all, for nobody else to read: it tells where a network is weak."""
    handle, draft = tempfile.mkstemp(prefix=".", dir=os.path.dirname(path))
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, path)
    except OSError:
        os.unlink(draft)
        raise
