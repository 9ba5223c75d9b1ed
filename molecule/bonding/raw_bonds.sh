#!/bin/sh
# Prints all that the module may change, in the kernel's own words, but for what a NIC makes up by itself.
export LC_ALL=C
cat /sys/class/net/bonding_masters 2>/dev/null
for nic in igb0 igb1; do
  # In a bond a NIC has the address of the bond, which each new one makes up.
  address=$(cat "/sys/class/net/$nic/address")
  [ ! -e "/sys/class/net/$nic/master" ] || address=bond
  echo "== $nic mtu $(cat "/sys/class/net/$nic/mtu") $address"
  ip -o -4 address show dev "$nic" | sed 's/^[0-9]*: //'  # its number changes with a reboot
done
sysctl net.ipv4.tcp_reordering
echo "== files"
for folder in /etc/sysctl.d /etc/systemd/network /etc/NetworkManager/system-connections /etc/network; do
  find "$folder" -type f -printf '%M %u %p\n' -exec cat {} + | sort
done
