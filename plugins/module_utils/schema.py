# SPDX-License-Identifier: GPL-3.0-or-later
"""Describe: the words that every other part speaks, from what a person writes to what a device answers.

The words are named tuples, not frozen dataclasses: Python makes their classes ten times as fast, and every call on
every host makes them anew.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Any, Callable, Container, Dict, List, Mapping, NamedTuple, Optional, Protocol, Sequence, Tuple, Union

from .text import quote

Value = Union[None, bool, int, str, Tuple[str, ...]]

NIC = "nic"
HOST = "host"
ENTRY = "entry"
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


class Field(NamedTuple):
    """One key a person may write.

    `rounding` is how far a device may round a number in its own units; `parse` reads what no common kind does. A number
    is one of a `unit`.
    """

    name: str
    kind: str
    about: str = ""
    relative: bool = False
    rounding: int = 0
    words: Tuple[str, ...] = ()
    choices: Tuple[int, ...] = ()
    parse: Optional[Callable[[Any, Any], Desired]] = None
    unit: str = ""


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


class Expansion(NamedTuple):
    """What desired values come to on one NIC: by key what to set, what is refused and why, and what to know."""

    desired: Mapping[str, Desired] = {}
    refused: Mapping[str, str] = {}
    remarks: Tuple[str, ...] = ()


class Family(NamedTuple):
    """A group of keys that one tool reads in one go and sets in one go.

    `open_kind` is the kind of keys that only the device knows, of which one looks `like` this; `near` names one that
    could have been meant on this host. `open_parse` reads one of no common kind, and `open_rounding` has the
    rounding of those whose name matches a pattern in shell style. `hint` and
    `explain` end the message when a device does not take a value; a complaint that holds a word of `refusals` means
    that it never will, and why. A family that `follows` others is the file that keeps their values over a reboot: its
    desired values come from theirs, `path` tells where it lies, and `rivals` which files override it.
    The keys of a `flat` family stand in the entry itself. A change may disturb the `neighbours` of a NIC, which
    an undo then restores too. `probe` asks a last question about values that were set; an answer is a complaint.
    `partners` has what to say of a `partner` of its cells; `lacks` are like `refusals`, but for what is optional.
    `expand` turns what is desired of one NIC into what to set: with its cells, and the values of families before it.
    A family of scope ENTRY has `options` of its own, of which the first holds its entries by name; `desire` turns them
    into desired values. Keys that are paths hold whole files. What it sets may take effect within `patience` seconds.
    A change of a family that `cuts` may take the connection away; of others, one of a key that fits `cutting`. `boot`
    gives the commands for a NIC that is fresh from its driver, where they are others than `write` would give now. Keys
    that are `derived` say how well something holds, and are nothing to go back to. A change of a family in `shaken_by`
    makes the driver work out values anew, or takes them away with a queue: all, or the `shaken` keys; an undo sets them
    after it, and `foresee` gives the cells that there will be, from its values before and after; so it does after a
    change of a family in `counted_by`, which takes nothing along. `reach` names the NICs of a family that only few of
    those changes touch; what goes for good with a queue stands in `lost`, with what a new one has. A family without
    fields is for this alone, and nobody can ask for it. Its default is `made_of` keys of other families, as they are at
    that moment, so an undo sets it after these. A family `goes_before` others where a number of theirs goes
    down on the same NIC: what uses queues lets go of them first. By a key in `lets_go` one goes before another family
    if both go down. The keys of a family that is `loose` are apart: at boot, one that the kernel of the day does not
    know spoils none of the others. Those of one that is `whole` hang on each other, and go back together. `unfold`
    makes single keys of what a person writes together. At boot, one that is `late` waits for what comes after the NIC,
    so that its commands are the last. Of keys that fit `blind` the commands need no cells, so they can be kept for a
    NIC that is not there yet. Of a `wordy` one the device tells more than was requested, which is no part of what a
    change is reported to have brought.
    """

    name: str
    module: str
    scope: str
    read: Callable[[Reader, str, Sequence[str]], Reading]
    write: Callable[[str, Mapping[str, Value], Mapping[str, Cell]], Sequence[Action]]
    about: str = ""
    fields: Tuple[Field, ...] = ()
    open_kind: str = ""
    like: str = ""
    near: Optional[Callable[[Reader, str], str]] = None
    open_parse: Optional[Callable[[Any, Any], Desired]] = None
    open_rounding: Mapping[str, int] = {}
    key_pattern: str = r"[A-Za-z0-9][A-Za-z0-9_.:+-]*"
    aliases: Mapping[str, str] = {}
    canonical: Callable[[str], str] = str
    hint: str = ""
    refusals: Mapping[str, str] = {}
    explain: Optional[Callable[[Reader, str], str]] = None
    flat: bool = False
    neighbours: Optional[Callable[[Reader, str], Sequence[str]]] = None
    probe: Optional[Callable[[Reader, str, str, Mapping[str, Cell]], str]] = None
    expand: Optional[Callable[[str, Mapping[str, Desired], Mapping[str, Cell], Mapping[Address, Value]], Expansion]] = (
        None
    )
    options: Mapping[str, Mapping[str, Any]] = {}
    desire: Optional[Callable[[Reader, Mapping[str, Any]], Mapping[Address, Desired]]] = None
    patience: float = 0
    cuts: bool = False
    cutting: str = ""
    derived: Tuple[str, ...] = ()
    shaken_by: Tuple[str, ...] = ()
    counted_by: Tuple[str, ...] = ()
    made_of: Tuple[Tuple[str, str], ...] = ()
    reach: Optional[Callable[[Reader, Sequence[Change]], Sequence[str]]] = None
    goes_before: Tuple[str, ...] = ()
    lets_go: Mapping[str, str] = {}
    shaken: Tuple[str, ...] = ()
    lost: Mapping[str, Value] = {}
    foresee: Optional[Callable[[Mapping[str, Cell], Mapping[str, Value], Mapping[str, Value]], Mapping[str, Cell]]] = (
        None
    )
    loose: bool = False
    whole: bool = False
    late: bool = False
    blind: Tuple[str, ...] = ()
    wordy: bool = False
    unfold: Optional[Callable[[Mapping[str, Any]], Mapping[str, Any]]] = None
    boot: Optional[Callable[[str, Mapping[str, Value], Mapping[str, Cell]], Sequence[Action]]] = None
    partners: Mapping[str, str] = {}
    lacks: Mapping[str, str] = {}
    follows: Tuple[str, ...] = ()
    path: Optional[Callable[[Mapping[str, Any]], str]] = None
    rivals: Optional[Callable[[Reader, str, Sequence[str]], Sequence[Mapping[str, str]]]] = None

    def disturbed(self, scope: str, changed: Container[Tuple[str, str]]) -> bool:
        """Whether a change of (family, NIC) may take values of this family along; what it reaches is read for that."""
        return bool(self.reach) or any((cause, scope) in changed for cause in self.shaken_by)

    @property
    def named(self) -> bool:
        """Whether somebody can ask for it: it has keys of its own, or follows others into a file."""
        return bool(self.fields or self.open_kind or self.options or self.follows)

    @property
    def option(self) -> str:
        """The option of a module that holds what is desired of this family."""
        return "nics" if self.scope == NIC else next(iter(self.options), self.name)

    @property
    def dropin(self) -> str:
        """The file with its commands at boot, which it shares with its module unless it is late."""
        return self.name if self.late else self.module

    def field(self, key: str) -> Field:
        """The field behind a key as written, under its canonical name; InputError names the nearest right one."""
        name = self.canonical(self.aliases.get(key, key))
        for known in self.fields:
            if known.name == name:
                return known
        if self.open_kind and re.fullmatch(self.key_pattern, name) and ".." not in name:
            known_to_round = [units for shape, units in self.open_rounding.items() if fnmatchcase(name, shape)]
            return Field(name, self.open_kind, rounding=max(known_to_round, default=0), parse=self.open_parse)
        names = [known.name for known in self.fields] + list(self.aliases)
        like = f"; a key looks like '{self.like}'" if self.like else ""
        raise InputError(f"{self.name} has no key '{key}'{nearest(key, names, otherwise=not self.open_kind) or like}")


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
