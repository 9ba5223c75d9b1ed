# SPDX-License-Identifier: GPL-3.0-or-later
"""Judge a NIC by the tables of quirks: a row matches by driver, PCI ids and kernel, and by what is in force."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from .chips import Release, is_hardware
from .harm import lost, much, sent_again
from .lanes import Link, advice, card, links, sharing
from .model import nic_remedy
from .view import Nic


class Quirk(NamedTuple):
    """A row: which hardware (drivers, PCI ids or vendors, kernels from and before), in which state, and the cure.

    The state: one of `features` is on, or `all` of them are; the MTU is above `mtu`, `pause` frames are off, or, for
    `pair`, the bond of the NIC has another port of the same card; the host `forwards`; `eee` is active, the link runs
    at `half` duplex or at a `speed`, the PCIe link may go to the state `sleeps`, something was `counted`, or more of it
    lost than a burst (`lost`), TCP sends one in so many segments `again`, or the NIC cannot have the features that it
    `lacks`. Where a row has several of these, all must hold. With `unknown`, which is what to do then, it holds for
    clear losses as well where nobody knows whether the link sleeps. One segment in so many `gaps` came after one that
    was missing, which makes it medium and is no condition. `build` is how the version of the driver begins that has
    the fault, and `revisions` are the steppings of the chip that have it. `set` is what to write for the NIC. A row
    without `before` is not ended by any kernel that is known, and `ended` is what ended it. `rhel` is the first build
    of Red Hat's kernel of the same version that has the cure of a later one.
    """

    id: str
    severity: str
    title: str
    drivers: tuple[str, ...]
    condition: str
    explanation: str
    action: str
    reference: str
    pci: tuple[str, ...] = ()
    since: Release = (0, 0)
    before: Release = (999, 0)
    rhel: tuple[int, ...] = ()
    features: tuple[str, ...] = ()
    mtu: int = 0
    pause: bool = False
    pair: bool = False
    forwards: bool = False
    eee: bool = False
    half: bool = False
    all: tuple[str, ...] = ()
    speed: int = 0
    sleeps: str = ""
    unknown: str = ""
    counted: str = ""
    lost: str = ""
    again: int = 0
    gaps: int = 0
    lacks: tuple[str, ...] = ()
    build: str = ""
    revisions: tuple[int, ...] = ()
    ended: str = ""
    set: Mapping[str, Any] = {}

    def remedy(self, nic: Nic) -> dict[str, Any]:
        """What to write for one NIC."""
        return nic_remedy(nic.name, **self.set) if self.set and not self._in_doubt(nic) else {}

    def _in_doubt(self, nic: Nic) -> bool:
        """Whether the row holds only because nobody knows if the PCIe link of the NIC sleeps."""
        return bool(self.unknown) and nic.text("aspm") == ""

    def advice(self, nic: Nic) -> str:
        """What helps one NIC in place of the row's own action; empty where that is right."""
        pair = _in_bond(nic) if self.pair else None
        return advice(nic, pair.link) if pair and pair.link else self.unknown if self._in_doubt(nic) else ""

    def doubt(self, nic: Nic) -> str:
        """The severity where more harm is seen than the row knows of, or none is sure; empty where the row's holds."""
        if self.gaps and _gaps(nic, self.gaps):
            return "medium"
        pair = _in_bond(nic) if self.pair else None
        return "note" if pair and not pair.link else "medium" if self._in_doubt(nic) else ""


def applies(quirk: Quirk, nic: Nic) -> dict[str, Any]:
    """The evidence, if a NIC is such hardware in such a state."""
    if not is_hardware(quirk.drivers, quirk.pci, quirk.since, quirk.before, nic) or _cured(quirk, nic):
        return {}
    if quirk.build and not nic.text("driver_version").startswith(quirk.build):
        return {}
    revision = nic.number("revision")
    if quirk.revisions and revision not in quirk.revisions:
        return {}
    found = _state(quirk, nic)
    missing = _gaps(nic, quirk.gaps) if quirk.gaps else {}
    build = {"driver version": nic.text("driver_version")} if quirk.build else {}
    stepping = {"revision": int(revision)} if quirk.revisions and revision is not None else {}
    return {} if found is None else {**_hardware(nic), **stepping, **build, **found, **missing}


def _cured(quirk: Quirk, nic: Nic) -> bool:
    """Whether the kernel is one of Red Hat's, such as 4.18.0-553.el8_10.x86_64, and has the cure already."""
    numbers, mark, _rest = nic.host.text("kernel", "release").partition(".el")
    build = tuple(int(word) for word in re.findall(r"\d{1,9}", numbers))
    return bool(quirk.rhel and mark) and build[:3] == quirk.rhel[:3] and build >= quirk.rhel


def _gaps(nic: Nic, part: int) -> dict[str, Any]:
    """The segments that came after a missing one, where the NIC brings most of what TCP receives."""
    late, since = much(nic.host, "TcpExtTCPOFOQueue")
    every, _since = nic.host.protocol("TcpInSegs")
    most = nic.packets * 2 >= sum(each.packets for each in nic.host.nics if each.linked)
    return {"segments after a gap": f"{late} of {every} {since}"} if most and 0 < every < late * part else {}


