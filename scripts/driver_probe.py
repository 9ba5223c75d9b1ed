"""Ask one driver what it makes of each setting; runs in a guest of the lab: `python3 - NIC < driver_probe.py`.

It prints a transcript as JSON: what the tools say at first, then each command with what came of it and the lines of
the tools' answers that are different after it. It understands no more of them than it needs to choose the next
command, so that nothing which the collection believes gets into what it is tested with.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

NIC = sys.argv[-1]
NET = Path("/sys/class/net", NIC)
ASK = {
    "ring": f"ethtool -g {NIC}",
    "channels": f"ethtool -l {NIC}",
    "coalesce": f"ethtool -c {NIC}",
    "pause": f"ethtool -a {NIC}",
    "private_flags": f"ethtool --show-priv-flags {NIC}",
    "features": f"ethtool -k {NIC}",
    "link": f"ip -d -j -p link show dev {NIC}",
}
FILES = ("queues", "irq")
# What no other setting takes along is looked at in its own tries only; each answer takes its time under emulation.
APART = {
    "link_mode": f"ethtool {NIC}",
    "eee": f"ethtool --show-eee {NIC}",
    "rss": f"ethtool -x {NIC}",
    "ntuple_rules": f"ethtool -n {NIC}",
    "qdisc": f"tc qdisc show dev {NIC}",
    "napi": f"grep . {NET}/threaded {NET}/gro_flush_timeout {NET}/napi_defer_hard_irqs",
}
LONG_NAMES = {
    "rx-checksumming": "rx",
    "tx-checksumming": "tx",
    "scatter-gather": "sg",
    "tcp-segmentation-offload": "tso",
    "udp-fragmentation-offload": "ufo",
    "generic-segmentation-offload": "gso",
    "generic-receive-offload": "gro",
    "large-receive-offload": "lro",
    "rx-vlan-offload": "rxvlan",
    "tx-vlan-offload": "txvlan",
    "ntuple-filters": "ntuple",
    "receive-hashing": "rxhash",
}
# What the text calls otherwise than the option.
OPTIONS = {"tx-push-buff-len": "tx-push-buf-len", "hds-thresh": "hds-thresh"}
TOO_MUCH = 4294967295
LINK_SECONDS, COMMAND_SECONDS = 30, 40


def sh(command: str) -> tuple[int, str, str]:
    """Exit code, output and error output of a command, in the words of its language C."""
    try:
        done = subprocess.run(
            ["sh", "-c", command] if re.search(r"[>;|&]", command) else command.split(),
            capture_output=True,
            text=True,
            env={**os.environ, "LC_ALL": "C"},
            timeout=COMMAND_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 124, "", f"no end after {COMMAND_SECONDS} seconds"
    return done.returncode, done.stdout, done.stderr


def text(path: Path) -> str:
    """A file of the kernel; empty where there is none."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def interrupts() -> dict[str, str]:
    """The number of each interrupt of the NIC that is in use, by its name."""
    # A virtio NIC hangs on its PCI function by one link more.
    virtio = (NET / "device/subsystem").resolve().name == "virtio"
    numbers = {path.name for path in NET.glob("device/../msi_irqs/*" if virtio else "device/msi_irqs/*")}
    lines = [line.split() for line in Path("/proc/interrupts").read_text().splitlines()[1:]]
    return {words[-1]: words[0].rstrip(":") for words in lines if words and words[0].rstrip(":") in numbers}


class Probe:
    """The transcript of one NIC."""

    def __init__(self) -> None:
        self.tries: dict[str, list[dict[str, object]]] = {}
        self.texts: dict[str, list[str] | dict[str, object]] = {}
        self.absent: list[str] = []
        self.heading = ""
        self.first = self.look([*ASK, *FILES, *APART])
        self.texts = dict(self.first)
        # What the device does not have is asked for again at the end only.
        self.absent = [name for name, found in self.first.items() if isinstance(found, dict)]

    def look(self, names: list[str]) -> dict[str, list[str] | dict[str, object]]:
        """What the tools say: the lines, or the exit code and the complaint."""
        found: dict[str, list[str] | dict[str, object]] = {}
        for name in names:
            if name == "queues":
                paths = sorted(NET.glob("queues/*/[rx]ps_cpus"), key=lambda path: (path.parts[-2][:2], _number(path)))
                said = [f"{path.parts[-2]}/{path.name}:{text(path)}" for path in paths]
                found[name] = [line for line in said if re.search("[1-9a-f]", line.partition(":")[2])]
            elif name == "irq":
                numbers = interrupts().items()
                found[name] = [f"{irq}:{text(Path('/proc/irq', no, 'smp_affinity_list'))}" for irq, no in numbers]
            else:
                code, out, err = sh(ASK.get(name) or APART[name])
                found[name] = {"rc": code, "out": out, "err": err} if code else out.splitlines()
        return found

    @staticmethod
    def settled() -> bool:
        """Whether the NIC has a link, and the kernel has drawn its conclusions from that."""
        return text(NET / "carrier") == "1" and text(NET / "operstate") == "up"

    def try_(self, command: str, only: tuple[str, ...] = ()) -> int:
        """Run a command and note what came of it; `only` saves time where nothing else will change."""
        lost, linked = text(NET / "carrier_down_count"), self.settled()
        code, out, err = sh(command)
        end = time.monotonic() + LINK_SECONDS
        while linked and not self.settled() and time.monotonic() < end:
            time.sleep(0.05)
        now = self.look(list(only) or [name for name in [*ASK, *FILES] if name not in self.absent])
        entry: dict[str, object] = {"do": command}
        entry.update({key: value for key, value in (("rc", code), ("out", out), ("err", err)) if value})
        if not NET.exists():
            sys.exit(f"{NIC} is gone after `{command}`")
        if text(NET / "carrier_down_count") != lost:
            entry["link_lost"] = True
        changed = {name: difference(self.texts[name], said) for name, said in now.items() if said != self.texts[name]}
        if changed:
            entry["changed"] = changed
        self.texts.update(now)
        self.tries.setdefault(self.heading, []).append(entry)
        return code


