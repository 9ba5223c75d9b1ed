#!/bin/sh
# Makes faults on the router that only traffic shows, by raw commands.
set -eu
# Only the number of packets ends a round: an emulated processor that waits for its turn would use up the time of it.
sysctl -qw net.core.netdev_budget=2 net.core.netdev_budget_usecs=1000000
ip route add 192.168.40.0/24 via 192.168.32.1
sysctl -qw net.core.rmem_default=2304 net.core.rmem_max=2304
sysctl -qw net.core.somaxconn=1
# Only what comes in through igb1 is tracked, so that nothing cuts off who audits.
modprobe nf_conntrack
iptables -t raw -A PREROUTING ! -i igb1 -j CT --notrack
iptables -t raw -A OUTPUT -j CT --notrack
iptables -A INPUT -m conntrack --ctstate INVALID -j ACCEPT
sysctl -qw net.netfilter.nf_conntrack_max=16
tc qdisc replace dev igb1 root netem loss 20%
ip link add br0 type bridge
ip link set br0 up
ip link set e1000e0 master br0
ip link set br0 mtu 9000
# The kernel switches it off when a host begins to forward.
sysctl -qw net.ipv4.ip_forward=1
ethtool -K vmxnet0 lro on
