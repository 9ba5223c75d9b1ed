# SPDX-License-Identifier: GPL-3.0-or-later
"""Say which NICs a configuration file means, by names or by what identifies the device; never more than it means.

Of several words about one thing one has to fit, and of several things all. What an entry of the inventory cannot say is
a problem: then its settings are for a person to place.
"""

from __future__ import annotations

from itertools import product
from typing import List, NamedTuple, Sequence, Tuple

Match = Tuple[Tuple[str, str], ...]

# Each wired NIC has a name of this kind, so beside a device it leaves out none.
_ANY = ("*", "e*", "en*", "eth*", "*[!lo]")
_MANY = 64


class Chosen(NamedTuple):
    """(name, match) of each entry; or all NICs, and the `problem` why nobody may take them for those meant."""

    nics: List[Tuple[str, Match]]
    problem: str = ""


def choose(
    names: Sequence[str], device: Sequence[Tuple[str, Sequence[str]]], strange: Sequence[str], otherwise: str = "*"
) -> Chosen:
    """The NICs of these names, or those of a device: by the key of `match` its words.

    `strange` is what else is asked of them, in the words of the file; `otherwise` is meant where nothing is asked.
    """
    known = [[(key, word) for word in words] for key, words in device if words]
    patterns = [name for name in names if any(char in name for char in "*?[")]
    told = [*strange, *(f"{name} beside its device" for name in patterns if known and name not in _ANY)]
    if told:
        return Chosen([("*", ())], f"which NICs it is for, {' and '.join(dict.fromkeys(told))} decides on the host")
    if names and not (known and patterns):
        return Chosen([(name, ()) for name in names])
    if known:
        return Chosen([("", match) for match in product(*known)][:_MANY])
    return Chosen([(otherwise, ())])
