"""Understand what drivers have answered (tests/unit/cases/drivers), for the page of the drivers and the unit tests.

It reads the texts of the tools in a way of its own, without the parsers of the collection, which are tested by it.
"""

from __future__ import annotations

import functools
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

CASES = Path(__file__).resolve().parent.parent / "tests/unit/cases/drivers"
sys.path.insert(0, str(Path(__file__).parent))
from driver_probe import LONG_NAMES, pairs  # noqa: E402 - what runs in the guest cannot be imported from a package

FAMILIES = {
    "-G": "ring",
    "-L": "channels",
    "-C": "coalesce",
    "-A": "pause",
    "--set-priv-flags": "private_flags",
    "-K": "features",
}
SHORT = {"autonegotiate": "autoneg", **LONG_NAMES}

State = dict[str, object]
Key = tuple[str, str]


@dataclass(frozen=True)
class Try:
    """One command, and what all the tools said before and after it."""

    heading: str
    command: str
    rc: int
    out: str
    err: str
    link_lost: bool
    before: State
    after: State

    @property
    def complaint(self) -> str:
        """The driver's own words, else the tool's: the first line without its frame."""
        lines = (self.err or self.out).splitlines()
        return (
            re.sub(r"netlink error: | \(offset \d+\)|^Error: |^sh: .*echo: |argument .* is wrong: |\.$", "", lines[0])
            if lines
            else ""
        )

    @property
    def desired(self) -> dict[Key, str]:
        """What the command asks for, by family and key; empty for events."""
        words = self.command.split()
        if words[0] == "ethtool":
            flag, rest = words[1], words[3:]
            return {(FAMILIES[flag], key): value for key, value in zip(rest[::2], rest[1::2], strict=True)}
        if self.command.startswith("ip link set dev") and ";" not in self.command:
            return {("link", key): value for key, value in zip(words[5::2], words[6::2], strict=True)}
        match = re.search(r"echo (\S+) > \S+/queues/(\S+)", self.command)
        return {("queues", match[2]): match[1]} if match else {}

    def changes(self) -> dict[Key, tuple[str, str]]:
        """Every value that is different afterwards, before and after."""
        old, new = values(self.before), values(self.after)
        return {key: (old.get(key, ""), new.get(key, "")) for key in {**old, **new} if old.get(key) != new.get(key)}


@dataclass(frozen=True)
class Transcript:
    """What one driver has answered on one release."""

    release: str
    driver: str
    nic: str
    kernel: str
    ethtool: str
    state: State
    tries: list[Try]

    @property
    def linux(self) -> str:
        """The version of the kernel as people say it."""
        return ".".join(self.kernel.split(".")[:2]).partition("-")[0].partition("+")[0]


def all_transcripts() -> list[Transcript]:
    """Every transcript, the oldest kernel first."""
    found = [load(path) for path in CASES.glob("*/*.yml")]
    return sorted(found, key=lambda one: (one.driver, [int(part) for part in one.linux.split(".")]))


def load(path: Path) -> Transcript:
    """Read one file; each try begins with what the one before it has left."""
    told = yaml.load(path.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    state = {name: said if isinstance(said, dict) else _lines(said) for name, said in told["state"].items()}
    tries, now = [], state
    for heading, entries in told["tries"].items():
        for entry in entries:
            after = {**now, **{name: _changed(now[name], hunk) for name, hunk in entry.get("changed", {}).items()}}
            said = (entry.get("rc", 0), entry.get("out", ""), entry.get("err", ""), entry.get("link_lost", False))
            tries.append(Try(heading, entry["do"], *said, before=now, after=after))
            now = after
    facts = (told["release"], told["driver"], told["nic"], told["kernel"], str(told["ethtool"]))
    return Transcript(*facts, state=state, tries=tries)


def _lines(said: object) -> list[str]:
    return said.splitlines() if isinstance(said, str) else []


def _changed(lines: object, hunk: object) -> object:
    """The lines after a change: some by their number, a range of them by other ones, or a complaint in their place.

    Features go by the state that those with these numbers have now.
    """
    if not isinstance(hunk, dict) or "rc" in hunk or not isinstance(lines, list):
        return hunk
    new = list(lines)
    for index, text in hunk.items():
        if isinstance(index, int):
            new[index] = text
        elif not re.fullmatch(r"\d+-\d+", index):
            for number in text:
                new[number] = f"{new[number].partition(': ')[0]}: {index}"
        else:
            start, _dash, end = index.partition("-")
            new[int(start) : int(end)] = text
    return new


def answer(state: State, name: str) -> tuple[int, str, str]:
    """Exit code, output and error output of the tool that tells of a family."""
    said = state[name]
    if isinstance(said, dict):
        return said["rc"], said["out"], said["err"]
    return 0, "".join(f"{line}\n" for line in said), ""


def values(state: State) -> dict[Key, str]:
    """What is in force, by family and key, in the tool's own words; what the device does not have is left out."""
    found: dict[Key, str] = {}
    for name, said in state.items():
        if isinstance(said, list):
            found.update(((name, key), word) for key, word in _values(name, tuple(said)))
    return found


@functools.cache
def _values(name: str, lines: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    if name == "link":
        facts = json.loads("\n".join(lines))[0]
        # iproute2 does not show a queue of no length.
        return (("mtu", str(facts["mtu"])), ("txqueuelen", str(facts.get("txqlen", 0))))
    found = pairs(list(lines))
    if name in ("ring", "channels"):
        found = found[[key for key, _word in found].index("current-hardware-settings") :]
    return tuple((SHORT.get(key, key), word) for key, word in found if word and word != "n/a")


def groups(state: State) -> dict[str, list[str]]:
    """The features that a group such as tso means, which stand below it."""
    found: dict[str, list[str]] = {}
    last = ""
    for line in state["features"]:
        name = line.partition(":")[0]
        if not name.startswith("\t"):
            last = SHORT.get(name, name)
        else:
            found.setdefault(last, []).append(name.strip())
    return found
