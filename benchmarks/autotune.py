"""Sows the bottlenecks of autotune.yml on the lab, and compares what autotune finds with the best known setting.

All of them carry real traffic between the guest `router`, whose NICs and kernel are tuned, and the container `switch`.
Rates are far below what emulated processors carry, so that figures are steady. Each one begins with the saved state of
the lab; the best known setting is set by raw commands and measured with the same options. Exit code 1 where autotune
ends more than 5 % off, below the start, after more measurements than allowed, or with hosts that are not as they were.
"""

from __future__ import annotations

import argparse
import atexit
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import yaml

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.autotune import axes, search, session, tell
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import table, verdict

ROOT = Path(__file__).resolve().parents[1]
LAB = Path(os.environ["LAB"])
SHARED = ROOT / "molecule/shared"
RAW_STATE = (SHARED / "raw_state.sh").read_text()
MEASUREMENTS, NEAR = 15, math.log(0.95)
# As many runs as a side of the proof has at least.
REPEAT = 6
OPTIONS = {
    **{"benchmark_duration": 2, "benchmark_omit": 1, "benchmark_patience": 120},
    # Nothing is shut in the lab, and to ask the programs of four firewalls takes an emulated processor long.
    **{"benchmark_firewall": False, "autotune_measurements": MEASUREMENTS},
}
# What plays the long line of the bottleneck that is sown now.
LINES: list[subprocess.Popen[bytes]] = []
LINE = {"router": "192.168.32.254", "switch": "192.168.32.1"}
# Any network namespace of any kernel may choose this one.
HEAD = "set -e; sysctl -q net.ipv4.tcp_congestion_control=reno\n"
# What plays the long line of the bottleneck that is sown now.
LINES: list[subprocess.Popen[bytes]] = []
LINE = {"router": "192.168.32.254", "switch": "192.168.32.1"}
# The bridge would answer for addresses of the host that are not its own.
ROOM = """
ip link add room type bridge
ip address flush dev igb0
ip link set igb0 master room
ip link set room up arp off
"""
ROUTER = f"{ROOM}ip link set lab1 master room\nip address add 10.64.0.254/24 dev lab0\n"
CLIENT = """
ip netns add pc0{k}
ip link add pc0{k} master room up type veth peer name eth0 netns pc0{k}
ip -n pc0{k} link set lo up
ip -n pc0{k} link set eth0 up
ip -n pc0{k} address add 10.64.0.{k}/24 dev eth0
"""


class Sown(NamedTuple):
    """A row of autotune.yml."""

    about: str
    sown: dict[str, str]
    known: list[dict[str, str]]
    goal: str = "throughput"
    way: str = "down"
    lies: str = "line"
    clients: int = 1
    far: str = ""
    machine: bool = False
    tuned: str = "router"
    options: Mapping[str, Any] = MappingProxyType({})


class Ended(NamedTuple):
    """What came of one: scores of which more is better."""

    start: float
    found: float
    known: float
    setting: str
    measurements: int
    back: bool

    @property
    def right(self) -> bool:
        near = self.found >= self.known + NEAR
        return near and self.found >= self.start and self.measurements <= MEASUREMENTS and self.back


def lab(*words: str) -> None:
    subprocess.run([sys.executable, SHARED / "lab/lab.py", *words], check=True, stdout=subprocess.DEVNULL)


