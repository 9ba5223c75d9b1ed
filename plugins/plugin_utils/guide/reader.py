# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn the text of a guide into inventory: the one entrance to this package."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from .assemble import result
from .forms import Forms, by_path, by_text
from .model import Sink, numbered
from .settings import Guide

FORMS = (
    *(
        "shell",
        "sysctl",
        "udev",
        "ifcfg",
        "interfaces",
        "networkmanager",
        "yaml",
        "systemd",
        "tuned",
        "modprobe",
        "unit",
    ),
    *("crontab", "python", "prose"),
)


def read(
    text: str,
    path: str = "",
    form: str = "",
    kernel: str = "",
    arguments: Optional[List[str]] = None,
    foreign: bool = False,
) -> Dict[str, Any]:
    """The result for one text; its form is told by `form`, by its path, or by what it looks like."""
    lines = numbered(text)
    sink = Sink()
    forms = Forms(Guide(sink, kernel, arguments, foreign))
    kind = form or (by_path(path) if path else None) or by_text(lines)
    if kind == "ifcfg" and path:
        forms.file(path, lines)
    elif kind:
        forms.read(kind, lines)
    return {"form": kind or "prose", **result(sink, lines)}
