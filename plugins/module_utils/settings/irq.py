# SPDX-License-Identifier: GPL-3.0-or-later
"""Know which CPUs serve the interrupts and queues of a NIC (/proc/irq, /sys/class/net/NIC/queues).

A person writes a word or a CPU list; what is compared are the lists of CPUs that it comes to on this machine, one for
each interrupt or queue. Lists that are all alike are said once.
"""

from __future__ import annotations

from functools import partial
from typing import Callable, Dict, List, Mapping, Sequence, Tuple

from ..family import NIC, Family, Field
from ..schema import Action, Cell, Poke, Reader, Reading, Run, TuningError, Value
from ..text import quote
from ..tools import cpus, interrupts, placing, services, sysfs
from ..tools import irqbalance as balancer
from .irqbalance import KEY as BAN

EACH = "each "
_FILES = {"rps": "rps_cpus", "rps_flow_cnt": "rps_flow_cnt", "xps": "xps_cpus"}
_UNKNOWN = "unknown"

# Drivers that spread their queues by a plan of the kernel's have such interrupts, and so have some controllers.
_MANAGED = "the kernel does not allow the interrupts of this device to be moved: it places them itself, or cannot"


def _join(lists: Sequence[str], each: str = "") -> str:
    """Lists as one text, which means the same when it is written in the inventory."""
    return each + lists[0] if len(set(lists)) == 1 else " ".join(lists)


def _read(host: Reader, nic: str, _keys: Sequence[str]) -> Reading:
    found = interrupts.of(host, nic)
    cores, online = interrupts.cores(host, nic), interrupts.online(host)
    try:
        cells = {**_affinity(host, found, cores, online), **_queues(host, nic, cores, online), **_service(host, nic)}
    except ValueError as error:
        raise TuningError(f"the kernel's files of its interrupts and queues: {error}") from None
    if not any(key in cells for key in ("affinity", "rps", "xps")):
        return Reading({}, "the kernel shows neither interrupts nor queues of it")
    return Reading(cells)


def _affinity(
    host: Reader, found: Sequence[interrupts.Interrupt], cores: Sequence[int], online: Sequence[int]
) -> Dict[str, Cell]:
    texts = {item: host.read(item.path) for item in found}
    known = {item: cpus.format_list(cpus.parse_list(text)) for item, text in texts.items() if text is not None}
    if not known:
        return {}
    order = [item.queue for item in known]
    current = [item.name for item in known], list(known.values())
    means = partial(_dealt, {"spread": cores}, online, current, order)
    where, value = " ".join(item.path for item in known), _join(list(known.values()), EACH)
    if not all(host.writable(item.path) for item in known):
        means = partial(_kept, value, means)
    names = Cell(tuple(item.name for item in known), fixed=True)
    return {"affinity": Cell(value, where=where, means=means), "interrupts": names}


def _kept(value: str, means: Callable[[str], str], desired: str) -> str:
    """Since Linux 6.11 the file of an interrupt that cannot be moved is one to read only."""
    if means(desired) != value:
        raise ValueError(_MANAGED)
    return value


def _queues(host: Reader, nic: str, cores: Sequence[int], online: Sequence[int]) -> Dict[str, Cell]:
    cells = {}
    for key, file in _FILES.items():
        paths = [f"{queue}/{file}" for queue in interrupts.queues(host, nic, "tx" if key == "xps" else "rx")]
        texts = {path: host.read(path) for path in paths}
        values = {path: text.strip() for path, text in texts.items() if text is not None}
        if not values:
            continue
        where, order = " ".join(values), list(range(len(values)))
        if key == "rps_flow_cnt":
            cells[key] = Cell(_join(list(values.values())), where=where, means=partial(_counted, len(order)))
            continue
        lists = [cpus.format_list(cpus.parse_mask(text)) for text in values.values()]
        if key == "rps":
            means = partial(_shared, cores, online, lists, len(order))
        else:
            means = partial(_dealt, {"spread": cores, cpus.NONE: ()}, online, ([], lists), order)
        cells[key] = Cell(_join(lists, EACH if key == "xps" else ""), where=where, means=means)
    return cells


