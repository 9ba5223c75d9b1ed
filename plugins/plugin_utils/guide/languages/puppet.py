# SPDX-License-Identifier: GPL-3.0-or-later
"""Know in a manifest of Puppet which resources stand below a condition, what its variables hold, and which resources
only a definition elsewhere explains."""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..model import Branch, Case, Cases, Line, Sink
from . import groups

_BEGINS = re.compile(r"\s*(?:class|define|node)\s+['\"]?[a-z][\w:.-]*['\"]?\s*(?:inherits\s+[\w:]+\s*)?(?:[({].*|)")
_HOSTS = re.compile(r"node\s+(?!default)[^\s,]+|class\s+(?:[\w:]*::)?roles?::[\w:]+")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|#.*")
_CONDITION = re.compile(r"(if|unless|elsif|case)\b\s*(.*?)\s*")
_ARM = re.compile(r"(?:.*[,;}]\s*)?(\S.*?)\s*:\s*")
# Brackets within quotes, where they open nothing.
_HIDDEN = {ord("{"): "\ue000", ord("}"): "\ue001"}
_SHOWN = {0xE000: "{", 0xE001: "}"}

_ASSIGNED = re.compile(r"\s*\$(\w+)\s*=\s*(?:'([^']*)'|\"([^\"]*)\")\s*")
# The words of the names of definitions that tune a NIC.
_TUNES = (
    r"ring|ethtool|offload|gro|gso|tso|lro|rps|rfs|xps|rss|txqueuelen|txqlen|mtu|noflow|pause|coalesc\w*|channels?"
    r"|queues?|affinity|irq\w*|qdisc|clsact"
)
_OWN = re.compile(rf"\s*((?:\w+::)+(?:\w+_)?(?:{_TUNES})(?:_\w+)?)\s*\{{")
_PAIR = re.compile(
    r"['\"]((?:net|kernel|vm|fs)(?:\.[\w-]+)+)['\"]\s*=>\s*"
    r"(?:'([^']*)'|\"([^\"]*)\"|\[([^\]]*)\]|([\w.-]+))\s*(?=[,}]|$)"
)
_IN_ONE_LINE = re.compile(r".*=>\s*\{\s*['\"].*=>.*\}.*")


class _Block(NamedTuple):
    """What a bracket has opened: a case of a condition, the cases of a `case`, or nothing of the kind."""

    group: int = 0
    number: int = 0  # of this case
    conditions: Tuple[str, ...] = ()
    subject: str = ""
    cases: int = 0  # of a `case`, how many of them have begun
    host: str = ""  # the host or the role that it is for


def is_one(lines: Sequence[Line]) -> bool:
    """Whether a text is a manifest, by its first line."""
    first = next((text for _number, text in lines if text.strip() and not text.lstrip().startswith("#")), "")
    return _BEGINS.fullmatch(first) is not None


def cases(sink: Sink, lines: Sequence[Line]) -> Cases:
    """By line, the cases of conditions that it stands in and when these hold."""
    found: Dict[int, Tuple[Branch, Tuple[str, ...]]] = {}
    opened: List[_Block] = []
    last, head = _Block(), ""  # the block that was closed last, and what stands before the next bracket
    for number, text in lines:
        bare = _QUOTED.sub(lambda match: "" if match[0][0] == "#" else match[0].translate(_HIDDEN), text)
        for piece in re.split(r"([{}])", bare):
            if piece == "{":
                around = opened[-1] if opened else _Block()
                opened[-1:] = [around._replace(cases=around.cases + 1)] if opened else []
                opened.append(_opens(sink, head.strip(), last, around))
                head = ""
            elif piece == "}":
                last, head = opened.pop() if opened else _Block(), ""
            else:
                head = f"{head} {piece}" if re.match(r"(?:if|unless|elsif|case)\b", head.strip()) else piece
        inside = [one for one in opened if one.conditions]
        branch: Branch = tuple((one.group, one.number, "if") for one in inside)
        for one in inside:
            branch += groups.of_words(sink, "manifest", _when(one))
        for host in [one.host for one in opened if one.host]:
            branch += sink.case("manifest", host, Case(f"only for the hosts of {host}", noted=False))
        if branch:
            found[number] = branch, tuple(map(_when, inside))
    return found


def _opens(sink: Sink, head: str, last: _Block, around: _Block) -> _Block:
    begins = _CONDITION.fullmatch(head)
    arm = _ARM.fullmatch(head) if around.subject else None
    if arm:
        word = "another one" if arm[1] == "default" else arm[1].translate(_SHOWN)
        return _Block(around.group, around.cases, (f"{around.subject} is {word}",))
    if head == "else" or (begins and begins[1] == "elsif"):
        said = begins[2].translate(_SHOWN) if begins else ""
        return last._replace(number=last.number + 1, conditions=(*last.conditions, said))
    if not begins:
        hosts = _HOSTS.match(head)
        return _Block(host=hosts[0] if hosts else "")
    sink.groups += 1
    said = begins[2].translate(_SHOWN)
    if begins[1] == "case":
        return _Block(sink.groups, subject=said)
    return _Block(sink.groups, conditions=(f"not {said}" if begins[1] == "unless" else said,))


def _when(one: _Block) -> str:
    """When the last case of a condition holds."""
    last = one.conditions[-1]
    return f"only where {last}" if last else f"only where not {' or '.join(filter(None, one.conditions))}"


def filled(lines: Sequence[Line]) -> List[Line]:
    """The lines with the texts that variables of the manifest hold in their place, be it in quotes or alone."""
    given = [match for match in (_ASSIGNED.fullmatch(text) for _number, text in lines) if match]
    names = [match[1] for match in given]
    texts: Dict[str, str] = {}
    for match in given:
        if names.count(match[1]) == 1:
            texts[match[1]] = _put(match[2] if match[2] is not None else match[3], texts)
    return [(number, text if _ASSIGNED.fullmatch(text) else _filled(text, texts)) for number, text in lines]


def _put(text: str, texts: Dict[str, str]) -> str:
    return re.sub(r"\$\{(?:::)?(\w+)\}", lambda match: texts.get(match[1], match[0]), text)


def _filled(text: str, texts: Dict[str, str]) -> str:
    alone = re.fullmatch(r"(\s*\w+\s*=>\s*)\$(\w+)(\s*,?\s*)", text)
    if alone and alone[2] in texts and '"' not in texts[alone[2]]:
        return f'{alone[1]}"{texts[alone[2]]}"{alone[3]}'
    return _put(text, texts)


class Own(NamedTuple):
    """A resource whose definition is not part of the text, and how many lines it takes."""

    name: str
    rows: int


def own(lines: Sequence[Line], index: int) -> Optional[Own]:
    """The resource of a kind of its own for NICs that begins in a line; None where none does."""
    match = _OWN.match(lines[index][1])
    if not match:
        return None
    depth = 0
    for rows, (_number, text) in enumerate(lines[index:], 1):
        bare = _QUOTED.sub("", text)
        depth += bare.count("{") - bare.count("}")
        if depth <= 0:
            return Own(match[1], rows)
    return None


def pairs(text: str) -> List[Tuple[str, str]]:
    """The parameters of a line that has them with their values in brackets, as `values => { NAME => VALUE }`."""
    found = _PAIR.findall(text) if _IN_ONE_LINE.fullmatch(text) else []
    return [(name, next(filter(None, values), "").replace(",", " ")) for name, *values in found]
