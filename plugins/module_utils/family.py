# SPDX-License-Identifier: GPL-3.0-or-later
"""Describe a family: the keys that one tool reads and sets in one go, as data that the engine works by."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import Any, Callable, Container, Mapping, NamedTuple, Optional, Sequence, Tuple

from .schema import Action, Address, Cell, Change, Desired, InputError, Reader, Reading, Value, nearest

# What the keys of a family belong to: a NIC, the host itself, or an entry of an option of the module.
NIC = "nic"
HOST = "host"
ENTRY = "entry"


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


class Expansion(NamedTuple):
    """What desired values come to on one NIC: by key what to set, what is refused and why, and what to know."""

    desired: Mapping[str, Desired] = {}
    refused: Mapping[str, str] = {}
    remarks: Tuple[str, ...] = ()


class Family(NamedTuple):
    """A group of keys that one tool reads in one go and sets in one go; all else is for those that are not as plain.

    `write` gets the values to set and the cells as they were read last. A family without fields is for what others take
    along alone, and nobody can ask for it.
    """

    name: str
    module: str
    scope: str
    read: Callable[[Reader, str, Sequence[str]], Reading]
    write: Callable[[str, Mapping[str, Value], Mapping[str, Cell]], Sequence[Action]]
    about: str = ""
    fields: Tuple[Field, ...] = ()

    # Keys that only the device knows: their kind, what one looks `like`, and one of this host that could have been
    # meant. `open_parse` reads one of no common kind; `open_rounding` has the rounding by patterns in shell style.
    open_kind: str = ""
    like: str = ""
    near: Optional[Callable[[Reader, str], str]] = None
    open_parse: Optional[Callable[[Any, Any], Desired]] = None
    open_rounding: Mapping[str, int] = {}
    key_pattern: str = r"[A-Za-z0-9][A-Za-z0-9_.:+-]*"
    aliases: Mapping[str, str] = {}
    canonical: Callable[[str], str] = str

    # What ends the message when a device does not take a value. A complaint that holds a word of `refusals` means that
    # it never will, and why; `lacks` are the same for what is optional. `partners` has what to say of a `partner` of a
    # cell.
    hint: str = ""
    refusals: Mapping[str, str] = {}
    lacks: Mapping[str, str] = {}
    explain: Optional[Callable[[Reader, str], str]] = None
    partners: Mapping[str, str] = {}

    # From what a person writes to values. The keys of a `flat` family stand in the entry itself; `unfold` makes single
    # keys of what is written together; `expand` turns what is desired of one NIC into what to set, with its cells and
    # the values of families before it. A family of scope ENTRY has `options` of its own, of which the first holds its
    # entries by name, and `desire` turns them into desired values; keys that are paths hold whole files.
    flat: bool = False
    unfold: Optional[Callable[[Mapping[str, Any]], Mapping[str, Any]]] = None
    expand: Optional[Callable[[str, Mapping[str, Desired], Mapping[str, Cell], Mapping[Address, Value]], Expansion]] = (
        None
    )
    options: Mapping[str, Mapping[str, Any]] = {}
    desire: Optional[Callable[[Reader, Mapping[str, Any]], Mapping[Address, Desired]]] = None

    # After a change: values may take effect within `patience` seconds; `probe` asks a last question about those that
    # were set, and an answer is a complaint. Of a `wordy` family the device tells more than was requested, which is no
    # part of what a change is reported to have brought.
    patience: float = 0
    probe: Optional[Callable[[Reader, str, str, Mapping[str, Cell]], str]] = None
    wordy: bool = False

    # A change of a family that `cuts` may take the connection away; of others, one of a key that fits `cutting`.
    cuts: bool = False
    cutting: str = ""

    # An undo. A change may disturb the `neighbours` of a NIC, which are restored too. Keys that are `derived` say how
    # well something holds, and are nothing to go back to. The keys of a `whole` family hang on each other, and go back
    # together. The default of a family is `made_of` keys of others, as they are at that moment, so it is set after
    # these.
    neighbours: Optional[Callable[[Reader, str], Sequence[str]]] = None
    derived: Tuple[str, ...] = ()
    whole: bool = False
    made_of: Tuple[Tuple[str, str], ...] = ()
    # `original` gives what there is to restore by now, where an original has parts that are not ours.
    original: Optional[Callable[[Reader, str, Value], Value]] = None

    # What changes of other families do to this one. One in `shaken_by` makes the driver work out values anew, or takes
    # them away with a queue: all, or the `shaken` keys; an undo sets them after it, and `foresee` gives the cells that
    # there will be, from its values before and after; so it does after one in `counted_by`, which takes nothing along.
    # `reach` names the NICs that only few of those changes touch; `lost` goes for good with a queue: by key, what a new
    # one has.
    shaken_by: Tuple[str, ...] = ()
    counted_by: Tuple[str, ...] = ()
    shaken: Tuple[str, ...] = ()
    foresee: Optional[Callable[[Mapping[str, Cell], Mapping[str, Value], Mapping[str, Value]], Mapping[str, Cell]]] = (
        None
    )
    reach: Optional[Callable[[Reader, Sequence[Change]], Sequence[str]]] = None
    lost: Mapping[str, Value] = {}

    # A family goes before others where a number of theirs goes down on the same NIC: what uses queues lets go of them
    # first. By a key in `lets_go` it goes before another family if both go down.
    goes_before: Tuple[str, ...] = ()
    lets_go: Mapping[str, str] = {}

    # The next boot. `boot` gives the commands for a NIC that is fresh from its driver, where they are others than
    # `write` would give now. A `loose` family's keys are apart: one that the kernel of the day does not know spoils
    # none of the others. A `late` one waits for what comes after the NIC, so that its commands are the last. Of keys
    # that fit `blind` the commands need no cells, so they can be kept for a NIC that is not there yet.
    boot: Optional[Callable[[str, Mapping[str, Value], Mapping[str, Cell]], Sequence[Action]]] = None
    loose: bool = False
    late: bool = False
    blind: Tuple[str, ...] = ()

    # A family that `follows` others is the file that keeps their values over a reboot: its desired values come from
    # theirs, `path` tells where it lies, and `rivals` which files override it.
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
