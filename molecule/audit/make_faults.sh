#!/bin/sh
# Makes faults on the router, by raw commands only.
set -eu
# A link that says to be faster than the others: now speeds are mixed.
ethtool -s virtio0 speed 10000 duplex full
ethtool -A igb0 autoneg off rx off tx off
ip link set dev igb1 mtu 9000
sysctl -qw net.ipv4.ip_forward=1
ethtool -K vmxnet0 gro on
sysctl -qw net.ipv4.tcp_sack=0 net.ipv4.tcp_rmem="4096 8192 16384"
echo "net.core.rmem_max = 212992" > /etc/sysctl.d/99-zz-local.conf
echo "net.ipv4.tcp_congestion_control = nosuch" > /etc/sysctl.d/50-congestion.conf
tc qdisc replace dev virtio0 root handle 1: multiq
for client in 1 2; do
  tc filter add dev virtio0 parent 1: protocol ip prio 1 u32 match ip dst 192.168.40.$client \
    action skbedit queue_mapping $client
done
tc filter add dev virtio0 parent 1: protocol ip prio 3 u32 match ip dst 192.168.40.3 action skbedit queue_mapping 99
# The driver asks for its interrupts anew when it changes pause frames, so these come last.
awk -F: '/igb0-/ { print $1 + 0 }' /proc/interrupts | while read -r number; do
  echo 0 > "/proc/irq/$number/smp_affinity_list"
done
