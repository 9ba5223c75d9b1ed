# SPDX-License-Identifier: GPL-3.0-or-later
"""Property test on real drivers: apply a random state, again (no command), go back (the same text as before)."""

from __future__ import annotations

import difflib
import os
import pathlib
import random
import re
import subprocess
import sys
import time
from collections import Counter

sys.path.insert(0, "/root")

from plugins.module_utils import engine, host

# Real drivers take their link down for seconds, so an igb has time for a few states and a veth for dozens. A machine
# that is busy with other things needs longer for the least.
SECONDS_PER_NIC, SECONDS_AT_MOST = 30, 240
STATES_PER_NIC = 25
LEAST_STATES_PER_NIC = 3
SEED = 20261121

# What may be asked of each driver: every value here is one that the device can take.
FEATURES = ["gro", "gso", "tso", "sg", "tx", "rx"]
BOTH = [True, False]
# Of every NIC: what the kernel has for it, whatever the driver.
KERNEL = {
    "napi": {"threaded": BOTH, "gro_flush_timeout": range(0, 50001, 5000), "napi_defer_hard_irqs": range(4)},
    "qdisc": [
        {"root": "default"},
        {"root": "fq_codel target 10ms"},
        {"root": "cake bandwidth 500mbit"},
        {"root": "mq"},
        {"leaves": "fq maxrate 1gbit"},
        {"leaves": "fq_codel"},
    ],
}
# What they have negotiated stays what it is: emulated links know one speed.
MODES = {
    "speed": [{"autoneg": True}, {"advertise": "all"}, {"advertise": {"at_most": 1000}}],
    "wol": ["magic", "off"],
    "eee": [{"enabled": False}, {"enabled": True}],
}
SPREAD = {"rss": {"indirection": ["equal", "equal 1", "equal 2", "weight 1 1"]}}
STATES = {
    "igb0": {
        "ring": {"rx": range(80, 4097), "tx": range(80, 4097)},
        "channels": {"combined": range(1, 9)},
        "coalesce": {"rx_usecs": range(10, 1000)},
        "pause": [{"autoneg": False, "rx": rx, "tx": tx} for rx in BOTH for tx in BOTH] + [{"autoneg": True}],
        **MODES,
        **SPREAD,
        **KERNEL,
    },
    "e1000e0": {
        "ring": {"rx": range(80, 4097), "tx": range(80, 4097)},
        "coalesce": {"rx_usecs": range(10, 1000)},
        **MODES,
        **KERNEL,
    },
    "vmxnet0": {
        "ring": {"rx": ["max", "50%", 256, 512], "tx": ["max", "50%", 512]},
        "channels": {"combined": [1, 2]},
        **SPREAD,
        **KERNEL,
    },
    "virtio0": {"channels": {"combined": range(1, 5)}, "ring": {"rx": ["max"], "tx": ["max"]}, **SPREAD, **KERNEL},
    "lab0": {"channels": {"rx": range(1, 65), "tx": range(1, 65)}, **KERNEL},
}

commands: list[list[str]] = []


