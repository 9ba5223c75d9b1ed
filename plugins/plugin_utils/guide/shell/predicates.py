# SPDX-License-Identifier: GPL-3.0-or-later
"""Write out the functions of a script that only ask, where a condition calls them: `is_physical "$nic" || continue`."""

from __future__ import annotations

import re
from typing import Dict, Mapping, Optional, Sequence

from . import expand
from .conditions import is_test
from .nodes import AndOr, Function, If, Node, Not, Pipeline, Sequence_, Simple

_MOST_DEPTH = 4
_DECLARING = ("local", "declare", "typeset")


def written_out(node: Node, functions: Mapping[str, Function], depth: int = 0) -> Node:
    """A condition with what the functions that it calls ask, in the place of these calls; others stay as they are."""
    if isinstance(node, Not):
        return Not(written_out(node.command, functions, depth), node.line)
    if isinstance(node, AndOr):
        left, right = written_out(node.left, functions, depth), written_out(node.right, functions, depth)
        return AndOr(node.operator, left, right, node.line)
    if isinstance(node, Sequence_) and len(node.commands) == 1 and not node.redirects:
        return written_out(node.commands[0], functions, depth)
    function = functions.get(node.words[0][0]) if isinstance(node, Simple) and node.words else None
    if function is None or not isinstance(node, Simple) or depth >= _MOST_DEPTH:
        return node
    arguments = {str(number): raw for number, (raw, _line) in enumerate(node.words[1:], 1)}
    body = function.body.commands if isinstance(function.body, Sequence_) else (function.body,)
    outcome = _succeeds(list(body), arguments, functions, depth + 1)
    return node if outcome is None else outcome


def _succeeds(
    commands: Sequence[Node], names: Dict[str, str], functions: Mapping[str, Function], depth: int
) -> Optional[Node]:
    """The condition under which a function that consists of these commands succeeds; None where it does more."""
    if not commands:
        return None
    first, *rest = commands
    returned = _returned(first)
    if returned is not None:
        return _certain(returned, first)
    if isinstance(first, Simple) and _declares(first, names):
        return _succeeds(rest, names, functions, depth)
    test, leaves, met = _early(first)
    if test is not None:
        outcome = _condition(test, names, functions, depth)
        others = _succeeds(rest, names, functions, depth)
        if outcome is None or others is None:
            return None
        # `test || return 1` needs the test, `test && return 0` does not need what comes after it.
        if leaves:
            return AndOr("||", outcome if met else Not(outcome, 0), others, 0)
        return AndOr("&&", Not(outcome, 0) if met else outcome, others, 0)
    return None if rest else _condition(first, names, functions, depth)


def _early(node: Node) -> tuple[Optional[Node], bool, bool]:
    """The test behind which a function ends early, whether it succeeds then, and whether it ends if the test is met."""
    if isinstance(node, AndOr):
        returned = _returned(node.right)
        return (None, False, False) if returned is None else (node.left, returned, node.operator == "&&")
    if isinstance(node, If) and len(node.arms) == 1 and node.arms[0][0] is not None:
        returned = _returned(node.arms[0][1])
        return (None, False, False) if returned is None else (node.arms[0][0], returned, True)
    return None, False, False


def _returned(node: Node) -> Optional[bool]:
    """Whether `return 0` or `return 1` says that a function succeeds; None for another command."""
    while isinstance(node, Sequence_) and len(node.commands) == 1:
        node = node.commands[0]
    words = [raw for raw, _line in node.words] if isinstance(node, Simple) else []
    return words[1] == "0" if len(words) == 2 and words[0] == "return" and words[1].isdecimal() else None


def _certain(holds: bool, node: Node) -> Node:
    return Simple((("true" if holds else "false", node.line),), (), node.line)


def _declares(node: Simple, names: Dict[str, str]) -> bool:
    """Take in the variables that a function gives itself; False for any other command."""
    words = [raw for raw, _line in node.words]
    plain = words[1:] if words[:1] and words[0] in _DECLARING else words
    found = [expand.assignment(raw) for raw in plain]
    if not words or (not all(found) and not (words[0] in _DECLARING and all(map(str.isidentifier, plain)))):
        return False
    for one in found:
        if one:
            names[one[0]] = _filled(one[2], names)
    return True


def _condition(node: Node, names: Dict[str, str], functions: Mapping[str, Function], depth: int) -> Optional[Node]:
    """A test of a function with what its variables are in this call; None for a command that is none."""
    filled = written_out(_with(node, names), functions, depth)
    return filled if is_test(filled) else None


def _with(node: Node, names: Dict[str, str]) -> Node:
    if isinstance(node, Simple):
        return node._replace(words=tuple((_filled(raw, names), line) for raw, line in node.words))
    if isinstance(node, Not):
        return Not(_with(node.command, names), node.line)
    if isinstance(node, AndOr):
        return AndOr(node.operator, _with(node.left, names), _with(node.right, names), node.line)
    if isinstance(node, (Sequence_, Pipeline)):
        return node._replace(commands=tuple(_with(one, names) for one in node.commands))
    return node


def _filled(raw: str, names: Mapping[str, str]) -> str:
    """A raw word with the variables of a call written as what the call gives them."""

    def value(match: re.Match[str]) -> str:
        given = names.get(match[1] or match[2])
        if given is None:
            return match[0]
        bare = re.fullmatch(r"([\"'])(.*)\1", given)
        return bare[2] if bare and match.start() and raw[:1] in "\"'" else given

    return raw if raw[:1] == "'" else re.sub(r"\$(?:\{(\w+)\}|(\w+))", value, raw)
