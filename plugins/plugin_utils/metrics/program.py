# SPDX-License-Identifier: GPL-3.0-or-later
"""The program that a host runs by its timer: reads the host, compares it with the inventory, writes the metrics.

It never changes anything but its own file. plugin_utils/archive.py packs it, the engine and the rules of the audit into
one file.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ...module_utils import engine
from ...module_utils.bare import BareModule
from ...module_utils.facts import everything
from ...module_utils.going_back import guard
from ...module_utils.host import ReadOnlyHost
from ...module_utils.runner import runner
from . import exposition


def main(argv: Sequence[str]) -> int:
    """Takes the path of the settings; 0 if the metrics were written and are complete."""
    with open(argv[1], encoding="utf-8") as file:
        settings = json.load(file)
    began, clock = time.time(), time.monotonic()
    samples: list[exposition.Sample] = []
    problem = ""
    try:
        module: Any = BareModule({}, True, False, {})
        samples += found(ReadOnlyHost(runner(module)), settings)
    except Exception as error:  # the metrics have to say so, whatever it was
        problem = f"{type(error).__name__}: {error}"
        samples.clear()
    samples += [
        ("last_run_timestamp_seconds", {}, round(began, 3)),
        ("last_run_success", {}, int(not problem)),
        ("last_run_duration_seconds", {}, round(time.monotonic() - clock, 3)),
        ("inventory_timestamp_seconds", {}, round(os.stat(argv[1]).st_mtime, 3)),
    ]
    write(settings["file"], exposition.text(samples))
    if problem:
        print(problem, file=sys.stderr)
    return int(bool(problem))


def found(host: ReadOnlyHost, settings: Mapping[str, Any]) -> list[exposition.Sample]:
    """What is true of the host."""
    options = {name: option.get("default") for name, option in engine.argument_spec("tune").items()}
    compared = engine.tune(host, "tune", {**options, **settings["wanted"], "on_unsupported": "warn"})
    samples = [*exposition.settings(compared, settings["each"])]
    samples += exposition.guard(guard.serve(host, "status", False))
    if settings["findings"]:
        from ..findings import judge  # Python 3.9 and later

        facts = everything.gather(host, [], 0, [], False)
        name = settings["name"]
        told = {"groups": [], "unreachable": False, "reason": "", "tune": compared, **facts}
        samples += exposition.findings(judge.findings({name: told}))
    return samples


def write(path: str, text: str) -> None:
    """Replace the file as a whole, for everybody to read: the node exporter is not root, and must not see a part."""
    handle, draft = tempfile.mkstemp(prefix=".linuxnet-tuning.", dir=os.path.dirname(path))
    try:
        with open(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        os.chmod(draft, 0o644)
        os.replace(draft, path)
    except OSError:
        os.unlink(draft)
        raise


if __name__ == "__main__":
    sys.exit(main(sys.argv))
