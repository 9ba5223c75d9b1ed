# SPDX-License-Identifier: GPL-3.0-or-later
"""The script that takes layers away, in POSIX shell, and the unit that has it put files back at boot."""

from __future__ import annotations

from ..tools import conf, systemd
from . import memory, stack
from .shell import FUNCTIONS, LOCK, WORK
from .stack import BESIDE, HELD

# What the script notes there while it works.
NOTES = ("rest", "todo", "commands", "again", "failed", "unwritten", "addresses", "routes4", "routes6")
REVERTED = f"{memory.FOLDER}/reverted"

# Why a layer went, as the journal and the next call say.
UNCONFIRMED, OVER, ANEW, BY_HAND = (
    "nobody confirmed it",
    "its time is over",
    "the host was started anew",
    "somebody wants it back",
)

UNIT = f"{systemd.FOLDER}/linuxnet-tuning-guard.service"
UNIT_TEXT = f"""{conf.HEADER}
[Unit]
Description=Take back files of a network tuning that nobody confirmed
DefaultDependencies=no
ConditionPathExists={stack.RUN}
RequiresMountsFor=/var/lib/linuxnet-tuning
After=local-fs.target
Before=sysinit.target systemd-sysctl.service network-pre.target
Wants=network-pre.target

[Service]
Type=oneshot
ExecStart=/bin/sh {stack.RUN} boot

[Install]
WantedBy=sysinit.target
"""

