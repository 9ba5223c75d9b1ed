# SPDX-License-Identifier: GPL-3.0-or-later
"""Look at facts without trusting them: what is missing, or not what it should be, is simply not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from ...module_utils.tools.hypervisors import (
    USB_NETWORKS,
    VIRTUAL,
    VIRTUAL_FUNCTIONS,
)
from ..plain import tame


class Facts:
    """A dictionary from somewhere; each question says which type it wants, and gets nothing of any other."""

    def __init__(self, raw: Any) -> None:
        self.raw: Mapping[str, Any] = raw if isinstance(raw, (dict, Mapping)) else {}

    def at(self, *path: str) -> Any:
        """What lies at a path, or None. Rules ask thousands of times for each host, mostly for what is not there."""
        found: Any = self.raw
        for step in path:
            if found is None or not isinstance(found, (dict, Mapping)):
                return None
            found = found.get(step)
        return found

    def number(self, *path: str) -> float | None:
        """A number, which a switch is not."""
        value = self.at(*path)
        return None if value is None or isinstance(value, bool) or not isinstance(value, (int, float)) else value

    def count(self, *path: str) -> int:
        """A whole number; 0 where there is none."""
        value = self.number(*path)
        return int(value) if value is not None and abs(value) < 1 << 64 else 0

    def flag(self, *path: str) -> bool | None:
        """A switch."""
        value = self.at(*path)
        return value if isinstance(value, bool) else None

    def text(self, *path: str) -> str:
        """A word; empty where there is none."""
        value = self.at(*path)
        return value if isinstance(value, str) else ""

    def words(self, *path: str) -> list[str]:
        """The words of a list."""
        return [item for item in _items(self.at(*path)) if isinstance(item, str)]

    def numbers(self, *path: str) -> list[int]:
        """The whole numbers of a list."""
        found = _items(self.at(*path))
        return [item for item in found if isinstance(item, int) and not isinstance(item, bool)]

    def rows(self, *path: str) -> list[Facts]:
        """The dictionaries of a list."""
        return [Facts(item) for item in _items(self.at(*path)) if isinstance(item, Mapping)]

    def below(self, *path: str) -> dict[str, Facts]:
        """The dictionaries of a dictionary, by name."""
        found = Facts(self.at(*path)).raw
        return {
            name: Facts(item) for name, item in found.items() if isinstance(name, str) and isinstance(item, Mapping)
        }

    def texts(self, *path: str) -> dict[str, str]:
        """The words of a dictionary, by name."""
        found = Facts(self.at(*path)).raw
        return {name: item for name, item in found.items() if isinstance(name, str) and isinstance(item, str)}


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, Sequence)) and not isinstance(value, (str, bytes)) else ()


class Nic(Facts):
    """The facts of one NIC."""

    def __init__(self, host: Host, name: str, raw: Any) -> None:
        super().__init__(raw)
        self.host = host
        self.name = name

    def value(self, family: str, key: str) -> Any:
        """A setting that is in force."""
        return self.at(family, key, "value")

    def maximum(self, family: str, key: str) -> float | None:
        """The largest value of a setting."""
        return self.number(family, key, "maximum")

    @cached_property
    def driver(self) -> str:
        """Its kernel driver."""
        return self.text("driver")

    @cached_property
    def real(self) -> bool:
        """Whether it is hardware with a link that it tells the truth about."""
        return self.linked and not self.virtual and self.driver not in USB_NETWORKS

    @cached_property
    def linked(self) -> bool:
        """Whether it is a device, of a hypervisor or not, with a link; its interrupts and counters are as real."""
        return self.flag("physical") is True and self.flag("carrier") is True

    @cached_property
    def virtual(self) -> bool:
        """Whether a hypervisor gives it: one of its own devices, or a virtual function of a real card."""
        above = self.host.nic(self.text("master"))
        return (
            self.driver in VIRTUAL
            or self.text("pci_id") in VIRTUAL_FUNCTIONS
            or self.flag("virtual_function") is True
            # Accelerated networking of Azure: the virtual function is a port of the device that stands in for it.
            or (above is not None and above.driver in VIRTUAL)
        )

    @property
    def speed(self) -> int:
        """The speed of its link in Mb/s; 0 if unknown."""
        return self.count("speed")

    @property
    def switch_port(self) -> str:
        """The other end of its cable, as LLDP tells it; empty if nobody has heard it."""
        switch, port = self.text("lldp", "switch"), self.text("lldp", "port")
        return f"{switch}, port {port}" if switch and port else ""

    @property
    def packets(self) -> int:
        """Packets received, of which a loss is a share."""
        return self.counted("rx_packets")[0]

    @property
    def queues(self) -> int:
        """The receive queues in use; 0 if unknown."""
        found = (self.number("channels", key, "value") for key in ("combined", "rx"))
        return int(max((count for count in found if count), default=0)) or self.count("queues", "rx")

    @property
    def tagged(self) -> bool:
        """Whether a VLAN with an address stands on it; those below bridges are not told."""
        rows = self.host.rows("addresses")
        return any(row.text("kind") == "vlan" and self.name in row.words("hardware") for row in rows)

    def desired(self, *path: str) -> Any:
        """What the inventory asks of it under a path such as irq, affinity; None if nothing."""
        return self.host.tune.at("after", "nics", self.name, *path)

    def counted(self, name: str) -> tuple[int, str]:
        """A counter and its time: within the interval between two samples, or else since the driver was loaded."""
        if self._interval:
            return self.count("counters", "growth", name), f"in {self._interval:g} s"
        return self.count("counters", "total", name), "since the driver was loaded"

    @cached_property
    def _interval(self) -> float | None:
        return self.number("counters", "interval")


class Host(Facts):
    """The facts of one host: what nic_info read under `nics` and `host`, and what tune would do under `tune`."""

    def __init__(self, name: str, raw: Any) -> None:
        whole = Facts(raw)
        super().__init__(whole.at("host"))
        self.name = name
        self.groups = whole.words("groups")
        self.reached = whole.flag("unreachable") is not True
        self.remarks = whole.words("remarks")
        self.tune = Facts(whole.at("tune"))
        self.against = Facts(whole.at("against"))
        nics = Facts(whole.at("nics")).raw
        self.nics = [Nic(self, nic, nics[nic]) for nic in sorted(name for name in nics if isinstance(name, str))]

    def nic(self, name: str) -> Nic | None:
        """A NIC by its name."""
        return next((nic for nic in self.nics if nic.name == name), None)

    def under(self, name: str) -> list[Nic]:
        """The hardware under a name: the NIC itself, the members of a bond, or the ports of a team."""
        members = Facts(self.at("bonds", name, "members")).raw or Facts(self.at("teams", name, "ports")).raw
        found = (self.nic(member) for member in members or (name,))
        return [nic for nic in found if nic is not None]

    def bridge(self, name: str) -> bool:
        """Whether a name is that of a bridge: the kernel says so, or it has ports and is nothing else that we know."""
        ports = [nic for nic in self.nics if nic.text("master") == name]
        kinds = {nic.text("master_kind") for nic in ports} - {""}
        if kinds or not ports:
            return "bridge" in kinds
        return name not in self.below("bonds") and self.nic(name) is None

    @property
    def processors(self) -> list[Facts]:
        """What each processor has handled, within the interval, or else since the boot."""
        rows = self.rows("softnet")
        return [Facts({**Facts(row.at("growth")).raw, "cpu": row.at("cpu")}) for row in rows] if self.watched else rows

    @property
    def watched(self) -> float:
        """The interval in which the processors were watched; 0 where only what they did since the boot is known."""
        return max((row.number("interval") or 0 for row in self.rows("softnet")), default=0)

    @property
    def processed(self) -> int:
        """Packets that the processors have handled; the counter of each has 32 bits and begins anew."""
        by_nics = sum(
            nic.counted("rx_packets")[0] if self.watched else nic.count("counters", "total", "rx_packets")
            for nic in self.nics
        )
        return max(sum(row.count("processed") for row in self.processors), by_nics)

    @property
    def forwards(self) -> bool:
        """Whether it is a router."""
        return self.flag("kernel", "forwards_ipv4") is True or self.flag("kernel", "forwards_ipv6") is True

    @cached_property
    def interval(self) -> float:
        """The seconds in which counters were watched; 0 where all are since the boot."""
        own = (self.number("protocols", "interval"), *(nic.number("counters", "interval") for nic in self.nics))
        return max((seconds for seconds in own if seconds), default=0)

    def protocol(self, name: str) -> tuple[int, str]:
        """What a protocol has counted, and its time: within the interval, or else since the boot."""
        interval = self.number("protocols", "interval")
        if interval:
            return self.count("protocols", "growth", name), f"in {interval:g} s"
        return self.count("protocols", "total", name), "since the boot"

    def whole(self, key: str) -> int:
        """A kernel parameter that is one number; 0 if it has none."""
        found = self.vector(key)
        return found[0] if len(found) == 1 else 0

    @property
    def fastest(self) -> int:
        """The speed of the fastest link that tells the truth, in Mb/s; 1000 where none does."""
        return max((nic.speed for nic in self.nics if nic.real), default=0) or 1000

    def sysctl(self, key: str) -> str:
        """The live value of a kernel parameter; empty if it has none."""
        return self.text("sysctl", key)

    def vector(self, key: str) -> list[int]:
        """The numbers of a kernel parameter."""
        words = self.sysctl(key).split()
        return [int(word) for word in words] if all(word.isdecimal() and len(word) < 20 for word in words) else []

    @cached_property
    def release(self) -> tuple[int, int]:
        """The first two numbers of the kernel's version; (0, 0) if unknown."""
        words = self.text("kernel", "release").replace("-", ".").split(".")
        numbers = [int(word) for word in words[:2] if word.isdecimal() and len(word) < 6]
        return (numbers[0], numbers[1]) if len(numbers) == 2 else (0, 0)


class Fleet:
    """All hosts together; `measured` is a result of the playbook benchmark."""

    def __init__(self, facts: Any, measured: Any = None) -> None:
        raw = Facts(tame(facts)).raw
        self.hosts = [Host(name, raw[name]) for name in sorted(name for name in raw if isinstance(name, str))]
        self.measured = Facts(tame(measured))

    def nics(self) -> Iterator[Nic]:
        """The NICs of all hosts."""
        for host in self.hosts:
            yield from host.nics

    @cached_property
    def speeds(self) -> list[int]:
        """The different speeds of the links of the fleet, in Mb/s; virtio_net has one only if it was told."""
        told = (nic for nic in self.nics() if nic.real or (nic.flag("carrier") is True and nic.driver == "virtio_net"))
        return sorted({nic.speed for nic in told} - {0})