def _number(path: Path) -> int:
    return int(path.parts[-2].partition("-")[2])


def difference(before: object, after: object) -> object:
    """The different lines by their number from 0; where their count has changed, `3-5`: what is there instead."""
    if not isinstance(before, list) or not isinstance(after, list):
        return after
    if len(before) == len(after):
        return {number: line for number, line in enumerate(after) if line != before[number]}
    start = next((n for n, (old, new) in enumerate(zip(before, after)) if old != new), min(len(before), len(after)))
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return {f"{start}-{len(before) - end}": after[start : len(after) - end]}


def pairs(lines: object) -> list[tuple[str, str]]:
    """(option, value) of each `label: value` line; such as `Adaptive RX: off  TX: off` has two."""
    found = []
    for line in lines if isinstance(lines, list) else []:
        label, colon, value = line.partition(":")
        if not colon:
            continue
        value, both, second = value.partition(" TX:")
        names = [label, label[:-2] + "TX"] if both else [label]
        for name, word in zip(names, (value, second)):
            option = name.strip().lower().replace(" ", "-").replace("-frame-", "-frames-")
            found.append((OPTIONS.get(option, option), word.strip()))
    return found


def flip(word: str) -> str:
    """The other position of a switch."""
    return "off" if word.startswith("on") else "on"


