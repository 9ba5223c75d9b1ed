# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes that cut the connection they came by, with what only the kernel of a virtual machine has."""

from __future__ import annotations

from lab_faults import ask, ssh, until, wait_for


def cut_off(way):
    wait_for(lambda: ssh("true", way, timeout=8).returncode == 255, 120, 0)


def test_bond(fault):
    """A bond over the NIC of the connection, which waits for an ARP answer that nobody gives"""
    # An address alone that is wrong does not cut: the kernel answers for that of the member too.
    bond = {"name": "bond0", "mode": "active-backup", "members": ["igb0"], "addresses": ["10.1.2.3/24"]}
    bond.update(arp_interval=100, arp_ip_target=["10.1.2.99"])
    fault.play(host="router_by_ipv4", tuning_bonds=[bond])
    until("test -e /sys/class/net/bond0")
    cut_off("router_by_ipv4")
    fault.strikes()
    fault.comes_back("router_by_ipv4")


def test_qdisc(fault):
    """A queueing discipline that drops everything"""
    # As soon as the call has come to its end, before anybody can confirm. Without files the call is short enough.
    ask(
        "touch /run/fault-waits; nohup sh -c 'while [ -e /run/fault-waits ]; do sleep 0.1; "
        "grep -qs ^layer /var/lib/linuxnet-tuning/guard/layers && flock -n /run/linuxnet-tuning/lock true && "
        "tc qdisc replace dev igb0 root netem loss 100% && mv /run/fault-waits /run/fault-struck; done' "
        "> /dev/null 2>&1 &"
    )
    nics = [{"name": "igb0", "multiq": {"clients": ["192.168.32.1-3"], "method": "multiq"}}]
    fault.play(host="router_by_ipv4", tuning_host_nics=nics, tuning_permanent=False)
    until("test -e /run/fault-struck")
    cut_off("router_by_ipv4")
    fault.strikes()
    fault.comes_back("router_by_ipv4")
