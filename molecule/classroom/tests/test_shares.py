# SPDX-License-Identifier: GPL-3.0-or-later
"""Each client has its full share at the same time, by iperf3's own words and the kernel's counters."""

import json
import re

from common import LAB

RESULTS = LAB / "results"
CLIENTS, RATE = 10, 1e6


def rates(run):
    return [flow["bits_per_second"]["down"] for flow in run["flows"]]


def loaded(path):
    """The runs of a saved result in which the clients received; those that measure latency have others before."""
    return [run for run in json.loads(path.read_text())["runs"] if run["kind"] != "idle"]


def before():
    """The latest of the measurements before."""
    return loaded(sorted(RESULTS.glob("before-2*.json"))[-1])


def test_with_mq_clients_share_queues():
    worst = [min(rates(run)) for run in before()]
    assert min(worst) < 0.7 * RATE


def test_with_a_queue_for_each_all_get_their_share():
    runs = [rates(run) for run in loaded(RESULTS / "proved.json")]
    assert {len(run) for run in runs} == {CLIENTS}
    # Within some seconds, what tbf lets through in one go and what waited in a socket are a few hundredths more.
    assert max(sum(run) for run in runs) < 1.05 * CLIENTS * RATE
    # Of all runs the best: the emulated hosts are sometimes too slow for a moment.
    assert max(min(run) for run in runs) > 0.85 * RATE
    assert max(sum(run) for run in runs) > 0.9 * CLIENTS * RATE


def test_bytes_are_in_the_queue_of_the_client():
    for run in loaded(RESULTS / "proved.json"):
        queues = run["queues"]["router"]["lab0"]
        received = [flow["bits_per_second"]["down"] * flow["seconds"] / 8 for flow in run["flows"]]
        assert all(sent > got for sent, got in zip(queues[1 : CLIENTS + 1], received, strict=True))
        assert all(sent < 15000 for sent in queues[CLIENTS + 1 :])


def test_each_client_is_mapped_to_its_queue(host):
    shown = host.check_output("tc filter show dev lab0 egress")
    mapped = re.findall(r"match 0a4000([0-9a-f]{2})/ffffffff at 16.*?queue_mapping (\d+)", shown, re.DOTALL)
    assert sorted((int(client, 16), int(queue)) for client, queue in mapped) == [(k, k) for k in range(1, CLIENTS + 1)]


def test_nothing_is_left(host):
    assert host.run("pgrep iperf3").stdout == ""
    assert "linuxnet-benchmark" not in host.check_output("systemctl list-units --all --no-legend")


def test_the_report_stands_on_its_own():
    reports = sorted(RESULTS.glob("prove-*.html"))
    report = reports[-1].read_text()
    # The second playbook is the one that harms.
    assert "<svg" in report and (">worse<" in report) is (len(reports) > 1)
    assert "http://" not in report and "https://" not in report
