#!/bin/sh
# The values of the model, and the second of the uptime that they were read at.
cat /sys/class/net/igb0/mtu /sys/class/net/igb1/mtu
ethtool -l igb0 | awk '/^Current/ { now = 1 } now && $1 == "RX:" { print $2 }'
sysctl -n net.ipv4.tcp_keepalive_time
cut -d. -f1 /proc/uptime
