# SPDX-License-Identifier: GPL-3.0-or-later
"""Know receive side scaling (RSS): how a NIC spreads flows over its receive queues (`ethtool -x`, `-X`, `-N`).

The table is compared by its entries, and said in the shortest words of `ethtool -X` that write it. `equal` over all
queues is what `-X NIC default` writes: the kernel fills the table itself, and lets the driver fill it anew when the
channels change. A table of other words is one that the kernel holds fast.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ..family import NIC, Expansion, Family, Field
from ..schema import EXACTLY, Action, Address, Cell, Desired, InputError, Reader, Reading, Run, Value, nearest
from ..tools import cpus
from ..tools import rss as tool

# As ethtool names them; what is hashed of other packets is not for a person to choose, or is no two-sided matter.
PROTOCOLS = ("tcp4", "udp4", "sctp4", "ah4", "esp4", "tcp6", "udp6", "sctp6", "ah6", "esp6")
_OF = ("the same of", "the letters of ethtool for what is hashed, C(sd) or with the ports C(sdfn), of")
_DEVICE = ("indirection", "key", "function", "transform")

_FOREIGN = "a table that no words of `ethtool -X` write"


def _read(host: Reader, nic: str, keys: Sequence[str]) -> Reading:
    cells: Dict[str, Cell] = {}
    problem = ""
    if not keys or set(keys) & set(_DEVICE):
        spread, problem = tool.ask(host, nic)
        cells.update(_cells(spread))
    for protocol in PROTOCOLS:
        letters = tool.fields(host.ask(tool.fields_query(nic, protocol)).out) if protocol in keys else None
        if letters is not None:
            cells[protocol] = Cell(letters or "none", means=_letters)
    return Reading(cells, "the device does not have it" + (f" ({problem})" if problem else ""))


def _cells(spread: tool.Spread) -> Dict[str, Cell]:
    cells = {}
    if spread.table and spread.rings:
        value = tool.words(spread.table, spread.rings) or _FOREIGN
        means = partial(_indirection, spread, value)
        cells["indirection"] = Cell(value, means=means, where=str(spread.rings))
    if spread.key:
        cells["key"] = Cell(spread.key, means=partial(_key, (len(spread.key) + 1) // 3))
    for name, value, known in (
        ("function", spread.function, spread.functions),
        ("transform", spread.transform, ("none", *spread.transforms)),
    ):
        if value:
            cells[name] = Cell(value, means=partial(_one_of, known))
    return cells


def _indirection(spread: tool.Spread, now: str, desired: str) -> str:
    """What words come to with a table of this size; ` of N` behind them are the queues that there will be."""
    if now == _FOREIGN:
        raise ValueError(f"the NIC has {_FOREIGN}, so there would be no way back; run `ethtool -X NIC default` first")
    words, _of, rings = desired.partition(" of ")
    return tool.words(tool.table(words, len(spread.table), spread.rings), int(rings or spread.rings))


def _key(length: int, desired: str) -> str:
    key = tool.symmetric(length) if desired == "symmetric" else desired
    if len(key.split(":")) != length:
        raise ValueError(f"the device has a key of {length} bytes, and this one has {len(key.split(':'))}")
    return key


def _one_of(known: Sequence[str], desired: str) -> str:
    if desired not in known:
        raise ValueError(f"the device knows {', '.join(known)}")
    return desired


def _letters(desired: str) -> str:
    if desired == "none":
        raise ValueError("ethtool has no letter for hashing nothing at all")
    return desired


def _write(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    words: List[str] = []
    if "indirection" in values:
        desired = str(values["indirection"])
        words += ["default"] if desired == tool.ALL else desired.split()
    for key, option in (("key", "hkey"), ("function", "hfunc"), ("transform", "xfrm")):
        words += [option, str(values[key])] if key in values else []
    runs = [Run(("ethtool", "-X", nic, *words))] if words else []
    hashes = ((protocol, str(values[protocol])) for protocol in PROTOCOLS if protocol in values)
    return (*runs, *(Run(("ethtool", "-N", nic, "rx-flow-hash", protocol, word)) for protocol, word in hashes))


def _expand(
    nic: str, desired: Mapping[str, Desired], cells: Mapping[str, Cell], planned: Mapping[Address, Value]
) -> Expansion:
    """Words that count queues are held against those that there will be once the channels are set."""
    indirection = desired.get("indirection")
    if indirection is None or "indirection" not in cells or str(indirection.value) == tool.ALL:
        return Expansion(desired)
    counts = [planned.get(Address("channels", nic, key)) for key in ("combined", "rx")]
    numbers = [number for number in counts if isinstance(number, int)]
    rings = sum(numbers) if numbers else int(cells["indirection"].where)
    needed = tool.queues(str(indirection.value))
    if needed > rings:
        rest = {key: one for key, one in desired.items() if key != "indirection"}
        why = f"it needs {needed} receive queues, and the NIC has {rings}; name fewer, or raise its channels"
        return Expansion(rest, {"indirection": why})
    return Expansion({**desired, "indirection": indirection._replace(value=f"{indirection.value} of {rings}")})


def _parse_indirection(field: Field, raw: Any) -> Desired:
    if isinstance(raw, Mapping):
        words = _of_mapping(field, raw)
    elif isinstance(raw, (list, tuple)):
        words = _of_queues(field, ",".join(str(item).strip() for item in raw), raw)
    else:
        words = " ".join(str(raw).lower().split())
        if words == "default":  # what a device has that knows no other
            return Desired(EXACTLY, tool.ALL, optional=True)
        if isinstance(raw, int) or words.isdecimal():
            raise InputError(
                f"{field.name}: {raw!r} is not valid; write equal {words} for so many queues, or [{words}]"
            )
        if not words[:1].isalpha():
            words = _of_queues(field, words, raw)
    kind, *numbers = words.split() or [""]
    if kind not in (tool.ALL, "weight"):
        raise InputError(f"{field.name}: {raw!r} is not valid{nearest(kind, ['equal', 'weight', 'default'])}")
    one = r"[0-9]{1,4}"
    right = rf"equal( {one}( start {one})?)?|weight( {one})+"
    if not re.fullmatch(right, words) or (numbers and not any(word.isdecimal() and int(word) for word in numbers)):
        raise InputError(
            f"{field.name}: {raw!r} is not valid; write equal, equal 4, equal 4 start 2, or weight 6 2 with a weight "
            "for each queue, of which one at least is not 0"
        )
    if kind == tool.ALL and numbers and not int(numbers[0]):
        raise InputError(f"{field.name}: {raw!r} is not valid; no queue would be left")
    return Desired(EXACTLY, words)


def _of_mapping(field: Field, raw: Mapping[str, Any]) -> str:
    known = ("weights", "queues", "equal", "start")
    for key in raw:
        if key not in known:
            raise InputError(f"{field.name} has no key '{key}'{nearest(str(key), known)}")
    if list(raw) == ["weights"] and isinstance(raw["weights"], (list, tuple)):
        return " ".join(["weight", *(str(weight) for weight in raw["weights"])])
    if list(raw) == ["queues"]:
        queues = raw["queues"]
        return _of_queues(field, ",".join(map(str, queues)) if isinstance(queues, (list, tuple)) else str(queues), raw)
    if "equal" in raw and set(raw) <= {"equal", "start"}:
        return f"equal {raw['equal']}" + (f" start {raw['start']}" if "start" in raw else "")
    raise InputError(f"{field.name}: {dict(raw)!r} is not valid; write weights, queues, or equal with or without start")


def _of_queues(field: Field, text: str, raw: Any) -> str:
    """A list of queues: by turns where they follow each other, else in runs, which ethtool can do."""
    try:
        queues = sorted(set(cpus.parse_list(text)))
    except ValueError:
        queues = []
    if not queues:
        raise InputError(f"{field.name}: {raw!r} is not valid; write a list of queues such as 0-3,6")
    count = len(queues)
    if queues[-1] - queues[0] + 1 == count:
        return f"equal {count}" + (f" start {queues[0]}" if queues[0] else "")
    return " ".join(["weight", *(str(int(queue in queues)) for queue in range(queues[-1] + 1))])


def _parse_key(field: Field, raw: Any) -> Desired:
    text = str(raw).strip().lower()
    if text == "symmetric" or re.fullmatch(r"[0-9a-f]{2}(:[0-9a-f]{2}){7,255}", text):
        return Desired(EXACTLY, text)
    close = nearest(text, ["symmetric"], otherwise=False)
    raise InputError(f"{field.name}: {raw!r} is not valid; write bytes such as 6d:5a:..., or symmetric{close}")


def _parse_letters(field: Field, raw: Any) -> Desired:
    text = str(raw).strip().lower()
    letters = "".join(tool.LETTERS.values())
    if not re.fullmatch(rf"[{letters}]{{1,{len(letters)}}}", text) or len(set(text)) < len(text):
        raise InputError(
            f"{field.name}: {raw!r} is not valid; write letters as ethtool: s and d for the addresses, f and n for the "
            "ports (sd, sdfn), or others of ethtool(8)"
        )
    return Desired(EXACTLY, tool.in_order(text))


rss = Family(
    name="rss",
    module="ethtool",
    scope=NIC,
    loose=True,
    read=_read,
    write=_write,
    about="How a NIC distributes flows over its receive queues (RSS): the table, the hash and the hashed fields.",
    fields=(
        Field(
            "indirection",
            "spread",
            "the share of each queue: C(equal) for all (the default), C(equal 4) for the first four, "
            "C(equal 4 start 2), C(weight 6 2) with a weight for each queue, or a list of queues such as C(0-3,6)",
            parse=_parse_indirection,
        ),
        Field(
            "key",
            "bytes",
            "the key of the hash as C(6d:5a:...), or C(symmetric), with which Toeplitz sends both directions of a "
            "flow to one queue",
            parse=_parse_key,
        ),
        Field("function", "word", "the hash", words=("toeplitz", "xor", "crc32")),
        Field(
            "transform",
            "word",
            "transform the fields before they are hashed, so that both directions of a flow get one queue",
            words=("none", "symmetric-xor", "symmetric-or-xor"),
        ),
        *(
            Field(
                name,
                "fields",
                f"{_OF[name == 'tcp4']} {name[:-1].upper()} over IPv{name[-1]}",
                parse=_parse_letters,
            )
            for name in PROTOCOLS
        ),
    ),
    hint="Some NICs hash to fewer queues than they have (82599: 16, so write equal 16), have no key that can be "
    "set (igb), or cannot change the fields for TCP.",
    expand=_expand,
    shaken_by=("channels", "sriov"),
    goes_before=("channels",),
)
