# SPDX-License-Identifier: GPL-3.0-or-later
"""Going back leaves the state from before the first call, and no file of ours."""


def test_state_is_what_it_was(host):
    before = host.file("/root/state-before").content_string
    assert "Ring parameters for igb0" in before
    assert host.run("raw-state").stdout == before


def test_nothing_of_ours_is_left(host):
    assert host.check_output("find /etc /var/lib -name '*linuxnet*'") == ""
    assert host.check_output("systemctl list-units --all --no-legend 'linuxnet-tuning*'") == ""
