#!/usr/bin/env bash
# Plays autotune against sown bottlenecks, first on containers and then on a virtual machine for what needs drivers;
# arguments go to benchmarks/autotune.py.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

cd "$ROOT"
use_venv molecule
export ANSIBLE_COLLECTIONS_PATH=$COLLECTIONS PYTHONPATH=$COLLECTIONS
python3 molecule/shared/lab/lab.py install
status=0
for containers in all switch; do
  LAB_CONTAINERS=$containers python3 benchmarks/autotune.py "$@" || status=$?
  python3 molecule/shared/lab/lab.py down
done
exit "$status"
