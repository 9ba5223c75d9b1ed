# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the script that a host's interpreter reads: what is asked, how to run it, and the sources where they lack."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from pathlib import Path
from typing import Any, Mapping

STARTED = "linuxnet.tuning: started"
MISSING = "linuxnet_tuning_missing"
HAD = "linuxnet_tuning_had"
NOTE = "linuxnet_tuning_note"

_HERE = Path(__file__).parent
_UTILS = _HERE.parents[1] / "module_utils"

# All of module_utils: which of them a call needs is the host's to find out, where each is imported when it is used.
_FILES = {
    "typing.py": _HERE / "names.py",
    **{f"tuning/{path.relative_to(_UTILS)}": path for path in sorted(_UTILS.rglob("*.py"))},
}
_SOURCES = json.dumps({"tuning/__init__.py": "", **{name: path.read_text("utf-8") for name, path in _FILES.items()}})
PATH = str(_HERE / "kept.py")
_RUN = Path(PATH).read_text("utf-8")
_VERSION = hashlib.sha256((_SOURCES + _RUN).encode()).hexdigest()[:40]
_PACKED = base64.b64encode(zlib.compress(_SOURCES.encode())).decode()


def build(view: str, request: Mapping[str, Any], folder: str, *, sources: bool) -> bytes:
    """The script of one call. All that stands in it is ours or a string; the host reads the request as JSON."""
    words = [_VERSION, folder, STARTED, view, json.dumps(request), *([_PACKED] if sources else [])]
    return f"{_RUN}\n\nmain({', '.join(map(ascii, words))})\n".encode()
