#!/usr/bin/env bash
# matrix.sh [SCENARIO...]: plays scenarios, without names all of them, on every release of the lab, and writes
# docs/support.md from the latest result of each.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

cd "$ROOT"
scenarios=("$@")
[ $# -gt 0 ] || mapfile -t scenarios < <(printf '%s\n' molecule/*/molecule.yml | cut -d/ -f2)
mapfile -t releases < <(python3 molecule/shared/lab/releases.py)
jobs=()
for release in "${releases[@]}"; do
  jobs+=("${scenarios[@]/#/$release/}")
done
result=0
scripts/molecule.sh "${jobs[@]}" || result=1
STATE_FOLDER=$STATE python3 scripts/document_support.py "$CHECKOUT/matrix"
exit "$result"
