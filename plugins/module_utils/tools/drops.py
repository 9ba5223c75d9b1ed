# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak tracefs: for which reasons the kernel drops packets (`skb:kfree_skb`, which tells them since Linux 5.17).

It traces in an instance of its own, which no other tracer sees. A process in a session of its own removes that once its
time is over, whatever becomes of the call in between; what the kernel keeps of it is gone with the instance.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Tuple

ROOTS = ("/sys/kernel/tracing", "/sys/kernel/debug/tracing")
EVENT = "events/skb/kfree_skb"

# The last drops of each processor are enough to count; their number is known beyond that.
_KIB = 128

_BEGIN = f"""
i="$1/instances/linuxnet-tuning-$$"
mkdir "$i" || exit 1
setsid sh -c 'sleep "$1"; echo 0 >"$2/{EVENT}/enable"; rmdir "$2"' sh "$2" "$i" </dev/null >/dev/null 2>&1 &
echo {_KIB} >"$i/buffer_size_kb"
echo 1 >"$i/{EVENT}/enable" && echo "$i"
"""

_END = f"""
echo 0 >"$1/{EVENT}/enable" || exit 1
sed -n '/^entries:/p; /^overrun:/p' "$1"/per_cpu/cpu*/stats
sed -n 's/.* reason: \\([A-Za-z0-9_]*\\).*/reason \\1/p' "$1/trace" | sort | uniq -c
rmdir "$1"
"""


def begin(root: str, seconds: int) -> Tuple[str, ...]:
    """The command that begins to trace and prints where; it ends by itself after these seconds."""
    return ("sh", "-c", _BEGIN, "sh", root, str(seconds))


def end(instance: str) -> Tuple[str, ...]:
    """The command that ends it and prints what was seen."""
    return ("sh", "-c", _END, "sh", instance)


def parse(text: str) -> Dict[str, Any]:
    """Parse that: drops by reason, most first. Where the buffer was too small, they are counted up to all that were."""
    seen = [int(number) for number in re.findall(r"^(?:entries|overrun): (\d{1,18})$", text, re.MULTILINE)]
    rows = re.findall(r"^\s*(\d{1,18}) reason (\w{1,64})$", text, re.MULTILINE)
    kept = sum(int(number) for number, _reason in rows)
    whole = max(kept, sum(seen))
    counted = {reason: int(number) * whole // kept for number, reason in rows if kept}
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))