def _service(host: Reader, nic: str) -> Dict[str, Cell]:
    """A service that is not there, or not running, is stopped already."""
    device, foreign = sysfs.identity(host, nic).bus, balancer.foreign_policy(host)
    problem = f"{foreign} already names a policy script; make that script print ban=true for it" if foreign else ""
    if not sysfs.is_function(device):
        problem = f"irqbalance works by PCI device, and this NIC is none ({device or 'virtual'})"
    return {
        "irqbalance": Cell("run" if services.runs(host, "irqbalance.service") else "stop"),
        BAN: Cell(device in balancer.banned(host), means=partial(_banned, problem)),
    }


def _banned(problem: str, desired: str) -> bool:
    if desired == "True" and problem:
        raise ValueError(problem)
    return desired == "True"


def _dealt(
    words: Mapping[str, Sequence[int]],
    online: Sequence[int],
    current: Tuple[Sequence[str], Sequence[str]],
    order: Sequence[int],
    desired: str,
) -> str:
    """One CPU for each: the queue k gets the k-th one, so both directions of a queue meet on one core.

    Unless they are asked for one by one: those that are not keep the `current` ones, by their names and lists.
    """
    if placing.named(desired):
        lists = placing.apart(desired, current[1], order, current[0])
        return _join([cpus.format_list(_checked(part, online)) for part in lists], EACH)
    if desired.startswith(EACH) or " " in desired:
        return _literal(online, len(order), desired, EACH)
    chosen = words[desired] if desired in words else _checked(desired, online)
    dealt = cpus.deal(chosen, max(order) + 1)
    return _join([dealt[queue] for queue in order], EACH)


def _shared(cores: Sequence[int], online: Sequence[int], current: Sequence[str], count: int, desired: str) -> str:
    """The same CPUs for every queue, unless they are dealt or requested one by one."""
    if placing.named(desired):
        lists = placing.apart(desired, current, range(count), ())
        return _join([cpus.format_list(_checked(part, online)) for part in lists])
    if desired == "spread":
        return _join(cpus.deal(cores, count))
    return _literal(online, count, cpus.format_list(online) if desired == "all" else desired, "")


def _literal(online: Sequence[int], count: int, desired: str, each: str) -> str:
    """Lists as they are; round robin where the number of queues is another one than they were written for."""
    lists = [cpus.format_list(_checked(part, online)) for part in desired.replace(EACH, "", 1).split()]
    return _join([lists[index % len(lists)] for index in range(count)], each)


def _checked(text: str, online: Sequence[int]) -> Tuple[int, ...]:
    chosen = cpus.parse_list(text)
    missing = set(chosen) - set(online)
    if missing:
        raise ValueError(f"CPU {cpus.format_list(missing)} does not exist; the host has {cpus.format_list(online)}")
    return chosen


def _counted(count: int, desired: str) -> str:
    # The kernel rounds the size of each table up to a power of two.
    numbers = [str(1 << (int(number) - 1).bit_length() if int(number) else 0) for number in desired.split()]
    return _join([numbers[index % len(numbers)] for index in range(count)])


