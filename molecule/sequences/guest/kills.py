# SPDX-License-Identifier: GPL-3.0-or-later
"""Kill calls at random moments: the next call always works, and what `rollback` does leaves nothing of ours behind.

The arguments are how many calls to kill, and a seed. A third of them must have been at work; on a machine that becomes
faster meanwhile more calls than that are made.
"""

from __future__ import annotations

import difflib
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time

CALL = [sys.executable, "-I", "-S", "-B", "/root/call.py"]
# After so many kills all is taken back and looked at.
ROUND = 10
NICS = ("igb0", "igb1")

chance = random.Random(int(sys.argv[2]))


def start(view, **options):
    """Begin a call in a session of its own."""
    options = {name: value for name, value in options.items() if value is not None}
    process = subprocess.Popen(
        CALL, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    process.stdin.write(json.dumps({"view": view, **options}))
    process.stdin.close()
    return process


def works(view, **options):
    """A call that has to work; gives the seconds that it took."""
    begun = time.monotonic()
    process = start(view, **options)
    said = process.stdout.read()
    assert process.wait() == 0, f"{view} {options}: {said}"
    return time.monotonic() - begun


def anything():
    """What one might ask for."""
    kind = chance.choice(["permanent"] * 5 + ["live", "window", "restored", "confirmed", "reverted"])
    if kind in ("confirmed", "reverted"):
        return "guard", {"state": kind, "temporary": kind == "reverted" and chance.random() < 0.5}
    guard = {"guard_timeout": chance.choice([0, 30])}
    if kind == "restored":
        return "tune", {"state": kind, **guard}
    entries = []
    for nic in chance.sample(NICS, chance.randint(1, 2)):
        entry = {"name": nic, "mtu": chance.choice([1300, 1500, 9000])}
        if chance.random() < 0.5:
            entry.update(txqueuelen=chance.choice([500, 2000]), features={"gro": chance.random() < 0.5})
        if chance.random() < 0.3:
            entry["channels"] = {"rx": chance.choice([1, 2, 4]), "tx": chance.choice([1, 2, 4])}
        entries.append(entry)
    if kind == "window":
        return "tune", {"nics": entries, "temporary": chance.choice([20, 60]), **guard}
    sysctl = {"net.ipv4.tcp_keepalive_time": chance.choice([600, 1200])} if chance.random() < 0.5 else {}
    return "tune", {"nics": entries, "sysctl": sysctl, "permanent": kind == "permanent", **guard}


def shown():
    """What is in force, and which files and units of ours are there."""
    return subprocess.run(["sh", "/root/shown.sh"], capture_output=True, text=True, check=True).stdout


def back():
    """What the playbook `rollback` does."""
    works("guard", state="reverted", temporary=True)
    works("tune", state="restored", guard_timeout=30)
    works("guard", state="confirmed")


def main():
    """Kill, call again, and look from time to time."""
    before = shown()
    usual = max(works("tune", nics=[{"name": "igb0", "mtu": 1400}], guard_timeout=30) for _turn in range(2))
    back()
    usual_next = works("tune", nics=[{"name": "igb1", "txqueuelen": 1500}], guard_timeout=0)
    back()
    took, at_work, planned = usual_next, 0, int(sys.argv[1])
    for number in itertools.count(1):
        view, options = anything()
        process = start(view, **options)
        # The machine may have become slower or faster.
        time.sleep(chance.uniform(0, 1.2 * usual * took / usual_next))
        if process.poll() is None:
            at_work += 1
            # With its children, or alone: what they do then comes after the end of the call.
            os.kill(-process.pid if chance.random() < 0.7 else process.pid, signal.SIGKILL)
        process.stdout.close()
        process.wait()
        took = works("tune", nics=[{"name": "igb1", "txqueuelen": chance.choice([1000, 1500])}], guard_timeout=0)
        enough = number >= planned and 3 * at_work > planned
        if number % ROUND == 0 or enough:
            back()
            after = shown()
            left = "\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0))
            assert not left, f"after {number} kills, the last of {view} {options}:\n{left}"
        assert number < 3 * planned, f"of {number} calls {at_work} were at work when they were killed"
        if enough:
            break
    print(f"{number} kills, {at_work} of them of a call at work; a call takes {usual:.2f} s")


if __name__ == "__main__":
    main()
