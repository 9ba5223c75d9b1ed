# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what a command means for those after it: whether it ends the script, or runs where another one fails."""

from __future__ import annotations

import re
from typing import List, Optional, Sequence

from ..shell import conditions, expand
from ..shell.nodes import AndOr, If, Node, Not, Sequence_, Simple, tested
from .commands import SHELLS

_SAYING = ("true", ":", "echo", "printf", "logger", "exit", "return", "continue", "break", "sleep")


def gives_way(node: Simple) -> bool:
    """Whether `exec` runs a command in place of the script, and does not only redirect what it prints."""
    words = [raw for raw, _line in node.words[1:] if raw[:1] != "-" and not re.fullmatch(r"\{\w+\}", raw)]
    # `exec bash` begins a new shell, in which a person goes on.
    shell = bool(words) and (words[0].rsplit("/", 1)[-1] in SHELLS or words[0].strip('${}"') == "SHELL")
    return bool(words) and not (shell and len(words) == 1)


def only_says(node: Node) -> bool:
    """Whether what runs after a failure sets nothing: `|| true`, `|| echo "..."`, `|| exit 1`."""
    return isinstance(node, Simple) and bool(node.words) and node.words[0][0] in _SAYING and not node.redirects


def given(node: Node) -> List[str]:
    """The variables that a command assigns."""
    found = [expand.assignment(raw) for raw, _line in node.words] if isinstance(node, Simple) else []
    return [one[0] for one in found if one]


_ENDED_WELL = {"-eq 0": True, "= 0": True, "== 0": True, "-ne 0": False, "!= 0": False, "-gt 0": False}


def with_tests(commands: Sequence[Node]) -> List[Node]:
    """The commands, with one that only asks as the condition of `if [ $? -eq 0 ]` right behind it."""
    found: List[Node] = []
    for node in commands:
        test = node.arms[0][0] if isinstance(node, If) and found else None
        while isinstance(test, Sequence_) and len(test.commands) == 1:
            test = test.commands[0]
        words = [raw.strip("\"'") for raw in tested(test)]
        well = _ENDED_WELL.get(" ".join(words[1:])) if words[:1] == ["$?"] else None
        if (
            well is None
            or not isinstance(node, If)
            or not conditions.is_query(found[-1])
            or conditions.is_test(found[-1])
        ):
            found.append(node)
            continue
        query = found.pop()
        first = query if well else Not(query, query.line)
        found.append(node._replace(arms=((first, node.arms[0][1]), *node.arms[1:])))
    return found


def turned(test: Optional[Node]) -> bool:
    """Whether a condition is met where its command fails: `if ! ethtool -G eth0 rx 4096; then`."""
    while isinstance(test, Sequence_) and len(test.commands) == 1:
        test = test.commands[0]
    return isinstance(test, Not)


def chooses(node: AndOr) -> bool:
    """`test && x=1 || x=2`, which is `if test; then x=1; else x=2; fi`."""
    chosen = node.left if node.operator == "||" and not only_says(node.right) else None
    found = isinstance(chosen, AndOr) and chosen.operator == "&&" and conditions.is_query(chosen.left)
    return found and isinstance(chosen, AndOr) and not conditions.is_test(chosen.right)
