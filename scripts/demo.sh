#!/usr/bin/env bash
# Shows on fresh virtual machines what the collection does: audit, site, site again, which changes nothing, and prove.
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

title "Audit: what differs; nothing is changed"
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

title "A classroom: ten clients behind the router, at a scale of 10G = 2.5 Mbit/s"
INVENTORIES=(-i "$LAB/inventory.json" -i molecule/classroom/inventory/hosts.yml)
ansible-playbook "${INVENTORIES[@]}" molecule/classroom/classroom.yml
cat molecule/classroom/inventory/hosts.yml

title "Prove: measure, give each client a queue of its own, measure again, keep what helps"
echo "\$ ansible-playbook linuxnet.tuning.prove"
ansible-playbook "${INVENTORIES[@]}" -e tuning_hosts=router -e prove_figure=minimum \
  -e "benchmark_folder=$ROOT/results" linuxnet.tuning.prove | tee "$LOG"

cat <<END

The report to open in a browser: $(find "$ROOT/results" -name 'prove-*.html' | sort | tail -n 1)

The lab stays up: python3 molecule/shared/lab/lab.py ssh router
                  python3 molecule/shared/lab/lab.py down
END
