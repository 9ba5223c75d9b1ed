# SPDX-License-Identifier: GPL-3.0-or-later
"""Describe what becomes of the lines of a guide: settings, remarks, what was not understood, and what sets nothing."""

from __future__ import annotations

from contextlib import contextmanager
from copy import copy
from typing import Any, Dict, FrozenSet, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from . import masks
from .distinct import Distinct

# Why a line is no inventory although it was understood.
HARMFUL, NO_EFFECT, CONTRADICTS, OTHER_TOOL = "harmful", "no_effect", "contradicts", "other_tool"
# What the text alone cannot tell: a value that is computed on the host, or one that holds for some hosts only.
ON_HOST, CONDITIONAL = "on_host", "conditional"
# Beside an inventory line: what to know of it.
NOTE = "note"
# A line that looks as if it set something, but only shows what is set.
NOTHING = "nothing"

HOST = ""

# A numbered line of the text; readers get their part of the text in this form, so that each answer finds its line.
Line = Tuple[int, str]
# Which cases of conditions a command stands in: the number of the condition, the number of the case, its name.
Branch = Tuple[Tuple[int, int, str], ...]
# By line, the same of the conditions of a template, with when these hold.
Cases = Mapping[int, Tuple[Branch, Tuple[str, ...]]]


def dedented(lines: Sequence[Line]) -> List[Line]:
    """Lines that stand further in as a whole, as they would at the margin."""
    width = min((len(text) - len(text.lstrip()) for _number, text in lines if text.strip()), default=0)
    return [(number, text[width:]) for number, text in lines]


class Setting(NamedTuple):
    """One value for one key of one family on one NIC (or on the host)."""

    line: int
    nic: str
    family: str
    key: str
    value: Any
    branch: Branch = ()
    match: Tuple[Tuple[str, str], ...] = ()

    @property
    def address(self) -> Tuple[str, Tuple[Tuple[str, str], ...], str, str]:
        """What it sets; two settings of one address contradict each other."""
        return self.nic, self.match, self.family, self.key

    @property
    def named(self) -> str:
        """The setting as a message names it."""
        nic = self.nic or " ".join(f"{key} {value}" for key, value in self.match)
        return " ".join(str(part) for part in (nic, self.family, self.key, self.value) if part != "")


class Use(NamedTuple):
    """What a text says of when a line of it is to be used."""

    lead: int  # the line of the words right above it, or its own where they stand behind it
    words: str
    use: str  # what names a use, in these words or in the heading above
    block: int
    by: int = 0  # the line of that
    part: int = 0  # the line of the heading of its part
    opening: str = ""  # the line in which these words begin
    option: int = 0  # the line that begins the part of it, where a text numbers parts that stand in for one another
    options: int = 0  # that of the first one of these
    title: str = ""  # what that line says
    whole: int = 0  # the same as option, where a heading begins it, so that all below goes with it
    headed: bool = False  # whether a heading names the use
    only: bool = False  # whether the words say that it is for some hosts only, and for the lines right below alone


class Part(NamedTuple):
    """What to note where a part of a condition compares variables with words, and these words."""

    said: str
    words: FrozenSet[str]
    nics: FrozenSet[str] = frozenset()  # where it compares two variables, the NICs that these stand for

    def tells(self, names: Set[str]) -> bool:
        """Whether a setting needs the note, by the words that say which NICs it is for."""
        return not self.words & names and (not self.nics or bool(self.nics & names))


class Case(NamedTuple):
    """Which hosts, or calls of a script, have what stands in a case; nothing is said of that of a plain call."""

    said: str
    words: FrozenSet[str] = frozenset()  # by which it is chosen
    noted: bool = True  # whether to note it where there is no other case


class Remark(NamedTuple):
    """Why a line is left out of the inventory, or what to know of one that is in it."""

    line: int
    kind: str
    text: str


def exclusive(one: Branch, other: Branch) -> Optional[str]:
    """The condition of which two commands are different cases, if there is one."""
    mine = {group: (number, kind) for group, number, kind in one}
    for group, number, kind in other:
        if group in mine and mine[group][0] != number:
            return "if" if "if" in (kind, mine[group][1]) else kind
    return None


PHYSICAL = (("driver", "*"),)  # every NIC that has a driver
# What stands for NICs that have no name in a text.
_MEANT = {masks.HARDWARE: PHYSICAL, masks.DEFAULT_ROUTE: (("default_route", "true"),)}


