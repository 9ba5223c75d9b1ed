# SPDX-License-Identifier: GPL-3.0-or-later
"""The watch puts back what has drifted, tells who may have done it, and leaves alone what is none of its business."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import stack
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Answer
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import journal, whereabouts
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import archive
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.watch import program
from ansible_collections.linuxnet.tuning.tests.unit.device_host import DeviceHost
from ansible_collections.linuxnet.tuning.tests.unit.devices import igb
from ansible_collections.linuxnet.tuning.tests.unit.memory_host import Reader
from ansible_collections.linuxnet.tuning.tests.unit.shell_host import ShellHost

SOMAXCONN = "/proc/sys/net/core/somaxconn"
DESIRED = {"nics": [{"name": "igb0", "mtu": 9000}], "sysctl": {"net.core.somaxconn": 8192}}
SINCE = 1_000_000_000.0
ROUTER, NETWORK = (bytes([192, 0, 2, last])[:: -1 if sys.byteorder == "little" else 1].hex().upper() for last in (1, 0))
ROUTES = f"""Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT
igb0 00000000 {ROUTER} 0003 0 0 0 00000000 0 0 0
igb0 {NETWORK} 00000000 0001 0 0 0 00FFFFFF 0 0 0
"""


class WatchedHost(ShellHost):
    """Has a gateway that answers while `reached`, and a journal."""

    reached = True
    journal = ""

    def _run(self, argv, lines=(), seconds=5):
        if argv[0] == "journalctl":
            return Answer(0, self.journal, "")
        if argv[0] == "ping":
            return Answer(0 if self.reached else 1, "", "")
        return super()._run(argv, lines, seconds)

    def wait_until(self, happened, seconds):
        self.now += 1
        return happened()


@pytest.fixture
def host(tmp_path):
    found = WatchedHost(tmp_path, {"igb0": igb}, {SOMAXCONN: "4096", "/proc/net/route": ROUTES})
    brought(found)
    return found


def brought(host, **more):
    options = {name: option.get("default") for name, option in engine.argument_spec("tune").items()}
    result = engine.tune(host, "tune", {**options, **DESIRED, "guard_timeout": 0, **more})
    assert not result.get("failed"), result


def look(host, since=SINCE):
    settings = {"wanted": DESIRED, "probes": [], "guard_timeout": 120}
    return program.look(Reader(host), host, settings, since)[:2]


def in_force(host):
    return host.devices["igb0"].link["mtu"], host.files[SOMAXCONN]


def test_a_host_without_a_drift_is_told_nothing_of(host):
    log = list(host.log)
    assert look(host) == ([], False)
    assert host.log == log


def test_what_has_drifted_is_put_back_and_confirmed(host):
    host.devices["igb0"].link["mtu"], host.files[SOMAXCONN] = 1500, "128"
    lines, failed = look(host)
    assert not failed
    assert lines[0].startswith("igb0 mtu is 1500, and was 9000; it changed since 2001-09-")
    assert lines[1].startswith("net.core.somaxconn is 128, and was 8192; it changed since ")
    assert lines[2:] == ["Put back."]
    assert in_force(host) == (9000, "8192")
    assert stack.read(host) == [] and not host.clocks
    assert look(host) == ([], False)


def test_who_may_have_done_it_is_told(host):
    rows = [
        {"SYSLOG_IDENTIFIER": "sudo", "MESSAGE": "ann : COMMAND=/usr/sbin/ip link set igb0 mtu 1500"},
        {"SYSLOG_IDENTIFIER": "kernel", "MESSAGE": "igb01: Link is Up"},
        {"SYSLOG_IDENTIFIER": "linuxnet-tuning", "MESSAGE": "igb0 link mtu 1500 to 9000"},
        {"_SYSTEMD_UNIT": "linuxnet-tuning@igb0.service", "MESSAGE": "igb0"},
        {"MESSAGE": None},
    ]
    host.journal = "\n".join(json.dumps({"__REALTIME_TIMESTAMP": "1000000000000000", **row}) for row in rows) + "\n{"
    host.devices["igb0"].link["mtu"] = 1500
    lines, _failed = look(host)
    assert [line.split(" ", 3)[-1] for line in lines[1:-1]] == [
        "sudo: ann : COMMAND=/usr/sbin/ip link set igb0 mtu 1500"
    ]


def test_the_journal_knows_parameters_by_both_names():
    texts = ("sysctl net.core.somaxconn=1", "wrote net/core/somaxconn", "net.core.somaxconn2")
    noted = [journal.Note(0, "somebody", "", text) for text in texts]
    assert len(program.hints(noted, "host", "net.core.somaxconn")) == 2


def test_gateways_of_both_versions():
    ways = ("fe800000000000000000000000000001", "0" * 32, "20010db8000000000000000000000001")
    lines = "".join(f"{'0' * 32} 00 {'0' * 32} 00 {way} 00000400 1 0 00000003 igb0\n" for way in ways)
    files = {"/proc/net/route": ROUTES, "/proc/net/ipv6_route": lines}
    assert whereabouts.gateways(DeviceHost({}, files)) == ["192.0.2.1", "fe80::1%igb0", "2001:db8::1"]
    assert whereabouts.default_routes(DeviceHost({}, files)) == {"igb0"}


def test_where_the_gateway_falls_silent_the_host_goes_back(host):
    host.devices["igb0"].link["mtu"] = 1500
    # It answers with an MTU of 1500 only.
    type(host).reached = property(lambda self: self.devices["igb0"].link["mtu"] == 1500)
    try:
        lines, failed = look(host)
    finally:
        type(host).reached = True
    assert failed
    assert lines[-1] == "It was not restored permanently: afterwards there was no answer to ping 192.0.2.1"
    assert in_force(host)[0] == 1500
    assert stack.read(host) == []


def test_what_did_not_answer_before_is_not_asked_for(host):
    host.devices["igb0"].link["mtu"] = 1500
    type(host).reached = False
    try:
        assert look(host)[0][-1] == "Put back."
    finally:
        type(host).reached = True


@pytest.mark.parametrize("more", [{"guard_timeout": 60}, {"temporary": 600, "permanent": False}])
def test_what_waits_or_ends_by_itself_is_left_alone(host, more):
    brought(host, nics=[{"name": "igb0", "mtu": 1300}], **more)
    assert look(host) == ([], False)
    assert in_force(host)[0] == 1300


def test_another_inventory_is_left_alone(host):
    brought(host, nics=[{"name": "igb0", "mtu": 4000}])
    lines, failed = look(host)
    assert lines == ["Left alone: the files for the next boot differ from the inventory of this watch. Run site."]
    assert not failed
    assert in_force(host)[0] == 4000


def test_the_program_is_one_file_and_says_what_is_wrong(tmp_path):
    packed, settings = tmp_path / "program", tmp_path / "settings.json"
    packed.write_bytes(archive.pack("watch"))
    settings.write_text(
        json.dumps({"wanted": {"nics": [{"name": "lo", "rang": {}}]}, "probes": [], "guard_timeout": 1})
    )
    environment = {"RUNTIME_DIRECTORY": str(tmp_path), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    argv = [sys.executable, "-I", "-S", str(packed), str(settings)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (1, "")
    assert "rang" in done.stdout
    settings.write_text('{"wanted": {"nics')
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(f"{settings} is not what site has written (JSONDecodeError: ")


def run_program(host, tmp_path, monkeypatch, wanted=None):
    """The time of the stamp after a run of the whole program on a host; 0 without one."""
    settings, stamp = tmp_path / "settings.json", tmp_path / "linuxnet-tuning-watched"
    settings.write_text(
        json.dumps({"wanted": DESIRED if wanted is None else wanted, "probes": [], "guard_timeout": 120})
    )
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    monkeypatch.setattr(program, "ReadOnlyHost", lambda _run: Reader(host))
    monkeypatch.setattr(program, "Host", lambda _run: host)
    program.main(["watch", str(settings)])
    return stamp.stat().st_mtime if stamp.exists() else 0


def test_the_time_of_the_last_look_is_one_at_which_all_was_well(host, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(program.time, "time", lambda: SINCE)
    assert run_program(host, tmp_path, monkeypatch) == SINCE
    monkeypatch.setattr(program.time, "time", lambda: SINCE + 600)
    brought(host, nics=[{"name": "igb0", "mtu": 1300}], temporary=600, permanent=False)
    assert run_program(host, tmp_path, monkeypatch) == SINCE  # nothing was compared while a window is open
    brought(host)
    host.devices["igb0"].link["mtu"] = 1500
    assert run_program(host, tmp_path, monkeypatch) == SINCE + 600
    assert f"it changed since {time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(SINCE))}" in capsys.readouterr().out


def test_a_clock_that_was_set_back_says_nothing(host, tmp_path, monkeypatch, capsys):
    (tmp_path / "linuxnet-tuning-watched").touch()  # today
    monkeypatch.setattr(program.time, "time", lambda: SINCE)
    host.devices["igb0"].link["mtu"] = 1500
    run_program(host, tmp_path, monkeypatch)
    assert "it changed at some time before " in capsys.readouterr().out


def test_what_site_brings_meanwhile_stays(host, monkeypatch):
    real = program.health.look

    def meanwhile(reader, probes, patience):
        brought(host, nics=[{"name": "igb0", "mtu": 4000}])
        return real(reader, probes, patience)

    monkeypatch.setattr(program.health, "look", meanwhile)
    host.devices["igb0"].link["mtu"] = 1500
    assert look(host) == ([], False)
    assert in_force(host)[0] == 4000
    assert [text for path, text in host.files.items() if path.endswith("20-link.conf") and "mtu 4000" in text]


def test_what_is_no_value_is_named_too(host):
    (link,) = (path for path in host.files if ".wants/" in path)
    del host.files[link]
    lines, failed = look(host)
    assert lines == [
        "This was missing: systemctl daemon-reload; systemctl enable --quiet linuxnet-tuning@igb0.service",
        "Put back.",
    ]
    assert not failed
    assert link in host.files


def test_what_has_drifted_is_told_also_where_it_cannot_be_restored(host, monkeypatch):
    host.devices["igb0"].link["mtu"] = 1500
    monkeypatch.setattr(host, "hold", lambda *_words: "somebody")
    lines, failed = look(host)
    assert failed
    assert lines[0].startswith("igb0 mtu is 1500, and was 9000")
    assert lines[1].startswith("It could not be restored: somebody has been changing this host")
