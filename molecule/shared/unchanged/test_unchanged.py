# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode has changed nothing: the tools say what they said before, word by word."""


def test_state_is_what_it_was(host):
    before = host.file("/root/state-before").content_string
    assert "Ring parameters for igb0" in before
    assert host.run("raw-state").stdout == before
