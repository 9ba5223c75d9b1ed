#!/usr/bin/env bash
# Unit tests on every ansible-core that this machine's Pythons run; arguments go to pytest. FOLDER and CORES are for those
# that play whole playbooks.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

cd "$ROOT"
explain_cores
newest=$(newest_core)
folder=${FOLDER:-tests/unit}
# Without the folder pytest would look everywhere, and find the tests of the lab.
[ -d "$folder" ] || { echo "There is no $folder."; exit 1; }
export PYTHONPATH=$COLLECTIONS ANSIBLE_COLLECTIONS_PATH=$COLLECTIONS
# A real Prometheus reads the metrics.
[ "$folder" != tests/unit ] || unpacked prometheus prometheus-node-exporter ||
  echo "Prometheus cannot be had here, so the tests that need it are skipped."
while read -r core python <&3; do
  core_venv "$core" "$python"
  # What does not depend on the core is tried with all examples once, see tests/unit/how_many.py.
  if [ "$core $python" = "$newest" ]; then one_of=1; else one_of=3; fi
  LINUXNET_TUNING_ONE_EXAMPLE_OF=$one_of check "$(basename "$folder"), ansible-core $core, Python $python" \
    "$VENVS/core-$(short "$core")/bin/pytest" -n auto -o "cache_dir=$CHECKOUT/pytest-$core" -o "testpaths=$folder" "$@"
done 3< <(if [ "${CORES:-all}" = ends ]; then cores | sed -n '1p;1!{$p}'; else cores; fi)
finish "$(basename "$folder")"
