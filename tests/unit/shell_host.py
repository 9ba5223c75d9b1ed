# SPDX-License-Identifier: GPL-3.0-or-later
"""The host with devices and a clock: the guard's script runs in a real shell, calls are killed, and the power fails."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import memory, stack
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back.script import RUN_TEXT
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Answer, Run
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import systemd
from ansible_collections.linuxnet.tuning.tests.unit.device_host import DeviceHost

# The trees that the script works on; below a folder of the test they stand for the host's.
TREES = ("/var/lib/linuxnet-tuning", "/run/linuxnet-tuning", "/etc/", "/proc/sys/")
PROGRAMS = ("sh", "ip", "ethtool", "sysctl", "systemctl", "logger", "pkill", "tc")
WINDOW = "linuxnet-tuning-window"
RECORD = """#!/bin/sh
words=${0##*/}
for word; do words="$words	$word"; done
echo "$words" >> LOG
! grep -qxF -e "$*" REFUSED 2> /dev/null
"""


class Killed(BaseException):
    """The end of a call by force: nothing of it runs any more."""


class ShellHost(DeviceHost):
    """Its services wait for seconds of `now`; `told` is what the script says, and `ran` what it has done to devices."""

    def __init__(self, folder: Path, makers, files=None) -> None:
        super().__init__(
            {name: maker() for name, maker in makers.items()}, {"/run/systemd/system": "", **(files or {})}
        )
        self.makers = makers
        self.folder = folder
        self.now = 1000
        self.clocks: dict[str, int] = {}
        self.fuse = -1
        self.told = ""
        self.refused: list[str] = []
        self.lost: list[str] = []
        self.ran: list[str] = []
        (folder / "bin").mkdir(parents=True, exist_ok=True)
        for program in PROGRAMS:
            text = RECORD.replace("LOG", str(folder / "log")).replace("REFUSED", str(folder / "refused"))
            (folder / "bin" / program).write_text(text)
            (folder / "bin" / program).chmod(0o755)

    def uptime(self) -> int:
        return self.now

    def exists(self, path: str) -> bool:
        """systemd has a file for each unit that systemd-run has made."""
        if path.startswith("/run/systemd/transient/"):
            return path.rpartition("/")[2].removesuffix(".service") in self.clocks
        return super().exists(path)

    def do(self, action) -> str:
        """Carry out an action, unless the call was killed by then."""
        if self.fuse == 0:
            raise Killed
        self.fuse -= 1
        if isinstance(action, Run) and action.argv[:2] == ("/bin/sh", stack.RUN):
            self.script(*action.argv[2:])
            return ""
        return super().do(action)

    def _run(self, argv, lines=(), seconds=5):
        if argv[0] == "systemd-run":
            unit = next(word.partition("=")[2] for word in argv if word.startswith("--unit="))
            assert unit not in self.clocks, "a unit of this name runs"
            self.clocks[unit] = int(argv[-1])
        elif argv[:2] == ("systemctl", "is-active"):
            return Answer(0, "active\n" if argv[2].removesuffix(".service") in self.clocks else "inactive\n", "")
        elif argv[:2] == ("systemctl", "stop"):
            self.clocks.pop(argv[2].removesuffix(".service"), None)
        return super()._run(argv, lines, seconds)

    def passes(self, seconds: int) -> None:
        """Let time go by, with all that happens in it."""
        end = self.now + seconds
        while due := sorted((at, unit) for unit in self.clocks for at in self._looks(unit) if at <= end):
            self.now, unit = max(self.now, due[0][0]), due[0][1]
            self.script("window" if unit == WINDOW else "wait", str(self.clocks[unit]))
            self.clocks[unit] = 0
            if not self._looks(unit):
                del self.clocks[unit]
        self.now = end

    def _looks(self, unit: str) -> list[int]:
        """When a service will do something next; it sees the table."""
        there = stack.read(self)
        ends = [layer.end if unit == WINDOW else layer.waits for layer in there]
        ends = [min(filter(None, ends)) if unit == WINDOW else [at for at in ends if at][-1]] if any(ends) else []
        return ends or [self.clocks[unit]] * bool(self.clocks[unit])

    def reboots(self) -> None:
        """Drivers begin anew; the script sets files, then each NIC gets what stands in its drop-ins."""
        self.fuse = -1
        self.clocks, self.now = {}, 10
        self.devices = {name: maker() for name, maker in self.makers.items()}
        if self.files.get(stack.RUN):
            self.script("boot")
        for path in systemd.dropins(self):
            for line in self.files[path].splitlines():
                if line.startswith("ExecStart=-"):
                    self._shell(line[11:])

    def script(self, *words: str) -> None:
        """Run the script on the files of this host."""
        text = self.files.get(stack.RUN)
        if text is None:
            return
        text = text.replace("/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin", "BIN:/usr/bin:/bin")
        text = text.replace("timeout -k 5 10 ", "").replace("cut -d. -f1 /proc/uptime", f"echo {self.now}")
        text = text.replace('sleep "$((left < 5 ? left : 5))"', "exit 0").replace("  sync\n", "")
        self._shell(f"/bin/sh {stack.RUN} {' '.join(words)}", text)

    def _shell(self, line: str, script: str = "") -> None:
        mine = {p: t for p, t in self.files.items() if p.startswith(TREES) and ".device.wants/" not in p}
        mine.update({stack.RUN: script} if script else {})
        for path, text in mine.items():
            (self.folder / path[1:]).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path[1:]).write_text(self._moved(text).replace("BIN", f"{self.folder}/bin"))
        for name, text in (("log", ""), ("refused", "\n".join(self.refused))):
            (self.folder / name).write_text(text)
        environment = {**os.environ, "PATH": f"{self.folder}/bin:/usr/bin:/bin"}
        done = subprocess.run(
            ["/bin/sh", "-c", self._moved(line)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0 or not script, done
        assert not done.stderr, done.stderr
        self.told += done.stdout.replace(str(self.folder), "")
        for path in [path for path in self.files if path in mine]:
            del self.files[path]
        for tree in TREES:
            for path in (self.folder / tree.strip("/")).rglob("*"):
                if path.is_file():
                    name = f"/{path.relative_to(self.folder)}"
                    if not name.startswith("/run/"):
                        self.files[name] = path.read_text().replace(str(self.folder), "")
                    path.unlink()
        if script:
            self.files[stack.RUN] = RUN_TEXT
        for text in (self.folder / "log").read_text().splitlines():
            self._happens(text.split("\t"))

    def _moved(self, text: str) -> str:
        return re.sub(rf"(?<![\w.])({'|'.join(TREES)})", rf"{self.folder}\1", text)

    def _happens(self, words: list[str]) -> None:
        """What a program of the script does to the devices."""
        # What the script only asks has no answer here: the devices learn of its commands when it has ended.
        if " ".join(words[1:]) in self.refused or words[1:4] == ["-o", "link", "show"]:
            return
        self.ran += [" ".join(words)] if words[0] in ("ip", "ethtool") else []
        if words[0] in ("ip", "ethtool") or words[:2] in (["systemctl", "enable"], ["systemctl", "disable"]):
            self._runner(tuple(words), "")
        elif words[0] == "sh":
            self.ran.append(words[2].replace(str(self.folder), ""))
            self._is_written(shlex.split(self.ran[-1]))

    def _is_written(self, words: list[str]) -> None:
        """A file of the kernel, which is there or not, and may have the value already."""
        words = words[words.index("||") + 1 :] if "||" in words else words
        if words[0] == "sysctl":
            key, _equals, text = words[-1].partition("=")
            path = f"/proc/sys/{key.replace('.', '/')}"
        else:
            _echo, text, _into, path = words
        self.lost += [] if path in self.files else [path]
        self.files.update({path: text} if path in self.files else {})

    def originals(self) -> dict[tuple[str, str], object]:
        """What the notes have of (NIC, key)."""
        text = self.files.get(memory.BASELINE)
        return {(row["nic"], row["key"]): row["value"] for row in json.loads(text)["values"]} if text else {}
