"""Sows bottlenecks between network namespaces, measures as the role benchmark does, and says whether each was named.

Four hosts (three clients, a server) hang on a switch, all of them namespaces; each makes the calls of the module on its
own. Two scripts play systemd, for the machine's own must not be touched. It needs root, iperf3, ethtool and iproute2.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import namespaces

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import foreign, plan, result, table

ROOT = Path(__file__).resolve().parents[1]
CLIENTS, SERVER, SWITCH = ("pc1", "pc2", "pc3"), "hub", "switch"
HOSTS = (*CLIENTS, SERVER)
ADDRESSES = {host: f"10.98.0.{number}" for number, host in enumerate(HOSTS, 1)}
GROUPS = {"all": list(HOSTS), "room": list(CLIENTS)}
QUEUES = 4
OPTIONS = {
    **{"repeat": 1, "directions": ["up"], "single": False, "latency": True, "udp": None, "packets": False},
    **{"duration": 4, "omit": 1, "parallel": 1, "protocol": "tcp", "window": None, "bitrate": None, "fio": {}},
    **{"port": 5201, "retries": 2, "stagger": 0.1, "patience": 20, "quiet": False},
}
ROOM = [{"server": SERVER, "clients": "room"}]
ONE = [{"server": SERVER, "clients": "pc1"}]

# In place of systemd: a unit is a process, and it is active as long as that is there.
SYSTEMD_RUN = """#!/bin/sh
for word; do case $word in --unit=*) unit=${word#--unit=} ;; esac; done
while [ "${1#--}" != "$1" ]; do shift; done
setsid "$@" >/dev/null 2>&1 </dev/null &
echo $! >/run/units/$unit
"""
SYSTEMCTL = """#!/bin/sh
[ -f "/run/units/$2" ] && grep -q "^State:.[^Z]" "/proc/$(cat /run/units/$2)/status" 2>/dev/null && echo active && exit
echo inactive
exit 3
"""
CALL = (
    "import json, sys; from ansible_collections.linuxnet.tuning.plugins.module_utils import bare;"
    "from ansible_collections.linuxnet.tuning.plugins.module_utils.measuring import measurement;"
    "from ansible.module_utils.common.arg_spec import ArgumentSpecValidator as V;"
    "params = V(measurement.BENCHMARK).validate(json.load(sys.stdin)).validated_parameters;"
    "measurement.serve_benchmark(bare.BareModule(params, False, False, ''))"
)


class Sown(NamedTuple):
    """What was done to which host, in shell, and which word has to come out for pc1; `says` stands in the place.

    `others` are the ends at which other traffic has to be noticed; at all others it must not be.
    """

    name: str
    expected: tuple[str, ...]
    done: tuple[tuple[str, str], ...] = ()
    entries: Any = None
    options: Any = None
    says: str = ""
    others: tuple[str, ...] = ()


def shaped(nic: str, rate: str, more: str = "root") -> str:
    return f"tc qdisc add dev {nic} {more} tbf rate {rate} burst 20k limit 150k"


# So little room that it drops what comes too soon, as a policer does.
POLICE = "tc qdisc add dev to-hub root tbf rate 50mbit burst 20k limit 21k"
# Somebody else who sends 12 Mbit/s to the server, whatever is measured.
OTHERS = (
    f"{sys.executable} -c 'import socket, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
    f'while True: s.sendto(bytes(1472), ("{ADDRESSES[SERVER]}", 9)); time.sleep(0.001)\' >/dev/null 2>&1 &'
)
SCENARIOS = (
    Sown("nothing but the processors", ("sender processor", "receiver processor")),
    Sown("a rate that was asked for", ("application",), options={"bitrate": "50M"}),
    Sown("tbf on the sender", ("qdisc",), (("pc1", shaped("eth0", "50mbit")),), says="tbf on eth0 of pc1"),
    Sown("tbf on the way", ("hop",), ((SWITCH, shaped("to-hub", "50mbit")),)),
    Sown("tbf before one of three", ("hop",), ((SWITCH, shaped("to-pc1", "5mbit")),),
         ROOM, {"directions": ["down"]}, says="pc1"),
    Sown("a switch that polices", ("hop",), ((SWITCH, POLICE),)),
    Sown("a receive buffer of 4 kB", ("receive buffer",), ((SERVER, "sysctl -q net.ipv4.tcp_rmem='4096 4096 4096'"),)),
    Sown("queues of 20 Mbit/s each", ("queue",),
         ((SERVER, "tc qdisc replace dev eth0 root handle 1: mq; " + "; ".join(
             shaped("eth0", "20mbit", f"parent 1:{number}") for number in range(1, QUEUES + 1))),),
         ROOM, {"directions": ["down"]}, says="of eth0 of hub"),
    Sown("a foreign load behind the slow hop", ("hop",), ((SWITCH, shaped("to-hub", "50mbit")), ("pc2", OTHERS)),
         others=("eth0 of hub received",)),
)  # fmt: skip


def run(host: str, command: str) -> None:
    subprocess.run(["ip", "netns", "exec", host, "sh", "-ec", command], check=True)


def play_systemd() -> None:
    """Puts the two scripts in place of systemd's programs, for this process and what it starts."""
    namespaces.mount("tmpfs", "/run", "tmpfs")
    for name, text in (("systemd-run", SYSTEMD_RUN), ("systemctl", SYSTEMCTL)):
        Path("/run/bin").mkdir(exist_ok=True)
        Path("/run/bin", name).write_text(text)
        Path("/run/bin", name).chmod(0o755)
    for folder in ("systemd/system", "units"):
        Path("/run", folder).mkdir(parents=True)
    os.environ["PATH"] = f"/run/bin:{os.environ['PATH']}"


def build() -> None:
    """The hosts on their switch, as after a boot."""
    for name in (*HOSTS, SWITCH):
        subprocess.run(["ip", "netns", "add", name], check=True)
        run(name, "ip link set lo up")
    run(SWITCH, "ip link add bridge type bridge; ip link set bridge up")
    for host in HOSTS:
        number = f"numtxqueues {QUEUES} numrxqueues {QUEUES}"
        run(SWITCH, f"ip link add to-{host} {number} type veth peer name eth0 {number} netns {host}")
        run(SWITCH, f"ip link set to-{host} master bridge up")
        run(host, f"ip address add {ADDRESSES[host]}/24 dev eth0; ip link set eth0 up")


def call(host: str, **params: Any) -> dict[str, Any]:
    """One call of the module on a host."""
    argv = ["ip", "netns", "exec", host, sys.executable, "-c", CALL]
    done = subprocess.run(argv, input=json.dumps({"name": host, **params}), capture_output=True, text=True, check=False)
    if not done.stdout:
        raise SystemExit(done.stderr)
    told: dict[str, Any] = json.loads(done.stdout)
    if told.get("failed"):
        raise SystemExit(f"{host}: {told['msg']}")
    return told


def measured(entries: Any, options: Any) -> dict[str, Any]:
    """What the tasks of the role benchmark do."""
    made = plan.make(entries, GROUPS, ADDRESSES, {**OPTIONS, **(options or {})})
    parts = made["hosts"]
    with ThreadPoolExecutor() as pool:

        def all_hosts(state: str, *keys: str, **more: Any) -> dict[str, Any]:
            words = {host: {key: part[key] for key in keys} for host, part in parts.items()}
            answers = pool.map(lambda host: call(host, state=state, **words[host], **more), parts)
            return dict(zip(parts, answers, strict=True))

        checked = all_hosts("checked", "peers", "steps")
        keys = ("steps", "gate", "servers", "answers")
        common = {"seconds": made["seconds"], "stagger": 0.1, "patience": 20}
        started = all_hosts("started", *keys, nics=["eth0"], firewall=False, **common)
        collected = all_hosts("collected", "steps", "gate", seconds=made["seconds"])
    about = {"label": "sown", "ended": "2026-11-22T00:00:00Z", "options": made["options"]}
    return result.make(made, checked, started, collected, about)


def sown(one: Sown, talk: bool) -> bool:
    """Whether the bottleneck is named."""
    build()
    for host, command in one.done:
        run(host, command)
    whole = measured(one.entries or ONE, one.options)
    found = next(iter(next(iter(whole["groups"].values()))["bottlenecks"].values()))[f"pc1 - {SERVER}"]
    group = next(iter(whole["groups"].values()))
    noticed = [foreign.where(row) for row in group.get("foreign", ())]
    right = found["where"] in one.expected and one.says in found["at"] and noticed == [*one.others]
    print(f"{'right' if right else 'WRONG'}  {one.name}")
    print(f"       {found['where']}: {found['at']}; {'; '.join(found['evidence'])}")
    print("".join(f"       other traffic: {table.others(row)}\n" for row in group.get("foreign", ())), end="")
    if talk:
        print("\n".join(f"       {line}" for line in table.lines(whole)))
    if talk and not right:
        print(json.dumps(whole["runs"], indent=1))
    sys.stdout.flush()
    return right


def main() -> int:
    """Sow one after the other, each between namespaces of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="a part of the name")
    parser.add_argument("--verbose", action="store_true")
    words = parser.parse_args()
    chosen = [one for one in SCENARIOS if words.only in one.name]
    named = 0
    for one in chosen:

        def work(one: Sown = one) -> int:
            play_systemd()
            return 0 if sown(one, words.verbose) else 1

        with tempfile.TemporaryDirectory() as folder:
            named += namespaces.contain(Path(folder), work) == 0
    print(f"\n{named} of {len(chosen)} named")
    return 0 if named == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
