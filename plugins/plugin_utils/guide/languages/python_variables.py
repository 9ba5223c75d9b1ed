# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what the variables of a Python program are, as far as they are texts, numbers and lists of these."""

from __future__ import annotations

import ast
import operator
import re
import shlex
from functools import partial
from itertools import islice, product
from typing import Callable, Dict, FrozenSet, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from .. import masks
from ..model import Line

_TEXTS = (ast.Constant, ast.List, ast.Tuple, ast.JoinedStr, ast.BinOp)
_MOST_DEPTH = 12  # variables in a variable
_MOST_TEXT = 4096  # characters of a command
_MOST_TURNS = 64
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Bindings = Mapping[str, ast.expr]


class Given(NamedTuple):
    """Where a variable gets a value, which is None where only the run tells it."""

    at: Tuple[int, int]  # the line and its column
    depth: int  # how far the line is indented that gives it
    within: Tuple[int, int]  # the lines in which the name means this variable
    value: Optional[ast.expr]


_EVERYWHERE = (0, 1 << 30)


class Variables:
    """The variables of one program."""

    def __init__(self, lines: Sequence[Line], tree: ast.AST) -> None:
        self.depths = [len(text) - len(text.lstrip()) for _number, text in lines]
        self.given: Dict[str, List[Given]] = {}
        self.texts: Dict[ast.expr, str] = {}
        self.used: Set[int] = set()  # what has become part of a text
        self.looped: Set[int] = set()  # what loops go over
        self.bound: Bindings = {}  # what loops go over at the moment
        self.loops = [node for node in ast.walk(tree) if isinstance(node, ast.For)]
        self._take(tree, _EVERYWHERE, frozenset())

    def _take(self, tree: ast.AST, within: Tuple[int, int], shared: FrozenSet[str]) -> None:
        """The variables of a program or a function, and of the functions in it."""
        for node in ast.iter_child_nodes(tree):
            if isinstance(node, _FUNCTIONS):
                own = (node.lineno, node.end_lineno or node.lineno)
                for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                    self._give(argument.arg, Given((argument.lineno, argument.col_offset), 0, own, None))
                names = (name for one in ast.walk(node) if isinstance(one, ast.Global) for name in one.names)
                self._take(node, own, frozenset(names))
            elif isinstance(node, (ast.stmt, ast.ExceptHandler)):
                for name, value in _bindings(node):
                    at = (name.lineno, name.col_offset)
                    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):  # not in its own value
                        at = (node.end_lineno or 0, node.end_col_offset or 0)
                    lines = _EVERYWHERE if name.id in shared else within
                    self._give(name.id, Given(at, self.depths[name.lineno - 1], lines, value))
                self._take(node, within, shared)

    def _give(self, name: str, given: Given) -> None:
        self.given.setdefault(name, []).append(given)

    def values(self, name: ast.Name) -> List[ast.expr]:
        """What a variable is where it stands: the last value before it, and those that conditions give it instead."""
        if name.id in self.bound:
            return [self.bound[name.id]]
        known = [one for one in self.given.get(name.id, ()) if one.within[0] <= name.lineno <= one.within[1]]
        nearest = max((one.within for one in known), default=_EVERYWHERE)
        where = (name.lineno, name.col_offset)
        before = sorted((one for one in known if one.within == nearest and one.at < where), key=lambda one: one.at)
        here = self.depths[name.lineno - 1]
        sure = [index for index, one in enumerate(before) if one.depth <= here]
        found = [one.value for one in before[sure[-1] if sure else 0 :]]
        texts: List[ast.expr] = [one for one in found if isinstance(one, _TEXTS)]
        self.used.update(map(id, texts if len(texts) == len(found) else ()))
        return texts if len(texts) == len(found) else []

    def turns(self, node: ast.expr) -> Iterator[Bindings]:
        """The turns of the loops around a part of a program; one without variables where none is known."""
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        around = [
            turns
            for loop in self.loops
            if loop.lineno <= node.lineno <= (loop.end_lineno or 0)
            for turns in [self._turns_of(loop)]
            if turns and names & set(turns[0])
        ]
        for chosen in islice(product(*around), _MOST_TURNS):
            yield {name: value for turn in chosen for name, value in turn.items()}

    def _turns_of(self, loop: ast.For) -> List[Bindings]:
        heads = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
        names = [one.id for one in heads if isinstance(one, ast.Name)]
        rows = self._rows(loop.iter)
        if len(names) != len(heads) or any(len(row) != len(names) for row in rows):
            return []
        self.looped.update(id(value) for row in rows for value in row)
        return [dict(zip(names, row)) for row in rows]

    def _rows(self, node: ast.expr) -> List[Tuple[ast.expr, ...]]:
        """What a loop goes over, if it is a list, a list of tuples or a dictionary that the program itself has."""
        items = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "items"
        source = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else node
        if isinstance(source, ast.Name):
            given = [one.value for one in self.given.get(source.id, ())]
            if len(given) != 1 or given[0] is None:
                return []
            source = given[0]
        if items and isinstance(source, ast.Dict):
            return [(key, value) for key, value in zip(source.keys, source.values) if key is not None]
        if isinstance(source, (ast.List, ast.Tuple)) and source is not node.__dict__.get("func"):
            rows = [tuple(one.elts) if isinstance(one, ast.Tuple) else (one,) for one in source.elts]
            return rows if not isinstance(node, ast.Call) else []
        return []


