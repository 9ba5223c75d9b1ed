# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is well after a change, what becomes of a batch, and what is said; the probes of a host."""

from __future__ import annotations

import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.linuxnet.tuning.plugins.filter.site_quiet import site_quiet
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import health
from ansible_collections.linuxnet.tuning.plugins.module_utils.host import ReadOnlyHost
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import InputError
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import layers, plain, rollout
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.rollout import Limits, Said
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

NAMES = [f"pc{number:02}" for number in range(50)]
CHANGED = {"changed": True}
WELL = Said([CHANGED], {"probes": [{"probe": "x", "well": True, "figure": ""}]}, {"changed": True})


@pytest.mark.parametrize(
    ("sizes", "name", "first", "count"),
    [
        ([1, "25%", "100%"], "pc00", "pc00", 1),
        ([1, "25%", "100%"], "pc12", "pc01", 12),
        ([1, "25%", "100%"], "pc13", "pc13", 37),
        ([7], "pc20", "pc14", 7),
        (["10%"], "pc49", "pc45", 5),
        (["1%"], "pc02", "pc02", 1),
        ([0], "pc02", "pc00", 50),
    ],
)
def test_batches_are_those_of_ansible(sizes, name, first, count):
    found = rollout.batch(NAMES, sizes, name)
    assert (found[0], len(found)) == (first, count)


def counted(packets, **errors):
    return {"enp1s0": {"rx_packets": packets, "tx_packets": packets, **errors}}


@pytest.mark.parametrize(
    ("about", "host", "says"),
    [
        ("well", WELL, ""),
        (
            "a probe",
            Said([CHANGED], {"probes": [{"probe": "ping gw", "well": False, "figure": "no"}]}, {}),
            "`ping gw`: no",
        ),
        (
            "gone",
            Said([CHANGED], {"unreachable": True, "msg": "timed out"}, {}),
            "no new connection to this host can be made (timed out)",
        ),
        (
            "gone later",
            Said([CHANGED], {}, {"unreachable": True, "msg": "timed out"}),
            "no new connection to this host can be made",
        ),
        (
            "no check",
            Said([CHANGED], {"failed": False, "failed_when_result": False, "msg": "no probe."}, {}),
            "it cannot be checked: no probe",
        ),
        (
            "cut off",
            Said([{"unreachable": True, "cut": True, "msg": "the connection was lost in the middle."}], {}, {}),
            "the connection was lost in the middle",
        ),
        (
            "gone back",
            Said([CHANGED], {"probes": []}, {"failed": True, "msg": "This host has reverted by itself."}),
            "This host has reverted by itself",
        ),
        (
            "too late",
            Said([CHANGED], {"probes": [], "reverted": [{"at": "now"}]}, {}),
            "the guard has reverted the change",
        ),
        (
            "errors",
            Said(
                [{**CHANGED, "counters": counted(100000, rx_errors=1)}],
                {"probes": [], "counters": counted(110000, rx_errors=501)},
                {},
            ),
            "rx_errors of enp1s0 grew by 500 since the change, 5 % of its packets; before it was 0.001 %",
        ),
        (
            "nothing but drops",
            Said(
                [{**CHANGED, "counters": counted(0)}],
                {"probes": [], "counters": counted(0, rx_dropped=500)},
                {},
            ),
            "rx_dropped of enp1s0 grew by 500 since the change, 100 % of its packets; before it was 0 %",
        ),
        (
            "few errors",
            Said([{**CHANGED, "counters": counted(0)}], {"probes": [], "counters": counted(100, rx_errors=99)}, {}),
            "",
        ),
        (
            "as before",
            Said(
                [{**CHANGED, "counters": counted(1000, rx_dropped=100)}],
                {"probes": [], "counters": counted(3000, rx_dropped=400)},
                {},
            ),
            "",
        ),
        ("a NIC that went", Said([{**CHANGED, "counters": counted(9)}], {"probes": [], "counters": {}}, {}), ""),
    ],
)
def test_who_is_well(about, host, says):
    found = rollout.unwell(host, Limits())
    assert says in found if says else not found, about


def test_one_sick_host_makes_the_batch_sick_and_failures_only_if_they_are_many():
    sick = WELL._replace(health={"unreachable": True, "msg": "timed out"})
    failed = Said([{"failed": True, "msg": "no such NIC"}], {}, {})
    off = Said([{"unreachable": True}], {}, {})
    some = {**dict.fromkeys(NAMES[:10], WELL), "pc10": failed, "pc11": off}
    assert not rollout.judge(some, Limits()).stop
    assert rollout.judge(some, Limits(failed=8)).stop
    assert rollout.judge({**some, "pc12": sick}, Limits()).stop
    assert rollout.judge(some, Limits()).off == ["pc11"]
    # Who was not changed is not looked at.
    assert not rollout.judge({"pc1": sick._replace(calls=[{"changed": False}])}, Limits()).stop


