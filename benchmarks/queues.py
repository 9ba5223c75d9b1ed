"""Prints what ten clients receive at once with mq and with a queue for each, by both methods, in the lab.

Every transmit queue of a veth is shaped alike, so a client alone on a queue gets the rate of that queue and two on one
queue share it: what a 10G NIC in front of 1G clients does, at a scale that software emulation can carry.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Filters of clsact leave mq and its shaped queues in place; multiq takes their place and so comes last.
METHODS = ("mq", "clsact", "multiq")
NIC, PEER, NAMESPACE, NETWORK = "lab0", "lab1", "classroom", "10.64.0"

SETUP = f"""set -e
ip netns add {NAMESPACE} 2>/dev/null || exit 0
ip link set {PEER} netns {NAMESPACE}
ip -n {NAMESPACE} link set {PEER} up
ip address add {NETWORK}.254/24 dev {NIC}
for k in $(seq {{clients}}); do ip -n {NAMESPACE} address add {NETWORK}.$k/24 dev {PEER}; done
ethtool -L {NIC} rx {{queues}} tx {{queues}}
tc qdisc replace dev {NIC} root handle 100: mq
"""

# The parent of a queue's own qdisc is a class of mq or multiq; both are numbered from 1, in hexadecimal.
SHAPE = f"""set -e
root=$(tc qdisc show dev {NIC} | awk '$4 == "root" {{{{ print $3; exit }}}}')
for k in $(seq {{queues}}); do
  tc qdisc replace dev {NIC} parent "$root$(printf %x "$k")" tbf rate {{rate}}mbit burst 16kb latency 100ms
done
"""

MEASURE = f"""
for k in $(seq {{clients}}); do
  ip netns exec {NAMESPACE} iperf3 -s -1 -B {NETWORK}.$k -p 5201 >/dev/null 2>&1 &
done
sleep 2
for k in $(seq {{clients}}); do
  iperf3 -c {NETWORK}.$k -p 5201 -t {{seconds}} -O 2 -J > /run/iperf3-$k.json &
  sleep 0.1
done
wait
cat /run/iperf3-*.json | tr -d '\\n\\t' | sed 's/}}}}{{{{/}}}}\\n{{{{/g'
rm -f /run/iperf3-*.json
"""


def main() -> int:
    """Measure each method on the running lab; exit code 1 when a mapping misses what it promises."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--queues", type=int, default=16)
    parser.add_argument("--rate", type=int, default=5, help="Mbit/s of each queue")
    parser.add_argument("--seconds", type=int, default=12)
    words = vars(parser.parse_args())
    lab("up")
    on_router(SETUP, words)
    limit = words["clients"] * words["rate"]
    print(
        f"\n{words['clients']} clients of {words['rate']} Mbit/s each, {words['queues']} queues, {words['seconds']} s\n"
    )
    print("method  Mbit/s  of the limit  Jain's index  least  most")
    print("------  ------  ------------  ------------  -----  ----")
    missed = []
    for method in METHODS:
        map_clients(method, words["clients"])
        on_router(SHAPE, words)
        rates = received(on_router(MEASURE, words))
        index = fairness(rates)
        share = sum(rates) / limit
        print(
            f"{method:6}  {sum(rates):6.1f}  {share:12.3f}  {index:12.3f}  {min(rates):5.2f}  {max(rates):4.2f}",
            flush=True,
        )
        if method != "mq" and (index < 0.99 or share < 0.95):
            missed.append(method)
    for method in missed:
        print(f"{method} does not give every client its share")
    return 1 if missed else 0


def lab(*words: str) -> None:
    subprocess.run([sys.executable, str(ROOT / "molecule/shared/lab/lab.py"), *words], check=True)


def on_router(script: str, words: dict[str, int]) -> str:
    """What a script prints that runs on the guest `router`."""
    argv = [sys.executable, str(ROOT / "molecule/shared/lab/lab.py"), "ssh", "router", "sh -s"]
    done = subprocess.run(argv, input=script.format(**words), stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def map_clients(method: str, clients: int) -> None:
    """Set the method by the module, as a user would; mq is what a host has by itself."""
    desired = {"method": "mq"} if method == "mq" else {"method": method, "clients": [f"{NETWORK}.1-{clients}"]}
    options = json.dumps({"nics": [{"name": NIC, "multiq": desired}]})
    inventory = Path(os.environ["LAB"]) / "inventory.json"
    argv = ["ansible", "-i", str(inventory), "router", "-m", "linuxnet.tuning.multiq", "-a", options]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)


def received(output: str) -> list[float]:
    """Mbit/s that each client received."""
    reports = [json.loads(line) for line in output.splitlines() if line.strip()]
    errors = [report["error"] for report in reports if "error" in report]
    if errors:
        raise SystemExit(f"iperf3 failed: {errors[0]}")
    return [report["end"]["sum_received"]["bits_per_second"] / 1e6 for report in reports]


def fairness(rates: list[float]) -> float:
    """Jain's index: 1 when all get the same, 1/n when one gets all."""
    return statistics.fmean(rates) ** 2 / statistics.fmean(rate * rate for rate in rates)


if __name__ == "__main__":
    sys.exit(main())
