#!/bin/sh
# What is in force, and which files and units of ours are there.
raw-state igb0 igb1 | sed '/^== files/,$d; /^qdisc [a-z_]* 0: parent :/d'
sysctl net.ipv4.tcp_keepalive_time
find /etc/systemd/system /etc/sysctl.d /var/lib/linuxnet-tuning /run/linuxnet-tuning /run/systemd/transient \
  -type f -o -type l 2> /dev/null | grep -v '/lock$' | sort
find /etc/systemd/system -type d -name '*linuxnet*'
systemctl list-units --all --plain --no-legend 'linuxnet-tuning*'
