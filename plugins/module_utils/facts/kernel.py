# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather what the host is: kernel, distribution, processors, memory, and whether it forwards packets."""

from __future__ import annotations

import re
from typing import Any, Dict

from ..host import ReadOnlyHost
from ..tools import cpus, hypervisors, interrupts, kmod, processes, sysctl, sysfs

# What kubelet and k3s leave on a node of theirs.
_KUBERNETES = ("/var/lib/kubelet/config.yaml", "/etc/kubernetes/kubelet.conf", "/var/lib/rancher/k3s/agent")


def gather(host: ReadOnlyHost) -> Dict[str, Any]:
    """Facts about the host as a whole."""
    name = re.search(r'^PRETTY_NAME="?([^"\n]*)', host.read("/etc/os-release") or "", re.MULTILINE)
    memory = re.search(r"^MemTotal:\s*(\d{1,15}) kB", host.read("/proc/meminfo") or "", re.MULTILINE)
    uptime = re.match(r"(\d{1,10})\b", host.read("/proc/uptime") or "")
    online = interrupts.online(host)
    above = hypervisors.above(host)
    return {
        "release": sysfs.text(host, sysctl.path("kernel.osrelease")),
        "system": name[1] if name else "",
        "cpus": cpus.format_list(online),
        "cpu_count": len(online),
        "uptime": int(uptime[1]) if uptime else None,
        "memory_kib": int(memory[1]) if memory else None,
        # As Amazon says it; newer instances are not Xen's, and have ena in any case.
        **({"ec2": True} if sysfs.text(host, "/sys/hypervisor/uuid").startswith("ec2") else {}),
        **({"guest_of": above} if above else {}),
        # Both have parameters, so that they have a folder also where they are built in.
        **(_virtual(host) if host.exists(f"{kmod.ROOT}/kvm") else {}),
        **({"kubernetes": True} if any(map(host.exists, _KUBERNETES)) else {}),
        **({"no_msi": True} if kmod.forbids_messages(host) else {}),
        "forwards_ipv4": sysfs.text(host, sysctl.path("net.ipv4.ip_forward")) == "1",
        "forwards_ipv6": sysfs.text(host, sysctl.path("net.ipv6.conf.all.forwarding")) == "1",
    }


def _virtual(host: ReadOnlyHost) -> Dict[str, bool]:
    """Whether the kernel helps with the packets of guests, and if not, whether any of them is one of QEMU."""
    helps = host.exists(f"{kmod.ROOT}/vhost_net")
    # Each host with KVM has the module, so most have neither guests nor taps.
    taps = not helps and any(host.exists(f"{sysfs.ROOT}/{nic}/tun_flags") for nic in host.names(sysfs.ROOT))
    pids = [pid for pid in host.names(processes.ROOT) if pid.isdecimal()] if taps else []
    names = (sysfs.text(host, f"{processes.ROOT}/{pid}/comm") for pid in pids)
    qemu = any(re.fullmatch(r"qemu-(system|kvm).*|kvm", name) for name in names)
    return {"kvm": True, "vhost_net": helps, **({"qemu": True} if qemu else {})}
