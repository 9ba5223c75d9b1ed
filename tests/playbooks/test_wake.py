# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook wake wakes who sleeps, tunes all, and puts back to sleep who slept: a real packet, made-up hosts."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading

from ansible_collections.linuxnet.tuning.tests.playbooks import made_up
from ansible_collections.linuxnet.tuning.tests.playbooks.test_prove import STUB

MAC = "52:54:00:00:00:02"


def wake(folder, asleep, hosts, dead=(), **variables):
    """Run it with a listener that plugs the cable of a host in when its packet comes: the end, and who did what."""
    made_up.collection(folder, STUB, ("bonding", "guard", "tune", "tuned"))
    behaviour = {"changes": True, "keys": [], "fail": [], "cut": [], "temporary": []}
    (folder / "wanted.json").write_text(json.dumps(behaviour))
    for name in asleep:
        (folder / f"cut-{name}").touch()
    # In the place of the program that would put this machine to sleep.
    (folder / "bin").mkdir()
    program = folder / "bin/systemd-run"
    program.write_text(f'#!/bin/sh\necho "$@" >> {folder}/slept\n')
    program.chmod(0o755)
    variables_of_all = {
        "ansible_connection": "cable",
        "ansible_become": False,
        "ansible_python_interpreter": sys.executable,
    }
    inventory = {"all": {"hosts": hosts, "vars": variables_of_all}}
    (folder / "hosts.json").write_text(json.dumps(inventory))
    packets = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear:
        ear.bind(("127.0.0.1", 0))

        def listen():
            while packet := ear.recv(2000):
                packets.append(packet)
                for name, host in hosts.items():
                    mac = bytes.fromhex(host.get("wake_mac", "").replace(":", "").replace("-", ""))
                    if mac and name not in dead and packet == b"\xff" * 6 + mac * 16:
                        (folder / f"cut-{name}").unlink(missing_ok=True)

        listener = threading.Thread(target=listen)
        listener.start()
        words = {"wake_broadcast": "127.0.0.1", "wake_port": ear.getsockname()[1], "wake_timeout": 20}
        words.update({"wake_patience": 3, **variables})
        path = f"{folder / 'bin'}:{os.environ['PATH']}"
        ended, said = made_up.play(folder, "hosts.json", "linuxnet.tuning.wake", variables=words, PATH=path)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"", ear.getsockname())
        listener.join()
    read = {name: (folder / name).read_text().splitlines() for name in ("calls", "slept") if (folder / name).exists()}
    return ended, said, packets, read.get("calls", []), read.get("slept", [])


def test_who_slept_is_woken_tuned_and_sleeps_again(tmp_path):
    hosts = {"router": {}, "pc": {"wake_mac": MAC}}
    ended, said, packets, calls, slept = wake(tmp_path, ["pc"], hosts, wake_from="router")
    assert ended == 0, said
    assert packets == [b"\xff" * 6 + bytes.fromhex(MAC.replace(":", "")) * 16] * 3
    assert calls.count("tune present None") == 2
    # This machine is up for longer than the packet is old, as one that was suspended. As texts the numbers differ.
    assert slept == ["--quiet --collect --on-active=3 systemctl suspend"]


def test_who_is_awake_stays_so(tmp_path):
    ended, said, packets, calls, slept = wake(tmp_path, [], {"router": {}, "pc": {"wake_mac": MAC}})
    assert ended == 0, said
    assert (packets, slept) == ([], [])
    assert calls.count("tune present None") == 2


def test_a_host_without_an_address_is_named_before_anybody_is_woken(tmp_path):
    hosts = {"router": {}, "pc": {}, "pc2": {"wake_mac": MAC}}
    ended, said, packets, calls, slept = wake(tmp_path, ["pc", "pc2"], hosts)
    assert ended != 0
    assert "pc: asleep, and without wake_mac in the inventory" in " ".join(said.split())
    assert (packets, calls, slept) == ([], [], [])


def test_whoever_does_not_come_keeps_nobody_else_from_being_tuned(tmp_path):
    hosts = {"router": {}, "pc": {"wake_mac": MAC}, "pc2": {"wake_mac": "52-54-00-00-00-03"}}
    ended, said, packets, calls, slept = wake(
        tmp_path, ["pc", "pc2"], hosts, dead=["pc2"], wake_timeout=8, tuning_max_fail_percentage=60
    )
    assert ended != 0
    assert "pc2" in said
    assert len(packets) == 6
    assert calls.count("tune present None") == 2
    assert len(slept) == 1


def test_who_shall_stay_awake_does(tmp_path):
    hosts = {"pc": {"wake_mac": MAC}}
    ended, said, _packets, calls, slept = wake(tmp_path, ["pc"], hosts, wake_back=False)
    assert ended == 0, said
    assert calls.count("tune present None") == 1
    assert slept == []
