# SPDX-License-Identifier: GPL-3.0-or-later
"""Write what was captured: options for a module, and the text of inventory files with a comment for each line."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import yaml

from .model import OF_THE_HOST, Captured, Item

HEADER = "# Written by linuxnet.tuning.capture"
_WIDTH = 118


def options(captured: Captured) -> dict[str, Any]:
    """The same as options of `tune`."""
    return {
        "nics": [{"name": nic, **_entry(items)} for nic, items in _by_nic(captured.items)],
        **{
            family: {item.key: item.value for item in captured.items if item.family == family} for family in OF_THE_HOST
        },
    }


def _by_nic(items: Iterable[Item]) -> list[tuple[str, list[Item]]]:
    found: dict[str, list[Item]] = {}
    for item in items:
        if item.nic:
            found.setdefault(item.nic, []).append(item)
    return sorted(found.items())


def _entry(items: Iterable[Item]) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    for item in items:
        if item.family == "link":
            entry[item.key] = item.value
        else:
            entry.setdefault(item.family, {})[item.key] = item.value
    return entry


def text(captured: Captured, layer: str, about: str) -> str:
    """A file of variables; `layer` is `host` or `group`."""
    lines = [*_comment(f"{HEADER.lstrip('# ')} {about}", ""), "---"]
    if captured.problem:
        lines += _comment(captured.problem, "")
    nics = _by_nic(captured.items)
    lines += [f"tuning_{layer}_nics:"] if nics else []
    for nic, items in nics:
        lines.append(f"  - name: {_scalar(nic)}")
        for item in (one for one in items if one.family == "link"):
            lines += _line(item, "    ")
        for family in dict.fromkeys(one.family for one in items if one.family != "link"):
            lines.append(f"    {family}:")
            for item in (one for one in items if one.family == family):
                lines += _line(item, "      ")
    parameters = sorted(item for item in captured.items if item.family in OF_THE_HOST)
    for family in OF_THE_HOST:
        mine = [item for item in parameters if item.family == family]
        lines += [f"tuning_{layer}_{family}:"] if mine else []
        for item in mine:
            lines += _line(item, "  ")
    if captured.profile:
        lines.append(f"tuning_tuned_profile: {_scalar(captured.profile)}  # the active profile of tuned")
    if not (nics or parameters or captured.profile):
        nothing = "Nothing that differs from what the drivers and the kernel set by themselves was found."
        lines += [*_comment(captured.shared or nothing, ""), "{}"]
    return "\n".join([*lines, *_below(captured), ""])


def _below(captured: Captured) -> list[str]:
    """What is no variable."""
    lines: list[str] = []
    if captured.bonds:
        lines += [
            "",
            *_comment("Bonds. They stay with the tool that created them; uncomment the lines to manage them here:", ""),
        ]
        made = yaml.safe_dump({"tuning_bonds": list(captured.bonds)}, sort_keys=False, width=_WIDTH)
        lines += [f"# {line}" for line in made.splitlines()]
    if captured.unknown:
        why = "In force, but it is not known whether the driver, the kernel or a person has set it:"
        lines += ["", *_comment(why, "")]
        lines += [f"#   {' '.join(where)}: {_flow(values)}" for where, values in _unknown(captured.unknown)]
    if captured.left_out:
        lines += ["", "# Left out:"]
        for sentence in dict.fromkeys(captured.left_out):
            lines += _comment(f"- {sentence}", "", "#   ")
    return lines


def _unknown(items: Sequence[Item]) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for item in items:
        where = (item.nic, item.family) if item.nic else ("host", item.family)
        found.setdefault(where, {})[item.key] = item.value
    return list(found.items())


def _line(item: Item, indent: str) -> list[str]:
    """A value with its comment behind it, or above it where that is too long."""
    value = item.value if not isinstance(item.value, tuple) else list(item.value)
    shown = _flow(value) if isinstance(value, (list, dict)) else _scalar(value)
    line = f"{indent}{_scalar(item.key)}: {shown}"
    comment = _plain("; ".join([item.origin, *item.notes]))
    if len(line) + len(comment) + 4 <= _WIDTH:
        return [f"{line}  # {comment}"]
    return [*_comment(comment, indent), line]


def _scalar(value: Any) -> str:
    return str(yaml.safe_dump(value, width=1 << 20, default_flow_style=True)).replace("\n...\n", "").strip()


def _flow(value: Any) -> str:
    return " ".join(yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=1 << 20).split("\n")).strip()


def _plain(sentence: str) -> str:
    """One line: what a host says must not end a comment."""
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]", " ", str(sentence)).split())


def _comment(sentence: str, indent: str, more: str = "# ") -> list[str]:
    first = "#   " if more != "# " else "# "
    return textwrap.wrap(
        _plain(sentence),
        width=_WIDTH,
        initial_indent=f"{indent}{first}",
        subsequent_indent=f"{indent}{more}{'  ' if more != '# ' else ''}",
        break_long_words=False,
        break_on_hyphens=False,
    )
