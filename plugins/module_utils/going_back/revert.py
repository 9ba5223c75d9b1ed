# SPDX-License-Identifier: GPL-3.0-or-later
"""Revert: a change taken back by plain commands, which need neither Ansible nor Python, and can be read at night."""

from __future__ import annotations

from typing import Dict, List, Mapping, NamedTuple, Sequence, Tuple

from ..deciding import plan
from ..schema import ENTRY, Action, Address, Cell, Cells, Change, Family, Plan, Poke, Run, Save, Value
from ..text import quote
from ..tools import systemd
from . import memory, stack
from .stack import BESIDE, HELD, Line

LOCK = "/run/linuxnet-tuning/lock"
AT_WORK = "/run/linuxnet-tuning/at-work"
REVERTED = f"{memory.FOLDER}/reverted"

# Programs that take any number of keys with their values in one command.
_TAKES_MANY = ("ethtool", "ip")

UNIT = f"{systemd.FOLDER}/linuxnet-tuning-guard.service"
UNIT_TEXT = f"""{systemd.HEADER}
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
# seconds of the uptime. `boot` takes all, but only sets files, because values went with the power. With `held` the
# caller has the lock, and `held all` takes temporary ones as well.
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin
umask 077
cd "${{0%/*}}" || exit 0
mode=${{1:-live}} tab=$(printf '\\t') work={LOCK.rpartition("/")[0]}

# A command that hangs in a driver must not keep the next one from running.
live() {{
  [ "$mode" != boot ] || return 0
  timeout -k 5 10 "$@"
  set -- "$?" "$1"
  # Older ethtool ends so when there is nothing to change.
  case $2 in *ethtool) [ "$1" -ne 78 ] && [ "$1" -ne 80 ] || return 0 ;; esac
  return "$1"
}}

put() {{
  mkdir -p "${{3%/*}}"
  cp -f "$1" "$3.linuxnet-tuning" && chmod "$2" "$3.linuxnet-tuning" && mv -f "$3.linuxnet-tuning" "$3"
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
  exec 9>> {LOCK}
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
  : > {LOCK}
}}

# The numbers of the layers that an expression of awk chooses.
choose() {{
  [ ! -e layers ] || awk -F "$tab" -v now="$(uptime)" '$1 == "layer" && ('"$1"') {{ print $2 }}' layers | tr '\\n' ' '
}}

# Takes the layers $1 away, because of $2. A layer above them that holds one of their keys lies on what lay below them;
# the other keys get that: the newest layer's first, keys of one command at once.
take() {{
  [ -n "$1" ] || return 0
  mkdir -p "$work"
  : > "$work/rest"
  awk -F "$tab" -v OFS="$tab" -v gone=" $1 " -v rest="$work/rest" '
    {{ mine = index(gone, " " $2 " ") }}
    $1 == "layer" {{ if (!mine) print > rest; next }}
    mine && !($5 in layer) {{
      layer[$5] = $2; rank[$5] = $3; kind[$5] = $4; below[$5] = $7; command[$5] = $8; words[$5] = $9
    }}
    mine {{ above[$5] = $6; next }}
    $5 in layer {{
      $7 = below[$5]; $8 = command[$5]; $9 = words[$5]
      if ($4 == "{HELD}") delete layer[$5]
    }}
    {{ print > rest }}
    END {{ for (k in layer) print layer[k], rank[k], kind[k], k, above[k], below[k], command[k], words[k] }}
  ' layers | sort -t "$tab" -k 1,1nr -k 2,2n > "$work/todo"
  awk -F "$tab" -v OFS="$tab" '
    $1 == layer && $7 == command {{ to = NR; if ($8 != "") line = line " " $8; next }}
    {{ if (NR > 1) print from, to, line; layer = $1; command = $7; from = to = NR; line = $7 " " $8 }}
    END {{ if (NR) print from, to, line }}
  ' "$work/todo" > "$work/commands"
  : > "$work/again"
  : > "$work/failed"
  umask 022
  while IFS=$tab read -r from to line <&3; do
    bad=
    eval "$line" < /dev/null || bad=1
    [ -z "$bad" ] || sed -n "$from,${{to}}p" "$work/todo" >> "$work/again"
  done 3< "$work/commands"
  # What was refused may have been in the way of itself, or have come too early. What several commands did together is
  # not done twice, and their exit codes say little: some take away what may not be there.
  while IFS=$tab read -r _layer _rank kind name above below line words <&3; do
    bad=
    case $line in *"|| bad=1"*) kind={BESIDE} bad=1 ;; *) eval "$line $words" < /dev/null || bad=1 ;; esac
    [ -n "$bad" ] || continue
    tell "cannot set $name back to $below: $line $words"
    [ "$kind" != {HELD} ] || echo "$name" >> "$work/failed"
  done 3< "$work/again"
  umask 077
  while IFS=$tab read -r _layer _rank _kind name above below line <&3; do
    tell "$2: $name $above to $below"
  done 3< "$work/todo"
  # That a temporary change has ended is no news.
  [ "$mode" = window ] && news='!$3 && !$4' || news='$3 || !$4'
  for layer in $(choose "$news"); do
    case " $1 " in *" $layer "*)
      mkdir -p {REVERTED}
      awk -F "$tab" -v n="$layer" '$1 == "layer" && $2 == n {{ print $5 }}' layers > "{REVERTED}/$layer.json"
      [ ! -s "$work/failed" ] || cat "$work/failed" >> {REVERTED}/failed
    esac
  done
  sync
  # Where the disk is full or read-only the layers stay, and the clock tries again, but not at once.
  cp "$work/rest" rest && mv -f rest layers || sleep 5
  [ -s layers ] || rm -f layers
  for file in [0-9]*-*; do
    [ -e layers ] && grep -qF "$file" layers || rm -f "$file"
  done
  rm -f "$work/rest" "$work/todo" "$work/commands" "$work/again" "$work/failed"
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
    end=${{end:-$first}}; [ -n "$end" ]; do
    left=$((end - $(uptime)))
    if [ "$left" -gt 0 ]; then sleep "$((left < 5 ? left : 5))"; continue; fi
    first=
    lock
    # A call that was at work until now may have put it off.
    end=$(next_time "$2" "$3")
    [ "${{end:-0}}" -gt "$(uptime)" ] || take "$(choose "$4")" "$5"
    exec 9>&-
  done
}}

# A layer that neither waits nor ends was left by a call that was killed, for with the lock no call is at work. It must
# not hold what ends below it.
case $mode in
wait) watch "$2" '$3' 3 '$3 || !$4' "nobody confirmed it" ;;
window) watch "$2" '$4 && (!end || $4 < end)' 4 '$4 ? $4 <= now : !$3' "its time is over" ;;
boot) lock; take "$(choose 1)" "the host was started anew" ;;
held)
  [ "$2" = all ] && everything=1 || everything=0
  take "$(choose "\\$3 || !\\$4 || $everything")" "somebody wants it back" ;;
*) lock; take "$(choose '$3 || !$4')" "somebody wants it back" ;;
esac
"""


