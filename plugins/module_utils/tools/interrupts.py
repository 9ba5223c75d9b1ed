# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak /proc and /sys about interrupts, queues and cores: who serves a NIC, without starting a process."""

from __future__ import annotations

import re
from typing import Any, Dict, List, NamedTuple, Tuple

from ..schema import Reader
from ..text import quote
from . import cpus, sysfs

# The interrupts of queues; the others of a NIC tell of link changes and carry no packets. The forms are those of
# igb and ixgbe (TxRx-0), e1000e (rx-0), vmxnet3 (rxtx-0), virtio (input.0), mlx5 (comp0@pci), mlx4 (comp-0@pci), bnx2x
# (fp-0), stmmac (:rx-0), xen-netfront (q0-tx), gve (ntfy-block.0, and ntfy-blk0@pci since Linux 6.4), cxgb3 (queue 0),
# mana (q0@pci), hinic (_rxq0) and hinic3 (_qp0), and mlx4 where it asks for vectors one by one (mlx4-0@0000:04:00.0).
_QUEUE = re.compile(
    r"(?:^|[-_.: (])(?:txrx|rxtx|[rt]xq?|input|output|comp|fp|queue|qp?|ntfy-bl(?:oc)?k|mlx4(?=-\d+@))[-. ]?(\d+)"
    r"(?:-[rt]x)?(?:@.*|\))?$",
    re.IGNORECASE,
)

# What has a number and no queue, or is no queue at all: flow director of i40e, configuration of virtio, management.
_OTHER = re.compile(r"fdir|[-:](?:config|mgmnt|misc|async|lsc|link|mac|wol|lpi)\b|_async|mgmnt@", re.IGNORECASE)

_CPU = "/sys/devices/system/cpu"
_NODE = "/sys/devices/system/node"


class Interrupt(NamedTuple):
    """An interrupt of a NIC, the number of the queue that it serves, and its name in /proc/interrupts."""

    number: int
    queue: int
    name: str

    @property
    def path(self) -> str:
        """Where the CPUs stand that may serve it."""
        return f"/proc/irq/{self.number}/smp_affinity_list"


def of(host: Reader, nic: str) -> List[Interrupt]:
    """The interrupts of a NIC's queues, in the kernel's order; all it has, if none says to belong to a queue."""
    names = _names(host.read("/proc/interrupts") or "")
    own = {int(number) for number in host.names(f"{_device(host, nic)}/msi_irqs") if number.isdecimal()}
    if own:
        named = {number: words[-1] for number, words in names.items() if number in own}
    else:
        ending = f"@pci:{host.target(_device(host, nic))}"
        # fec, mtk_soc_eth and virtio without PCI name the device, too, by its folder in /sys.
        owners = [name for name in (nic, host.target(f"{sysfs.ROOT}/{nic}/device")) if name]
        starts = tuple(f"{name}{sign}" for name in owners for sign in "-: ")
        named = {
            number: word
            for number, words in names.items()
            for word in words
            # skge and sky2 name the device, not the NIC.
            if word in owners or word.startswith(starts) or word.endswith(ending)
        }
    named = {number: name for number, name in named.items() if not _OTHER.search(name)} or named
    matches = {number: _QUEUE.search(name) or _plain(nic, name) for number, name in named.items()}
    queues = {number: match[1] for number, match in matches.items() if match}
    if queues:
        return [Interrupt(number, int(queue), named[number]) for number, queue in sorted(queues.items())]
    return [Interrupt(number, index, named[number]) for index, number in enumerate(sorted(named))]


def _plain(nic: str, name: str) -> Any:
    """The name and a number only, as mlx4 and tg3 have it."""
    return re.fullmatch(rf"{re.escape(nic)}-(\d+)", name)


def by_name(name: str, line: int = 0) -> str:
    """The path of an interrupt for a shell that looks for its number then: it may be another one after a reboot.

    Where several lines have that name, as with atlantic and fec, `line` is which one of these it is, from 1 on.
    """
    one = f" | sed -n {line}p" if line else ""
    number = f"grep -w {quote(name)} /proc/interrupts{one} | cut -d: -f1 | tr -d ' '"
    return f"/proc/irq/$({number})/smp_affinity_list"


def _device(host: Reader, nic: str) -> str:
    """A virtio NIC hangs on the PCI function that has the interrupts."""
    device = f"{sysfs.ROOT}/{nic}/device"
    return f"{device}/.." if host.target(f"{device}/subsystem") == "virtio" else device


def _names(text: str) -> Dict[int, List[str]]:
    """The last words of each line of /proc/interrupts: a shared line names several devices."""
    found: Dict[int, List[str]] = {}
    for line in text.splitlines():
        match = re.match(r"\s*(\d{1,9}):\s+(.*\S)", line)
        if match:
            words = [word.strip(",") for word in match[2].split()]
            # cxgb3 and cxgb4: `eth0 (queue 0)` is one name of three words.
            joined = re.search(r"(\S+ \(queue \d+\))$", match[2])
            found[int(match[1])] = [*words[:-3], joined[1]] if joined else words
    return found


