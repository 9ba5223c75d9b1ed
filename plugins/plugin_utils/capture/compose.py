# SPDX-License-Identifier: GPL-3.0-or-later
"""Put together what a host has in force and what its files say, and judge each value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from ..findings import judge
from ..guide import masks, reader
from ..guide import model as guide
from ..guide.budget import TooLarge
from ..guide.keys import verdicts
from . import drivers
from .live import Live, words
from .model import LIVE_ONLY, OF_THE_HOST, Address, Captured, Item, Source, bound, nobody, said

# Values of these are compared by the facts; of the others only the host itself can tell whether they are in force.
_COMPARED = ("ring", "channels", "coalesce", "pause", "features", "private_flags", "link", "routes", "sysctl")
# Of values that nobody here can judge, those are worth a line that a person would have set by hand.
_WORTH_A_LINE = ("ring", "channels", "coalesce", "pause", "sysctl")


class Composer:
    """The capture of one host while it is put together."""

    def __init__(self, name: str, facts: Mapping[str, Any]) -> None:
        self.name, self.facts = name, facts
        self.live = Live(facts)
        self.items: dict[Address, Item] = {}
        self.left_out: list[str] = []
        # What files ask for although something else is in force, by address.
        self.disputed: dict[Address, tuple[str, Any]] = {}
        self.sources: list[Source] = []
        # Files that this collection has written: they say where a value comes from, and nobody has to hear of the rest.
        self.ours: set[str] = set()
        self.idle: set[Address] = set()

    def capture(self) -> Captured:
        """The whole of it."""
        configured = self.live.host.get("configured") or {}
        files = configured.get("files") or []
        texts = {str(file["file"]): str(file["text"]) for file in files}
        self.ours = {str(file["file"]) for file in files if file.get("ours")}
        read = self._read(texts)
        self._written(read)
        unknown = self._in_force()
        self._clients()
        self._disputes()
        tuned = (self.live.host.get("managers") or {}).get("tuned") or {}
        profile = "" if configured.get("tuned_chose") else str(tuned.get("profile") or "")
        bonds = (read.get("inventory") or {}).get("tuning_bonds") or []
        self._remarks(read, configured)
        items = [item for item in judged(self.name, self.facts, self._grouped()) if self._plain(item)]
        if masks.templated(profile):
            self.left_out.append(f"tuned: the profile {profile!r} is text that Ansible would take for a template")
            profile = ""
        return Captured(
            host=self.name,
            items=tuple(items),
            left_out=tuple(self.left_out),
            unknown=tuple(unknown),
            bonds=tuple(bonds),
            profile=profile,
            sources=tuple(self.sources),
            idle=frozenset(self.idle),
        )

    def _plain(self, item: Item) -> bool:
        """Whether nothing in it would run on the controller: what a host says is data."""
        found = masks.templated((item.nic, item.family, item.key, item.value))
        if found:
            where = f"{item.nic} {item.family} {item.key}".strip()
            self.left_out.append(f"{where}: {said(item.value)} is text that Ansible would take for a template")
        return not found

    def _written(self, read: Mapping[str, Any]) -> None:
        """What the files say, as far as it is in force."""
        notes: dict[tuple[str, int], str] = {
            (note["file"], note["line"]): note["message"] for note in read.get("notes", ())
        }
        for line in read.get("lines", ()):
            origin = f"{line['file']} line {line['line']}"
            self._source(line)
            for setting in line["settings"]:
                if setting["family"] in ("bond", "profile"):
                    continue
                names = self._names(setting)
                if not names:
                    self.left_out.append(f"{origin}: {nobody(setting)}")
                for nic in names:
                    note = notes.get((line["file"], line["line"]), "")
                    # It may be about another key of the line.
                    others = {other["key"] for other in line["settings"]} - {setting["key"]}
                    said_of_it = (note,) if note and note.partition(":")[0] not in others else ()
                    for address in self._members((nic, setting["family"], setting["key"])):
                        self._one(address, bound(setting["value"]), origin, said_of_it)

    def _source(self, line: Mapping[str, Any]) -> None:
        """Note what a line sets, and whether that is all that it does."""
        settings = [*line["settings"], *line["contradicted"]]
        mixed = bool(set(line["kinds"]) - {guide.NOTE, guide.CONTRADICTS})
        sets: list[Address] = []
        for one in settings:
            names = [] if one["family"] in ("bond", "profile") else self._names(one)
            mixed = mixed or not names
            for nic in names:
                sets += self._members((nic, one["family"], one["key"].partition(" ")[0]))
        if sets and line["file"] not in self.ours:
            self.sources.append(Source(line["file"], line["line"], line["text"], tuple(sets), mixed))

    def _names(self, setting: Mapping[str, Any]) -> list[str]:
        if setting["family"] in OF_THE_HOST:
            return [""]
        match, nic = setting.get("match") or {}, setting.get("nic", "")
        if not match:
            return [name for name in self.live.nics if fnmatchcase(name, nic)]
        return [
            name
            for name, facts in self.live.nics.items()
            if all(fnmatchcase(str(facts.get(key, "")), str(text)) for key, text in match.items())
        ]

    def _members(self, address: Address) -> list[Address]:
        nic, family, key = address
        members = self.live.members(nic, key) if family == "features" else []
        return [(nic, family, member) for member in members] or [address]

    def _one(self, address: Address, desired: Any, origin: str, notes: tuple[str, ...]) -> None:
        nic, family, key = address
        if family not in _COMPARED:
            key, desired = self._whole(address, desired)
            self.items[(nic, family, key)] = Item(nic, family, key, desired, origin, notes)
            return
        cell = self.live.cell(address)
        if cell is None:
            where = "this kernel" if family == "sysctl" else nic
            self.left_out.append(f"{origin}: {where} does not have {_named(address)}")
        elif not _same(family, cell, desired):
            self.disputed[address] = (origin, desired)
        elif self.live.differs(address) is False:
            who = "a package or the kernel" if family == "sysctl" else "the driver"
            self.idle.add(address)
            self.left_out.append(f"{origin}: {_named(address)} {said(desired)} is what {who} sets by itself")
        else:
            self.items[address] = Item(nic, family, key, desired, origin, notes)

    def _whole(self, address: Address, desired: Any) -> tuple[str, Any]:
        """The CPUs of single queues make one value for all, which is in force if any of it is."""
        nic, family, key = address
        plain = key.partition(" ")[0]
        cell = self.live.cell((nic, family, plain)) if plain != key else None
        return plain, cell["value"] if cell else desired

    def _in_force(self) -> list[Item]:
        """What somebody has set that no file says. Gives what nobody here can judge."""
        unknown = []
        for address in self.live.addresses():
            if address in self.items:
                continue
            cell = self.live.cell(address) or {}
            nic, family, key = address
            value = _number(cell["value"]) if family == "sysctl" else drivers.requested(cell)
            item = Item(nic, family, key, value, LIVE_ONLY)
            differs = self.live.differs(address)
            if differs and not self._harms(item):
                self.items[address] = item
            elif differs is None and family in _WORTH_A_LINE and self._speaks(item):
                unknown.append(item)
        return unknown

    def _speaks(self, item: Item) -> bool:
        """Whether a value that may be anybody's is worth a line: no switch that is off, no channels that never change,
        and no flow control that negotiates, which is what the other end makes of it."""
        negotiates = (self.live.cell((item.nic, "pause", "autoneg")) or {}).get("value")
        return item.value is not False and item.key != "other" and not (item.family == "pause" and negotiates)

    def _harms(self, item: Item) -> bool:
        if item.family != "sysctl":
            return False
        for verdict in verdicts.of_parameter(item.key, str(item.value), verdicts.release(self.live.release_text)):
            if verdict.kind in (guide.HARMFUL, guide.NO_EFFECT):
                self.left_out.append(
                    f"in force: {item.key} {item.value} is {verdict.kind.replace('_', ' ')}: {verdict.text}"
                )
                return True
        return False

    def _clients(self) -> None:
        for nic, facts in self.live.nics.items():
            cells = facts.get("multiq") or {}
            clients = (cells.get("clients") or {}).get("value") or []
            if clients and not any(str(client).startswith("pref ") for client in clients):
                method = str((cells.get("method") or {}).get("value"))
                self.items.setdefault(
                    (nic, "multiq", "clients"), Item(nic, "multiq", "clients", list(clients), LIVE_ONLY)
                )
                if method in ("clsact", "multiq"):
                    self.items.setdefault((nic, "multiq", "method"), Item(nic, "multiq", "method", method, LIVE_ONLY))

    def _disputes(self) -> None:
        """What is in force wins; the file that says something else is told."""
        for address, (origin, desired) in self.disputed.items():
            cell = self.live.cell(address) or {}
            if address in self.items:
                item = self.items[address]
                other = item.origin if item.origin != LIVE_ONLY else "live only"
                self.items[address] = item._replace(origin=f"{other}; {origin} says {said(desired)}")
            else:
                value = said(drivers.requested(cell))
                self.left_out.append(f"{origin}: it says {_named(address)} {said(desired)}, and in force is {value}")

    def _grouped(self) -> list[Item]:
        """Groups of features in the place of their members, where these are all alike."""
        for nic in self.live.nics:
            for group, members in self.live.groups(nic):
                mine = [self.items[nic, "features", name] for name in members if (nic, "features", name) in self.items]
                cells = [self.live.cell((nic, "features", name)) or {} for name in members]
                if (
                    mine
                    and len({drivers.requested(cell) for cell in cells}) == 1
                    and len({item.origin for item in mine}) == 1
                ):
                    for item in mine:
                        del self.items[item.address]
                    covered = tuple((nic, "features", name) for name in members)
                    self.items[nic, "features", group] = mine[0]._replace(key=group, covers=covered)
        return list(self.items.values())

    def _read(self, texts: dict[str, str]) -> Mapping[str, Any]:
        """What the files say; one that is too large or too deep to be read is left out, and the others count."""
        while texts:
            try:
                return reader.read_files(texts, reader.Known(self.live.release_text))
            except TooLarge as error:
                self.left_out.append(f"not read: {error}")
                del texts[error.path]
        return {}

    def _remarks(self, read: Mapping[str, Any], configured: Mapping[str, Any]) -> None:
        """Lines that are no value of ours: each in a sentence, those of other tools counted by file."""
        others: dict[str, int] = {}
        for remark in (*read.get("remarks", ()), *read.get("not_understood", ())):
            if remark["file"] in self.ours:
                continue
            if remark["kind"] == guide.OTHER_TOOL:
                others[remark["file"]] = others.get(remark["file"], 0) + 1
            else:
                kind = remark["kind"].replace("_", " ")
                self.left_out.append(f"{remark['file']} line {remark['line']}: {kind}: {remark['message']}")
        for file, number in others.items():
            lines = "1 line that belongs" if number == 1 else f"{number} lines that belong"
            self.left_out.append(f"{file}: {lines} to another tool")
        self.left_out += [f"{path}: not read, because it is too large" for path in configured.get("left_out") or []]
        self.left_out += [f"{path}: not read, because it is a symbolic link" for path in configured.get("links") or []]


def judged(name: str, facts: Mapping[str, Any], items: Iterable[Item]) -> list[Item]:
    """The items with what the audit thinks of them."""
    opinions: dict[Address, list[str]] = {}
    for finding in judge.findings({name: facts}):
        text = f"audit, {finding['severity']}: {finding['title']}"
        for key in finding["remedy"].get("tuning_host_sysctl") or {}:
            opinions.setdefault(("", "sysctl", key), []).append(text)
        for entry in finding["remedy"].get("tuning_host_nics") or []:
            for family, values in entry.items():
                for key in values if isinstance(values, Mapping) else ("",):
                    origin = (entry.get("name", ""), family, key) if key else (entry.get("name", ""), "link", family)
                    opinions.setdefault(origin, []).append(text)
    return [item._replace(notes=(*item.notes, *opinions.get(item.address, ()))) for item in items]


def checked(captured: Captured, result: Mapping[str, Any]) -> Captured:
    """Without what `site` would change: `result` is what `tune` says of it in check mode."""
    if not captured.items:
        return captured
    if result.get("failed") or "before" not in result:
        why = str(result.get("msg") or "the comparison with the host failed")
        return captured._replace(problem=f"site does not accept this: {why}")
    changed = _changes(result)
    refused = {
        (one.get("nic", ""), one.get("family", ""), one.get("key", "")): one for one in result.get("unsupported") or []
    }
    kept, left_out = [], list(captured.left_out)
    for item in captured.items:
        whole = [origin for origin in changed if origin[:2] == item.address[:2]]
        if item.address in refused:
            left_out.append(
                f"{item.origin}: {_named(item.address)} {said(item.value)}: {refused[item.address]['reason']}"
            )
        elif item.address in changed or (whole and item.key in ("tx", "sg", "tso", "clients", "method")):
            origin = item.address if item.address in changed else whole[0]
            left_out.append(_not_in_force(item, changed[origin]))
        else:
            kept.append(item)
    return captured._replace(items=tuple(kept), left_out=tuple(left_out))


def _changes(result: Mapping[str, Any]) -> dict[Address, str]:
    """What `tune` would change, with what is in force."""
    before, after = result.get("before") or {}, result.get("after") or {}
    found: dict[Address, str] = {}
    for family in OF_THE_HOST:
        for key, value in (after.get(family) or {}).items():
            was = (before.get(family) or {}).get(key)
            if words(was) != words(value):
                found["", family, key] = said(was)
    for nic, families in (after.get("nics") or {}).items():
        for family, values in families.items():
            for key, value in values.items() if isinstance(values, Mapping) else (("", values),):
                old = ((before.get("nics") or {}).get(nic) or {}).get(family)
                was = (old or {}).get(key) if key else old
                if was != value:
                    found[(nic, family, key) if key else (nic, "link", family)] = said(was)
    return found


def _not_in_force(item: Item, value: str) -> str:
    name = f"{_named(item.address)} {said(item.value)}"
    if item.origin == LIVE_ONLY:
        return f"{name} was in force when the host was read, and a moment later it was {value}"
    return f"{item.origin}: it says {name}, and in force is {value}"


def _same(family: str, cell: Mapping[str, Any], desired: Any) -> bool:
    value = drivers.requested(cell)
    if family == "sysctl":
        return words(value) == words(desired)
    most = cell.get("maximum")
    if desired == "max":
        return most is None or bool(value == most)
    if isinstance(desired, str) and desired.endswith("%") and most:
        return bool(value == int(most) * int(desired[:-1]) // 100)
    return bool(value == desired)


def _number(value: Any) -> Any:
    text = words(value)
    return int(text) if text.lstrip("-").isdecimal() else text


def _named(address: Address) -> str:
    nic, family, key = address
    return (
        key
        if family in OF_THE_HOST
        else " ".join(part for part in (nic, "" if family == "link" else family, key) if part)
    )
