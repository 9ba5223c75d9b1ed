# SPDX-License-Identifier: GPL-3.0-or-later
"""The profile is active, in force, and started at the next boot."""


def test_profile_is_active_and_in_force(host):
    assert host.check_output("tuned-adm active") == "Current active profile: throughput-performance"
    assert host.run("tuned-adm verify").rc == 0
    assert host.check_output("sysctl -n vm.swappiness") == "10"


def test_service_starts_at_boot(host):
    assert host.service("tuned").is_enabled
    assert host.service("tuned").is_running
