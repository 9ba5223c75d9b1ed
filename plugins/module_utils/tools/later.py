# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak udev and systemd of NICs that come later: which names get a unit, and with which commands.

A drop-in of systemd cannot be about a pattern, so there is one unit for all such NICs. udev starts it for the names
that fit, and each of its commands looks at the name once more.
"""

from __future__ import annotations

import re
from typing import Dict, List, Sequence, Tuple

from ..schema import Action, Poke, Run
from . import conf, systemd

FOLDER = f"{systemd.FOLDER}/{systemd.LATER}.d"
_TEMPLATE = f"""{conf.HEADER}
[Unit]
Description=Network tuning of %I, which may come at any time
Documentation=man:ethtool(8) man:ip-link(8) man:tc(8)
ConditionPathExists=!{systemd.FOLDER}/linuxnet-tuning@%i.service.d
BindsTo=sys-subsystem-net-devices-%i.device
After=sys-subsystem-net-devices-%i.device linuxnet-tuning-guard.service
After=networking.service systemd-networkd.service NetworkManager.service tuned.service

[Service]
Type=oneshot
RemainAfterExit=yes
TimeoutStartSec=60
"""

# What stands for the name while commands are made; no kernel takes a name of that length.
PLACEHOLDER = "the_nic_that_comes_later"
# Of a name with other characters a shell could take a part for a command.
_STRANGE = "*[!A-Za-z0-9_.:@-]*"
# What udev and the shell read alike, and neither takes for anything else.
_PATTERN = re.compile(r"[A-Za-z0-9_.:*?!\[\]-]+")


def speakable(pattern: str) -> bool:
    """Whether a pattern means the same to udev and to a shell."""
    return bool(_PATTERN.fullmatch(pattern)) and not pattern.startswith("-")


def template() -> Dict[str, str]:
    """The unit, by its path."""
    return {f"{systemd.FOLDER}/{systemd.LATER}": _TEMPLATE}


def dropin(module: str) -> str:
    """The file with the commands of one module for NICs that come later."""
    return f"{FOLDER}/{10 * (1 + systemd.ORDER.index(module))}-{module}.conf"


def rules(module: str) -> str:
    """The file by which udev starts the unit; it comes after those that give a NIC its name."""
    return f"/etc/udev/rules.d/90-linuxnet-tuning-{module}.rules"


def render(parts: Sequence[Tuple[str, str, Sequence[str], Sequence[Action]]]) -> str:
    """A drop-in of (pattern, family, keys, actions), in the order in which they apply."""
    lines = [conf.HEADER, "[Service]"]
    for pattern, family, keys, actions in parts:
        lines.append(f"# {pattern} {family}: {', '.join(sorted(keys))}")
        lines += [_line(pattern, argv) for action in actions for argv in _words(action)]
    return "\n".join([*lines, ""])


def _words(action: Action) -> Sequence[Sequence[str]]:
    if isinstance(action, Run):
        return systemd.words(action)
    return [("/bin/sh", "-c", action.plain)] if isinstance(action, Poke) else []


def _line(pattern: str, argv: Sequence[str]) -> str:
    """A command for the names that fit; the name comes as systemd has it, with a percent sign that nobody doubles."""
    guard = f'case "$0" in {pattern}) exec "$@";; esac'
    words = ["/bin/sh", "-c", guard, PLACEHOLDER, *argv]
    return "ExecStart=-" + " ".join(map(systemd.quote, words)).replace(PLACEHOLDER, "%I")


def start(patterns: Sequence[str]) -> str:
    """The rules that start the unit. A NIC that is renamed has its new name in NAME, and others have none there."""
    names = "|".join(dict.fromkeys(patterns))
    unit = f'PROGRAM="/bin/systemd-escape --template={systemd.LATER} $name"'
    common = f'{unit}, TAG+="systemd", ENV{{SYSTEMD_WANTS}}+="%c"'
    which: List[str] = [f'NAME=="", KERNEL=="{names}", KERNEL!="{_STRANGE}"', f'NAME=="{names}", NAME!="{_STRANGE}"']
    lines = [f'SUBSYSTEM=="net", ACTION!="remove", KERNEL!="lo", {match}, {common}' for match in which]
    return "\n".join([conf.HEADER, *lines, ""])
