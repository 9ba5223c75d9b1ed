# SPDX-License-Identifier: GPL-3.0-or-later
"""An error of a host names the variable of the inventory that holds the mistake, and not the option of the module."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleError

from ansible_collections.linuxnet.tuning.plugins.plugin_utils import sources

VARIABLES = {
    "tuning_nics": [{"name": "igb0", "mtu": 9000}, {"match": {"driver": "igb"}, "ring": 4096}],
    "tuning_host_nics": {"name": "igb0", "mtu": "9k"},
    "tuning_sysctl": {"net.core.rmem_max": 1},
    "tuning_group_sysctl": {"net": {"ipv4": 1}},
    "tuning_host_module_parameters": {"tcp_cubic": {"hystart": False}},
    "tuning_guard_timeout": -1,
    "tune_temporary": -1,
}


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("nics: {'driver': 'igb'}: ring: 4096 is not valid", "tuning_nics: {'driver': 'igb'}: ring: 4096 is not valid"),
        ("nics: igb0: mtu: '9k' is not valid", "tuning_nics and tuning_host_nics: igb0: mtu: '9k' is not valid"),
        ("nics: the entry with mtu needs 'name'", "tuning_nics or tuning_host_nics: the entry with mtu needs 'name'"),
        ("sysctl net.core.rmem_max: '4M' is not valid", "tuning_sysctl net.core.rmem_max: '4M' is not valid"),
        ("sysctl has no key 'net'; a key", "tuning_group_sysctl has no key 'net'; a key"),
        ("module_parameters has no key 'tcp_cubic'", "tuning_host_module_parameters has no key 'tcp_cubic'"),
        ("guard_timeout: -1 is not valid", "tuning_guard_timeout: -1 is not valid"),
        ("temporary: -1 is not valid", "tune_temporary: -1 is not valid"),
    ],
)
def test_the_variable_is_named(message, named):
    assert sources.named(message, VARIABLES, lambda value: value) == named


@pytest.mark.parametrize(
    "message",
    [
        "sysctl net.core.rmem_max: desired 1, but this kernel does not have it",
        "sysctl net.core.wmem_max: '4M' is not valid",  # of a profile
        "forget: it goes with state: restored",
        "igb0 ring rx: desired 4096, but the maximum is 256",
        "another call is running",
    ],
)
def test_what_is_of_no_variable_stays(message):
    assert sources.named(message, VARIABLES, lambda value: value) == message


def test_another_variable_that_is_undefined_hides_no_message():
    def template(value):
        if value == "{{ nope }}":
            raise AnsibleError("'nope' is undefined")
        return value

    given = {**VARIABLES, "tuning_group_nics": "{{ nope }}"}
    assert sources.named("nics: igb0: mtu: '9k' is not valid", given, template).startswith(
        "tuning_nics and tuning_host"
    )
