# SPDX-License-Identifier: GPL-3.0-or-later
"""The way out: after all that, the playbook rollback leaves a host that the collection never touched."""

from __future__ import annotations

from course import same
from lab_faults import Play, ask


def test_rollback():
    play = Play("linuxnet.tuning.rollback", tuning_guard_timeout=120)
    try:
        assert play.end() == 0, play.output
    finally:
        play.close()
    until = "sed '/^== files/,$d'"
    assert same(ask(f"{until} /root/state-before"), ask(f"raw-state | {until}"))
    others = "! -path '/run/linuxnet-tuning*' ! -path '/run/systemd/units/*'"
    assert ask(f"find /etc /var/lib /run -name '*linuxnet*' {others}") == ""
    assert ask("systemctl list-units --all --no-legend 'linuxnet*'") == ""
