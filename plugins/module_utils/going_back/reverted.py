# SPDX-License-Identifier: GPL-3.0-or-later
"""Reverted: what the script has taken back, or could not, until a person was told of it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Dict, List, Sequence, Tuple

from ..host import Host, ReadOnlyHost
from ..schema import Address, Save, Value
from . import memory, script, stack
from .script import REVERTED
from .stack import Layer

_FAILED = f"{REVERTED}/failed"


def layers(host: ReadOnlyHost) -> List[Layer]:
    """The changes that were taken back, and nobody has heard of yet."""
    names = [name for name in host.names(REVERTED) if name.endswith(".json") and name[:-5].isdecimal()]
    return [stack.told_of(host, f"{REVERTED}/{name}", int(name[:-5])) for name in names]


def stuck(host: ReadOnlyHost) -> List[str]:
    """A sentence for each key that could not be set back, with the value."""
    return [f"{address} could not be restored{f' to {then}' if then else ''}" for address, then in _failed(host)]


def _failed(host: ReadOnlyHost) -> List[Tuple[Address, str]]:
    """What could not be set back, and the value as JSON, which may be missing, as may the end of a line after a power
    cut."""
    rows = [line.partition("\t") for line in sorted(set((host.read(_FAILED) or "").splitlines()))]
    return [(stack.address_of(key), then) for key, _tab, then in rows if key.count(" ") >= 2]


def note_stuck(host: Host) -> None:
    """What could not be set back stays noted as an original until it can."""
    originals: Dict[Address, Value] = {}
    below = stack.temporary(stack.read(host))
    for address, then in _failed(host):
        with suppress(ValueError):  # a part of a value
            value = memory.value_of(json.loads(then))
            originals.update({} if address.key.startswith("/") else {address: below.get(address, value)})
    memory.keep(host, originals)


def heard(host: Host) -> None:
    """What was taken back has been told; what could not be set back stays noted."""
    note_stuck(host)
    for layer in layers(host):
        host.do(Save(f"{REVERTED}/{layer.number}.json", None, mode=0o600))
    if host.exists(_FAILED):
        host.do(Save(_FAILED, None, mode=0o600))


def told(host: ReadOnlyHost, gone: Sequence[Layer]) -> str:
    """What a person has to know about changes that were taken back."""
    said = [f"the change of {layer.at} was reverted, because {_why(layer)} ({layer})" for layer in gone]
    return "; ".join([*said, *stuck(host)])


def _why(layer: Layer) -> str:
    if layer.why == script.ANEW:
        return f"{layer.why} before anybody confirmed it"
    return layer.why if layer.why == script.BY_HAND else f"{script.UNCONFIRMED} within {layer.timeout} s"
