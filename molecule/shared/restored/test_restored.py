# SPDX-License-Identifier: GPL-3.0-or-later
"""Going back to the values of the first call gives exactly the state from before it."""


def test_state_is_what_it_was(host):
    before = host.file("/root/state-before").content_string
    assert "Ring parameters for igb0" in before
    assert host.run("raw-state").stdout.split("== files")[0] == before.split("== files")[0]


def test_no_file_is_left_in_sysctl_d(host):
    assert not host.file("/etc/sysctl.d/90-linuxnet-tuning.conf").exists
