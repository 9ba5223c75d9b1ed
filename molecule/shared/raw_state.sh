#!/bin/sh
# Prints all that the collection may change, in the tools' own words; of all NICs, or of those that are named.
export LC_ALL=C
[ $# -gt 0 ] || { cd /sys/class/net && set -- *; }
for nic in "$@"; do
  device=/sys/class/net/$nic
  echo "== $nic"
  for flag in -k -g -l -a -c --show-priv-flags; do
    ethtool $flag "$nic" 2>&1
  done
  grep . "$device/mtu" "$device/tx_queue_len"
  # A handle of 8000: and more is one that the kernel numbers itself, anew each time.
  tc qdisc show dev "$nic" | sed 's/\b8[0-9a-f]\{3\}:/8nnn:/g'
  tc filter show dev "$nic"
  tc filter show dev "$nic" egress 2>&1
  # The path has no interrupt number, which a driver may give anew when channels change.
  grep -H . "$device"/queues/*/rps_cpus "$device"/queues/*/rps_flow_cnt "$device"/queues/*/xps_cpus 2> /dev/null
done
echo "== interrupts"
# virtio_net leaves the interrupts of queues that it stops using where they were.
# Those that a container sees are the machine's.
systemd-detect-virt --quiet --container || awk '$1 ~ /^[0-9]+:$/ && $NF !~ /^virtio/ { print $1, $NF }' /proc/interrupts | while read -r number name; do
  echo "$name $(cat "/proc/irq/${number%:}/smp_affinity_list")"
done | sort
echo "== sysctl"
for key in core.rmem_max core.wmem_max core.netdev_max_backlog ipv4.tcp_rmem ipv4.tcp_wmem ipv4.ip_forward; do
  sysctl "net.$key"
done
echo "== metrics of routes"
{ ip -4 -o route show; ip -6 -o route show; } | grep -E 'initcwnd|initrwnd|quickack|rto_min|congctl| mtu |advmss' | sed 's/ linkdown//; s/ expires [0-9]*sec//'
echo "== irqbalance"
systemctl is-active irqbalance.service
find /etc/linuxnet-tuning /etc/systemd/system/irqbalance.service.d -type f -exec cat {} + 2> /dev/null
echo "== files"
find /etc/sysctl.d /etc/systemd/system /var/lib/linuxnet-tuning -type f -printf '%M %u %p\n' -exec cat {} + 2>&1 | sort
