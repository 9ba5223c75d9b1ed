#!/usr/bin/env bash
# Takes the pictures of docs/pictures from what the last `make demo` has left in results/.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

need chromium
cd "$ROOT"
use_venv molecule
PYTHONPATH=$COLLECTIONS exec python scripts/take_pictures.py results docs/pictures
