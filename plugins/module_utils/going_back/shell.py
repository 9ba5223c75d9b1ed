# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of the script that knows nothing of layers, in POSIX shell.

The commands of the table call `live`, `put`, `rm` and `systemctl`. The script sets `mode`, `trial` and `work`, and
reads `unwritten`.
"""

from __future__ import annotations

WORK = "/run/linuxnet-tuning"
LOCK = f"{WORK}/lock"
AT_WORK = f"{WORK}/at-work"

FUNCTIONS = f"""\
# A command that hangs in a driver must not keep the next one from running, nor one that stays, such as a client of
# DHCP, the locks.
live() {{
  [ "$mode" != boot ] && [ -z "$trial" ] || return 0
  # A service that starts at a boot waits for this script, so this script must not wait for it.
  case "$mode $1" in "soft systemctl") shift; set -- systemctl --no-block "$@" ;; esac
  timeout -k 5 10 "$@" 8<&- 9>&-
  set -- "$?" "$1"
  # Older ethtool ends so when there is nothing to change.
  case $2 in *ethtool) [ "$1" -ne 78 ] && [ "$1" -ne 80 ] || return 0 ;; esac
  return "$1"
}}

# Puts a file back, or removes one; a disk that is full or read-only is `unwritten`. A `trial` only finds that out.
# What replaces a file has its group, access lists and SELinux's label.
put() {{
  mkdir -p "${{3%/*}}"
  {{ [ -L "$3" ] || [ ! -f "$3" ] || cp -fa "$3" "$3.linuxnet-tuning"; }} &&
    cp -f "$1" "$3.linuxnet-tuning" && chmod "$2" "$3.linuxnet-tuning" &&
    if [ -n "$trial" ]; then command rm "$3.linuxnet-tuning"; else mv -f "$3.linuxnet-tuning" "$3"; fi && return
  command rm -f "$3.linuxnet-tuning"
  unwritten=1
  return 1
}}

rm() {{
  if [ -z "$trial" ]; then
    command rm "$@" && return
  else
    for path; do true; done
    [ ! -e "$path" ] || [ -w "${{path%/*}}" ] && return
  fi
  unwritten=1
  return 1
}}

systemctl() {{
  [ -n "$trial" ] || command systemctl "$@"
}}

tell() {{
  [ -n "$JOURNAL_STREAM" ] || logger -t linuxnet-tuning -- "$*" 2> /dev/null
  echo "$*"
}}

uptime() {{
  cut -d. -f1 /proc/uptime
}}

lock() {{
  mkdir -p "$work"
  # Where there can be no lock, no call can have it either; a redirection of `exec` alone would end the shell.
  command exec 9>> {LOCK} || exec 9< run
  until flock -w 5 9; do
    holder=$(cat {LOCK})
    # Another run of this script has no number there, and comes to an end.
    [ -n "$holder" ] || continue
    now=$(uptime) until=0 doing=
    [ ! -e {AT_WORK} ] || read -r until doing < {AT_WORK}
    # A call that goes on with its work on a slow host is waited for.
    [ "${{until:-$now}}" -lt "$now" ] || continue
    # One that hangs would go on later with what is taken back now.
    tell "ends process $holder, which hangs: $doing"
    pkill -KILL -P "$holder"; kill -KILL "$holder"
    flock -w 60 9
    break
  done
  true > {LOCK}
}}

# The MTU of NIC $1, or nothing.
mtu_of() {{
  ip -o link show dev "$1" 2> /dev/null | awk '{{ for (i = 1; i < NF; i++) if ($i == "mtu") print $(i + 1) }}'
}}

# NIC $1 and the VLANs above it that are up: they go down with it, and come up without what the kernel forgets.
with_vlans() {{
  nics=$1
  while [ -n "$nics" ]; do
    echo $nics
    nics=$(ip -o link show up type vlan | awk -v below=" $nics " '
      {{ split($2, name, "[@:]"); if (index(below, " " name[2] " ")) print name[1] }}' | tr '\\n' ' ')
    nics=${{nics% }}
  done
}}

# Some drivers keep their MTU as long as the NIC is up: takes $1 down for MTU $2, and up with what the kernel forgets
# of it meanwhile. The ports of a bond have to be down themselves.
bounce() {{
  case $(ip -o link show dev "$1") in *"<UP,"* | *",UP,"* | *",UP>"*) ;; *) return 0 ;; esac
  all=$(with_vlans "$1") ports=
  case $(ip -d -o link show dev "$1") in
  *" bond mode "*) ports=$(ip -o link show up master "$1" | awk '{{ split($2, name, "[@:]"); print name[1] }}') ;;
  esac
  for member in $all; do
    ip -6 address save dev "$member" > "$work/addresses-$member"
    ip -4 route save table all dev "$member" > "$work/routes4-$member"
    # What the kernel or a router makes anew is left to them: another one beside it would be possible.
    ip -6 route show table all dev "$member" | grep -v -e "table local" -e "proto kernel" -e " expires " \\
      > "$work/routes6-$member"
  done
  for member in "$1" $ports; do live ip link set dev "$member" down; done
  live ip link set dev "$1" mtu "$2"
  for member in $ports $all; do live ip link set dev "$member" up; done
  for _second in 1 2 3 4 5 6 7 8 9 10; do
    case $(ip -o link show dev "$1") in *LOWER_UP*) break ;; esac
    sleep 1
  done
  for member in $all; do
    live ip -6 address restore < "$work/addresses-$member"
    live ip -4 route restore < "$work/routes4-$member"
    while read -r route <&4; do live ip -6 route add $route dev "$member" 2> /dev/null; done 4< "$work/routes6-$member"
    rm -f "$work/addresses-$member" "$work/routes4-$member" "$work/routes6-$member"
  done
}}

"""
