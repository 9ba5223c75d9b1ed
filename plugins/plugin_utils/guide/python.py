# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the commands that a Python program runs."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Sequence, Union

from . import masks, programs
from .model import CONDITIONAL, Line
from .settings import Guide
from .shell import Shell

_RUNNING = ("system", "run", "call", "check_call", "check_output", "Popen", "popen", "getoutput", "sh", "execute")


def read(guide: Guide, lines: Sequence[Line]) -> bool:
    """Commands that a Python program runs; False where the text is no Python."""
    text = "\n".join(text for _number, text in lines)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    mininet = any(re.match(r"\s*(from|import) mininet\b", line) for _number, line in lines)
    why = "it acts on a host of Mininet, which is a network namespace of its own" if mininet else ""
    with guide.sink.under(CONDITIONAL, why):
        _commands(guide, lines, tree)
    for number, _text in lines:
        guide.sink.nothing(number, "sets nothing by itself")
    return True


def _commands(guide: Guide, lines: Sequence[Line], tree: ast.AST) -> None:
    """What the calls of a program run, and the texts in it that are scripts or files."""
    numbers = [number for number, _text in lines]
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    said |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in said:
            _file(guide, numbers, node)
        if isinstance(node, ast.Call) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            command = _joined(node.args[0])
            first = command.split()[0] if command.split() else ""
            known = " " in command.strip() and programs.program(first) in programs.PROGRAMS
            if command and (name in _RUNNING or known):
                Shell(guide).commands(numbers[node.lineno - 1], command)


def _file(guide: Guide, numbers: Sequence[int], node: Union[ast.Constant, ast.JoinedStr]) -> None:
    """A text of several lines that is a script or a configuration file."""
    texts = _joined(node).split("\n") if not isinstance(node, ast.Constant) or isinstance(node.value, str) else []
    if len(texts) > 2:
        last = len(numbers) - 1
        guide.read_file("", [(numbers[min(node.lineno - 1 + k, last)], text) for k, text in enumerate(texts)])


def _joined(node: ast.AST) -> str:
    """A command put together of texts and variables."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined(node.left) + _joined(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return re.sub(r"%[sd]", masks.mask("%s"), _joined(node.left))
    if isinstance(node, ast.JoinedStr):
        return "".join(_joined(part.value if isinstance(part, ast.FormattedValue) else part) for part in node.values)
    if isinstance(node, (ast.List, ast.Tuple)):
        return " ".join(_joined(one) for one in node.elts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("split", "format"):
        return _joined(node.func.value)
    if isinstance(node, ast.Name):
        return masks.mask(f"${node.id}")
    return masks.mask("$(...)")
