# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host says is data: texts that would be shell code, in the script that the guard runs as root."""

from __future__ import annotations

import shlex

from lab_faults import SHARED, ask

TEXT, OTHER = "it's'; touch /run/fault-code; $(touch /run/fault-code) '", "b'`touch /run/fault-code`"
KEY = "kernel.domainname"


def goes_back_as_text(fault):
    """The guard sets back texts with apostrophes and commands in them"""
    text = shlex.quote(TEXT)
    # A container does not write keys of the kernel other than those of its network.
    writes = ask("test -w /proc/sys/kernel/domainname && echo yes || echo no").strip() == "yes"
    ask(f"ip link set dev igb1 alias {text}" + (f" && sysctl -qw {KEY}={text}" if writes else ""))
    try:
        fault.expects_now()
        play = fault.play(
            SHARED / "unconfirmed.yml",
            tuning_host_nics=[{"name": "igb1", "alias": OTHER, "mtu": 1800}],
            **({"tuning_host_sysctl": {KEY: OTHER}} if writes else {}),
        )
        play.says("changed: [router", 150)
        assert ask("cat /sys/class/net/igb1/ifalias").rstrip("\n") == OTHER
        play.kill()
        fault.strikes()
        fault.comes_back()
        assert ask("cat /sys/class/net/igb1/ifalias").rstrip("\n") == TEXT
        assert not writes or ask(f"sysctl -n {KEY}").rstrip("\n") == TEXT
        ask("test ! -e /run/fault-code")
    finally:
        ask("ip link set dev igb1 alias ''" + (f" && sysctl -qw {KEY}='(none)'" if writes else ""))
