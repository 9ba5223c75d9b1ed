"""Writes the tables of docs/support.md: which scenario has passed on which release, and the versions that are there.

The argument is the folder with a file for each result, which scenario.sh writes: RELEASE/SCENARIO, with the result, the
seconds, the date and the commit. The versions are asked of a guest of each release.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAB = ROOT / "molecule/shared/lab"
PAGE = ROOT / "docs/support.md"
BEGIN, END = "<!-- begin: make matrix -->\n", "<!-- end: make matrix -->\n"
VERSIONS = {
    "Debian": "cat /etc/debian_version",
    "Linux": "uname -r | grep -oE '^[0-9]+\\.[0-9]+'",
    "systemd": "systemctl --version | head -n 1 | cut -d' ' -f2",
    "Python": "python3 --version | cut -d' ' -f2",
    "ethtool": "ethtool --version | cut -d' ' -f3",
    "iproute2": "ip -V | grep -oE '[0-9]+\\.[0-9]+\\.[0-9]+' | head -n 1",
    "NetworkManager": "NetworkManager --version",
    "iperf3": "iperf3 --version | head -n 1 | cut -d' ' -f2",
}


def main() -> None:
    """Write both tables into the page."""
    results = Path(sys.argv[1])
    releases = subprocess.check_output([sys.executable, LAB / "releases.py"], text=True).split()
    played = [release for release in releases if (results / release).is_dir()]
    known = results / "versions.json"
    versions = json.loads(known.read_text()) if known.exists() else {}
    for release in played:
        versions[release] = _versions(release)
    known.write_text(json.dumps(versions, indent=2) + "\n")
    text = PAGE.read_text()
    before, _begin, rest = text.partition(BEGIN)
    _tables, _end, after = rest.partition(END)
    systems = _table(["release", *VERSIONS], [[release, *versions[release].values()] for release in played])
    PAGE.write_text(f"{before}{BEGIN}\n{systems}\n{_scenarios(results, played)}\n{END}{after}")


def _versions(release: str) -> dict[str, str]:
    environment = {**os.environ, "LAB": str(Path(os.environ["STATE_FOLDER"]) / "lab-versions"), "LAB_RELEASE": release}
    lab = [sys.executable, LAB / "lab.py"]
    subprocess.run([*lab, "up"], env=environment, check=True, stdout=sys.stderr)
    try:
        return {
            name: subprocess.check_output([*lab, "ssh", "router", command], env=environment, text=True).strip()
            for name, command in VERSIONS.items()
        }
    finally:
        subprocess.run([*lab, "down"], env=environment, check=True, stdout=sys.stderr)


def _scenarios(results: Path, releases: list[str]) -> str:
    names = sorted(path.parent.name for path in (ROOT / "molecule").glob("*/molecule.yml"))
    rows = [[name, *(_told(results / release / name) for release in releases)] for name in names]
    return _table(["scenario", *releases], rows)


def _told(path: Path) -> str:
    """The result of a scenario with its date."""
    if not path.exists():
        return "not played"
    result, seconds, date, _commit = path.read_text().split()
    return f"{result} in {int(seconds) / 60:.0f} min, {date}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    main()
