#!/bin/sh
# Prints what a reboot must bring back, in the kernel's own words.
set -eu
cd /sys/class/net
cat bond0/mtu igb0/mtu igb1/mtu bond0/operstate
tr ' ' '\n' <bond0/bonding/slaves | sort
cd bond0/bonding
grep -H . mode miimon updelay lacp_rate xmit_hash_policy primary
ip -o address show dev bond0 scope global | awk '{ print $4 }' | sort
sysctl net.ipv4.tcp_reordering
