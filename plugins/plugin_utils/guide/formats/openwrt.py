# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the files of /etc/config, which OpenWrt has."""

from __future__ import annotations

import re
from typing import Dict, List, Sequence, Tuple

from ..calls import uci
from ..keys.settings import Guide
from ..model import Line

_LINE = re.compile(r"\s*(config|option|list|package)\s+([\w-]+)(?:\s+(.*?))?\s*")


def read(guide: Guide, lines: Sequence[Line]) -> None:
    """A file of /etc/config, section by section."""
    section: List[Tuple[int, str, str]] = []
    for number, text in lines:
        found = _LINE.fullmatch(text)
        word, key, value = (found[1], found[2], (found[3] or "").strip("'\"")) if found else ("", "", "")
        if word == "config":
            _section(guide, section)
            section = []
            guide.sink.nothing(number, "begins a section")
        elif word in ("option", "list"):
            section.append((number, key, value))
        elif not text.strip() or text.lstrip().startswith("#") or word == "package":
            guide.sink.nothing(number, "a comment")
        else:
            guide.sink.unknown(number, f"'{text.strip()}' is no line of a file of /etc/config")
    _section(guide, section)


def _section(guide: Guide, options: Sequence[Tuple[int, str, str]]) -> None:
    told: Dict[str, str] = {key: value for _number, key, value in options}
    names = next((told[word] for word in uci.NAMES if told.get(word)), "")
    for number, key, value in options:
        uci.option(guide, number, names, key, value)
