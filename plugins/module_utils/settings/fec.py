# SPDX-License-Identifier: GPL-3.0-or-later
"""Know forward error correction, which both ends of a link of 25 Gb/s and more must share (`ethtool --show-fec`)."""

from __future__ import annotations

from typing import Dict, Mapping, Sequence, Tuple

from ..family import NIC, Family, Field
from ..schema import EXACTLY, Action, Cell, Desired, InputError, Reader, Reading, Run, Value, nearest
from ..tools import ethtool, sysfs

_WORDS = ("auto", "off", "rs", "baser", "llrs")
_AUTO = "auto"

# What these show as configured is what they support, auto included (get_fecparam in the drivers).
_SHOW_SUPPORTED = ("cxgb4", "nfp")


def cells(text: str, supported: bool = False) -> Dict[str, Cell]:
    """The cell behind the text of `ethtool --show-fec NIC`; none where it names no encoding."""
    shown = ethtool.fec(text)
    configured = [word for word in shown.get("configured", ()) if word in _WORDS]
    active = [word for word in shown.get("active", ()) if word in _WORDS]
    if not configured:
        return {}
    if supported:
        return {"encoding": Cell(" ".join(active) or None, partner="chooses", unseen=True)}
    # Under auto some list all that it may choose from (ice), and others the word alone (mlx5).
    value = _AUTO if _AUTO in configured else " ".join(sorted(configured))
    return {"encoding": Cell(value)}


def _read(host: Reader, nic: str, _keys: Sequence[str]) -> Reading:
    supported = sysfs.driver(host, nic) in _SHOW_SUPPORTED
    return ethtool.reading(host, "--show-fec", nic, lambda text: cells(text, supported))


def _understand(field: Field, raw: object) -> Desired:
    parts = raw if isinstance(raw, (list, tuple)) else [raw]
    # YAML takes the word off for a switch.
    words = ["off" if part is False else word for part in parts for word in str(part).lower().split()]
    for word in words:
        if word not in _WORDS:
            raise InputError(f"{field.name}: {word!r} is not valid{nearest(word, _WORDS)}")
    if not words or (len(set(words)) > 1 and {_AUTO, "off"} & set(words)):
        right = "write one of auto, off, rs, baser, llrs, or a list without auto and off"
        raise InputError(f"{field.name}: {raw!r} is not valid; {right}")
    return Desired(EXACTLY, " ".join(sorted(set(words))))


def _write(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    words = str(values.get("encoding") or "").split()
    return (Run(("ethtool", "--set-fec", nic, "encoding", *words)),) if words else ()


fec = Family(
    name="fec",
    module="ethtool",
    scope=NIC,
    read=_read,
    write=_write,
    about=(
        "Forward error correction, mostly for links of 25 Gb/s and more. Both ends must use the same. "
        "Cable and transceiver determine what is needed. The link goes down for some seconds, and must come back."
    ),
    fields=(
        Field(
            "encoding",
            "words",
            "C(auto), C(off), C(rs) (Reed-Solomon, clause 91 or 108), C(baser) (clause 74), C(llrs), or a list of "
            "those that may be used",
            words=_WORDS,
            parse=_understand,
        ),
    ),
    hint="The transceiver, the cable and the speed determine which encodings are available.",
    refusals={"Operation not supported": "the driver does not allow it to be set"},
    cuts=True,
    patience=10,
    partners={"chooses": ""},
)