RUN_TEXT = f"""#!/bin/sh
# Takes away layers of the table beside it, changes of linuxnet.tuning: those that nobody confirmed, newest first. With
# `wait N` it first waits for their time, with `window N` for the end of each temporary change; N is the first of these
# seconds of the uptime. `boot` takes all, but where values went with the power only sets files. With `held` the
# caller has the lock; `held all` takes temporary ones as well, and `held left` finishes what another run began.
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin
umask 077
# Who has started it may be killed, and hear nothing more.
trap '' PIPE
cd "${{0%/*}}" || exit 0
mode=${{1:-live}} tab=$(printf '\\t') work={WORK}

{FUNCTIONS}# The numbers of the layers that an expression of awk chooses.
choose() {{
  [ ! -e layers ] || awk -F "$tab" -v now="$(uptime)" '$1 == "layer" && ('"$1"') {{ print $2 }}' layers | tr '\\n' ' '
}}

# Notes in the folder $work what to do for the layers $1 to go: what stays of the table, the keys that get what lay
# below, the newest layer's first, and their commands, keys of one command at once. A layer above that holds one of
# these keys lies on what lay below it. Fails where there is no room for that.
sorted() {{
  mkdir -p "$work" && awk -F "$tab" -v OFS="$tab" -v gone=" $1 " '
    {{ mine = index(gone, " " $2 " ") }}
    $1 == "layer" {{ if (!mine) print "rest", $0; next }}
    mine && !($5 in layer) {{
      layer[$5] = $2; rank[$5] = $3; kind[$5] = $4; below[$5] = $7; command[$5] = $8; words[$5] = $9
    }}
    mine {{ above[$5] = $6; next }}
    $5 in layer {{
      $7 = below[$5]; $8 = command[$5]; $9 = words[$5]
      if ($4 == "{HELD}") delete layer[$5]
    }}
    {{ print "rest", $0 }}
    END {{ for (k in layer) print "todo", layer[k], rank[k], kind[k], k, above[k], below[k], command[k], words[k] }}
  ' layers > "$work/again" &&
    sed -n "s/^rest$tab//p" "$work/again" > "$work/rest" &&
    sed -n "s/^todo$tab//p" "$work/again" > "$work/failed" &&
    sort -t "$tab" -k 1,1nr -k 2,2n "$work/failed" > "$work/todo" &&
    awk -F "$tab" -v OFS="$tab" '
      $1 == layer && $7 == command {{ to = NR; if ($8 != "") line = line " " $8; next }}
      {{ if (NR > 1) print layer, from, to, line; layer = $1; command = $7; from = to = NR; line = $7 " " $8 }}
      END {{ if (NR) print layer, from, to, line }}
    ' "$work/todo" > "$work/commands" &&
    true > "$work/again" && true > "$work/failed" && true > "$work/unwritten"
}}

drop_notes() {{
  rm -f "$work/rest" "$work/todo" "$work/commands" "$work/again" "$work/failed" "$work/unwritten"
}}

# From here on nobody can confirm the layers $1: if this script is killed, its work is only finished.
going() {{
  awk -F "$tab" -v OFS="$tab" -v gone=" $1 " '
    $1 == "layer" && index(gone, " " $2 " ") && $3 > {stack.GOING} {{ $3 = {stack.GOING} }}
    {{ print }}
  ' layers > going && mv -f going layers || rm -f going
}}

# Takes the layers $1 away, because of $2. Sets `pause` where the clock has to try again, but not at once.
take() {{
  [ -n "$1" ] || return 0
  # A call that is killed has no lock any more, while the script that it has started goes on: this one tells of that.
  # It waits for another one for a minute at most: one that hangs must not keep the way back from running.
  exec 8< .
  flock -w 60 8
  # Where a full disk takes no notes, or not all of them, the table stays.
  ready= pause= short=
  for work in {WORK} .; do
    sorted "$1" 2> /dev/null && ready=1 && break
    drop_notes
  done
  if [ -z "$ready" ]; then
    tell "no room in {WORK} and $PWD, so nothing can be taken back yet"
    pause=5
    exec 8<&-
    return
  fi
  again=" $(choose '$3 == {stack.UNWRITTEN}')"
  going "$1"
  umask 022
  while IFS=$tab read -r layer from to line <&3; do
    bad= unwritten= into= trial=
    # What was tried before goes on with its commands, such as those that make a bond anew, once there is room.
    case $again in *" $layer "*) trial=1; eval "$line" < /dev/null; bad= trial= ;; esac
    [ -n "$unwritten" ] || eval "$line" < /dev/null || bad=1
    [ -z "$bad" ] || into=again
    [ -z "$unwritten" ] || into=unwritten
    [ -z "$into" ] || sed -n "$from,${{to}}p" "$work/todo" >> "$work/$into" || short=1
  done 3< "$work/commands"
  # What was refused may have been in the way of itself, or have come too early. What several commands did together is
  # not done twice, and their exit codes say little: some take away what may not be there.
  while IFS=$tab read -r _layer _rank kind name above below line words <&3; do
    bad=
    case $name in *" link mtu") [ -z "$(mtu_of "${{name%% *}}")" ] || continue ;; esac
    case $line in *"|| bad=1"*) kind={BESIDE} bad=1 ;; *) eval "$line $words" < /dev/null || bad=1 ;; esac
    [ -n "$bad" ] || continue
    tell "cannot set $name back to $below: $line $words"
    [ "$kind" != {HELD} ] || echo "$name$tab$below" >> "$work/failed"
  done 3< "$work/again"
  # Whatever the exit code, an MTU is read again.
  while IFS=$tab read -r _layer _rank kind name above below line <&3; do
    nic=${{name%% *}}
    case "$mode $kind $name" in boot*) continue ;; *" {HELD} $nic link mtu") ;; *) continue ;; esac
    now=$(mtu_of "$nic")
    [ "${{now:-$below}}" != "$below" ] || continue
    bounce "$nic" "$below"
    now=$(mtu_of "$nic")
    [ "$now" != "$below" ] || {{ tell "$nic kept its MTU, so it went down and up"; continue; }}
    tell "cannot set $name back to $below: the device answers $now"
    echo "$name$tab$below" >> "$work/failed"
  done 3< "$work/todo"
  # A VLAN can have its own only now, if the NIC below it has kept another one until here.
  while IFS=$tab read -r _layer _rank kind name above below line <&3; do
    nic=${{name%% *}}
    case "$mode $kind $name" in boot*) continue ;; *" {BESIDE} $nic link mtu") ;; *) continue ;; esac
    now=$(mtu_of "$nic")
    [ "${{now:-$below}}" != "$below" ] || continue
    live ip link set dev "$nic" mtu "$below" || tell "cannot set $name back to $below: the device answers $now"
  done 3< "$work/todo"
  # What stands in a file is for the next boot. So its old text stays until it is back, now or before that boot; nobody
  # can confirm it any more.
  if [ -s "$work/unwritten" ]; then
    while IFS=$tab read -r layer _rank _kind name above below line <&3; do
      case $again in *" $layer "*) ;; *) tell "cannot set $name back yet: $line" ;; esac
    done 3< "$work/unwritten"
    awk -F "$tab" -v OFS="$tab" '
      NR == FNR {{ n[$1]; next }}
      $1 == "layer" && $2 in n {{ if ($3 || !$4) $3 = {stack.UNWRITTEN}; print }}
    ' "$work/unwritten" layers >> "$work/rest" &&
      sed "s/^/key$tab/" "$work/unwritten" >> "$work/rest" &&
      sort -s -t "$tab" -k 2,2n -o "$work/rest" "$work/rest" || short=1
    pause=30
  fi
  umask 077
  while IFS=$tab read -r _layer _rank _kind name above below line <&3; do
    ! grep -qF "$tab$name$tab" "$work/unwritten" || continue
    [ ! -s "$work/failed" ] || ! grep -qxF "$name$tab$below" "$work/failed" || continue
    tell "$2: $name $above to $below"
  done 3< "$work/todo"
  # That a temporary change has ended is no news.
  [ "$mode" = window ] && news='!$3 && !$4' || news='$3 || !$4'
  for layer in $(choose "$news"); do
    case "$again" in *" $layer "*) continue ;; esac
    case " $1 " in *" $layer "*)
      mkdir -p {REVERTED}
      # Below it there may be another value than when it was made.
      awk -F "$tab" -v OFS="$tab" -v n="$layer" -v why="$2" '
        $2 != n {{ next }}
        $1 == "layer" {{ print $5; print "because", why }}
        $4 == "{HELD}" {{ print $5, $7 }}
      ' layers > "{REVERTED}/$layer.json" || short=1
    esac
  done
  [ ! -s "$work/failed" ] || {{ mkdir -p {REVERTED}; cat "$work/failed" >> {REVERTED}/failed; }} || short=1
  sync
  # Where the disk is full or read-only the layers stay.
  [ -z "$short" ] && {{ [ "$work" = . ] || cp "$work/rest" rest; }} && mv -f rest layers || pause=5
  [ -s layers ] || rm -f layers
  for file in [0-9]*-*; do
    [ -e layers ] && grep -qF "$file" layers || rm -f "$file"
  done
  drop_notes
  exec 8<&-
}}

# The last time in column $2 of the layers that the expression $1 chooses.
next_time() {{
  [ ! -e layers ] || awk -F "$tab" '$1 == "layer" && '"$1"' {{ end = $'"$2"' }} END {{ print end }}' layers
}}

# Waits for second $1, and then for each time that stands in column $3 of the layers that $2 chooses, the last of them;
# takes away what is due by $4, because of $5, until nothing is left to wait for. The table may change at any moment.
# The uptime goes on while the machine sleeps, and does not jump with the time of day; a long sleep in the shell and
# the clocks of systemd's timers stand still, and in a container some of those count from another beginning.
watch() {{
  first=$1
  while end=$(next_time "$2" "$3")
    [ -z "$end" ] || first=
    end=${{end:-$first}} pause=; [ -n "$end" ]; do
    left=$((end - $(uptime)))
    if [ "$left" -gt 0 ]; then sleep "$((left < 5 ? left : 5))"; continue; fi
    first=
    lock
    # A call that was at work until now may have put it off.
    end=$(next_time "$2" "$3")
    [ "${{end:-0}}" -gt "$(uptime)" ] || take "$(choose "$4")" "$5"
    exec 9>&-
    sleep "${{pause:-0}}"
  done
}}

# A layer that neither waits nor ends was left by a call that was killed, for with the lock no call is at work. It must
# not hold what ends below it.
case $mode in
wait) watch "$2" '$3' 3 '$3 || !$4' "{UNCONFIRMED}" ;;
window) watch "$2" '$4 && (!end || $4 < end)' 4 '$4 ? $4 <= now : !$3' "{OVER}" ;;
boot)
  # `systemctl soft-reboot` keeps /run, and the kernel all values.
  [ ! -e {LOCK} ] || mode=soft
  lock
  take "$(choose 1)" "{ANEW}"
  ;;
held)
  everything=0 why="{BY_HAND}"
  case $2 in all) everything=1 ;; left) why="{UNCONFIRMED}" ;; esac
  take "$(choose "\\$3 || !\\$4 || $everything")" "$why" ;;
*) lock; take "$(choose '$3 || !$4')" "{BY_HAND}" ;;
esac
"""
