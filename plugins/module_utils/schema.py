# SPDX-License-Identifier: GPL-3.0-or-later
"""Describe: the words that every other part speaks, from what a person writes to what a device answers.

The words are named tuples, not frozen dataclasses: Python makes their classes ten times as fast, and every call on
every host makes them anew.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Protocol, Sequence, Tuple, Union

from .text import quote

Value = Union[None, bool, int, str, Tuple[str, ...]]

# What the other end of a link makes of a request, where it is no trouble: nobody tells, or it is more than that. Said
# when it is asked for, and not again.
UNTOLD, MORE = "untold", "more"

EXACTLY, AT_LEAST, AT_MOST, MAXIMUM, PERCENT, ABSENT = "exactly", "at_least", "at_most", "max", "percent", "absent"
# A formula that comes to no number on this host; the fallback says why.
UNKNOWN = "unknown"

# No values to set: a question to ask once they are (see Family.probe), and one to put back should a command change it.
PROBE, WATCH = "probe", "watch"


# What answers a question has done so within the first, unless it says otherwise; drivers that reset a device to set a
# value take ten seconds at times.
READ_SECONDS, WRITE_SECONDS = 20, 30


class TuningError(Exception):
    """A problem that ends the call with one clear message."""


class InputError(TuningError):
    """Invalid input: the message says which value, where, why, and what to write; the host is unchanged."""


class NotThereError(ValueError):
    """A word for what this device does not have, but another change of the same call may bring."""


class HangsError(TuningError):
    """A command that has had its time, and was ended."""


class Address(NamedTuple):
    """Where a value lives: one key of one family on one NIC (scope is empty for the host itself)."""

    family: str
    scope: str
    key: str

    def __str__(self) -> str:
        return " ".join(part for part in (self.scope, self.family, self.key) if part)


class Desired(NamedTuple):
    """What is desired of one key, with a `warning` for each call; an `optional` one is for hosts that can have it.

    `fallback` is what a condition makes of a key that has no value yet; what a later `layer` desires wins. `group` is
    the word of the inventory where it was desired of a whole group, and `how` tells how a computed number came about.
    """

    kind: str
    value: Value = None
    fallback: Value = None
    layer: int = 0
    warning: str = ""
    optional: bool = False
    group: str = ""
    how: str = ""

    @property
    def relative(self) -> bool:
        """Whether the device gives the number, or may do without: a device without the setting is then no error."""
        return self.optional or self.kind in (MAXIMUM, PERCENT)

    def __str__(self) -> str:
        if self.kind in (EXACTLY, UNKNOWN):
            return say(self.value)
        if self.kind == PERCENT:
            return f"{self.value}%"
        return f"{self.kind.replace('_', ' ')} {say(self.value)}" if self.kind in (AT_LEAST, AT_MOST) else self.kind


class Computed(NamedTuple):
    """A value with the numbers that its formulas come to on this host, and how; or the `problem` of one without any."""

    value: Any
    how: str
    problem: str = ""


class Cell(NamedTuple):
    """What the device answers for one key.

    `value` is in force. `requested` is what the kernel holds as such, where the two differ (features).
    `members` are the keys of a group; `rounded` is what an earlier call requested when it got `value`. `level` is
    how many NICs lie below this one (VLAN, bond), `note` what to know when the key is set, and `where` where the
    tool finds it, if not under the name of the NIC. `means` turns a word of the inventory into its value on this
    device; it is pure, and ValueError says why it means nothing here. Where two ends of a link decide together,
    `partner` is what the other makes of the request, which is all that this host decides; `unseen` if it is hidden.
    A `numeric` text is made of whole numbers, and nothing else can be requested.
    """

    value: Value
    requested: Value = None
    maximum: Optional[int] = None
    minimum: Optional[int] = None
    fixed: bool = False
    members: Tuple[str, ...] = ()
    rounded: Value = None
    level: int = 0
    note: str = ""
    where: str = ""
    means: Optional[Callable[[str], Value]] = None
    partner: str = ""
    unseen: bool = False
    numeric: bool = False

    @property
    def restore(self) -> Value:
        """The value that an undo puts back."""
        return self.value if self.requested is None else self.requested

    @property
    def decided(self) -> Value:
        """What this host has decided on: the request where another end has to agree, else what is in force."""
        return self.restore if self.partner else self.value

    def fulfils(self, planned: Value) -> bool:
        """Whether nothing is left to do for a value."""
        return planned in (self.value, self.decided)


class Reading(NamedTuple):
    """All cells of one family on one NIC; without any, `problem` is what the tool said."""

    cells: Mapping[str, Cell] = {}
    problem: str = ""


class Query(NamedTuple):
    """A command that only reads; one that has not answered within these seconds hangs.

    Where one has, the next ones may have to wait for the same thing, and are given less time; but not one that has
    nothing to do with it, which is its `own`.
    """

    argv: Tuple[str, ...]
    seconds: float = READ_SECONDS
    own: bool = False


class Answer(NamedTuple):
    """What a command gave back."""

    rc: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The tool's own words, on one line: with netlink the extended ack is the best diagnosis there is."""
        return " ".join((self.err.strip() or self.out.strip() or f"exit code {self.rc}").split())


