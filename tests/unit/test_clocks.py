# SPDX-License-Identifier: GPL-3.0-or-later
"""The script that takes layers away: what it waits for, and what it leaves alone."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import host
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import memory
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import script as taking


@pytest.fixture
def script(tmp_path):
    """The script that takes layers away, in folders of this test; its one layer leaves a file."""
    text = taking.RUN_TEXT.replace("/run/linuxnet-tuning", f"{tmp_path}/lock")
    text = text.replace(memory.FOLDER, str(tmp_path)).replace("flock -w 5", "flock -w 1")
    assert "/linuxnet-tuning" not in text
    (tmp_path / "guard").mkdir()
    (tmp_path / "lock").mkdir()
    (tmp_path / "guard/run").write_text(text)
    waits_until(tmp_path, 1)
    return tmp_path / "guard/run"


def waits_until(folder, second):
    line = f"igb0 link mtu\t9000\t1500\ttouch\t{folder}/back"
    (folder / "guard/layers").write_text(f"layer\t1\t{second}\t0\t{{}}\nkey\t1\t0\theld\t{line}\n")


def uptime():
    return int(float(Path("/proc/uptime").read_text().split()[0]))


def test_the_clock_ends_at_a_second_of_the_uptime(script, tmp_path):
    begun = time.monotonic()
    waits_until(tmp_path, uptime() + 2)
    subprocess.run(["sh", script, "wait", "1"], check=True)
    assert 1 <= time.monotonic() - begun < 40
    assert (tmp_path / "back").exists()
    assert (tmp_path / "reverted/1.json").exists()
    assert not (tmp_path / "guard/layers").exists()


def test_the_clock_waits_for_what_is_going_to_be_in_the_table(script, tmp_path):
    (tmp_path / "guard/layers").unlink()
    with subprocess.Popen(["sh", script, "wait", str(uptime() + 3)]) as clock:
        time.sleep(1)
        waits_until(tmp_path, uptime() + 1)
        assert clock.wait(40) == 0
    assert (tmp_path / "back").exists()


@pytest.mark.parametrize("keeps_its_kernel", [False, True])
def test_a_boot_that_keeps_the_kernel_sets_values_too(script, tmp_path, keeps_its_kernel):
    (tmp_path / "guard/layers").write_text((tmp_path / "guard/layers").read_text().replace("touch\t", "live touch\t"))
    if keeps_its_kernel:
        (tmp_path / "lock/lock").touch()  # /run outlives `systemctl soft-reboot`
    subprocess.run(["sh", script, "boot"], check=True)
    assert (tmp_path / "back").exists() == keeps_its_kernel
    assert not (tmp_path / "guard/layers").exists()


def test_a_boot_waits_for_no_service_that_waits_for_it(script, tmp_path):
    systemctl = tmp_path / "systemctl"
    systemctl.write_text(f'#!/bin/sh\necho "$*" > {tmp_path}/said\n')
    systemctl.chmod(0o755)
    script.write_text(script.read_text().replace("PATH=", f"PATH={tmp_path}:"))
    table = tmp_path / "guard/layers"
    table.write_text(table.read_text().replace(f"touch\t{tmp_path}/back", "live systemctl start irqbalance.service\t"))
    (tmp_path / "lock/lock").touch()
    subprocess.run(["sh", script, "boot"], check=True)
    assert (tmp_path / "said").read_text() == "--no-block start irqbalance.service\n"


def test_a_clock_without_a_layer_ends(script, tmp_path):
    (tmp_path / "guard/layers").unlink()
    subprocess.run(["sh", script, "wait", str(uptime() + 1)], check=True, timeout=10)
    assert not (tmp_path / "back").exists()


@pytest.fixture
def holder(tmp_path):
    """A call that has the host, and the number of its process in the lock."""
    lock = tmp_path / "lock/lock"
    lock.parent.mkdir(exist_ok=True)
    with subprocess.Popen(["flock", lock, "sleep", "60"]) as process:
        while not lock.exists() or subprocess.run(["flock", "-n", lock, "true"], check=False).returncode == 0:
            time.sleep(0.05)
        lock.write_text(str(process.pid))
        yield process
        process.kill()
        subprocess.run(["pkill", "-P", str(process.pid)], check=False)


@pytest.mark.parametrize("note", ["", "{} tc -batch -"])
def test_a_call_at_work_is_waited_for(script, tmp_path, holder, note):
    (tmp_path / "lock/at-work").write_text(note.format(uptime() + 1000))
    with subprocess.Popen(["sh", script]) as clock:
        time.sleep(2.5)
        assert holder.poll() is None
        assert not (tmp_path / "back").exists()
        subprocess.run(["pkill", "-P", str(holder.pid)], check=True)  # the sleep ends, and the lock with it
        assert clock.wait(40) == 0
    assert (tmp_path / "back").exists()


def test_a_call_that_was_waited_for_may_put_the_time_off(script, tmp_path, holder):
    (tmp_path / "lock/at-work").write_text(f"{uptime() + 1000} tc -batch -")
    with subprocess.Popen(["sh", script, "wait", "1"]) as clock:
        time.sleep(2.5)
        waits_until(tmp_path, uptime() + 1000)
        subprocess.run(["pkill", "-P", str(holder.pid)], check=True)
        time.sleep(2.5)
        assert clock.poll() is None
        clock.kill()
    assert not (tmp_path / "back").exists()


@pytest.mark.parametrize("note", [None, "{} ethtool -L igb0"])
def test_a_call_that_hangs_is_ended_and_named(script, tmp_path, holder, note):
    if note:
        (tmp_path / "lock/at-work").write_text(note.format(uptime() - 1) + "\n")
    done = subprocess.run(["sh", script], capture_output=True, text=True, check=True)
    assert holder.wait(5) in (-9, 128 + 9)
    assert f"ends process {holder.pid}, which hangs: {'ethtool -L igb0' if note else ''}" in done.stdout
    assert (tmp_path / "back").exists()


def test_a_script_that_outlives_its_call_is_waited_for(script, tmp_path):
    """The call that has started it was killed alone, and its lock is free."""
    waits = f"for _n in $(seq 300); do [ -e {tmp_path}/go ] && break; sleep 0.1; done"
    line = f"igb0 link mtu\t9000\t1500\t{waits}; touch\t{tmp_path}/back"
    (tmp_path / "guard/layers").write_text(f"layer\t1\t1\t0\t{{}}\nkey\t1\t0\theld\t{line}\n")
    lock, folder = str(tmp_path / "run/lock"), str(tmp_path / "guard")
    with subprocess.Popen(["sh", script, "held"], stdout=subprocess.DEVNULL) as orphan:
        late = time.monotonic() + 20
        while not (tmp_path / "lock/commands").exists():
            assert time.monotonic() < late, "the script does not begin"
            time.sleep(0.02)
        hasty, patient = (host.connect(None, check_mode=False) for _call in range(2))
        assert hasty.hold(lock, 0.2, folder) == f"the script in {folder}"
        (tmp_path / "go").touch()
        assert patient.hold(lock, 20, folder) == ""
        assert not (tmp_path / "guard/layers").exists()
        assert orphan.wait(5) == 0
    patient.let_go()


def test_what_a_script_has_started_and_stays_holds_no_lock(script, tmp_path):
    """Such as a client of DHCP."""
    # Its output goes elsewhere, for the test reads that of the script to its end.
    stays = f"sleep 60 > /dev/null 2>&1 & echo $! > {tmp_path}/stays"
    line = f"igb0 link mtu\t9000\t1500\tlive sh -c '{stays}'; touch\t{tmp_path}/back"
    (tmp_path / "guard/layers").write_text(f"layer\t1\t1\t0\t{{}}\nkey\t1\t0\theld\t{line}\n")
    subprocess.run(["sh", script], check=True, timeout=10, stdout=subprocess.DEVNULL)
    mine = host.connect(None, check_mode=False)
    held = mine.hold(str(tmp_path / "lock/lock"), 0, str(tmp_path / "guard"))
    os.kill(int((tmp_path / "stays").read_text()), signal.SIGKILL)  # fails where it did not stay
    assert held == ""
    mine.let_go()
    assert (tmp_path / "back").exists()
