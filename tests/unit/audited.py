# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts as an audit finds them: what their variables have after it, and facts of whole schools."""

from __future__ import annotations

from ansible_collections.linuxnet.tuning.tests.unit import case_files

HOSTVARS = {
    "pc1": {
        "group_names": ["classrooms", "room1"],
        "audit_info": {"nics": {}, "host": {"sysctl": {"net.ipv4.tcp_sack": "0"}}, "remarks": ["queues: no tc"]},
        "tune_result": {"before": {}, "after": {}, "unsupported": []},
    },
    "pc2": {"group_names": ["classrooms", "room1"], "audit_info": {"unreachable": True, "msg": "no route"}},
    "pc3": {"group_names": ["classrooms", "room2"], "audit_info": {"nics": {}, "host": {}, "remarks": []}},
    "pc4": {
        "group_names": [],
        "audit_info": {"failed": False, "msg": "no ip"},
        "tune_result": {"failed": True, "msg": "rign"},
    },
    "pc5": {},
    "pc6": {
        "group_names": [],
        "audit_info": {"nics": {}, "host": {}, "compared": {"failed": True, "msg": "chanels"}},
        "tune_result": {"failed": True, "msg": "that of an earlier play"},
    },
}


def story_facts():
    """The facts of all stories together."""
    facts = {}
    for path in sorted((case_files.FOLDER / "stories").glob("*.yml")):
        facts.update(case_files.read(path)["facts"])
    return facts
