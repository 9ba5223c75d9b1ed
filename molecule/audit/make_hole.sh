#!/bin/sh
# Makes a path on the switch that swallows large packets: a link of 1400 bytes in the middle, and nobody who says so.
set -eu
ip netns add far
ip link add far0 type veth peer name near0 netns far
ip address add 192.168.40.1/24 dev far0
ip link set far0 mtu 1400 up
ip -n far address add 192.168.40.2/24 dev near0
ip -n far link set near0 up
ip -n far route add default via 192.168.40.1
sysctl -qw net.ipv4.ip_forward=1
iptables -A OUTPUT -p icmp --icmp-type fragmentation-needed -j DROP
systemd-run --quiet --unit=lab-far ip netns exec far python3 /root/traffic.py take
