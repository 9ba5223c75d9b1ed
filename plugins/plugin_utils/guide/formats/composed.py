# SPDX-License-Identifier: GPL-3.0-or-later
"""Compose YAML into nodes, and find words, numbers and texts in them."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import Any, Dict, List, Optional, Sequence
from urllib.parse import unquote

import yaml

from .. import masks
from ..budget import TooLarge
from ..model import Line

_MOST_NODES_OF_ALIASES = 1000
_TABS = (4, 2, 8)


def compose(lines: Sequence[Line]) -> Optional[List[yaml.Node]]:
    """The documents of a text with their places, or None where it is no YAML with a structure."""
    text = "".join(f"{masks.templates(text)}\n" for _number, text in lines)
    found = _composed(text)
    if found is None:
        # One name for several anchors is no YAML for this parser, but others take it.
        found = _composed(re.sub(r"(?m)(:|-) [&*]\w+", r"\1 ", text))
    if found is None and re.search(r"(?m)^ *\t", text):
        # An editor has put tabs into the margin, and how wide they were, only the whole tells.
        found = next((one for one in (_composed(text.expandtabs(width)) for width in _TABS) if one), None)
    if found and _nodes_of_aliases(found) > _MOST_NODES_OF_ALIASES:
        raise TooLarge(f"it is too large: its aliases stand for more than {_MOST_NODES_OF_ALIASES} nodes")
    return found if found and all(isinstance(node, yaml.CollectionNode) for node in found) else None


def _nodes_of_aliases(nodes: Sequence[yaml.Node]) -> int:
    """How many nodes more there are once each alias is what it stands for."""
    sizes: Dict[int, int] = {}
    more = 0

    def size(node: yaml.Node) -> int:
        nonlocal more
        if isinstance(node, yaml.ScalarNode):
            return 1
        if id(node) in sizes:
            more += sizes[id(node)]
        else:
            sizes[id(node)] = _MOST_NODES_OF_ALIASES + 1  # one within itself has no end
            inner = [one for pair in node.value for one in (pair if isinstance(pair, tuple) else (pair,))]
            sizes[id(node)] = 1 + sum(map(size, inner))
        return sizes[id(node)]

    for node in nodes:
        size(node)
    return more


def _composed(text: str) -> Optional[List[yaml.Node]]:
    try:
        return [node for node in yaml.compose_all(text, Loader=yaml.SafeLoader) if node is not None]
    except yaml.YAMLError:
        return None


def scalars(node: yaml.Node, words: Sequence[str]) -> List[yaml.ScalarNode]:
    if isinstance(node, yaml.SequenceNode):
        return [found for one in node.value for found in scalars(one, words)]
    if not isinstance(node, yaml.MappingNode):
        return []
    found: List[yaml.ScalarNode] = []
    for key, value in node.value:
        if str(key.value) in words and isinstance(value, yaml.ScalarNode):
            found.append(value)
        found += scalars(value, words)
    return found


def words(node: Optional[yaml.Node]) -> List[str]:
    """One word, or those of a list; anything else is none."""
    inner = node.value if isinstance(node, yaml.SequenceNode) else [node]
    return [str(one.value) for one in inner if isinstance(one, yaml.ScalarNode)]


def find(node: yaml.MappingNode, word: str) -> Any:
    """What a mapping has for a word, or None."""
    return next((value for key, value in node.value if str(key.value) == word), None)


def data(url: str) -> Optional[str]:
    """The text that a URL holds in itself; None for another URL, and for what is no text."""
    match = re.fullmatch(r"data:[\w/.+-]*(?:;charset=[\w-]+)?(;base64)?,(.*)", url, re.DOTALL)
    return None if not match else decoded(match[2]) if match[1] else unquote(match[2])


def decoded(text: str) -> Optional[str]:
    """A text in base64; None where it is none."""
    try:
        return b64decode("".join(unquote(text).split()), validate=True).decode("utf-8")
    except ValueError:
        return None


def numbers(node: yaml.Node) -> str:
    """The numbers of a list, as the kernel has them; empty for anything else."""
    found = words(node) if isinstance(node, yaml.SequenceNode) else []
    return " ".join(found) if found and len(found) == len(node.value) and all(map(str.isdecimal, found)) else ""
