# SPDX-License-Identifier: GPL-3.0-or-later
"""The words by which people look for a setting lead to what the modules take, on the page and in messages."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import known_as, registry
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import layers
from ansible_collections.linuxnet.tuning.tests.unit import device_host

PAGE = (Path(__file__).parents[2] / "docs/settings.md").read_text()
MACHINE = {"/proc/meminfo": "MemTotal: 67108864 kB\n", "/sys/devices/system/cpu/online": "0-7\n"}
# As people type them into a search box, and what they have to write then.
QUESTIONS = {
    "energy efficient ethernet": "eee: {enabled: false}",
    "EEE": "eee: {enabled: false}",
    "LRO": "features: {lro: false}",
    "large receive offload": "features: {lro: false}",
    "ring buffer": "ring: {rx: max, tx: max}",
    "buffer size": "ring: {rx: max, tx: max}",
    "pin interrupts to CPUs": "irq: {affinity: 2-5",
    "interrupt affinity": "irq: {affinity: 2-5",
    "wake on lan": "wol: magic",
    "wake-on-lan": "wol: magic",
    "queue length": "txqueuelen: 10000",
    "pacing": "fq maxrate 1gbit",
    "initcwnd": "initcwnd: 30",
    "BBR": "net.ipv4.tcp_congestion_control: bbr",
    "flow control": "pause: {autoneg: false, rx: false, tx: false}",
    "jumbo": "mtu: 9000",
    "receive side scaling": "key: symmetric",
    "symmetric": "key: symmetric",
    "n-tuple": "ntuple_rules: {7:",
    "SR-IOV": "sriov: {vfs: 4",
    "virtual functions": "sriov: {vfs: 4",
    "ASPM": "l1_aspm: false",
    "busy poll": "net.core.busy_poll: 50",
    "flush timeout": "gro_flush_timeout: 20000",
    "BIG TCP": "gso_max_size: 185000",
    "FEC": "fec: {encoding: rs}",
    "threaded": "napi: {threaded: true}",
    "veth": "name: veth*",
    "BDP": "{bdp: {rtt_ms: 40}}",
    "bandwidth-delay": "{bdp: {rtt_ms: 40}}",
    "interrupt moderation": "rx_usecs: 50",
    "interrupt coalescing": "rx_usecs: 50",
    "number of queues": "channels: {combined: max}",
    "autonegotiation": "speed: {autoneg: true}",
    "read request": "max_read_request: 4096",
    "governor": "tuning_tuned_profile",
    "limit an upload": "cake bandwidth 20mbit",
}


def inventory(known):
    """The variables that hold what a row says to write."""
    written = yaml.safe_load("\n".join(known.write))
    entry = {key: value for key, value in written.items() if not key.startswith("tuning_")}
    variables = {key: value for key, value in written.items() if key.startswith("tuning_")}
    return {**variables, **({"tuning_nics": [{"name": "*", **entry}]} if entry else {})}


@pytest.mark.parametrize("known", known_as.KNOWN, ids=lambda known: known.words[0])
def test_the_modules_take_what_a_row_says(known):
    given = layers.options(inventory(known), lambda value: value, {}.__getitem__)
    texts = {f"/proc/sys/{key.replace('.', '/')}": "1\n" for key in given["sysctl"]}
    texts = {path: "1 1 1\n" if "tcp_rmem" in path else text for path, text in texts.items()}
    host = device_host.DeviceHost({}, {**MACHINE, **texts, "/sys/class/net/lo/speed": "1000\n"})
    result = engine._compare(host, {**given, "on_unsupported": "ignore"})
    assert not result.get("failed"), result.get("msg")


@pytest.mark.parametrize(("words", "write"), QUESTIONS.items())
def test_the_first_place_on_the_page_with_these_words_answers(words, write):
    found = [line for line in PAGE.splitlines() if words.lower() in line.lower()]
    assert found and write in found[0]


def test_no_word_stands_for_two_settings():
    words = [word for known in known_as.KNOWN for word in set(map(known_as._spelled, known.words))]
    assert sorted(words) == sorted(set(words))


@pytest.mark.parametrize("known", known_as.KNOWN, ids=lambda known: known.words[0])
def test_what_is_a_setting_has_no_other_words(known):
    for word in known.words:
        assert word.replace(" ", "_").lower() not in registry._keys()
        assert known_as.instead(word) == f"; write such as {', '.join(known.write)}"


@pytest.mark.parametrize("key", ["flow_control", "Flow-Control", "FEC_", "eee ", "jumbo_frames", "dim"])
def test_a_key_is_found_however_it_is_spelled(key):
    assert known_as.instead(key.strip("_ "))


def test_a_word_that_nobody_uses_says_nothing():
    assert known_as.instead("frobnicate") == ""
