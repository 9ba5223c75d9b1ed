#!/usr/bin/env bash
# Every static check; all of them run, and all that fail are named at the end.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

need shellcheck
use_venv lint
cd "$ROOT"
export ANSIBLE_COLLECTIONS_PATH=$COLLECTIONS

# mypy must see the code under the name that Ansible imports it by, so it runs in the tree of links.
type_check() {
  (cd "$COLLECTIONS" && MYPYPATH=$COLLECTIONS mypy --config-file "$ROOT/pyproject.toml" \
    -p ansible_collections.linuxnet.tuning.plugins)
}

shell_files() {
  repository_files '*.sh' .ci/run | tr '\n' '\0' | xargs -0 shellcheck
}

# rstcheck starts Sphinx anew for each of hundreds of entries where it is installed, as it is for antsibull-docs. Without it
# the entries are checked all the same, and a role that only Sphinx knows is an error.
changelog() {
  python -c '
import sys
sys.modules["sphinx"] = None
from antsibull_changelog.cli import main
sys.exit(main())' lint
}

AT_ONCE=$(nproc)
check "ruff check" ruff check
check "ruff format" ruff format --check --diff
check "mypy" type_check
check "yamllint" yamllint --strict .
check "ansible-lint" ansible-lint --offline --strict
check "antsibull-changelog" changelog
check "antsibull-docs" antsibull-docs lint-collection-docs --plugin-docs --validate-collection-refs=dependent \
  --check-extra-docs-refs --disallow-unknown-collection-refs .
check "settings documented" env "PYTHONPATH=$COLLECTIONS" python scripts/document_settings.py --check
check "findings documented" env "PYTHONPATH=$COLLECTIONS" python scripts/document_findings.py --check
check "profiles documented" env "PYTHONPATH=$COLLECTIONS" python scripts/document_profiles.py --check
check "drivers documented" python scripts/document_drivers.py --check
check "shellcheck" shell_files
check "licenses" reuse --suppress-deprecation lint --quiet
finish lint
