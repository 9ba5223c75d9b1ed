# SPDX-License-Identifier: GPL-3.0-or-later
"""Read commands that put files somewhere or change them: cp, mv, install, and sed in place."""

from __future__ import annotations

import re
from typing import List, Optional, Sequence, Tuple

from .. import masks
from ..keys import kernel_files
from ..model import NOTE, ON_HOST, OTHER_TOOL
from . import filters, unread
from .script import Script

COPYING = ("cp", "mv", "install")
_WITH_WORD = ("-m", "-o", "-g", "-S", "--mode", "--owner", "--group")
_KEPT = re.compile(rf"({unread.OF_COPIES}\b|~$|backup)", re.IGNORECASE)
_SUBSTITUTES = re.compile(r"(?:/(?P<where>(?:\\.|[^/\\])+)/)?\s*s(?P<sign>[^\w\s\\])(?P<rest>.*)", re.DOTALL)
_CHANGES = re.compile(r"(?:(?:/(?:\\.|[^/\\])+/|\d+|\$)?)\s*[cai]\\?\s*(?P<text>\S.*)", re.DOTALL)
_ASSIGNS = re.compile(r"[\w.*/-]+\s*=\s*\S.*")


def copied(script: Script, line: int, words: Sequence[str]) -> None:
    """`cp SOURCE... TARGET`: what goes into a file of the kernel, or into a configuration."""
    plain, folder = _operands(words)
    if folder is None and len(plain) < 2:
        script.sink.nothing(line, "copies files")
        return
    sources, destination = (plain, folder) if folder is not None else (plain[:-1], plain[-1])
    destination = script.located(destination)
    for source in sources:
        name = masks.shown(source).rsplit("/", 1)[-1]
        path = (
            f"{destination.rstrip('/')}/{name}"
            if destination.endswith("/") or folder is not None or _is_folder(destination)
            else destination
        )
        known = script.written(source)
        if known is not None and (kernel_files.is_one(path) or script.guide.is_config(masks.shown(path))):
            script.renew(path, line)
            script.write(path, known, line)
        elif kernel_files.is_one(path) and not kernel_files.is_one(source):
            text = f"{masks.shown(path)} gets what stands in {masks.shown(source)}, which the host alone knows"
            script.sink.remark(line, ON_HOST, text)
        elif _is_configuration(script, masks.shown(path)):
            text = f"it puts {masks.shown(source)} there as {masks.shown(path)}; take in that file as well"
            script.sink.remark(line, OTHER_TOOL, text)
    script.sink.nothing(line, "copies files")


def _operands(words: Sequence[str]) -> Tuple[List[str], Optional[str]]:
    """The files of a call, and the folder that `-t` names."""
    found: List[str] = []
    folder, index = None, 0
    while index < len(words):
        word = words[index]
        if word in ("-t", "--target-directory") and index + 1 < len(words):
            folder, index = words[index + 1], index + 2
        elif word.startswith("--target-directory="):
            folder, index = word.partition("=")[2], index + 1
        elif word in _WITH_WORD:
            index += 2
        else:
            found += [] if word.startswith("-") else [word]
            index += 1
    return found, folder


def _is_folder(path: str) -> bool:
    return re.search(r"\.d$|/(netplan|system-connections|network-scripts|system)$", masks.shown(path)) is not None


def _is_configuration(script: Script, path: str) -> bool:
    return script.guide.is_config(path) and not script.guide.is_callable(path) and not _KEPT.search(path)


def edited(script: Script, line: int, words: Sequence[str]) -> None:
    """`sed -i`: the assignments that it puts into a configuration; what else it does there is left to a person."""
    scripts, files = filters.parts(words)
    path = masks.shown(files[-1] if files else (words[-1] if words else ""))
    known = _is_configuration(script, path)
    found = [text for one in scripts for text in _put_in(one)] if known else []
    if not found:
        script.sink.remark(line, OTHER_TOOL, f"it edits {path} in place; take in that file as it is afterwards")
        return
    script.write(path, [(line, text) for text in found], line)
    script.sink.remark(line, NOTE, f"sed changes lines that {path} has; where none fits, it sets nothing")


def _put_in(source: str) -> List[str]:
    """The assignment that one script of sed leaves in a file; none where it leaves anything else."""
    text = source.strip()
    match = _SUBSTITUTES.fullmatch(text)
    if match:
        parts = re.split(rf"(?<!\\){re.escape(match['sign'])}", match["rest"])
        new = parts[1] if len(parts) == 3 else ""
        groups = re.search(r"\\\d|(?<!\\)&", new)
        found = [] if groups else [re.sub(r"\\(.)", r"\1", new)]
    else:
        changed = _CHANGES.fullmatch(text)
        found = [changed["text"]] if changed else []
    return [one.strip() for one in found if _ASSIGNS.fullmatch(one.strip()) and masks.known(one.partition("=")[0])]
