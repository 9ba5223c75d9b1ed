# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of the files that rc.local and others call are read as scripts."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.tests.unit import test_capture


@pytest.mark.parametrize("call", ("sh {}", "  bash -e {}", ". {}", "test -e {0} && /bin/sh '{0}'", "{}.sh"))
def test_a_called_script_needs_no_line_that_names_its_interpreter(call):
    path = f"/usr/local/sbin/more{'.sh' if call.endswith('.sh') else ''}"
    texts = {
        "/etc/rc.local": f"#!/bin/sh\n{call.removesuffix('.sh').format(path)}\n",
        path: "sysctl -w net.core.rmem_max=16777216\n",
        "/proc/sys/net/core/rmem_max": "16777216\n",
    }
    found = {item.key: item.origin for item in test_capture.captured(test_capture.tuned_igb(texts)).items}
    assert found["net.core.rmem_max"] == f"{path} line 1"


@pytest.mark.parametrize(
    ("path", "text"),
    (
        ("/etc/rc.local", "#!/bin/sh\n/opt/nic/start eth0\n"),
        ("/etc/systemd/system/nic.service", "[Service]\nExecStart=/opt/nic/start eth0\n"),
        ("/etc/cron.d/nic", "@reboot root /opt/nic/start eth0\n"),
    ),
)
def test_a_file_that_only_calls_a_script_leads_to_it(path, text):
    """And scripts of scripts, of which only the last sets anything."""
    texts = {
        path: text,
        "/opt/nic/start": "#!/bin/sh\nexec /opt/nic/tune.sh\n",
        "/opt/nic/tune.sh": "#!/bin/bash\nsysctl -w net.core.rmem_max=16777216\n",
        "/proc/sys/net/core/rmem_max": "16777216\n",
    }
    found = {item.key: item.origin for item in test_capture.captured(test_capture.tuned_igb(texts)).items}
    assert found["net.core.rmem_max"] == "/opt/nic/tune.sh line 2"


@pytest.mark.parametrize(
    ("call", "text"),
    (
        ("cat {}", "sysctl -w net.core.rmem_max=16777216\n"),
        ("sh {}", "#!/usr/bin/perl\nsystem('sysctl -w net.core.rmem_max=16777216')\n"),
    ),
)
def test_what_is_no_script_of_a_shell_is_not_read(call, text):
    path = "/usr/local/sbin/more"
    texts = {"/etc/rc.local": f"#!/bin/sh\n{call.format(path)}\n", path: text}
    gathered = test_capture.facts_of(test_capture.tuned_igb(texts))["host"]["configured"]["files"]
    assert path not in [one["file"] for one in gathered]
