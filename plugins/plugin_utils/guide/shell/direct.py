# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what only a shell understands in a command that udev, systemd or Ansible runs without one."""

from __future__ import annotations

import re

_WORDS = re.compile(r"\$\([^)]*\)?|`[^`]*`?|&&|\|\|?|\d?>>?|<<?|;")
# Of these, systemd knows a lone semicolon, which stands between two commands.
_OF_PROGRAM = re.compile(r"\$\([^)]*\)?|`[^`]*`?|(?<=\s)(?:&&?|\|\|?|&?\d?>>?|<<?)(?=[\s/&\w]|$)|(?<=\S);(?=\s|$)")
_SYSCTL = re.compile(r"(?:/\S*/)?sysctl\s(?:(?!\b(?:ethtool|ip|tc|echo|tee|nmcli|ifconfig)\s).)*")
# What stands in quotes, or is a template that is filled in before.
_WHOLE = re.compile(r"\{\{.*?\}\}|'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_QUOTED = re.compile(r"'[^']*'|\\\".*?\\\"")


def of_udev(command: str) -> str:
    """The first word of a command in a rule of udev that only a shell understands; empty where there is none."""
    found = _WORDS.search(_QUOTED.sub("", command))
    return found[0] if found else ""


def of_program(command: str) -> str:
    """The same for a command that systemd or Ansible runs."""
    if _SYSCTL.fullmatch(command):
        return ""  # it sets what it understands, and complains of the rest
    found = _OF_PROGRAM.search(_WHOLE.sub("''", command))
    return found[0] if found else ""