def on(host: str, script: str, *words: str) -> str:
    """What a script prints on a guest."""
    argv = ["ssh", "-F", str(LAB / "ssh_config"), host, "sh", "-s", *(["--", *words] if words else [])]
    done = subprocess.run(argv, input=script, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{host}: {done.stderr}")
    return done.stdout


def state(one: Sown) -> dict[str, list[str]]:
    """All that autotune may change, in the tools' own words, by host; the collection's own files are no setting."""
    more = "\nsysctl -a -r '^net[.](core|ipv4[.]tcp)' 2>/dev/null\n"
    return {
        host: on(host, RAW_STATE.partition('echo "== files"')[0] + more, nic(one)).splitlines() for host in tuned(one)
    }


def tuned(one: Sown) -> list[str]:
    return one.tuned.split(":")


def nic(one: Sown) -> str:
    return "igb0" if one.lies == "line" else "lab0"


def prepare(one: Sown) -> Path:
    """The lab as it was saved, with this bottleneck in it; gives the inventory."""
    end_line()
    lab("reset")
    if one.lies == "line":
        # On a wire there are packets, not what is cut into packets later.
        router = switch = "ip link set dev igb0 gso_max_segs 1\n"
        addresses = LINE
    else:
        router = ROUTER
        switch = ROOM + "".join(CLIENT.format(k=k) for k in range(1, one.clients + 1))
        addresses = {"router": "10.64.0.254", **{f"pc0{k}": f"10.64.0.{k}" for k in range(1, one.clients + 1)}}
    if one.far:
        wires = json.loads((LAB / "wires/process.json").read_text())["pid"]
        words = [str(wires), "router-igb0", "switch-igb0", *one.far.split()]
        argv = [sys.executable, str(ROOT / "benchmarks/long_line.py"), *words]
        LINES.append(subprocess.Popen(argv, stdout=subprocess.DEVNULL))
    on("switch", HEAD + switch + one.sown.get("switch", ""))
    on("router", HEAD + router + one.sown.get("router", ""))
    return inventory(one, addresses)


def end_line() -> None:
    for line in LINES:
        line.kill()
        line.wait()
    LINES.clear()


def inventory(one: Sown, addresses: dict[str, str]) -> Path:
    """Beside that of the lab: who measures with whom, and how to reach namespaces."""
    clients = [host for host in addresses if host != "router"]
    lab_vars = json.loads((LAB / "inventory.json").read_text())["all"]["children"]["lab"]["vars"]
    hosts = {host: {"tuning_address": address} for host, address in addresses.items()}
    variables = {
        **OPTIONS,
        # One probe of a hundred is the 99th percentile.
        **({"benchmark_duration": 4} if one.goal == "latency" else {}),
        "benchmark_hosts": ":".join(hosts),
        "benchmark_groups": [{"name": one.lies, "server": "router", "clients": clients}],
        "benchmark_directions": [one.way],
        "benchmark_folder": str(LAB / "autotune"),
        "tuning_hosts": one.tuned,
        "autotune_goal": one.goal,
        **one.options,
    }
    path = LAB / "autotune.json"
    path.write_text(json.dumps({"all": {"hosts": hosts, "vars": {**lab_vars, **variables}}}))
    return path


def argv(playbook: str, own: Path, **variables: Any) -> list[str]:
    words = ["-i", str(LAB / "inventory.json"), "-i", str(own), "-e", json.dumps(variables)]
    return ["ansible-playbook", *words, f"linuxnet.tuning.{playbook}"]


def environment() -> dict[str, str]:
    # By name, for clients of two labs have their addresses in common.
    more = {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_SSH_CONTROL_PATH": "%(directory)s/%%n-%%p-%%r"}
    return {**os.environ, **more}


def play(playbook: str, own: Path, talk: bool, **variables: Any) -> dict[str, Any]:
    """Play it to its end, and give what it has saved."""
    log = LAB / "autotune.log"
    with log.open("w") as output:
        called = argv(playbook, own, **variables)
        done = subprocess.run(called, env=environment(), stdout=output, stderr=output, check=False)
    if talk or done.returncode:
        print(log.read_text(), flush=True)
    if done.returncode:
        raise SystemExit(f"{playbook} ended with {done.returncode}")
    saved = max((LAB / "autotune").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    found: dict[str, Any] = json.loads(saved.read_text())
    return found


def sown(one: Sown, talk: bool) -> Ended:
    """Sow, search, look at the hosts, and measure what is known to be best."""
    own = prepare(one)
    before = state(one)
    told = play("autotune", own, talk)
    back = differences(before, state(one))
    print("".join(f"    {line}\n" for line in back), end="")
    figure = axes.GOALS[one.goal]
    start = [score for entry in told["history"] if not entry["turn"]["setting"] for score in scores(entry, figure)]
    better = told["outcome"] == "better"
    after = [entry for entry in told["history"] if entry["turn"]["kind"] == search.PROVE and entry["turn"]["setting"]]
    found = [score for entry in after for score in scores(entry, figure)] if better else start
    known = [statistics.median(start)] if not one.known else []
    for setting in one.known:
        for host, script in setting.items():
            on(host, f"set -e\n{script}")
        result = play("benchmark", own, False, benchmark_repeat=REPEAT)
        known.append(statistics.median(session.scores(result, figure)))
        if setting is not one.known[-1]:
            own = prepare(one)
    taken = sum(1 for entry in told["history"] if entry["applied"])
    words = tell.setting(told["best"]) if better else "the start"
    return Ended(statistics.median(start), statistics.median(found), max(known), words, taken, not back)


def scores(entry: dict[str, Any], figure: str) -> list[float]:
    return session.scores(entry["result"], figure) if entry["result"] else []


def differences(before: dict[str, list[str]], after: dict[str, list[str]]) -> list[str]:
    """What is not as it was, by raw commands."""
    return [
        f"{host}: {sign} {line}"
        for host in before
        for sign, these, those in (("-", before[host], after[host]), ("+", after[host], before[host]))
        for line in these
        if line not in those
    ]


def told(one: Sown, end: Ended, seconds: float) -> str:
    figure = axes.GOALS[one.goal]
    sign = -1 if figure in verdict.LESS else 1
    start, found, known = (table.say(figure, math.exp(sign * score)) for score in (end.start, end.found, end.known))
    off = tell.percent(end.found - end.known)
    return (
        f"{'right' if end.right else 'WRONG'}  {one.about}: {one.goal}\n"
        f"       start {start}, found {found}, best known {known} ({off}); {end.measurements} measurements, "
        f"hosts {'as they were' if end.back else 'NOT as they were'}, {seconds / 60:.0f} minutes\n"
        f"       {end.setting}"
    )


def killed(one: Sown) -> bool:
    """Whether all hosts go back after the controller is killed while a candidate is in force on each of them."""
    own = prepare(one)
    before = state(one)
    playing = subprocess.Popen(
        argv("autotune", own), env=environment(), stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        while {line.partition(":")[0] for line in differences(before, state(one))} != set(tuned(one)):
            if playing.poll() is not None:
                raise SystemExit("autotune ended before all hosts had a candidate")
    finally:
        os.killpg(playing.pid, signal.SIGKILL)
    began = time.monotonic()
    print("\n".join(["the controller is killed; in force are", *differences(before, state(one))]), flush=True)
    while (left := differences(before, state(one))) and time.monotonic() - began < 900:
        time.sleep(5)
    print("\n".join(left) or f"all hosts are as they were, {time.monotonic() - began:.0f} s later", flush=True)
    return not left


def main() -> int:
    """Sow one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], metavar="WORDS", help="a part of a name; several times")
    parser.add_argument(
        "--kill", action="store_true", help="kill the controller in the middle, and see the hosts go back"
    )
    parser.add_argument("--verbose", action="store_true", help="what autotune prints, too")
    words = parser.parse_args()
    rows = [Sown(**row) for row in yaml.safe_load((ROOT / "benchmarks/autotune.yml").read_text())]
    contained = os.environ.get("LAB_CONTAINERS") == "all"
    chosen = [one for one in rows if one.machine != contained]
    if words.only:
        chosen = [one for one in chosen if any(part in one.about for part in words.only)]
    elif words.kill:
        chosen = [one for one in chosen if len(tuned(one)) > 1]
    if not chosen:
        kind = "containers" if contained else "a virtual machine"
        print(f"no bottleneck in {kind} has {' or '.join(words.only)} in its name")
        return 0
    atexit.register(end_line)
    lab("up")
    right = 0
    for one in chosen:
        if words.kill:
            right += killed(one)
            continue
        began = time.monotonic()
        end = sown(one, words.verbose)
        print(told(one, end, time.monotonic() - began), flush=True)
        right += end.right
    print(f"\n{right} of {len(chosen)} right")
    return 0 if right == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
