# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the processors of single queues as lines of a shell: rps_cpus, xps_cpus, rps_flow_cnt."""

from __future__ import annotations

import re
from typing import Dict, List, Sequence

from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import cpus, placing

_EACH, _EVERY = "each ", "*"
_QUEUES = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?")
_FILES = {"rps": "rx-{}/rps_cpus", "xps": "tx-{}/xps_cpus", "rps_flow_cnt": "rx-{}/rps_flow_cnt"}


def lines(key: str, text: str, device: str) -> List[str]:
    """The lines that write what an inventory says of the queues of a NIC; none where only the host can work it out."""
    if key not in _FILES:
        return []
    path = f"/sys/class/net/{device}/queues/{_FILES[key]}"
    if placing.named(text):
        found = _by_number(text)
        every = found.pop(_EVERY, None)
        each = [f"echo {mask} > {path.format(queue)} || failed=1" for queue, mask in found.items()]
        return [*(_same(every, path) if every else []), *each]
    texts = _in_turn(key, text)
    if not texts:
        return []
    return _same(texts[0], path) if len(texts) == 1 else _each(texts, path)


def _same(text: str, path: str) -> List[str]:
    return [f"for file in {path.format('*')}; do", f'  echo {text} > "$file" || failed=1', "done"]


def _each(texts: Sequence[str], path: str) -> List[str]:
    """One after the other, and again from the first where there are more queues."""
    file = path.format("$queue")
    return [
        "queue=0",
        f"while [ -e {file} ]; do",
        f"  case $((queue % {len(texts)})) in",
        *(f"    {index}) value={text} ;;" for index, text in enumerate(texts)),
        "  esac",
        f'  echo "$value" > {file} || failed=1',
        "  queue=$((queue + 1))",
        "done",
    ]


def _by_number(text: str) -> Dict[str, str]:
    """The mask of each queue that a dictionary names; the first one that means it counts, as for the modules."""
    found: Dict[str, str] = {}
    for rule in text.split("; "):
        queues, _equals, value = rule.rpartition("=")
        match = _QUEUES.fullmatch(queues)
        names = range(int(match[1]), int(match[2] or match[1]) + 1) if match else (_EVERY,)
        for name in names:
            if _EVERY not in found:
                found.setdefault(str(name), _mask(value))
    return found


def _in_turn(key: str, text: str) -> List[str]:
    """What the queues get one after the other."""
    words = text.replace(_EACH, "", 1).split()
    if key == "rps_flow_cnt":
        return words if all(word.isdecimal() for word in words) else []
    if not all(word == cpus.NONE or re.fullmatch(r"[0-9,-]+", word) for word in words):
        return []
    if key == "xps" and len(words) == 1 and not text.startswith(_EACH) and text != cpus.NONE:
        # A list is dealt to the queues, one processor for each.
        words = [str(one) for one in cpus.parse_list(text)]
    return [_mask(word) for word in words]


def _mask(text: str) -> str:
    return "0" if text == cpus.NONE else cpus.format_mask(cpus.parse_list(text))
