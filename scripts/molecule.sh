#!/usr/bin/env bash
# Runs molecule scenarios with the newest ansible-core; arguments name them, all by default. Two run at a time, each on a
# lab of its own: most of a scenario is waiting for one processor of one guest.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

cd "$ROOT"
explain_cores
use_venv molecule
export ANSIBLE_COLLECTIONS_PATH=$COLLECTIONS STATE CHECKOUT RESULTS=$CHECKOUT/scenarios
rm -rf "$RESULTS"
mkdir -p "$RESULTS"
python molecule/shared/lab/lab.py install
scenarios=("$@")
# The longest come first, so that no processor is idle in the end.
[ $# -gt 0 ] || mapfile -t scenarios < <(printf '%s\n' molecule/{faults,bonding,multiq,default,irq,*}/molecule.yml | cut -d/ -f2 | awk '!seen[$0]++')

# at_a_time NUMBER: runs the scenarios whose names it reads.
at_a_time() {
  xargs --no-run-if-empty -P "$1" -n 1 --process-slot-var=LANE scripts/scenario.sh
}

result=0
# It measures, so nothing runs beside it and it is never left out.
printf '%s\n' "${scenarios[@]}" | awk '$0 == "classroom"' | at_a_time 1 || result=1
printf '%s\n' "${scenarios[@]}" | awk '$0 != "classroom"' | at_a_time 2 || result=1
printf '\n==== scenarios, and the errors of those that failed\n'
cat "$RESULTS"/*
exit "$result"
