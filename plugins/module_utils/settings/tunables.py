# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the tunables of a driver: up to which size it copies packets, how long it bears a pause (`--get-tunable`)."""

from __future__ import annotations

import re
from typing import Dict, Mapping, NamedTuple, Sequence, Tuple

from ..family import NIC, Family, Field
from ..schema import Action, Cell, Query, Reader, Reading, Run, Value


class _Row(NamedTuple):
    """A key, its word in commands, and what the kernel takes at most."""

    field: Field
    word: str
    most: int


_U16, _U32 = (1 << 16) - 1, (1 << 32) - 1
_ROWS = (
    _Row(
        Field(
            "rx_copybreak",
            "integer",
            "copy received packets up to this many bytes, so that their buffer is used again at once",
            unit="bytes",
        ),
        "rx-copybreak",
        _U32,
    ),
    _Row(
        Field("tx_copybreak", "integer", "copy packets up to this many bytes into one buffer to send", unit="bytes"),
        "tx-copybreak",
        _U32,
    ),
    _Row(
        Field("tx_buf_size", "integer", "bytes of all such buffers together; needs ethtool 5.17", unit="bytes"),
        "tx-buf-size",
        _U32,
    ),
    _Row(
        Field(
            "pfc_prevention_tout",
            "integer",
            "milliseconds that the link partner may pause the NIC before its packets are dropped; 0 is for ever, and "
            "65535 the driver's own",
            unit="milliseconds",
        ),
        "pfc-prevention-tout",
        _U16,
    ),
)


def cells(row: _Row, text: str) -> Dict[str, Cell]:
    """The cell behind the text of `ethtool --get-tunable NIC WORD`."""
    match = re.search(rf"^{row.word}: (\d{{1,10}})$", text, re.MULTILINE)
    return {row.field.name: Cell(int(match[1]), maximum=row.most)} if match else {}


def _read(host: Reader, nic: str, keys: Sequence[str]) -> Reading:
    """One question for each key: ethtool leaves at the first that the driver does not have."""
    found: Dict[str, Cell] = {}
    said = ""
    for row in _ROWS:
        # Only a driver that copies what it sends has a size of these buffers.
        if row.field.name not in keys if keys else row.word == "tx-buf-size" and "tx_copybreak" not in found:
            continue
        answer = host.ask(Query(("ethtool", "--get-tunable", nic, row.word)))
        found.update(cells(row, answer.out))
        said = answer.complaint if answer.rc else said
    if found:
        return Reading(found)
    return Reading({}, "the device does not have it" + (f" ({said})" if said else ""))


def _write(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    return tuple(
        Run(("ethtool", "--set-tunable", nic, row.word, str(values[row.field.name])))
        for row in _ROWS
        if values.get(row.field.name) is not None
    )


tunables = Family(
    name="tunables",
    module="ethtool",
    scope=NIC,
    loose=True,
    blind=("*",),
    read=_read,
    write=_write,
    about="Tunables of the driver: up to which size it copies packets, and how long it waits while it is paused.",
    fields=tuple(row.field for row in _ROWS),
    hint="Few drivers have them: ena, enic and hns3 rx_copybreak, hns3 and mlx4 tx_copybreak, hns3 tx_buf_size, mlx5 "
    "pfc_prevention_tout.",
    refusals={"Operation not supported": "the driver does not allow it to be set"},
)
