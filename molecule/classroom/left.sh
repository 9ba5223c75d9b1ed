#!/bin/sh
# Runs on the router: waits for the end of the unit, and prints whatever is not as it was before the measurement.
for _try in $(seq 120); do
  systemctl -q is-active linuxnet-benchmark-router || break
  sleep 1
done
systemctl -q is-active linuxnet-benchmark-router && echo "the unit still runs"
nft -s list ruleset | diff /run/ruleset-before -
pgrep iperf3 >/dev/null && echo "a server runs"
ss -Hltn 'sport >= 5201 and sport <= 5202' | grep . && echo "a port is open"
systemctl -q is-active irqbalance || echo "irqbalance is stopped"
exit 0
