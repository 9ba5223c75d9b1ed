"""Sees to it that the Debian packages are there, without starting or installing an SSH server on the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

# command: package. The hosts see the machine's own programs, so what they need is needed here.
COMMANDS = {
    "ip": "iproute2",
    "ethtool": "ethtool",
    "sysctl": "procps",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
    "nsenter": "util-linux",
}
SSH_SERVER = Path("usr/sbin/sshd")
LOCK_PATIENCE = 600  # seconds that another apt may take


class MissingError(Exception):
    """Something is missing that the person has to provide or to agree to."""


def provide(layer: Path, *, install: bool) -> None:
    """Check the commands; where the machine has no SSH server, unpack one into layer."""
    if not shutil.which("ansible-playbook"):
        raise MissingError('ansible-playbook is not on the PATH; in this checkout: eval "$(make -s env)"')
    missing = sorted({package for command, package in COMMANDS.items() if not shutil.which(command)})
    unpack = not (Path("/") / SSH_SERVER).exists()
    if (missing or unpack) and not install:
        names = [*missing, *(["openssh-server"] if unpack else [])]
        raise MissingError(
            f"missing Debian packages: {' '.join(names)}. Install them, or add --install (which unpacks "
            "openssh-server for the benchmark's hosts only and starts nothing on this machine)."
        )
    if missing or unpack:
        _apt("-qq", "update")
    if missing:
        _apt("-qq", "-y", "--no-install-recommends", "install", *missing)
    if unpack:
        _unpack_ssh_server(layer)


def _unpack_ssh_server(layer: Path) -> None:
    archives = layer / "archives"
    (archives / "partial").mkdir(parents=True)
    _apt(
        "-qq", "-y", "--no-install-recommends", "--download-only",
        "-o", "APT::Sandbox::User=root", "-o", f"Dir::Cache::archives={archives}", "install", "openssh-server",
    )  # fmt: skip
    for archive in archives.glob("*.deb"):
        files = subprocess.run(["dpkg-deb", "--fsys-tarfile", archive], check=True, stdout=subprocess.PIPE).stdout
        # Only /usr: a folder /lib or /sbin in a layer would hide the links of that name in Debian's root.
        subprocess.run(["tar", "--extract", "--directory", layer, "./usr"], check=True, input=files)
    shutil.rmtree(archives)


def _apt(*arguments: str) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    argv = ["apt-get", "-o", f"DPkg::Lock::Timeout={LOCK_PATIENCE}", *arguments]
    deadline = time.monotonic() + LOCK_PATIENCE
    while True:
        result = subprocess.run(
            argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        if not result.returncode:
            return
        # apt waits for the lock of dpkg as it is told, but not for that of the package lists.
        if "Could not get lock" not in result.stdout or time.monotonic() > deadline:
            raise MissingError(f"apt-get {' '.join(arguments)} failed:\n{result.stdout}")
        time.sleep(3)
