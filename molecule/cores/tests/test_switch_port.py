# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of LLDP on a wire, as systemd-networkd of each release hears them: the facts have switch and port."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from common import CACHE, HERE
from test_cores import CORES, SCENARIO, ask

# What a switch says of itself each half minute: chassis, port, name, that it is a bridge, and frames of 1518 bytes.
SWITCH = """
import socket, struct
def part(kind, body):
    return struct.pack("!H", kind << 9 | len(body)) + body
mac = bytes.fromhex("02005e000001")
for nic, port in (("igb0", b"17"), ("igb1", b"18")):
    told = [(1, b"\\x04" + mac), (2, b"\\x05" + port), (3, b"\\x00\\x78"), (5, b"sw-room3")]
    told += [(7, b"\\x00\\x04\\x00\\x04"), (127, b"\\x00\\x12\\x0f\\x04" + struct.pack("!H", 1518)), (0, b"")]
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    wire.bind((nic, 0))
    wire.send(bytes.fromhex("0180c200000e") + mac + b"\\x88\\xcc" + b"".join(part(*one) for one in told))
"""
LISTEN = """
cat > /etc/systemd/network/05-listens.network <<END
[Match]
Name=igb0 igb1
[Network]
LLDP=yes
LinkLocalAddressing=no
KeepConfiguration=yes
END
systemctl restart systemd-networkd
/lib/systemd/systemd-networkd-wait-online --timeout=60 --interface=igb0 --interface=igb1
"""
# Nothing tells when networkd has heard a frame; a minute without both ends with an error, which `ask` passes on.
HEARD = "timeout 60 sh -c 'until [ $(networkctl lldp --no-legend | grep -c sw-room3) = 2 ]; do sleep 0.2; done'"


def test_switch_and_port(tmp_path):
    core = next((core for core in reversed(CORES) if (CACHE / f"venvs/core-{core}/bin/ansible-playbook").exists()), "")
    if not core:
        pytest.skip("no Python of this machine runs any of the ansible-cores, see the first lines of the run")
    subprocess.run([sys.executable, HERE / "lab.py", "reset"], check=True)
    ask("sh -eus", LISTEN)
    ask("python3 -", SWITCH, guest="switch")
    ask(HEARD)
    argv = [CACHE / f"venvs/core-{core}/bin/ansible-playbook", "-i", HERE / "inventory.sh"]
    argv += [str(SCENARIO / "switch_ports.yml"), "-e", f"ports={tmp_path}/ports.json"]
    done = subprocess.run(argv, env={**os.environ, "ANSIBLE_NOCOLOR": "1"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    # From systemd 257 on networkctl passes names on, and nothing else of what the switch says.
    more = {"frame_size": 1518} if "lldp" in ask("ls /run/systemd/netif").split() else {}
    assert json.loads((tmp_path / "ports.json").read_text()) == {
        "igb0": {"switch": "sw-room3", "port": "17", "bridge": True, **more},
        "igb1": {"switch": "sw-room3", "port": "18", "bridge": True, **more},
    }
