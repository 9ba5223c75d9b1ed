#!/bin/sh
# Starts a measurement and kills ansible-playbook as soon as the servers run: the arguments are the
# configuration of ssh, and options of ansible-playbook. Prints what is open, stopped and running on the router at that moment.
router="ssh -F $1 router"
shift
# The time limit follows from these: the patience, one run, and a minute.
words='{"benchmark_groups": [{"server": "router", "clients": "pc01"}], "benchmark_quiet": true,
  "benchmark_repeat": 1, "benchmark_patience": 20, "benchmark_latency": true}'
setsid ansible-playbook "$@" -e "$words" linuxnet.tuning.benchmark >/dev/null 2>&1 &
controller=$!
for _try in $(seq 300); do
  $router pgrep -c iperf3 >/dev/null && break
  sleep 1
done
pkill -KILL -g "$controller"
$router 'nft list ruleset | grep -o "tcp dport [0-9-]* accept"; systemctl is-active irqbalance; pgrep -c iperf3'
