"""One container's life, from outside: its namespaces, its NICs, its boots. Run by container.py, ended by a kill.

It is process 1 of a process namespace, so that all of the container ends with it, whatever ends it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import namespaces

REBOOT = 133  # what systemd-nspawn ends with when the container has asked for a reboot
# What is set by these files belongs to the whole machine, not to a container.
SHARED = ("vm", "fs", "kernel", "dev", "debug")
# systemd looks for udev's socket as it starts, and without it never hears of a device.
INIT = f"""
for part in {" ".join(SHARED)}; do
    [ -d /proc/sys/$part ] || continue
    mount --rbind /proc/sys/$part /proc/sys/$part && mount -o remount,ro,bind /proc/sys/$part
done
mkdir -p /run/udev && : > /run/udev/control
exec /sbin/init
"""
# Only NICs belong to the container; the other devices are those of the machine, which must not hear of this.
TRIGGER = "[Service]\nExecStart=\nExecStart=-udevadm trigger --action=add --subsystem-match=net\n"


def main() -> int:
    """Boot the container that the plan on standard input describes, again and again while it reboots."""
    wires = int(sys.argv[2])  # an open descriptor of the namespace of the switch
    plan = json.loads(sys.stdin.read())
    folder = Path(plan["folder"])
    namespaces.mount("tmpfs", "/run/systemd", "tmpfs")  # systemd-nspawn looks there for a systemd that it could ask
    root = folder / "root"
    layers = f"lowerdir={plan['tree']},upperdir={folder / 'upper'},workdir={folder / 'work'}"
    namespaces.mount("overlay", str(root), "overlay", layers)
    drop_in = root / "etc/systemd/system/systemd-udev-trigger.service.d/lab.conf"
    drop_in.parent.mkdir(parents=True, exist_ok=True)
    drop_in.write_text(TRIGGER)
    while True:
        namespaces.new_network()
        _make_nics(plan["nics"], wires)
        if _boot(plan["name"], plan["uuid"], root) != REBOOT:
            return 1


def _make_nics(nics: list[dict[str, str]], wires: int) -> None:
    """The container's NICs, each a veth whose other end is a port of the switch whose namespace is `wires`."""
    there = f"/proc/self/fd/{wires}"
    with namespaces.inside(there):
        # The kernel takes its time to remove the NICs of the boot before; their ports would be in our way.
        for nic in nics:
            subprocess.run(["ip", "link", "delete", nic["port"]], stderr=subprocess.DEVNULL, check=False)
    _ip(
        "link add {name} address {mac} numtxqueues {queues} numrxqueues {queues} "
        "type veth peer name {port} mtu 9600 netns " + there,
        nics,
        wires,
    )
    with namespaces.inside(there):
        _ip("link set {port} up", nics)
        _ip("link set {port} master {link}", [nic for nic in nics if nic["link"]])


def _ip(line: str, nics: list[dict[str, str]], *keep: int) -> None:
    """Carry out a line of ip for each NIC."""
    lines = "\n".join(line.format(**nic) for nic in nics)
    subprocess.run(["ip", "-batch", "-"], input=lines, text=True, check=True, pass_fds=keep)


def _boot(name: str, uuid: str, root: Path) -> int:
    argv = [
        "systemd-nspawn",
        *("--quiet", "--register=no", "--keep-unit", "--console=read-only"),
        *("--capability=CAP_NET_ADMIN", f"--network-namespace-path=/proc/{os.getpid()}/ns/net"),
        *(f"--hostname={name}", f"--uuid={uuid}", f"--directory={root}"),
        *("/bin/sh", "-c", INIT),
    ]
    environment = {
        "PATH": os.environ["PATH"],
        "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "1",
        "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1",
    }
    container = subprocess.Popen(argv, env=environment)
    while True:
        ended, status = os.wait()  # whatever else ends here has lost its parent
        if ended == container.pid:
            return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
