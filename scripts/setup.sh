#!/usr/bin/env bash
# Makes everything that the other targets need; when nothing changed it costs next to nothing.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

need shellcheck
explain_cores
newest_core >/dev/null
while read -r core python; do
  core_venv "$core" "$python"
done < <(cores)
for purpose in lint molecule; do
  use_venv "$purpose"
done
echo "Virtual environments: $VENVS"
