# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what resources of Chef and Puppet ask before they set anything: `only_if { ... }`, `unless => '...'`."""

from __future__ import annotations

import re
from typing import Dict, List, Sequence, Tuple

from ..model import Branch, Cases, Line, Sink
from . import groups

# Ruby in brackets, or a command in quotes.
_OF_CHEF = re.compile(r"\s*(only_if|not_if)\s*(?:\{([^{}]+)\}|\(?['\"]([^'\"]+)['\"]\)?)\s*")
_OF_PUPPET = re.compile(r"\s*(onlyif|unless)(\s*)=>\s*(?:'([^']+)'|\"([^\"]+)\")\s*[,;]?\s*")
_RESOURCE = re.compile(r"\s*(?:\w+\s*\(?\s*(?:['\"#$@:]|\w+\[).*\bdo|[a-z]\w*(?:::\w+)*\s*\{\s*(?:['\"$].*:)?)\s*")
_ENDS = r"\s{{0,{margin}}}(?:end\b|\}}).*"
# What only looks whether a setting is there already.
_LOOKS = re.compile(r"\b(?:ethtool|sysctl|ip|tc|nmcli|ifconfig)\b|/proc/sys/|/sys/class/net/")
_NEGATED = ("not_if", "unless")


def noted(sink: Sink, lines: Sequence[Line], cases: Cases) -> Dict[int, Tuple[Branch, Tuple[str, ...]]]:
    """By the lines of such resources, when these hold, beside what is known of the lines anyway."""
    found: Dict[int, Tuple[Branch, Tuple[str, ...]]] = {}
    for index, (_number, text) in enumerate(lines):
        said = _said(text)
        for number in _resource(lines, index) if said else ():
            branch, before = found.get(number, cases.get(number, ((), ())))
            found[number] = (*branch, *groups.of_words(sink, "resource", said)), (*before, said)
    return found


def _said(text: str) -> str:
    guard = _OF_CHEF.fullmatch(text) or _OF_PUPPET.fullmatch(text)
    if not guard or _LOOKS.search(text):
        return ""
    turned = guard[1] in _NEGATED
    command = guard[3] or (guard[4] if guard.re is _OF_PUPPET else "")
    told = (
        f"{command} {'fails' if turned else 'succeeds'}" if command else f"{'not ' if turned else ''}{guard[2].strip()}"
    )
    return f"only where {told}"


def _resource(lines: Sequence[Line], index: int) -> List[int]:
    """The numbers of the lines of the resource in which a line stands."""
    first = next((k for k in range(index - 1, -1, -1) if _RESOURCE.fullmatch(lines[k][1])), -1)
    if first < 0:
        return []
    margin = len(lines[first][1]) - len(lines[first][1].lstrip())
    ends = re.compile(_ENDS.format(margin=margin))
    last = next((k for k in range(first + 1, len(lines)) if ends.fullmatch(lines[k][1])), -1)
    return [number for number, _text in lines[first : last + 1]] if last > index else []
