# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a plain POSIX shell script, with the commands that the modules run."""

from __future__ import annotations

import re
from typing import Callable, Dict, Iterator, List, Mapping, Sequence, Tuple, Union

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import (
    AT_LEAST,
    EXACTLY,
    MAXIMUM,
    UNKNOWN,
    Action,
    Cell,
    Desired,
    Poke,
    Run,
    Value,
    plain,
)
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.plugins.module_utils.text import quote
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import routes

from . import queues, selectors
from .model import DesiredHost, Entry, Export, Form, exactly, named, why_not

PATH = "tune.sh"
_ABOUT = (
    "The desired network tuning of this host as plain commands, for hosts that Ansible does not manage.",
    "Run it as root at each boot, when the NICs are there. It goes on where a command fails, and ends with 1 then. For",
    "the routes of a NIC by its name it waits, up to a minute.",
)
# What ethtool shows as the most, above what is in force.
_MAXIMUM: Mapping[Tuple[str, str], Tuple[str, str]] = {
    **{
        ("ring", key): ("-g", label)
        for key, label in (("rx", "RX"), ("rx_mini", "RX Mini"), ("rx_jumbo", "RX Jumbo"), ("tx", "TX"))
    },
    **{("channels", key): ("-l", key.upper() if len(key) == 2 else key.capitalize()) for key in ("rx", "tx")},
    **{("channels", key): ("-l", key.capitalize()) for key in ("other", "combined")},
}
# Families whose commands depend on what a device answers, and why that is no matter of a script.
_DEVICE: Mapping[str, str] = {
    "pci": "only the host knows the slot and its register",
    "multiq": "the filters depend on the queues and the qdisc that the NIC has",
    "devlink": "only the device knows how it is set",
}
_MODES = "only the device knows its link modes"
_FIXED = "with autoneg it is a matter of the modes that the device names; write autoneg: false, or do it by Ansible"
# What stands in commands for what the script works out; a shell leaves both as they are.
_MARK, _NIC = "@maximum@", "@nic@"

# One command, or lines that belong together and note by themselves what fails.
Command = Union[str, List[str]]


