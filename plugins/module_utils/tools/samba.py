# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak smb.conf: which sizes of buffers Samba sets for its connections."""

from __future__ import annotations

import re
from typing import Dict

CONFIGURATION = "/etc/samba/smb.conf"
SERVICES = ("smbd.service", "smb.service", "samba.service", "samba-ad-dc.service")
# What it leaves where there is no systemd, by Debian and by Red Hat.
PIDS = ("/run/samba/smbd.pid", "/run/smbd.pid")

_BUFFERS = ("SO_RCVBUF", "SO_SNDBUF")


def buffers(text: str) -> Dict[str, int]:
    """Those of `socket options` in bytes; the last line counts, which may go on behind a backslash."""
    found: Dict[str, int] = {}
    for line in re.sub(r"\\\n", " ", text).splitlines():
        # Samba takes its names in any case, and with any blanks.
        match = re.match(r"\s*socket\s*options\s*=(.*)", line, re.IGNORECASE)
        if match:
            sizes = re.findall(r"\b(SO_RCVBUF|SO_SNDBUF)\s*=\s*(\d{1,10})\b", match[1], re.IGNORECASE)
            found = {name.upper(): int(size) for name, size in sizes}
    return {name: found[name] for name in _BUFFERS if name in found}
