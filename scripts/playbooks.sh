#!/usr/bin/env bash
# Unit tests that play whole playbooks on made-up hosts, on the oldest and the newest ansible-core of this machine.
set -euo pipefail
FOLDER=tests/playbooks CORES=ends exec "$(dirname "$0")/unit.sh" "$@"
