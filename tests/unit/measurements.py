# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes plans and results of measurements, as the role benchmark does it, of rates that a test names."""

from __future__ import annotations

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import plan, result, verdict

OPTIONS = {
    "repeat": 3,
    "directions": ["up", "down"],
    "single": False,
    "duration": 10,
    "omit": 2,
    "parallel": 1,
    "protocol": "tcp",
    "window": None,
    "bitrate": None,
    "fio": {},
    "port": 5201,
    "retries": 10,
    "stagger": 0.1,
    "patience": 120,
    "quiet": False,
}
INVENTORY = {"all": ["router1", "pc1", "pc2", "pc3"], "room1": ["pc1", "pc2", "pc3"], "empty": []}
# The rates of three clients in seven runs, and much less.
BEFORE = [[90, 100, 110], [91, 99, 110], [90, 101, 112], [90, 98, 110], [92, 100, 111], [91, 101, 110], [89, 99, 109]]
HARM = [[9, 10, 11 + run / 10] for run in range(7)]
ADDRESSES = {"router1": "10.0.0.254", "pc1": "10.0.0.1", "pc2": "10.0.0.2", "pc3": "10.0.0.3"}


def made(entries, **options):
    return plan.make(entries, INVENTORY, ADDRESSES, {**OPTIONS, **options})


def collected(rates, direction):
    """What pc1, pc2 and pc3 bring home who got these rates in the one step."""
    run = [
        {"bits_per_second": {direction: rate}, "retransmits": {direction: 2}, "cpu": {"client": 5.0, "server": 9.0}}
        for rate in rates
    ]
    return [{"runs": [one], "began": 1.0, "queues": {}} for one in run]


def measured(rows, direction="up"):
    """The result of several runs; each row has the rates of the three clients."""
    whole = made([{"server": "router1", "clients": "room1"}], repeat=len(rows), directions=[direction])
    home = {name: {"steps": {}, "queues": {}} for name in whole["hosts"]}
    for number, rates in enumerate(rows, 1):
        step = f"{number}-{direction}-1"
        for name, part in zip(INVENTORY["room1"], collected(rates, direction), strict=True):
            home[name]["steps"][step] = part
        home["router1"]["queues"][step] = {"eth0": [7, 8]}
    facts = {
        "kernel": "6.1",
        "iperf3": "3.12",
        "sysctl": {},
        "nics": {"eth0": {"mtu": 1500, "ring": {"rx": {"value": 256, "maximum": 4096}}}},
    }
    about = {"label": "x", "ended": "2026-11-21T12:00:00Z", "options": {"repeat": len(rows)}}
    checked = dict.fromkeys(home, facts)
    started = {name: {"firewall": []} for name in home}
    return result.make(whole, checked, started, home, about)


def decided(after, figure="sum", before=None, tolerance=0.02):
    """What becomes of a change after which these rates were measured."""
    results = [("before", measured(before or BEFORE)), *(("after", measured(rows)) for rows in after)]
    return verdict.decide(results, ["router1"], figure, tolerance, "" if after else "it was impossible")