class Step(NamedTuple):
    """What one set command takes back."""

    family: Family
    scope: str
    values: Mapping[str, Value]
    cells: Mapping[str, Cell]
    shaken: bool = False

    @property
    def actions(self) -> Sequence[Action]:
        """All at once. What another command has taken along is as fresh as at boot."""
        write = (self.family.boot or self.family.write) if self.shaken else self.family.write
        return write(self.scope, self.values, self.cells)

    def alone(self, key: str) -> Sequence[Action]:
        """The commands that set one key, whatever it is by then."""
        cells = {name: cell._replace(value=None) if name == key else cell for name, cell in self.cells.items()}
        return self._replace(values={key: self.values[key]}, cells=cells).actions


def steps(families: Mapping[str, Family], todo: Plan, before: Cells, beside: Sequence[Address]) -> List[Step]:
    """What takes a plan back once it is carried out, in order; values `beside` it, such as a VLAN's MTU, as well."""
    after = {
        address: cell._replace(value=todo.targets.get(address, cell.value), requested=None)
        for address, cell in before.items()
    }
    desired = plan.invert(Plan(todo.changes), before)
    back = list(plan.make(desired, {**after, **_pending(todo)}, families, {}).changes)
    extra = [Change(address, None, before[address].restore) for address in beside if address not in desired]
    grouped = plan.steps([*back, *(change for change in extra if change.after is not None)])
    caused = {change.address[:2] for change in todo.changes}
    shaken = {
        (name, scope)
        for name, scope in grouped
        if not families[name].goes_before
        and name not in families[name].shaken_by  # whose own commands know what they meet
        and families[name].disturbed(scope, caused)
    }
    return [
        Step(
            families[family],
            scope,
            grouped[family, scope],
            plan.keys(after, family, scope),
            (family, scope) in shaken,
        )
        for family, scope in plan.backwards(grouped, shaken, back, families)
    ]


