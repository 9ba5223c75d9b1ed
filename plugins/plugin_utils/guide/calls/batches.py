# SPDX-License-Identifier: GPL-3.0-or-later
"""Read what `ip -batch` and `tc -batch` take: lines that are commands without the name of the program."""

from __future__ import annotations

import re
from typing import Iterator, List, Sequence, Tuple

from ..model import Line
from . import programs

_OPTION = re.compile(r"--?b(?:a|at|atc|atch)?")


def is_one(words: Sequence[str]) -> bool:
    """Whether a call takes its commands from a file."""
    return programs.program(words[0]) in ("ip", "tc", "bridge") and any(map(_OPTION.fullmatch, words[1:]))


def file_of(words: Sequence[str]) -> str:
    """The file, or `-`; empty where the call names none."""
    index = next(number for number, word in enumerate(words) if number and _OPTION.fullmatch(word))
    return words[index + 1] if index + 1 < len(words) else ""


def commands(program: str, lines: Sequence[Line]) -> Iterator[Tuple[int, List[str]]]:
    """The whole commands, each under the number of its line."""
    for number, text in lines:
        words = text.partition("#")[0].split()
        if words:
            yield number, [program, *words]
