#!/bin/sh
# Runs in the router of the lab: what one finds on hosts that were tuned by hand over the years, made by raw commands.
set -eu
sysctl -qw net.ipv4.ip_forward=1
# From a guide of 2009.
cat >/etc/sysctl.d/10-speed.conf <<'END'
net.ipv4.tcp_sack = 0
net.ipv4.tcp_rmem = 4096 8192 16384
END
sysctl -q -p /etc/sysctl.d/10-speed.conf
# Switched on again after a change of the card.
ethtool -K vmxnet0 lro on
# For guests that are long gone; the card below still has 1500.
ip link add br0 type bridge
ip link set e1000e0 master br0
ip link set br0 mtu 9000 up
