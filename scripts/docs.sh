#!/usr/bin/env bash
# Writes the documentation of the settings from their tables, and builds the site of all plugins into dist/docs.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

use_venv docs
SITE=$CHECKOUT/docs
export ANSIBLE_COLLECTIONS_PATH=$COLLECTIONS
PYTHONPATH=$COLLECTIONS python "$ROOT/scripts/document_settings.py"
PYTHONPATH=$COLLECTIONS python "$ROOT/scripts/document_findings.py"
PYTHONPATH=$COLLECTIONS python "$ROOT/scripts/document_profiles.py"
python "$ROOT/scripts/document_drivers.py"
rm -rf "$SITE"
mkdir -p "$SITE"
chmod 0755 "$SITE"
antsibull-docs sphinx-init --use-current --squash-hierarchy --fail-on-error --dest-dir "$SITE" linuxnet.tuning
# Offline: no inventories of other projects, and so no complaint about references into them.
cat >>"$SITE/conf.py" <<'CONF'
intersphinx_mapping = {}
nitpicky = False
suppress_warnings = ["ref.ref"]
CONF
(cd "$SITE" && ./build.sh)
rm -rf "$ROOT/dist/docs"
mkdir -p "$ROOT/dist"
cp -r "$SITE/build/html" "$ROOT/dist/docs"
echo "Open dist/docs/index.html"
