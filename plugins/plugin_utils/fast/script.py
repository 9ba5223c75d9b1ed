# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the script that a host's interpreter reads: what is asked, how to run it, and the sources where they lack."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any, Mapping, NamedTuple, Optional

STARTED = "linuxnet.tuning: started"
MISSING = "linuxnet_tuning_missing"
PYTHON = "linuxnet_tuning_python"
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


class Code(NamedTuple):
    """The engine as a host is sent it: packed, in base64, and the Python that it fits; every one if that is empty."""

    packed: str
    fits: str = ""


@lru_cache(maxsize=None)
def sources() -> Code:
    """The engine as its sources. To pack them takes as long as two hosts, and few need them."""
    return Code(base64.b64encode(zlib.compress(_SOURCES.encode())).decode())


def build(view: str, request: Mapping[str, Any], folder: str, code: Optional[Code] = None) -> bytes:
    """The script of one call. All that stands in it is ours or a string; the host reads the request as JSON."""
    return _program("main", _VERSION, folder, STARTED, view, json.dumps(request), *(code or ()))


def compiler() -> bytes:
    """The script that prints for which Python it has compiled the engine, and that, packed and in base64."""
    return _program("compiled", sources().packed)


def _program(function: str, *words: str) -> bytes:
    return f"{_RUN}\n\n{function}({', '.join(map(ascii, words))})\n".encode()
