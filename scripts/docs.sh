#!/usr/bin/env bash
# Writes the documentation of the settings from their tables, and builds the site of all plugins into dist/docs.
# Fails if axe-core finds a fault in a page of it.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

need chromium
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
antsibull-docs sphinx-init --use-current --squash-hierarchy --fail-on-error --sphinx-theme furo --dest-dir "$SITE" \
  --project linuxnet.tuning --title linuxnet.tuning --copyright "the linuxnet.tuning maintainers" linuxnet.tuning
# Offline: no inventories of other projects, and so no complaint about references into them.
cat >>"$SITE/conf.py" <<CONF
intersphinx_mapping = {}
nitpicky = False
suppress_warnings = ["ref.ref"]
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
html_static_path = ["$ROOT/scripts/docsite/accessible.css"]
html_css_files = ["accessible.css"]
CONF
(cd "$SITE" && ./build.sh)
rm -rf "$ROOT/dist/docs"
mkdir -p "$ROOT/dist"
cp -r "$SITE/build/html" "$ROOT/dist/docs"
python "$ROOT/scripts/docsite/mend.py" "$ROOT/dist/docs"
axe_venv "$(python -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
PYTHONPATH=$COLLECTIONS python "$ROOT/scripts/docsite/check.py" "$ROOT/dist/docs"
echo "Open dist/docs/index.html"
