#!/usr/bin/env bash
# ansible-test sanity on every ansible-core that this machine's Pythons run; arguments go to ansible-test.
set -euo pipefail
. "$(dirname "$0")/environments.sh"

# ansible-test wants this to be its real working directory: it refuses a link, and in an ignored folder
# of the repository it says "All targets skipped" with exit code 0. So it gets a copy outside.
tree() { echo "$CHECKOUT/sanity-$1/ansible_collections/linuxnet/tuning"; }

copy_tree() {
  rm -rf "$1"
  mkdir -p "$1"
  repository_files . | tar -C "$ROOT" -cf - -T - | tar -xf - -C "$1"
}

# The script by which ansible-test bootstraps pip comes from a host that may be out of reach; by its own
# word it may be placed by hand. What is there already stays.
place_pip_bootstrap() {
  local version cache=$HOME/.ansible/test/cache
  mkdir -p "$cache"
  for version in 23_1_2 24_2 25_2; do
    [ -e "$cache/get_pip_$version.py" ] || cp "$ROOT/scripts/get_pip.py" "$cache/get_pip_$version.py"
  done
}

# The log keeps what pip says, the terminal does not need it.
without_pip() {
  grep -vE '^(Collecting|Installing|Successfully|Using cached|Requirement already|$)|^ +(━|Downloading|Attempting|Found|Uninstalling|Successfully|Using cached)' || true
}

# A green run counts only if it looked at the plugins, which the tests that it names tell.
sanity() {
  local core=$1 test log=$CHECKOUT/sanity-$1.log
  shift
  (cd "$(tree "$core")" && PATH=$VENVS/core-$(short "$core")/bin:$PATH ansible-test sanity --local --color no "$@") 2>&1 |
    tee "$log" | without_pip || return 1
  if grep -E 'All targets skipped|Required program|due to missing' "$log"; then
    echo "A sanity test looked at nothing, see the line above."
    return 1
  fi
  [ $# -eq 0 ] || return 0
  for test in validate-modules import compile pylint shellcheck; do
    grep -q "^Running sanity test \"$test\"" "$log" || {
      echo "The sanity test $test did not run."
      return 1
    }
  done
  echo "ansible-core $core: $(grep -c '^Running sanity test' "$log") sanity tests ran without a finding"
}

need shellcheck
explain_cores
newest_core >/dev/null
unset ANSIBLE_COLLECTIONS_PATH
place_pip_bootstrap
# ansible-test has one process for nearly all of its tests; one core after the other would leave processors idle.
AT_ONCE=$(cores | wc -l)
while read -r core python <&3; do
  core_venv "$core" "$python"
  copy_tree "$(tree "$core")"
  check "sanity, ansible-core $core, Python $python" sanity "$core" "$@"
done 3< <(cores)
finish sanity
