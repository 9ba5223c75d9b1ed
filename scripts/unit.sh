#!/usr/bin/env bash
# Unit tests on every ansible-core that this machine's Pythons run; arguments go to pytest.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

cd "$ROOT"
explain_cores
newest_core >/dev/null
# Without the folder pytest would look everywhere, and find the tests of the lab.
[ -d tests/unit ] || { echo "There is no tests/unit."; exit 1; }
export PYTHONPATH=$COLLECTIONS PYTHONPYCACHEPREFIX=$CHECKOUT/pycache ANSIBLE_COLLECTIONS_PATH=$COLLECTIONS
while read -r core python <&3; do
  core_venv "$core" "$python"
  check "unit, ansible-core $core, Python $python" \
    "$VENVS/core-$(short "$core")/bin/pytest" -n auto -o "cache_dir=$CHECKOUT/pytest-$core" "$@"
done 3< <(cores)
finish unit
