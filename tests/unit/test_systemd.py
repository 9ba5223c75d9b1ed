# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of units and command lines, as systemd reads them."""

from __future__ import annotations

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Poke, Run
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import systemd
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

# What the kernel takes as the name of a NIC: up to 15 bytes without a slash, a colon or white space, not . or ..
NAMES = st.text(
    st.characters(blacklist_characters="/:\x00", blacklist_categories=("Cs", "Zs", "Zl", "Zp", "Cc")),
    min_size=1,
    max_size=15,
).filter(lambda name: name not in (".", ".."))


# As systemd 252 names the devices: `systemd-escape --path /sys/subsystem/net/devices/NIC`, without what is in front.
@pytest.mark.parametrize(
    ("nic", "escaped"),
    [
        ("enp1s0f0", "enp1s0f0"),
        ("igb0.100", "igb0.100"),
        ("br-lan", r"br\x2dlan"),
        (".hidden", ".hidden"),
        ("..x", "..x"),
        ("a$b%c", r"a\x24b\x25c"),
        ("überall", r"\xc3\xbcberall"),
    ],
)
def test_escaped_as_systemd_names_the_device(nic, escaped):
    assert systemd.escape(nic) == escaped


@given(NAMES)
def test_a_name_comes_back_and_never_leaves_the_folder(nic):
    assert systemd.unescape(systemd.escape(nic)) == nic
    for path in (systemd.dropin(nic, "ethtool"), systemd.wants_link(nic)):
        assert posixpath.normpath(path) == path
        assert path.startswith(f"{systemd.FOLDER}/")
        assert systemd.nic_of(path) == nic


def test_words_that_systemd_would_read_otherwise_are_quoted():
    text = systemd.render([("ring", ["rx"], [Run(("ethtool", "-G", 'a$b%c"d\\', "rx", "8"))])])
    assert text.splitlines()[-1] == r'ExecStart=-ethtool -G "a$$b%%c\"d\\" rx 8'


def test_a_file_of_the_kernel_is_written_by_a_shell_that_gets_one_word():
    text = systemd.render([("irq", ["rps"], [Poke("/sys/x", "f", "echo f > /sys/x")])])
    assert text.splitlines()[-1] == 'ExecStart=-/bin/sh -c "echo f > /sys/x"'


@given(
    st.dictionaries(
        st.sampled_from(["ring", "link", "irq"]), st.lists(st.sampled_from(["rx", "tx", "mtu"]), min_size=1)
    )
)
def test_what_a_dropin_sets_can_be_read_from_it(keys):
    text = systemd.render([(family, names, []) for family, names in keys.items()])
    assert sorted(systemd.keys(text)) == sorted(f"{family} {name}" for family, names in keys.items() for name in names)


def test_what_moves_values_at_boot_has_started_before():
    """A service that is to be stopped for good must not start after that."""
    after = {word for line in systemd._TEMPLATE.splitlines() if line.startswith("After=") for word in line[6:].split()}
    assert {"irqbalance.service", "tuned.service", "NetworkManager.service"} <= after


def test_files_beside_our_drop_ins_are_none():
    """As systemd sees it: copies of somebody, and parts of a file that a killed call has left."""
    folder = "/etc/systemd/system/linuxnet-tuning@igb0.service.d"
    names = ("20-link.conf", "20-link.conf.bak", ".20-link.conf", ".20-link.conf.linuxnet-tuning", "README")
    files = {f"{folder}/{name}": "" for name in names}
    files["/etc/systemd/system/other@igb0.service.d/20-link.conf"] = ""
    host = memory_host.connect(memory_host.Files(files), None, True)
    assert systemd.dropins(host) == [f"{folder}/20-link.conf"]