def _bindings(node: ast.AST) -> Iterator[Tuple[ast.Name, Optional[ast.expr]]]:
    """The variables that one statement gives a value, with this value where it stands there."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _unpacked(target, node.value)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield from _unpacked(node.target, node.value)
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        before = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        yield node.target, ast.copy_location(ast.BinOp(before, node.op, node.value), node)
    elif isinstance(node, ast.For):
        yield from _unpacked(node.target, None)
    elif isinstance(node, ast.With):
        for item in node.items:
            yield from _unpacked(item.optional_vars, None) if item.optional_vars else ()


def _unpacked(target: ast.expr, value: Optional[ast.expr]) -> Iterator[Tuple[ast.Name, Optional[ast.expr]]]:
    """The names of one side of an assignment, each with its part of the other side."""
    if isinstance(target, ast.Name):
        yield target, value
    elif isinstance(target, (ast.List, ast.Tuple)):
        parts = value.elts if isinstance(value, (ast.List, ast.Tuple)) else []
        for index, one in enumerate(target.elts):
            yield from _unpacked(one, parts[index] if len(parts) == len(target.elts) else None)


_OPERATIONS: Mapping[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


def computed(node: ast.AST) -> Optional[int]:
    """What numbers alone come to, such as `16 * 1024 * 1024`."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        below = computed(node.operand)
        return None if below is None else -below
    if isinstance(node, ast.Constant):
        plain = isinstance(node.value, int) and not isinstance(node.value, bool)
        return node.value if plain and isinstance(node.value, int) else None
    if not isinstance(node, ast.BinOp):
        return None
    left, right = computed(node.left), computed(node.right)
    if left is None or right is None:
        return None
    if isinstance(node.op, (ast.Pow, ast.LShift)):
        small = 0 <= right < 64 and abs(left) < 1 << 20
        return (left**right if isinstance(node.op, ast.Pow) else left << right) if small else None
    function = _OPERATIONS.get(type(node.op))
    return function(left, right) if function and (right or function is not operator.floordiv) else None


def joined(node: ast.AST, variables: Optional[Variables] = None, depth: int = 0) -> str:
    """A command put together of texts and variables."""
    inner = partial(joined, variables=variables, depth=depth)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    number = computed(node)
    if number is not None:
        return str(number)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        lists = any(isinstance(one, (ast.List, ast.Tuple)) for one in (node.left, node.right))
        return f"{inner(node.left)} {inner(node.right)}" if lists else inner(node.left) + inner(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return re.sub(r"%[sd]", masks.mask("%s"), inner(node.left))
    if isinstance(node, ast.JoinedStr):
        return "".join(inner(part.value if isinstance(part, ast.FormattedValue) else part) for part in node.values)
    if isinstance(node, (ast.List, ast.Tuple)):
        words = list(map(inner, node.elts))
        if len(words) == 1:
            return words[0]
        return " ".join(shlex.quote(word) if any(map(str.isspace, word)) else word for word in words)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("split", "format", "encode")
    ):
        text = inner(node.func.value)
        return re.sub(r"\{\w*\}", lambda match: masks.mask(match[0]), text) if node.func.attr == "format" else text
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "str" and len(node.args) == 1:
        return inner(node.args[0])
    if isinstance(node, ast.Name):
        values = variables.values(node) if variables and depth < _MOST_DEPTH else []
        if variables and len(values) == 1:
            if values[0] not in variables.texts:
                variables.texts[values[0]] = joined(values[0], variables, depth + 1)[:_MOST_TEXT]
            return variables.texts[values[0]]
        return masks.mask(f"${node.id}")
    return masks.mask("$(...)")
