# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather NICs that the configuration names and that are not there, as after a card has moved their buses."""

from __future__ import annotations

import re
from typing import Dict, List, Optional

from ..host import ReadOnlyHost
from ..schema import Query
from ..tools import ifupdown, networkd, sysfs
from .saying import said

# What udev and the kernel call hardware with a place of its own; an adapter at USB (enx, enu) comes and goes.
_HARDWARE = re.compile(r"(en[ops]|eth|em|wl[ops]|nic)\d\w*|p\d+p\d+")


def gather(host: ReadOnlyHost) -> Optional[List[Dict[str, str]]]:
    """Each with its name (`nic`), the `file`, and the bridge or bond that names it as a port (`above`).

    None where all are there. Also by another of its names a NIC is there.
    """
    found: Dict[str, Dict[str, str]] = {}
    for one in (*ifupdown.named(host), *networkd.named(host)):
        usual = bool(_HARDWARE.fullmatch(one.nic)) or (bool(one.above) and bool(re.fullmatch(r"en[ux]\w+", one.nic)))
        if usual and one.nic not in found and not sysfs.present(host, one.nic) and not _by_another_name(host, one.nic):
            found[one.nic] = {"nic": one.nic, "file": one.file, **({"above": one.above} if one.above else {})}
    return list(found.values()) or None


def _by_another_name(host: ReadOnlyHost, nic: str) -> bool:
    return bool(said(host, Query(("ip", "-o", "link", "show", "dev", nic))))
