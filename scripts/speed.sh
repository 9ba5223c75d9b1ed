#!/usr/bin/env bash
# Fails when an unchanged site costs the controller more than 0.8 pings of processor time, on 20 hosts made of namespaces.
set -euo pipefail
exec "$(dirname "$0")/bench.sh" --only site --hosts 20 --nics 1 --repeat 3 --most 0.8 "$@"
