#!/usr/bin/env bash
# Runs the benchmark on hosts made of network namespaces; arguments go to benchmarks/fleet.py.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

cd "$ROOT"
newest=$(newest_core)
read -r core python <<<"$newest"
core_venv "$core" "$python"
as_root env PATH="$VENVS/core-$(short "$core")/bin:$PATH" python3 benchmarks/fleet.py --install "$@"
