# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is written about a bond gives files of every manager, or one clear error."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import InputError
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import bonds, managers
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import bond as tool
from ansible_collections.linuxnet.tuning.tests.unit.how_many import examples

BOUNDED = settings(max_examples=examples(300), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

nics = st.sampled_from(["igb0", "igb1", "enp1s0f0"])
good = {
    "mode": st.one_of(st.sampled_from(bonds.MODES), st.integers(0, 6)),
    "members": st.lists(nics, min_size=1, max_size=3, unique=True),
    "mtu": st.integers(68, 9216),
    "addresses": st.lists(st.sampled_from(["10.9.0.1/24", "10.9.0.2/24", "fd00:9::1/64"]), unique=True),
    "dhcp": st.booleans(),
    "gateway": st.sampled_from(["10.9.0.254", "fd00:9::ff", "fe80::1"]),
    "primary": nics,
    "arp_ip_target": st.lists(st.sampled_from(["10.9.0.2", "10.9.0.3"]), min_size=1),
}
for field in bonds.FIELDS:
    if field.name in bonds.OPTIONS and field.name not in good:
        kinds = {"numbered": st.sampled_from(field.words or ("",)), "switch": st.booleans()}
        good[field.name] = kinds.get(field.kind, st.integers(0, 5).map(lambda n: n * 100))
entries = st.fixed_dictionaries(
    {"name": st.sampled_from(["bond0", "b"]), "mode": good["mode"], "members": good["members"]},
    optional={key: values for key, values in good.items() if key not in ("mode", "members")},
)
anything = st.one_of(
    st.none(), st.text(max_size=8), st.integers(-5, 99999), st.booleans(), st.lists(st.text(max_size=5))
)


@BOUNDED
@given(entries)
def test_entry_gives_files_of_every_manager_or_one_error(entry):
    try:
        desired = bonds.parse([entry])[0]
    except InputError as error:
        assert str(error).startswith(f"bonds: {entry['name']}: ")
        return
    assert bonds.parse([{**entry, "mode": desired.bond.mode}]) == [desired]
    for manager in managers.MANAGERS.values():
        try:
            texts = manager.render(desired.bond)
        except InputError as error:
            assert manager.name in str(error)
            continue
        assert texts == manager.render(desired.bond)
        for path, text in texts.items():
            assert path.startswith(f"{manager.folder}/")
            assert tool.is_ours(text, desired.bond.name)
            assert not tool.is_ours(text, desired.bond.name + "0")
        assert tool.by_dhcp(manager, texts.values()) == desired.bond.dhcp
        whole = "".join(texts.values())
        assert all(member in whole for member in desired.bond.members)
        assert all(address.partition("/")[0] in whole for address in desired.bond.addresses)


@BOUNDED
@given(st.dictionaries(st.sampled_from([field.name for field in bonds.FIELDS]), anything))
def test_nonsense_never_gives_anything_but_an_input_error(entry):
    try:
        bonds.parse([entry])
    except InputError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("mode", bonds.MODES)
def test_each_mode_has_its_number(mode):
    number = bonds.MODES.index(mode)
    by_number, by_name = (
        bonds.parse([{"name": "bond0", "mode": word, "members": ["igb0"]}]) for word in (number, mode)
    )
    assert by_number == by_name


def test_link_monitoring_is_on_unless_arp_takes_its_place():
    entry = {"name": "bond0", "mode": 1, "members": ["igb0"]}
    probed = {**entry, "arp_interval": 100, "arp_ip_target": "10.9.0.2"}
    assert bonds.parse([entry])[0].bond.options == {"miimon": "100"}
    assert "miimon" not in bonds.parse([probed])[0].bond.options
    assert bonds.parse([{**entry, "miimon": 0}])[0].bond.options == {"miimon": "0"}


DHCP = {
    "NetworkManager": "[ipv4]\nmethod=auto\n",
    "systemd-networkd": "ConfigureWithoutCarrier=yes\nDHCP=ipv4\n",
    "ifupdown": "auto bond0\niface bond0 inet dhcp\n    pre-up ",
    "ifcfg": "ONBOOT=yes\nBOOTPROTO=dhcp\nNM_CONTROLLED=no\n",
}


@pytest.mark.parametrize("name", DHCP)
def test_every_manager_asks_dhcp_in_its_own_words_once(name):
    """The members have none; an IPv6 address may stand beside it."""
    entry = {"name": "bond0", "mode": 0, "members": ["igb0", "igb1"], "dhcp": True, "addresses": ["fd00:9::1/64"]}
    whole = "\n".join(managers.MANAGERS[name].render(bonds.parse([entry])[0].bond).values())
    assert DHCP[name] in whole and "fd00:9::1" in whole
    assert whole.count(DHCP[name].splitlines()[1]) == 1
