# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what a host's interpreter reads: how to run the engine, what is asked, and behind that the code it lacks."""

from __future__ import annotations

import hashlib
import json
import marshal
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any, Mapping, NamedTuple, Optional

STARTED = "linuxnet.tuning: started"
MISSING = "linuxnet_tuning_missing"
PYTHON = "linuxnet_tuning_python"
HAD = "linuxnet_tuning_had"
NOTE = "linuxnet_tuning_note"

# What the interpreter is run with. Isolated, and without site-packages: nothing of the host's changes what runs, and it
# starts at once. It takes the first line for the program, and not all that comes: as text the code would be a third
# longer, and be read for as long as it takes to unpack it. Python 2 gets far enough to say what it cannot.
OPTIONS = ("-I", "-S", "-c", 'import sys;exec(eval(getattr(sys.stdin,"buffer",sys.stdin).readline()))')

_HERE = Path(__file__).parent
_UTILS = _HERE.parents[1] / "module_utils"

# All of module_utils: which of them a call needs is the host's to find out, where each is imported when it is used.
_FILES = {
    "typing.py": _HERE / "names.py",
    "re.py": _HERE / "patterns.py",
    **{f"tuning/{path.relative_to(_UTILS)}": path for path in sorted(_UTILS.rglob("*.py"))},
}
SOURCES = {"tuning/__init__.py": "", **{name: path.read_text("utf-8") for name, path in _FILES.items()}}
# In the form that each version of Python reads, and writes alike; a host would load re for JSON, and not its stand-in.
_SOURCES = marshal.dumps(SOURCES, 2)
PATH = str(_HERE / "kept.py")
_RUN = Path(PATH).read_text("utf-8")
_VERSION = hashlib.sha256(_SOURCES + _RUN.encode()).hexdigest()[:40]


class Code(NamedTuple):
    """The engine as a host is sent it: packed, and the Python that it fits; every one if that is empty."""

    packed: bytes
    fits: str = ""


@lru_cache(maxsize=None)
def sources() -> Code:
    """The engine as its sources. To pack them takes as long as two hosts, and few need them."""
    return Code(zlib.compress(_SOURCES))


def build(view: str, request: Mapping[str, Any], folder: str, code: Optional[Code] = None) -> bytes:
    """The script of one call. All that stands in it is ours or a string; the host reads the request as JSON."""
    words = (_VERSION, folder, STARTED, view, json.dumps(request))
    return _script("main", *words, code.fits) + code.packed if code else _script("main", *words)


def compiler() -> bytes:
    """The script that prints a line for which Python it has compiled the engine, and then that, packed."""
    return _script("compiled") + sources().packed


def _script(function: str, *words: str) -> bytes:
    """A line that is the program, as text in quotes; what the program reads itself may follow."""
    return ascii(f"{_RUN}\n\n{function}({', '.join(map(ascii, words))})\n").encode() + b"\n"
