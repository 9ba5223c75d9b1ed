#!/usr/bin/env bash
# Runs every molecule scenario on the lab with the newest ansible-core; arguments replace --all.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

cd "$ROOT"
explain_cores
use_venv molecule
export ANSIBLE_COLLECTIONS_PATH=$COLLECTIONS
compgen -G 'molecule/*/molecule.yml' || {
  echo "There is no molecule/*/molecule.yml."
  exit 1
}
python molecule/shared/lab/lab.py install
[ $# -gt 0 ] || set -- --all
# A run that was cut off leaves a note that the guests exist; molecule would believe it and skip their start. The
# scenarios share their state, so the reset of one is that of all, and a second one would find nothing.
molecule reset --scenario-name default
molecule test --report "$@" | tee "$CHECKOUT/molecule.log"
# Molecule ends with 0 when a playbook of the sequence is not there at all.
if grep -E 'side_effect: Executed: Missing' "$CHECKOUT/molecule.log"; then
  echo "A scenario names a step that is not there."
  exit 1
fi
