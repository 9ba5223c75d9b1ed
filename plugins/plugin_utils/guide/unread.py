# SPDX-License-Identifier: GPL-3.0-or-later
"""Know files that a text writes into folders from which no program takes settings by itself, and never uses."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import List, Sequence

_FOLDERS = re.compile(r"(?:(?:/var)?/tmp|/dev/shm|/root|/home/[^/]+|~\w*|\$\{?HOME\}?)/")
# What shows, renames or removes a file, and takes nothing from it.
_SHOWS = re.compile(r"\s*(?:#|(?:sudo\s+)?(?:echo|printf|rm|ls|chmod|chown|less|more|vim?|nano)\s[^>|;&]*$)")


def is_one(path: str, texts: Sequence[str]) -> bool:
    """Whether nothing in the whole text does more with a file than to write it."""
    name = path.rpartition("/")[2]
    if not name or not _FOLDERS.match(path):
        return False
    if any(fnmatchcase(name, pattern) for text in texts for pattern in _patterns(text)):
        return False
    writes = re.compile(rf"(?:>|\btee\s(?:\s*-\w+\s)*)\s*[\"']?[^\s>;|&]*{re.escape(name)}[\"']?(?=[\s;|&)]|$)")
    return not any(name in writes.sub("", text) for text in texts if name in text and not _SHOWS.match(text))


def _patterns(text: str) -> List[str]:
    """The patterns that stand in a line for the names of files."""
    words = re.findall(r"[\w./*?-]*[*?][\w./*?-]*", text) if "*" in text or "?" in text else []
    return [word.rpartition("/")[2] for word in words if "/" in word or "." in word]
