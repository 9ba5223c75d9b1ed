# SPDX-License-Identifier: GPL-3.0-or-later
"""Know which transmit queue each client of a NIC has (`tc filter ... skbedit queue_mapping`).

Two methods: `clsact` filters in front of the queueing disciplines, which keeps `mq` and its lock for each queue; and
the root qdisc `multiq` with filters inside, which every kernel has, with one lock for all queues.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ..schema import EXACTLY, NIC, Action, Address, Cell, Expansion, Family, Field, Reading, Run, Value, Wish, say
from ..tools import sysfs, tc

CLSACT, MULTIQ, MQ, NONE = "clsact", "multiq", "mq", "none"
_HANDLE = "1:"


def _read(host: Any, nic: str, _keys: Sequence[str]) -> Reading:
    if not tc.speakable(nic):
        return Reading({}, f"a batch of tc takes '{nic}' for something else than a name")
    attached = tc.qdiscs(host, nic)
    if attached is None:
        return Reading({}, "tc does not know the NIC")
    root, queues = attached.root, sysfs.transmit_queues(host, nic)
    inside: List[tc.Filter] = []
    if root.kind == MULTIQ:
        inside = tc.filters(host, nic, ("parent", root.handle))
    before = tc.filters(host, nic, ("egress",)) if attached.clsact else []
    mine = [item for item in (before or inside) if item.ours]
    others = [f"pref {item.pref} {item.kind}" for item in (*before, *inside) if not item.ours]
    if attached.clsact and not others:
        others = [f"ingress pref {item.pref} {item.kind}" for item in tc.filters(host, nic, ("ingress",))]
    # A clsact without any filter is what a call that was cut off has left.
    filtered = attached.clsact and (any(item.ours for item in before) or not others)
    methods = [CLSACT] * filtered + [_multiq(root, queues)] * (root.kind == MULTIQ)
    if not methods:
        methods = [MQ if root.kind == MQ and root.handle != "0:" else NONE]
    facts: Dict[str, Value] = {
        "queues": queues,
        "root": f"{root.kind} {root.handle}",
        "clsact": attached.clsact,
        "others": tuple(others),
        "xps": sysfs.steers(host, nic),
    }
    if not any(item.ours for item in before):
        facts["mapping_holds"] = tc.mapping_holds(host)
    cells = {key: Cell(value, fixed=True) for key, value in facts.items()}
    cells["method"] = Cell(" and ".join(methods))
    cells["clients"] = Cell(tuple(sorted((item.client or f"pref {item.pref}" for item in mine), key=tc.pref_of)))
    return Reading(cells)


def _words(value: Value) -> Tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


def _multiq(root: tc.Root, queues: int) -> str:
    return MULTIQ if root.bands in (0, queues) else f"{MULTIQ} with {root.bands} bands for {queues} queues"


def _write(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    now, root = str(cells["method"].value), str(cells["root"].value).split()
    method = str(values.get("method", now))
    have = _words(cells["clients"].value)
    want = _words(values["clients"]) if "clients" in values else have
    leave_clsact, leave_multiq = (word in now and method != word for word in (CLSACT, MULTIQ))
    lines = []
    first: Tuple[Action, ...] = ()
    if leave_clsact:
        whole = not cells["others"].value
        lines += (
            [f"qdisc del dev {nic} clsact"] if whole else [tc.delete(nic, "egress", tc.pref_of(word)) for word in have]
        )
    if leave_multiq or (now == MQ and method == NONE):
        lines.append(f"qdisc del dev {nic} root")
    if method == MQ and now != MQ:
        lines.append(f"qdisc replace dev {nic} root mq")
    if method == CLSACT and not cells["clsact"].value:
        lines.append(f"qdisc add dev {nic} clsact")
    elif method == CLSACT and CLSACT not in now and not cells["others"].value:
        # Empty, or gone by then: the way back is written before clsact is left. Apart, because tc ends at an error.
        first = (Run(("tc", "qdisc", "add", "dev", nic, "clsact")),)
    handle = root[1] if root[0] == MULTIQ and not leave_multiq else _HANDLE
    if method == MULTIQ and now != MULTIQ:
        # The same command makes a new one, and gives an old one as many bands as there are queues by now.
        lines.append(f"qdisc replace dev {nic} root handle {handle} multiq")
    if method in (CLSACT, MULTIQ):
        parent = "egress" if method == CLSACT else f"parent {handle}"
        kept = () if method not in now else have
        lines += [tc.delete(nic, parent, tc.pref_of(word)) for word in kept if word not in want]
        lines += [tc.add(nic, parent, word) for word in want if word not in kept]
    return (*first, tc.batch(lines)) if lines else first


def _boot(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Sequence[Action]:
    """From the qdisc that the kernel gives to a new NIC."""
    fresh: Dict[str, Value] = {"method": NONE, "root": "none 0:", "clsact": False, "clients": (), "others": ()}
    return _write(nic, values, {key: Cell(value) for key, value in fresh.items()})


def _parse(field: Field, raw: Any) -> Wish:
    from . import clients  # with the module ipaddress behind it, which few calls need

    return clients.wish(field, raw)


def _number(listed: Tuple[str, ...]) -> Tuple[str, ...]:
    """Give a queue to each client that has none: 1, 2, ... without those that others have; 0 is for everybody else."""
    taken = {tc.queue_of(word) for word in listed if "=" in word}
    free = (queue for queue in range(1, len(listed) + len(taken) + 1) if queue not in taken)
    numbered = (word if "=" in word else f"{word}={next(free)}" for word in listed)
    return (*sorted(numbered, key=tc.pref_of), tc.OTHERS)


def _expand(
    nic: str, wishes: Mapping[str, Wish], cells: Mapping[str, Cell], targets: Mapping[Address, Value]
) -> Expansion:
    wanted = {key: wish.value for key, wish in wishes.items()}
    others = cells["others"].value
    told = (f"{nic}: filters of others stay as they are: {say(others)}",) if others else ()
    listed = tuple(word for word in _words(wanted.get("clients")) if word != tc.OTHERS)
    if wanted.get("state") == "absent" or wanted.get("method") in (MQ, NONE):
        problem = _problem(str(wanted.get("method")), cells)
        if problem:
            return Expansion(refused={"method": problem})
        return Expansion(_exactly(str(wanted.get("method") or NONE), ()), {}, told)
    if not listed:
        return Expansion(refused={next(iter(wishes)): "no client is named; name some, or write state: absent"})
    queues = _queues(nic, cells, targets)
    mapped = _number(listed)
    if len(listed) >= queues and wanted.get("overflow") == MQ:
        note = f"{nic}: {len(listed)} clients are too many for {queues} queues, so the default qdisc stays in place"
        return Expansion(_exactly(NONE, ()), {}, (*told, note))
    if len(listed) >= queues:
        why = f"{len(listed)} clients and everybody else need {len(listed) + 1} queues, and the NIC has {queues}"
        return Expansion(refused={"clients": f"{why}; name fewer, or write overflow: mq"})
    beyond = [word for word in mapped if tc.queue_of(word) >= queues]
    if beyond:
        return Expansion(refused={"clients": f"{say(tuple(beyond))} is beyond the last of {queues} queues"})
    method = _method(wanted.get("method"), cells)
    problem = _problem(method, cells)
    if problem:
        return Expansion(refused={"method" if "method" in wishes else "clients": problem})
    return Expansion(_exactly(method, mapped), {}, told)


def _exactly(method: str, mapped: Tuple[str, ...]) -> Dict[str, Wish]:
    return {"method": Wish(EXACTLY, method), "clients": Wish(EXACTLY, mapped)}


def _queues(nic: str, cells: Mapping[str, Cell], targets: Mapping[Address, Value]) -> int:
    """Transmit queues once the channels are what they shall be."""
    planned = [targets.get(Address("channels", nic, key)) for key in ("combined", "tx")]
    numbers = [number for number in planned if isinstance(number, int)]
    return sum(numbers) if numbers else int(str(cells["queues"].value))


def _method(asked: Value, cells: Mapping[str, Cell]) -> str:
    """`auto` keeps the method that is there, and prefers clsact where the kernel does what its filters say."""
    now = str(cells["method"].value)
    if asked in (CLSACT, MULTIQ):
        return str(asked)
    if MULTIQ in now or "mapping_holds" not in cells:
        return MULTIQ if MULTIQ in now else CLSACT
    return CLSACT if cells["mapping_holds"].value else MULTIQ


def _problem(method: str, cells: Mapping[str, Cell]) -> str:
    kind, handle = str(cells["root"].value).split()
    if method in (MULTIQ, MQ) and handle != "0:" and kind not in (MQ, MULTIQ):
        return f"somebody made the root qdisc {kind} {handle}; remove it first, or write method: clsact"
    if method == CLSACT and "mapping_holds" in cells and not cells["mapping_holds"].value:
        chooser = "XPS" if cells["xps"].value else "a hash"
        return f"{chooser} chooses the queue after the filters on this kernel; write method: multiq"
    return ""


multiq = Family(
    name="multiq",
    module="multiq",
    scope=NIC,
    read=_read,
    write=_write,
    about="One transmit queue for each client, and queue 0 for everybody else.",
    fields=(
        Field(
            "clients",
            "clients",
            "addresses, ranges such as C(192.168.32.1-18), networks, or C(ADDRESS=QUEUE)",
            parse=_parse,
        ),
        Field(
            "method",
            "word",
            "filters before C(mq), or inside C(multiq); C(auto) takes what the kernel can do",
            words=("auto", CLSACT, MULTIQ, MQ, NONE),
        ),
        Field(
            "overflow",
            "word",
            "whether more clients than queues are an error, or keep the default qdisc",
            words=("fail", MQ),
        ),
        Field("state", "word", "V(absent) goes back to the default qdisc", words=("present", "absent")),
    ),
    hint="The kernel needs the modules cls_u32 and act_skbedit, and sch_multiq or sch_ingress.",
    expand=_expand,
    cuts=True,
    boot=_boot,
)
