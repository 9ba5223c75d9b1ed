# SPDX-License-Identifier: GPL-3.0-or-later
"""Know pieces of configuration in the text of a guide: lines of ifcfg files, and resources of Puppet and Chef."""

from __future__ import annotations

import re
from typing import List, NamedTuple, Optional, Sequence, Tuple

from .. import masks
from ..keys import kernel_names
from ..model import Line
from . import chef

_OPTIONS = r"(?:ETHTOOL_OPTS|ETHTOOL_OPTIONS|BONDING_OPTS|BONDING_MODULE_OPTS)"
_ASSIGNED = re.compile(r"\s*([A-Z][A-Z0-9_]*)=")
_SIZED = re.compile(r"\s*MTU=[\"']?\d+")
_OPTION_LINE = re.compile(rf"\s*{_OPTIONS}\w*=")
# The same in the middle of a sentence, up to where its quotes end.
_INLINE = re.compile(rf"\b({_OPTIONS}\w*=(?:\"[^\"]*\"|'[^']*'|\S+))")
_FILE = re.compile(r"\bifcfg-([\w.<>$-]*[A-Za-z\d>])")
_ACTED_ON = re.compile(r"=[\"']?-\w+\s+(\S+)")
# How far above its lines a guide names their file.
ABOVE = 15
_TITLE = re.compile(r"\s*['\"]?((?:net|kernel|vm|fs)\.[\w.-]+)['\"]?\s*:\s*$")
_VALUE = re.compile(r"\bvalue\s*(?:=>|=|:)?\s*(?:'([^']*)'|\"([^\"]*)\"|(\d[\d_ ]*))")

_ALONE = re.compile(r"\s*[`*\"]*((?:net|kernel|vm|fs)[./][\w./-]+)[`*\"]*\s*")
_OF_ETHTOOL = re.compile(r"\bethtool\s*\{\s*['\"]([\w.-]+)['\"]\s*:")
_ATTRIBUTE = re.compile(r"\s*(\w+)\s*=>\s*['\"]?(\w+)['\"]?\s*,?\s*")

_CELL = re.compile(r"\s*\|\s*[`*]*((?:net|kernel|vm|fs)\.[\w.-]+)[`*]*\s*\|(.*)\|\s*$")
_NAME = re.compile(r"(?:net|kernel|vm|fs)\.[\w.-]+")
_WORDS_OF_OLD = re.compile(
    r"default|current|before|old|was|min|range|unit|type|standard|aktuell|bisher|vorher|\u9ed8\u8ba4|\u5f53\u524d|\u8303\u56f4"
    r"|\u5e38\u7528|\u5355\u4f4d|\u043f\u043e \u0443\u043c\u043e\u043b\u0447",
    re.IGNORECASE,
)
_WORDS_OF_NEW = re.compile(
    r"recommend|suggest|new|tuned|after|target|optim|our|value|setting|set to|empf(?:ohlen|ehl)|wert|recomend|valor"
    r"|recommand|valeur|\u63a8\u8350|\u5efa\u8bae|\u4f18\u5316|\u8c03\u6574|\u8bbe\u7f6e|\u0440\u0435\u043a\u043e\u043c\u0435\u043d\u0434",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"-?\d[\d\s]*|bbr|cubic|htcp|reno|dctcp|fq|fq_codel|cake|pfifo_fast")


class Ifcfg(NamedTuple):
    """Lines of an ifcfg file, and the NIC that they are for."""

    lines: List[Line]
    nic: str


def shows_ifcfg(lines: Sequence[Line]) -> bool:
    """Whether a text shows lines of ifcfg files, where a script would only set variables that it uses."""
    texts = [text for _number, text in lines if text.strip()]
    uses = re.compile(rf"<<|\$\{{?(?:{_OPTIONS}|MTU\b)")
    sized = all(map(_ASSIGNED.match, texts)) and any(_SIZED.match(text) for text in texts)
    return (sized or any(map(_OPTION_LINE.match, texts))) and not any(uses.search(text) for text in texts)


def ifcfg(lines: Sequence[Line], index: int) -> Optional[Ifcfg]:
    """The assignments from here on, where they are those of an ifcfg file."""
    held: List[Line] = []
    keys = set()
    for number, text in lines[index:]:
        assigned = _ASSIGNED.match(text)
        if not assigned:
            break
        held.append((number, text.strip()))
        keys.add(assigned[1])
    own = [text for _number, text in held if _OPTION_LINE.match(text)]
    # An MTU alone may be anything, unless the text names the file that it is for.
    sized = "MTU" in keys and ("DEVICE" in keys or _file_above(lines, index) is not None)
    if not own and not {"MASTER", "SLAVE"} <= keys and not sized:
        return None
    return Ifcfg(held, "" if "DEVICE" in keys else _named(lines, index, own))


def inline(lines: Sequence[Line], index: int, text: str) -> Optional[Ifcfg]:
    """One assignment of an ifcfg file that stands in a sentence."""
    found = _INLINE.search(text)
    return Ifcfg([(lines[index][0], found[1])], _named(lines, index, [found[1]])) if found else None


