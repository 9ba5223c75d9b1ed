# SPDX-License-Identifier: GPL-3.0-or-later
"""Know of which NIC the interrupts are that a script looks up in /proc/interrupts, and how it deals processors to them.

Their numbers are known on the host only, so a word stands in their place; it says whose interrupts they are. A loop
over them is walked for many of them, to see which processors each gets.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import cpus

from .. import masks

_FILE, _FOLDER = "/proc/interrupts", re.compile(r"/sys/class/net/([^/]+)/device/msi_irqs(?:/\*?)?")
# The word in the place of a number; the count behind it tells the interrupts of one loop apart, `*` is any one of them.
WORD = re.compile(r"interrupt@[\w.]*-(\d+)(?:#(\d+|\*))?")
KEY = "affinity"
# How many interrupts a loop is walked for; more than any pattern of processors that people write is long.
COUNTS = (64, 48)
# After so many it is clear whether the text tells what is written at all.
_ENOUGH = 4
# And how many loops of one text.
MOST_LOOPS = 32
# What the number of processors is supposed to be; what differs between the two depends on it, or on the count above.
PROCESSORS = (251, 509)

_GREP = re.compile(r"[ez]?grep")
# What is left of each line is its number.
_KEEPS_NUMBER = re.compile(
    r"awk \{ ?split\(\$1, ?\w+, ?\":\"\); ?print \w+\[1\];? ?\}"
    r"|cut -(d ?: ?-f ?1|f ?1 -d ?:)|awk (-F ?\S+ )?\{ ?print \$1;? ?\}|sed (-[rEe] )?s.*|tr -d .*"
    r"|xargs( echo)?( -n ?1)?|sort( -\w+)*|uniq|cat|grep -oE? .+"
)
# What every interrupt with a number has at the beginning of its line.
_ANY_NUMBER = re.compile(r"\^?(?:\[\[:space:\]\]|\[ \]|\\s| )?[*+]?(?:\[0-9\]|\[\[:digit:\]\]|\\d)\\?[*+]:?")
_AWK = re.compile(r"(?:\$0 ?~ ?)?/(.+)/ ?(?:&& ?[^{]*)?\{.*\bprint \$1.*\}")
_NAME = re.compile(r"(?:eth|en[opsxP]|em|p\d+p|ib|wlan|wl[opsx]|net|lan|wan|vif|veth|bond)[a-z\d.]*\d[a-z\d]*")
_START = re.compile(r"(eth|en[opsxP]?|em|wlan|wl[opsx]?)(?=$|\*)")
# Drivers whose interrupts bear their name.
_DRIVERS = {"mlx5": "mlx5_core", "i40e": "i40e", "ice": "ice"}
_IN_FRONT = re.compile(rf"({'|'.join(_DRIVERS)})-(?=[a-z])")


def is_list(value: object) -> bool:
    """Whether a variable is an array of interrupts that a script has looked up."""
    found = WORD.fullmatch(value[0]) if isinstance(value, list) and len(value) == 1 else None
    return found is not None and not found[2]


def are_several(value: object) -> bool:
    """Whether a variable is an array of interrupts that were looked up more than once, so that nobody counts them."""
    words = value if isinstance(value, list) and len(value) > 1 else []
    return any(found is not None and not found[2] for found in map(WORD.fullmatch, words))


def are_counted(raw: str, scope: Any) -> bool:
    """Whether words tell how many interrupts an array has, be it by a variable."""
    lists = [name for name in re.findall(r"[#!](\w+)\[[@*]\]", raw) if is_list(scope.get(name))]
    return bool(lists) or any(name in scope.lengths for name in re.findall(r"[A-Za-z_]\w*", raw))


class Interrupts(NamedTuple):
    """The interrupts of a NIC, or of NICs, with a pattern of their names; `*` for all of them."""

    nic: str
    match: Tuple[Tuple[str, str], ...]
    names: str


class Found(NamedTuple):
    """What a script has looked up: interrupts of NICs, and patterns that are of no NIC."""

    interrupts: Tuple[Interrupts, ...]
    others: Tuple[str, ...]


def looked_up(commands: Sequence[Sequence[str]]) -> Optional[Found]:
    """What a pipeline prints the numbers of, by its commands; None where it does something else."""
    patterns: List[str] = []
    folder = _FOLDER.fullmatch(commands[0][-1]) if commands[0][:1] == ["ls"] and len(commands[0]) > 1 else None
    for index, words in enumerate(commands):
        plain = [word for word in words if word not in (_FILE, "<")]
        name = plain[0].rsplit("/", 1)[-1] if plain else ""
        reads = _FILE in words or folder is not None
        pattern = _pattern(name, plain[1:])
        if not index and not reads:
            return None
        if pattern and _ANY_NUMBER.fullmatch(pattern):
            continue
        if pattern:
            patterns.append(pattern)
        elif (index or name not in ("cat", "ls")) and not _KEEPS_NUMBER.fullmatch(" ".join([name, *plain[1:]])):
            return None
    if folder:
        return None if patterns else Found((Interrupts(folder[1], (), "*"),), ())
    return _by_patterns(patterns)


def by_name(pattern: str) -> Optional[Found]:
    """The interrupts whose names begin with that of a driver or with nothing, and go on with that of a NIC."""
    bare = re.sub(r"^[a-z\d_]+-(?=[a-z]+\d)", "", pattern)
    found = _interrupts(bare.replace("*", ".*"))
    return Found((found,), ()) if found else None


def in_folder(path: str) -> Optional[Found]:
    """The interrupts of the NIC whose folder a loop goes through."""
    folder = _FOLDER.fullmatch(path)
    return Found((Interrupts(folder[1], (), "*"),), ()) if folder and path.endswith("*") else None


def _pattern(name: str, words: Sequence[str]) -> Optional[str]:
    """What a command looks for; None where it looks for nothing, or in a way that is not known here."""
    if _GREP.fullmatch(name):
        options = [word for word in words if re.fullmatch(r"-\w+", word)]
        plain = [word for word in words if word not in options]
        letters = "".join(options).replace("-", "")
        if len(plain) != 1 or set(letters) - set("EwiPoe"):
            return None
        if "o" in letters:
            ahead = re.fullmatch(r"\^?(?:\\s\*)?\\d\+\(\?=:\.\*(.+)\)", plain[0])
            return ahead[1] if ahead else None
        return plain[0]
    if name == "awk":
        looks = _AWK.fullmatch(words[-1].strip()) if words else None
        return looks[1] if looks else None
    return None


def _by_patterns(patterns: Sequence[str]) -> Optional[Found]:
    """The interrupts of each name that the first pattern has, with what the other ones say of their names."""
    if not patterns:
        return None
    inner = patterns[0][1:-1] if re.fullmatch(r"\([^()]*\)", patterns[0]) else patterns[0]
    known, others = [], []
    for one in re.split(r"\\?\|", inner):
        found = _interrupts(one)
        if found is None:
            others.append(masks.shown(one))
            continue
        names = found.names
        for more in patterns[1:]:
            plain = _plain(more)
            if plain is None:
                return None
            names = re.sub(r"\*+", "*", f"{names}{plain}*" if names.endswith("*") else f"{names}*{plain}*")
        known.append(found._replace(names=names))
    return Found(tuple(known), tuple(others)) if known else None


def _plain(pattern: str) -> Optional[str]:
    """A regular expression as a pattern of names; None where it says more than that."""
    text = re.sub(r"\[0-9\][+*]?|\\d[+*]?|\.\*|\\[+*]", "*", pattern)
    text = re.sub(r"^[\^*]+|\\[b<>]|\$$", "", text).replace("\\.", ".").replace("\\-", "-")
    return None if re.search(r"[][\\(){}+?^|\s]", text) else re.sub(r"\*+", "*", text)


def _interrupts(pattern: str) -> Optional[Interrupts]:
    if masks.DEFAULT_ROUTE in pattern:
        # As a name of its own, for it begins with a star.
        found = _interrupts(pattern.replace(masks.DEFAULT_ROUTE, masks.mask("nic")))
        return found._replace(nic=masks.DEFAULT_ROUTE) if found and found.nic else None
    text = _plain(pattern)
    if text is None:
        return None
    text = _IN_FRONT.sub("", text)
    if not masks.known(text):
        # The name of the NIC is a variable, with what stands behind it.
        first = next(index for index, char in enumerate(text) if not masks.known(char))
        last = next((index for index in range(first, len(text)) if masks.known(text[index])), len(text))
        if first or not masks.known(text[last:]):
            return None
        return Interrupts(text[:last], (), _names(text[last:]))
    name = _NAME.match(text)
    if name and (name.end() == len(text) or text[name.end()] in "-:*@ "):
        return Interrupts(name[0], (), _names(text[name.end() :]))
    start = _START.match(text)
    if start:
        return Interrupts(f"{start[1]}*", (), _names(text[start.end() :]))
    driver = next((name for name in _DRIVERS if re.fullmatch(rf"{name}(_comp|_core)?[-*@]*", text)), "")
    return Interrupts("", (("driver", _DRIVERS[driver]),), "*") if driver else None


def _names(behind: str) -> str:
    """A pattern of the names, by what stands behind that of the NIC; one that ends with a number is one name."""
    plain = behind.strip("*-:@ ")
    if not plain:
        return "*"
    return f"*{behind}" if behind[-1:].isdecimal() else f"*{behind.rstrip('*')}*"


class Dealt(NamedTuple):
    """What the affinity of a NIC comes to: the value, whether it is one for all, and what to know of it."""

    value: str
    same: bool
    note: str


class Book:
    """The interrupts that scripts of one text have looked up, by the words in their place."""

    def __init__(self) -> None:
        self.found: List[Found] = []
        self.counting = False  # while a loop is walked interrupt by interrupt
        self.loops = 0  # that have been walked so
        self.looping = 0  # while it is walked once for all of them
        # What the interrupts of a loop got, by the line that writes it and their count; and what that comes to.
        self.dealt: Dict[Tuple[int, Interrupts], Dict[int, Optional[Tuple[int, ...]]]] = {}
        self.values: Dict[Tuple[int, Interrupts], Optional[Dealt]] = {}
        self.body: object = None  # of the loop that is walked interrupt by interrupt, and how often so far
        self.turns = 0

    def is_enough(self, body: object) -> bool:
        """Whether a round more of this body shows nothing: of nothing that it wrote so far all is known."""
        if not self.counting or body is not self.body:
            return False
        self.turns += 1
        return self.turns > _ENOUGH and all(None in lists.values() for lists in self.dealt.values())

    def results(self, count: int) -> Dict[Tuple[int, Interrupts], Optional[Dealt]]:
        """What the lists come to that a loop over so many wrote, which is over; None where not each is known."""
        found, self.dealt = self.dealt, {}
        results: Dict[Tuple[int, Interrupts], Optional[Dealt]] = {}
        for key, lists in found.items():
            known = [one for one in map(lists.get, range(len(lists))) if one is not None]
            results[key] = dealt(known, count) if len(known) == len(lists) > 1 else None
        return results

    def word(self, found: Found) -> str:
        """The word in the place of their numbers."""
        if found not in self.found:
            self.found.append(found)
        one = found.interrupts[0]
        name = masks.shown(one.nic or one.match[0][1])
        return f"interrupt@{re.sub(r'[^a-zA-Z0-9.]+', '', name)}-{self.found.index(found)}"

    def of(self, word: str) -> Tuple[Optional[Found], str]:
        """What a word stands for, and the count of the interrupt; nothing for other words."""
        match = WORD.fullmatch(word)
        return (self.found[int(match[1])], match[2] or "") if match else (None, "")


def who(one: Interrupts) -> str:
    """Interrupts as a message names them."""
    nic = "the NIC of the default route" if one.nic == masks.DEFAULT_ROUTE else masks.shown(one.nic)
    nic = nic or " ".join(f"{key} {value}" for key, value in one.match)
    return f"the interrupts of {nic}" if one.names == "*" else f"the interrupts {one.names} of {nic}"


def dealt(lists: Sequence[Tuple[int, ...]], count: int) -> Optional[Dealt]:
    """The value for the lists that the interrupts of a loop get one after the other; None where none says it."""
    if len(set(lists)) == 1:
        return Dealt(cpus.format_list(lists[0]), True, "")
    period = next(
        (
            size
            for size in range(2, len(lists) // 2 + 1)
            if all(one == lists[index % size] for index, one in enumerate(lists))
        ),
        len(lists) if len(lists) < count else 0,
    )
    order = "the script goes by the order in which they are listed, the inventory by that of the queues"
    if period:
        part = lists[:period]
        numbers = [number for one in part for number in one]
        single = all(len(one) == 1 for one in part) and numbers == sorted(set(numbers))
        return Dealt(cpus.format_list(numbers) if single else " ".join(map(cpus.format_list, part)), False, order)
    # Masks of more than 32 processors are beyond some scripts.
    if all(one == (index,) for index, one in enumerate(lists[:32])):
        spread = "the script deals processors 0, 1, 2 and so on in turn; spread begins with those next to the NIC"
        return Dealt("spread", False, spread)
    return None