def counts(text: str) -> Dict[int, List[int]]:
    """How often each CPU has served each interrupt, of /proc/interrupts."""
    found: Dict[int, List[int]] = {}
    columns = len(text.partition("\n")[0].split())
    for line in text.splitlines()[1:]:
        match = re.match(r"\s*(\d{1,9}):((?:\s+\d{1,15})+)\s", line)
        if match:
            found[int(match[1])] = [int(word) for word in match[2].split()][:columns]
    return found


# After so many interrupts the kernel looks whether nearly all of them were nobody's, and begins to count anew.
_LOOKS = 100_000


def switched_off(text: str, served: int) -> bool:
    """Of /proc/irq/N/spurious and how often it was served: whether the kernel has switched a line off.

    It counts no more then, so that both counters stay at the beginning (note_interrupt in kernel/irq/spurious.c); one
    that works is there once in 100,000 times.
    """
    numbers = {key: int(value) for key, value in re.findall(r"^(\w+) (\d{1,19})\b", text, re.MULTILINE)}
    begins = numbers.get("count") == 0 and numbers.get("unhandled") == 0
    return begins and numbers.get("last_unhandled", 0) > 0 and served >= _LOOKS


def softnet(text: str) -> List[Dict[str, int]]:
    """Each line of /proc/net/softnet_stat, which is hexadecimal; from Linux 5.10 on column 13 is the CPU."""
    found = []
    for index, line in enumerate(text.splitlines()):
        words = line.split()
        if len(words) >= 3 and all(re.fullmatch(r"[0-9a-f]{1,8}", word) for word in words):
            numbers = [int(word, 16) for word in words]
            cpu = numbers[12] if len(numbers) > 12 else index
            found.append({"cpu": cpu, "processed": numbers[0], "dropped": numbers[1], "squeezed": numbers[2]})
    return found


def softirq_time(text: str) -> Dict[int, Dict[str, int]]:
    """Of /proc/stat, for each CPU that runs: all its ticks (`time`), and those that it spent in `softirq`."""
    found = {}
    for line in text.splitlines():
        # user, nice, system, idle, iowait, irq, softirq and steal; time of guests is in the first two as well.
        match = re.match(r"cpu(\d{1,5})((?: \d{1,20}){8})", line)
        if match:
            ticks = [int(word) for word in match[2].split()]
            found[int(match[1])] = {"time": sum(ticks), "softirq": ticks[6]}
    return found


def queues(host: Reader, nic: str, direction: str) -> List[str]:
    """The folders of a NIC's queues in one direction (rx, tx), by number."""
    folder = f"{sysfs.ROOT}/{nic}/queues"
    found = [name for name in host.names(folder) if re.fullmatch(rf"{direction}-\d+", name)]
    return [f"{folder}/{name}" for name in sorted(found, key=lambda name: int(name[3:]))]


def online(host: Reader) -> Tuple[int, ...]:
    """All CPUs that run."""
    return _list(host, f"{_CPU}/online")


def cores(host: Reader, nic: str) -> Tuple[int, ...]:
    """All CPUs in the order of their worth to a NIC.

    A sibling shares its core, so the first CPU of each core comes before any second one; among these the CPUs of the
    NIC's NUMA node come first, then those of the nodes next to it; and of each node one from each of its last-level
    caches in turn, so that queues share these as little as they can.
    """
    home = sysfs.text(host, f"{_device(host, nic)}/numa_node")
    distances = sysfs.text(host, f"{_NODE}/node{home}/distance").split()
    far = {
        cpu: int(distance)
        for node, distance in zip(_list(host, f"{_NODE}/online"), distances)
        for cpu in _list(host, f"{_NODE}/node{node}/cpulist")
    }

    known = online(host)
    worth: Dict[int, Tuple[int, int]] = {}
    turn: Dict[int, int] = {}
    taken: Dict[Tuple[int, int, str], int] = {}
    for cpu in known:
        siblings = _list(host, f"{_CPU}/cpu{cpu}/topology/thread_siblings_list")
        worth[cpu] = sum(other < cpu for other in siblings), far.get(cpu, 0)
        cache = (*worth[cpu], sysfs.text(host, f"{_CPU}/cpu{cpu}/cache/index3/shared_cpu_list"))
        turn[cpu] = taken[cache] = taken.get(cache, -1) + 1
    return tuple(sorted(known, key=lambda cpu: (*worth[cpu], turn[cpu], cpu)))


def _list(host: Reader, path: str) -> Tuple[int, ...]:
    try:
        return cpus.parse_list(sysfs.text(host, path))
    except ValueError:
        return ()
