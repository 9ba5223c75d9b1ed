# SPDX-License-Identifier: GPL-3.0-or-later
"""What teamd says of its ports, in the form of `teamdctl TEAM state dump`."""

from __future__ import annotations

import json

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import teams
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import team
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings.view import Host
from ansible_collections.linuxnet.tuning.tests.unit import memory_host


def port(up, **runner):
    watch = {"delay_down": 0, "delay_up": 0, "down_count": 0, "name": "ethtool", "up": up}
    link = {"duplex": "full" if up else "half", "speed": 10000 if up else 0, "up": up}
    told = {"link": link, "link_watches": {"list": {"link_watch_0": watch}, "up": up}}
    return {**told, **({"runner": runner} if runner else {})}


def lacp(selected, state, system, number):
    """Of a port, as libteam 1.31 writes it."""
    actor = {"key": 0, "port": number, "port_priority": 255, "state": 61, "system": "00:0f:53:11:22:33"}
    partner = {"key": 8, "port": 51, "port_priority": 32768, "state": 60, "system": system}
    aggregator = {"id": number if selected else 0, "selected": selected}
    infos = {"actor_lacpdu_info": actor, "partner_lacpdu_info": partner}
    return {"aggregator": aggregator, "key": 0, "prio": 255, "selected": selected, "state": state, **infos}


# The values of https://access.redhat.com/solutions/2905801.
MEDIA = {
    "ports": {
        "en5": port(True, **lacp(True, "current", "c4:7d:4f:44:55:66", 4)),
        "en6": port(False, **lacp(False, "disabled", "00:00:00:00:00:00", 5)),
    },
    "runner": {"active": True, "fast_rate": False, "select_policy": "lacp_prio", "sys_prio": 65535},
    "setup": {"daemonized": False, "kernel_team_mode_name": "loadbalance", "runner_name": "lacp"},
    "team_device": {"ifinfo": {"dev_addr": "00:0f:53:11:22:33", "ifindex": 8, "ifname": "media"}},
}
BACKUP = {
    "ports": {"eno1": port(True), "eno2": port(True)},
    "runner": {"active_port": "eno1"},
    "setup": {"runner_name": "activebackup"},
}


def test_ports_with_link_partner_and_what_is_selected():
    assert team.state(json.dumps(MEDIA)) == {
        "runner": "lacp",
        "ports": {
            "en5": {"link": "up", "partner": "c4:7d:4f:44:55:66", "selected": True},
            "en6": {"link": "down", "partner": "00:00:00:00:00:00", "selected": False},
        },
    }
    assert team.state(json.dumps(BACKUP)) == {
        "runner": "activebackup",
        "ports": {"eno1": {"link": "up"}, "eno2": {"link": "up"}},
        "active": "eno1",
    }


def test_what_is_no_state_tells_nothing():
    assert team.state("Failed to connect to daemon.") == {}
    assert team.state("[1]") == {"runner": "", "ports": {}}
    odd = {"ports": {"en5": {"link_watches": 7, "runner": {"aggregator": [], "partner_lacpdu_info": {"system": 1}}}}}
    assert team.state(json.dumps(odd))["ports"] == {"en5": {}}


def test_only_a_host_with_teams_runs_teamdctl():
    lines = []

    def run(argv, _data=""):
        lines.append(list(argv))
        return (0, json.dumps(MEDIA), "") if argv[1] == "media" else (1, "", "Failed to connect to daemon.")

    assert teams.gather(memory_host.connect(memory_host.Files({}), run, True)) == {} and not lines
    files = {f"/run/teamd/{name}": "" for name in ("media.pid", "media.sock", "gone.pid", "-x.pid")}
    assert list(teams.gather(memory_host.connect(memory_host.Files(files), run, True))) == ["media"]
    assert lines == [["teamdctl", name, "state", "dump"] for name in ("gone", "media")]


def test_the_ports_of_a_team_are_the_hardware_under_it():
    raw = {"nics": {"en5": {"speed": 10000}, "en6": {}}, "host": {"teams": {"media": team.state(json.dumps(MEDIA))}}}
    assert [nic.name for nic in Host("a", raw).under("media")] == ["en5", "en6"]
