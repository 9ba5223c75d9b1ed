#!/usr/bin/env bash
# Builds the collection's archive into dist/.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

use_venv lint
cd "$ROOT"
ansible-galaxy collection build --force --output-path dist
