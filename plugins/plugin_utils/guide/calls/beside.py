# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the scripts that stand beside a call of them: as another file, or as a block of a guide under their path."""

from __future__ import annotations

import re
from typing import Sequence

from .. import masks
from ..keys.settings import Guide
from ..model import NOTE, OTHER_TOOL

_FENCE = re.compile(r"\s*(?:```|~~~)")
_NEAR = 5  # lines from where a path is named to the first line of the script
_OF_A_PROFILE = "${i:PROFILE_DIR}/"  # the directory of a profile of TuneD


def call(guide: Guide, line: int, path: str, why_not: str, arguments: Sequence[str] = ()) -> None:
    """A call of a script that no command of the text has written; `why_not` is the remark if it stands nowhere."""
    if not _stands(guide, path):
        guide.sink.remark(line, OTHER_TOOL, why_not)
        return
    guide.sink.nothing(line, f"calls the script {path}, which is read where it stands")
    if arguments:
        said = " ".join(map(masks.said, arguments))
        guide.sink.remark(line, NOTE, f"{path} is read where it stands, without what it is given here: {said}")


def _stands(guide: Guide, path: str) -> bool:
    files = {file for file, _number in guide.sink.where.values()}
    if path.startswith(_OF_A_PROFILE):
        return any(file.endswith(path[len(_OF_A_PROFILE) - 1 :]) for file in files)
    name = re.escape(path)
    names = re.compile(rf"(?:.*[^\w./-])?{name}(?![\w/-]|\.\w).*")
    calls = re.compile(rf"\W*(?:sudo\s+)?{name}\s+-*\w.*")
    found = [
        number
        for number, text in enumerate(guide.texts)
        if path[:1] == "/" and names.fullmatch(text) and not calls.fullmatch(text)
    ]
    return path in files or any(_begins(guide.texts[number + 1 : number + 1 + _NEAR]) for number in found)


def _begins(below: Sequence[str]) -> bool:
    """Whether a script begins in some lines, with nothing before it but fences."""
    return next((text for text in below if text.strip() and not _FENCE.match(text)), "").lstrip().startswith("#!")
