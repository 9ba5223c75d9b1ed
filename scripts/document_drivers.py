# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the tables of docs/drivers.md from what the drivers of the lab have answered: `make docs`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from driver_answers import Key, Transcript, Try, all_transcripts, groups, values

PAGE = Path(__file__).resolve().parent.parent / "docs/drivers.md"
BEGIN, END = "<!-- begin: make docs -->\n", "<!-- end: make docs -->\n"
NUMBERS = ("ring", "channels", "coalesce", "link", "queues")
SHOWN = 6
Row = tuple[str, ...]


def main() -> int:
    """Write the tables, or with --check tell whether they are up to date."""
    text = PAGE.read_text()
    before, _begin, rest = text.partition(BEGIN)
    _tables, _end, after = rest.partition(END)
    new = f"{before}{BEGIN}\n{tables(all_transcripts())}\n{END}{after}"
    if "--check" in sys.argv[1:]:
        if new != text:
            print("docs/drivers.md is not up to date; run: make docs")
        return int(new != text)
    if new != text:
        PAGE.write_text(new)
        print("wrote docs/drivers.md")
    return 0


def tables(transcripts: list[Transcript]) -> str:
    """All tables; rows that say the same of several kernels are one."""
    parts = [
        ("Tested versions", ("release", "Linux", "ethtool"), _releases(transcripts)),
        (
            "Numbers",
            ("driver", "setting", "accepted", "changed by the driver", "refused (exit code)", "side effects"),
            merged(transcripts, numbers),
        ),
        (
            "Switches",
            ("driver", "setting", "requested", "result", "side effects"),
            merged(transcripts, switches),
        ),
        ("Not supported", ("driver", "settings", "message (exit code)"), merged(transcripts, absent)),
        ("What survives", ("driver", "event", "stays", "is lost"), merged(transcripts, survival)),
    ]
    return "\n".join(f"### {title}\n\n{_table(head, rows, title)}" for title, head, rows in parts)


def _table(head: Iterable[str], rows: Iterable[Row], title: str) -> str:
    columns = [*head, *(() if title == "Tested versions" else ("Linux",))]
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)


def _releases(transcripts: list[Transcript]) -> list[Row]:
    found = {(one.release, one.linux, one.ethtool) for one in transcripts}
    return sorted(found, key=lambda row: [int(part) for part in row[1].split(".")])


def merged(transcripts: list[Transcript], rows: Callable[[Transcript], Iterator[Row]]) -> list[Row]:
    """The rows of all kernels: the last column names those that behave like this, and is empty where all do."""
    where: dict[Row, list[str]] = {}
    kernels: dict[str, list[str]] = {}
    for one in transcripts:
        kernels.setdefault(one.driver, []).append(one.linux)
        for row in rows(one):
            where.setdefault(row, []).append(one.linux)
    order: dict[Row, tuple[int, int]] = {}
    subjects: list[Row] = []
    for index, row in enumerate(where):
        if row[:2] not in subjects:
            subjects.append(row[:2])
        order[row] = (subjects.index(row[:2]), index)
    drivers = list(kernels)
    return [
        (*row, "all" if where[row] == kernels[row[0]] else ", ".join(where[row]))
        for row in sorted(where, key=lambda row: (drivers.index(row[0]), order[row]))
    ]


def _by_key(one: Transcript) -> dict[Key, list[Try]]:
    """The commands that ask for one thing, by that."""
    found: dict[Key, list[Try]] = {}
    for item in one.tries:
        if len(item.desired) == 1 and not item.heading.startswith("survival"):
            found.setdefault(next(iter(item.desired)), []).append(item)
    return found


def _name(key: Key) -> str:
    return key[1] if key[0] in ("link", "queues") else " ".join(key)


def _there(one: Transcript, key: Key, tries: list[Try]) -> bool:
    """Whether the device has it at all: it says so, and takes at least what it has."""
    return key in values(one.state) and not tries[0].rc if key[0] != "queues" else any(not item.rc for item in tries)


def numbers(one: Transcript) -> Iterator[Row]:
    """What becomes of the numbers that were asked for."""
    for key, tries in _by_key(one).items():
        if key[0] not in NUMBERS or not _there(one, key, tries) or not tries[0].desired[key].isalnum():
            continue
        if tries[0].desired[key] in ("on", "off"):
            continue
        taken, others, refused, besides = [], [], {}, {}
        for item in tries:
            desired, now = item.desired[key], values(item.after).get(key, "0")
            if desired == now:
                taken.append(desired)
            elif item.rc:
                refused.setdefault(_words(item), []).append(desired)
            else:
                others.append(f"{desired} gives {now}")
            besides.update(dict.fromkeys(_besides(item)))
        told = [f"{', '.join(dict.fromkeys(desired))}: {words}" for words, desired in refused.items()]
        ordered = sorted(dict.fromkeys(taken), key=lambda word: int(word, 16))
        yield (one.driver, _name(key), ", ".join(ordered), ", ".join(others), "; ".join(told), _list(besides))


