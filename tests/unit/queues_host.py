# SPDX-License-Identifier: GPL-3.0-or-later
"""The host with a clock whose channels take along: the kernel's files of each queue, and numbers of coalescing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ansible_collections.linuxnet.tuning.tests.unit.devices import igb
from ansible_collections.linuxnet.tuning.tests.unit.shell_host import ShellHost

QUEUES = "/sys/class/net/igb0/queues"
# A queue as the kernel makes it.
FRESH = {"rx": {"rps_cpus": "00000000", "rps_flow_cnt": "0"}, "tx": {"xps_cpus": "00000000"}}


class QueuesHost(ShellHost):
    """With a driver of igb0 that works out `anew` with each other number of channels."""

    def __init__(self, folder: Path, makers=None, files=None, anew: Mapping[str, int] | None = None) -> None:
        super().__init__(folder, makers or {"igb0": igb}, {"/sys/devices/system/cpu/online": "0-3\n", **(files or {})})
        self.anew = anew or {"rx-usecs": 3}
        self._make_queues()

    def _ethtool(self, argv):
        before = dict(self.devices["igb0"].channels)
        answer = super()._ethtool(argv)
        if self.devices["igb0"].channels != before:
            self.devices["igb0"].coalesce.update(self.anew)
            self._make_queues()
        return answer

    def _make_queues(self) -> None:
        """A queue that goes takes its files along, and a new one has those of the kernel."""
        kept = {path: text for path, text in self.files.items() if path.startswith(QUEUES)}
        self.files = {path: text for path, text in self.files.items() if path not in kept}
        for way, fresh in FRESH.items():
            for number in range(self.devices["igb0"].channels["combined"]):
                paths = {f"{QUEUES}/{way}-{number}/{name}": text for name, text in fresh.items()}
                self.files.update({path: kept.get(path, text) for path, text in paths.items()})
