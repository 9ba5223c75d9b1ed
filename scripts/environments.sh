# shellcheck shell=bash
# Sourced by the scripts that need Python: finds interpreters that really start, and keeps the virtual environments.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

UV_VERSION=0.13.8
PYTHONS=$STATE/pythons
VENVS=$STATE/venvs

# Every path that may be a Python 3, newest places last. A pyenv shim of a version that is not active
# is on PATH but does not start (rc 127), so the versions behind the shims are listed too.
candidate_pythons() {
  local minor
  for minor in {6..14}; do
    type -aP "python3.$minor" | grep -vF "$STATE/" || true
    compgen -G "${PYENV_ROOT:-$HOME/.pyenv}/versions/3.$minor.*/bin/python3.$minor" || true
    compgen -G "$HOME/.local/share/uv/python/*/bin/python3.$minor" || true
  done
}

# The real path of an interpreter; fails for one that does not start, is another version, or is a venv's.
real_python() {
  "$1" -c '
import os, sys
if "python%d.%d" % sys.version_info[:2] != sys.argv[1] or sys.prefix != sys.base_prefix:
    sys.exit(1)
print(os.path.realpath(sys.executable))' "$(basename "$1")" 2>/dev/null
}

# A folder of links named python3.N, put first on PATH: ansible-test and ansible search by these names.
link_pythons() {
  local candidate name real fresh=$PYTHONS.$$
  if [ "$(candidate_pythons)" != "$(cat "$PYTHONS/candidates" 2>/dev/null)" ]; then
    mkdir -p "$fresh"
    candidate_pythons >"$fresh/candidates"
    while IFS= read -r candidate; do
      name=$(basename "$candidate")
      if [ ! -e "$fresh/$name" ] && real=$(real_python "$candidate"); then
        ln -s "$real" "$fresh/$name"
      fi
    done <"$fresh/candidates"
    rm -rf "$PYTHONS"
    mv -T "$fresh" "$PYTHONS"
  fi
  export PATH=$PYTHONS:$PATH
}

# newest_python OLDEST NEWEST: the newest linked minor version within these bounds, such as 3.12.
newest_python() {
  local minor
  for ((minor = ${2#3.}; minor >= ${1#3.}; minor--)); do
    if [ -e "$PYTHONS/python3.$minor" ]; then
      echo "3.$minor"
      return
    fi
  done
  return 1
}

# cores: "2.21.5 3.13" for each ansible-core that this machine can run, newest last.
cores() {
  local core oldest newest python
  grep -v '^#' "$ROOT/requirements/cores.txt" | while read -r core oldest newest; do
    if python=$(newest_python "$oldest" "$newest"); then echo "$core $python"; fi
  done
}

explain_cores() {
  local core oldest newest python
  grep -v '^#' "$ROOT/requirements/cores.txt" | while read -r core oldest newest; do
    if python=$(newest_python "$oldest" "$newest"); then
      echo "ansible-core $core: runs with Python $python"
    else
      echo "ansible-core $core: left out, it needs Python $oldest to $newest and this machine has none of them"
    fi
  done
}

newest_core() {
  cores | tail -n 1 | grep . || {
    echo "No Python on this machine runs any ansible-core of requirements/cores.txt." >&2
    return 1
  }
}

# uv has certificates of its own and does not read pip's configuration; a machine with its own index or
# certificate has them in the system's store and in pip's configuration only.
configure_uv() {
  local index certificate
  index=$("$VENVS/uv/bin/pip" config get global.index-url 2>/dev/null || true)
  certificate=${PIP_CERT:-$("$VENVS/uv/bin/pip" config get global.cert 2>/dev/null || true)}
  [ -z "$index" ] || export UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX:-$index}
  [ -z "$certificate" ] || export SSL_CERT_FILE=${SSL_CERT_FILE:-$certificate}
  export UV_SYSTEM_CERTS=${UV_SYSTEM_CERTS:-true} UV_PYTHON_DOWNLOADS=${UV_PYTHON_DOWNLOADS:-never}
}

bootstrap_uv() {
  local python=$PYTHONS/python$1
  if [ "$("$VENVS/uv/bin/uv" --version 2>/dev/null | cut -d' ' -f2)" != "$UV_VERSION" ]; then
    "$python" -c 'import ensurepip, venv' 2>/dev/null || install_packages "python$1-venv"
    "$python" -m venv --clear "$VENVS/uv"
    "$VENVS/uv/bin/pip" install -q --disable-pip-version-check "uv==$UV_VERSION"
  fi
}

# venv NAME PYTHON_VERSION [OPTION...]: makes it of the requirements on standard input, unless they are what it has.
venv() {
  local name=$1 python=$2 home=$VENVS/$1 requirements stamp
  shift 2
  requirements=$(grep -v '^#')
  stamp=$(printf '%s\n' "$(readlink -f "$PYTHONS/python$python")" "$requirements" | sha256sum)
  mkdir -p "$VENVS"
  exec 9>"$VENVS/lock"
  flock 9
  if [ "$stamp" != "$(cat "$home/.stamp" 2>/dev/null)" ]; then
    echo "Making the virtual environment $name (Python $python)"
    bootstrap_uv "$python"
    configure_uv
    "$VENVS/uv/bin/uv" venv -q --clear --python "$PYTHONS/python$python" "$home"
    "$VENVS/uv/bin/uv" pip install -q --python "$home/bin/python" "$@" -r - <<<"$requirements"
    echo "$stamp" >"$home/.stamp"
  fi
  exec 9>&-
}

short() { echo "${1%.*}"; }

# core_venv CORE PYTHON_VERSION: ansible-core and what its unit tests need.
core_venv() {
  { echo "ansible-core==$1" && cat "$ROOT/requirements/unit.txt"; } | venv "core-$(short "$1")" "$2"
}

# axe_venv PYTHON_VERSION: axe-core, whose file AXE names; it comes with a driver of browsers, which is not needed.
axe_venv() {
  venv axe "$1" --no-deps <"$ROOT/requirements/browser.txt"
  AXE=$(echo "$VENVS"/axe/lib/python*/site-packages/axe_playwright_python/axe.min.js)
  export AXE
}

# use_venv PURPOSE: requirements/PURPOSE.txt with the newest core, made and put first on PATH.
use_venv() {
  local core python newest
  newest=$(newest_core)
  read -r core python <<<"$newest"
  { echo "ansible-core==$core" && cat "$ROOT/requirements/$1.txt"; } | venv "$1" "$python"
  export PATH=$VENVS/$1/bin:$PATH
}

need git
need python3
need flock util-linux
link_checkout
link_pythons
