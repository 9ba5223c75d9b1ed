# SPDX-License-Identifier: GPL-3.0-or-later
"""Pack a program for hosts into one file that Python runs: the same bytes whenever the sources are the same."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

_PLUGINS = Path(__file__).parents[1]
_PACKAGE = "tuning"
# By program, what it imports of plugin_utils beside the engine.
PROGRAMS: Mapping[str, tuple[str, ...]] = {
    # The rules of the audit are asked as well.
    "metrics": (
        "metrics",
        "findings",
        "profiles.py",
        "drift.py",
        "parameters.py",
        # The names of what parameters.py says of a value.
        "guide/__init__.py",
        "guide/distinct.py",
        "guide/masks.py",
        "guide/model.py",
        "verdict.py",
        "plain.py",
        "rates.py",
        "layers.py",
    ),
    "watch": ("watch", "drift.py"),
}
_MAIN = f"import sys\nfrom {_PACKAGE}.plugin_utils.%s import program\nsys.exit(program.main(sys.argv))\n"
_NOWHEN = (1980, 1, 1, 0, 0, 0)


def pack(program: str) -> bytes:
    """The archive of one program."""
    folders = [_PLUGINS / "module_utils", *(_PLUGINS / "plugin_utils" / part for part in PROGRAMS[program])]
    files = sorted(path for folder in folders for path in (folder.rglob("*.py") if folder.is_dir() else [folder]))
    texts = {f"{_PACKAGE}/{path.relative_to(_PLUGINS)}": path.read_bytes() for path in files}
    for folder in (_PACKAGE, f"{_PACKAGE}/module_utils", f"{_PACKAGE}/plugin_utils"):
        texts.setdefault(f"{folder}/__init__.py", b"")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sorted({"__main__.py": (_MAIN % program).encode(), **texts}.items()):
            archive.writestr(zipfile.ZipInfo(name, _NOWHEN), text, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
