#!/usr/bin/env bash
# Asks the drivers of the lab what they make of each setting, and writes the page from it; arguments: RELEASE[/DRIVER]...
set -euo pipefail
. "$(dirname "$0")/environments.sh"

cd "$ROOT"
use_venv molecule
python3 molecule/shared/lab/lab.py install
status=0
LAB=$STATE/lab-survey python3 scripts/survey_drivers.py "$@" || status=$?
python3 scripts/document_drivers.py
exit "$status"