class Sink:
    """Collects what readers find; the only thing that they write to."""

    def __init__(self) -> None:
        self.settings: Distinct[Setting] = Distinct()
        self.remarks: Distinct[Remark] = Distinct()
        self.lost: Distinct[Remark] = Distinct()
        self.idle: Distinct[Remark] = Distinct()
        self.seen: Dict[int, str] = {}
        # By a line that goes on with another one, the line in which that begins.
        self.tails: Dict[int, int] = {}
        # By a line of a function, the lines that call it, where what it sets is told.
        self.called: Dict[int, Set[int]] = {}
        self.branch: Branch = ()
        self.cases: Dict[int, Tuple[Branch, Tuple[str, ...]]] = {}
        self.written_in: Dict[int, Branch] = {}  # the branches in which scripts have written lines of files
        self.groups = 0
        # What chooses between hosts or calls: by its number the cases by theirs, and by what it is called its number.
        self.roles: Dict[int, Dict[int, Case]] = {}
        self.kinds: Dict[str, Tuple[int, List[str]]] = {}
        self.driver = ""  # of all NICs without a name that a command is for, where a script asks for it
        # The file and its line behind a number, where several files are read as one.
        self.where: Dict[int, Tuple[str, int]] = {}
        # Settings that another one contradicts, which comes later or is the other case of a condition.
        self.losers: List[Setting] = []
        # While it holds a sentence, whatever would be set is left out for this reason.
        self.dead: Tuple[str, str] = ("", "")
        # By line, the same for what stands in it, whoever reads it and when.
        self.never: Dict[int, Tuple[str, str]] = {}
        self.instead: Set[int] = set()  # lines that the text offers in place of earlier ones
        # By line, for which use the text gives it.
        self.uses: Dict[int, Use] = {}
        # What would be settings if it did no harm.
        self.harmful: List[Setting] = []
        # While it holds sentences, they are noted of whatever is set and becomes inventory.
        self.caveats: Tuple[str, ...] = ()
        # The same of what conditions compare, which the NIC of a setting may say by itself.
        self.parts: Tuple[Part, ...] = ()
        self.needed: Dict[Tuple[int, Tuple[Any, ...]], List[str]] = {}  # by setting, what is noted of these
        # By lines of files that scripts have written, what was noted then.
        self.told_in: Dict[int, Tuple[Tuple[str, ...], Tuple[Part, ...]]] = {}
        self.noted: List[Remark] = []

    def set(
        self,
        line: int,
        nic: str,
        family: str,
        key: str,
        value: Any,
        match: Sequence[Tuple[str, str]] = (),
    ) -> None:
        """A value that belongs into the inventory, unless it stands where nothing runs."""
        kind, why = self._left_out(line)
        if kind:
            self.remark(line, kind, why)
            return
        if self.driver and not match and family != "bond" and any(char in nic for char in "$*"):
            nic, match = "", (("driver", self.driver),)
        if nic in _MEANT:
            nic, match = "", _MEANT[nic]
        if any(masks.templated(part) for part in (nic, key, value, *(text for _key, text in match))):
            self.unknown(line, "Ansible would run this as a template if it stood in an inventory")
            return
        branch, caveats = self.cases.get(line, ((), ()))
        branch = (*branch, *(self.branch or self.written_in.get(line, ())))
        setting = Setting(line, nic, family, key, value, branch, tuple(match))
        earlier, parts = self.told_in.get(line, ((), ()))
        for caveat in (*caveats, *self.caveats, *earlier):
            self.note(line, caveat)
        names = {nic, *(text for _key, text in match)}
        said = [part.said for part in (*self.parts, *parts) if part.tells(names)]
        # What several cases set alike needs only what these have in common.
        alike = line, (*setting.address, str(value))
        self.needed[alike] = [one for one in self.needed.get(alike, said) if one in said]
        self.settings.add(setting)

    def _left_out(self, line: int) -> Tuple[str, str]:
        """Why nothing that is found in a line now is for the inventory."""
        return self.dead if self.dead[0] else self.never.get(line, self.dead)

    def only_otherwise(self, first: Sequence[Setting], start: int) -> None:
        """Of the settings from a number on, leave out what only stands in for others, for it runs if these fail."""
        lines = {(one.nic, one.match, one.family): one.line for one in first}
        same = {one.address for one in first}
        kept: List[Setting] = []
        for one in self.settings[start:]:
            line = lines.get((one.nic, one.match, one.family))
            if line is None or one.address in same:
                kept.append(one)
            else:
                said = f"{one.family} {one.key} {one.value}: it runs only where {self.position(line)} fails"
                self.remark(
                    one.line,
                    CONDITIONAL,
                    said if one.line != line else said.replace(" where ", " where the command before it in "),
                )
        self.settings.replace(start, kept)

    @contextmanager
    def under(self, kind: str, why: str) -> Iterator[None]:
        """Leave out what would be set meanwhile, for a reason; without one all is as before, and will be again."""
        before = self.dead
        self.dead = (kind, why) if why else before
        try:
            yield
        finally:
            self.dead = before

    def case(self, kind: str, name: str, case: Case) -> Branch:
        """A case among those of one kind, by its name."""
        group, names = self.kinds.setdefault(kind, (self.groups + 1, []))
        self.groups = max(self.groups, group)
        names += [name] if name not in names else []
        self.roles.setdefault(group, {})[names.index(name)] = case
        return ((group, names.index(name), "if"),)

    @contextmanager
    def among(self, branch: Branch) -> Iterator[None]:
        """What is set meanwhile stands in more cases."""
        before = self.branch
        self.branch = (*before, *branch)
        try:
            yield
        finally:
            self.branch = before

    @contextmanager
    def unheard(self) -> Iterator[None]:
        """Forget what is found meanwhile."""
        before = {name: copy(value) for name, value in vars(self).items()}
        try:
            yield
        finally:
            vars(self).update(before)

    @contextmanager
    def noting(self, caveat: str, without: str = "") -> Iterator[None]:
        """Note a sentence of what is set meanwhile, if there is one, and another one no more."""
        before = self.caveats, self.parts
        kept = tuple(one for one in self.caveats if one != without)
        self.caveats = (*kept, caveat) if caveat and caveat not in kept else kept
        try:
            yield
        finally:
            self.caveats, self.parts = before

    @contextmanager
    def needing(self, parts: Sequence[Part]) -> Iterator[None]:
        """Note what a condition compares of what is set meanwhile."""
        before = self.parts
        self.parts = (*before, *parts)
        try:
            yield
        finally:
            self.parts = before

    def writes(self, lines: Sequence[Line]) -> None:
        """Keep in which cases a script writes lines of a file, which is read later."""
        for number, _text in lines:
            if self.branch:
                self.written_in[number] = self.branch
            # A function may write them in several cases, which have only this in common.
            caveats, parts = self.told_in.get(number, (self.caveats, self.parts))
            kept = tuple(one for one in caveats if one in self.caveats)
            self.told_in[number] = kept, tuple(one for one in parts if one in self.parts)

    def remark(self, line: int, kind: str, text: str) -> None:
        """Something understood that is not for the inventory."""
        dead, why = self._left_out(line)
        if dead == NOTHING:
            self.nothing(line, why)
            return
        found = Remark(line, dead, masks.shown(why)) if dead else Remark(line, kind, masks.said(text))
        if not (dead and kind == NOTE):
            (self.idle if dead else self.remarks).add(found)

    def gives_way(self, loser: Setting, winner: Setting, why: str) -> None:
        """A setting that another one keeps out of the inventory."""
        text = f"{loser.named} contradicts {self.position(winner.line)}, {why}: {winner.value}"
        self.remark(loser.line, CONTRADICTS, text)
        self.losers.append(loser)

    def note(self, line: int, text: str) -> None:
        """What to know of a line if it becomes inventory."""
        self.noted.append(Remark(line, NOTE, text))

    def position(self, line: int) -> str:
        """A line as a message names it."""
        file, number = self.where.get(line, ("", line))
        return f"line {number} of {file}" if file else f"line {number}"

    def close(self) -> None:
        """What never runs is said of lines that do not run at another time, and what settings need of these."""
        for (line, _alike), said in self.needed.items():
            for one in said:
                self.note(line, one)
        used = {setting.line for setting in self.settings}
        used.update(remark.line for remark in (*self.remarks, *self.lost))
        for remark in self.idle:
            if remark.line not in used:
                self.remarks.add(remark)
        self.idle = Distinct()

    def unknown(self, line: int, text: str) -> None:
        """Something that nobody here understands."""
        kind, why = self._left_out(line)
        if kind:
            self.remark(line, kind, why)
            return
        self.lost.add(Remark(line, "not_understood", masks.shown(text)))

    def goes_on(self, line: int, first: int) -> None:
        """A line that ends what another one begins: what becomes of that one becomes of both."""
        if line != first:
            self.tails.setdefault(line, first)

    def harms(self, line: int, family: str, key: str, value: Any) -> None:
        """A value for the host that is left out because it does harm."""
        if not self._left_out(line)[0]:
            self.harmful.append(Setting(line, HOST, family, key, value))

    def nothing(self, line: int, why: str) -> None:
        """A line that sets nothing, unless something else is said of it."""
        self.seen.setdefault(line, why)


def numbered(text: str) -> List[Line]:
    """The lines of a whole text."""
    return list(enumerate(text.splitlines(), 1))
