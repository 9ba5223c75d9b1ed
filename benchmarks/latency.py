"""Compares the round trips under load of the role benchmark with those of flent, on the same line one after the other.

A client, a switch that forwards a fixed rate in each direction, and a server, all of them namespaces. It needs root,
iperf3, iproute2, flent, and netperf (which Debian has in non-free) on PATH.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bottlenecks
import namespaces

CLIENT = bottlenecks.CLIENTS[0]
PROGRAMS = ("iperf3", "tc", "flent", "netperf", "netserver")
CONGESTION = "/proc/sys/net/ipv4/tcp_congestion_control"
# What tbf may hold, and what is below it.
QUEUES = {"1 MB": ("1m", ""), "30 kB": ("30k", ""), "fq_codel": ("1m", "fq_codel"), "cake": ("1m", "cake")}
# The role's direction and number of streams, and flent's test with the same load.
LOADS = (("up", 1, "tcp_upload"), ("down", 1, "tcp_download"), ("both", 4, "rrul_be"))
# flent idles for five seconds first; the first seconds of a load fill the queue.
IDLE, FILLS = 5, 3


def shape(rate: int, limit: str, leaf: str) -> bool:
    """Both directions; False where this kernel has no such qdisc."""
    for nic in (f"to-{CLIENT}", f"to-{bottlenecks.SERVER}"):
        line = f"tc qdisc replace dev {nic}"
        # Another kind in between, so that the child of the last tbf goes with it.
        bottlenecks.run(bottlenecks.SWITCH, f"{line} root pfifo")
        bottlenecks.run(bottlenecks.SWITCH, f"{line} root handle 1: tbf rate {rate}mbit burst 20k limit {limit}")
        if leaf:
            child = ["ip", "netns", "exec", bottlenecks.SWITCH, *f"{line} parent 1: handle 10: {leaf}".split()]
            done = subprocess.run(child, capture_output=True, text=True, check=False)
            if "unknown" in done.stderr:
                return False
            done.check_returncode()
    return True


def of_role(direction: str, streams: int, seconds: int) -> tuple[float, float, float]:
    """Median and 99th percentile under load, and the latter without, in milliseconds."""
    options = {"directions": [direction], "duration": seconds, "omit": FILLS - 1, "parallel": streams}
    whole = bottlenecks.measured(bottlenecks.ONE, options)
    figures = next(iter(whole["groups"].values()))["figures"]
    under, idle = figures[direction], figures["idle"]
    return (
        under["latency_median"]["median"],
        under["latency_p99"]["median"],
        idle["idle_p99"]["median"],
    )


def of_flent(test: str, seconds: int) -> tuple[float, float, float]:
    """The same from flent's ping."""
    with tempfile.TemporaryDirectory() as folder:
        argv = ["flent", test, "-H", bottlenecks.ADDRESSES[bottlenecks.SERVER], "-l", str(seconds), "-D", folder]
        subprocess.run(["ip", "netns", "exec", CLIENT, *argv], check=True, capture_output=True)
        told: Mapping[str, Any] = json.loads(gzip.decompress(next(Path(folder).glob("*.flent.gz")).read_bytes()))
    pings = [
        (at, ping)
        for at, ping in zip(told["x_values"], told["results"]["Ping (ms) ICMP"], strict=True)
        if ping is not None
    ]
    under = sorted(ping for at, ping in pings if IDLE + FILLS <= at < IDLE + seconds)
    idle = sorted(ping for at, ping in pings if at < IDLE - 1)
    return statistics.median(under), percentile(under), percentile(idle)


def percentile(sorted_values: list[float]) -> float:
    return sorted_values[min(len(sorted_values) - 1, int(0.99 * len(sorted_values)))]


def compare(rate: int, seconds: int) -> int:
    bottlenecks.play_systemd()
    bottlenecks.build()
    bottlenecks.run(bottlenecks.SERVER, "netserver >/dev/null 2>&1")
    print("queue     direction  role: median   99 %  flent: median   99 %  ratio of 99 %  idle, role  flent")
    for name, (limit, leaf) in QUEUES.items():
        for direction, streams, test in LOADS:
            if not shape(rate, limit, leaf):
                print(f"{name:8}  this kernel does not have it", flush=True)
                break
            role, flent = of_role(direction, streams, seconds), of_flent(test, seconds)
            print(
                f"{name:8}  {direction:9}  {role[0]:9.1f} ms  {role[1]:5.1f}  {flent[0]:10.1f} ms  {flent[1]:5.1f}"
                f"  {role[1] / flent[1]:13.2f}  {role[2]:10.1f}  {flent[2]:5.1f}",
                flush=True,
            )
    return 0


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=20, help="Mbit/s of the line")
    parser.add_argument("--seconds", type=int, default=15, help="of each load")
    words = parser.parse_args()
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if missing:
        raise SystemExit(f"Not installed: {', '.join(missing)}.")
    control = Path(CONGESTION).read_text().strip()
    if control != "cubic":
        raise SystemExit(f"The congestion control {control} may keep the queue short; set {CONGESTION} to cubic.")
    with tempfile.TemporaryDirectory() as folder:
        return namespaces.contain(Path(folder), lambda: compare(words.rate, words.seconds))


if __name__ == "__main__":
    sys.exit(main())
