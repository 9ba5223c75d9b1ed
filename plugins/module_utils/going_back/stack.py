# SPDX-License-Identifier: GPL-3.0-or-later
"""Stack: one table of the changes that may still go, and of what lies below each key that they hold.

At the bottom of each key's stack lies what the host has without these changes (memory.py keeps the originals of what is
permanent). Above it lie temporary changes, each with an end of its own, and on top what nobody has confirmed. In force
is the uppermost one. The script beside the table (script.py) takes layers away: a key gets what lies below, unless a
layer above holds it, which then lies on that. The functions here do what the host's values have no part in: put a
layer on top, make one permanent, drop one whose values are back.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Container, Dict, Iterable, List, Mapping, NamedTuple, Sequence, Tuple

from ..host import Host, ReadOnlyHost
from ..schema import ABSENT, Address, Change, Save, TuningError, Value, say
from . import memory

FOLDER = f"{memory.FOLDER}/guard"
TABLE = f"{FOLDER}/layers"
RUN = f"{FOLDER}/run"

# Whether a layer has set a key, or only knows that a command of its own may take it along.
HELD, BESIDE = "held", "beside"

# In the place of a time: all but files is reverted, and these wait for a disk that was full or read-only.
UNWRITTEN = 1
# Likewise of what the script has begun to take back: should it be killed, nobody knows what is in force.
GOING = 2

_LAST = 999999  # of all commands of a layer
_HOST = "/"  # in the place of a NIC, whose name cannot hold it


class Line(NamedTuple):
    """One key of a layer: what it was set to, what lies below (as JSON), and the command that sets that.

    `rank` is the place among the commands of the layer. Keys of one `command` become one, with the `words` of each.
    """

    rank: int
    kind: str
    name: str
    now: str
    then: str
    command: str
    words: str = ""


class Layer(NamedTuple):
    """One change: when it was made, how long it waits, what it changed.

    It `waits` until a second of the uptime to be confirmed, or has an `end` there, or both; with neither it belongs to
    a call that is at work, or was killed. What is not confirmed goes when the uppermost one has waited; what is gone
    but for files has UNWRITTEN in its place, and what is about to go GOING.
    `back` are the originals that are in force again, and are forgotten once that is confirmed. `why` is known of one
    that is gone.
    """

    number: int
    at: str
    timeout: int
    changes: Tuple[Mapping[str, Any], ...]
    back: Tuple[Address, ...] = ()
    waits: int = 0
    end: int = 0
    lines: Tuple[Line, ...] = ()
    why: str = ""

    def __str__(self) -> str:
        shown = [_told(change) for change in self.changes[:5]]
        more = f", and {len(self.changes) - 5} more" if len(self.changes) > 5 else ""
        return f"{', '.join(shown)}{more}"

    @property
    def unconfirmed(self) -> bool:
        """Whether somebody may still confirm it."""
        return self.waits > GOING

    @property
    def held(self) -> List[str]:
        """The keys that it has set."""
        return [line.name for line in self.lines if line.kind == HELD]


def _told(change: Mapping[str, Any]) -> str:
    where = " ".join(str(change[part]) for part in ("nic", "family", "key") if change.get(part))
    if str(change.get("key")).startswith("/"):
        return where.rpartition(" ")[2]
    return f"{where} {_word(change.get('after'))} to {_word(change.get('before'))}"


def _word(value: Any) -> str:
    return say(memory.value_of(value))


def about(change: Change) -> Dict[str, Any]:
    """A change as a layer keeps it; what stands in whole files is not told."""
    address = change.address
    values = {} if address.key.startswith("/") else {"before": change.before, "after": change.after}
    return {"nic": address.scope, "family": address.family, "key": address.key, **values}


def facts(layer: Layer) -> Dict[str, Any]:
    """What a person reads of a layer."""
    return {"at": layer.at, "timeout": layer.timeout, "changes": [dict(change) for change in layer.changes]}


def name(address: Address) -> str:
    """The name of a key in the table."""
    return f"{address.scope or _HOST} {address.family} {address.key}"


def address_of(key: str) -> Address:
    """The key behind a name in the table."""
    scope, family, rest = key.split(" ", 2)
    return Address(family, "" if scope == _HOST else scope, rest)


def brief(value: Value) -> str:
    """A value as JSON; of a whole file only that there is one."""
    return json.dumps("a file" if isinstance(value, str) and "\n" in value else value)


def nothing(address: Address) -> Line:
    """What a layer below has taken away: as long as that is there, nothing is to be done for it when this one goes."""
    return Line(_LAST, HELD, name(address), brief(ABSENT), brief(ABSENT), ":")


def read(host: ReadOnlyHost) -> List[Layer]:
    """All layers, lowest first.

    TuningError where a line cannot be understood: the next call would write the table without it, and nothing would
    ever set back what it holds.
    """
    return list(_understood(host.read(TABLE, memory.LARGEST) or ""))


@lru_cache(maxsize=1)  # a call asks several times
def _understood(table: str) -> Sequence[Layer]:
    found: Dict[int, Layer] = {}
    lines: Dict[int, List[Line]] = {}
    *rows, rest = table.split("\n")
    for position, row in enumerate(rows, 1):
        words = row.split("\t")
        try:
            if words[0] == "layer":
                number, waits, end = map(int, words[1:4])
                found[number] = _layer(number, json.loads(words[4]))._replace(waits=waits, end=end)
                lines[number] = []
            elif words[0] == "key" and len(words) in (8, 9) and words[3] in (HELD, BESIDE):
                lines[int(words[1])].append(Line(int(words[2]), *words[3:]))
            elif row:
                raise _damaged(position)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            raise _damaged(position) from None
    if rest:  # a part of a line
        raise _damaged(len(rows) + 1)
    return [found[number]._replace(lines=tuple(lines[number])) for number in sorted(found)]


def _damaged(position: int) -> TuningError:
    return TuningError(
        f"line {position} of {TABLE} is damaged, and with it the way back from changes that are unconfirmed or "
        f"temporary. Nothing was changed. `sh {RUN}` reverts what is unconfirmed, as far as it can be read. Then move "
        "the table away; the rest of what it held stays as it is now"
    )


def told_of(host: ReadOnlyHost, path: str, number: int) -> Layer:
    """The layer behind a note that was kept of it, with the values that its keys got and the reason.

    One that is damaged still says that there was a change.
    """
    text = host.read(path) or "{}"
    try:
        content, end = json.JSONDecoder().raw_decode(text)
        layer = _layer(number, content)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return Layer(number, "an unknown time", 0, ())
    # After the last end of a line there may be a part of one.
    got = dict(row.split("\t", 1) for row in text[end:].split("\n")[:-1] if "\t" in row)
    changes = tuple(_with_value(change, got) for change in layer.changes)
    return layer._replace(changes=changes, why=got.get("because", ""))


def _with_value(change: Mapping[str, Any], got: Mapping[str, str]) -> Mapping[str, Any]:
    """A change with the value that its key has got, where somebody noted one."""
    try:
        return {**change, "before": json.loads(got[name(key_of(change))])} if "before" in change else change
    except (ValueError, KeyError, TypeError, RecursionError):
        return change


def _layer(number: int, content: Mapping[str, Any]) -> Layer:
    back = tuple(Address(*address) for address in content.get("back", ()))
    return Layer(number, str(content["at"]), int(content["timeout"]), tuple(content["changes"]), back)


def write(host: Host, layers: Sequence[Layer]) -> str:
    """Replace the table as a whole, then remove the files that it names no more; a complaint, or nothing."""
    text = "".join(f"{line}\n" for layer in layers for line in _rows(layer))
    before = host.read(TABLE, memory.LARGEST) or ""
    complaint = host.do(Save(TABLE, text or None, mode=0o600)) if text != before else ""
    for file in host.names(FOLDER) if not complaint else ():
        if "-" in file and file[0].isdecimal() and file not in text:
            host.do(Save(f"{FOLDER}/{file}", None, mode=0o600))
    return complaint


def _rows(layer: Layer) -> List[str]:
    noted = {**facts(layer), **({"back": [list(address) for address in layer.back]} if layer.back else {})}
    rows = [("layer", layer.number, layer.waits, layer.end, json.dumps(noted))]
    return ["\t".join(map(str, row)) for row in (*rows, *(("key", layer.number, *line) for line in layer.lines))]


def without(layers: Iterable[Layer], keys: Container[str]) -> List[Layer]:
    """The layers without the temporary values of these keys, which a permanent one has taken the place of."""
    left = []
    for layer in layers:
        if layer.end and any(key in keys for key in layer.held):
            lines = tuple(line for line in layer.lines if line.kind == BESIDE or line.name not in keys)
            changes = tuple(change for change in layer.changes if name(key_of(change)) not in keys)
            layer = layer._replace(lines=lines, changes=changes)
            if not layer.held:
                continue
        left.append(layer)
    return left


def holding(layer: Layer, changes: Iterable[Change]) -> Layer:
    """A layer that has made these changes as well, of keys that it knows."""
    now = {name(change.address): brief(change.after) for change in changes}
    rows = (row._replace(kind=HELD, now=now[row.name]) if row.name in now else row for row in layer.lines)
    return layer._replace(lines=tuple(rows))


def confirm(layers: Sequence[Layer], numbers: Container[int]) -> List[Layer]:
    """The layers once these are confirmed: what is temporary still ends, anything else is one with what lies below."""
    left: List[Layer] = []
    for layer in layers:
        if layer.number not in numbers:
            left.append(layer)
        elif layer.end:
            left.append(layer._replace(waits=0))
        else:
            left = without(left, set(layer.held))
    return left


def temporary(layers: Iterable[Layer]) -> Dict[Address, Value]:
    """What lies below the temporary changes of each key."""
    below: Dict[Address, Value] = {}
    for layer in layers:
        for line in layer.lines if layer.end else ():
            if line.kind == HELD:
                address = address_of(line.name)
                below.setdefault(address, memory.value_of(json.loads(line.then)))
    return {address: value for address, value in below.items() if not address.key.startswith("/")}


def key_of(change: Mapping[str, Any]) -> Address:
    """The key that a change of a layer is of."""
    return Address(str(change["family"]), str(change["nic"]), str(change["key"]))
