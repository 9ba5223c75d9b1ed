# SPDX-License-Identifier: GPL-3.0-or-later
"""Know files that a text writes where no program takes settings from by itself, and never uses."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import List, Sequence

_FOLDERS = re.compile(r"(?:(?:/var)?/tmp|/dev/shm|/root|/home/[^/]+|~\w*|\$\{?HOME\}?)/")
# Files that no program takes settings from.
FOR_PEOPLE = re.compile(r"^/etc/(?:motd|issue)(?:[./]|$)|(?:^|/)README|\.(?:md|rst|html?)$", re.IGNORECASE)
# The folders whose programs take files with one end of their names only.
_ENDS = (
    (re.compile(r"/(?:sysctl|modprobe|modules-load)\.d/[^/]*$"), (".conf",)),
    (re.compile(r"/udev/rules\.d/[^/]*$"), (".rules",)),
    (re.compile(r"/netplan/[^/]*$"), (".yaml", ".yml")),
)
# How the names of copies end that somebody keeps.
OF_COPIES = r"\.(?:bak|backup|old|orig|save|sav|rpmsave|rpmnew|dpkg-\w+|dist|bkp)"
_KEPT = re.compile(rf"(?:{OF_COPIES}|\.(?:disabled|txt)|~)$", re.IGNORECASE)
# What shows, renames or removes a file, and takes nothing from it.
_SHOWS = re.compile(r"\s*(?:#|(?:sudo\s+)?(?:echo|printf|rm|ls|chmod|chown|less|more|vim?|nano)\s[^>|;&]*$)")


def is_one(path: str, texts: Sequence[str]) -> bool:
    """Whether a file lies in a folder for passing files, and nothing in the whole text uses it."""
    return _FOLDERS.match(path) is not None and not _used(path, texts)


def by_name(path: str, texts: Sequence[str]) -> str:
    """Why no program takes settings from a file of this name that the text does not use; empty where one may."""
    ends = next((ends for folder, ends in _ENDS if folder.search(path) and "$" not in path), ("",))
    kept = _KEPT.search(path)
    if (not kept and path.endswith(ends)) or _used(path, texts):
        return ""
    return (
        "no program reads a file of that name" if kept else f"of that folder only names that end with {ends[0]} count"
    )


def _used(path: str, texts: Sequence[str]) -> bool:
    """Whether anything in the whole text does more with a file than to write it."""
    name = path.rpartition("/")[2]
    if not name or any(fnmatchcase(name, pattern) for text in texts for pattern in _patterns(text)):
        return True
    writes = re.compile(rf"(?:>|\btee\s(?:\s*-\w+\s)*)\s*[\"']?[^\s>;|&]*{re.escape(name)}[\"']?(?=[\s;|&)]|$)")
    whole = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w~-]|\.\w)")
    return any(whole.search(writes.sub("", text)) for text in texts if name in text and not _SHOWS.match(text))


def _patterns(text: str) -> List[str]:
    """The patterns that stand in a line for the names of files."""
    words = re.findall(r"[\w./*?-]*[*?][\w./*?-]*", text) if "*" in text or "?" in text else []
    return [word.rpartition("/")[2] for word in words if "/" in word or "." in word]
