# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls are killed at random moments; see guest/kills.py."""

from __future__ import annotations

import os
import re

from lab_faults import ssh

KILLS = int(os.environ.get("LINUXNET_TUNING_KILLS", "40"))
SEED = int(os.environ.get("LINUXNET_TUNING_SEED", "1"))


def test_killed_calls_leave_nothing_behind():
    done = ssh(f"python3 /root/kills.py {KILLS} {SEED}", timeout=60 + 30 * KILLS)
    print(done.stdout, done.stderr)
    assert done.returncode == 0
    # One that had ended by itself proves nothing.
    at_work = re.match(r"\d+ kills, (\d+) of them of a call at work", done.stdout)
    assert at_work and int(at_work.group(1)) > KILLS / 3
