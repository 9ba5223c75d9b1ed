#!/usr/bin/env bash
# Measures ten clients behind a switch that pauses, in network namespaces; arguments go to benchmarks/slow_client.py.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

cd "$ROOT"
as_root env "PYTHONPATH=$COLLECTIONS" python3 benchmarks/slow_client.py "$@"
