# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose the lines of a host's files that the inventory stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import InputError
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import taken

from .model import Captured


def files(captured: Captured, configured: Mapping[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """The files with their lines, as `take_over` takes them; and in a sentence each line that has to go by hand."""
    covered = {address for item in captured.items for address in (item.address, *item.covers)}
    by_file: dict[str, dict[int, str]] = {}
    by_hand: list[str] = []
    for source in captured.sources:
        if not covered.intersection(source.sets):
            continue
        # A line that is in vain, too, sets its value again at the next boot.
        if source.mixed or not set(source.sets) <= {*covered, *captured.idle}:
            by_hand.append(f"{source.file} line {source.number}: it does something else as well")
        else:
            by_file.setdefault(source.file, {})[source.number] = source.text
    found = []
    about = {str(file["file"]): file for file in configured.get("files") or []}
    for path, lines in by_file.items():
        stuck = _stuck(path, about[path], lines)
        by_hand += [f"{path} line {number}: {why}" for number, why in stuck.items()]
        left = {str(number): text for number, text in lines.items() if number not in stuck}
        if left:
            found.append({"path": path, "lines": left})
    return found, by_hand


def _stuck(path: str, file: Mapping[str, Any], lines: Mapping[int, str]) -> dict[int, str]:
    if not file.get("root", True):
        return dict.fromkeys(lines, "the file does not belong to root")
    try:
        return taken.out(path, str(file["text"]), lines)[1]
    except InputError as error:
        return dict.fromkeys(lines, str(error))
