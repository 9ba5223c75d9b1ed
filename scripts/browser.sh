#!/usr/bin/env bash
# Opens the pages that the collection writes in a headless Chromium; arguments go to pytest. PICTURES=FOLDER keeps them.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

need chromium
cd "$ROOT"
newest=$(newest_core)
read -r core python <<<"$newest"
core_venv "$core" "$python"
axe_venv "$python"
export PYTHONPATH=$COLLECTIONS
exec "$VENVS/core-$(short "$core")/bin/pytest" -q -o "cache_dir=$CHECKOUT/pytest-browser" tests/browser "$@"
