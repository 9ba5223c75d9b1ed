#!/usr/bin/env bash
# Turns the fragments into CHANGELOG.md under the version that stands in galaxy.yml.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

use_venv lint
cd "$COLLECTIONS/ansible_collections/linuxnet/tuning"
ANSIBLE_COLLECTIONS_PATH=$COLLECTIONS antsibull-changelog release "$@"
