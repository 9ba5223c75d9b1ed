#!/bin/sh
# Prints what was lost on the router within 5 seconds, by stage, and what made it so.
set -eu

# column NUMBER FILE: the sum over all processors of what the kernel writes in hexadecimal digits.
column() {
  awk -v place="$1" '$place ~ /^[0-9a-f]+$/ && length($place) == 8 { print $place }' "$2" | {
    total=0
    while read -r word; do total=$((total + 0x$word)); done
    echo $total
  }
}

lost() {
  column 3 /proc/net/softnet_stat
  nstat -asz UdpRcvbufErrors TcpExtListenOverflows | awk '/Errors|Overflows/ { print $2 }'
  echo $(($(column 11 /proc/net/stat/nf_conntrack) + $(column 12 /proc/net/stat/nf_conntrack)))
}

lost > /run/lost-before
sleep 5
lost | paste /run/lost-before - | awk '{ print $2 - $1 }' | tr '\n' ' '
# What is counted here may be none, which grep takes for a failure; the numbers are compared by who runs this.
tc qdisc show dev igb1 | grep -c netem || true
ethtool -k vmxnet0 | grep -c 'large-receive-offload: on' || true
cat /sys/class/net/e1000e0/mtu
# A connection whose program has ended tries on for minutes.
ss -tni state established dst 192.168.40.2 | grep -c backoff || true