class Reader(Protocol):
    """As much of a host as families and tools need, which never change anything; see host.ReadOnlyHost."""

    def ask(self, query: Query) -> Answer:
        """Run a command that only reads."""
        raise NotImplementedError

    def read(self, path: str, most: int = 0) -> Optional[str]:
        """The text of a file; nothing where there is none."""
        raise NotImplementedError

    def exact(self, path: str) -> Optional[str]:
        """The whole text of a file with the ends of its lines as they are; nothing where there is none."""
        raise NotImplementedError

    def names(self, path: str) -> List[str]:
        """The sorted names in a folder; empty where there is none."""
        raise NotImplementedError

    def target(self, path: str) -> str:
        """The last part of what a symbolic link points to."""
        raise NotImplementedError

    def plain(self, path: str) -> bool:
        """Whether there is a regular file, no link, or nothing at all."""
        raise NotImplementedError

    def rights(self, path: str) -> Tuple[int, int]:
        """The mode of a file and the number of its owner."""
        raise NotImplementedError

    def writable(self, path: str) -> bool:
        """Whether the kernel offers a file for writing."""
        raise NotImplementedError

    def exists(self, path: str) -> bool:
        """Whether there is something under a path."""
        raise NotImplementedError

    def program(self, name: str) -> str:
        """The whole path of a program, or its name."""
        raise NotImplementedError


class Run(NamedTuple):
    """Change something by a command; one that takes a batch reads its `lines` from its standard input.

    One that has not ended within these `seconds` hangs. Some programs end with 0 although the kernel has refused, and
    say so on standard error with the words `refused`.
    """

    argv: Tuple[str, ...]
    lines: Tuple[str, ...] = ()
    seconds: float = WRITE_SECONDS
    refused: str = ""

    def __str__(self) -> str:
        return " ".join(quote(word) for word in self.argv)


class Poke(NamedTuple):
    """Change something by a kernel file such as /proc/sys/...; `plain` is the command an administrator would type.

    With `lazy` nothing is written where the file has the text already, as `plain` says by itself.
    """

    path: str
    text: str
    plain: str
    lazy: bool = False

    def __str__(self) -> str:
        return self.plain


class Save(NamedTuple):
    """Replace a file as a whole, or remove it when `text` is None."""

    path: str
    text: Optional[str]
    mode: int = 0o644

    def __str__(self) -> str:
        return f"{'remove' if self.text is None else 'write'} {self.path}"


Action = Union[Run, Poke, Save]


def plain(action: Action) -> Tuple[str, ...]:
    """What an administrator would type to the same effect, command by command."""
    if isinstance(action, Run) and action.lines:
        return tuple(f"{action.argv[0]} {line}" for line in action.lines)
    return (str(action),)


class Identity(NamedTuple):
    """A NIC as selectors see it."""

    name: str
    physical: bool
    driver: str = ""
    mac: str = ""
    pci: str = ""
    bus: str = ""


class Change(NamedTuple):
    """One key that is going to be written."""

    address: Address
    before: Value
    after: Value


class Unsupported(NamedTuple):
    """One desired value that the device cannot fulfil, and why."""

    address: Address
    desired: Desired
    reason: str


class Adjusted(NamedTuple):
    """One desired value that the device fulfilled with a rounded value."""

    address: Address
    requested: Value
    value: Value


class Plan(NamedTuple):
    """What to do: `planned` holds the value that each desired value comes to, be it in force already or not."""

    changes: Tuple[Change, ...] = ()
    unsupported: Tuple[Unsupported, ...] = ()
    adjusted: Tuple[Adjusted, ...] = ()
    planned: Mapping[Address, Value] = {}


DesiredState = Dict[Address, Desired]
Cells = Dict[Address, Cell]


def say(value: Value) -> str:
    """A value as ethtool would print it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ", ".join([*value[:3], *([f"and {len(value) - 3} more"] if len(value) > 3 else [])]) or "nothing"
    return "nothing" if value is None else str(value)


def nearest(word: str, known: Sequence[str], otherwise: bool = True) -> str:
    """`; did you mean 'x'?`, or the list of what there is, to end an error message with."""
    import difflib  # only on the way out with an error: it costs more than the rest of the module

    word = str(word)

    def alike(other: str) -> float:
        """Letters that have changed places, and a beginning that is the same, count for more than their number."""
        same = next((index for index, (one, two) in enumerate(zip(word, other)) if one != two), len(word))
        turned = sorted(word.lower()) == sorted(other.lower())
        return turned + difflib.SequenceMatcher(None, word, other).ratio() + same / (10 * len(word))

    close = difflib.get_close_matches(word, list(known), n=5) or [one for one in known if one.lower() == word.lower()]
    if close:
        return f"; did you mean '{max(close, key=alike)}'?"
    return f"; choose one of {', '.join(sorted(known))}" if otherwise and known else ""
