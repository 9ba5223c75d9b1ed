# SPDX-License-Identifier: GPL-3.0-or-later
"""Know commands whose program is spelt wrong, which a shell would not find."""

from __future__ import annotations

import re

from ..calls import foreign, programs

_COMMAND = re.compile(r"(?:sudo\s+)?([a-z][a-z_-]{4,10})\s+(?:--?[A-Za-z]\S*(?:\s+\S+)*|(?:net|vm|kernel|fs)\.\S+=.*)")
# The option without the blank before it.
_GLUED = re.compile(r"(?:sudo\s+)?(ethtool|sysctl|nmcli|modprobe|tc|ip)(-[A-Za-z]|--[a-z][\w-]+)(?:\s+\S+)+")
# A call of somebody's own program or function that is about the queues or interrupts of a NIC.
_OF_SOMEBODY = re.compile(
    r"(?:sudo\s+)?([a-z]\w*_(?=\w*(?:irqs?|affinity|cores?|cpus?|queues?|rps|xps|ring|offload))\w+)"
    r"(?=.*[\s\"'](?:eth|en[opsx]|em|ib|wlan|bond)\w*\d)(?:\s+[\"']?[\w$.:,/-]+[\"']?){1,5}"
)


def of_a_program(text: str) -> str:
    """What is wrong with the name of the program of a command; empty where nothing is."""
    plain = text.strip().strip("`")
    glued = _GLUED.fullmatch(plain)
    if glued:
        return f"'{glued[1]}{glued[2]}' is no program; did you mean '{glued[1]} {glued[2]}'?"
    own = _OF_SOMEBODY.fullmatch(plain)
    if own and own[1] not in programs.PROGRAMS:
        return f"'{own[1]}' is an unknown program"
    command = _COMMAND.fullmatch(plain)
    name = command[1] if command else ""
    known = not name or any(name in names for names in (programs.PROGRAMS, foreign.OTHERS, foreign.HARMLESS))
    return "" if known else programs.meant(name)
