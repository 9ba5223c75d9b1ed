# SPDX-License-Identifier: GPL-3.0-or-later
"""Know a condition with `elif` that only looks which of several words a variable is: it is a `case` in other words."""

from __future__ import annotations

import re
from typing import Optional, Tuple

from .nodes import AndOr, Case, If, Node, Sequence_, tested

_VARIABLE = re.compile(r"[\"']?\$(?:(\w+)|\{(\w+)\})[\"']?")
_WORD = re.compile(r"([\"']?)(\w[\w.:/+-]*)\1")


def as_case(node: If) -> Optional[Case]:
    """The `case` that says the same; None for a single test, and where not all ask the same variable."""
    tests = [test for test, _body in node.arms if test is not None]
    told = [_compared(test) for test in tests]
    if len(tests) < 2 or len({name for name, _words in told}) != 1 or not told[0][0]:
        return None
    patterns = [*(words for _name, words in told), *([("*",)] if len(node.arms) > len(tests) else [])]
    arms = tuple((words, body, body.line) for words, (_test, body) in zip(patterns, node.arms))
    return Case(f'"${{{told[0][0]}}}"', arms, node.line)


def _compared(test: Optional[Node]) -> Tuple[str, Tuple[str, ...]]:
    """The variable that a test asks, and the words of which it has to be one: `[ $1 = a ] || [ $1 = b ]`."""
    while isinstance(test, Sequence_) and len(test.commands) == 1:
        test = test.commands[0]
    if isinstance(test, AndOr) and test.operator == "||":
        (name, left), (other, right) = _compared(test.left), _compared(test.right)
        return (name, (*left, *right)) if name == other else ("", ())
    words = tested(test)
    if len(words) != 3 or words[1] not in ("=", "==", "-eq"):
        return "", ()
    variable = _VARIABLE.fullmatch(words[0]) or _VARIABLE.fullmatch(words[2])
    word = _WORD.fullmatch(words[2]) or _WORD.fullmatch(words[0])
    return (variable[1] or variable[2], (word[2],)) if variable and word else ("", ())
