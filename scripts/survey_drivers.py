"""Ask every driver of the lab, on every release, what it makes of each setting, and keep the raw answers as data.

    python3 scripts/survey_drivers.py [RELEASE[/DRIVER] ...]

Each answer is a file tests/unit/cases/drivers/RELEASE/DRIVER.yml, from which docs/drivers.md and the unit tests come.
The lab is brought up and ended for each release; the variable LAB names another folder for it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAB = ROOT / "molecule/shared/lab"
CASES = ROOT / "tests/unit/cases/drivers"
NICS = {"igb": "igb0", "e1000e": "e1000e0", "vmxnet3": "vmxnet0", "virtio_net": "virtio0", "veth": "lab0"}
AT_ONCE = 2


def main() -> int:
    """Ask what is named, else everything; the exit code is 1 where anything could not be asked."""
    releases = subprocess.check_output([sys.executable, LAB / "releases.py"], text=True).split()
    chosen: dict[str, list[str]] = {}
    for word in sys.argv[1:] or releases:
        release, _slash, driver = word.partition("/")
        chosen.setdefault(release, []).extend([driver] if driver else NICS)
    failed = [f"{release}/{driver}" for release, drivers in chosen.items() for driver in ask_all(release, drivers)]
    if failed:
        print(f"not asked: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


def ask_all(release: str, drivers: list[str]) -> list[str]:
    """Ask the drivers of one release; gives those that did not answer."""
    environment = {**os.environ, "LAB": os.environ.get("LAB", str(ROOT / ".survey-lab")), "LAB_RELEASE": release}
    lab = [sys.executable, str(LAB / "lab.py")]
    subprocess.run([*lab, "up"], env=environment, check=True)
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = pool.map(lambda driver: _ask(lab, environment, release, driver), drivers)
        return [driver for driver, answered in zip(drivers, answers, strict=True) if not answered]
    finally:
        subprocess.run([*lab, "down"], env=environment, check=True)


def _ask(lab: list[str], environment: dict[str, str], release: str, driver: str) -> bool:
    """One NIC by one ssh call: the way there costs seconds under emulation."""
    probe = (ROOT / "scripts/driver_probe.py").read_text()
    began = time.monotonic()
    done = subprocess.run(
        [*lab, "ssh", "router", "python3", "-", NICS[driver]],
        env=environment,
        input=probe,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"{release}/{driver}: {done.stderr.strip()}", file=sys.stderr)
        return False
    path = CASES / release / f"{driver}.yml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written(json.loads(done.stdout), release))
    print(f"wrote {path.relative_to(ROOT)} after {time.monotonic() - began:.0f} s", flush=True)
    return True


def written(told: dict[str, object], release: str) -> str:
    """The transcript of a NIC as YAML: texts as they are, and one line for each command."""
    state, tries = told.pop("state"), told.pop("tries")
    lines = [
        "---",
        "# Written by `make survey` from what the driver really answered; never edit it.",
        f"release: {release}",
    ]
    lines += [f"{key}: {_flow(value)}" for key, value in told.items()]
    lines.append("state:")
    for name, said in state.items():
        block = isinstance(said, list) and bool(said)
        lines += (
            [f"  {name}: |", *(f"    {line}" if line else "" for line in said)]
            if block
            else [f"  {name}: {_flow(said)}"]
        )
    # A feature that goes off and on and takes nothing along is told by its name.
    obedient = [heading for heading, entries in tries.items() if heading.startswith("features ") and _simple(entries)]
    lines += [f"obedient: {_flow([heading.split()[1] for heading in obedient])}", "tries:"]
    for heading, entries in tries.items():
        if heading in obedient:
            continue
        lines += [f"  {_flow(heading)}:", *(f"    - {_flow(_short(entry))}" for entry in entries)]
    return _once("\n".join(lines) + "\n")


def _once(text: str) -> str:
    """A complaint that comes again and again is written once, and meant by its number elsewhere."""
    often = [words for words, count in Counter(re.findall(r'err: ("(?:[^"\\]|\\.)*")', text)).items() if count > 2]
    for number, words in enumerate(often):
        text = text.replace(f"err: {words}", f"err: *e{number}")
    said = "".join(f"  - &e{number} {words}\n" for number, words in enumerate(often))
    return text.replace("state:\n", f"said:\n{said}state:\n", 1) if said else text


def _simple(entries: list[dict[str, object]]) -> bool:
    """Whether two commands switch one line of the features and back, without a word."""
    hunks = [entry.get("changed", {}) for entry in entries if entry.keys() == {"do", "changed"}]
    alone = all(hunk.keys() == {"features"} and len(hunk["features"]) == 1 for hunk in hunks)
    return len(hunks) == 2 and alone and set(hunks[0]["features"]) == set(hunks[1]["features"])


def _short(entry: dict[str, object]) -> dict[str, object]:
    """The same with the features by their new state: a group takes a dozen lines along, of which only that changes."""
    changed = entry.get("changed", {})
    hunk = changed.get("features", {})
    if not hunk or not all(str(number).isdigit() for number in hunk):
        return entry
    numbers: dict[str, list[int]] = {}
    for number, line in hunk.items():
        numbers.setdefault(line.partition(": ")[2], []).append(int(number))
    return {**entry, "changed": {**changed, "features": numbers}}


def _flow(value: object) -> str:
    """One line, as short as YAML lets it be."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)}: {_flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    plain = (
        isinstance(value, str)
        and re.fullmatch(r"[A-Za-z][\w /.-]*[\w/.-]", value)
        and value not in ("on", "off", "yes", "no")
    )
    return str(value) if plain else json.dumps(value)


def _key(word: object) -> str:
    """JSON makes words of the numbers of lines."""
    return str(word) if re.fullmatch(r"\d+(-\d+)?", str(word)) else _flow(word)


if __name__ == "__main__":
    sys.exit(main())
