"""The disk image of the guests: Debian of one release, built once and kept until its recipe changes."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import apt
import kernel
from common import HERE, IMAGES, KEY, LabError, run, running_commands, say
from guests import Guest
from releases import Release

PACKAGES = (
    "dbus",
    "ethtool",
    "firewalld",
    "ifupdown",
    "iperf3",
    "iproute2",
    "iptables",
    "iputils-ping",
    "irqbalance",
    "kmod",
    "network-manager",
    "nftables",
    "openssh-server",
    "pciutils",
    "procps",
    "python3",
    "python3-apt",
    "systemd",
    "systemd-sysv",
    "tuned",
    "udev",
)
# Nobody waits for these, and under software emulation each costs seconds of the boot.
MASKED = (
    "apt-daily-upgrade.timer",
    "apt-daily.timer",
    "dev-hugepages.mount",
    "dev-mqueue.mount",
    "dpkg-db-backup.timer",
    "e2scrub_all.timer",
    "e2scrub_reap.service",
    "fstrim.timer",
    "getty@.service",
    "ifupdown-pre.service",
    "modprobe@.service",
    "proc-sys-fs-binfmt_misc.automount",
    "serial-getty@.service",
    "sys-fs-fuse-connections.mount",
    "sys-kernel-config.mount",
    "systemd-binfmt.service",
    "systemd-logind.service",
    "systemd-networkd-wait-online.service",
    "systemd-pstore.service",
    "systemd-sysusers.service",
    "systemd-update-utmp-runlevel.service",
    "systemd-update-utmp.service",
)
# What the disk of a guest does not need before it is mounted (udev alone takes as long as the kernel), and what makes
# units of fstab, crypttab and the like, which guests do not have: it runs at each boot and with each `daemon-reload`.
LEFT_OUT = (
    *(
        f"/usr/share/initramfs-tools/hooks/{name}"
        for name in ("dmsetup", "fsck", "keymap", "resume", "thermal", "udev")
    ),
    *(f"/usr/share/initramfs-tools/scripts/{step}/udev" for step in ("init-top", "init-bottom")),
    "/lib/systemd/system-generators/*",
    "/usr/lib/systemd/system-generators/*",
)
ENABLED = ("systemd-networkd.service", "lab-veth.service", "ssh.service")
# Installed for the tests that want them (a network manager, a firewall), and off until then.
DISABLED = (
    "NetworkManager-wait-online.service",
    "NetworkManager-dispatcher.service",
    "NetworkManager.service",
    "ModemManager.service",
    "firewalld.service",
    "iperf3.service",
    "irqbalance.service",
    "networking.service",
    "nftables.service",
    "tuned.service",
    "wpa_supplicant.service",
)
DISK_SIZE = "4G"
# Any valid one: an image without it would count every boot as the first. Each guest gets its own from the boot line.
MACHINE_ID = "11" * 16


@dataclass(frozen=True)
class Image:
    """A finished image; all of it lies in one folder."""

    folder: Path

    @classmethod
    def at(cls, folder: str) -> Image:
        """The image in this folder, which must be there."""
        image = cls(Path(folder))
        if not image.disk.exists():
            raise LabError(f"the image {folder} of this lab is gone; run 'down', then 'up'")
        return image

    @property
    def release(self) -> str:
        return self.folder.name.rpartition("-")[0]

    @property
    def disk(self) -> Path:
        return self.folder / "root.img"

    @property
    def tree(self) -> Path:
        """The same files as a folder, for containers."""
        return self.folder / "root"

    @property
    def kernel(self) -> Path:
        return self.folder / "vmlinux"

    @property
    def initrd(self) -> Path:
        return self.folder / "initrd.img"

    @property
    def host_key(self) -> str:
        """The public SSH host key that all guests of this image answer with."""
        kind, key = (self.folder / "ssh_host_ed25519_key.pub").read_text().split()[:2]
        return f"{kind} {key}"


def lock(release: Release) -> Path:
    """What is held while the image of a release is built; others go on meanwhile."""
    return IMAGES / f"{release.name}.lock"


def ensure(guests: list[Guest], release: Release) -> Image:
    """The image for these guests, built now if there is none yet."""
    _ensure_key()
    overlay = _overlay(guests)
    image = Image(IMAGES / f"{release.name}-{_recipe_hash(release, overlay)}")
    if image.folder.exists():
        say(f"image {image.folder.name} is in the cache")
        return image
    say(f"building image {image.folder.name}, once; this takes a minute or two")
    IMAGES.mkdir(parents=True, exist_ok=True)
    for leftover in IMAGES.glob(f".build-{release.name}.*"):
        remove(leftover)
    work = Path(tempfile.mkdtemp(prefix=f".build-{release.name}.", dir=IMAGES))
    work.chmod(0o755)
    _bootstrap(release, overlay, work)
    _make_disk(work)
    work.rename(image.folder)
    prune(keep=image)
    size = image.disk.stat().st_blocks * 512 // 2**20
    say(f"image built ({size} MiB): {image.folder}")
    return image


def prune(keep: Image) -> None:
    """Remove the images of earlier recipes of the same release on which nothing runs."""
    commands = running_commands()
    for folder in [path for path in IMAGES.iterdir() if path.is_dir()]:
        if folder == keep.folder or folder.name.rpartition("-")[0] != keep.release:
            continue
        if not any(str(folder) in command for command in commands):
            remove(folder)


def _ensure_key() -> None:
    if not KEY.exists():
        KEY.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "linuxnet-lab", "-f", KEY])


def _overlay(guests: list[Guest]) -> bytes:
    """A tar archive of our own files for the image; the same input gives the same bytes."""
    files = HERE / "files"
    content = {
        path.relative_to(files).as_posix(): (path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)
        for path in files.rglob("*")
        if path.is_file()
    }
    authorized = KEY.with_suffix(".pub").read_bytes()
    content["root/.ssh/authorized_keys"] = (authorized, 0o600)
    content["etc/lab/addresses"] = (_addresses(guests).encode(), 0o644)
    for guest in guests:
        for nic in guest.nics:
            link = f"[Match]\nPermanentMACAddress={nic.mac}\nDriver={nic.driver}\n\n[Link]\nName={nic.name}\n"
            content[f"etc/systemd/network/10-{guest.name}-{nic.name}.link"] = (link.encode(), 0o644)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, (data, mode) in sorted(content.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(data), mode
            archive.addfile(member, io.BytesIO(data))
        for name in _test_nics(guests):
            member = tarfile.TarInfo(
                f"etc/systemd/system/sys-subsystem-net-devices-{name}.device.wants/lab-link@{name}.service"
            )
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/systemd/system/lab-link@.service"
            archive.addfile(member)
    return buffer.getvalue()


def _addresses(guests: list[Guest]) -> str:
    return "".join(f"{guest.name} {nic.name} {nic.address}\n" for guest in guests for nic in guest.nics if nic.address)


def _test_nics(guests: list[Guest]) -> list[str]:
    return sorted({nic.name for guest in guests for nic in guest.test_nics})


def _recipe_hash(release: Release, overlay: bytes) -> str:
    recipe = json.dumps([asdict(release), PACKAGES, MASKED, LEFT_OUT, ENABLED, DISABLED, DISK_SIZE, MACHINE_ID])
    digest = hashlib.sha256(recipe.encode())
    digest.update(overlay)
    for program in ("image.py", "kernel.py"):
        digest.update((HERE / program).read_bytes())
    return digest.hexdigest()[:12]


def _bootstrap(release: Release, overlay: bytes, work: Path) -> None:
    """Install Debian into an archive; all hooks use the image's own programs, the host may lack them."""
    (work / "overlay.tar").write_bytes(overlay)
    enable = f'chroot "$1" systemctl enable {" ".join(ENABLED)}'
    # Not every release has every unit, so one at a time, and a missing one is fine.
    disable = f'for unit in {" ".join(DISABLED)}; do chroot "$1" systemctl disable $unit || true; done'
    mask = f'chroot "$1" systemctl mask {" ".join(MASKED)}'
    argv = [
        "mmdebstrap",
        "--variant=apt",
        "--format=tar",
        f"--include={','.join((*PACKAGES, *release.packages, release.kernel))}",
        *(f"--aptopt={option}" for option in apt.acquire_options()),
        "--dpkgopt=force-confold",
        "--dpkgopt=path-exclude=/usr/share/doc/*",
        "--dpkgopt=path-exclude=/usr/share/locale/*",
        "--dpkgopt=path-exclude=/usr/share/man/*",
        *(f"--dpkgopt=path-exclude={path}" for path in LEFT_OUT),
        f"--essential-hook=tar-in {work}/overlay.tar /",
        f"--customize-hook={enable}",
        f"--customize-hook={disable}",
        f"--customize-hook={mask}",
        release.suite,
        f"{work}/root.tar",
        "-",
    ]
    run(argv, stdin=apt.sources(release.suites), log=IMAGES / f"mmdebstrap-{release.name}.log")


