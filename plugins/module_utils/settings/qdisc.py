# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the queueing disciplines of a NIC: its root, and the leaves below `mq`, one for each queue (`tc qdisc`).

A value is what `tc` takes: a kind with its options. What was not named may be as the kernel made it, but for options
that tc prints only where somebody has set them. `default` is what the kernel makes by itself.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, List, Mapping, Optional, Sequence, Tuple

from ..family import NIC, Expansion, Family, Field
from ..schema import EXACTLY, Action, Address, Cell, Desired, InputError, Reader, Reading, Value, nearest
from ..tools import qdisc as tool
from ..tools import sysfs, tc

DEFAULT, MQ, NETEM = "default", "mq", "netem"
# The kernel makes its own of this kind, and fq_codel with the quantum of the MTU at that moment.
MADE_OF = (("sysctl", "net.core.default_qdisc"), ("link", "mtu"))
_HANDLE = "1:"
_EACH = "; "
_LEAVES = ("fq", "fq_codel", "codel", "cake", "pfifo", "bfifo", "pfifo_fast", "tbf")
_ROOTS = (MQ, "mqprio", "ets", *_LEAVES, "noqueue")
_CLASSFUL = ("htb", "hfsc", "prio", "drr", "qfq", "cbq")
_OF_CLASSES = "has classes and filters of somebody's own, which a line of an inventory cannot say"
_FOREIGN = "the root qdisc {root} has {below} below it, which would go with it for good; remove it first"
_NETEM = "netem loses and delays packets on purpose, for tests; it is no tuning"


def _read(host: Reader, nic: str, _keys: Sequence[str]) -> Reading:
    if tc.unspeakable(nic):
        return Reading({}, tc.unspeakable(nic))
    found = tool.ask(host, nic)
    if found is None:
        return Reading({}, "tc does not know the NIC")
    root = found[0] if found and not found[0].parent else tool.Qdisc("noqueue")
    leaves = [item for item in found if item.parent and item.parent.rpartition(":")[0] in ("", root.handle[:-1])]
    below = _EACH.join(dict.fromkeys(map(_words, leaves))) if root.kind == MQ else DEFAULT
    if _EACH in below:
        below = _EACH.join(map(_words, leaves))
    foreign = [f"{item.kind} {item.handle}" for item in leaves if item.handle != "0:"] if root.kind != MQ else []
    leaves = leaves if root.kind == MQ else []
    count = str(len(leaves) or sysfs.transmit_queues(host, nic))
    return Reading(
        {
            "root": Cell(
                _words(root),
                _undo([root]),
                means=partial(_means, [root]),
                where=root.handle,
                note=_FOREIGN.format(root=f"{root.kind} {root.handle}", below=", ".join(foreign)) if foreign else "",
            ),
            "leaves": Cell(below or DEFAULT, _undo(leaves), means=partial(_means, leaves), where=count),
        }
    )


def _undo(current: Sequence[tool.Qdisc]) -> Optional[str]:
    """What an undo puts back where it is not what is there: a test that somebody has left behind never comes back."""
    return DEFAULT if any(item.kind == NETEM for item in current) else None


def _words(item: tool.Qdisc) -> str:
    return DEFAULT if item.handle == "0:" else tool.words(item.kind, item.settings)


def _means(current: Sequence[tool.Qdisc], desired: str) -> str:
    """What is in force where it is as requested; else what was requested."""
    if _EACH in desired or desired == DEFAULT:
        return desired
    kind, *rest = desired.split()
    settings = tool.read(kind, rest)
    fits = [item.handle != "0:" and item.kind == kind and tool.same(kind, settings, item.settings) for item in current]
    if fits and all(fits):
        return _EACH.join(map(_words, current)) if len(set(map(_words, current))) > 1 else _words(current[0])
    return tool.words(kind, settings)