class _Script(Form):
    """The script while it is written."""

    def __init__(self, desired: DesiredHost) -> None:
        super().__init__(desired)
        self.lines: List[str] = []

    def write(self) -> Export:
        for key, one in self.desired.sysctl.items():
            self._parameter(key, one)
        if any(_irqbalance(entry) for entry in self.desired.nics):
            self._irqbalance()
        for entry in self.desired.nics:
            self._entry(entry)
        if self.desired.profile:
            self._line(f"tuned-adm profile {quote(self.desired.profile)}")
        head = ["#!/bin/sh", *self.header("#", _ABOUT), "", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "failed=0", ""]
        text = "\n".join([*head, *self.lines, "", 'exit "$failed"', ""])
        return Export({PATH: text}, tuple(self.unsaid), {PATH: "0755"})

    def _line(self, command: str, indent: str = "") -> None:
        self.lines.append(f"{indent}{command} || failed=1")

    def _parameter(self, key: str, one: Desired) -> None:
        command = f"sysctl {'-e ' if one.optional else ''}-q -w {quote(f'{key}={one.value}')}"
        if exactly(one):
            self._line(command)
        elif re.fullmatch(r"-?\d+", str(one.value)):
            sign = "-ge" if one.kind == AT_LEAST else "-le"
            self.lines.append(f'[ "$(sysctl -n {quote(key)})" {sign} {one.value} ] ||')
            self._line(command, "  ")
        else:
            several = "a script cannot compare several numbers; write the values without at_least or at_most"
            self.cannot(f"{key} {one}", why_not(one) if one.kind == UNKNOWN else several)

    def _irqbalance(self) -> None:
        found = {_irqbalance(entry) for entry in self.desired.nics} - {""}
        verb = "enable --now" if "run" in found else "disable --now"
        self._line(f"systemctl {verb} irqbalance")

    def _entry(self, entry: Entry) -> None:
        loop = selectors.loop(entry)
        if loop is None:
            self.cannot_any(entry, selectors.refusal(entry))
            return
        opening, closing, nic = loop
        indent = "  " if opening else ""
        commands = [
            command for family, keys in entry.families.items() for command in self._family(entry, family, keys, nic)
        ]
        if not commands:
            return
        self.lines += ["", f"# {entry.selector}", *opening]
        for command in commands:
            if isinstance(command, list):
                self.lines += [f"{indent}{line}" for line in command]
            else:
                self._line(command, indent)
        self.lines += closing

    def _family(self, entry: Entry, name: str, keys: Mapping[str, Desired], nic: str) -> Iterator[Command]:
        if name in _DEVICE:
            for key, one in keys.items():
                self.cannot(named(entry, name, key, one), _DEVICE[name])
            return
        special = _SPECIAL.get(name)
        if special:
            yield from special(self, entry, keys, nic)
            return
        values = self._values(entry, name, keys)
        family = registry.FAMILIES[name]
        if not values:
            return
        whole = self._commands(name, values, nic)
        if not family.loose or len(values) == 1 or len(whole) > 1:
            yield from whole
            return
        # As at boot: all at once, or one by one where the device refuses one of them.
        each = [command for key in values for command in self._commands(name, {key: values[key]}, nic)]
        yield [f"{whole[0]} || {{", *(f"  {command} || failed=1" for command in each), "}"]

    @staticmethod
    def _commands(name: str, values: Mapping[str, Value], nic: str) -> List[str]:
        family = registry.FAMILIES[name]
        device = _NIC if nic.startswith("$") else nic
        cells = {key: Cell(None, where=f"/sys/class/net/{device}/{key}") for key in values}
        # A device that has no such setting has no most of it either, which is no failure.
        flag = "".join({_MAXIMUM[(name, key)][0] for key in values if str(values[key]).startswith(_MARK)})
        unless = all(str(value).startswith(_MARK) for value in values.values())
        guard = f"! ethtool {flag} {_device(nic)} > /dev/null 2>&1 || " if flag and unless else ""
        return [
            guard + _with_maximum(command, name, nic)
            for action in (family.boot or family.write)(device, values, cells)
            for command in _typed(action)
        ]

    def _values(self, entry: Entry, name: str, keys: Mapping[str, Desired]) -> Dict[str, Value]:
        """The values that a command can hold; the most of a device is put in by the script."""
        values: Dict[str, Value] = {}
        for key, one in keys.items():
            why = self._why(name, key, one, keys)
            if why:
                self.cannot(named(entry, name, key, one), why)
            elif one.kind == MAXIMUM:
                values[key] = f"{_MARK}{key}"
            else:
                values[key] = one.value
        return values

    def _why(self, name: str, key: str, one: Desired, keys: Mapping[str, Desired]) -> str:
        if one.kind == MAXIMUM and (name, key) in _MAXIMUM:
            return ""
        if not exactly(one) and one.kind != "absent":
            return why_not(one)
        if (name, key) in (("eee", "advertise"), ("speed", "advertise")):
            return _MODES
        if (name, key) == ("rss", "key") and one.value == "symmetric":
            return "only the host knows how long the key of the device is"
        autoneg = keys.get("autoneg", Desired(EXACTLY)).value
        if name == "speed" and key in ("speed", "duplex") and autoneg is not False:
            return _FIXED
        if name == "speed" and key == "autoneg" and autoneg is False and "speed" not in keys:
            return "a link without autoneg needs speed and duplex as well"
        return ""

    def qdisc(self, entry: Entry, keys: Mapping[str, Desired], nic: str) -> Iterator[Command]:
        """A root is one command; the leaves are as many as there are queues, and with a single one the root."""
        device = _device(nic)
        root, leaves = (str(keys[key].value) if key in keys else "" for key in ("root", "leaves"))
        for key, value in (("root", root), ("leaves", leaves)):
            if value == "default" or ";" in value:
                self.cannot(named(entry, "qdisc", key, keys[key]), "only the host knows what was there before")
                return
        if root and not leaves:
            handle = " handle 1:" if root == "mq" else ""
            yield f"tc qdisc replace dev {device} root{handle} {root}"
        elif leaves:
            yield [
                f"if [ -e /sys/class/net/{device}/queues/tx-1 ]; then",
                f"  tc qdisc replace dev {device} root handle 1: mq || failed=1",
                "  queue=0",
                f'  while [ -e /sys/class/net/{device}/queues/"tx-$queue" ]; do',
                "    queue=$((queue + 1))",
                f'    tc qdisc replace dev {device} parent "1:$(printf %x "$queue")" {leaves} || failed=1',
                "  done",
                "else",
                f"  tc qdisc replace dev {device} root {leaves} || failed=1",
                "fi",
            ]

    def sriov(self, entry: Entry, keys: Mapping[str, Desired], nic: str) -> Iterator[Command]:
        """One word for all functions is one for each of those that the same entry makes."""
        expand, count = registry.FAMILIES["sriov"].expand, keys.get("vfs")
        if not expand or not count or not exactly(count):
            for key, one in keys.items():
                why = why_not(one) if key == "vfs" else "only the host knows how many functions there are"
                self.cannot(named(entry, "sriov", key, one), why)
            return
        made = expand(nic, keys, {"vfs": Cell(0)}, {})
        for key, why in made.refused.items():
            self.cannot(named(entry, "sriov", key, keys[key]), why)
        yield from self._commands("sriov", {key: one.value for key, one in made.desired.items()}, nic)

    def routes(self, entry: Entry, keys: Mapping[str, Desired], nic: str) -> Iterator[Command]:
        """A route is changed where it is, whoever has made it; of NICs by a pattern not each has such a one."""
        device, each = _device(nic), nic.startswith("$")
        by_prefix: Dict[str, Dict[str, Value]] = {}
        for key, one in keys.items():
            prefix, _blank, metric = key.rpartition(" ")
            by_prefix.setdefault(prefix, {})[metric] = one.value
        for prefix, metrics in by_prefix.items():
            run = routes.change(_NIC if each else nic, prefix, metrics, 0 if each else routes.LOOKS)
            command = str(run)
            # The shell within does not know the variable.
            yield f"nic={device} {command.replace(quote(_NIC), '$nic')}" if each else command

    def irq(self, entry: Entry, keys: Mapping[str, Desired], nic: str) -> Iterator[Command]:
        """What each queue gets; whose interrupts are whose, only the host knows."""
        for key, one in keys.items():
            if key == "irqbalance":
                continue
            lines = queues.lines(key, str(one.value), _device(nic))
            if lines:
                yield lines
            else:
                self.cannot(named(entry, "irq", key, one), "only the host knows its interrupts and processors")


def _irqbalance(entry: Entry) -> str:
    keys = entry.families.get("irq", {})
    return str(keys["irqbalance"].value) if "irqbalance" in keys else ""


def _typed(action: Action) -> Sequence[str]:
    return plain(action) if isinstance(action, (Run, Poke)) else ()


def _device(nic: str) -> str:
    """The word for a NIC in a command."""
    return f'"{nic}"' if nic.startswith("$") else quote(nic)


def _with_maximum(command: str, family: str, nic: str) -> str:
    device = _device(nic)

    def ask(match: re.Match[str]) -> str:
        flag, label = _MAXIMUM[(family, match[1])]
        return f"\"$(ethtool {flag} {device} | awk '/^{label}:/ {{ print $NF; exit }}')\""

    return re.sub(rf"{_MARK}(\w+)", ask, command).replace(_NIC, device)


_SPECIAL: Mapping[str, Callable[[_Script, Entry, Mapping[str, Desired], str], Iterator[Command]]] = {
    "qdisc": _Script.qdisc,
    "irq": _Script.irq,
    "sriov": _Script.sriov,
    "routes": _Script.routes,
}


def write(desired: DesiredHost) -> Export:
    """The script for one host."""
    return _Script(desired).write()
