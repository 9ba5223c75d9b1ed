#!/usr/bin/env bash
# Shows on a fresh lab what the collection does: a router that was tuned by hand is audited and tuned, and the second run
# changes nothing; then a classroom behind it is measured, and a queue for each client is proved to help.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

cd "$ROOT"
use_venv molecule
LOG=$CHECKOUT/demo.log
RESULTS=$ROOT/results
export ANSIBLE_COLLECTIONS_PATH=$COLLECTIONS ANSIBLE_CONFIG=$ROOT/ansible.cfg
# The summary of a fleet says nothing here.
export ANSIBLE_STDOUT_CALLBACK=linuxnet.tuning.brief ANSIBLE_CALLBACKS_ENABLED=linuxnet.tuning.brief
INVENTORY=(-i molecule/shared/lab/inventory.sh)

lab() { python3 "$ROOT/molecule/shared/lab/lab.py" "$@"; }
tell() { printf '\n%s\n\n' "$*" | fold -s -w 110 | sed 's/ $//'; }

# play PLAYBOOK [OPTION...]: a playbook of the collection, with its command as one would type it.
play() {
  printf '$ ansible-playbook linuxnet.tuning.%s\n\n' "$*"
  ansible-playbook "${INVENTORY[@]}" -e "benchmark_folder=$RESULTS audit_folder=$RESULTS" "linuxnet.tuning.$1" "${@:2}" 2>&1 |
    tee "$LOG"
}

newest() { find "$RESULTS" -name "$1" | sort | tail -n 1; }

rm -rf "$RESULTS"
tell "A router with emulated Intel and VMware cards under their real drivers, and a machine behind it. Somebody has" \
  "tuned the router by hand over the years, with these commands:"
lab install >"$LOG"
lab down >>"$LOG"
lab up --containers switch >>"$LOG"
grep -v '^#\|^set' scripts/demo/faults.sh
lab ssh router sh -s <scripts/demo/faults.sh

tell "What is wrong, and why? The audit only reads."
play audit
for kind in json html; do cp "$RESULTS/audit.$kind" "$RESULTS/audit-first.$kind"; done
cp "$LOG" "$RESULTS/audit-first.txt"

tell "The report has the lines that fix each finding. They are in the inventory now, with larger rings and more channels:"
sed 1,2d scripts/demo/inventory/host_vars/router.yml
INVENTORY+=(-i scripts/demo/inventory)
tell "One run applies it. If a value did not take effect, or if the router could not be reached any more, the whole" \
  "change would be rolled back."
play site -e tuning_hosts=router
cp "$LOG" "$RESULTS/site.txt"

tell "Another run has nothing to do, and the audit has no findings."
play site -e tuning_hosts=router
if [ -s "$LOG" ]; then
  echo "The second run changed something, or printed a message; it must not."
  exit 1
fi
echo "(no change)"
echo
play audit

tell "A classroom of ten clients behind the router, at a scale of 10G = 10 Mbit/s and 1G = 1 Mbit/s. If one host sends to" \
  "all of them at once, some get much less than others:"
ANSIBLE_STDOUT_CALLBACK=default ansible-playbook "${INVENTORY[@]}" molecule/classroom/classroom.yml >"$LOG"
INVENTORY+=(-i molecule/classroom/inventory)
play benchmark -e benchmark_label=before

tell "Why? The audit reads the measurement, too."
before=$(newest 'before-2*.json')
play audit -e tuning_hosts=router:classroom -e "audit_benchmark=$before"

tell "It recommends a queue for each client. Does that help? The router gets it for the time of another measurement," \
  "and keeps it only if the slowest client gets more."
# It ends as soon as the answer is clear; a busy machine needs longer than the classroom's inventory gives it.
play prove -e tuning_hosts=router -e prove_figure=minimum -e prove_time=1200 -e "prove_before=$before"
cp "$LOG" "$RESULTS/prove.txt"

tell "In short:"
python3 scripts/demo/end.py "$RESULTS"
cat <<END

The lab stays up: python3 molecule/shared/lab/lab.py ssh router
                  python3 molecule/shared/lab/lab.py down
END
