#!/usr/bin/env bash
# build.sh [FOLDER]: builds the collection's archive into dist/, or the folder. A README that is shown outside of the
# repository needs links that lead there.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

use_venv lint
cd "$ROOT"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
repository_files . | tar --create --files-from - | tar --extract --directory "$tree"
python scripts/absolute_links.py "$tree/README.md"
ansible-galaxy collection build --force --output-path "${1:-dist}" "$tree"
