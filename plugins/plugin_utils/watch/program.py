# SPDX-License-Identifier: GPL-3.0-or-later
"""The program that a host runs by its timer: compares the host with the inventory, and puts back what has drifted.

It is quiet where nothing has. It leaves alone what waits to be confirmed and what is temporary, and does nothing where
the files of ours are not those of its inventory: then somebody has brought another one. What can cut the connection is
under the guard, and is confirmed only if all answer that answered before. plugin_utils/archive.py packs it.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...module_utils import engine
from ...module_utils.bare import BareModule
from ...module_utils.going_back import guard, health
from ...module_utils.host import Host, ReadOnlyHost
from ...module_utils.runner import runner
from ...module_utils.schema import TuningError
from ...module_utils.text import printable
from ...module_utils.tools import journal, whereabouts
from ..drift import Key, differences, say

# Seconds that links may take until a gateway answers again.
_PATIENCE = 20
# Of the journal so many lines are shown for one setting, and so much of each; what is our own is no hint.
_SHOWN, _WIDTH = 3, 160
_OURS = "linuxnet-tuning"


class _MeanwhileError(TuningError):
    """Somebody else has changed the host since it was compared."""


class Seen(NamedTuple):
    """What a person has to read, whether something is not as it should be, and whether the host has all by now."""

    lines: list[str]
    failed: bool = False
    same: bool = False


def main(argv: Sequence[str]) -> int:
    """Takes the path of the settings; 0 if the host has what the inventory asks for, or is left alone for a reason."""
    # systemd makes the folder for this program alone.
    stamp = os.path.join(os.environ.get("RUNTIME_DIRECTORY", "/run"), "linuxnet-tuning-watched")
    begun = time.time()
    since = os.stat(stamp).st_mtime if os.path.exists(stamp) else 0.0
    try:
        run = runner(BareModule({}, False, False, {}))
        seen = look(ReadOnlyHost(run), Host(run), _settings(argv[1]), since if since <= begun else 0.0)
    except TuningError as error:
        seen = Seen([str(error)], failed=True)
    for line in seen.lines:
        print(printable(line))
    # What was not compared, or has stayed as it was, may have drifted before.
    if seen.same:
        with open(stamp, "w", encoding="utf-8"):
            os.utime(stamp, (begun, begun))
    return int(seen.failed)


def _settings(path: str) -> Mapping[str, Any]:
    """What site has brought; TuningError where somebody has cut or changed it."""
    try:
        with open(path, encoding="utf-8") as file:
            settings: dict[str, Any] = json.load(file)
        {**settings["wanted"]}, [*settings["probes"]], int(settings["guard_timeout"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TuningError(f"{path} is not what site has written ({type(error).__name__}: {error}). Run site.") from None
    return settings


def look(reader: ReadOnlyHost, host: Host, settings: Mapping[str, Any], since: float) -> Seen:
    """Compare the host with the inventory, and restore what has drifted since then."""
    options = {name: option.get("default") for name, option in engine.argument_spec("tune").items()}
    params = {**options, **settings["wanted"], "on_unsupported": "warn"}
    if _waits(reader):
        return Seen([])
    compared = engine.tune(reader, "tune", params)
    if not compared["changed"]:
        return Seen([], same=True)
    if _writes(compared):
        return Seen(["Left alone: the files for the next boot differ from the inventory of this watch. Run site."])
    told = drifts(list(differences(compared)), journal.since(reader, since), since)
    told = told or [f"This was missing: {'; '.join(compared['commands'])}"]

    def still() -> None:
        if _waits(reader) or _writes(engine.tune(reader, "tune", params)):
            raise _MeanwhileError

    try:
        wrong = _restore(reader, host, settings, params, still)
    except _MeanwhileError:
        return Seen([])
    except TuningError as error:
        wrong = f"It could not be restored: {error}"
    return Seen([*told, wrong or "Put back."], failed=bool(wrong), same=not wrong)


def _waits(reader: ReadOnlyHost) -> bool:
    """Whether a change waits to be confirmed, or ends by itself."""
    status = guard.serve(reader, "status", False)
    return bool(status["pending"] or status["temporary"])


def _writes(compared: Mapping[str, Any]) -> bool:
    """Whether files are not those of this inventory."""
    return any(command.startswith(("write ", "remove ")) for command in compared["commands"])


def _restore(
    reader: ReadOnlyHost,
    host: Host,
    settings: Mapping[str, Any],
    params: Mapping[str, Any],
    still: Callable[[], None],
) -> str:
    """Set what has drifted, and confirm it if all answers that did before; says what is wrong."""
    probes = [*settings["probes"], *({"host": gateway} for gateway in whereabouts.gateways(reader))]
    well = [probe for probe, one in zip(probes, health.look(reader, probes, 0)["probes"]) if one["well"]]
    done = engine.tune(host, "tune", {**params, "guard_timeout": settings["guard_timeout"]}, still)
    if done.get("failed"):
        return f"It could not be restored: {done['msg']}"
    if done.get("guard"):
        silent = [one["probe"] for one in health.look(reader, well, _PATIENCE)["probes"] if not one["well"]]
        guard.serve(host, "reverted" if silent else "confirmed", False)
        if silent:
            return f"It was not restored permanently: afterwards there was no answer to {', '.join(silent)}"
    return ""


def drifts(found: Sequence[tuple[Key, Any, Any]], noted: Sequence[journal.Note], since: float) -> list[str]:
    """Each value that has drifted, when that was, and what the journal has of it."""
    clock = "%Y-%m-%d %H:%M:%S"
    now = time.strftime(clock)
    when = f"since {time.strftime(clock, time.localtime(since))}" if since else f"at some time before {now}"
    lines: list[str] = []
    for (where, setting), current, planned in found:
        name = setting if where == "host" else f"{where} {setting}"
        lines.append(
            f"{name} is {'gone' if current is None else say(current)}, and was {say(planned)}; it changed {when}"
        )
        lines += [f"  {line}" for line in (hints(noted, where, setting) if since else ())]
    return lines


def hints(noted: Sequence[journal.Note], where: str, setting: str) -> list[str]:
    """The last lines that name a NIC, or a kernel parameter by either of its names, and are not our own."""
    words = [setting, setting.replace(".", "/")] if where == "host" else [where]
    named = re.compile("|".join(rf"(?<![\w.-]){re.escape(word)}(?![\w-])" for word in words))
    others = (note for note in noted if not note.who.startswith(_OURS) and not note.unit.startswith(_OURS))
    return [*dict.fromkeys(_line(note) for note in others if named.search(note.text))][-_SHOWN:]


def _line(note: journal.Note) -> str:
    when = time.strftime("%H:%M:%S", time.localtime(note.when)) if note.when else "at some time"
    text = " ".join(note.text.split())
    return f"{when} {note.who}: {text if len(text) <= _WIDTH else f'{text[:_WIDTH]} ...'}"


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv))
