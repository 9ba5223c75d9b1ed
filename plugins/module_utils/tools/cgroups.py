# SPDX-License-Identifier: GPL-3.0-or-later
"""Read what the kernel counts of the group of processes that a container is."""

from __future__ import annotations

import re
from typing import Dict

# Of the group at the top that the reader sees, which in a container is its own; the second is that of version 1.
STATISTICS = ("/sys/fs/cgroup/cpu.stat", "/sys/fs/cgroup/cpu/cpu.stat")


def quota(text: str) -> Dict[str, int]:
    """Periods of the quota for processors, and those in which it was used up; empty where there is no quota."""
    found = {
        name: int(number) for name, number in re.findall(r"^nr_(periods|throttled) (\d{1,18})$", text, re.MULTILINE)
    }
    return found if found.get("periods") else {}