def test_a_host_that_is_lost_in_the_middle_of_its_call_is_not_off():
    cut = Said([{"unreachable": True, "cut": True, "msg": "the connection was lost"}], {}, {})
    later = Said([CHANGED, {"unreachable": True, "msg": "No route to host"}], {"unreachable": True}, {})
    said = {"a": WELL, "b": cut, "c": later}
    found = rollout.judge(said, Limits())
    assert (list(found.sick), found.off, found.stop) == (["b", "c"], [], True)
    said = {"a": WELL, "b": cut}
    assert rollout.sentence(rollout.judge(said, Limits()), said, True, 0, Limits()) == (
        "b is not well after the change: the connection was lost. The whole batch was rolled back (1 host). "
        "b cannot be reached, and will revert when the guard's time is over. No other host was left."
    )


def test_a_run_that_stops_says_why_and_in_what_state_the_hosts_are():
    sick = Said([CHANGED], {"probes": [{"probe": "p", "well": False, "figure": "7"}]}, {})
    lost = Said([CHANGED], {"unreachable": True, "msg": "x"}, {"unreachable": True})
    said = {"a": WELL, "b": sick, "c": sick, "d": sick, "e": lost}
    assert rollout.sentence(rollout.judge(said, Limits()), said, True, 1, Limits()) == (
        "b, c, d are not well after the change: probe `p`: 7; e is not well after the change: no new connection to "
        "this host can be made (x). The whole batch was rolled back (4 hosts). e cannot be reached, and will revert "
        "when the guard's time is over. 1 host was not touched."
    )
    said = {
        name: sick._replace(health={"probes": [{"probe": "p", "well": False, "figure": figure}]})
        for name, figure in zip("abcdef", "123445", strict=False)
    }
    assert rollout.sentence(rollout.judge(said, Limits()), said, True, 0, Limits()) == (
        "a is not well after the change: probe `p`: 1; b is not well after the change: probe `p`: 2; c is not well "
        "after the change: probe `p`: 3; and 3 hosts more. The whole batch was rolled back (6 hosts). No other host "
        "was left."
    )
    said = {"a": WELL, "b": Said([{"failed": True, "msg": "no such\nNIC."}], {}, {})}
    assert rollout.sentence(rollout.judge(said, Limits()), said, True, 0, Limits()) == (
        "50 % of the batch failed, and tuning_max_fail_percentage is 10; b failed: no such NIC. The whole batch was "
        "rolled back (1 host). No other host was left."
    )


def test_the_list_forgets_who_was_reached():
    said = {"a": WELL, "b": WELL}
    assert rollout.off_list(["a", "x"], said, ["b"]) == ["x", "b"]
    # Who was lost before its turn was not reached.
    assert rollout.off_list(["a", "x"], {"a": Said([], {}, {})}, []) == ["a", "x"]


class Answers:
    """A host whose commands answer as they are told."""

    def __init__(self, **answers):
        self.answers = answers
        self.asked = []

    def __call__(self, argv, _data=""):
        self.asked.append(" ".join(argv))
        rc, out, err = self.answers.get(argv[0], (0, "", ""))
        return rc, out, err


def look(probes, **answers):
    run = Answers(**answers)
    host = memory_host.connect(memory_host.Files({}), run, True)
    return health.look(host, probes, 0)["probes"], run.asked


def test_a_probe_that_fails_is_asked_again_after_a_second_until_the_patience_is_over():
    now = [1000]

    def wait(happened, seconds):
        assert not happened()  # else it would not wait, and ask as often as it can
        now[0] += seconds

    run = Answers(ping=(1, "", ""))
    host = memory_host.connect(memory_host.Files({}), run, True)
    host.uptime, host.wait_until = (lambda: now[0]), wait
    first, second = health.look(host, ["a", "b"], 3)["probes"]
    assert (first["well"], second["well"], now) == (False, False, [1003])
    assert [words.split()[-1] for words in run.asked] == ["a", "a", "a", "a", "b"]
    run.answers["ping"] = (0, "", "")
    assert health.look(host, ["a"], 60)["probes"][0]["well"] and now == [1003]


def test_probes_are_asked_without_a_shell():
    found, asked = look(
        ["gateway", ["check", "a b", 7], {"iperf3": "files1", "min_speed": 800}],
        ping=(1, "", ""),
        check=(3, "", "\n it is\nbroken"),
        iperf3=(0, '{"end": {"sum_received": {"bits_per_second": 5e8, "bytes": 9}}}', ""),
    )
    assert asked == ["ping -n -q -c 1 -w 3 gateway", "check a b 7", "iperf3 -J -t 2 -c files1"]
    assert [(one["probe"], one["well"], one["figure"]) for one in found] == [
        ("ping gateway", False, "no answer to a ping within 3 s"),
        ("check a b 7", False, "exit code 3: it is"),
        ("iperf3 to files1", False, "500 Mb/s, and 800 Mb/s is the least"),
    ]
    assert [one["well"] for one in look(["gateway", {"command": ["check"]}])[0]] == [True, True]
    unknown = (2, "", "ping: gateway: Name or service not known\n")
    assert look(["gateway"], ping=unknown)[0][0]["figure"] == "ping: gateway: Name or service not known"


