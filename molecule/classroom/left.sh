#!/bin/sh
# Runs on the router: waits for the end of the unit, and prints whatever is not as it was before the measurement.
for _try in $(seq 120); do
  # A unit that cleans up is neither active nor inactive.
  state=$(systemctl is-active linuxnet-benchmark-router)
  [ "$state" = inactive ] && break
  sleep 1
done
[ "$state" = inactive ] || echo "the unit is $state"
nft -s list ruleset | diff /run/ruleset-before -
pgrep iperf3 >/dev/null && echo "a server runs"
ss -Hltn 'sport >= 5201 and sport <= 5202' | grep . && echo "a port is open"
systemctl -q is-active irqbalance || echo "irqbalance is stopped"
exit 0
