# SPDX-License-Identifier: GPL-3.0-or-later
"""Property test on real drivers: check mode of a random state, the state, again (no command), and back.

Back is by what was before, or by the originals (`restored`); each time the text is the same as before.
"""

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
from plugins.module_utils.settings import registry

# Real drivers take their link down for seconds, so an igb has time for a few states and a veth for dozens. A machine
# that is busy with other things needs longer for the least. For more of them: RANDOM_STATES=200 RANDOM_SEED=7.
SECONDS_PER_NIC, SECONDS_AT_MOST = 12, 360
STATES_PER_NIC = 25
LEAST_STATES_PER_NIC = 3
MORE = int(os.environ.get("RANDOM_STATES", "0"))
SEED = os.environ.get("RANDOM_SEED", "20261125")

# What may be asked of each driver: every value here is one that the device can take.
FEATURES = ["gro", "gso", "tso", "sg", "tx", "rx"]
BOTH = [True, False]
CPUS = ["0", "1", "0-1", "none"]
# Of every NIC: what the kernel has for it, whatever the driver.
KERNEL = {
    "txqueuelen": [500, 1000, 2000],
    "gso_max_size": [16384, 32768, 65536],
    "alias": ["up link", "x'y", ""],
    "group": [0, 7],
    "napi": {"threaded": BOTH, "gro_flush_timeout": range(0, 50001, 5000), "napi_defer_hard_irqs": range(4)},
    "irq": {"rps": [*CPUS, "spread", "all"], "xps": [*CPUS, "spread"], "rps_flow_cnt": [0, 512, 4096]},
    "sysctl": {"net.ipv4.conf.{nic}.rp_filter": range(3), "net.ipv6.conf.{nic}.router_solicitations": range(4)},
    "qdisc": [
        {"root": "default"},
        {"root": "fq_codel target 10ms"},
        {"root": "cake bandwidth 500mbit"},
        {"root": "tbf rate 1gbit burst 128kb latency 50ms"},
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
PLACED = {"irq": {**KERNEL["irq"], "affinity": ["spread", "0", "1", "each 0-1", {0: 1}, {0: 0}]}}
REGISTERS = {"pci": {"max_read_request": [256, 512, 1024], "relaxed_ordering": BOTH}}
CLIENTS = [{"clients": ["192.168.32.1"]}, {"clients": ["192.168.32.1", "192.168.32.2=3"]}, {"state": "absent"}]
STATES = {
    "igb0": {
        "ring": {"rx": range(80, 4097), "tx": range(80, 4097)},
        "channels": {"combined": range(1, 9)},
        "coalesce": {"rx_usecs": range(10, 1000)},
        "pause": [{"autoneg": False, "rx": rx, "tx": tx} for rx in BOTH for tx in BOTH] + [{"autoneg": True}],
        "mtu": [1500, 4000, 9000],
        "private_flags": [{"legacy-rx": True}, {"legacy-rx": False}],
        "sriov": [{"vfs": 0}, {"vfs": 1}, {"vfs": 2, "spoofchk": [True, False]}],
        "ntuple_rules": [{1: "ether proto 0x88f7 action 0"}, {1: "absent"}],
        "routes": {"192.168.32.0/24": [{"initcwnd": 30}, {"initcwnd": 20, "quickack": True}]},
        **MODES,
        **SPREAD,
        **REGISTERS,
        **KERNEL,
        **PLACED,
    },
    "e1000e0": {
        "ring": {"rx": range(80, 4097), "tx": range(80, 4097)},
        "coalesce": {"rx_usecs": range(10, 1000)},
        "mtu": [1500, 2000, 4000],
        **MODES,
        **REGISTERS,
        **KERNEL,
        **PLACED,
    },
    "vmxnet0": {
        "ring": {"rx": ["max", "50%", 256, 512], "tx": ["max", "50%", 512]},
        "channels": {"combined": [1, 2]},
        "mtu": [1500, 2000, 9000],
        **SPREAD,
        **KERNEL,
        **PLACED,
    },
    "virtio0": {
        "channels": {"combined": range(1, 5)},
        "ring": {"rx": ["max"], "tx": ["max"]},
        "multiq": CLIENTS,
        **SPREAD,
        **KERNEL,
        **PLACED,
    },
    "lab0": {
        "channels": {"rx": range(1, 65), "tx": range(1, 65)},
        "mtu": [1500, 9000],
        "multiq": CLIENTS,
        **KERNEL,
    },
}
# Of the host, whatever the NIC.
HOST = {
    "sysctl": {"net.core.netdev_max_backlog": [1000, {"at_least": 5000}], "net.ipv4.tcp_slow_start_after_idle": [0, 1]},
    "module_parameters": {"tcp_cubic.hystart_low_window": [16, 24]},
}

# What virtual functions leave to the NIC.
SHARED = {name for name, family in registry.FAMILIES.items() if "sriov" in family.shaken_by}

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
    found += [argv for argv in commands if argv[:2] == ["tc", "-batch"] or "set" in argv[:3] or argv[0] == "sh"]
    commands.clear()
    # Its -s names the device, and a register is set by an equals sign.
    return [argv for argv in found if argv[0] != "setpci" or any("=" in word for word in argv)]


def said(*argv):
    """What a command prints."""
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout


def files(nic):
    """What the kernel's files say: of its queues, how it is polled, and where its interrupts go."""
    base = pathlib.Path("/sys/class/net", nic)
    paths = [base / name for name in ("threaded", "gro_flush_timeout", "napi_defer_hard_irqs", "device/sriov_numvfs")]
    queues = sorted((base / "queues").glob("*"), key=lambda path: (path.name[0], int(path.name[3:])))
    paths += [path / name for path in queues for name in ("rps_cpus", "rps_flow_cnt", "xps_cpus")]
    parameters = ("ipv4/conf/{}/rp_filter", "ipv6/conf/{}/router_solicitations", "core/netdev_max_backlog")
    paths += [pathlib.Path("/proc/sys/net", name.format(nic)) for name in parameters]
    paths += [pathlib.Path("/proc/sys/net/ipv4/tcp_slow_start_after_idle")]
    paths += [pathlib.Path("/sys/module/tcp_cubic/parameters/hystart_low_window")]
    for path in paths:
        try:
            yield f"{path} {path.read_text()}"
        except OSError:  # not of this driver, or of no kernel as old
            continue
    # virtio names its interrupts after the device.
    names = (nic, (base / "device").resolve().name)
    for line in pathlib.Path("/proc/interrupts").read_text().splitlines():
        words = line.split()
        if words and words[-1].startswith(names):
            yield f"{words[-1]} {pathlib.Path('/proc/irq', words[0][:-1], 'smp_affinity_list').read_text()}"


def text(nic):
    """All that the tools and the kernel's files say of the NIC."""
    flags = ("-k", "-g", "-l", "-a", "-c", "-x", "-n", "--show-eee", "--show-priv-flags")
    told = [said("ethtool", flag, nic) for flag in flags] + [said("tc", "qdisc", "show", "dev", nic)]
    told += [said("tc", "filter", "show", "dev", nic, "egress"), said("ip", "route", "show", "dev", nic)]
    told += re.findall(r"^\s*(?:Advertised|Auto-negotiation|Wake-on).*\n", said("ethtool", nic), re.MULTILINE)
    link = said("ip", "-d", "link", "show", "dev", nic)
    told += re.findall(r"(?:mtu|group|qlen|gso_max_size|alias|vf) .*?(?: |\n)", link + "\n")
    device = pathlib.Path("/sys/class/net", nic, "device").resolve().name
    told += [said("setpci", "-s", device, "CAP_EXP+8.w")] if "pci" in STATES[nic] else []
    told += files(nic)
    # A table serves the same in whatever order: igb fills it by runs, and the kernel by turns.
    rows = re.compile(r"^ +\d+:((?: +\d+)+)\n", re.MULTILINE)
    told = [rows.sub("", one) + str(sorted(Counter(" ".join(rows.findall(one)).split()).items())) for one in told]
    # Leaves that the kernel makes by itself are of the kind that net.core.default_qdisc says at that moment.
    mine = re.sub(r"^qdisc \w+ 0: parent .*\n", "", "\n".join(told), flags=re.MULTILINE)
    # A root that is made anew by the kernel or by us has a handle of its own.
    return re.sub(r"^(qdisc \w+) [0-9a-f]+:|parent [0-9a-f]*:", r"\1", mine, flags=re.MULTILINE)


def difference(before, after):
    """The lines that are not the same."""
    return "\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "after", lineterm="", n=0))


DEFAULTS = {name: option.get("default") for name, option in engine.argument_spec("tune").items()}


def tune(check_mode=False, **options):
    """One call of the module tune."""
    params = {**DEFAULTS, "on_unsupported": "ignore", "guard_timeout": 0, "permanent": False, **options}
    return engine.tune(host.connect(run, check_mode=check_mode), "tune", params)


def some(dice, table):
    """Some of the keys of a table, with one of their values each."""
    return {key: dice.choice(values) for key, values in table.items() if dice.random() < 0.8}


def some_state(dice, nic):
    """Some keys of some families, with values that the device can take; never an empty state."""
    entry = {"features": {name: dice.choice(BOTH) for name in dice.sample(FEATURES, dice.randint(1, 3))}}
    for family, keys in STATES[nic].items():
        if dice.random() < 0.35:
            entry[family] = some(dice, keys) if isinstance(keys, dict) else dice.choice(keys)
    entry = {"name": nic, **{family: keys for family, keys in entry.items() if keys != {}}}
    wide = {option: some(dice, keys) for option, keys in HOST.items() if dice.random() < 0.3}
    return {"nics": [entry], **{option: keys for option, keys in wide.items() if keys}}


def shown(result):
    """What a call has changed, or would."""
    return {
        (nic, family, key): value
        for nic, families in result["diff"]["after"].get("nics", {}).items()
        for family, keys in families.items()
        for key, value in (keys if isinstance(keys, dict) else {"": keys}).items()
    }


def attempt(dice, nic, before):
    """One state there and back; tells whether it was possible at all. AssertionError where a promise is broken."""
    desired = some_state(dice, nic)
    set_commands()
    foretold = tune(check_mode=True, **desired)
    assert not set_commands(), f"check mode changed something\ndesired: {desired}"
    there = tune(**desired)
    set_commands()
    if there.get("failed"):
        # Random features may contradict each other (tso without sg): then nothing may have stayed changed.
        left = difference(before, text(nic))
        assert not left, f"a failed call left something behind\ndesired: {desired}\n{there['msg']}\n{left}"
        return False
    # What a device rounds, and what it refuses when it is asked, is known afterwards only.
    unknown = {(item["nic"], item["family"], item["key"]) for item in [*there["adjusted"], *there["unsupported"]]}
    told, done = shown(foretold), shown(there)
    if (nic, "sriov", "vfs") in done:  # how many queues they leave the NIC, as well
        unknown |= {key for key in {*told, *done} if key[1] in SHARED}
    if any(key[1] == "channels" for key in done):  # and how many interrupts there are then
        unknown.add((nic, "irq", "affinity"))
    keys = {*told, *done} - unknown
    unlike = {key: (told.get(key), done.get(key)) for key in keys if told.get(key) != done.get(key)}
    if not unlike and not unknown and foretold["commands"] != there["commands"]:
        unlike = foretold["commands"], there["commands"]
    assert not unlike, f"check mode foretold something else\ndesired: {desired}\n{unlike}"
    again = tune(**desired)
    assert not again["changed"] and not set_commands(), (
        f"the second call changed something\ndesired: {desired}\n{again}"
    )
    if dice.random() < 0.5:
        way, back = "restored", tune(state="restored")
    else:
        state = there["before"]
        way, back = "back", tune(nics=[{"name": nic, **state["nics"].get(nic, {})}], sysctl=state["sysctl"] or None)
    assert not back.get("failed"), f"{way} failed\ndesired: {desired}\n{back['msg']}"
    if way == "back":  # what has no place in an entry, and the notes
        tune(state="restored")
    left = difference(before, text(nic))
    assert not left, f"{way} left a difference\ndesired: {desired}\n{left}"
    set_commands()
    return True


def main():
    """Every NIC for a bounded time; ends with 1 at the first broken promise."""
    for nic in sys.argv[1:] or STATES:
        dice = random.Random(f"{SEED} {nic}")
        begun = time.monotonic()
        before = text(nic)  # to which each attempt comes back
        done = refused = 0
        while done < MORE or (
            not MORE
            and done < STATES_PER_NIC
            and time.monotonic() - begun < (SECONDS_PER_NIC if done >= LEAST_STATES_PER_NIC else SECONDS_AT_MOST)
        ):
            if attempt(dice, nic, before):
                done += 1
            else:
                refused += 1
        assert done >= LEAST_STATES_PER_NIC, f"{nic}: only {done} states could be tried"
        print(f"{nic}: {done} states there and back, {refused} impossible ones refused without a trace", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
