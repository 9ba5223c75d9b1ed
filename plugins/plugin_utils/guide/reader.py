# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn the text of a guide into inventory: the one entrance to this package."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional

from .budget import TooLarge
from .detect import by_path, by_text
from .forms import Forms
from .keys.settings import Guide
from .languages.source_lines import without_cells
from .languages.templating import cases, filled_in, without_comments
from .model import Line, Sink, dedented, numbered
from .prose import choices, machines, uses
from .result.assemble import result

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
    *("uci", "crontab", "python", "makefile", "diff", "prose"),
)


# A line of Markdown, or a sentence, which no script has but in a comment.
_TOLD = re.compile(r"[*_]{2}\S|[-*+>] |\d+[.)] |[A-Z][a-z']*[ ,][^=$]*[.:?]$")


class Known(NamedTuple):
    """What is known of the host beside the text: see the options of the filter of the same names."""

    kernel: str = ""
    arguments: Optional[List[str]] = None
    all_parameters: bool = False


NOTHING = Known()


def read(text: str, path: str = "", form: str = "", known: Known = NOTHING) -> Dict[str, Any]:
    """The result for one text; its form is told by `form`, by its path, or by what it looks like."""
    lines = numbered(text)
    sink = Sink()
    kind = _take_in(_guide(sink, known, [text]), lines, path, form)
    return {"form": kind, **result(sink, lines)}


def read_files(files: Mapping[str, str], known: Known = NOTHING) -> Dict[str, Any]:
    """The result for the files of a host by path, in the order in which they take effect: a later one wins."""
    sink = Sink()
    every: List[Line] = []
    forms: Dict[str, str] = {}
    for path, text in files.items():
        lines = [(len(every) + number, line) for number, line in numbered(text)]
        sink.where.update({number: (path, position) for position, (number, _line) in enumerate(lines, 1)})
        forms[path] = _take_in(_guide(sink, known, files.values()), lines, path, "")
        every += lines
    return {"form": forms, **result(sink, every)}


def _guide(sink: Sink, known: Known, texts: Iterable[str]) -> Guide:
    guide = Guide(sink, *known)
    guide.texts = [line for text in texts for line in text.splitlines()]
    return guide


def _without_a_stray_fence(sink: Sink, lines: List[Line]) -> List[Line]:
    """The lines without the one fence of Markdown that neither opens nor ends anything, in a text that is no guide."""
    fences = [number for number, text in lines if text.strip().startswith(("```", "~~~"))]
    rest = [(number, text) for number, text in lines if number not in fences or text.strip() != "```"]
    told = any(_TOLD.match(text.strip()) for _number, text in rest)
    if len(fences) != 1 or len(rest) == len(lines) or told or by_text(rest) in ("prose", None):
        return lines
    sink.nothing(fences[0], "a fence")
    return rest


def _take_in(guide: Guide, lines: List[Line], path: str, form: str) -> str:
    lines = without_comments(guide.sink, lines)
    guide.sink.cases.update(cases(guide.sink, lines))
    lines = filled_in(lines, guide.sink.cases)
    forms = Forms(guide)
    if lines and lines[0][1].startswith("\ufeff"):
        lines = [(lines[0][0], lines[0][1][1:]), *lines[1:]]  # what editors of Windows write before a text
    lines = without_cells(lines)
    if not path and not form:
        lines = _without_a_stray_fence(guide.sink, lines)
    kind = form or (by_path(path) if path else None) or by_text(lines)
    try:
        if kind in ("ifcfg", "systemd") and path:
            forms.file(path, lines)
        elif kind:
            if kind in ("shell", "prose", "yaml") and not path:
                machines.told(guide.sink, lines, is_script=bool(lines) and lines[0][1].startswith("#!"))
            if kind in ("shell", "sysctl") and not path and lines and not lines[0][1].startswith("#!"):
                # Lines of a guide may look like a script.
                guide.sink.uses.update(uses.of(lines))
                guide.sink.instead.update(choices.second(lines))
            # A shell ends a here document at the margin only.
            forms.read(kind, dedented(lines) if kind == "shell" else lines)
    except (RecursionError, TooLarge) as error:
        begins = next((text.strip() for _number, text in lines if text.strip()), "")[:60]
        named = f"{path or 'the text'} (it begins with {begins!r})"
        said = f"{named} cannot be read: it has too much within each other, or becomes too large"
        raise TooLarge(said, path) from error
    return kind or "prose"