def _write(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    # Which NICs irqbalance leaves alone stands in one file for all of them, which a family of its own writes.
    verb = {"run": "start", "stop": "stop"}.get(str(values.get("irqbalance")))
    service = [Run(("systemctl", verb, balancer.SERVICE))] if verb else []
    pokes = [poke for key in ("affinity", *_FILES) if key in values for poke in _pokes(key, str(values[key]), cells)]
    # A running irqbalance moves what was set: it goes first and comes back last.
    return (*pokes, *service) if values.get("irqbalance") == "run" else (*service, *pokes)


def _pokes(key: str, value: str, cells: Mapping[str, Cell]) -> List[Poke]:
    """Only the files that differ; none for names of interrupts that are yet to come."""
    if placing.named(value):
        return []
    paths = cells[key].where.split()
    planned, current = _spelled(value, len(paths)), _spelled(str(cells[key].value), len(paths))
    masks = key in ("rps", "xps")
    pokes = []
    for path, new, old in zip(paths, planned, current):
        if new != old:
            text = cpus.format_mask(cpus.parse_list(new)) if masks else new
            pokes.append(Poke(path, text, f"echo {quote(text)} > {quote(path)}"))
    return pokes


def _foresee(cells: Mapping[str, Cell], before: Mapping[str, Value], after: Mapping[str, Value]) -> Dict[str, Cell]:
    """The files of the queues that there will be: what a new one holds is nothing, and one that goes takes its along.

    The numbers of interrupts that do not exist yet cannot be known.
    """
    foreseen = dict(cells)
    for key, file in _FILES.items():
        cell, way = cells.get(key), "tx" if key == "xps" else "rx"
        current, count = (sum(_number(values.get(word)) for word in ("combined", way)) for values in (before, after))
        if cell is None or len(cell.where.split()) != current or not count or not isinstance(cell.means, partial):
            continue
        folder = cell.where.split()[0].rpartition("/")[0].rpartition("-")[0]
        where = " ".join(f"{folder}-{number}/{file}" for number in range(count))
        nothing = "0" if key == "rps_flow_cnt" else cpus.format_list(())
        values = [*_spelled(str(cell.value), current), *[nothing] * count][:count]
        *rest, order = cell.means.args
        means = partial(cell.means.func, *rest, list(range(count)) if isinstance(order, list) else count)
        foreseen[key] = Cell(_join(values, EACH if key == "xps" else ""), where=where, means=means)
    return foreseen


def _number(value: Value) -> int:
    return value if isinstance(value, int) else 0


def _boot(nic: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Sequence[Action]:
    """All files, whatever they hold now, and interrupts by their names."""
    fresh = {key: cell._replace(value=_UNKNOWN) for key, cell in cells.items() if key in values}
    actions = _write(nic, values, {**cells, **fresh})
    known = cells["interrupts"].value if "interrupts" in cells else ()
    names = known if isinstance(known, tuple) else ()
    paths = cells["affinity"].where.split() if names else []
    lines = [names[: index + 1].count(name) if names.count(name) > 1 else 0 for index, name in enumerate(names)]
    lasting = {path: interrupts.by_name(name, line) for path, name, line in zip(paths, names, lines)}
    return [_lasting(action, lasting) for action in actions]


def _lasting(action: Action, paths: Mapping[str, str]) -> Action:
    if not isinstance(action, Poke) or action.path not in paths:
        return action
    return action._replace(plain=f"echo {quote(action.text)} > {paths[action.path]}")


def _spelled(value: str, count: int) -> List[str]:
    lists = value.replace(EACH, "", 1).split()
    return lists * count if len(lists) == 1 else lists


irq = Family(
    name="irq",
    module="irq",
    scope=NIC,
    read=_read,
    write=_write,
    about="Which CPUs serve the interrupts and the queues of a NIC.",
    fields=(
        Field(
            "affinity",
            "cpus",
            "one CPU for the interrupt of each queue: C(spread) over the cores, those of the NIC's NUMA node first, "
            "its last-level caches in turn, second threads of cores last; or round robin from a list such as C(0-3,8). "
            "C(each 0-3) lets every interrupt run on all of these. A dictionary such as C({0: 2, eth0-tx-*: 4-7}) "
            "sets them by queue, or by a name or pattern of C(/proc/interrupts)",
            words=("spread",),
            parse=placing.understand,
        ),
        Field(
            "rps",
            "cpus",
            "the CPUs that process the packets of each receive queue: a list, C(all), C(none), C(spread) for one core "
            "per queue, C(mask f0), or a dictionary by queue such as C({0: 0-3, 1-3: 4-7})",
            words=("spread", "all", "none"),
            parse=placing.understand,
        ),
        Field(
            "rps_flow_cnt",
            "counts",
            "number of flows per receive queue that are steered to the CPU of their reader (RFS); needs "
            "C(net.core.rps_sock_flow_entries), and to do it in the NIC (aRFS) the feature C(ntuple)",
        ),
        Field(
            "xps",
            "cpus",
            "the CPUs that send through each transmit queue: C(spread), C(none), a list, used round robin, a mask, or "
            "a dictionary by queue",
            words=("spread", "none"),
            parse=placing.understand,
        ),
        Field(
            "irqbalance",
            "word",
            "C(stop) the service that moves interrupts, for the whole host, now and after each boot, or C(run) it",
            words=("stop", "run"),
        ),
        Field(
            BAN,
            "switch",
            "whether irqbalance leaves the interrupts of this NIC alone, also after a reboot; ends when the key is "
            "removed",
        ),
    ),
    hint="A running irqbalance moves interrupts back; irqbalance_ban excludes those of a NIC.",
    refusals={"Input/output error": _MANAGED},
    # Queues that go take their files along, and drivers place the interrupts anew; igb does so with virtual functions.
    shaken_by=("channels", "sriov"),
    shaken=("affinity", *_FILES),
    lost={"rps": "none", "rps_flow_cnt": "0", "xps": f"{EACH}none"},
    foresee=_foresee,
    boot=_boot,
)
