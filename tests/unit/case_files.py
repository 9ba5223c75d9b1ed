# SPDX-License-Identifier: GPL-3.0-or-later
"""Read case files: a word that no test looks at, or that stands there twice, is an error and not a test that is none.

What a case may have is a table of words, with the table of what is below each, or nothing where anything may be. A list
has the table of its items; ANY stands for names that are free.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ANY = "*"
Words = Mapping[str, Any]

MODULE: Words = {
    **dict.fromkeys(("about", "source", "files", "links", "refused", "readable_only", "kernel", "together")),
    "nics": {ANY: dict.fromkeys(("driver", "pci", "bus", "mac", "carrier", "queues"))},
    "calls": {
        **dict.fromkeys(("params", "check", "result", "holds", "says", "done", "files")),
        "commands": dict.fromkeys(
            ("run", "reads", "rc", "out", "err", "shows", "gone", "files", "links", "missing"),
        ),
    },
}
FINDING: Words = dict.fromkeys(("about", "source", "facts", "measured", "found", "cure"))
GUIDE: Words = dict.fromkeys(
    (
        *("about", "source", "text", "path", "form", "kernel", "arguments", "all_parameters"),
        *("inventory", "fill_in", "remarks", "not_understood", "lines", "says"),
    )
)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # a base that is chosen at run time
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _value in node.value if isinstance(key, yaml.ScalarNode)]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        assert not twice, f"{node.start_mark}: {', '.join(twice)} stands there twice"
        return super().construct_mapping(node, deep)


def read(path: Path, words: Words) -> Any:
    """The content of a case; AssertionError for what no test would look at."""
    case = yaml.load(path.read_text(), _Loader)
    _check(case, words, str(path))
    return case


def _check(found: Any, words: Words | None, where: str) -> None:
    if words is None or found is None:
        return
    if isinstance(found, list):
        for number, item in enumerate(found, 1):
            _check(item, words, f"{where}: {number}")
        return
    assert isinstance(found, dict), f"{where} is no dictionary"
    unknown = [] if ANY in words else sorted(set(found) - set(words))
    assert not unknown, f"{where}: {', '.join(unknown)}: no test reads that; choose one of {', '.join(words)}"
    for key, value in found.items():
        _check(value, words.get(key, words.get(ANY)), f"{where}: {key}")