def _make_disk(work: Path) -> None:
    """Turn the archive into an ext4 disk, and take out what QEMU and ssh need to have beside it."""
    root = work / "root"
    root.mkdir()
    script = f"""set -eu
        # The kernel fills /dev by itself, and only the real root could make these nodes.
        tar --numeric-owner --xattrs --extract --exclude='./dev/*' --file {work}/root.tar --directory {root}
        echo {MACHINE_ID} > {root}/etc/machine-id
        rm -f {root}/etc/hostname {root}/etc/resolv.conf  # those of the host
        cp --dereference {root}/vmlinuz {work}/vmlinuz
        cp --dereference {root}/initrd.img {work}/initrd.img
        cp {root}/etc/ssh/ssh_host_ed25519_key.pub {work}/
        chmod a+r {work}/vmlinuz {work}/initrd.img
        mke2fs -q -t ext4 -L root -E lazy_itable_init=0,lazy_journal_init=0 -d {root} {work}/root.img {DISK_SIZE}
        rm -r {work}/root.tar {work}/overlay.tar
    """
    run([*_as_root(), "sh", "-c", script])
    kernel.unpack(work / "vmlinuz", work / "vmlinux")


def _as_root() -> list[str]:
    """The owners of the files in the image need a user that may set them; a user namespace will do."""
    return [] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--map-auto"]


def remove(folder: Path) -> None:
    if folder.is_dir():
        run([*_as_root(), "rm", "-r", folder])
