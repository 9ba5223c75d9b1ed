#!/usr/bin/env bash
# Installs what the lab needs, and builds the images of the releases that `make molecule` plays on, where they are missing.
set -euo pipefail
. "$(dirname "$0")/common.sh"

lab=$ROOT/molecule/shared/lab/lab.py
python3 "$lab" install
for release in $RELEASES; do
  python3 "$lab" build --release "$release"
done
