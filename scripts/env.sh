#!/usr/bin/env bash
# Prints the variables of the quick loop: eval "$(make -s env)", then ansible, pytest and molecule use this checkout.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

newest=$(newest_core)
read -r core python <<<"$newest"
{
  core_venv "$core" "$python"
  use_venv lint
  use_venv molecule
} >&2
echo "export ANSIBLE_COLLECTIONS_PATH='$COLLECTIONS' PYTHONPATH='$COLLECTIONS' LAB='$LAB'"
echo "unset PYTHONDONTWRITEBYTECODE; export PYTHONPYCACHEPREFIX='$PYTHONPYCACHEPREFIX'"
echo "export ANSIBLE_PYTHON_INTERPRETER='$VENVS/core-$(short "$core")/bin/python'"
echo "export PATH='$VENVS/core-$(short "$core")/bin:$VENVS/molecule/bin:$VENVS/lint/bin:$PYTHONS':\"\$PATH\""