def _write(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    now = {key: str(cells[key].value) for key in ("root", "leaves")}
    root = str(values.get("root", now["root"]))
    lines: List[str] = []
    fresh = "root" in values and root != now["root"]
    if fresh and root == DEFAULT:
        return (tc.batch([f"qdisc del dev {nic} root"]),)
    if fresh:
        # Options that are to vanish cannot be taken from one that is there, and another may have the handle of mq.
        taken = root == MQ and cells["root"].where == _HANDLE
        anew = now["root"] != DEFAULT and (taken or root.split()[0] == now["root"].split()[0])
        lines += [f"qdisc del dev {nic} root"] if anew else []
        handle = f" handle {_HANDLE}" if root == MQ else ""
        lines.append(f"qdisc replace dev {nic} root{handle} {root}")
    if "leaves" in values and root == MQ:
        handle = _HANDLE if fresh else cells["root"].where
        count = int(cells["leaves"].where or 0)
        planned = _spelled(str(values["leaves"]), count)
        current = [DEFAULT] * count if fresh else _spelled(now["leaves"], count)
        if any(new == DEFAULT != old for new, old in zip(planned, current)):
            # The kernel leaves one that drops everything where a leaf of mq is deleted, so mq is made anew.
            lines += [f"qdisc del dev {nic} root", f"qdisc replace dev {nic} root handle {_HANDLE} {MQ}"]
            handle, current = _HANDLE, [DEFAULT] * count
        for index, (new, old) in enumerate(zip(planned, current)):
            if new != old:
                parent = f"parent {handle}{index + 1:x}"
                # One of the same kind would keep the options that are to vanish.
                gone = old != DEFAULT and new.split()[0] == old.split()[0]
                lines += [f"qdisc del dev {nic} {parent}"] if gone else []
                lines.append(f"qdisc replace dev {nic} {parent} {new}")
    return (tc.batch(lines),) if lines else ()


def _spelled(value: str, count: int) -> List[str]:
    each = value.split(_EACH)
    return [each[index % len(each)] for index in range(count)]


def _boot(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Sequence[Action]:
    """From what the kernel makes of a new NIC."""
    desired = {key: value for key, value in values.items() if value != DEFAULT}
    root = Cell(DEFAULT, where="0:")
    leaves = cells.get("leaves", Cell(DEFAULT))._replace(value=DEFAULT)
    return _write(nic, desired, {**cells, "root": root, "leaves": leaves}) if desired else ()


def _queues(values: Mapping[str, Value]) -> int:
    """The transmit queues of so many channels; 0 where nobody says."""
    return sum(number for key in ("combined", "tx") for number in [values.get(key)] if isinstance(number, int))


def _foresee(cells: Mapping[str, Cell], _before: Mapping[str, Value], after: Mapping[str, Value]) -> Mapping[str, Cell]:
    """As many leaves as there will be queues; those that somebody has set stay when their queues go."""
    leaves = cells["leaves"]
    count = _queues(after) or int(leaves.where or 0)
    if leaves.value != DEFAULT:
        count = max(count, int(leaves.where or 0))
    return {**cells, "leaves": leaves._replace(where=str(count))}


def _expand(
    nic: str, desired: Mapping[str, Desired], cells: Mapping[str, Cell], planned: Mapping[Address, Value]
) -> Expansion:
    now = str(cells["root"].value)
    words = {key: str(one.value) for key, one in desired.items()}
    if words.get("leaves", DEFAULT) != DEFAULT and "root" not in words:
        count = _queues({key: planned.get(Address("channels", nic, key)) for key in ("combined", "tx")})
        if (count or int(cells["leaves"].where or 0)) < 2 and now.split()[0] != MQ:
            # With a single queue there is no mq: what would be its leaf is the root.
            desired, words = {"root": desired["leaves"]}, {"root": words["leaves"]}
        else:
            desired, words = {**desired, "root": Desired(EXACTLY, MQ)}, {**words, "root": MQ}
    first = next(iter(desired))
    if now.split()[0] not in (*_ROOTS, DEFAULT, NETEM):
        owner = "multiq" if now == "multiq" else ""
        how = (
            "write multiq: {method: clsact}, or {state: absent} and this in a later run" if owner else "remove it first"
        )
        return Expansion(refused={first: f"the root qdisc is {now.split()[0]} {cells['root'].where}; {how}"})
    if "root" in words and cells["root"].note and (cells["root"].means or str)(words["root"]) != now:
        return Expansion(refused={first: cells["root"].note})
    if words.get("leaves", DEFAULT) != DEFAULT and words["root"] != MQ:
        return Expansion(refused={"leaves": f"only mq has leaves, and the root is to be {words['root'].split()[0]}"})
    if words.get("root", MQ) != MQ and cells["leaves"].value != DEFAULT:
        # They go with mq, and come back with it.
        desired = {**desired, "leaves": Desired(EXACTLY, DEFAULT)}
    return Expansion(desired)


def _parse(kinds: Sequence[str], field: Field, raw: Any) -> Desired:
    if isinstance(raw, Mapping):
        rest = {str(key): value for key, value in raw.items() if key != "kind"}
        given = [str(raw.get("kind", "")), *(word for key, value in rest.items() for word in _pair(field, key, value))]
        text = " ".join(given)
    else:
        text = " ".join(str(raw).split())
    if _EACH in text:  # what an earlier call has found, one for each queue
        return Desired(EXACTLY, _EACH.join(str(_parse(kinds, field, part).value) for part in text.split(_EACH)))
    kind, *words = text.split() or [""]
    if kind == DEFAULT and not words:
        return Desired(EXACTLY, DEFAULT)
    if kind == NETEM:
        raise InputError(f"{field.name}: {_NETEM}")
    if kind in _CLASSFUL and kind not in kinds:
        raise InputError(f"{field.name}: {kind} {_OF_CLASSES}{nearest('', [DEFAULT, *kinds])}")
    if kind not in kinds:
        raise InputError(f"{field.name}: {raw!r} is not valid{nearest(kind, [DEFAULT, *kinds])}")
    try:
        settings = tool.read(kind, words)
        tool.check(kind, settings)
    except ValueError as error:
        raise InputError(f"{field.name}: {error}") from None
    if kind == "mqprio":
        settings.setdefault("hw", 0)
    return Desired(EXACTLY, tool.words(kind, settings))


def _pair(field: Field, key: str, value: Any) -> List[str]:
    if value is True:
        return [key]
    if value is False or value is None:
        raise InputError(f"{field.name}: {key}: {value!r} is not valid; leave it out, or name the other word of tc")
    words = [str(item) for item in (value if isinstance(value, (list, tuple)) else [value])]
    if isinstance(value, str) and re.search(r"[0-9] +[a-z]", value, re.IGNORECASE):
        raise InputError(f"{field.name}: {key}: {value!r} is not valid; write the unit without a blank, such as 20mbit")
    return [key, *words]


qdisc = Family(
    name="qdisc",
    module="multiq",
    scope=NIC,
    read=_read,
    write=_write,
    about="Queueing disciplines, as arguments of C(tc), or as a dictionary with C(kind) and the options of tc.",
    fields=(
        Field(
            "root",
            "qdisc",
            f"{', '.join(f'C({kind})' for kind in (DEFAULT, *_ROOTS))} with its options, such as "
            "C(cake bandwidth 20mbit diffserv4 nat) or C(tbf rate 1gbit burst 128kb latency 50ms)",
            parse=partial(_parse, _ROOTS),
        ),
        Field(
            "leaves",
            "qdisc",
            "the qdisc of each transmit queue below C(mq), such as C(fq maxrate 1gbit) or C(fq_codel target 5ms); the "
            "root on a NIC with a single queue",
            parse=partial(_parse, _LEAVES),
        ),
    ),
    hint="The kernel needs the module of the kind, such as sch_fq or sch_cake.",
    refusals={"qdisc kind is unknown": "this kernel has no such queueing discipline; its module is missing"},
    expand=_expand,
    cuts=True,
    boot=_boot,
    counted_by=("channels",),
    made_of=MADE_OF,
    foresee=_foresee,
    blind=("root",),
    wordy=True,
)
