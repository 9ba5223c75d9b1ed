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
molecule test --report "$@"
