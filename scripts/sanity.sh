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

# sanity NAME CORE [ARGUMENT...]: on a copy with this name, so that several can run beside each other.
sanity() {
  local name=$1 core=$2 log=$CHECKOUT/sanity-$1.log
  shift 2
  copy_tree "$(tree "$name")"
  (cd "$(tree "$name")" && PATH=$VENVS/core-$(short "$core")/bin:$PATH ansible-test sanity --local --color no "$@") 2>&1 |
    tee "$log" | without_pip || return 1
  if grep -E 'All targets skipped|Required program|due to missing' "$log"; then
    echo "A sanity test looked at nothing, see the line above."
    return 1
  fi
}

# has_run NAME TEST...: a green run counts only if it looked at the plugins, which these tests tell.
has_run() {
  local name=$1 test log=$CHECKOUT/sanity-$1.log
  shift
  for test in "$@"; do
    grep -q "^Running sanity test \"$test\"" "$log" || {
      echo "The sanity test $test did not run."
      return 1
    }
  done
  echo "$(grep -c '^Running sanity test' "$log") sanity tests ran without a finding"
}

# The same files by the same rules, whatever the core: once, with the newest rules.
RULES=(pylint pep8 yamllint shellcheck changelog)

all_but_rules() {
  # shellcheck disable=SC2046 # two words for each
  sanity "$@" $(printf -- '--skip-test %s ' "${RULES[@]}") && has_run "$1" validate-modules import compile
}

all_but_pylint() {
  sanity "$@" --skip-test pylint && has_run "$1" validate-modules import compile "${RULES[@]:1}"
}

only_pylint() {
  sanity "$@" --test pylint && has_run "$1" pylint
}

need shellcheck
explain_cores
newest_core >/dev/null
unset ANSIBLE_COLLECTIONS_PATH
place_pip_bootstrap
# ansible-test has one process for nearly all of its tests; one after the other would leave processors idle.
AT_ONCE=$(($(nproc) + 1))
mapfile -t cores < <(cores)
for i in "${!cores[@]}"; do
  read -r core python <<<"${cores[i]}"
  core_venv "$core" "$python"
  name="sanity, ansible-core $core, Python $python"
  if [ $# -gt 0 ]; then
    check "$name" sanity "$core" "$core" "$@"
  elif [ "$i" -eq $((${#cores[@]} - 1)) ]; then
    check "$name" all_but_pylint "$core" "$core"
  elif [ "$i" -gt 0 ]; then
    # The oldest and the newest import the plugins on every Python that they know, which takes longest.
    check "$name" all_but_rules "$core" "$core" --python "$python"
  else
    check "$name" all_but_rules "$core" "$core"
  fi
done
[ $# -gt 0 ] || check "pylint, ansible-core $core, Python $python" only_pylint pylint "$core"
finish sanity
