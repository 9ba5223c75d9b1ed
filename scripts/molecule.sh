#!/usr/bin/env bash
# Runs molecule scenarios with the newest ansible-core; arguments name them, all by default. Two run at a time, each on a
# lab of its own: most of a scenario is waiting for one processor of one guest.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

cd "$ROOT"
explain_cores
use_venv molecule
export ANSIBLE_COLLECTIONS_PATH=$COLLECTIONS
if [ $# -eq 0 ]; then
  # The longest come first, so that no processor is idle in the end.
  mapfile -t all < <(printf '%s\n' molecule/{faults,bonding,default}/molecule.yml molecule/*/molecule.yml | cut -d/ -f2 | awk '!seen[$0]++')
  set -- "${all[@]}"
fi
python molecule/shared/lab/lab.py install

# scenario NAME: its output as a whole, so that two do not mix.
scenario() {
  local log=$CHECKOUT/molecule-$1.log started=$SECONDS ended=0
  export LAB=$STATE/lab-$LANE MOLECULE_EPHEMERAL_DIRECTORY=$CHECKOUT/molecule-$LANE
  echo "== $1 begins on lab $LANE"
  # A run that was cut off leaves a note that the guests exist; molecule would believe it and skip their start.
  rm -rf "$MOLECULE_EPHEMERAL_DIRECTORY"
  molecule test --report --scenario-name "$1" >"$log" 2>&1 || ended=$?
  # Molecule ends with 0 when a playbook of the sequence is not there at all.
  ! grep 'side_effect: Executed: Missing' "$log" || ended=1
  cat "$log"
  echo "== $1 ended with $ended after $((SECONDS - started)) s"
  return "$ended"
}
export -f scenario
export STATE CHECKOUT
# shellcheck disable=SC2016 # the words are for the shell that xargs starts
printf '%s\n' "$@" | xargs -P 2 -n 1 --process-slot-var=LANE bash -c 'scenario "$1"' scenario
