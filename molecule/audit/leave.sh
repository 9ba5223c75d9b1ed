#!/bin/sh
# Goes back to what the remedies have replaced by their own.
set -eu
sysctl -qw net.ipv4.ip_forward=0 net.ipv4.tcp_rmem="$(cat /root/tcp_rmem)"
# The kernel has switched lro off when the host began to forward.
ethtool -K vmxnet0 gro on lro on
ethtool -K virtio0 gro on
ethtool -L virtio0 combined "$(awk '/^Combined:/ { count = $2 } END { print count }' /root/channels)"
ethtool -A igb0 autoneg on
tc qdisc delete dev virtio0 clsact
awk -F: '/igb0-/ { print $1 + 0 }' /proc/interrupts | while read -r number; do
  echo 0-1 > "/proc/irq/$number/smp_affinity_list"
done
