# SPDX-License-Identifier: GPL-3.0-or-later
"""Know which transmit queue each client of a NIC has (`tc filter ... skbedit queue_mapping`).

Two methods: `clsact` filters in front of the queueing disciplines, which keeps `mq` and its lock for each queue; and
the root qdisc `multiq` with filters inside, which every kernel has, with one lock for all queues. With a rate, the
queue of a client sends no more than its link takes, so that its switch has no need to pause the whole port.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ..schema import (
    EXACTLY,
    NIC,
    Action,
    Address,
    Cell,
    Desired,
    Expansion,
    Family,
    Field,
    Reader,
    Reading,
    Run,
    Value,
    say,
)
from ..tools import sysfs, tc
from . import tagged
from .qdisc import MADE_OF

CLSACT, MULTIQ, MQ, NONE = "clsact", "multiq", "mq", "none"
_HANDLE, _OTHER_HANDLE = "1:", "2:"


def _read(host: Reader, nic: str, _keys: Sequence[str]) -> Reading:
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
        "leaves": tuple(f"{leaf.queue} {leaf.kind} {leaf.handle}" for leaf in attached.leaves if not leaf.ours),
        "xps": sysfs.steers(host, nic),
        "networks": tuple(tagged.networks(host, nic)),
    }
    if not any(item.ours for item in before):
        facts["mapping_holds"] = tc.mapping_holds(host)
    cells = {key: Cell(value, fixed=True) for key, value in facts.items()}
    cells["method"] = Cell(" and ".join(methods))
    cells["clients"] = Cell(tuple(sorted((item.client or f"pref {item.pref}" for item in mine), key=tc.pref_of)))
    owners = {tc.queue_of(item.client): item.client.partition("=")[0] for item in mine if item.client}
    shaped = [(leaf.queue, tc.mbit(leaf.rate)) for leaf in sorted(attached.leaves) if leaf.rate]
    cells["rate"] = Cell(tuple(f"{owners.get(queue, f'queue {queue}')}={rate}" for queue, rate in shaped))
    return Reading(cells)


def _words(value: Value) -> Tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


def _held(cells: Mapping[str, Cell], key: str) -> Tuple[str, ...]:
    """What a cell of rates holds; who wrote the cells may know of none."""
    return _words(cells[key].value) if key in cells else ()


def _multiq(root: tc.Root, queues: int) -> str:
    return MULTIQ if root.bands in (0, queues) else f"{MULTIQ} with {root.bands} bands for {queues} queues"


def _write(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    now, root = str(cells["method"].value), _root(cells)
    method = str(values.get("method", now))
    current = _words(cells["clients"].value)
    planned = _words(values["clients"]) if "clients" in values else current
    leave_clsact, leave_multiq = (word in now and method != word for word in (CLSACT, MULTIQ))
    lines = []
    first: Tuple[Action, ...] = ()
    if leave_clsact:
        whole = not cells["others"].value
        lines += (
            [f"qdisc del dev {nic} clsact"]
            if whole
            else [tc.delete(nic, "egress", tc.pref_of(word)) for word in current]
        )
    made = root[1] != "0:"  # by hand or by us, so that tc knows the queues below it by name
    gone = leave_multiq or (method == NONE and root[0] == MQ and made)
    if gone:
        lines.append(f"qdisc del dev {nic} root")
    if method == MQ and now != MQ:
        lines.append(f"qdisc replace dev {nic} root mq")
    if method == CLSACT and not cells["clsact"].value:
        lines.append(f"qdisc add dev {nic} clsact")
    elif method == CLSACT and CLSACT not in now and not cells["others"].value:
        # Empty, or gone by then: the way back is written before clsact is left. Apart, because tc ends at an error.
        first = (Run(("tc", "qdisc", "add", "dev", nic, "clsact")),)
    lasts = root[0] == (MULTIQ if method == MULTIQ else MQ) and made and not gone
    # The kernel takes no other kind under the handle of the root that is there.
    handle = root[1] if lasts else _HANDLE if gone or root[1] != _HANDLE else _OTHER_HANDLE
    if method == MULTIQ and now != MULTIQ:
        # The same command makes a new one, and gives an old one as many bands as there are queues by now.
        lines.append(f"qdisc replace dev {nic} root handle {handle} multiq")
    rates = _words(values["rate"]) if "rate" in values else _held(cells, "rate")
    if method == CLSACT and rates and not lasts:
        lines.append(f"qdisc replace dev {nic} root handle {handle} mq")
    if method in (CLSACT, MULTIQ):
        parent = "egress" if method == CLSACT else f"parent {handle}"
        kept = () if method not in now else current
        lines += [tc.delete(nic, parent, tc.pref_of(word)) for word in kept if word not in planned]
        lines += [tc.add(nic, parent, word) for word in planned if word not in kept]
    shaped = _by_queue(_held(cells, "rate"), current) if lasts else {}
    planned_rates = _by_queue(rates, planned) if method in (CLSACT, MULTIQ) else {}
    lines += _shaping(nic, method, handle, shaped, planned_rates, bool(_held(cells, "leaves")))
    return (*first, tc.batch(lines)) if lines else first


def _root(cells: Mapping[str, Cell]) -> List[str]:
    """Kind and handle of the root. The way back is written before the call, with the root that was there then."""
    root = str(cells["root"].value).split()
    if cells["method"].value == CLSACT and _held(cells, "rate") and (root[0] != MQ or root[1] == "0:"):
        return [MQ, _HANDLE]
    return root


def _by_queue(rates: Sequence[str], clients: Sequence[str]) -> Dict[int, int]:
    """The kbit/s of each queue; a rate of nobody's is none."""
    queues = {word.partition("=")[0]: tc.queue_of(word) for word in clients if "=" in word}
    found = {}
    for word in rates:
        whom, _equals, rate = word.rpartition("=")
        queue = int(whom[6:]) if whom.startswith("queue ") else queues.get(whom)
        if queue is not None:
            found[queue] = tc.kbit(rate)
    return found


