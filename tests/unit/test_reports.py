# SPDX-License-Identifier: GPL-3.0-or-later
"""Each line of the field reports is played by a test, and what it says of a machine of theirs is so.

A new line of docs/stories.md needs a line in cases/reports/plays.yml.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings import judge
from ansible_collections.linuxnet.tuning.tests.unit import case_files
from ansible_collections.linuxnet.tuning.tests.unit.described_host import Described

ROOT = Path(__file__).parents[2]
PLAYS = yaml.safe_load((Path(__file__).parent / "cases/reports/plays.yml").read_text())
# How a line begins of which there is nothing to play.
NOT_OURS = ("not ours", "yours", "leave it out", "use that one where you can", "out of reach")


def lines():
    """(report, left, right) of each line."""
    for report in re.split(r"^## (?=[A-E]: )", (ROOT / "docs/stories.md").read_text(), flags=re.MULTILINE)[1:]:
        for left, right in re.findall(r"^\| (?!by hand|---)(.*?) \| (.*) \|$", report, re.MULTILINE):
            yield report[0], left, right


LINES = list(lines())


def test_every_line_has_its_place():
    assert [(report, left) for report, left, _right in LINES] == [(r, left) for r in PLAYS for left in PLAYS[r]]


@pytest.mark.parametrize("report, left, right", LINES, ids=[f"{report}-{left[:40]}" for report, left, _right in LINES])
def test_a_line_is_played(report, left, right):
    plays = PLAYS[report][left]
    assert bool(plays) != right.startswith(NOT_OURS)
    for play in plays:
        path, _colons, function = play.partition("::")
        assert (ROOT / path).exists(), play
        assert not function or re.search(rf"^def {function}\(", (ROOT / path).read_text(), re.MULTILINE), play


# What is set or asked for by another name in a test than in an inventory: the layers, and the roles' own prefixes.
_PREFIX = re.compile(r"^(tuning_(group_|host_)?|benchmark_)")
# Words that are in every test.
_PLAIN = {"true", "false", "max", "site", "nic", "linuxnet", "systemctl", "cat", "mnt"}


def names(right):
    """What the right side of a line names in code, as a test would: findings, profiles, playbooks, keys and values."""
    for code in re.findall(r"`([^`]+)`", right):
        for word in re.findall(r"[A-Za-z][A-Za-z0-9._-]*[A-Za-z0-9]", code):
            word = _PREFIX.sub("", word)
            if word.lower() not in _PLAIN and len(word) > 2:
                yield word


@pytest.mark.parametrize("report, left, right", LINES, ids=[f"{report}-{left[:40]}" for report, left, _right in LINES])
def test_the_tests_of_a_line_know_what_it_names(report, left, right):
    """A line that promises more than its tests play would otherwise go unnoticed."""
    known = ""
    for play in PLAYS[report][left]:
        path = ROOT / play.partition("::")[0]
        files = sorted(path.rglob("*.yml")) if path.is_dir() else [path]
        assert files, play
        known += " ".join([play, *(file.read_text() for file in files)])
    assert [name for name in names(right) if name not in known] == []


# What reports and recipes say and is not so, by the words in which we said it too, and why it is not.
UNTRUE = {
    r'if a "?\s*"?router sends to all of them': "a pause stops the port, whatever queues there are (make paused)",
    r"one lost packet (repeats|costs)": "without SACK a sender learns of one lost packet in each round trip (RFC 2018)",
    r"no round-trip times": "TCP without timestamps measures what it has sent once (RFC 6298)",
    r"no other queue before the processor": "NAPI is older than the kernels of 2010, and has the ring (Linux 2.6)",
    r"on a router .*gro costs": "GRO joins what can be cut again as it was, so a router may (lwn.net/Articles/358910)",
    r"with jumbo frames fio went|this had the largest effect, from 7.5": "the report has measured ten changes together",
    r"slot and buffers serve both directions, so": "a pair of a cable, or a receiver, may be bad in one direction",
    r'With an "?\s*"?MTU of 8500 it loses none': "the report has measured a rate, and no losses",
}


@pytest.mark.parametrize("words", UNTRUE)
def test_what_is_not_so_is_said_nowhere(words):
    texts = [
        *ROOT.glob("playbooks/profiles/*.yml"),
        *ROOT.glob("plugins/plugin_utils/**/*.py"),
        *ROOT.glob("docs/*.md"),
    ]
    assert len(texts) > 100
    assert [path.name for path in texts if re.search(words, path.read_text())] == [], UNTRUE[words]


# What the report on the Intel 10GbE card sets, on a host of 64 GiB with such a card, and what is said of it.
RECIPE = {
    "fs.file-max": ("65535", {"file-max-lowered"}),
    "net.ipv4.tcp_sack": ("0", {"tcp-sack-off"}),
    "net.ipv4.tcp_timestamps": ("0", {"tcp-timestamps-off"}),
    "net.ipv4.tcp_mem": ("10000000 10000000 10000000", {"tcp-mem-in-bytes"}),
    "net.ipv4.tcp_rmem": ("10000000 10000000 10000000", {"tcp-minimum-large", "socket-limit-below-tcp"}),
    "net.ipv4.tcp_wmem": ("10000000 10000000 10000000", {"tcp-minimum-large", "socket-limit-below-tcp"}),
    "net.ipv4.ip_local_port_range": ("1024 65000", set()),
    "net.core.rmem_default": ("524287", set()),
    "net.core.wmem_default": ("524287", set()),
    "net.core.optmem_max": ("524287", set()),
    "net.core.netdev_max_backlog": ("300000", set()),
}


def told(values, memory=64):
    card = {"driver": "ixgbe", "pci": "8086:10fb", "speed": 10000, "mtu": 9000}
    host = {"memory_gib": memory, "kernel": "6.1.0-39-amd64", "sysctl": values, "nics": {"eth2": card}}
    found = judge.findings({"hdfs1": Described(host).facts()})
    return {one["id"] for one in found if one["severity"] != "note"}


@pytest.mark.parametrize("key", RECIPE)
def test_each_harmful_line_of_the_recipe_is_a_finding_by_itself(key):
    value, expected = RECIPE[key]
    assert told({key: value}) == expected


def test_the_recipe_as_a_whole_says_the_same_of_small_and_large_hosts():
    values = {key: value for key, (value, _expected) in RECIPE.items()}
    values.update({"net.core.rmem_max": "524287", "net.core.wmem_max": "524287"})
    every = set().union(*(expected for _value, expected in RECIPE.values()))
    assert told(values, 8) == told(values, 64) == told(values, 256) == every
    # On half a terabyte 38 GiB are less than the kernel's own.
    assert told(values, 512) == every - {"tcp-mem-in-bytes"}


def in_force(group):
    """What the group's file and its profiles make of a host: kernel parameters, features and bonds."""
    text = yaml.safe_load((ROOT / f"inventory/group_vars/{group}.yml").read_text())
    names = text["tuning_profile"] if isinstance(text["tuning_profile"], list) else [text["tuning_profile"]]
    loaded = [yaml.safe_load((ROOT / f"playbooks/profiles/{name}.yml").read_text()) for name in names]
    values = {key: value for one in loaded for key, value in (one.get("sysctl") or {}).items()}
    bounds = {key: value["at_least"] for key, value in values.items() if isinstance(value, dict)}
    features = {key: on for one in loaded for entry in one["nics"] for key, on in entry.get("features", {}).items()}
    bonds = {
        bond["name"]: {
            "mtu": bond.get("mtu", 1500),
            "members": dict.fromkeys(bond["members"]),
            "options": {key: str(bond[key]) for key in ("mode", "xmit_hash_policy") if key in bond},
        }
        for bond in text.get("tuning_bonds", [])
    }
    addresses = {bond["name"]: bond["addresses"] for bond in text.get("tuning_bonds", [])}
    return (
        {key: " ".join(map(str, v)) if isinstance(v, list) else v for key, v in bounds.items()},
        features,
        bonds,
        addresses,
    )


def school():
    for group, members in case_files.read(case_files.FOLDER / "reports/school.yml", "school").items():
        sysctl, features, bonds, addresses = in_force(group)
        for name, about in members.items():
            nics = {key: dict(nic) for key, nic in about["nics"].items()}
            off = [key for key, on in features.items() if on is False]
            for nic in nics.values():
                if off and nic["speed"] >= 10000:
                    nic["features"] = {"on": ["rx", "tx", "sg", "tso", "gso"], "off": off}
                mtus = [bond["mtu"] for bond in bonds.values()]
                nic["mtu"] = max([1500, *mtus])
            more = {"bonds": bonds, "addresses": {**about.get("addresses", {}), **addresses}}
            yield name, {**about, "nics": nics, "sysctl": sysctl, **more}


def test_the_sample_inventory_stands_up_to_our_own_audit():
    found = judge.findings({name: Described(about).facts() for name, about in school()})
    assert [(one["host"], one["id"], one["evidence"]) for one in found] == []
