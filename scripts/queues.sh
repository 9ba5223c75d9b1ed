#!/usr/bin/env bash
# Runs the benchmark of the queue mapping on the lab; arguments go to benchmarks/queues.py.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

cd "$ROOT"
use_venv molecule
export ANSIBLE_COLLECTIONS_PATH=$COLLECTIONS ANSIBLE_CONFIG=$ROOT/ansible.cfg
python3 molecule/shared/lab/lab.py install
status=0
python3 benchmarks/queues.py "$@" || status=$?
python3 molecule/shared/lab/lab.py down
exit "$status"
