#!/usr/bin/env bash
# Measures what the report of an audit of 50 to 1,000 hosts costs on the controller.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

newest=$(newest_core)
read -r core python <<<"$newest"
core_venv "$core" "$python"
PYTHONPATH=$COLLECTIONS exec "$VENVS/core-$(short "$core")/bin/python" "$ROOT/benchmarks/audit.py"
