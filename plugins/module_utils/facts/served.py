# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather what servers of files set for their connections themselves."""

from __future__ import annotations

from typing import Dict, Optional

from ..host import ReadOnlyHost
from ..tools import samba, services


def samba_buffers(host: ReadOnlyHost) -> Optional[Dict[str, int]]:
    """The buffers in bytes that Samba sets, by the names of the options; None where it does not run or sets none.

    Clients have its file as well, from a package that they share with the server.
    """
    runs = any(services.runs(host, unit) for unit in samba.SERVICES) or any(map(host.exists, samba.PIDS))
    return (samba.buffers(host.read(samba.CONFIGURATION) or "") or None) if runs else None
