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

# What Galaxy does with an archive before it takes it; ansible-lint has a check of its own.
importer() {
  local folder
  folder=$(mktemp -d)
  printf '[galaxy-importer]\n%s = True\n%s = True\n%s = False\n' \
    CHECK_REQUIRED_TAGS CHECK_CHANGELOG RUN_ANSIBLE_LINT >"$folder/galaxy-importer.cfg"
  (
    cd "$folder"
    "$ROOT/scripts/build.sh" "$folder"
    env -u ANSIBLE_COLLECTIONS_PATH GALAXY_IMPORTER_CONFIG="$folder/galaxy-importer.cfg" \
      python -m galaxy_importer.main "$folder"/*.tar.gz 2>&1 | grep -v '^Loading' | tee said
    # It ends with 0 whatever it finds.
    grep -q 'completed successfully' said && ! grep -E '^(WARNING|ERROR)' said
  )
  local ended=$?
  rm -rf "$folder"
  return "$ended"
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
check "galaxy-importer" importer
check "licenses" reuse --suppress-deprecation lint --quiet
finish lint
