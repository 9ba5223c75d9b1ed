# SPDX-License-Identifier: GPL-3.0-or-later
"""The way out: after all that, the playbook rollback leaves a host that the collection never touched."""

from __future__ import annotations

from conftest import same
from lab_faults import Play, ask


def test_rollback():
    play = Play("rollback", tuning_guard_timeout=120)
    try:
        assert play.end() == 0, play.output
    finally:
        play.close()
    until = "sed '/^== files/,$d'"
    assert same(ask(f"{until} /root/state-before"), ask(f"raw-state | {until}"))
    assert ask("find /etc /var/lib /run -name '*linuxnet*' ! -path '/run/linuxnet-tuning*'") == ""
    assert ask("systemctl list-units --all --no-legend 'linuxnet*'") == ""
