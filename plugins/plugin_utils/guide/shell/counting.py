# SPDX-License-Identifier: GPL-3.0-or-later
"""Carry out arithmetic that assigns, as in `((i++))`, `let n+=2` and the head of `for ((i=0; i<8; i++))`."""

from __future__ import annotations

import re
from typing import List

from .. import masks
from . import expand

_OPERATOR = r"(?:<<|>>|[-+*/%|&^])?"
_PART = re.compile(rf"\s*(?:(\+\+|--)\s*(\w+)|(\w+)\s*(\+\+|--)|(\w+)\s*({_OPERATOR})=(?!=)(.*))\s*", re.DOTALL)
_NAME = re.compile(rf"\b([A-Za-z_]\w*)\s*(?:\+\+|--|{_OPERATOR}=(?!=))")


def carry_out(expression: str, scope: expand.Scope) -> None:
    """Set the variables of an expression; one whose number only the host knows goes by its own name."""
    for part in expression.split(","):
        match = _PART.fullmatch(part)
        if not match:
            continue
        name = match[2] or match[3] or match[5]
        if match[5]:
            source = f"{name}{match[6]}({match[7]})" if match[6] else match[7]
        else:
            source = f"{name}{(match[1] or match[4])[0]}1"
        number = expand.arithmetic(source, scope)
        scope.values[name] = masks.mask(f"${name}") if number is None else str(number)


def assigned(expression: str) -> List[str]:
    """The variables that an expression sets."""
    return _NAME.findall(expression)
