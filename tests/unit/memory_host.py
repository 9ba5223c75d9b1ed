# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for host.py: files, links and folders in dictionaries, and a log of everything that is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ansible_collections.linuxnet.tuning.plugins.module_utils.host import Host, ReadOnlyHost
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Poke, Run, plain
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


class Memory:
    """Reads from Files, logs every command and never waits."""

    def __init__(self, runner: Runner, files: Files) -> None:
        super().__init__(runner)
        self.disk = files
        self.commands: list[list[str]] = []
        self.done: list[str] = []

    def read(self, path: str, most: int = 0) -> str | None:
        return self.disk.files.get(path)

    def names(self, path: str) -> list[str]:
        paths = [*self.disk.files, *self.disk.links]
        return sorted({name[len(path) + 1 :].split("/")[0] for name in paths if name.startswith(f"{path}/")})

    def exists(self, path: str) -> bool:
        return path in self.disk.files or path in self.disk.links or bool(self.names(path))

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
        return path if path in self.disk.files else name

    def clock(self) -> str:
        return "2026-05-04 08:00:00 UTC"

    def uptime(self) -> int:
        return 1000

    def wait_until(self, happened: Callable[[], bool], seconds: float) -> bool:
        return happened()

    def _run(self, argv, lines=(), seconds=5):
        self.commands.append(list(argv))
        return super()._run(argv, lines, seconds)


class MemoryReader(Memory, ReadOnlyHost):
    """What check mode gets: it has no way to write."""


class MemoryHost(Memory, Host):
    """Also writes, into Files."""

    def hold(self, path: str, seconds: float, folder_at_work: str = "") -> str:
        return self.disk.refused.get(path, "")

    def do(self, action) -> str:
        self.done += plain(action)
        if isinstance(action, Run):
            return super().do(action)
        path = action.path
        if path in self.disk.refused:
            return self.disk.refused[path]
        if isinstance(action, Poke) and path not in self.disk.files:
            return "No such file or directory"
        if action.text is None:
            self.disk.files.pop(path, None)
        else:
            self.disk.files[path] = self.disk.kernel.get(path, {}).get(action.text, action.text)
            for other, text in self.disk.together.get(path, {}).get(action.text, {}).items():
                self.disk.files.pop(other, None) if text is None else self.disk.files.update({other: text})
        return ""


def connect(files: Files, runner: Runner, check_mode: bool) -> Memory:
    """The same choice as host.connect()."""
    return MemoryReader(runner, files) if check_mode else MemoryHost(runner, files)
