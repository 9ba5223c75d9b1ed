# SPDX-License-Identifier: GPL-3.0-or-later
"""Whoever makes a change dies in the middle of it: the controller, the connection, the module, the host."""

from __future__ import annotations

import pytest
from lab_faults import CHANGE, MOMENTS, SHARED, ask, held, hold

CONFIRM = "before it is confirmed"


def up_to(fault, moment):
    """Start a run and come back when it is there."""
    if moment in MOMENTS:
        hold(*MOMENTS[moment])
        fault.play(tuning_host_nics=CHANGE)
        held()
    else:
        fault.play(SHARED / "unconfirmed.yml", tuning_host_nics=CHANGE).says("changed: [router", 150)


@pytest.mark.parametrize("moment", [*MOMENTS, CONFIRM])
def test_controller(fault, moment):
    """Controller killed"""
    up_to(fault, moment)
    fault.plays[-1].kill()
    fault.strikes()
    fault.comes_back()


def test_rollback(fault):
    """Controller killed when all is restored to its originals, and that is not confirmed"""
    originals = ask("cat /var/lib/linuxnet-tuning/baseline.json")
    fault.play(SHARED / "unconfirmed.yml", tuning_state="restored").says("changed: [router", 150)
    assert ask("cat /sys/class/net/igb1/mtu").strip() == "1500"
    fault.plays[-1].kill()
    fault.strikes()
    fault.comes_back()
    # Restored once more, by the last test of all, it has to be what it was before.
    assert ask("cat /var/lib/linuxnet-tuning/baseline.json") == originals


def test_session(fault):
    """The connection's sshd killed"""
    up_to(fault, "the first value is set")
    # OpenSSH 9.9 has a program of its own for each connection, sshd-session.
    ask(
        "number=$(cat /run/linuxnet-tuning/lock); until grep -q ^sshd /proc/$number/comm; do "
        "number=$(awk '$1 == \"PPid:\" {print $2}' /proc/$number/status); done; kill -KILL $number"
    )
    fault.strikes()
    fault.comes_back()


def test_module(fault):
    """The module killed between two commands"""
    up_to(fault, "the first value is set")
    ask("kill -KILL $(cat /run/linuxnet-tuning/lock)")
    fault.strikes()
    fault.comes_back()


def test_clock(fault):
    """The service that waits is killed, and so is the controller"""
    fault.play(SHARED / "unconfirmed.yml", tuning_host_nics=CHANGE).says("changed: [router", 150)
    fault.plays[-1].kill()
    ask("kill -KILL $(systemctl show -p MainPID --value linuxnet-tuning-revert)")
    fault.strikes()
    fault.comes_back()


@pytest.mark.parametrize("moment", [*MOMENTS, CONFIRM])
def test_power(fault, moment):
    """Power cut"""
    up_to(fault, moment)
    fault.loses_power()
    fault.comes_back()


def test_power_after(fault):
    """Power cut after a run that was confirmed"""
    play = fault.play(tuning_host_nics=CHANGE, tuning_guard_timeout=120)
    assert play.end() == 0, play.output
    fault.expects_now()
    fault.loses_power()
    fault.answers()
    fault.is_as_before()
    fault.next_site_works("", tuning_host_nics=CHANGE)
    assert fault.play(tuning_guard_timeout=120).end() == 0
