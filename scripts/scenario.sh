#!/usr/bin/env bash
# scenario.sh RELEASE/SCENARIO: runs one molecule scenario on the lab of $LANES and $SLOT, for molecule.sh. Its output
# comes as a whole, so that two do not mix.
set -euo pipefail

export LAB_RELEASE=${1%/*}
name=${1#*/}
log=$CHECKOUT/molecule-$LAB_RELEASE-$name.log
row=$RESULTS/$LAB_RELEASE-$name
lane=$LANES$SLOT
export LAB=$STATE/lab-$lane MOLECULE_EPHEMERAL_DIRECTORY=$CHECKOUT/molecule-$lane COLUMNS=160
# Where there is a DEADLINE, the minutes that it takes on a slow machine must be left; the longest ones come first.
case $name in
bonding) needs=38 ;;
faults) needs=24 ;;
audit | capture | cores | irq | pci | sequences) needs=9 ;;
*) needs=15 ;;
esac
left=$((${DEADLINE:-$(date +%s) + 9999} - $(date +%s)))
if [ "$left" -lt $((needs * 60)) ]; then
  printf '%s left out: it takes up to %d minutes, and only %d are left for all\n' "$1" "$needs" $((left / 60)) | tee "$row"
  exit 0
fi
echo "== $1 begins on lab $lane"
# What a run that was cut off has left.
python molecule/shared/lab/lab.py down >/dev/null
# A run that was cut off leaves a note that the guests exist; molecule would believe it and skip their start.
rm -rf "$MOLECULE_EPHEMERAL_DIRECTORY"
ended=0
molecule test --report --scenario-name "$name" >"$log" 2>&1 || ended=$?
# Molecule ends with 0 when a playbook of the sequence is not there at all.
! grep 'side_effect: Executed: Missing' "$log" || ended=1
cat "$log"
echo "== $1 ended with $ended after $SECONDS s"
result=$([ "$ended" -eq 0 ] && echo passed || echo FAILED)
mkdir -p "$CHECKOUT/matrix/$LAB_RELEASE"
echo "$result $SECONDS $(date -u +%F) $(git rev-parse --short HEAD)" >"$CHECKOUT/matrix/$1"
{
  printf '%-26s %-7s %5d s\n' "$1" "$result" "$SECONDS"
  grep -E 'started once more|does not load' "$log" || true
  # What failed first is often the cause of the rest. Refusals that a scenario asks for are among the tasks; what ended it
  # comes last. A log without such lines is no error of ours: the result is $ended.
  if [ "$ended" -ne 0 ]; then
    sed -i 's/\x1b\[[0-9;]*m//g; s/^ *│ //' "$log"
    grep -E '^(E  |lab: )' "$log" | head -n 6 || true
    grep -E '^(FAILED|ERROR |\[ERROR\]: Task)' "$log" | tail -n 8 || true
  fi | cut -c1-300
} >"$row"
exit "$ended"
