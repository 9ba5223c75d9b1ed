# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the lines of a guide that show in how many ways a script of a vendor is called, of which a host runs one."""

from __future__ import annotations

import re
from typing import Dict, List, Sequence, Set, Tuple

from ..calls import affinity
from ..model import CONDITIONAL, Line

_CALL = re.compile(rf"(?:^|[\s`/])(?:{'|'.join(affinity.OF_VENDORS)})(?:\.sh)?\s+([^`|;&#]+)")
_NIC = re.compile(
    r"[a-z]+\d[\w.-]*|\$\{?\w+\}?|<[\w -]+>|\[?(?:interface|iface|nic|netdev|devname)\w*\]?", re.IGNORECASE
)
_SEVERAL = 3
_WHY = "the text shows several ways to call the script; write the one that is to hold"


def left_out(lines: Sequence[Line]) -> Dict[int, Tuple[str, str]]:
    """By line, why it is not taken, where three ways or more are for the same NIC."""
    ways: Dict[str, Set[str]] = {}
    nics: Dict[int, List[str]] = {}
    for number, text in lines:
        found = _CALL.search(text)
        words = found[1].split() if found else []
        nics[number] = [word for word in words if _NIC.fullmatch(word)]
        for nic in nics[number]:
            ways.setdefault(nic, set()).add(" ".join(words))
    several = {nic for nic, said in ways.items() if len(said) >= _SEVERAL}
    return {number: (CONDITIONAL, _WHY) for number, named in nics.items() if several & set(named)}
