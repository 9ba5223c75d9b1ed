# SPDX-License-Identifier: GPL-3.0-or-later
"""What a shell script is made of, once it is parsed: commands, loops, conditions and functions."""

from __future__ import annotations

from typing import Iterator, List, NamedTuple, Optional, Tuple, Union

from ..model import Line

# What joins the comparisons of one test, and whether it needs both of them.
JOINED = ((("-o", "||"), False), (("-a", "&&"), True))


class Redirect(NamedTuple):
    """A redirection of a command: its operator, the raw word, the here document, and whether it is of the errors."""

    operator: str
    word: str
    line: int
    body: Optional[Tuple[Line, ...]]
    quoted: bool
    errors: bool


class Simple(NamedTuple):
    """Words (raw, with the line of each) and redirections; `lasts` has the lines in which words end that go on."""

    words: Tuple[Tuple[str, int], ...]
    redirects: Tuple[Redirect, ...]
    line: int
    lasts: Tuple[int, ...] = ()


class Arithmetic(NamedTuple):
    """`((...))`."""

    expression: str
    line: int


class Pipeline(NamedTuple):
    """Commands whose output is the input of the next."""

    commands: Tuple[Node, ...]
    line: int


class AndOr(NamedTuple):
    """Two commands joined by && or ||."""

    operator: str
    left: Node
    right: Node
    line: int


class Not(NamedTuple):
    """A command whose result is turned round by a `!` before it."""

    command: Node
    line: int


class Sequence_(NamedTuple):
    """Commands one after the other; one in brackets may be redirected, and is `own` in a shell of its own: `(...)`."""

    commands: Tuple[Node, ...]
    redirects: Tuple[Redirect, ...]
    line: int
    own: bool = False


class If(NamedTuple):
    """Conditions with their commands; a condition of None is `else`."""

    arms: Tuple[Tuple[Optional[Node], Node], ...]
    line: int


class For(NamedTuple):
    """A loop over words; `words` is None for the arguments of the script, `head` has the three parts of a C loop."""

    name: str
    words: Optional[Tuple[Tuple[str, int], ...]]
    head: str
    body: Node
    redirects: Tuple[Redirect, ...]
    line: int


class While(NamedTuple):
    """A loop as long as a command succeeds (or fails: until)."""

    condition: Node
    body: Node
    redirects: Tuple[Redirect, ...]
    line: int


class Case(NamedTuple):
    """A subject and the commands for each list of patterns."""

    subject: str
    arms: Tuple[Tuple[Tuple[str, ...], Node, int], ...]
    line: int


class Function(NamedTuple):
    """A function by its name."""

    name: str
    body: Node
    line: int


Node = Union[Simple, Arithmetic, Pipeline, AndOr, Not, Sequence_, If, For, While, Case, Function]


def all_of(node: Optional[Node]) -> Iterator[Node]:
    """A command and all commands in it."""
    if node is None:
        return
    yield node
    inner: Tuple[Optional[Node], ...] = ()
    if isinstance(node, (Sequence_, Pipeline)):
        inner = node.commands
    elif isinstance(node, AndOr):
        inner = (node.left, node.right)
    elif isinstance(node, If):
        inner = tuple(part for arm in node.arms for part in arm)
    elif isinstance(node, Not):
        inner = (node.command,)
    elif isinstance(node, (For, Function)):
        inner = (node.body,)
    elif isinstance(node, While):
        inner = (node.condition, node.body)
    elif isinstance(node, Case):
        inner = tuple(body for _patterns, body, _line in node.arms)
    for part in inner:
        yield from all_of(part)


def tested(node: Optional[Node]) -> List[str]:
    """The raw words between the brackets of `[ ... ]`, or behind `test`; empty where a command is no such test."""
    if not isinstance(node, Simple) or not node.words or node.words[0][0] not in ("[", "[[", "test"):
        return []
    return [raw for raw, _line in node.words[1:] if raw not in ("]", "]]")]


def certain(node: Optional[Node], holds: bool) -> Iterator[Tuple[Node, bool]]:
    """The parts of a condition of which is certain how they end if it holds, or if it does not, and which of both."""
    if isinstance(node, (Sequence_, Pipeline)) and len(node.commands) == 1:
        yield from certain(node.commands[0], holds)
    elif isinstance(node, Not):
        yield from certain(node.command, not holds)
    elif isinstance(node, AndOr):
        if (node.operator == "&&") is holds:
            yield from certain(node.left, holds)
            yield from certain(node.right, holds)
    elif node is not None:
        yield node, holds
