# SPDX-License-Identifier: GPL-3.0-or-later
"""The one host that stands in for host.py: files, links and folders in dictionaries, and a log of all that is done.

What its programs answer is up to a test, or to one of the layers that build on it: devices (device_host.py), time and a
real shell (shell_host.py), channels that take along (queues_host.py), an action that goes wrong (wilful_host.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ansible_collections.linuxnet.tuning.plugins.module_utils.host import Host, ReadOnlyHost
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Poke, Run, Save, plain
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import sysfs

Runner = Callable[[list[str], str], tuple[int, str, str]]


class Files:
    """The paths of one machine. Links hold the last part of their target, which is all that Host tells of them."""

    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        self.files = dict(files or {})
        self.links: dict[str, str] = {}
        self.rights: dict[str, tuple[int, int]] = {}
        self.refused: dict[str, str] = {}
        self.readable_only: set[str] = set()
        self.kernel: dict[str, dict[str, str]] = {}
        self.together: dict[str, dict[str, dict[str, str]]] = {}

    def add_nic(
        self,
        name: str,
        driver: str = "",
        pci: str = "",
        bus: str = "",
        mac: str = "",
        carrier: int = 1,
        queues: int = 0,
    ) -> None:
        """A folder of /sys/class/net; without a bus address it is a virtual NIC."""
        base = f"{sysfs.ROOT}/{name}"
        self.files.update(
            {f"{base}/ifindex": "1\n", f"{base}/address": f"{mac}\n", sysfs.carrier_path(name): f"{carrier}\n"}
        )
        self.files.update({f"{base}/queues/tx-{number}/xps_cpus": "0\n" for number in range(queues)})
        if bus:
            virtio = bus.startswith("virtio")
            parent = f"{base}/device/.." if virtio else f"{base}/device"
            vendor, _colon, device = pci.partition(":")
            self.files.update({f"{parent}/vendor": f"0x{vendor}\n", f"{parent}/device": f"0x{device}\n"})
            self.links.update({f"{base}/device": bus, f"{base}/device/driver": driver})
            self.links[f"{base}/device/subsystem"] = "virtio" if virtio else "pci"

    def remove_nic(self, name: str) -> None:
        """Unplug it."""
        for paths in (self.files, self.links):
            for path in [path for path in paths if path.startswith(f"{sysfs.ROOT}/{name}/")]:
                del paths[path]


class MemoryHost(Host):
    """Reads and writes Files, logs every command and action, and never waits. `runner` answers for the programs."""

    def __init__(self, runner: Runner, disk: Files) -> None:
        super().__init__(runner)
        self.disk = disk
        self.commands: list[list[str]] = []
        self.done: list[str] = []

    @property
    def files(self) -> dict[str, str]:
        """The texts by path; who replaces them as a whole replaces them for all who look at this host."""
        return self.disk.files

    @files.setter
    def files(self, files: Mapping[str, str]) -> None:
        self.disk.files = dict(files)

    def read(self, path: str, most: int = 0) -> str | None:
        text = self.files.get(path)
        return text if text is None else text.replace("\r\n", "\n").replace("\r", "\n")

    def exact(self, path: str) -> str | None:
        return self.files.get(path)

    def names(self, path: str) -> list[str]:
        paths = [*self.files, *self.disk.links]
        return sorted({name[len(path) + 1 :].split("/")[0] for name in paths if name.startswith(f"{path}/")})

    def exists(self, path: str) -> bool:
        return path in self.files or path in self.disk.links or bool(self.names(path))

    def plain(self, path: str) -> bool:
        return path not in self.disk.links

    def rights(self, path: str) -> tuple[int, int]:
        return self.disk.rights.get(path, (0o644, 0))

    def writable(self, path: str) -> bool:
        return path not in self.disk.readable_only

    def target(self, path: str) -> str:
        return self.disk.links.get(path, "")

    def program(self, name: str) -> str:
        path = f"/usr/sbin/{name}"
        return path if path in self.files else name

    def clock(self) -> str:
        return "2026-05-04 08:00:00 UTC"

    def uptime(self) -> int:
        return 1000

    def wait_until(self, happened: Callable[[], bool], seconds: float) -> bool:
        return happened()

    def _run(self, argv, lines=(), seconds=5):
        self.commands.append(list(argv))
        return super()._run(argv, lines, seconds)

    def hold(self, path: str, seconds: float, folder_at_work: str = "") -> str:
        return self.disk.refused.get(path, "")

    def do(self, action) -> str:
        if getattr(action, "lazy", False) and self.files.get(action.path, "").strip() == action.text:
            return ""
        self.done += plain(action)
        if isinstance(action, Run):
            return super().do(action)
        path = action.path
        if path in self.disk.refused:
            return self.disk.refused[path]
        if isinstance(action, Poke) and path not in self.files:
            return "No such file or directory"
        if action.text is None:
            self.files.pop(path, None)
        else:
            self.files[path] = self.disk.kernel.get(path, {}).get(action.text, action.text)
            if isinstance(action, Save):
                self.disk.rights[path] = (action.mode, self.rights(path)[1])
            for other, text in self.disk.together.get(path, {}).get(action.text, {}).items():
                self.files.pop(other, None) if text is None else self.files.update({other: text})
        return ""


class Reader(ReadOnlyHost):
    """What check mode gets: it sees all that a host in memory sees, whatever its layers, and has no way to write."""

    def __init__(self, host: MemoryHost) -> None:
        super().__init__(host._runner)
        self.disk, self.commands, self.done = host.disk, host.commands, host.done
        for name in vars(ReadOnlyHost):
            if not name.startswith("__") and name != "_at_work":
                setattr(self, name, getattr(host, name))
        assert not hasattr(self, "do")


def connect(files: Files, runner: Runner, check_mode: bool) -> MemoryHost | Reader:
    """The same choice as host.connect()."""
    host = MemoryHost(runner, files)
    return Reader(host) if check_mode else host
