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
# lines PATTERN: how many lines have it, which may be none. A program that fails ends all of this, so none stands in a pipe.
lines() {
  awk -v pattern="$1" '$0 ~ pattern { n++ } END { print n + 0 }' /run/shown
}

tc qdisc show dev igb1 > /run/shown
lines netem
ethtool -k vmxnet0 > /run/shown
lines 'large-receive-offload: on'
cat /sys/class/net/e1000e0/mtu
# A connection whose program has ended tries on for minutes.
ss -tni state established dst 192.168.40.2 > /run/shown
lines backoff
