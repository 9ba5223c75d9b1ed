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
from collections.abc import Mapping, Sequence
from typing import Any

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


def main(argv: Sequence[str]) -> int:
    """Takes the path of the settings; 0 if the host has what the inventory asks for, or is left alone for a reason."""
    with open(argv[1], encoding="utf-8") as file:
        settings = json.load(file)
    module: Any = BareModule({}, False, False, {})
    # systemd makes the folder for this program alone.
    stamp = os.path.join(os.environ.get("RUNTIME_DIRECTORY", "/run"), "linuxnet-tuning-watched")
    since = os.stat(stamp).st_mtime if os.path.exists(stamp) else 0.0
    try:
        run = runner(module)
        lines, failed = look(ReadOnlyHost(run), Host(run), settings, since)
    except TuningError as error:
        lines, failed = [str(error)], True
    for line in lines:
        print(printable(line))
    with open(stamp, "w", encoding="utf-8"):
        os.utime(stamp)
    return int(failed)


def look(reader: ReadOnlyHost, host: Host, settings: Mapping[str, Any], since: float) -> tuple[list[str], bool]:
    """What a person has to read of it, and whether something is not as it should be."""
    status = guard.serve(reader, "status", False)
    if status["pending"] or status["temporary"]:
        return [], False
    options = {name: option.get("default") for name, option in engine.argument_spec("tune").items()}
    params = {**options, **settings["wanted"], "on_unsupported": "warn"}
    compared = engine.tune(reader, "tune", params)
    if not compared["changed"]:
        return [], False
    if any(command.startswith(("write ", "remove ")) for command in compared["commands"]):
        return ["Left alone: the files for the next boot differ from the inventory of this watch. Run site."], False
    told = drifts(list(differences(compared)), journal.since(reader, since), since)
    probes = [*settings["probes"], *({"host": gateway} for gateway in whereabouts.gateways(reader))]
    well = [probe for probe, one in zip(probes, health.look(reader, probes, 0)["probes"]) if one["well"]]
    done = engine.tune(host, "tune", {**params, "guard_timeout": settings["guard_timeout"]})
    if done.get("failed"):
        return [*told, f"It could not be restored: {done['msg']}"], True
    if done.get("guard"):
        silent = [one["probe"] for one in health.look(reader, well, _PATIENCE)["probes"] if not one["well"]]
        guard.serve(host, "reverted" if silent else "confirmed", False)
        if silent:
            return [
                *told,
                f"It was not restored permanently: afterwards there was no answer to {', '.join(silent)}",
            ], True
    return [*told, "Put back."], False


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
