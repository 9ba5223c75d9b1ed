#!/usr/bin/env bash
# Runs the named targets one after the other, all of them whatever fails, and prints the time of each.
set -euo pipefail
. "$(dirname "$0")/common.sh"

summary=()
for target in "$@"; do
  printf '\n==== make %s\n' "$target"
  started=$SECONDS
  result=passed
  "${MAKE:-make}" -C "$ROOT" --no-print-directory "$target" || result=FAILED
  summary+=("$(printf '%-10s %-7s %5d s' "$target" "$result" $((SECONDS - started)))")
done
printf '\n==== stages\n'
printf '%s\n' "${summary[@]}"
[[ "${summary[*]}" != *FAILED* ]]
