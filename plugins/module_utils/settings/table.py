# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn a table of keys into a family of ethtool: what ring, channels, coalesce and pause have in common."""

from __future__ import annotations

from typing import Callable, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..family import NIC, Family, Field
from ..schema import Action, Cell, Reader, Reading, Value
from ..tools import ethtool

Parse = Callable[[str, Mapping[str, str]], Dict[str, Cell]]


class Row(NamedTuple):
    """A key, ethtool's option that sets it (empty: it can only be read), and its label in ethtool's text."""

    field: Field
    option: str
    label: str


def family(
    name: str,
    rows: Sequence[Row],
    ask: str,
    change: str,
    parse: Parse,
    about: str,
    hint: str = "",
    explain: Optional[Callable[[Reader, str], str]] = None,
    cuts: bool = False,
    shaken_by: Tuple[str, ...] = (),
    loose: bool = False,
    blind: Tuple[str, ...] = (),
    like: str = "",
) -> Family:
    """A family of the module `ethtool` that reads with the flag `ask` and sets with the flag `change`."""
    labels = {row.label: row.field.name for row in rows}
    options = {row.field.name: row.option for row in rows}

    def read(host: Reader, nic: str, _keys: Sequence[str]) -> Reading:
        return ethtool.reading(host, ask, nic, lambda text: parse(text, labels))

    def write(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
        # In the order of the table and in one call: drivers reset the link once for each call.
        return (ethtool.command(change, nic, {options[key]: values[key] for key in options if key in values}),)

    return Family(
        name=name,
        like=like,
        module="ethtool",
        scope=NIC,
        read=read,
        write=write,
        about=about,
        fields=tuple(row.field for row in rows),
        hint=hint,
        explain=explain,
        cuts=cuts,
        shaken_by=shaken_by,
        loose=loose,
        blind=blind,
    )
