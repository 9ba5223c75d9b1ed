#!/usr/bin/env bash
# Runs the named targets one after the other, all of them whatever fails, and prints the time of each. What failed is told
# once more at the end, for it may stand thousands of lines above.
set -euo pipefail
. "$(dirname "$0")/common.sh"

summary=()
failed=()
log=$CHECKOUT/test
mkdir -p "$log"
# What the scenarios stand on is fetched beside the first checks, which compute. If that fails, molecule tries it again
# and says why.
[[ " $* " != *" molecule "* ]] || nice "$ROOT/scripts/images.sh" >"$log/images" 2>&1 &

# What a stage that takes longer than elsewhere had to wait for: the shares of the processors' time since a note of it.
processors() {
  paste <(head -n 1 /proc/stat | tr ' ' '\n') <(tr ' ' '\n' <<<"$1") | awk '
    $1 ~ /^[0-9]+$/ { spent[++field] = $1 - $2; total += field < 9 ? $1 - $2 : 0 }
    END { if (total) printf "processors idle %2d %%, waiting for disks %2d %%, taken by other machines %2d %%",
            100 * spent[4] / total, 100 * spent[5] / total, 100 * spent[8] / total }'
}

for target in "$@"; do
  noted=$(head -n 1 /proc/stat)
  printf '\n==== make %s\n' "$target"
  started=$SECONDS
  result=passed
  "${MAKE:-make}" -C "$ROOT" --no-print-directory "$target" 2>&1 | tee "$log/$target" || {
    result=FAILED
    failed+=("$target")
  }
  summary+=("$(printf '%-10s %-7s %5d s  %s' "$target" "$result" $((SECONDS - started)) "$(processors "$noted")")")
done
printf '\n==== stages\n'
printf '%s\n' "${summary[@]}"
for target in "${failed[@]}"; do
  printf '\n==== what failed in %s\n' "$target"
  sed -nE '/^(FAILED|ERROR|E  )/p' "$log/$target" | cut -c1-300 | tail -n 12
done
[ "${#failed[@]}" -eq 0 ]
