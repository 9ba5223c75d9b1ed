# SPDX-License-Identifier: GPL-3.0-or-later
"""Know where a script only raises a parameter, or lowers it: it sets what it has compared the value in force with."""

from __future__ import annotations

import re
from typing import List, Optional, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import sysctl

from .. import masks
from ..keys import refusals
from ..keys.settings import Bounds
from ..shell import bindings, conditions, expand
from ..shell.nodes import AndOr, Arithmetic, Node, Not, Pipeline, Sequence_, Simple, certain, tested

_Comparison = Tuple[str, str, str]

_OPENS = r"[\"']?(?:\$\(\s*|`\s*)(?:sudo\s+)?"
# What leaves the one number of a line as it is, and what stands in for one that cannot be read.
_REST = (
    r"(?:\s+2>\s*\S+)?(?:\s*\|\s*(?:xargs|tr\s+-d\s+\S+))?(?:\s*\|\|\s*(?:echo\s+[\"']?\w*[\"']?|true|:))?\s*[)`][\"']?"
)
_LAST = r"(?:\s*\|\s*(?:awk\s+(?:-F\s*\S+\s+)?[\"']\{\s*print \$(?:2|3|NF);?\s*\}[\"']|cut\s+-d\s*\S+\s+-f\s*2))"
_READS = (
    re.compile(rf"{_OPENS}(?:/\S*/)?sysctl\s+(?:-\w*n\w*|--values)\s+(?:-\w+\s+)*([^\s|)`]+){_REST}"),
    re.compile(rf"{_OPENS}(?:/\S*/)?sysctl\s+([^\s|)`-][^\s|)`]*)(?:\s+2>\s*\S+)?{_LAST}{_REST}"),
    re.compile(rf"{_OPENS}(?:cat\s+|<\s*)([\"']?/proc/sys/[^\s|)`]+){_REST}"),
)
_VARIABLE = re.compile(r"[\"']?\$?\{?(\w+)\}?[\"']?")
_SIGNS = {"-lt": "<", "-le": "<=", "-gt": ">", "-ge": ">=", "-eq": "==", "-ne": "!=", "=": "=="}
_TURNED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_BOUNDS = {"<": "at_least", "<=": "at_least", ">": "at_most", ">=": "at_most", "!=": ""}
_COMPARED = re.compile(r"\s*(.+?)\s*(<=|>=|==|!=|<|>)\s*(.+?)\s*")


def parameter(raw: str, scope: expand.Scope) -> str:
    """The parameter whose value in force a raw word gives, be it a substitution or a variable that holds one."""
    held = _VARIABLE.fullmatch(raw)
    if held:
        return scope.in_force.get(held[1], "")
    found = next((match for match in (pattern.fullmatch(raw) for pattern in _READS) if match), None)
    key = expand.text(found[1], scope) if found else ""
    return sysctl.name(re.sub("^/proc/sys/", "", key)) if key and masks.known(key) else ""


def bounds(test: Optional[Node], scope: expand.Scope, holds: bool = True) -> Bounds:
    """What values are where commands set them that run because a condition holds, or fails."""
    caveat = conditions.measured(test, scope, holds) if test is not None else ""
    found: Bounds = {}
    for left, sign, right in _comparisons(test, holds):
        for side, other, seen in ((left, right, sign), (right, left, _SWAPPED.get(sign, sign))):
            name = parameter(side, scope)
            number = _number(other, scope) if name else None
            if number is not None and seen in _BOUNDS:
                found[name, str(number)] = (_BOUNDS[seen], caveat)
    return found


def decide(test: Node, scope: expand.Scope) -> Optional[bool]:
    """True, False, or None where the host decides."""
    known = conditions.decide(test, bindings.certainly(scope))
    if known is not None:
        return known
    if isinstance(test, (Sequence_, Pipeline)) and len(test.commands) == 1:
        return decide(test.commands[0], scope)
    if isinstance(test, Not):
        found = decide(test.command, scope)
        return None if found is None else not found
    if isinstance(test, AndOr):
        sides = (decide(test.left, scope), decide(test.right, scope))
        decisive = test.operator == "||"
        return decisive if decisive in sides else (None if None in sides else not decisive)
    return False if several(test, scope) else None


def several(test: Node, scope: expand.Scope) -> str:
    """Why a condition fails on any host that compares a parameter of several numbers with one; empty for others."""
    names = [parameter(side, scope) for left, _sign, right in _comparisons(test, True) for side in (left, right)]
    name = next((one for one in names if refusals.holds_several(one)), "")
    return (
        f"{name} is several numbers, which no shell compares with one, so the condition before it fails" if name else ""
    )


def _number(raw: str, scope: expand.Scope) -> Optional[int]:
    text = expand.text(raw, scope).strip()
    return int(text) if text.isdecimal() else expand.arithmetic(raw.strip("\"'"), scope)


def _comparisons(test: Optional[Node], holds: bool) -> List[_Comparison]:
    """The comparisons that certainly hold if a condition does, or if it fails."""
    return [one for part, so in certain(test, holds) for one in _comparison(part, so)]


def _comparison(test: Node, holds: bool) -> List[_Comparison]:
    found: List[_Comparison] = []
    if isinstance(test, Simple):
        found = _of_test(test)
        loose = "-o" if holds else "-a"
        if any(raw in (loose, "!", "||" if holds else "&&") for raw, _line in test.words):
            return []
    elif isinstance(test, Arithmetic):
        match = _COMPARED.fullmatch(test.expression) if not re.search(r"[&|?!]{2}|[?]", test.expression) else None
        found = [(match[1], match[2], match[3])] if match else []
    return found if holds else [(left, _TURNED[sign], right) for left, sign, right in found]


def _of_test(test: Simple) -> List[_Comparison]:
    """The comparisons of numbers in `[ ... ]`."""
    raw = tested(test)
    signs = {**_SIGNS, "!=": "!="}
    return [
        (left, signs[sign], right)
        for left, sign, right in zip(raw, raw[1:], raw[2:])
        # Between double brackets the other signs compare texts.
        if sign in signs and (sign[0] == "-" or test.words[0][0] != "[[")
    ]