def limited(probe: Probe, family: str, flag: str, absent: int) -> None:
    """Rings and channels: the text has a block of limits, then one of what is in force."""
    lines = pairs(probe.first[family])
    middle = next((n for n, pair in enumerate(lines) if pair[0].startswith("current")), 0)
    limits = {key: int(word) for key, word in lines[:middle] if word.isdigit()}
    if not lines:
        probe.heading = family
        probe.try_(f"ethtool {flag} {NIC} rx {absent}")
    for key, word in lines[middle + 1 :]:
        probe.heading = f"{family} {key}"
        top = limits.get(key, 0)
        if word in ("on", "off"):
            values: list[object] = [word, flip(word), word]
        elif word.isdigit() and top:
            now = int(word)
            odd = [now + 1 if now < top else now - 1, *([1000] if top > 1000 else [])]
            values = [now, 0, 1, *(odd if family == "ring" else [3][: top // 4]), top, top + 1, now]
        else:
            values = [absent]
        for value in values:
            # A device that does not even take what it has takes nothing.
            if probe.try_(f"ethtool {flag} {NIC} {key} {value}") and value == values[0]:
                break


def coalesce(probe: Probe) -> None:
    """Times and numbers, whose highest no tool tells."""
    lines = pairs(probe.first["coalesce"])
    for key, word in lines or [("rx-usecs", "n/a")]:
        probe.heading = f"coalesce {key}"
        if word in ("on", "off"):
            for value in (word, flip(word), word):
                probe.try_(f"ethtool -C {NIC} {key} {value}")
        elif word.isdigit():
            for number in (int(word), 0, 1, 7, 50, 333, 7777, 10000, 10001, 100000, TOO_MUCH, int(word)):
                probe.try_(f"ethtool -C {NIC} {key} {number}")
        elif key in ("rx-usecs", "tx-usecs", "rx-frames", "adaptive-rx", "rx-usecs-high"):
            probe.try_(f"ethtool -C {NIC} {key} {'on' if key.startswith('adaptive') else 10}")


def pause(probe: Probe) -> None:
    """The three switches alone and together."""
    probe.heading = "pause"
    before = [pair for pair in pairs(probe.first["pause"]) if pair[1] in ("on", "off")]
    now = " ".join(
        f"{key.replace('autonegotiate', 'autoneg')} {word}" for key, word in before if "negotiated" not in key
    )
    forced = [f"autoneg off rx {rx} tx {tx}" for rx in ("on", "off") for tx in ("on", "off")]
    words = [now, "rx off", "tx off", "autoneg on rx off tx off", *forced, "autoneg on rx on tx on", now]
    for word in words if before else ["rx on"]:
        probe.try_(f"ethtool -A {NIC} {word}")


def switches(probe: Probe) -> None:
    """Private flags and features."""
    for key, word in pairs(probe.first["private_flags"]):
        probe.heading = f"private_flags {key}"
        for value in (word, flip(word), word) if word in ("on", "off") else ():
            probe.try_(f"ethtool --set-priv-flags {NIC} {key} {value}")
    probe.heading = "private_flags of no name"
    probe.try_(f"ethtool --set-priv-flags {NIC} nosuch on")
    fixed = 0
    for key, word in pairs(probe.first["features"]):
        name = LONG_NAMES.get(key, key)
        probe.heading = f"features {name}"
        if "[fixed]" in word:
            fixed += 1
            if fixed <= 2:
                probe.try_(f"ethtool -K {NIC} {name} {flip(word)}", ("features",))
        elif word[:2] in ("on", "of"):
            probe.try_(f"ethtool -K {NIC} {name} {flip(word)}", ("features",))
            probe.try_(f"ethtool -K {NIC} {name} {flip(flip(word))}", ("features",))
    probe.heading = "features of no name"
    probe.try_(f"ethtool -K {NIC} nosuch on")


def link(probe: Probe) -> None:
    """MTU and queue length."""
    facts = json.loads("\n".join(probe.first["link"]))[0]
    now, low, high = facts["mtu"], facts.get("min_mtu", 0), facts.get("max_mtu", 0)
    probe.heading = "link mtu"
    for value in (now, low, low - 1, now + 1, 9000, high, high + 1, now):
        if value >= 0:
            probe.try_(f"ip link set dev {NIC} mtu {value}")
    probe.heading = "link txqueuelen"
    for value in (facts["txqlen"], 0, 1, 10000, TOO_MUCH, TOO_MUCH + 1, facts["txqlen"]):
        probe.try_(f"ip link set dev {NIC} txqueuelen {value}")


def masks(probe: Probe) -> None:
    """Which processors serve queues and interrupts; the guests have two."""
    for queue, file in (("rx-0", "rps_cpus"), ("tx-0", "xps_cpus")):
        path = NET / "queues" / queue / file
        if path.exists():
            probe.heading = f"irq {file[:3]}"
            # One queue alone has no XPS, and cannot even be asked.
            for value in (text(path), "3", "f", "0", text(path)) if text(path) else ("3",):
                probe.try_(f"echo {value} > {path}", FILES)
    for name, number in list(interrupts().items())[-1:]:
        probe.heading = f"irq affinity of {name}"
        path = Path("/proc/irq", number, "smp_affinity_list")
        for value in (text(path), "1", "0-1", "2", text(path)):
            probe.try_(f"echo {value} > {path}", FILES)


def modes(probe: Probe) -> None:
    """Speed, duplex and what is advertised, EEE, and what wakes the host; the link has to come back each time."""
    probe.heading = "speed"
    for words in (
        "advertise 0x3f",
        "advertise 0x0f",
        "speed 100 duplex full autoneg on",
        "speed 100 duplex full autoneg off",
        "autoneg on",
        "mdix auto",
    ):
        probe.try_(f"ethtool -s {NIC} {words}", ("link_mode", "pause"))
    probe.heading = "wol"
    for letters in ("g", "ug", "d"):
        probe.try_(f"ethtool -s {NIC} wol {letters}", ("link_mode",))
    probe.heading = "eee"
    for words in ("eee off", "eee on", "eee on tx-lpi off", "eee on tx-lpi on tx-timer 17"):
        probe.try_(f"ethtool --set-eee {NIC} {words}", ("eee",))


def spread(probe: Probe) -> None:
    """The indirection table, the hash, and flows that are given to queues by hand."""
    probe.heading = "rss"
    for words in ("equal 1", "equal 2", "weight 1 1", "equal 1 start 1", "default", "hfunc xor", "hfunc toeplitz"):
        probe.try_(f"ethtool -X {NIC} {words}", ("rss",))
    for letters in ("sdfn", "sd"):
        probe.try_(f"ethtool -N {NIC} rx-flow-hash udp4 {letters}", ("rss",))
    probe.heading = "ntuple_rules"
    probe.try_(f"ethtool -K {NIC} ntuple on", ("features", "ntuple_rules"))
    for words in (
        "flow-type ether proto 0x88f7 action 0 loc 1",
        "flow-type ether proto 0x88f7 action 0 loc 2",
        "flow-type ether dst 02:00:00:00:00:01 action 1 loc 3",
        "flow-type tcp4 dst-port 2049 action 1 loc 4",
        "flow-type ether proto 0x88cc action 0 loc 1",
        "delete 1",
        "delete 1",
    ):
        probe.try_(f"ethtool -N {NIC} {words}", ("ntuple_rules",))
    probe.try_(f"ethtool -K {NIC} ntuple off", ("features", "ntuple_rules"))


def disciplines(probe: Probe) -> None:
    """Queueing disciplines, and how the kernel polls."""
    probe.heading = "qdisc"
    for words in (
        "replace dev {} root fq_codel target 10ms",
        "replace dev {} root fq maxrate 1gbit",
        "replace dev {} root handle 1: mq",
        "replace dev {} parent 1:1 fq",
        "del dev {} root",
    ):
        probe.try_(f"tc qdisc {words.format(NIC)}", ("qdisc",))
    probe.heading = "napi"
    for file, values in (("threaded", (1, 0)), ("gro_flush_timeout", (20000, 0)), ("napi_defer_hard_irqs", (2, 0))):
        for value in values:
            probe.try_(f"echo {value} > {NET}/{file}", ("napi",))


def survival(probe: Probe, reload: str) -> None:
    """Set something of everything, and see what is left of it after each event."""
    rings, channels = dict(pairs(probe.first["ring"])), dict(pairs(probe.first["channels"]))
    ring = " ".join(f"{key} 512" for key in ("rx", "tx") if rings.get(key, "").isdigit() and int(rings[key]) >= 256)
    times = [key for key, word in pairs(probe.first["coalesce"]) if word.isdigit() and int(word) < 1000]
    counts = {key: int(word) for key, word in channels.items() if word.isdigit() and key != "other"}
    few = " ".join(f"{key} {1 if count > 1 else 2}" for key, count in counts.items())
    number = next(reversed(list(interrupts().values())), "")
    flags = [key for key, word in pairs(probe.first["private_flags"]) if word == "off"]
    probe.heading = "survival: set"
    for command in (
        f"ethtool -G {NIC} {ring.replace('512', '128') if 'virtio' in NIC else ring}" if ring else "",
        *(f"ethtool -C {NIC} {key} 40" for key in times[:1]),
        f"ethtool -A {NIC} autoneg off rx off tx off" if isinstance(probe.first["pause"], list) else "",
        *(f"ethtool --set-priv-flags {NIC} {key} on" for key in flags[:1]),
        f"ethtool -K {NIC} gro off gso off",
        f"ip link set dev {NIC} mtu 1400 txqueuelen 2000",
        f"echo 1 > {NET}/queues/rx-0/rps_cpus",
        f"echo 3 > {NET}/queues/tx-0/xps_cpus" if (NET / "queues/tx-0/xps_cpus").exists() else "",
        f"echo 1 > /proc/irq/{number}/smp_affinity_list" if number else "",
    ):
        if command:
            probe.try_(command)
    for event, command in (
        ("down and up", f"ip link set dev {NIC} down; ip link set dev {NIC} up"),
        ("mtu", f"ip link set dev {NIC} mtu 1300"),
        ("channels", f"ethtool -L {NIC} {few}" if few else ""),
        ("channels back", f"ethtool -L {NIC} {' '.join(f'{key} {n}' for key, n in counts.items())}" if few else ""),
        ("ring", f"ethtool -G {NIC} {ring.replace('512', '256')}" if ring else ""),
        ("reload", reload),
    ):
        if command:
            probe.heading = f"survival: {event}"
            probe.try_(command)


def main() -> None:
    """Ask everything, and print the transcript."""
    module = (NET / "device/driver/module").resolve().name if (NET / "device").exists() else "veth"
    device = (NET / "device").resolve().name
    reload = f"modprobe -r {module}; modprobe {module}"
    if module == "virtio_net":  # the way in has the same driver
        driver = "/sys/bus/virtio/drivers/virtio_net"
        reload = f"echo {device} > {driver}/unbind; echo {device} > {driver}/bind"
    probe = Probe()
    limited(probe, "ring", "-G", 64)
    limited(probe, "channels", "-L", 2)
    coalesce(probe)
    pause(probe)
    switches(probe)
    link(probe)
    masks(probe)
    modes(probe)
    spread(probe)
    disciplines(probe)
    survival(probe, "" if module == "veth" else reload)
    told = {
        "driver": module,
        "nic": NIC,
        "kernel": os.uname().release,
        "ethtool": sh("ethtool --version")[1].split()[-1],
        "iproute2": sh("ip -V")[1].split("-")[-1].split(",")[0].strip(),
        "state": probe.first,
        "tries": probe.tries,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