def _named(lines: Sequence[Line], index: int, own: Sequence[str]) -> str:
    """The NIC by the name of the file above, or by what its options act on."""
    file = _file_above(lines, index)
    if file:
        return masks.mask(file[1]) if re.search(r"[<$]|^(NIC|IFACE|NAME)$", file[1]) else file[1]
    acted = next((found[1] for found in map(_ACTED_ON.search, own) if found), "")
    return acted or masks.mask("<NIC>")


def _file_above(lines: Sequence[Line], index: int) -> Optional[re.Match[str]]:
    """The name of the nearest file of ifcfg above a line, or in it."""
    found = (_FILE.search(text) for _number, text in reversed(lines[max(0, index - ABOVE) : index + 1]))
    return next(filter(None, found), None)


_GONE = re.compile(r"ensure\s*=>\s*['\"]?absent|action\s*\(?\s*\[?:(?:remove|delete)")


class Declared(NamedTuple):
    """A parameter that a resource declares, its value (None where it is to be absent), and how far below it stands."""

    key: str
    value: Optional[str]
    below: int = 0


def declared(lines: Sequence[Line], index: int) -> Optional[Declared]:
    """A parameter that a resource of Puppet or Chef declares, its value perhaps some lines below."""
    text = lines[index][1]
    attribute = chef.attribute(lines[index])
    if attribute:
        return Declared(attribute.key, attribute.value)
    by_words = _by_words(lines, index)
    if by_words:
        return by_words
    rows = [text for _number, text in lines[index + 1 : index + 8]]
    named = re.search(r"\bsysctl\w*(?:::\w+)*\s*[{(]?\s*['\"]((?:net|kernel|vm|fs)\.[\w./-]+)['\"]", text)
    found = named or _TITLE.match(text)
    if not found:
        return None
    name = found[1]
    # One of several bodies of a resource ends before the next title.
    ends = r"\s*(end|\}|\w[\w:]* ?\{.*)\s*$" if named else r".*;|\s*['\"]?[\w.-]+['\"]?\s*:\s*$"
    last = next((k for k, row in enumerate(rows) if re.match(ends, row)), len(rows))
    behind = text[named.end() :] if named else ""
    inside = [behind, *(() if re.search(r"\}|\bend\s*$", behind) else rows[: last + 1])]
    if any(_GONE.search(row) for row in inside):
        return Declared(name, None)
    for below, row in enumerate(inside):
        value = None if row.lstrip().startswith("#") else _VALUE.search(row)
        if value:
            text = next(part for part in value.groups() if part is not None)
            # Ruby takes no notice of underscores in a number.
            return Declared(name, text if value[3] is None else text.replace("_", ""), below)
    return None


def _by_words(lines: Sequence[Line], index: int) -> Optional[Declared]:
    """`net_core_somaxconn = 4096` below a word with sysctl in it, as the nodes of a cloud are described."""
    match = re.fullmatch(r"\s*[\"']?(\w+)[\"']?\s*[=:]\s*[\"']?([\w ]+?)[\"']?\s*,?\s*", lines[index][1])
    name = kernel_names.by_words(match[1]) if match else ""
    below = name and any("sysctl" in text.lower() for _number, text in lines[max(0, index - 40) : index])
    return Declared(name, match[2]) if match and below else None


def of_a_service(lines: Sequence[Line], index: int) -> List[str]:
    """What a resource of Puppet or Chef does with the service irqbalance, in the words of systemctl."""
    if not re.match(r"\s*service\s*\{?\s*\(?['\"]irqbalance['\"]", lines[index][1]):
        return []
    rows = [text for _number, text in lines[index : index + 8]]
    last = next((k for k, text in enumerate(rows) if k and re.match(r"\s*(end|\})\s*$", text)), len(rows))
    inside = "\n".join(rows[: last + 1])
    found = [verb for verb in ("stop", "disable", "mask", "start", "enable") if re.search(rf":{verb}\b", inside)]
    found += ["stop"] if re.search(r"ensure\s*=>\s*['\"]?stopped|ensure\s*=>\s*false", inside) else []
    found += ["start"] if re.search(r"ensure\s*=>\s*['\"]?(running|true)", inside) else []
    return found + (["disable"] if re.search(r"enable\s*=>\s*['\"]?false", inside) else [])


_IN_QUOTES = re.compile(
    r"\s*(?:content|line|source|text|value|source_inline)\s*(?:=>|=|:)?\s*\"((?:[^\"\\]|\\.)*\\n(?:[^\"\\]|\\.)*)\""
)


def content(lines: Sequence[Line], index: int) -> List[Line]:
    """The lines of a file that a resource has in one line: `content "net.core.rmem_max = 1\\n"`."""
    match = _IN_QUOTES.match(lines[index][1])
    texts = match[1].replace('\\"', '"').split("\\n") if match else []
    return [(lines[index][0], text) for text in texts if text.strip()]


