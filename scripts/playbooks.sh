#!/usr/bin/env bash
# Unit tests that play whole playbooks on made-up hosts, on the oldest and the newest ansible-core of this machine. The
# tests of a file may share what they have played, so they stay together.
set -euo pipefail
FOLDER=tests/playbooks CORES=ends exec "$(dirname "$0")/unit.sh" --dist loadfile "$@"