def _hardware(nic: Nic) -> dict[str, Any]:
    return {"driver": nic.driver, "PCI id": nic.text("pci_id"), "kernel": nic.host.text("kernel", "release")}


def _state(quirk: Quirk, nic: Nic) -> dict[str, Any] | None:
    """What is so of all that the row asks for, which may be the hardware alone; None if some of it is not."""
    conditions = [
        (quirk.features, {key: "on" for key in quirk.features if nic.value("features", key) is True}),
        (quirk.all, dict.fromkeys(quirk.all, "on") if all(_feature(nic, key) for key in quirk.all) else {}),
        (quirk.mtu, {"mtu": str(nic.count("mtu"))} if nic.count("mtu") > quirk.mtu else {}),
        (quirk.pause, {f"pause {key}": "off" for key in ("rx", "tx") if nic.value("pause", key) is False}),
        (quirk.pair, _pair(nic) if quirk.pair else {}),
        (quirk.forwards, {"forwarding": "on"} if nic.linked and nic.host.forwards else {}),
        (quirk.eee, {"EEE": "active"} if nic.text("eee") == "active" else {}),
        (quirk.half, _link(nic, nic.text("duplex") == "Half")),
        (quirk.speed, _link(nic, nic.speed == quirk.speed)),
        (quirk.sleeps, _sleeping(quirk, nic)),
        (quirk.counted, _counted(nic, quirk.counted)),
        (quirk.lost, _lost(nic, quirk.lost)),
        (quirk.again, _again(nic, quirk.again)),
        (quirk.lacks, {key: "off [fixed]" for key in quirk.lacks if _never(nic, key)}),
    ]
    found = [state for required, state in conditions if required]
    return {key: value for state in found for key, value in state.items()} if all(found) else None


def _sleeping(quirk: Quirk, nic: Nic) -> dict[str, Any]:
    if quirk.sleeps in nic.text("aspm").split():
        return {"ASPM of the link": nic.text("aspm")}
    return {"ASPM of the link": "not told"} if quirk.unknown and may_sleep(nic, quirk.lost) else {}


def may_sleep(nic: Nic, name: str) -> bool:
    """Whether the kernel tells of no NIC if its PCIe link sleeps, and this one loses more than one in 1000 packets.

    A ring that could be larger may be the cause as well, and says more.
    """
    told = any(other.text("aspm") for other in nic.host.nics)
    full = (nic.number("ring", "rx", "value") or 0) >= (nic.maximum("ring", "rx") or 0)
    return nic.linked and full and not told and nic.counted(name)[0] * 1000 > nic.packets


def _feature(nic: Nic, key: str) -> bool:
    return nic.value("features", key) is True


def _never(nic: Nic, key: str) -> bool:
    return nic.value("features", key) is False and nic.flag("features", key, "fixed") is True


def _link(nic: Nic, holds: bool) -> dict[str, Any]:
    return {"Duplex": nic.text("duplex"), "Speed": f"{nic.speed}Mb/s"} if holds and nic.linked else {}


def _counted(nic: Nic, name: str) -> dict[str, Any]:
    count, since = nic.counted(name) if name else (0, "")
    return {name: f"{count} {since}"} if count else {}


def _lost(nic: Nic, name: str) -> dict[str, Any]:
    missed = lost(nic, name) if name else None
    return {"lost": missed.text} if missed else {}


def _again(nic: Nic, part: int) -> dict[str, Any]:
    # TCP does not tell which NIC has lost it, so it is held against those that carry much.
    most = max((other.packets for other in nic.host.nics if other.linked), default=0)
    again = sent_again(nic.host, part) if part and nic.linked and nic.packets * 2 >= most else ""
    return {"segments sent again": again} if again else {}


class Pair(NamedTuple):
    """Ports of one card in one bond, the link of their way that gives each the least, and all of the bond behind it."""

    bond: str
    ports: list[Nic]
    link: Link | None
    behind: list[Nic]


# Mb/s of each port.
_EACH = 10000


def _in_bond(nic: Nic) -> Pair | None:
    """What a NIC shares its way with, if it is the first of several ports of its card in a bond that uses all."""
    for bond, facts in nic.host.below("bonds").items():
        members = nic.host.under(bond)
        ports = [port for port in members if card(nic) and card(port) == card(nic)]
        if facts.text("mode") == "active-backup" or len(ports) < 2 or ports[0].name != nic.name:
            continue
        ways = [(link, sharing(link, members)) for link in links(nic)]
        if not ways:
            return Pair(bond, ports, None, ports)
        return Pair(bond, ports, *min(ways, key=lambda way: way[0].capacity / len(way[1])))
    return None


def _pair(nic: Nic) -> dict[str, Any]:
    """What limits the ports of one card, or several cards behind one bridge; told once, at the first of them.

    A bond of active-backup uses one of them at a time.
    """
    pair = _in_bond(nic)
    if not pair or (pair.link and pair.link.capacity >= _EACH * len(pair.behind)):
        return {}
    if pair.behind[0].name != nic.name:
        return {}
    names, behind = ([port.name for port in some] for some in (pair.ports, pair.behind))
    return {
        "bond": pair.bond,
        "ports of one card": names,
        **({"ports behind the bridge": behind} if behind != names else {}),
        "PCIe link": str(pair.link) if pair.link else "not told; see how many lanes the slot has",
    }