@pytest.mark.parametrize(
    "probe",
    ["-f", "two words", {"host": "a", "url": "http://b"}, {"command": "rm -rf"}, {"url": "file:///etc/shadow"}, {}, "",
     {"iperf3": "x", "min_speed": "fast"}, {"host": "a", "min_speed": 1}, [["a"]]],
)  # fmt: skip
def test_what_is_no_probe_is_told_with_what_to_write(probe):
    with pytest.raises(InputError, match=r"tuning_probes: .* is no probe; write a list"):
        health.probes([probe])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"batches": [1, "25%", "33.3%", " 7 "], "max_fail_percentage": "12.5", "max_errors": 0, "patience": "3"}, ""),
        ({"batches": [1, "lots"]}, "tuning_batches: 'lots' is not valid; write a number of hosts, a percentage"),
        ({"max_fail_percentage": "ten"}, "tuning_max_fail_percentage: 'ten' is not valid; write a percentage such as"),
        ({"max_errors": "1.5"}, "tuning_max_errors: '1.5' is not valid; write a whole number"),
        ({"patience": "2h"}, "tuning_probe_patience: '2h' is not valid; write a number of seconds"),
        ({"probes": "two words"}, "tuning_probes: 'two words' is no probe; write a list"),
        ({"probes": ["gateway"]}, ""),
    ],
)
def test_a_mistake_is_told_by_its_name_in_the_inventory(given, says):
    found = rollout.invalid(given)
    assert found.startswith(says) if says else not found


def test_a_page_has_to_be_there():
    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path == "/well" else 503)
            self.end_headers()
            self.wfile.write(b"x")

        def log_message(self, *_words):
            """Nobody listens."""

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        host, port = ReadOnlyHost(lambda *_argv: (0, "", "")), server.server_address[1]
        assert host.fetch(f"http://127.0.0.1:{port}/well", 5) == ""
        assert host.fetch(f"http://127.0.0.1:{port}/ill", 5) == "HTTP Error 503: Service Unavailable"
        server.shutdown()
    assert host.fetch(f"http://127.0.0.1:{port}/well", 5) == "Connection refused"


@pytest.mark.parametrize(
    ("tags", "parts"),
    [
        (None, ["nics", "sysctl"]),
        (["all"], ["nics", "sysctl"]),
        (["sysctl"], ["sysctl"]),
        (["nics"], ["nics"]),
        (["nics", "sysctl"], ["nics", "sysctl"]),
        (["room3"], ["nics", "sysctl"]),
    ],
)
def test_tags_choose_the_part_of_the_inventory(tags, parts):
    variables = {"tuning_nics": [], "tuning_sysctl": {"a.b": 1}, "ansible_run_tags": tags}
    given = layers.options(variables, lambda value: value, None)
    assert [part for part in ("nics", "sysctl") if part in given] == parts


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")
def test_systemd_takes_the_units_for_hosts_that_were_off():
    folder = Path(__file__).resolve().parents[2] / "docs/rollout"
    units = [str(folder / f"linuxnet-tuning-off.{kind}") for kind in ("service", "timer")]
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    # It also complains about units of the machine that it runs on.
    assert "linuxnet-tuning" not in done.stdout + done.stderr


def test_what_is_registered_is_read_without_computing_all_variables():
    """Of a hostvars of Ansible, of one that has them elsewhere, and of plain ones."""
    noted = {"pc1": {"tune_result": CHANGED}}
    ansible = SimpleNamespace(_variable_manager=SimpleNamespace(_nonpersistent_fact_cache=noted))
    for hostvars in (ansible, SimpleNamespace(raw_get=noted.get), noted):
        read = plain.notes(hostvars)
        assert (read("pc1"), read("pc2")) == (noted["pc1"], {})


@pytest.mark.parametrize(
    ("answers", "quiet"),
    [
        ([{"changed": False}, {"changed": False}], True),
        ([{"changed": False}, None], True),  # a later batch
        ([{"changed": False}, {"changed": True}], False),
        ([{"changed": False}, {"failed": True}], False),
        ([{"changed": False}, {"unreachable": True}], False),
        ([{"changed": False}, {"unreachable": True, "cut": True}], False),
    ],
)
def test_nobody_is_judged_where_all_is_as_before(answers, quiet, tmp_path, monkeypatch):
    known = {f"pc{number}": {"tune_result": answer} if answer else {} for number, answer in enumerate(answers)}
    monkeypatch.setenv("PWD", str(tmp_path))
    assert site_quiet(list(known), known, "site.off") is quiet
    # Who was off has to be taken off the list.
    (tmp_path / "site.off").write_text("pc0\n")
    assert site_quiet(list(known), known, "site.off") is False


@pytest.mark.parametrize(("names", "hostvars"), [("router", {}), (["router"], None), (None, {})])
def test_a_batch_is_a_list(names, hostvars):
    with pytest.raises(AnsibleFilterError, match="site_quiet needs"):
        site_quiet(names, hostvars, "site.off")
