# SPDX-License-Identifier: GPL-3.0-or-later
"""Carry what only the host knows (`$1`, `$(nproc)`, `{{ nic }}`) through words as text that nothing can mistake.

Each character of it is moved to a private area of Unicode, so it is neither split nor compared nor taken for a number,
and is shown to people as it was written.
"""

from __future__ import annotations

import re
from typing import List

_AREA = 0xE100
_TEMPLATES = (("{{", "}}"), ("<%", "%>"), ("{%", "%}"), ("@{", "}"))


# Words of a template's own language, which stand for no text: conditions, loops, and where these end.
CONTROL = re.compile(
    r"\{%|<%|%\{~?\s*(?:if|else|endif|for|endfor)\b|\{\{-?\s*(?:if|else|end|range|with|define|block)\b[^|]*\}\}"
)
# Several values of which the reader is to choose one, where a shell would take the sign for a pipe.
_CHOICE = re.compile(
    r"(?<=\s)(?:\{(?:on|off)(?:\s?\|\s?(?:on|off))+\}|(?:on|off)(?:\|(?:on|off))+)(?=[\s`]|$)"
    r"|(?<=[\s=])\d+(?:\|\d+)+(?=[\s`]|$)"
)
# The name of a NIC without its number: `eth?`, which an inventory would take for all of them.
_NUMBERED = re.compile(r"(?<=\s)(?:eth|en[ops]|wlan|bond|ib)\?(?=[\s`]|$)")
_MASK = {code: chr(_AREA + code) for code in range(0x100)}
_SHOW = {_AREA + code: chr(code) for code in range(0x100)}
_MASKED = re.compile(f"[{chr(_AREA)}-{chr(_AREA + 0xFF)}]")


def mask(text: str) -> str:
    """Text whose value is not known."""
    return text.translate(_MASK)


def shown(text: str) -> str:
    """The same as it was written."""
    return text.translate(_SHOW) if _MASKED.search(text) else text


def known(text: str) -> bool:
    """Whether nothing in it depends on the host."""
    return _MASKED.search(text) is None


# The NICs that have a device, which a script tells from bridges and the like.
HARDWARE = "*@device"
# The NIC of the default route, which a script asks `ip` for.
DEFAULT_ROUTE = "*@default_route"
_MEANT = {HARDWARE: "every NIC with a device", DEFAULT_ROUTE: "the NIC of the default route"}


# What a script computes as the maximum of the device.
MAXIMUM = mask("max")
# The mask that has a bit for each processor of the host, as a script computes it.
EVERY_PROCESSOR = mask("$(mask of all processors)")


def templates(text: str) -> str:
    """A line with its template expressions (Jinja, ERB, EPP) masked; one that is nothing else becomes a comment."""
    found = f"# {text}" if text.lstrip().startswith("%{") and CONTROL.match(text.strip()) else text
    for opening, closing in _TEMPLATES[:3]:
        index = found.find(opening)
        while index >= 0:
            end = found.find(closing, index + 2)
            if end < 0:
                break
            piece = found[index : end + 2]
            whole = found.strip() == piece and CONTROL.match(piece) is not None
            found = f"# {shown(piece)}" if whole else found[:index] + mask(piece) + found[end + 2 :]
            index = -1 if whole else found.find(opening)
    return found


def placeholders(text: str) -> str:
    """A line with words such as <iface> masked, which its reader is to replace; a shell would take a file for it."""
    word = r"<[^\W\d][^<>|&;$\"'`=]*>"
    text = _CHOICE.sub(lambda match: mask(match[0]), text)
    text = _NUMBERED.sub(lambda match: mask(f"<{match[0]}>"), text)
    return re.sub(rf"(?<=\s){word}(?=[\s`,.;:)\"']|$)|(?<=/){word}(?=/)", lambda match: mask(match[0]), text)


# The same as a fact of Ansible.
_FACT = re.compile(
    r"\{\{-?\s*(?:ansible_default_ipv[46]|ansible_facts(?:\.|\[['\"])default_ipv[46](?:['\"]\])?)"
    r"(?:\.|\[['\"])(?:interface|alias)(?:['\"]\])?\s*-?\}\}"
)


def said(text: str) -> str:
    """Text for people, in which a NIC that goes by no name is told in words; so is a word that stands for NICs."""
    return _MEANT.get(text) or shown(text).replace(DEFAULT_ROUTE, "<NIC of the default route>").replace(HARDWARE, "*")


def name(text: str) -> str:
    """The name of a NIC as an inventory may hold it, be it a placeholder; never a template that Ansible would run."""
    if _FACT.fullmatch(shown(text).strip()):
        return DEFAULT_ROUTE
    plain = re.sub(r"\{\{-?(.*?)-?\}\}", r"<\1>", shown(text))
    return re.sub(r"\s+", "", plain).replace("/", "_").lstrip("-")[:64]


def templated(value: object) -> bool:
    """Whether Ansible would take a value of an inventory for a template."""
    return any(mark in str(value) for mark in ("{{", "{%", "{#"))


def words(text: str) -> List[str]:
    """Split at white space; masked blanks hold together."""
    return text.split()