# Where another language begins a text of several lines: `user_data = <<-EOF`, `content <<~CONF`, `base64encode(<<EOT`.
_DOCUMENT = re.compile(
    r"\s*(?:[$@\w.:\[\]'\"]+\s*(?:=>|\+?=|:)|\w+)\s*\(?\s*(?:[\w.]+\s*\(\s*)*<<([-~<]?)\s*['\"]?([A-Za-z_]\w*)['\"]?"
    r"[\s),.;\]]*(?:\.\w+[\s),;]*)*$"
)
_MOST_LINES = 1000
_COMMANDS = re.compile(r"\s*(?:sudo\s+)?(?:cat|tee|ssh|bash|sh|mysql|psql|python3?|read|while|done|EOF)\b")
_INTERPOLATED = re.compile(
    r"#\{[^}]*\}|(?<!\$)\$\{(?:var|local|each|data|self|count|module|path|[a-z]+_[a-z_]+)\.[^}]*\}"
)


def document(lines: Sequence[Line], index: int) -> int:
    """How many lines a text takes that another language holds as a document, with its first and last line; or 0."""
    opened = _DOCUMENT.match(lines[index][1])
    if not opened or _COMMANDS.match(lines[index][1]):
        return 0
    ends = (
        k
        for k in range(index + 1, min(len(lines), index + _MOST_LINES))
        if re.fullmatch(rf"\s*{opened[2]}[\s);,]*", lines[k][1])
    )
    return next(ends, index - 1) - index + 1


def interpolated(text: str) -> str:
    """A line of such a text, with what its own language fills in masked."""
    return _INTERPOLATED.sub(lambda match: masks.mask(match[0]), text).replace("$${", "${")


def of_ethtool(lines: Sequence[Line], index: int) -> Optional[Tuple[str, str, str]]:
    """The NIC, the key and the value of one line of a resource `ethtool { 'eth0': ... }` of Puppet."""
    attribute = _ATTRIBUTE.fullmatch(lines[index][1])
    if not attribute:
        return None
    for _number, text in reversed(lines[max(0, index - ABOVE) : index]):
        title = _OF_ETHTOOL.search(text)
        if title:
            return title[1], attribute[1], attribute[2]
        if "}" in text:
            break
    return None


def above_its_value(lines: Sequence[Line], index: int) -> Optional[Tuple[str, str]]:
    """A parameter alone in its line with a value alone in the next one: a table whose cells have become lines."""
    name = _ALONE.fullmatch(lines[index][1])
    below = next((text.strip() for _number, text in lines[index + 1 : index + 3] if text.strip()), "")
    return (name[1], below) if name and (_NUMBER.fullmatch(below) or re.fullmatch(r"0x[0-9a-fA-F]+", below)) else None


def _several_or_late(cells: Sequence[str]) -> bool:
    """Whether columns without heads have several values, or one behind words that may say what it is."""
    values = [_NUMBER.fullmatch(text) is not None for text in cells]
    return sum(values) > 1 or (any(values) and not values[0])


def columns(lines: Sequence[Line], index: int) -> List[str]:
    """The parameters in the head of a table with their values in a row: `net.core.rmem_max 16777216`."""
    cells = _cells(lines[index][1])
    top = index
    while top and lines[top - 1][1].lstrip().startswith("|"):
        top -= 1
    named = list(zip(_cells(lines[top][1]), cells)) if top < index and len(cells) > 1 else []
    return [f"{head} {text}" for head, text in named if _NAME.fullmatch(head) and _NUMBER.fullmatch(text)]


def _cells(text: str) -> List[str]:
    plain = text.strip()
    return [one.strip().strip("`* ") for one in plain.strip("|").split("|")] if plain.startswith("|") else []


def cell(lines: Sequence[Line], index: int) -> Optional[Tuple[str, str]]:
    """A parameter in a table, with what the column of values says; a column of defaults is none.

    The value is empty where several columns have one, and none of their heads tells which is meant.
    """
    row = _CELL.match(lines[index][1])
    if not row:
        return None
    top = index
    while top and lines[top - 1][1].lstrip().startswith("|"):
        top -= 1
    heads = (
        [head.strip() for head in lines[top][1].strip().strip("|").split("|")][1:]
        if top < index and not _CELL.match(lines[top][1])
        else []
    )
    cells = [text.strip().strip("`* ") for text in row[2].split("|")]
    named = list(zip(heads, cells)) if len(heads) >= len(cells) else []
    chosen = [text for head, text in named if _WORDS_OF_NEW.search(head) and not _WORDS_OF_OLD.search(head)]
    open_ = {text for head, text in named if _NUMBER.fullmatch(text) and not _WORDS_OF_OLD.search(head)}
    if not chosen and (len(open_) > 1 or (not named and _several_or_late(cells))):
        return row[1], ""
    chosen = chosen or ([] if named and _WORDS_OF_OLD.search(named[0][0]) else cells[:1])
    found = next((text for text in chosen if _NUMBER.fullmatch(text)), None)
    return (row[1], found) if found else None