def _pending(todo: Plan) -> Cells:
    return {change.address: Cell(change.after) for change in todo.changes}


def lines(way: Sequence[Step], number: int, held: Mapping[Address, Value]) -> Tuple[List[Line], Dict[str, str]]:
    """The lines of a layer for these steps, and the files that they need by name; `held` is what the layer has set."""
    made: List[Line] = []
    files: Dict[str, str] = {}
    for rank, step in enumerate(way):
        whole = step.actions
        # Files, bonds, batches, and what hangs on each other only make sense as a whole.
        bound = step.family.whole or bool(step.family.follows) or step.family.scope == ENTRY
        together = bound or any(map(_is_batch, whole))
        # It runs once, however many keys it is about, so it has no words that each of them adds.
        command, words = " ".join(_command(whole, number, files)).rstrip() if together else "", ""
        for key, value in step.values.items():
            address, place = Address(step.family.name, step.scope, key), 0
            if not together:
                alone = step.alone(key)
                place = _place(whole, alone)
                command, words = _command(alone, number, files)
            kind, now = (HELD, held[address]) if address in held else (BESIDE, None)
            texts = (stack.name(address), stack.brief(now), stack.brief(value))
            made.append(Line(1000 * rank + place, kind, *texts, command, words))
    return made, files


def _is_batch(action: Action) -> bool:
    return isinstance(action, Run) and bool(action.lines)


def _place(whole: Sequence[Action], alone: Sequence[Action]) -> int:
    """Where a key stands among those that are set with it."""
    for place, action in enumerate(whole):
        if action in alone:
            return place
        if isinstance(action, Run) and alone and isinstance(alone[0], Run) and alone[0].argv[-2] in action.argv:
            return action.argv.index(alone[0].argv[-2])
    return len(whole)


def _command(actions: Sequence[Action], number: int, files: Dict[str, str]) -> Tuple[str, str]:
    """The commands of actions on one line of the shell, and the words that others of the same command may join."""
    spoken, saved = script(actions, f"{number}-{len(files) + 1}")
    files.update(saved)
    line = spoken[0] if len(spoken) == 1 else "; ".join(f"{one} || bad=1" for one in spoken)
    if "\n" in line or "\t" in line:
        name = f"{number}-{len(files) + 1}-commands"
        files[name] = "\n".join([*spoken, ""])
        return f". ./{name}", ""
    if len(actions) == 1 and isinstance(actions[0], Run) and actions[0].argv[0] in _TAKES_MANY and not saved:
        argv = actions[0].argv
        return "live " + " ".join(map(quote, argv[:-2])), " ".join(map(quote, argv[-2:]))
    return line, ""


def script(actions: Sequence[Action], prefix: str = "file") -> Tuple[List[str], Dict[str, str]]:
    """The commands of a layer, and the files that they put back."""
    spoken: List[str] = []
    files: Dict[str, str] = {}
    for action in actions:
        if isinstance(action, Save) and action.text is not None:
            name = f"{prefix}-{len(files) + 1}"
            files[name] = action.text
            spoken.append(f"put {name} {action.mode:o} {quote(action.path)}")
        elif isinstance(action, Save):
            spoken.append(f"rm -f {quote(action.path)}")
        elif isinstance(action, Poke):
            spoken.append(f"live sh -c {quote(action.plain)}")
        else:
            # What is about files alone is needed at boot as well.
            lasting = action.argv[0] == "systemctl" and action.argv[1] in ("daemon-reload", "enable", "disable")
            spoken += [("" if lasting else "live ") + " ".join(map(quote, argv)) for argv in systemd.words(action)]
    return spoken, files
