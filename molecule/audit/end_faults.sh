#!/bin/sh
# Ends what no inventory can: files and filters of others, and what made the faults possible.
set -eu
rm /etc/sysctl.d/99-zz-local.conf /etc/sysctl.d/50-congestion.conf
tc qdisc delete dev virtio0 root
