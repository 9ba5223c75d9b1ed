# SPDX-License-Identifier: GPL-3.0-or-later
"""Revert: a change taken back by plain commands, which need neither Ansible nor Python, and can be read at night."""

from __future__ import annotations

from typing import Dict, List, Mapping, NamedTuple, Sequence, Tuple

from . import memory, plan
from .schema import Action, Address, Cell, Cells, Change, Family, Plan, Poke, Save
from .text import quote
from .tools import systemd

LOCK = "/run/linuxnet-tuning/lock"
AT_WORK = "/run/linuxnet-tuning/at-work"
REVERTED = f"{memory.FOLDER}/reverted"


class Place(NamedTuple):
    """Where levels lie, and the unit that takes them back when their time is over."""

    folder: str
    clock: str

    @property
    def run(self) -> str:
        """The script that takes all levels back."""
        return f"{self.folder}/run"


GUARD = Place(f"{memory.FOLDER}/guard", "linuxnet-tuning-revert")
WINDOW = Place(f"{memory.FOLDER}/window", "linuxnet-tuning-window")


UNIT = f"{systemd.FOLDER}/linuxnet-tuning-guard.service"
UNIT_TEXT = f"""{systemd.HEADER}
[Unit]
Description=Take back files of a network tuning that nobody confirmed
DefaultDependencies=no
ConditionPathExists=|{GUARD.run}
ConditionPathExists=|{WINDOW.run}
RequiresMountsFor=/var/lib/linuxnet-tuning
After=local-fs.target
Before=sysinit.target systemd-sysctl.service network-pre.target
Wants=network-pre.target

[Service]
Type=oneshot
ExecStart=/bin/sh -c 'for run; do [ ! -e "$$run" ] || /bin/sh "$$run" boot; done' - {GUARD.run} {WINDOW.run}

[Install]
WantedBy=sysinit.target
"""

RUN_TEXT = f"""#!/bin/sh
# Takes back the changes of linuxnet.tuning that nobody confirmed, newest first. With `boot` only the files:
# what was set went with the power. With `held` the caller has the lock. With `wait N` first waits for second N of the
# uptime.
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin
umask 077
cd "${{0%/*}}" || exit 0
mode=${{1:-live}}

# A command that hangs in a driver must not keep the next one from running.
live() {{
  [ "$mode" = boot ] || timeout -k 5 10 "$@"
}}

put() {{
  mkdir -p "${{3%/*}}"
  cp -f "$level/$1" "$3.linuxnet-tuning" && chmod "$2" "$3.linuxnet-tuning" && mv -f "$3.linuxnet-tuning" "$3"
}}

uptime() {{
  cut -d. -f1 /proc/uptime
}}

# The uptime goes on while the machine sleeps, and does not jump with the time of day; a sleep in the shell and the
# clocks of systemd's timers stand still, and in a container some of those count from another beginning.
if [ "$mode" = wait ]; then
  while left=$(($2 - $(uptime))); [ "$left" -gt 0 ]; do
    sleep "$((left < 20 ? left : 20))"
  done
fi

if [ "$mode" != held ]; then
  mkdir -p {LOCK.rpartition("/")[0]}
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
    echo "ends process $holder, which hangs: $doing"
    pkill -KILL -P "$holder"; kill -KILL "$holder"
    flock -w 60 9
    break
  done
  : > {LOCK}
fi
for level in $(ls | grep '^[0-9]*$' | sort -rn); do
  # Without its commands a level does not count: the power went while it was written, or taken away.
  [ -f "$level/revert" ] || {{ rm -rf "$level"; continue; }}
  umask 022
  . "./$level/revert"
  umask 077
  # That a temporary change has ended is no news.
  [ "${{PWD##*/}}" = window ] || {{ mkdir -p {REVERTED} && cp "$level/change.json" "{REVERTED}/$level.json"; }}
  sync
  rm -rf "$level"
done
"""


def inverse(families: Mapping[str, Family], todo: Plan, before: Cells, beside: Sequence[Address]) -> List[Action]:
    """What takes a plan back once it is carried out; values `beside` it, such as a VLAN's MTU, are set as well."""
    after = {
        address: cell._replace(value=todo.targets.get(address, cell.value), wanted=None)
        for address, cell in before.items()
    }
    wishes = plan.invert(Plan(todo.changes), before)
    back = list(plan.make(wishes, {**after, **_pending(todo)}, families, {}).changes)
    extra = [Change(address, None, before[address].restore) for address in beside if address not in wishes]
    place = plan.ranks(back, families, back=True)
    steps = plan.steps([*back, *(change for change in extra if change.after is not None)])
    actions: List[Action] = []
    for (name, scope), values in sorted(steps.items(), key=lambda step: -place(step[0])):
        actions += families[name].write(scope, values, plan.keys(after, name, scope))
    return actions


def _pending(todo: Plan) -> Cells:
    return {change.address: Cell(change.after) for change in todo.changes}


def script(actions: Sequence[Action]) -> Tuple[List[str], Dict[str, str]]:
    """The commands of a level, and the files that they put back."""
    lines: List[str] = []
    files: Dict[str, str] = {}
    for action in actions:
        if isinstance(action, Save) and action.text is not None:
            name = f"file-{len(files) + 1}"
            files[name] = action.text
            lines.append(f"put {name} {action.mode:o} {quote(action.path)}")
        elif isinstance(action, Save):
            lines.append(f"rm -f {quote(action.path)}")
        elif isinstance(action, Poke):
            lines.append(f"live sh -c {quote(action.plain)}")
        else:
            # What is about files alone is needed at boot as well.
            lasting = action.argv[0] == "systemctl" and action.argv[1] in ("daemon-reload", "enable", "disable")
            prefix = "" if lasting else "live "
            lines += [prefix + " ".join(map(quote, argv)) for argv in systemd.words(action)]
    return lines, files
