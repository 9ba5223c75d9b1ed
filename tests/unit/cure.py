# SPDX-License-Identifier: GPL-3.0-or-later
"""Applies remedies to facts: what a host would show once the inventory with them is in force."""

from __future__ import annotations

import copy

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings.view import Host
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.rates import of_host
from ansible_collections.linuxnet.tuning.tests.unit.trees import overlay


def cured(facts, findings, patch=None):
    """The facts after every remedy, and after what no inventory can do (`patch`: a cable, a switch)."""
    whole = copy.deepcopy(facts)
    for finding in findings:
        host = whole[finding["host"]]
        _desire(host, finding["remedy"])
        for entry in finding["remedy"].get("tuning_host_nics", ()):
            _nic(whole, host, entry)
        for key, value in finding["remedy"].get("tuning_host_sysctl", {}).items():
            _sysctl(host.setdefault("host", {}), key, value)
        if finding["remedy"].get("tuning_tuned_profile") == "none":
            host["host"]["managers"]["tuned"] = {}
    overlay(whole, patch or {})
    return whole


def _nic(whole, host, entry):
    about = host.get("host", {})
    nic = host.setdefault("nics", {}).setdefault(entry["name"], {})
    if "txqueuelen" in entry:
        nic["txqueuelen"] = entry["txqueuelen"]
    if "mtu" in entry:
        nic["mtu"] = entry["mtu"]
        bond = about.get("bonds", {}).get(entry["name"])
        for where in (*about.get("addresses", ()), *about.get("peers", ()), *([bond] if bond else ())):
            if bond is where or where["nic"] == entry["name"]:
                where["mtu"] = entry["mtu"]
        for member in bond["members"].values() if bond else ():
            member["mtu"] = entry["mtu"]
    for family in ("ring", "channels"):
        for key, value in entry.get(family, {}).items():
            nic[family][key]["value"] = nic[family][key]["maximum"] if value == "max" else value
            if family == "channels":
                nic.setdefault("queues", {})["tx"] = nic[family][key]["value"]
    for family in ("features", "private_flags"):
        for key, value in entry.get(family, {}).items():
            nic.setdefault(family, {}).setdefault(key, {})["value"] = value
    for family in ("coalesce", "rss"):
        for key, value in entry.get(family, {}).items():
            nic[family][key]["value"] = value
    for key, value in entry.get("pause", {}).items():
        nic["pause"][key]["value"] = value
        nic["pause_advertised"] = "Symmetric"
    if entry.get("eee") == {"enabled": False}:
        nic["eee"] = "disabled"
    if entry.get("irq", {}).get("rps") == "spread":
        nic["irq"]["rps"]["value"] = "3"
    for topic in ("emulators", "fair_queues") if "qdisc" in entry else ():
        about[topic] = [row for row in about.get(topic, ()) if row["nic"] != entry["name"]]
    for where, kind in entry.get("qdisc", {}).items():
        made = kind if kind == "noqueue" else "fq_codel"
        nic.setdefault("queues", {}).setdefault("qdisc", {})["leaf" if where == "leaves" else where] = made
    if "pci" in entry:
        nic["aspm"] = "off"
    if "autoneg" in entry.get("speed", {}):
        nic["autoneg"] = entry["speed"]["autoneg"]
        nic["speed"] = nic.get("fastest", nic.get("speed"))
    if "multiq" in entry:
        _clients(nic.setdefault("queues", {}), entry["multiq"])
        if entry["multiq"].get("rate") == "auto":
            _rates(whole, nic, entry["multiq"]["clients"])
    if entry.get("irq", {}).get("affinity") == "spread":
        for where, row in enumerate(nic["interrupts"]):
            row["cpus"] = str(where % about["kernel"]["cpu_count"])
    if entry.get("irq", {}).get("xps") == "none":
        nic["queues"]["xps"] = False
    if entry.get("irq", {}).get("irqbalance") == "stop":
        about["managers"]["irqbalance"] = False


def _desire(host, remedy):
    """The inventory that `site` has brought about asks for it from now on."""
    for side in ("before", "after"):
        told = host.setdefault("tune", {}).setdefault(side, {})
        for entry in remedy.get("tuning_host_nics", ()):
            desired = told.setdefault("nics", {}).setdefault(entry["name"], {})
            overlay(desired, {key: value for key, value in entry.items() if isinstance(value, dict)})
        for key, value in remedy.get("tuning_host_sysctl", {}).items():
            told.setdefault("sysctl", {})[key] = value["at_least"] if isinstance(value, dict) else value


def _clients(queues, desired):
    queues["qdisc"] = {"root": "mq", "handle": "0:", "bands": 0, "clsact": True}
    queues["filters"] = [
        {"pref": 20000 + number, "queue": number, "client": client}
        for number, client in enumerate(desired.get("clients", ()), 1)
    ]


def _rates(whole, nic, clients):
    """As site sets them, by what it reads of the whole fleet."""
    told = {}
    for name, facts in whole.items():
        told.update(of_host(Host(name, facts)))
    clients = [client.partition("=")[0] for client in clients]
    nic.setdefault("multiq", {})["rate"] = {"value": [f"{one}={told[one]}" for one in clients if one in told]}


def _sysctl(host, key, value):
    if isinstance(value, dict):
        desired = value["at_least"] if isinstance(value["at_least"], list) else [value["at_least"]]
        current = host.setdefault("sysctl", {}).get(key, "0").split()
        value = " ".join(str(max(int(old), int(new))) for old, new in zip(current, desired, strict=True))
    host["sysctl"][key] = str(value)
    if key == "net.ipv4.ip_forward":
        host.setdefault("kernel", {})["forwards_ipv4"] = str(value) == "1"
    if key.endswith(".accept_ra") and str(value) == "2":
        host["listeners"]["ignores_routers"] = []
    if key == "net.netfilter.nf_conntrack_max":
        host["protocols"]["fill"]["conntrack_max"] = int(value)
    for row in host.get("sysctl_files", ()):
        if key in row["sets"]:
            row["sets"][key] = str(value)
