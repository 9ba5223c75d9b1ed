# SPDX-License-Identifier: GPL-3.0-or-later
"""Guard: commands that take a change back, which run by themselves unless somebody confirms in time.

Each change that is not confirmed yet has a folder, a level, with its inverse as plain commands. A transient timer of
systemd runs the levels, newest first. At boot a unit does the same with the files only; values went with the power.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import Any, Container, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

from . import memory
from .host import Host
from .revert import GUARD, LOCK, REVERTED, RUN_TEXT, UNIT, UNIT_TEXT, WINDOW, Place, script
from .schema import Action, Address, Change, Run, Save, TuningError, Value, plain, say
from .tools import systemd

_VERSION = 1

# Compiled code of ours that root runs on a bare interpreter; see plugin_utils/fast/kept.py.
CODE = "/var/cache/linuxnet-tuning"

# A call of somebody else on the same host is over within this time, or hangs.
_PATIENCE = 60

# Each command of a way back has ten seconds.
_WAY_BACK = 600


class Level(NamedTuple):
    """A change that is not confirmed: when it was made, how long it waits, and what it changed.

    `back` are the originals that are in force again, and are forgotten once that is confirmed.
    """

    number: int
    at: str
    timeout: int
    changes: Tuple[Mapping[str, Any], ...]
    back: Tuple[Address, ...] = ()

    def __str__(self) -> str:
        shown = [_told(change) for change in self.changes[:5]]
        more = f", and {len(self.changes) - 5} more" if len(self.changes) > 5 else ""
        return f"{', '.join(shown)}{more}"


def _told(change: Mapping[str, Any]) -> str:
    place = " ".join(str(change[part]) for part in ("nic", "family", "key") if change.get(part))
    if str(change.get("key")).startswith("/"):
        return place.rpartition(" ")[2]
    return f"{place} {_word(change.get('after'))} to {_word(change.get('before'))}"


def _word(value: Any) -> str:
    return say(tuple(value) if isinstance(value, list) else value)


def arm(host: Any, place: Place, actions: Sequence[Action], changes: Sequence[Change], timeout: int) -> int:
    """Write a level and start the clock anew, without one if `timeout` is 0; gives the level's number.

    TuningError where that is not possible.
    """
    number = max((level.number for level in pending(host, place)), default=0) + 1
    folder = f"{place.folder}/{number}"
    lines, files = script(actions)
    level = Level(number, host.clock(), timeout, tuple(_about(change) for change in changes))
    saves = [Save(f"{folder}/{name}", text, mode=0o600) for name, text in files.items()]
    saves.append(_record(place, level))
    saves.append(Save(place.run, RUN_TEXT, mode=0o700))
    # What makes a level count comes last.
    saves.append(Save(f"{folder}/revert", "\n".join([*lines, ""]), mode=0o600))
    steps: List[Action] = []
    if host.read(UNIT) != UNIT_TEXT:
        steps = [Save(UNIT, UNIT_TEXT), systemd.daemon_reload(), Run(("systemctl", "enable", "--quiet", _name(UNIT)))]
    steps += _start(place, host.uptime() + timeout) if timeout else []
    for action in (*saves, *steps):
        complaint = host.do(action)
        if complaint and action not in _stop(place):
            drop(host, place, number)
            raise TuningError(
                f"cannot prepare the way back: {plain(action)[0]} said: {complaint}. Nothing was changed. "
                "With guard_timeout: 0 there is no way back"
            )
    return number


def _record(place: Place, level: Level) -> Save:
    about: Dict[str, Any] = {"version": _VERSION, **_facts(level)}
    about.update({"back": [list(address) for address in level.back]} if level.back else {})
    return Save(f"{place.folder}/{level.number}/change.json", json.dumps(about, indent=1) + "\n", mode=0o600)


def back(host: Host, originals: Iterable[Address], left: Iterable[Address]) -> bool:
    """Have originals that are in force again forgotten with the confirmation, if one is waited for; those that are
    `left` by then are not."""
    levels = [level for level in pending(host) if level.timeout]
    for level in levels:
        kept = tuple(address for address in level.back if address not in set(left))
        newest = level is levels[-1]
        noted = tuple(dict.fromkeys((*kept, *(sorted(originals) if newest else ()))))
        if noted != level.back:
            host.do(_record(GUARD, level._replace(back=noted)))
    return bool(levels)


def _about(change: Change) -> Dict[str, Any]:
    address = change.address
    values = {} if address.key.startswith("/") else {"before": change.before, "after": change.after}
    return {"nic": address.scope, "family": address.family, "key": address.key, **values}


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _start(place: Place, end: int) -> List[Run]:
    """Start the clock anew. It is a service that waits and no timer: those stand still while the machine sleeps, start
    anew with each daemon-reload or jump with the time of day, and in a container begin to count somewhere else."""
    options = ("--quiet", "--collect", f"--unit={place.clock}", "--description=Take back a network tuning")
    return [*_stop(place), Run(("systemd-run", *options, "/bin/sh", place.run, "wait", str(end)))]


def _stop(place: Place) -> List[Run]:
    """The clock may not run, or may have failed long ago; neither keeps a new one from starting."""
    return [Run(("systemctl", verb, f"{place.clock}.service")) for verb in ("stop", "reset-failed")]


def go_on(host: Host, place: Place, timeout: int, begun: int) -> None:
    """Time runs from the end of a call, which on a slow host may come after that of its own clock."""
    if host.uptime() - begun > timeout // 4:
        for action in _start(place, host.uptime() + timeout):
            host.do(action)


def _halt(host: Host, place: Place) -> None:
    for action in _stop(place):
        host.do(action)


def drop(host: Any, place: Place, number: int) -> None:
    """Take a level away: its change was taken back, or stays for good. The last one takes the clock along."""
    # Without its script a level does not count any more.
    folder = f"{place.folder}/{number}"
    names = [name for name in host.names(folder) if name != "revert"]
    for name in ("revert", *names):
        host.do(Save(f"{folder}/{name}", None, mode=0o600))


def pending(host: Any, place: Place = GUARD) -> List[Level]:
    """The changes that nobody has confirmed yet, oldest first."""
    numbers = sorted(int(name) for name in host.names(place.folder) if name.isdigit())
    paths = {number: f"{place.folder}/{number}" for number in numbers}
    return [
        _level(host, number, f"{path}/change.json") for number, path in paths.items() if host.exists(f"{path}/revert")
    ]


def reverted(host: Any) -> List[Level]:
    """The changes that were taken back, and nobody has heard of yet."""
    names = [name for name in host.names(REVERTED) if name.endswith(".json") and name[:-5].isdigit()]
    return [_level(host, int(name[:-5]), f"{REVERTED}/{name}") for name in names]


def _level(host: Any, number: int, path: str) -> Level:
    try:
        content = json.loads(host.read(path) or "{}")
        noted = tuple(Address(*address) for address in content.get("back", ()))
        return Level(number, str(content["at"]), int(content["timeout"]), tuple(content["changes"]), noted)
    except (ValueError, KeyError, TypeError):
        return Level(number, "an unknown time", 0, ())


def waiting(host: Host) -> List[Level]:
    """The changes whose clock is running. What a call left behind that was cut off, is no use to the next one."""
    levels = pending(host)
    for place in (GUARD, WINDOW):
        # A call that was killed before its way back was complete, or while it took that away.
        counted = {str(level.number) for level in pending(host, place)}
        for name in host.names(place.folder):
            if name.isdigit() and name not in counted:
                drop(host, place, int(name))
    for level in levels:
        if not level.timeout:
            drop(host, GUARD, level.number)
    return [level for level in levels if level.timeout]


def heard(host: Any) -> None:
    """What was taken back has been told."""
    for level in reverted(host):
        host.do(Save(f"{REVERTED}/{level.number}.json", None, mode=0o600))


def told(levels: Sequence[Level]) -> str:
    """What a person has to know about changes that were taken back."""
    return "; ".join(
        f"the change of {level.at} was taken back, because nobody confirmed it within {level.timeout} s ({level})"
        for level in levels
    )


def serve(host: Any, state: str, ending: bool) -> Dict[str, Any]:
    """The result of one call of the module `guard`; `ending` takes back what is temporary as well.

    TuningError where going back did not come to an end.
    """
    if not isinstance(host, Host):
        return _served(host, state, ending)
    with hold(host):
        return _served(host, state, ending)


def _served(host: Any, state: str, ending: bool) -> Dict[str, Any]:
    writes = isinstance(host, Host)
    levels, gone, windows = pending(host), reverted(host), pending(host, WINDOW)
    result: Dict[str, Any] = {
        "changed": state != "status" and bool(levels or (windows and state == "reverted" and ending)),
        "pending": [_facts(level) for level in levels],
        "reverted": [_facts(level) for level in gone],
        "temporary": [_facts(level) for level in windows],
    }
    if writes and state == "confirmed":
        _confirm(host, levels)
        heard(host)
        if gone:
            result.update(failed=True, changed=False, msg=f"This host went back by itself: {told(gone)}.")
    if writes and state == "reverted":
        # What is not confirmed is newer than what is temporary.
        for place in (GUARD, WINDOW) if ending else (GUARD,):
            _revert(host, place)
        heard(host)
        leave(host)
    return result


def _facts(level: Level) -> Dict[str, Any]:
    return {"at": level.at, "timeout": level.timeout, "changes": [dict(change) for change in level.changes]}


@contextmanager
def hold(host: Host) -> Iterator[None]:
    """Have the host for this call alone; TuningError where somebody else has it for too long."""
    other = host.hold(LOCK, _PATIENCE)
    if other:
        raise TuningError(
            f"{other} has been changing this host for {_PATIENCE} s, so nothing was touched; wait for its end"
        )
    try:
        yield
    finally:
        host.let_go()


def _confirm(host: Host, levels: Sequence[Level]) -> None:
    if levels:
        _halt(host, GUARD)
    for level in levels:
        drop(host, GUARD, level.number)
        memory.forget(host, level.back)
    leave(host)


def _revert(host: Host, place: Place) -> None:
    if not pending(host, place):
        return
    _halt(host, place)
    host.do(Run(("/bin/sh", place.run, "held"), seconds=_WAY_BACK))
    if pending(host, place):
        raise TuningError(f"going back did not come to an end; {place.folder} has the commands")


def dismiss(host: Any, place: Place, number: int) -> None:
    """A level has had its time; the clock goes on for those before it."""
    drop(host, place, number)
    levels = [level for level in pending(host, place) if level.timeout]
    if not levels:
        _halt(host, place)


def temporary(host: Any) -> Dict[Address, Value]:
    """What each key held before a change that is meant to end by itself; of several changes before the first."""
    held: Dict[Address, Value] = {}
    for level in pending(host, WINDOW):
        for change in level.changes:
            if "before" in change:
                held.setdefault(_address(change), memory.value_of(change["before"]))
    return held


def _address(change: Mapping[str, Any]) -> Address:
    return Address(str(change["family"]), str(change["nic"]), str(change["key"]))


def close_windows(host: Any, asked: Container[Address]) -> None:
    """A later call that asks for the same keys ends what was meant to be temporary."""
    for level in pending(host, WINDOW):
        if any(_address(change) in asked for change in level.changes):
            dismiss(host, WINDOW, level.number)


def leave(host: Any) -> None:
    """Remove what is left of ours on a host that is as it was."""
    if pending(host, GUARD) or pending(host, WINDOW) or host.exists(memory.BASELINE) or systemd.dropins(host):
        return
    for place in (GUARD, WINDOW):
        if host.exists(place.run):
            host.do(Save(place.run, None, mode=0o600))
    for name in [] if host.target(CODE) else host.names(CODE):  # behind a link lies what is not ours
        host.do(Save(f"{CODE}/{name}", None, mode=0o600))
    if host.exists(UNIT):
        # Those that ran at boot count as active, also without a file.
        host.do(systemd.stop_all())
        host.do(Run(("systemctl", "disable", "--quiet", _name(UNIT))))
        host.do(Save(UNIT, None))
        host.do(systemd.daemon_reload())
