#!/usr/bin/env bash
# Fails when an unchanged site costs the controller more than 0.8 pings of processor time, on 60 hosts made of namespaces.
set -euo pipefail
exec "$(dirname "$0")/bench.sh" --only site --hosts 60 --nics 1 --repeat 3 --most 0.8 "$@"
