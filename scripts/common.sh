# shellcheck shell=bash
# Sourced by every script: where things lie, Debian packages, and a list of checks that all get their turn.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
STATE=${XDG_CACHE_HOME:-$HOME/.cache}/linuxnet-tuning
# One folder per checkout, so that two checkouts on one machine never test each other's tree.
CHECKOUT=$STATE/checkouts/$(basename "$ROOT")-$(printf %s "$ROOT" | sha256sum | cut -c1-8)
# ansible_collections/linuxnet/tuning below it is a link to the checkout: the quick loop.
COLLECTIONS=$CHECKOUT/path

# Molecule's configuration finds the running lab by this; whoever has another names it.
export LAB=${LAB:-$STATE/lab}
# The releases of `make molecule`: all scenarios are played on the first, and what needs no driver on the others.
export RELEASES="bookworm trixie bullseye"
export YAMLLINT_CONFIG_FILE=$ROOT/.config/yamllint.yml
export HYPOTHESIS_STORAGE_DIRECTORY=$CHECKOUT/hypothesis
export MYPY_CACHE_DIR=$CHECKOUT/mypy
export RUFF_CACHE_DIR=$CHECKOUT/ruff
# Python keeps what it has compiled, and not in the checkout. Where the caller's environment forbids it, as that of many
# a container does, each start of Ansible compiles all of Ansible that it imports.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX=$CHECKOUT/pycache

link_checkout() {
  mkdir -p "$COLLECTIONS/ansible_collections/linuxnet"
  ln -sfn "$ROOT" "$COLLECTIONS/ansible_collections/linuxnet/tuning"
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# need COMMAND [PACKAGE]: installs the Debian package that brings the command, where it is missing.
need() {
  command -v "$1" >/dev/null || install_packages "${2:-$1}"
}

install_packages() {
  echo "Installing Debian packages: $*"
  apt_get update
  apt_get install -y --no-install-recommends "$@"
}

# unpacked PACKAGE...: puts first on PATH what Debian packages bring, without the services that they would start.
unpacked() {
  local home=$STATE/unpacked package fresh
  for package in "$@"; do
    if [ ! -e "$home/$package" ]; then
      echo "Unpacking the Debian package $package"
      mkdir -p "$home"
      fresh=$(mktemp -d "$home/.$package.XXXXXX") || return
      apt_get update || return
      (cd "$fresh" && apt_get download "$package" && dpkg-deb --extract ./*.deb . && rm ./*.deb) || return
      rm -rf "${home:?}/$package"
      mv -T "$fresh" "$home/$package" || return
    fi
    PATH=$home/$package/usr/bin:$PATH
  done
}

# apt waits by itself for the lock of dpkg, but not for that of the package lists.
apt_get() {
  local said
  for _try in $(seq 200); do
    if said=$(as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 "$@" 2>&1); then
      return
    fi
    case $said in
      *"Could not get lock"*) sleep 3 ;;
      *) break ;;
    esac
  done
  printf '%s\n' "$said" >&2
  return 1
}

# repository_files [PATTERN...]: tracked and new files that exist and are not ignored.
repository_files() {
  local file
  git -C "$ROOT" ls-files -co --exclude-standard -- "$@" | while IFS= read -r file; do
    [ ! -e "$ROOT/$file" ] || printf '%s\n' "$file"
  done
}

FAILED=()
PASSED=()
# How many checks run at a time; more than one, where each keeps one processor busy only.
AT_ONCE=1
BEGUN=()

# check NAME COMMAND...: runs it, and goes on to the next check when it fails.
check() {
  local name=$1 log
  shift
  if [ "$AT_ONCE" -gt 1 ]; then
    # Until there is room; how the one that ends has ended, gather asks.
    while [ "$(jobs -rp | wc -l)" -ge "$AT_ONCE" ]; do wait -n || true; done
    log=$(mktemp)
    (if "$@"; then exit 0; else exit 1; fi) >"$log" 2>&1 &
    BEGUN+=("$! $log $name")
  else
    printf '\n== %s\n' "$name"
    if "$@"; then PASSED+=("$name"); else FAILED+=("$name"); fi
  fi
}

# What checks that ran side by side have said, in their order.
gather() {
  local job log name
  for begun in "${BEGUN[@]}"; do
    read -r job log name <<<"$begun"
    if wait "$job"; then PASSED+=("$name"); else FAILED+=("$name"); fi
    printf '\n== %s\n' "$name"
    cat "$log"
    rm -f "$log"
  done
}

# finish WHAT: the closing lines, and the exit code of all checks together.
finish() {
  gather
  printf '\n== %s: %d passed, %d failed\n' "$1" "${#PASSED[@]}" "${#FAILED[@]}"
  if [ "${#FAILED[@]}" -gt 0 ]; then
    printf 'FAILED: %s\n' "${FAILED[@]}"
    return 1
  fi
  [ "${#PASSED[@]}" -gt 0 ] || { echo "FAILED: no check was run"; return 1; }
}
