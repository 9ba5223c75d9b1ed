#!/usr/bin/env bash
# Removes what the other targets made: the lab, the virtual environments, caches and archives.
set -euo pipefail
. "$(dirname "$0")/common.sh"

if [ -e "$ROOT/molecule/shared/lab/lab.py" ]; then
  for lab in "$STATE"/lab*; do
    [ ! -d "$lab" ] || LAB=$lab python3 "$ROOT/molecule/shared/lab/lab.py" down
  done
fi
rm -rf "$STATE"
git -C "$ROOT" clean -fdXq
