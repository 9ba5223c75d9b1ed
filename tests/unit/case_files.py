# SPDX-License-Identifier: GPL-3.0-or-later
"""Read case files: a word that no test looks at, or that stands there twice, is an error and not a test that is none.

What a case may have is a table of words, with the table of what is below each, or nothing where anything may be. A list
has the table of its items; ANY stands for names that are free.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ANY = "*"
LAB = "lab"
Words = Mapping[str, Any]

FOLDER = Path(__file__).parent / "cases"

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
# What described_host.py makes a host of.
DESCRIBED: Words = {
    **dict.fromkeys(("about", "memory_gib", "kernel", "uptime", "cpus", "sysctl", "forwards", "softnet", "counts")),
    **dict.fromkeys(("tables", "files", "others", "peers", "addresses", "tc", "ss", "carries", "programs", "links")),
    "nics": {
        ANY: {
            **dict.fromkeys(("carrier", "virtual", "bus", "mac", "driver", "version", "pci", "mtu", "numa", "kernel")),
            **dict.fromkeys(("carrier_changes", "queues", "watchdog", "power_save", "aspm", "pcie", "interrupts")),
            **dict.fromkeys(("master", "qdisc", "qdisc_dropped", "link", "speed", "duplex", "autoneg", "ring")),
            **dict.fromkeys(("coalesce", "pause", "features", "stats", "eee")),
        }
    },
    "bonds": {ANY: {**dict.fromkeys(("mtu", "options")), "members": {ANY: None}}},
}
FINDING: Words = dict.fromkeys(("about", "source", "facts", "measured", "found", "cure"))
# The words of each folder; those of cases/parse and cases/drivers are whatever a tool has said.
KINDS: Mapping[str, Words] = {
    "modules": MODULE,
    "findings": FINDING,
    "stories": FINDING,
    "guide": dict.fromkeys(
        (
            *("about", "source", "text", "path", "form", "kernel", "arguments", "all_parameters"),
            *("inventory", "fill_in", "remarks", "not_understood", "lines", "says"),
        )
    ),
    "outside": {**dict.fromkeys(("about", "source", "cause", "expect", "also")), "hosts": {ANY: DESCRIBED}},
    "export": {
        **dict.fromkeys(("about", "variables", "profiles", "back")),
        "forms": {ANY: dict.fromkeys(("files", "unsaid"))},
    },
    "autotune": {
        "settings": None,
        "bottlenecks": dict.fromkeys(("about", "worth", "hidden", "noise", "kind")),
    },
    "bottlenecks": {
        **dict.fromkeys(("about", "source")),
        "cases": {
            **dict.fromkeys(("about", "where", "at", "says", "rate", "flow", "sender", "receiver", "queues", "idle")),
            **dict.fromkeys(("speed", "driver", "options")),
        },
        "patterns": dict.fromkeys(("about", "rates", "says")),
    },
    "plans": dict.fromkeys(("about", "current", "desired", "commands", "taken_away")),
    "school": {ANY: {ANY: DESCRIBED}},
}


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # a base that is chosen at run time
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _value in node.value if isinstance(key, yaml.ScalarNode)]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        assert not twice, f"{node.start_mark}: {', '.join(twice)} stands there twice"
        return super().construct_mapping(node, deep)


def read(path: Path, kind: str = "") -> Any:
    """The content of a case of a kind, which is that of its folder; AssertionError for what no test would look at."""
    case = yaml.load(path.read_text(), _Loader)
    words = KINDS[kind or folder(path)]
    if words is MODULE:
        nics = case.get("nics", {})
        unknown = [name for name, nic in nics.items() if nic == LAB and name not in lab()]
        assert not unknown, f"{path}: {', '.join(unknown)}: the lab has no such NIC"
        nics.update({name: dict(lab()[name]) for name, nic in nics.items() if nic == LAB})
    _check(case, words, str(path))
    return case


def folder(path: Path) -> str:
    """The folder below cases in which a case lies, which is its kind."""
    parts = path.parts[::-1]
    return parts[parts.index(FOLDER.name) - 1]


@cache
def lab() -> Any:
    """The NICs of the lab's guests, which a case has by the one word LAB."""
    return yaml.load((FOLDER / "lab.yml").read_text(), _Loader)


def shown(name: str) -> Path:
    """The file of a text that a tool has printed: with a folder one of cases/parse, else one of cases/shown."""
    return FOLDER / ("parse" if "/" in name else "shown") / name


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
