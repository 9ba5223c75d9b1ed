# SPDX-License-Identifier: GPL-3.0-or-later
"""Read what `ip link set NIC vf N` gives to single virtual functions, and join it where the text names all of them."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import inputs
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import InputError
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry

from .. import masks
from ..keys.settings import Guide
from ..model import NO_EFFECT, OTHER_TOOL, Setting, Sink

FAMILY = "sriov"
# By the words of `ip`, the keys of the collection.
_KEYS: Mapping[str, str] = {
    **{word: word for word in ("mac", "vlan", "max_tx_rate", "min_tx_rate", "spoofchk", "trust")},
    "rate": "max_tx_rate",
    "state": "link_state",
}
_ABOUT = "what a virtual function may do is sriov, with one value for all or a list of one for each"


def read(guide: Guide, line: int, nic: str, words: Sequence[str]) -> None:
    """`vf N KEY VALUE ...`; the values wait until the end of the text, for the inventory has a list of all."""
    said = " ".join(masks.shown(word) for word in words)
    found = _pairs(words)
    if not found:
        guide.sink.remark(line, OTHER_TOOL, f"{masks.shown(nic)} {said}: {_ABOUT}")
    for key, value in found:
        guide.sink.set(line, masks.name(nic), FAMILY, f"{key} {words[1]}", value)


def _pairs(words: Sequence[str]) -> List[Tuple[str, Any]]:
    """The keys and values of one function; nothing where one of them is no setting, or only the host knows it."""
    if len(words) < 4 or not words[1].isdecimal() or not all(map(masks.known, words)):
        return []
    found: List[Tuple[str, Any]] = []
    pairs = list(zip(words[2::2], words[3::2]))
    for word, text in pairs:
        if word == "qos" and found and found[-1][0] == "vlan":
            found[-1] = ("vlan", f"{found[-1][1]}:{text}")
            continue
        if word not in _KEYS:
            return []
        key = _KEYS[word]
        try:
            inputs.understand(registry.FAMILIES[FAMILY].field(key), text)
        except InputError:
            return []
        value = {"on": True, "off": False}.get(text, text) if key in ("trust", "spoofchk") else text
        found.append((key, int(text) if re.fullmatch(r"\d+", text) else value))
    return found if len(words) % 2 == 0 else []


def whole(sink: Sink, settings: Sequence[Setting]) -> List[Setting]:
    """The settings without those of functions that the text does not name all; these become remarks."""
    counts = {(one.nic, one.match): one.value for one in settings if (one.family, one.key) == (FAMILY, "vfs")}
    named: Dict[Any, List[str]] = {}
    for one in settings:
        if is_one(one):
            named.setdefault((one.nic, one.match, one.key.partition(" ")[0]), []).append(one.key.partition(" ")[2])
    kept: List[Setting] = []
    for one in settings:
        key, _blank, index = one.key.partition(" ")
        if is_one(one):
            count = counts.get((one.nic, one.match))
            text = f"{one.nic} vf {index} {key} {_spelt(one.value)}"
            if isinstance(count, int) and int(index) >= count:
                sink.remark(one.line, NO_EFFECT, f"{text}: this text gives {one.nic} {count}, numbered from 0")
                continue
            numbers = sorted({int(number) for number in named[(one.nic, one.match, key)]})
            if not isinstance(count, int) or numbers[:count] != list(range(count)):
                short = f"this text does not say how many {one.nic} has"
                short = f"this text has it for {len(numbers)} of {count}" if isinstance(count, int) else short
                sink.remark(one.line, OTHER_TOOL, f"{text}: {_ABOUT}; {short}")
                continue
        kept.append(one)
    return kept


def _spelt(value: Any) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def is_one(setting: Setting) -> bool:
    """Whether a setting is of a single function."""
    return setting.family == FAMILY and " " in setting.key


def joined(found: Mapping[str, Setting]) -> Any:
    """The list of all functions in their order, or the one value that all of them have."""
    values = [found[index].value for index in sorted(found, key=int)]
    return values[0] if len({str(value) for value in values}) == 1 else values
