#!/usr/bin/env bash
# molecule.sh [--release RELEASE] [[RELEASE/]SCENARIO...]: runs molecule scenarios with the newest ansible-core. Without
# arguments: all of them on the default release, and some on others.
# Each runs on a lab of its own. One more runs at a time than there are processors, for a third of their time is waiting:
# for links, for reboots, for what the kernel refuses. With many more an emulated guest would lose its timers.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

cd "$ROOT"
explain_cores
use_venv molecule
export ANSIBLE_COLLECTIONS_PATH=$COLLECTIONS STATE CHECKOUT RESULTS=$CHECKOUT/scenarios
rm -rf "$RESULTS"
mkdir -p "$RESULTS"
python molecule/shared/lab/lab.py install

read -r release others <<<"$RELEASES"
# Containers of trixie-backports would be those of trixie, with the kernel of this machine.
read -ra elsewhere <<<"${others// //cores }/cores"
# What a newer kernel and newer tools change shows on machines.
elsewhere+=("${others%% *}"/{bonding,default,multiq})
if [ "${1:-}" = --release ]; then
  release=$2
  elsewhere=()
  shift 2
fi
jobs=("$@")
# The longest come first, so that no processor is idle in the end.
[ $# -gt 0 ] || mapfile -t jobs < <({
  printf '%s\n' faults "$release/bonding" "${elsewhere[@]}" machines default tuned
  printf '%s\n' molecule/*/molecule.yml | cut -d/ -f2
} | awk '!seen[$0]++')
mapfile -t jobs < <(printf '%s\n' "${jobs[@]}" | sed "/\\//!s,^,$release/,")
# What the last run had no time for begins.
unplayed=$STATE/unplayed
mapfile -t jobs < <({ grep -Fxf <(printf '%s\n' "${jobs[@]}") "$unplayed" 2>/dev/null || true
  printf '%s\n' "${jobs[@]}"; } | awk '!seen[$0]++')

# at_a_time NUMBER LETTER: runs the scenarios whose names it reads, on labs of their own with this letter.
at_a_time() {
  LANES=$2 xargs --no-run-if-empty -P "$1" -n 1 --process-slot-var=SLOT scripts/scenario.sh
}

# scenarios PATTERN: those whose names it matches.
scenarios() {
  printf '%s\n' "${jobs[@]}" | awk "$1"
}

# The classroom measures, and the audit looks for what is lost within seconds, so beside them runs only what emulates
# nothing: `faults`, which waits most of the time, and the others in containers, for which there is room as long as no
# machines do all they can. So these two lanes begin together, and `faults` alone goes on beside the machines.
contained='/\/(faults|sequences|cores)$/' measured='/\/(audit|classroom)$/'
result=0
scenarios "$contained" | at_a_time 2 f &
beside=$!
scenarios "$measured" | at_a_time 1 l || result=1
scenarios "!$contained && !$measured" | at_a_time $(($(nproc) + 1)) l || result=1
wait "$beside" || result=1
printf '\n==== scenarios, and the errors of those that failed\n'
cat "$RESULTS"/*
# These are the last lines of all.
sed -n 's/ .*left out.*//p' "$RESULTS"/* >"$unplayed"
exit "$result"
