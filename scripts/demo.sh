#!/usr/bin/env bash
# Shows on fresh virtual machines what the collection does: audit, site, site again, which changes nothing; and in a
# classroom benchmark, audit and prove.
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
  ansible-playbook -i molecule/shared/lab/inventory.sh -e @scripts/demo.yml "$1" | tee "$LOG"
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

title "A classroom: ten clients behind the router, at a scale of 10G = 10 Mbit/s and 1G = 1 Mbit/s"
ansible-playbook -i molecule/shared/lab/inventory.sh molecule/classroom/classroom.yml
cat molecule/classroom/inventory/hosts.yml

RESULTS=$ROOT/results

# in_classroom NAME OPTION...: a playbook of the collection for the router and its clients.
in_classroom() {
  echo "\$ ansible-playbook linuxnet.tuning.$1 ${*:2}"
  ANSIBLE_DISPLAY_SKIPPED_HOSTS=false ansible-playbook -i molecule/shared/lab/inventory.sh -i molecule/classroom/inventory \
    -e "benchmark_folder=$RESULTS audit_folder=$RESULTS" "linuxnet.tuning.$1" "${@:2}"
}

newest() { find "$RESULTS" -name "$1" | sort | tail -n 1; }

title "Benchmark: all clients at once; some get a part of what a client can have"
in_classroom benchmark -e benchmark_label=before

title "Audit: the reason, and what to write in the inventory"
in_classroom audit -e tuning_hosts=router:classroom -e "audit_benchmark=$(newest 'before-2*.json')"

title "Prove: give each client a queue of its own, measure again, keep what helps"
in_classroom prove -e tuning_hosts=router -e prove_figure=minimum -e "prove_before=$(newest 'before-2*.json')"

cat <<END

The reports to open in a browser: $(newest 'prove-*.html')
                                  $RESULTS/audit.html

The lab stays up: python3 molecule/shared/lab/lab.py ssh router
                  python3 molecule/shared/lab/lab.py down
END
