"""The Debian releases that guests can have, as data; the kernel of one may come from its backports."""

from __future__ import annotations

import os
from dataclasses import dataclass

from common import LabError


@dataclass(frozen=True)
class Release:
    """One choice of `up --release`."""

    name: str
    suite: str
    backports: bool = False
    packages: tuple[str, ...] = ()  # beside those of all

    @property
    def kernel(self) -> str:
        """The kernel's package in apt's words."""
        return f"linux-image-amd64/{self.suite}-backports" if self.backports else "linux-image-amd64"

    @property
    def suites(self) -> tuple[str, ...]:
        """The suites to install from; the first one must be there."""
        more = (f"{self.suite}-backports",) if self.backports else ()
        return (self.suite, f"{self.suite}-updates", f"{self.suite}-security", *more)


RELEASES = {
    release.name: release
    for release in (
        # A Debian that an installer has made has /bin and /usr/bin in one; here it takes a package.
        Release("bullseye", "bullseye", packages=("usrmerge",)),
        Release("bookworm", "bookworm"),
        Release("trixie", "trixie"),
        # Its kernel would bring dracut, which leaves out what only the guest has: the driver of its disk.
        Release("trixie-backports", "trixie", backports=True, packages=("initramfs-tools",)),
    )
}
DEFAULT = "bookworm"


def chosen(name: str = "") -> Release:
    """The release of this name, else that of the variable LAB_RELEASE, else the default."""
    name = name or os.environ.get("LAB_RELEASE") or DEFAULT
    if name not in RELEASES:
        raise LabError(f"there is no release '{name}'; the lab has {', '.join(RELEASES)}")
    return RELEASES[name]


if __name__ == "__main__":
    print("\n".join(RELEASES))
