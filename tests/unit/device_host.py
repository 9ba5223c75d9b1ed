# SPDX-License-Identifier: GPL-3.0-or-later
"""The host in memory with devices (devices.py): its NICs are those, and each command is carried out by one of them."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Run
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import sysfs, systemd
from ansible_collections.linuxnet.tuning.tests.unit.devices import Device, Result
from ansible_collections.linuxnet.tuning.tests.unit.memory_host import Files, MemoryHost


class DeviceHost(MemoryHost):
    """Devices by NIC name, beside the files. `log` has all that was set and saved, by a call or by the script."""

    def __init__(self, devices: Mapping[str, Device], files: Mapping[str, str] | None = None) -> None:
        programs = {"ip": self._ip, "systemctl": self._systemctl, "systemd-run": lambda _argv: (0, "", "")}
        programs["modinfo"] = lambda argv: (1, "", f"modinfo: ERROR: Module {argv[-1]} not found.")
        super().__init__(lambda argv, _data: programs.get(argv[0], self._ethtool)(argv), Files(files))
        self.devices = dict(devices)
        self.log: list[str] = []
        # Not of the devices: it is gone with an MTU below 1280, and comes back without what somebody had set.
        self.addresses = {nic: {"fd00::1/64"} for nic in devices}

    def _ethtool(self, argv: list[str]) -> Result:
        program, flag, *words = argv
        assert program == "ethtool", argv
        if not flag.startswith("-"):
            flag, words = "", [flag, *words]
        nic, *words = words
        if nic not in self.devices:
            return 1, "", "netlink error: No such device\n"
        if not words:
            return self.devices[nic].show(flag) if flag else self.devices[nic].show_settings(nic)
        self.log.append(" ".join(argv))
        return self.devices[nic].set(flag, dict(zip(words[::2], words[1::2], strict=True)))

    def _ip(self, argv: list[str]) -> Result:
        if argv[:-1] == ("ip", "-d", "-j", "link", "show", "dev"):
            return self.devices[argv[-1]].show_link(argv[-1])
        if argv[1] == "-6":
            return self._ipv6(argv)
        assert argv[:4] == ("ip", "link", "set", "dev"), argv
        self.log.append(" ".join(argv))
        words = argv[5:]
        done = self.devices[argv[4]].set_link(dict(zip(words[::2], words[1::2], strict=True)))
        if self.devices[argv[4]].link["mtu"] < 1280:
            self.addresses[argv[4]].clear()
        return done

    def _ipv6(self, argv: list[str]) -> Result:
        nic = argv[-1]
        if argv[2:5] == ("-o", "address", "show"):
            lasting = "scope global \\       valid_lft forever preferred_lft forever"
            return 0, "".join(f"2: {nic}    inet6 {one} {lasting}\n" for one in sorted(self.addresses[nic])), ""
        if argv[2:4] == ("route", "show"):
            return 0, "", ""
        assert argv[2:4] == ("address", "replace"), argv
        self.log.append(" ".join(argv))
        if self.devices[nic].link["mtu"] < 1280:
            return 2, "", "RTNETLINK answers: Permission denied\n"
        self.addresses[nic].add(argv[4])
        return 0, "", ""

    def _systemctl(self, argv: list[str]) -> Result:
        """The link by which a unit of ours starts with its device; it lies among the files, so that none is missed."""
        if argv[1] in ("enable", "disable") and argv[-1].startswith("linuxnet-tuning@"):
            link = systemd.wants_link(systemd.nic_of(f"/{argv[-1]}"))
            self.files.pop(link, None)
            self.files.update({link: systemd.TEMPLATE} if argv[1] == "enable" else {})
        return 0, "", ""

    def read(self, path: str, most: int = 0) -> str | None:
        return "1" if path.endswith("/carrier") else super().read(path, most)

    def names(self, path: str) -> list[str]:
        return sorted(self.devices) if path == sysfs.ROOT else super().names(path)

    def exists(self, path: str) -> bool:
        return (path.startswith(f"{sysfs.ROOT}/") and path.split("/")[4] in self.devices) or super().exists(path)

    def target(self, path: str) -> str:
        if not path.startswith("/sys/"):
            return self.files.get(path, "")
        return self.devices[path.split("/")[4]].driver if path.endswith("/device/driver") else ""

    def do(self, action) -> str:
        self.log += [] if isinstance(action, Run) else [str(action)]
        return super().do(action)