def run(argv, data):
    """The runner that the engine is handed: argv and standard input, never a shell."""
    commands.append(list(argv))
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(argv, input=data, capture_output=True, text=True, env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


def set_commands():
    """Commands that were run since the last look and set something (an upper-case flag, -s, --set-..., a batch)."""
    found = [argv for argv in commands if argv[1].lstrip("-")[0].isupper() or argv[1].startswith(("-s", "--set"))]
    found += [argv for argv in commands if argv[:2] == ["tc", "-batch"]]
    commands.clear()
    return found


def text(nic):
    """All that ethtool says of the NIC, its queueing disciplines, and how it is polled."""
    flags = ("-k", "-g", "-l", "-a", "-c", "-x", "-n", "--show-eee")
    asked = [["ethtool", flag, nic] for flag in flags] + [["tc", "qdisc", "show", "dev", nic]]
    said = [subprocess.run(argv, capture_output=True, text=True, check=False).stdout for argv in asked]
    link = subprocess.run(["ethtool", nic], capture_output=True, text=True, check=False).stdout
    said += re.findall(r"^\s*(?:Advertised|Auto-negotiation|Wake-on).*\n", link, re.MULTILINE)
    for name in ("threaded", "gro_flush_timeout", "napi_defer_hard_irqs"):
        path = pathlib.Path("/sys/class/net", nic, name)
        said.append(f"{name} {path.read_text()}" if path.exists() else "")
    # A table serves the same in whatever order: igb fills it by runs, and the kernel by turns.
    rows = re.compile(r"^ +\d+:((?: +\d+)+)\n", re.MULTILINE)
    said = [rows.sub("", one) + str(sorted(Counter(" ".join(rows.findall(one)).split()).items())) for one in said]
    # Leaves that the kernel makes by itself are of the kind that net.core.default_qdisc says at that moment.
    mine = re.sub(r"^qdisc \w+ 0: parent .*\n", "", "".join(said), flags=re.MULTILINE)
    # A root that is made anew by the kernel or by us has a handle of its own.
    return re.sub(r"^(qdisc \w+) [0-9a-f]+:|parent [0-9a-f]*:", r"\1", mine, flags=re.MULTILINE)


def difference(before, after):
    """The lines that are not the same."""
    return "\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "after", lineterm="", n=0))


def tune(entry):
    """One call of the module tune."""
    params = {"nics": [entry], "on_unsupported": "ignore"}
    return engine.tune(host.connect(run, check_mode=False), "tune", params)


def some_state(dice, nic):
    """Some keys of some families, with values that the device can take; never an empty state."""
    entry = {"features": {name: dice.choice(BOTH) for name in dice.sample(FEATURES, dice.randint(1, 3))}}
    for family, keys in STATES[nic].items():
        if dice.random() < 0.6:
            if isinstance(keys, list):
                entry[family] = dice.choice(keys)
            else:
                entry[family] = {key: dice.choice(values) for key, values in keys.items() if dice.random() < 0.8}
    return {"name": nic, **{family: keys for family, keys in entry.items() if keys}}


def attempt(dice, nic):
    """One state there and back; tells whether it was possible at all. AssertionError where a promise is broken."""
    entry = some_state(dice, nic)
    before = text(nic)
    there = tune(entry)
    set_commands()
    if there.get("failed"):
        # Random features may contradict each other (tso without sg): then nothing may have stayed changed.
        left = difference(before, text(nic))
        assert not left, f"a failed call left something behind\nasked: {entry}\n{there['msg']}\n{left}"
        return False
    again = tune(entry)
    assert not again["changed"] and not set_commands(), f"the second call changed something\nasked: {entry}\n{again}"
    back = tune({"name": nic, **there["before"]["nics"].get(nic, {})})
    assert not back.get("failed"), f"going back failed\nasked: {entry}\n{back['msg']}"
    assert text(nic) == before, f"going back left a difference\nasked: {entry}\n{difference(before, text(nic))}"
    set_commands()
    return True


def main():
    """Every NIC for a bounded time; ends with 1 at the first broken promise."""
    for nic in STATES:
        dice = random.Random(f"{SEED} {nic}")
        begun = time.monotonic()
        done = refused = 0
        while done < STATES_PER_NIC and time.monotonic() - begun < (
            SECONDS_PER_NIC if done >= LEAST_STATES_PER_NIC else SECONDS_AT_MOST
        ):
            if attempt(dice, nic):
                done += 1
            else:
                refused += 1
        assert done >= LEAST_STATES_PER_NIC, f"{nic}: only {done} states could be tried"
        print(f"{nic}: {done} states there and back, {refused} impossible ones refused without a trace")
    return 0


if __name__ == "__main__":
    sys.exit(main())
