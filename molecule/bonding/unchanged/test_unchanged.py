# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode has changed nothing, and removal leaves nothing behind: the kernel says what it said before."""


def test_state_is_what_it_was(host):
    before = host.file("/root/bonds-before").content_string
    assert "192.168.32.254/24" in before
    assert host.run("raw-bonds").stdout == before
