# SPDX-License-Identifier: GPL-3.0-or-later
"""The way out: after all that, the playbook rollback leaves a host that the collection never touched."""

from __future__ import annotations

from course import difference
from lab_faults import Play, ask


def roll_back(**variables):
    play = Play("linuxnet.tuning.rollback", tuning_guard_timeout=120, **variables)
    try:
        assert play.end() == 0, play.output
        return play.output
    finally:
        play.close()


def test_originals_of_nics_that_are_gone_stay_noted():
    for _again in range(2):
        assert "If one is gone for good" in roll_back()
        noted = ask('grep -o \'"nic": "[^"]*"\' /var/lib/linuxnet-tuning/baseline.json | sort -u')
        assert '"nic": "x-y.z"' in noted
        assert "lab0" not in noted


def test_rollback():
    roll_back(tuning_forget=["*"])
    until = "sed '/^== files/,$d'"
    assert not difference(ask(f"{until} /root/state-before"), ask(f"raw-state | {until}"))
    others = "! -path '/run/linuxnet-tuning*' ! -path '/run/systemd/units/*'"
    assert ask(f"find /etc /var/lib /run -name '*linuxnet*' {others}") == ""
    assert ask("systemctl list-units --all --no-legend 'linuxnet*'") == ""
