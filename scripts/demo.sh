#!/usr/bin/env bash
# Shows on fresh virtual machines what the collection does: audit, site, and site again, which changes nothing.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

cd "$ROOT"
use_venv molecule
export ANSIBLE_COLLECTIONS_PATH=$COLLECTIONS ANSIBLE_CONFIG=$ROOT/ansible.cfg
LOG=$CHECKOUT/demo.log

lab() { python3 "$ROOT/molecule/shared/lab/lab.py" "$@"; }
title() { printf '\n==== %s\n\n' "$*"; }

show_nics() {
  lab ssh router sh -s <scripts/show_nics.sh
}

play() {
  echo "\$ ansible-playbook $1"
  ansible-playbook -i "$LAB/inventory.json" -e @scripts/demo.yml "$1" | tee "$LOG"
}

title "Start the lab: two virtual machines with emulated NICs"
lab install
lab down
lab up

title "What is wanted"
cat scripts/demo.yml

title "The router's NICs before (now/maximum)"
show_nics

title "Audit: what is wrong, and why; nothing is changed"
play linuxnet.tuning.audit

title "Site: tune the hosts"
play linuxnet.tuning.site

title "Site again: nothing is left to do"
play linuxnet.tuning.site
if grep -qE 'changed=[1-9]' "$LOG"; then
  echo "The second run changed something; it must not."
  exit 1
fi

title "The router's NICs after (now/maximum)"
show_nics

cat <<END

The lab stays up: python3 molecule/shared/lab/lab.py ssh router
                  python3 molecule/shared/lab/lab.py down
END
