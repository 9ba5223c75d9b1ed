"""The Debian packages that the host needs, and the apt sources that the image is built from.

No address is written here: all of them come from the machine's own apt configuration.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from common import LabError, run, say

PACKAGES = ("e2fsprogs", "iproute2", "mmdebstrap", "openssh-client", "systemd-container", "tar", "uidmap")
# All QEMU packages must come from one release.
QEMU_PACKAGES = ("qemu-system-x86", "qemu-utils")
LOCK_PATIENCE = 600  # seconds that another apt may take
QEMU_LEAST = 8  # the first QEMU with the igb NIC
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def codename() -> str:
    """The name of the Debian release that this machine runs."""
    release = platform.freedesktop_os_release()
    if release.get("ID") != "debian" or "VERSION_CODENAME" not in release:
        raise LabError(f"the lab needs a Debian host; this is {release.get('PRETTY_NAME', 'unknown')}")
    return release["VERSION_CODENAME"]


def sources(suites: Sequence[str]) -> str:
    """Lines for sources.list: suites of any Debian release, from where this machine has those of its own release."""
    own = codename()
    listing = run(["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Created-By: Packages"])
    addresses = dict(line.split() for line in listing.splitlines() if len(line.split()) == 2)
    if own not in addresses:
        raise LabError(f"the apt sources of this machine do not list the suite '{own}'")
    signed = f"[signed-by={KEYRING}] " if KEYRING.exists() else ""
    lines = []
    for suite in suites:
        kind = "-security" if suite.endswith("-security") else ""
        # A machine without updates or security fixes of its own has none for its guests either.
        if address := addresses.get(own + kind):
            lines.append(f"deb {signed}{address} {suite} main\n")
    return "".join(lines)


def acquire_options() -> list[str]:
    """The machine's own proxy and date settings of apt, to be used for the image as well."""
    pattern = re.compile(r"Acquire::(https?\b|Check-)")
    return [line for line in run(["apt-config", "dump"]).splitlines() if pattern.match(line) and '""' not in line]


def qemu_version() -> int:
    """Major version of the installed QEMU, 0 if there is none."""
    if not shutil.which("qemu-system-x86_64"):
        return 0
    found = re.search(r"version (\d+)", run(["qemu-system-x86_64", "--version"]))
    return int(found[1]) if found else 0


def install() -> None:
    """Install what is missing; the machine's apt sources stay as they are, also when this fails."""
    missing = [name for name in PACKAGES if not _installed(name)]
    if not missing and _qemu_is_there():
        say(f"all packages are here (QEMU {qemu_version()})")
        return
    _apt("update")
    if missing:
        say(f"installing {' '.join(missing)}")
        _apt("install", "--no-install-recommends", *missing)
    if not _qemu_is_there():
        _install_qemu()
    if qemu_version() < QEMU_LEAST:
        raise LabError(f"QEMU {QEMU_LEAST} or newer is needed, apt gave {qemu_version() or 'none'}")
    say(f"all packages are installed (QEMU {qemu_version()})")


def _qemu_is_there() -> bool:
    return qemu_version() >= QEMU_LEAST and shutil.which("qemu-img") is not None


def _install_qemu() -> None:
    policy = run(["apt-cache", "policy", QEMU_PACKAGES[0]])
    candidate = re.search(r"Candidate: (?:\d+:)?(\d+)", policy)
    if candidate and int(candidate[1]) >= QEMU_LEAST:
        say(f"installing QEMU {candidate[1]}")
        _apt("install", "--no-install-recommends", *QEMU_PACKAGES)
        return
    release = codename()
    say(f"this release has no QEMU {QEMU_LEAST}; installing it from {release}-backports")
    _install_from_backports(release)


def _install_from_backports(release: str) -> None:
    """Use apt with sources and package lists of its own, in a folder that is gone afterwards."""
    lines = sources((release, f"{release}-updates", f"{release}-security", f"{release}-backports"))
    with tempfile.TemporaryDirectory(prefix="linuxnet-lab-apt-") as folder:
        private = Path(folder)
        private.chmod(0o755)  # apt reads as the user _apt
        (private / "lists" / "partial").mkdir(parents=True)
        (private / "parts").mkdir()
        (private / "sources.list").write_text(lines)
        options = (
            f"Dir::Etc::SourceList={private}/sources.list",
            f"Dir::Etc::SourceParts={private}/parts",
            f"Dir::State::Lists={private}/lists",
            f"Dir::Cache::pkgcache={private}/pkgcache.bin",
            f"Dir::Cache::srcpkgcache={private}/srcpkgcache.bin",
        )
        _apt("update", options=options)
        _apt(
            "install",
            "--no-install-recommends",
            f"--target-release={release}-backports",
            *QEMU_PACKAGES,
            options=options,
        )


def _installed(package: str) -> bool:
    query = ["dpkg-query", "--show", "--showformat", "${db:Status-Status}", package]
    return subprocess.run(query, capture_output=True, text=True, check=False).stdout == "installed"


def _apt(command: str, *words: str, options: tuple[str, ...] = ()) -> None:
    settings = [word for option in (f"DPkg::Lock::Timeout={LOCK_PATIENCE}", *options) for word in ("-o", option)]
    become = [] if os.geteuid() == 0 else ["sudo"]
    argv = [*become, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y", *settings, command, *words]
    deadline = time.monotonic() + LOCK_PATIENCE
    while True:
        try:
            run(argv)
            return
        except LabError as error:
            # apt waits for the lock of dpkg as it is told, but not for that of the package lists.
            if "Could not get lock" not in str(error) or time.monotonic() > deadline:
                raise
        say("another program holds apt's lock; waiting for it")
        time.sleep(3)
