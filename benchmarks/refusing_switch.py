"""Plays `site` on many hosts behind a switch that refuses pause frames: it must end well, and say why once for all.

Each host is made of namespaces, as in fleet.py. A program in the place of ethtool answers about pause frames like a 10G
card whose link partner refuses them (supported and advertised `Symmetric`, and yet off), and hands all else on.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import hosts
import namespaces
import packages
from measure import RECAP, Ansible

HERE = Path(__file__).resolve().parent
RUN = Path("/run")
CAUSE = "Flow control: this end asks for it"
SENTENCE = "It is the switch: switch flow control on at its port"
ETHTOOL = """#!/bin/sh
case "$1 $2" in
"-a bench"*)
  printf 'Pause parameters for %s:\\nAutonegotiate:\\ton\\nRX:\\t\\toff\\nTX:\\t\\toff\\n' "$2" ;;
"-A bench"*) ;;
"bench"*" ")
  printf 'Settings for %s:\\n' "$1"
  printf '\\tSupported pause frame use: Symmetric\\n\\tAdvertised pause frame use: Symmetric\\n'
  printf '\\tSpeed: 10000Mb/s\\n\\tDuplex: Full\\n\\tLink detected: yes\\n' ;;
*) exec REAL "$@" ;;
esac
"""
NICS = [{"name": "bench*", "features": {"tso": False}, "pause": {"rx": True, "tx": True}}]


def play(ansible: Ansible, inventory: str) -> tuple[int, str, float]:
    begin = time.monotonic()
    argv = ["ansible-playbook", "linuxnet.tuning.site", "--inventory", inventory]
    environment = ansible.environment()
    done = subprocess.run(argv, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr, time.monotonic() - begin


def judge(said: str, ended: int, count: int, changed: int) -> list[str]:
    """What is wrong with a run."""
    recap = [int(match["changed"]) for match in RECAP.finditer(said)]
    summary = [line for line in said.partition("\nSUMMARY ")[2].splitlines() if SENTENCE in line]
    told = [line.strip() for line in summary if not line.startswith("[WARNING]")]
    found = sum(1 for number in recap if number)
    return [
        text
        for wrong, text in (
            (ended, f"it ended with {ended}"),
            (len(recap) != count, f"{len(recap)} of {count} hosts are without failure"),
            (found != changed, f"{found} hosts changed, and {changed} should have"),
            (len(told) != 1, f"its summary said the sentence {len(told)} times"),
            (not all(line.startswith(f"{count} hosts: ") for line in told), "it did not say it of all hosts"),
            (said.count(f"[WARNING]: {CAUSE}") > 1, "it warned of it more than once"),
        )
        if wrong
    ]


def measure(options: argparse.Namespace, folder: Path, unpacked: Path) -> int:
    hosts.make_switch()
    hosts.make_keys(folder / "keys")
    layer = folder / "layer"
    hosts.make_layer(layer, folder / "keys", unpacked)
    program = layer / "usr/sbin/ethtool"
    program.parent.mkdir(parents=True, exist_ok=True)
    real = program.with_name("ethtool-itself")
    shutil.copy(program if program.exists() else str(shutil.which("ethtool", path="/usr/sbin:/sbin")), real)
    program.write_text(ETHTOOL.replace("REAL", "/usr/sbin/ethtool-itself"))
    program.chmod(0o755)
    ansible = Ansible(HERE.parent, folder)
    with hosts.Fleet(folder / "fleet", layer, options.hosts, 1) as fleet:
        ansible.prepare(fleet.hosts, {"tuning_nics": NICS, "nics": fleet.nics}, folder / "keys")
        wrong = []
        for name, changed in (("first run", options.hosts), ("unchanged run", 0)):
            ended, said, seconds = play(ansible, str(folder / "inventory.json"))
            found = judge(said, ended, options.hosts, changed)
            print(f"{name}: {options.hosts} hosts, {seconds:.0f} s, {'; '.join(found) or 'ended well, said once'}")
            for line in said.splitlines():
                if (SENTENCE in line and CAUSE in line) or (found and options.verbose):
                    print(f"  {line.strip()[:250]}")
            wrong += found
        ansible.disconnect(fleet)
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=20, metavar="N", help="how many hosts, 1 to 1000 (default: 20)")
    parser.add_argument("--install", action="store_true", help="get missing Debian packages with apt")
    parser.add_argument("--verbose", action="store_true", help="print all that a run has said that went wrong")
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("This needs root: it makes namespaces, mounts and networks.", file=sys.stderr)
        return 2
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # An exception, so that everything is cleaned up on the way out.
        signal.signal(number, lambda received, _frame: sys.exit(128 + received))
    with tempfile.TemporaryDirectory(prefix="fleet-", dir=RUN) as mounted, tempfile.TemporaryDirectory() as unpacked:
        try:
            packages.provide(Path(unpacked), install=options.install)
        except packages.MissingError as error:
            print(error, file=sys.stderr)
            return 2
        return namespaces.contain(Path(mounted), lambda: measure(options, Path(mounted), Path(unpacked)))


if __name__ == "__main__":
    sys.exit(main())
