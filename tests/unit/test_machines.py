# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines made of captured texts, of many drivers and versions, whole and broken: facts and findings come anyway."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import everything
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import drops as drops_tool
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.audit import report
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings import judge
from ansible_collections.linuxnet.tuning.tests.unit import memory_host
from ansible_collections.linuxnet.tuning.tests.unit.how_many import examples

FOLDERS = sorted((Path(__file__).parent / "cases/parse").iterdir())
FLAGS = {
    "-i": "driver",
    "-l": "channels",
    "-g": "ring",
    "-k": "features",
    "-c": "coalesce",
    "-x": "rss",
    "-a": "pause",
    "-S": "statistics",
    "--show-priv-flags": "private_flags",
}
LISTENERS = {"lldpcli": "lldpcli", "od": "lldp_frames", "networkctl": "networkctl_lldp"}


def machine(folder, spoil=lambda text: text, missing=()):
    """Answers ethtool and ip from a folder, and nothing to any other program."""

    def run(argv, _data=""):
        if argv[0] in missing:
            raise FileNotFoundError(2, "No such file or directory")
        name = ""
        if argv[0] == "ethtool":
            name = FLAGS.get(argv[1], "") if len(argv) > 2 else "link"
        elif argv[0] in LISTENERS:
            name = LISTENERS[argv[0]]
        elif argv[:4] == ("ip", "-d", "-j", "link"):
            name = "ip"
        for suffix, rc in ((".txt", 0), (".err", 1)):
            path = folder / f"{name}{suffix}"
            if name and path.exists():
                text = spoil(path.read_text())
                return (rc, text, "") if rc == 0 else (rc, "", text)
        return 1, "", "no answer"

    disk = memory_host.Files(
        {"/proc/interrupts": spoil("CPU0 CPU1\n 40: 1 2 x eth0-TxRx-0\n"), "/proc/meminfo": spoil("x")}
    )
    for path in ("/run/lldpd.socket", "/run/systemd/netif/lldp/1", "/run/systemd/netif/io.systemd.Network"):
        disk.files[path] = ""
    disk.files["/proc/net/softnet_stat"] = spoil("0000000a 00000001 00000002\n")
    disk.add_nic("eth0", driver=folder.name.split("__")[0], pci="8086:1528", bus="0000:01:00.0", queues=2)
    return memory_host.connect(disk, run, True)


def audited(host):
    found = everything.gather(host, [], 0, [])
    whole = {"old": {**found, "groups": ["room1"]}, "none": {}}
    findings = judge.findings(whole)
    return found, findings, report.document(whole, findings, "")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_recorded_machine_is_audited(folder):
    found, _findings, page = audited(machine(folder))
    assert list(found["nics"]) == ["eth0"]
    assert "room1" in page


@pytest.mark.parametrize("program", ["ethtool", "ip", "tc", "setpci"])
def test_a_program_that_is_missing_is_a_remark(program):
    found, _findings, _page = audited(machine(FOLDERS[0], missing=(program,)))
    assert list(found["nics"]) == ["eth0"]
    told = [*found["remarks"], *found["nics"]["eth0"]["missing"].values()]
    assert any(f"'{program}'" in text for text in told)


@settings(max_examples=examples(80), deadline=None)
@given(st.sampled_from(FOLDERS), st.data())
def test_broken_texts_never_crash(folder, data):
    """Cut off, with a piece lost, or with something else in between."""

    def spoil(text):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        return text[:start] + data.draw(st.text(max_size=5) | st.just("\n\n:")) + text[end:]

    audited(machine(folder, spoil))


def test_the_kernel_tells_why_it_drops():
    """An instance that was begun is ended, and a kernel that has no reasons is not asked."""
    event = f"{drops_tool.ROOTS[0]}/{drops_tool.EVENT}/format"
    instance = f"{drops_tool.ROOTS[0]}/instances/linuxnet-tuning-7"
    answers = {
        drops_tool.begin(drops_tool.ROOTS[0], 5 + 60): f"{instance}\n",
        drops_tool.end(instance): "entries: 2\noverrun: 0\n   2 reason NO_SOCKET\n",
    }
    queries = []

    def run(argv, _data=""):
        queries.append(argv)
        return (0, answers[tuple(argv)], "") if tuple(argv) in answers else (1, "", "")

    disk = memory_host.Files({event: "\tfield:enum skb_drop_reason reason;\toffset:36;\n"})
    found = everything.gather(memory_host.connect(disk, run, True), [], 5, [])
    assert found["host"]["drops"] == {"NO_SOCKET": 2}
    assert [argv for argv in map(tuple, queries) if argv in answers] == list(answers)
    for text, interval in (("\tfield:void * location;\n", 5), ("reason;", 0)):
        queries.clear()
        disk.files[event] = text
        found = everything.gather(memory_host.connect(disk, run, True), [], interval, [])
        assert "drops" not in found["host"] and not [argv for argv in queries if argv[0] == "sh"]


@pytest.mark.parametrize(("slow", "told"), [(0, 5), (0.2, 5), (37, 42)])
def test_what_takes_longer_than_the_interval_is_told_as_it_was(slow, told, monkeypatch):
    """On a host that is overloaded the second sample comes late, and a rate is by the time that has passed."""
    disk = memory_host.Files(
        {
            "/proc/net/softnet_stat": " ".join(["00000001"] * 13) + "\n",
            "/sys/class/net/tap0/tun_flags": "0x5002",
        }
    )
    disk.add_nic("eth0")
    host, now = memory_host.connect(disk, lambda _argv, _data="": (1, "", ""), True), [100.0]

    def wait(_happened, seconds):
        now[0] += seconds + slow

    # What is read before and after does not belong to it.
    for instance, name in ((everything.nics, "gather"), (everything.queues, "ask")):
        read = getattr(instance, name)
        monkeypatch.setattr(instance, name, lambda *args, read=read: (now.append(now.pop() + 100), read(*args))[1])
    monkeypatch.setattr(host, "seconds", lambda: now[0])
    monkeypatch.setattr(host, "wait_until", wait)
    found = everything.gather(host, ["eth0"], 5, [])
    assert found["nics"]["eth0"]["counters"]["interval"] == told
    assert found["host"]["protocols"]["interval"] == told
    assert [row["interval"] for row in found["host"]["softnet"]] == [told]
    assert [row["interval"] for row in found["host"]["tunnels"]] == [told]
