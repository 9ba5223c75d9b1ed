# SPDX-License-Identifier: GPL-3.0-or-later
"""Work out the arithmetic of a shell, where it is pure."""

from __future__ import annotations

import ast
import operator
import re
from functools import lru_cache
from typing import Any, Callable, Mapping, Optional

Variable = Callable[[str], int]

_OPERATIONS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def value(expression: str, variable: Variable) -> Optional[int]:
    """The value of an expression without substitutions; None where a name has no number, or it is no arithmetic."""
    if len(expression) > 200:
        return None
    plain = re.sub(r"!\s*(?!=)(\w+)", r"(0 == \1)", expression)
    plain = re.sub(r"\b0+(?=[1-9])", "", plain.replace("/", "//").replace("////", "//"))
    try:
        return _evaluate(_parsed(plain.strip()), variable)
    except (SyntaxError, ValueError, TypeError, ZeroDivisionError, KeyError, OverflowError, RecursionError):
        return None


@lru_cache(maxsize=512)
def _parsed(plain: str) -> ast.AST:
    """A loop works out the same expressions again and again."""
    return ast.parse(plain, mode="eval").body


def _evaluate(node: ast.AST, variable: Variable) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        return variable(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return _evaluate(node.operand, variable) * (-1 if isinstance(node.op, ast.USub) else 1)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPERATIONS:
        compared = _OPERATIONS[type(node.ops[0])]
        return int(compared(_evaluate(node.left, variable), _evaluate(node.comparators[0], variable)))
    if isinstance(node, ast.BinOp):
        left, right = _evaluate(node.left, variable), _evaluate(node.right, variable)
        if isinstance(node.op, (ast.Pow, ast.LShift)) and not 0 <= right <= 4096:
            raise ValueError("too large")
        if isinstance(node.op, ast.Pow):
            return int(left**right)
        return int(_OPERATIONS[type(node.op)](left, right))
    raise ValueError("no arithmetic")


def meant_as_decimal(text: str) -> str:
    """What to know of a mask that only as a decimal number is that of one processor, or of the first ones."""
    if not re.fullmatch(r"[1-9]\d+", text):
        return ""
    read, meant = int(text, 16), int(text)
    if not (_is_usual(meant) and meant >= 15) or _is_usual(read):
        return ""
    return f"the kernel reads the mask {text} as hexadecimal; if it is meant as a decimal number, write {meant:x}"


def _is_usual(mask: int) -> bool:
    """Whether a mask is of one processor, or of the first ones."""
    return mask & (mask - 1) == 0 or mask & (mask + 1) == 0
