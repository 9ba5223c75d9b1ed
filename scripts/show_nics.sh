#!/bin/sh
# Runs in a guest: prints its NICs in one table, by ethtool's own words and no code of the collection.

value() { # BLOCK KEY: the value of the key in that block of ethtool's output
  awk -F ':[ \t]*' -v block="$1" -v key="$2" '
    $1 == block {inside = 1; next}
    inside && $1 == key {found = $2; exit}
    END {print found == "" ? "-" : found}'
}

pair() { # COMMAND KEY: the current value and the maximum
  text=$(ethtool "$1" "$nic" 2>/dev/null)
  now=$(printf '%s\n' "$text" | value 'Current hardware settings' "$2")
  most=$(printf '%s\n' "$text" | value 'Pre-set maximums' "$2")
  case $now$most in -- | n/an/a) echo - ;; *) echo "$now/$most" ;; esac
}

switch() { # FEATURE: on or off, with [fixed]
  ethtool -k "$nic" 2>/dev/null | sed -n "s/^$1: //p"
}

row='%-9s %-11s %-11s %-11s %-9s %-12s %-12s\n'
# shellcheck disable=SC2059 # the format is the line above
{
  printf "$row" NIC driver 'ring rx' 'ring tx' channels gro lro
  for device in /sys/class/net/*/device; do
    nic=$(basename "$(dirname "$device")")
    driver=$(basename "$(readlink -f "$device/driver")")
    printf "$row" "$nic" "$driver" "$(pair -g RX)" "$(pair -g TX)" "$(pair -l Combined)" \
      "$(switch generic-receive-offload)" "$(switch large-receive-offload)"
  done
}
