# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the metrics of `ip route add` and the like; the route itself belongs to the network manager."""

from __future__ import annotations

import re
from typing import Dict, List

from ansible_collections.linuxnet.tuning.plugins.module_utils.tools.routes import METRICS

from .. import masks
from ..keys.settings import Guide
from ..model import NOTE, ON_HOST

VERBS = ("add", "a", "change", "chg", "replace", "repl", "append", "prepend")
_DEFAULT = (("default_route", "true"),)


def read(guide: Guide, line: int, words: List[str], six: bool) -> bool:
    """Note the metrics of a route; false where it has none."""
    found = _metrics(words)
    if not found:
        return False
    prefix = next((word for word in words if word not in ("to", "unicast")), "")
    nic = words[words.index("dev") + 1] if "dev" in words[:-1] else ""
    default = prefix in ("default", "0/0", "0.0.0.0/0", "::/0")
    if not masks.known(prefix) or not (default or re.match(r"[0-9A-Fa-f.:]+(/\d+)?$", prefix)) or not (nic or default):
        said = " ".join(f"{name} {masks.shown(value)}" for name, value in found.items())
        text = (
            f"{said}: which route that is, is known on the host only; write it under routes of the NIC, by its prefix"
        )
        guide.sink.remark(line, ON_HOST, text)
        return True
    if default:
        prefix = "::/0" if six or ":" in prefix else "default"
    elif "/" not in prefix:
        prefix = f"{prefix}/{128 if ':' in prefix else 32}"
    for name, value in found.items():
        guide.nic(line, nic, "routes", f"{prefix} {name}", value, () if nic else _DEFAULT)
    guide.sink.remark(line, NOTE, "the route itself stays a matter of the network manager, which has to make it")
    return True


def own(guide: Guide, line: int, text: str) -> bool:
    """Note what the commands of our own are about, that look a route up by themselves; false for any others."""
    found = re.search(
        r"ip (-[46]) -o route show exact (\S+) \| nic=(\S+) awk .* route change \$\{r:\?[^}]*\} ?(.*)", text
    )
    if not found:
        return False
    return read(guide, line, [found[2], "dev", found[3], *found[4].split()], found[1] == "-6")


def _metrics(words: List[str]) -> Dict[str, str]:
    """The metrics in words of the inventory."""
    found: Dict[str, str] = {}
    for index, word in enumerate(words[:-1]):
        if word not in METRICS:
            continue
        lock = words[index + 1] == "lock"
        value = " ".join(words[index + 1 : index + 2 + lock])
        if word == "quickack":
            value = {"1": "on", "0": "off"}.get(value, value)
        elif word == "rto_min":
            seconds = re.fullmatch(r"(\d+(?:\.\d+)?)(m?s)?", value)
            value = str(round(float(seconds[1]) * (1000 if seconds[2] == "s" else 1))) if seconds else value
        found[word] = value if word == "mtu" else value.replace("lock ", "")
    return found
