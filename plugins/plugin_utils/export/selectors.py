# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the NICs that an entry means as lines of a POSIX shell."""

from __future__ import annotations

import re
from typing import List, Mapping, Optional, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.text import quote

from .model import Entry

# What tells the value of a NIC whose folder is "$path"; patterns of the inventory are patterns of `case` as well.
_ASK: Mapping[str, str] = {
    "driver": '"$(basename "$(readlink "$path/device/driver")")"',
    "mac": '"$(cat "$path/address")"',
    "pci": '"$(sed s/^0x// "$path/device/vendor"):$(sed s/^0x// "$path/device/device")"',
    "bus": '"$(basename "$(readlink "$path/device")")"',
}
# A set in brackets is one for `case` only where it is not quoted, as it is by its characters here.
_SIGN = re.compile(r"([*?]|\[[\w.:!-]+\])")


def loop(entry: Entry) -> Optional[Tuple[List[str], List[str], str]]:
    """(lines before, lines after, the word for the NIC); None where only an answer of a device would tell."""
    if entry.name and not re.search(r"[*?\[]", entry.name):
        return [], [], entry.name
    if any(key not in _ASK for key, _value in entry.match):
        return None
    pattern = entry.name or "*"
    if not re.fullmatch(r"[\w.:*?\[\]!^-]+", pattern):
        return None
    lines = [f"for path in /sys/class/net/{pattern}; do", "  nic=${path##*/}"]
    # A pattern that fits nothing stays as it is, and no pattern means lo, as in the modules.
    lines += ['  [ -e "$path" ] || continue', '  [ "$nic" = lo ] && continue'] if entry.name else []
    lines += [] if entry.name else ['  [ -e "$path/device" ] || continue']
    for key, value in entry.match:
        if (key, value) == ("driver", "*"):
            continue
        patterns = (
            f"{_pattern(value.lower())}|0000:{_pattern(value.lower())}" if key == "bus" else _pattern(value.lower())
        )
        lines.append(f"  case {_ASK[key]} in {patterns}) ;; *) continue ;; esac")
    return lines, ["done"], "$nic"


def refusal(entry: Entry) -> str:
    """Why `loop` knows no lines for an entry."""
    unknown = [key for key, _value in entry.match if key not in _ASK]
    return f"a script cannot select NICs by {' and '.join(unknown) or 'this pattern'}"


def _pattern(text: str) -> str:
    """A pattern of the inventory as one of `case`: what is none of its signs is quoted."""
    return "".join(part if _SIGN.fullmatch(part) else quote(part) for part in _SIGN.split(text) if part)
