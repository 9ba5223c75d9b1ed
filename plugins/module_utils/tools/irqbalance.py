# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak irqbalance: a policy script that keeps it from the interrupts of some devices, and the service itself."""

from __future__ import annotations

import re
from typing import Sequence, Tuple

from ..schema import Reader, Run

SERVICE = "irqbalance.service"
SCRIPT = "/etc/linuxnet-tuning/irqbalance-policy"
DROP_IN = f"/etc/systemd/system/{SERVICE}.d/90-linuxnet-tuning.conf"
_NOTE = "# Written by the Ansible collection linuxnet.tuning, changes by hand will be lost."

# Where administrators put arguments of irqbalance: Debian and SUSE, Red Hat.
_ARGUMENTS = ("/etc/default/irqbalance", "/etc/sysconfig/irqbalance")

# irqbalance asks for each interrupt it discovers, so numbers that a driver gives anew need no new script. A device is
# found by its address: the service may run without sight of /sys/class/net, and it calls some interrupts by no device.
_TEXT = """#!/bin/sh
{note}
# irqbalance calls it with a device and the number of an interrupt; these PCI devices are left alone.
for device in {devices}; do
  folder=/sys/bus/pci/devices/$device
  if [ -e "$folder/msi_irqs" ]; then
    [ ! -e "$folder/msi_irqs/$2" ] || echo ban=true
  elif [ -e "$folder/irq" ]; then
    [ "$(cat "$folder/irq")" != "$2" ] || echo ban=true
  fi
done
exit 0
"""

# The last policy script that is named counts, and none of the arguments that are there already gets lost.
DROP_IN_TEXT = f"""{_NOTE}
[Service]
ExecStart=
ExecStart=/usr/sbin/irqbalance --foreground $IRQBALANCE_ARGS --policyscript={SCRIPT}
"""


def script(devices: Sequence[str]) -> str:
    """The policy script that leaves PCI devices alone."""
    return _TEXT.format(note=_NOTE, devices=" ".join(sorted(devices)))


def banned(host: Reader) -> Tuple[str, ...]:
    """The PCI devices that irqbalance leaves alone by our script; none where it is not told of the script."""
    found = re.search(r"^for device in (.*); do$", host.read(SCRIPT) or "", re.MULTILINE)
    return tuple(found.group(1).split()) if found and host.read(DROP_IN) == DROP_IN_TEXT else ()


def foreign_policy(host: Reader) -> str:
    """The file that names a policy script of somebody else; empty if none does."""
    pattern = r"^[^#\n]*(--policyscript|\s-l\b|[\"'=]-l\b)"
    return next((path for path in _ARGUMENTS if re.search(pattern, host.read(path) or "", re.MULTILINE)), "")


def take_up(reload: bool) -> Tuple[Run, ...]:
    """A running irqbalance takes up a changed script; one that does not run stays off."""
    again = Run(("systemctl", "try-restart", SERVICE))
    return (Run(("systemctl", "daemon-reload")), again) if reload else (again,)