def _shaping(
    nic: str, method: str, root: str, current: Mapping[int, int], planned: Mapping[int, int], others: bool
) -> List[str]:
    """From the rates of queues below a root that lasts to others.

    A queue of mq whose qdisc is deleted gets none and drops all that it is given, until mq is made anew; multiq gives
    such queues a new one when it is told to change.
    """
    lines = []
    stale = sorted(queue for queue in current if queue not in planned)
    if stale and method == MULTIQ:
        lines = [tc.unshape(nic, root, queue) for queue in stale] + [
            f"qdisc replace dev {nic} root handle {root} multiq"
        ]
    elif stale and others:
        lines = [tc.plain_queue(nic, root, queue) for queue in stale]
    elif stale:
        lines = [f"qdisc del dev {nic} root"]
        lines += [f"qdisc replace dev {nic} root handle {root} mq"] if planned or method == MQ else []
        current = {}
    return lines + [
        tc.shape(nic, root, queue, planned[queue]) for queue in sorted(planned) if current.get(queue) != planned[queue]
    ]


def _boot(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Sequence[Action]:
    """From the qdisc that the kernel gives to a new NIC."""
    fresh: Dict[str, Value] = {"method": NONE, "root": "none 0:", "clsact": False}
    fresh.update(dict.fromkeys(("clients", "others", "rate", "leaves"), ()))
    return _write(nic, values, {key: Cell(value) for key, value in fresh.items()})


def _parse(field: Field, raw: Any) -> Desired:
    from . import clients  # with the module ipaddress behind it, which few calls need

    return clients.understand(field, raw)


def _parse_rate(field: Field, raw: Any) -> Desired:
    from . import clients

    return clients.rates(field, raw)


def _number(listed: Tuple[str, ...]) -> Tuple[str, ...]:
    """Give a queue to each client that has none: 1, 2, ... without those that others have; 0 is for everybody else."""
    taken = {tc.queue_of(word) for word in listed if "=" in word}
    free = (queue for queue in range(1, len(listed) + len(taken) + 1) if queue not in taken)
    numbered = (word if "=" in word else f"{word}={next(free)}" for word in listed)
    return (*sorted(numbered, key=tc.pref_of), tc.OTHERS)


def _expand(
    nic: str, desired: Mapping[str, Desired], cells: Mapping[str, Cell], planned: Mapping[Address, Value]
) -> Expansion:
    values = {key: one.value for key, one in desired.items()}
    others = cells["others"].value
    told: Tuple[str, ...] = (f"{nic}: filters of others stay as they are: {say(others)}",) if others else ()
    listed = tuple(word for word in _words(values.get("clients")) if word != tc.OTHERS)
    owned = str(planned.get(Address("qdisc", nic, "root"), ""))
    if values.get("state") == "absent" or values.get("method") in (MQ, NONE):
        if owned:
            # The root is the business of `qdisc`; the filters are ours.
            return Expansion({"clients": Desired(EXACTLY, ())}, {}, told)
        problem = _problem(str(values.get("method")), cells)
        if problem:
            return Expansion(refused={"method": problem})
        if values.get("rate"):
            return Expansion(refused={"rate": "only a queue of a client has a rate; leave it out"})
        return Expansion(_exactly(str(values.get("method") or NONE), (), cells), {}, told)
    if not listed:
        return Expansion(refused={next(iter(desired)): "no client is named; name some, or write state: absent"})
    queues = _queues(nic, cells, planned)
    mapped = _number(listed)
    if len(listed) >= queues and values.get("overflow") == MQ:
        note = f"{nic}: {len(listed)} clients are too many for {queues} queues, so the default qdisc stays in place"
        return Expansion({"clients": Desired(EXACTLY, ())} if owned else _exactly(NONE, (), cells), {}, (*told, note))
    if len(listed) >= queues:
        why = f"{len(listed)} clients and everybody else need {len(listed) + 1} queues, and the NIC has {queues}"
        return Expansion(refused={"clients": f"{why}; name fewer, or write overflow: mq"})
    beyond = [word for word in mapped if tc.queue_of(word) >= queues]
    if beyond:
        return Expansion(refused={"clients": f"{say(tuple(beyond))} is beyond the last of {queues} queues"})
    method = _method(values.get("method"), cells)
    if owned and method == MULTIQ:
        why = f"qdisc root: {owned.split()[0]} is desired as well, but a NIC has one root; write method: clsact"
        return Expansion(refused={"method" if "method" in desired else "clients": why})
    problem = _problem(method, cells)
    if problem:
        return Expansion(refused={"method" if "method" in desired else "clients": problem})
    told += tuple(tagged.unseen(nic, _held(cells, "networks"), listed))
    rates, unknown = _rates(_words(values.get("rate")), mapped, cells)
    if rates and (owned or Address("qdisc", nic, "leaves") in planned):
        return Expansion(refused={"rate": "a rate is a qdisc of its queue, and qdisc sets one as well; leave one out"})
    problem = _no_rates(rates, mapped, method, cells)
    if problem:
        return Expansion(refused={"rate": problem})
    if unknown:
        note = f"{nic}: no rate for {say(unknown)}: the speed of their links is not known; see rate: auto"
        return Expansion(_exactly(method, mapped, cells, rates), {}, (*told, note))
    return Expansion(_exactly(method, mapped, cells, rates), {}, told)


def _exactly(
    method: str, mapped: Tuple[str, ...], cells: Mapping[str, Cell], rates: Tuple[str, ...] = ()
) -> Dict[str, Desired]:
    """Who asks for no rate has none, also where there was one."""
    rated = {"rate": Desired(EXACTLY, rates)} if rates or _held(cells, "rate") else {}
    return {"method": Desired(EXACTLY, method), "clients": Desired(EXACTLY, mapped), **rated}


def _rates(
    desired: Tuple[str, ...], mapped: Tuple[str, ...], cells: Mapping[str, Cell]
) -> Tuple[Tuple[str, ...], Tuple[str, ...]]:
    """The rate of each client in the order of the queues, and the clients of which `auto` does not know it.

    What is known came from the controller. A client that could not be asked, as it is switched off, keeps its rate.
    """
    auto = "auto" in desired
    named = dict(word.rpartition("=")[::2] for word in desired if "=" in word)
    now = dict(word.rpartition("=")[::2] for word in _held(cells, "rate")) if auto else {}
    found, unknown = [], []
    for word in mapped:
        whom = word.partition("=")[0]
        general = named.get("*") if word != tc.OTHERS else None
        rate = named.get(whom) or now.get(whom) or general
        if rate:
            found.append(f"{whom}={rate}")
        elif auto and word != tc.OTHERS:
            unknown.append(whom)
    nobody = (
        () if auto else tuple(f"{whom}={named[whom]}" for whom in named if whom not in _owners(mapped) and whom != "*")
    )
    found.sort(key=lambda item: _owners(mapped)[item.rpartition("=")[0]])
    return (*found, *nobody), tuple(unknown)


def _owners(mapped: Tuple[str, ...]) -> Dict[str, int]:
    return {word.partition("=")[0]: tc.queue_of(word) for word in mapped}


def _no_rates(rates: Tuple[str, ...], mapped: Tuple[str, ...], method: str, cells: Mapping[str, Cell]) -> str:
    """Why these rates cannot be."""
    owners, kind = _owners(mapped), str(cells["root"].value).split()
    strangers = tuple(whom for word in rates for whom in [word.rpartition("=")[0]] if whom not in owners)
    if strangers:
        return f"{say(strangers)} is no client of this NIC; name it under clients"
    if rates and method == CLSACT and kind[1] != "0:" and kind[0] not in (MQ, MULTIQ):
        return f"somebody made the root qdisc {kind[0]} {kind[1]}, which has no queues to shape; remove it first"
    queues = {owners[word.rpartition("=")[0]] for word in rates}
    for leaf in _held(cells, "leaves"):
        queue, name, handle = leaf.split()
        if int(queue) in queues:
            return f"somebody made the qdisc {name} {handle} of queue {queue}; remove it first"
    return ""


def _queues(nic: str, cells: Mapping[str, Cell], planned: Mapping[Address, Value]) -> int:
    """Transmit queues once the channels are set."""
    counts = [planned.get(Address("channels", nic, key)) for key in ("combined", "tx")]
    numbers = [number for number in counts if isinstance(number, int)]
    return sum(numbers) if numbers else int(str(cells["queues"].value))


def _method(desired: Value, cells: Mapping[str, Cell]) -> str:
    """`auto` keeps the method that is there, and prefers clsact where the kernel does what its filters say."""
    now = str(cells["method"].value)
    if desired in (CLSACT, MULTIQ):
        return str(desired)
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
            "filters in front of C(mq) (C(clsact)) or inside C(multiq); C(auto) chooses by the abilities of the kernel",
            words=("auto", CLSACT, MULTIQ, MQ, NONE),
        ),
        Field(
            "overflow",
            "word",
            "with more clients than queues: C(fail), or keep the default qdisc (C(mq))",
            words=("fail", MQ),
        ),
        Field(
            "rate",
            "rates",
            "maximum Mbit/s of the queue of a client; a number for all, C(ADDRESS=NUMBER) for one, C(others=NUMBER) "
            "for queue 0, V(auto) for 98 % of the speed of its link, or a list of these",
            parse=_parse_rate,
        ),
        Field("state", "word", "V(absent) restores the default qdisc", words=("present", "absent")),
    ),
    hint="The kernel needs the modules cls_u32 and act_skbedit, sch_multiq or sch_ingress, and sch_tbf for rates.",
    expand=_expand,
    cuts=True,
    boot=_boot,
    made_of=MADE_OF,
)
