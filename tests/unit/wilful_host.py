# SPDX-License-Identifier: GPL-3.0-or-later
"""The host with queues whose commands take still more along, and one of which goes wrong somewhere in a call."""

from __future__ import annotations

import copy
from pathlib import Path

from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import clocks, guard, memory, stack
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Answer, HangsError, Poke, Run
from ansible_collections.linuxnet.tuning.tests.unit.devices import Device, e1000e, igb
from ansible_collections.linuxnet.tuning.tests.unit.queues_host import QueuesHost
from ansible_collections.linuxnet.tuning.tests.unit.shell_host import Killed

SOMAXCONN = "/proc/sys/net/core/somaxconn"
CONF = "/proc/sys/net/ipv4/conf"
VLAN = "igb0.5"
INNER = "igb0.5.7"  # on that VLAN
FILES = {
    SOMAXCONN: "4096",
    **{f"{CONF}/{name}/forwarding": "0" for name in ("all", "default", "igb0", "e1000e0")},
    f"/sys/class/net/igb0/upper_{VLAN}": "",
    f"/sys/class/net/{VLAN}/lower_igb0": "",
    f"/sys/class/net/{VLAN}/upper_{INNER}": "",
    f"/sys/class/net/{INNER}/lower_{VLAN}": "",
}
BUSY = "Device or resource busy"
# What is ours, and about no value of the host.
GUARD = (
    stack.FOLDER,
    memory.FOLDER,
    guard.UNIT,
    "linuxnet-tuning-guard",
    clocks.REVERT.unit,
    clocks.WINDOW.unit,
    "systemctl daemon-reload",
)


def vlan() -> Device:
    """A VLAN of igb0."""
    return Device("8021q")


class TakingHost(QueuesHost):
    """With a VLAN that shrinks with igb0, one that shrinks with that, and keys that stand for all NICs."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, {"igb0": igb, VLAN: vlan, INNER: vlan, "e1000e0": e1000e}, FILES)

    def _ip(self, argv):
        before = {name: device.link["mtu"] for name, device in self.devices.items()}
        answer = super()._ip(argv)
        for lower, name in (("igb0", VLAN), (VLAN, INNER)):
            upper, most = self.devices[name].link, self.devices[lower].link["mtu"]
            if upper["mtu"] > most:
                if argv[4] == name:
                    upper["mtu"] = before[name]
                    return 2, "", "RTNETLINK answers: Numerical result out of range\n"
                upper["mtu"] = most
                if most < 1280:
                    self.addresses[name].clear()
        return answer

    def do(self, action) -> str:
        complaint = super().do(action)
        if isinstance(action, Poke) and not complaint:
            self._spread(action.path)
        return complaint

    def _is_written(self, words) -> None:
        super()._is_written(words)
        if words[0] == "sysctl":
            self._spread(f"/proc/sys/{words[-1].partition('=')[0].replace('.', '/')}")

    def _spread(self, path: str) -> None:
        if path == f"{CONF}/all/forwarding":
            everywhere = [name for name in self.files if name.startswith(f"{CONF}/")]
            self.files.update(dict.fromkeys(everywhere, self.files[path]))


class WilfulHost(TakingHost):
    """`fault` is what becomes of the action number `at`; one of those before it, or a
    command, may be held fast from then on."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.breaks("")

    def breaks(self, fault: str, at: int = 0, held: int | str = -1) -> None:
        """Begin a call in which something goes wrong; without a fault nothing does."""
        self.fault, self.at, self.held = fault, at, held
        self.before: list = []
        # How many lines of the log there were when it happened; what is not to be undone; and how often it cannot look.
        self.happened, self._fast, self._deaf, self.layers = -1, "", 0, 0

    def raw(self):
        """Everything the host holds, not by our parsers."""
        rows = {name: {k: v for k, v in vars(one).items() if not callable(v)} for name, one in self.devices.items()}
        files = {path: text for path, text in self.files.items() if not path.startswith(GUARD[:3])}
        return copy.deepcopy((rows, self.addresses, files))

    def armed(self):
        """What waits, and what is noted: the table with its clocks, and the originals."""
        return self.files.get(stack.TABLE), dict(self.clocks), self.files.get(memory.BASELINE)

    def do(self, action) -> str:
        if not self.fault or any(word in str(action) for word in GUARD):
            return super().do(action)
        if self.happened >= 0:
            return BUSY if _what(action) == self._fast else super().do(action)
        if len(self.before) < self.at:
            self.before.append(action)
            return super().do(action)
        return self._goes_wrong(action)

    def _goes_wrong(self, action) -> str:
        self.happened = len(self.log)
        self.layers = len(stack.read(self))
        if isinstance(self.held, str):
            self._fast = self.held
        elif self.before and self.held >= 0:
            self._fast = _what(self.before[self.held % len(self.before)])
        if self.fault == "is stopped":
            raise Killed
        if self.fault == "is busy":
            return BUSY
        if self.fault == "takes a part" and isinstance(action, Run) and action.argv[0] in ("ip", "ethtool"):
            super().do(action._replace(argv=action.argv[: len(_what(action).split()) + 2]))
            return BUSY
        if self.fault in ("hangs once", "hangs for good"):
            self._deaf = 1 if self.fault == "hangs once" else 1000
            return super().do(action)
        return ""

    def _run(self, argv, lines=(), seconds=5):
        if argv[0] == "ping":
            self.happened = len(self.log)
            return Answer(1, "", "")
        reads = (argv[0] == "ethtool" and len(argv) < 4) or argv[:2] == ("ip", "-d")
        if self._deaf > 0 and reads:
            self._deaf -= 1
            raise HangsError(f"`{' '.join(argv)}` did not end within {seconds} s")
        return super()._run(argv, lines, seconds)


def _what(action) -> str:
    """What an action is about: one kind of command for one NIC, or one file."""
    if not isinstance(action, Run):
        return action.path
    return " ".join(action.argv[: 5 if action.argv[0] == "ip" else 3])
