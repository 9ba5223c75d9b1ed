# SPDX-License-Identifier: GPL-3.0-or-later
"""Know lines of other languages and of Makefiles: files of the kernel that they write, what they say, and recipes."""

from __future__ import annotations

import re
from typing import List, Optional, Sequence, Tuple

from .model import Line

_WRITES = re.compile(
    r"\b\w*(?:[wW]rite\w*|[sS]et\w*)!?\s*\(\s*(?:[\w.&]+\s*,\s*)?[\"'`](/(?:proc/sys|proc/irq|sys/class/net)/[^\"'`]+)[\"'`]"
    r"\s*,\s*(?:\[\]byte\(|b)?[\"'`]([^\"'`]*)[\"'`]"
)
_SAYS = re.compile(
    r"\s*(?:return\s+)?(?:console\.\w+|fmt\.(?:Print|Errorf|Fprint)\w*|log(?:ger|ging)?\.\w+|System\.out\.\w+|e?print(?:ln|f)?!?"
    r"|panic!?)\s*\("
)


def written(text: str) -> Optional[Tuple[str, str]]:
    """The file of the kernel that a line writes, and what it writes into it."""
    found = _WRITES.search(text)
    return (found[1], found[2]) if found else None


def says(text: str) -> bool:
    """Whether a line only prints what it holds."""
    return _SAYS.match(text) is not None


_RULE = re.compile(r"[\w.%/-]+(?:\s+[\w.%/-]+)*\s*::?(?!=)(?:\s.*)?$")
_VARIABLE = re.compile(r"(?:export\s+)?([A-Za-z_]\w*)\s*[:?+]?=\s*(.*?)\s*$")

_DIRECTIVE = re.compile(r"-?include\b|ifn?(?:eq|def)\b|else\b|endif\b|export\b|define\b|endef\b|\.")


def is_makefile(texts: Sequence[str]) -> bool:
    """Whether lines are those of a Makefile: a rule at the margin, and its recipe behind a tab."""
    rules = any(_RULE.match(one) and after.startswith("\t") for one, after in zip(texts, texts[1:]))
    margin = [text for text in texts if text.strip() and text[0] not in "\t #"]
    known = [text for text in margin if any(one.match(text) for one in (_RULE, _VARIABLE, _DIRECTIVE))]
    return rules and len(known) >= 0.8 * len(margin)


def recipes(lines: Sequence[Line]) -> List[Line]:
    """A Makefile as the commands that its recipes run one after the other, with its variables."""
    found: List[Line] = []
    for number, text in lines:
        variable = _VARIABLE.match(text)
        if text.startswith("\t"):
            plain = re.sub(r"^[@+-]+\s*", "", text.strip())
            plain = re.sub(r"(?<!\$)\$\((\w+)\)", r"${\1}", plain).replace("$$", "$")
            found.append((number, plain))
        elif variable:
            value = re.sub(r"\$\((\w+)\)", r"${\1}", variable[2])
            is_plain = "$(" not in value and '"' not in value
            found.append((number, f'{variable[1]}="{value}"' if is_plain else f"# {text}"))
        else:
            found.append((number, f"# {text}"))
    return found