def _words(item: Try) -> str:
    return f"{item.complaint} ({item.rc})"


def _besides(item: Try) -> list[str]:
    """What else is different afterwards; interrupts have new names when there are more or fewer of them."""
    keys = [key for key in item.changes() if key not in item.desired and key[0] not in ("irq", "queues")]
    names = [key[1] if key[0] == "features" else _name(key) for key in keys]
    spread = any(key[0] == "queues" and key not in item.desired for key in item.changes())
    return [*(["the link is lost for a moment"] if item.link_lost else []), *names, *(["RPS or XPS"] if spread else [])]


def _list(words: Iterable[str]) -> str:
    listed = list(dict.fromkeys(words))
    more = len(listed) - SHOWN
    return ", ".join(listed[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def switches(one: Transcript) -> Iterator[Row]:
    """Switches that do not simply do what they are told, or take something along."""
    told: dict[tuple[str, str, str, str], list[str]] = {}
    known, below = values(one.state), groups(one.state)
    members = {name for names in below.values() for name in names}
    for item in one.tries:
        desired = {key: word for key, word in item.desired.items() if word in ("on", "off")}
        skip = item.heading.startswith("survival") or not all(key in known for key in desired)
        # A member of a group takes the same along as its group.
        if skip or not desired or any(key[0] == "ring" or key[1] in members for key in desired):
            continue
        now, old = values(item.after), values(item.before)
        missed = [f"{key[1]} stays {now[key]}" for key in desired if now[key] != desired[key]]
        if all("[fixed]" in old[key] for key in desired):
            continue
        came = "done" if not missed else f"silently ignored: {_list(missed)}"
        if item.rc:
            came = f"refused: {_words(item)}"
        mine = [name for key in desired for name in below.get(key[1], [])]
        besides = _list(name for name in _besides(item) if name not in mine and name not in below)
        if came != "done" or besides:
            family, names = next(iter(desired), ("", ""))[0], "/".join(key[1] for key in desired)
            told.setdefault((family, names, came, besides), []).append("/".join(desired.values()))
    for (family, names, came, besides), words in told.items():
        yield (one.driver, f"{family} {names}", ", ".join(dict.fromkeys(words)), came, besides)


def absent(one: Transcript) -> Iterator[Row]:
    """What a device does not have, by what the tool says of it."""
    said: dict[str, list[str]] = {}
    for key, tries in _by_key(one).items():
        known = "[fixed]" in values(one.state).get(key, "") or key[1] == "nosuch"
        if not known and not _there(one, key, tries) and all(item.rc for item in tries):
            said.setdefault(_words(tries[0]), []).append(_name(key))
    for words, names in said.items():
        yield (one.driver, ", ".join(names), words)


def survival(one: Transcript) -> Iterator[Row]:
    """What is left of settings after each event."""
    tried = [item for item in one.tries if item.heading.startswith("survival")]
    bundle = [item for item in tried if item.heading == "survival: set"]
    if not bundle:
        return
    first, last = values(bundle[0].before), values(bundle[-1].after)
    changed = [key for key in last if last[key] != first.get(key) and "fixed" not in last[key]]
    for item in tried[len(bundle) :]:
        event = item.heading.removeprefix("survival: ")
        old, now = values(item.before), values(item.after)
        desired = set(item.desired)
        mine = [key for key in changed if key in old and key not in desired and old[key] != first.get(key)]
        stays = [_said(key) for key in mine if now.get(key) == old[key]]
        lost = [_said(key) for key in mine if now.get(key) != old[key]]
        if item.rc:
            stays, lost = [f"refused: {_words(item)}"], []
        yield (one.driver, event, _all(stays), _all(lost))


def _said(key: Key) -> str:
    family, name = key
    if family == "irq":
        return "the affinity of its interrupt"
    if family == "queues":
        return "RPS" if "rps" in name else "XPS"
    return family if family in ("ring", "pause", "coalesce", "features") else _name(key)


def _all(words: list[str]) -> str:
    return ", ".join(dict.fromkeys(words)) or "-"


if __name__ == "__main__":
    sys.exit(main())
