# SPDX-License-Identifier: GPL-3.0-or-later
"""Know when a task of Ansible runs, and on which host: `when`, `tags: never`, `delegate_to`."""

from __future__ import annotations

import re
from typing import List, Mapping, Optional, Tuple

import yaml

from .. import masks
from ..formats import composed
from ..model import CONDITIONAL, NO_EFFECT

_FALSE = ("false", "no", "not true")
# A task that is delegated to the host of the play runs there, as without the word.
_SAME_HOST = re.compile(r"\{\{-?\s*(?:inventory_hostname|ansible_host|item)\s*-?\}\}")


def left_out(plain: Mapping[str, yaml.Node]) -> Tuple[str, str]:
    """Why nothing of a task or block belongs to the host, as kind and reason; two empty texts where it does."""
    if any(map(_is_false, _words(plain.get("when")))):
        return NO_EFFECT, "it stands under a condition that never holds"
    if "never" in (tag.strip() for text in _words(plain.get("tags")) for tag in text.split(",")):
        return CONDITIONAL, "it has the tag never, so it runs only where --tags asks for it"
    if "local_action" in plain:
        return NO_EFFECT, "local_action: it runs on the controller, not on the host that is tuned"
    other = next(iter(_words(plain.get("delegate_to"))), "")
    if other and not _SAME_HOST.fullmatch(other):
        return NO_EFFECT, f"delegate_to: it runs on {other}, not on the host that is tuned"
    return "", ""


def note(node: Optional[yaml.Node]) -> str:
    """What to note of a task that runs under a condition."""
    words = _words(node)
    return f"only where {' and '.join(words)}" if words else ""


def _words(node: Optional[yaml.Node]) -> List[str]:
    return [masks.shown(word) for word in composed.words(node)]


def _is_false(text: str) -> bool:
    """Whether a condition is false whatever its names stand for: `x and false`, `not true`."""
    plain = re.sub(r"'[^']*'|\"[^\"]*\"", "''", text.lower())
    while "(" in plain:
        shorter = re.sub(r"\(([^()]*)\)", lambda match: "false" if _is_false(match[1]) else "unknown", plain)
        if shorter == plain:
            return False
        plain = shorter
    cases = (re.split(r"\s+and\s+", case) for case in re.split(r"\s+or\s+", plain))
    return all(any(part.strip() in _FALSE for part in case) for case in cases)
