# SPDX-License-Identifier: GPL-3.0-or-later
"""Revert: what takes a change back, as commands that need neither Ansible nor Python, and can be read at night."""

from __future__ import annotations

from typing import Dict, List, Mapping, NamedTuple, Sequence, Tuple

from ..deciding import plan
from ..family import ENTRY, Family
from ..schema import Action, Address, Cell, Cells, Change, Plan, Poke, Run, Save, Value
from ..text import quote
from ..tools import systemd
from . import stack
from .stack import BESIDE, HELD, Line

# Programs that take any number of keys with their values in one command.
_TAKES_MANY = ("ethtool", "ip")
# Keys that go back together have the same command; one that is longer stands once, in a file.
_LONG = 1000


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
        address: cell._replace(value=todo.planned.get(address, cell.value), requested=None)
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
            address, position = Address(step.family.name, step.scope, key), 0
            if not together:
                alone = step.alone(key)
                position = _position(whole, alone)
                command, words = _command(alone, number, files)
            kind, now = (HELD, held[address]) if address in held else (BESIDE, None)
            texts = (stack.name(address), stack.brief(now), stack.brief(value))
            made.append(Line(1000 * rank + position, kind, *texts, command, words))
    return made, files


def _is_batch(action: Action) -> bool:
    return isinstance(action, Run) and bool(action.lines)


def _position(whole: Sequence[Action], alone: Sequence[Action]) -> int:
    """Where a key stands among those that are set with it."""
    for position, action in enumerate(whole):
        if action in alone:
            return position
        if isinstance(action, Run) and alone and isinstance(alone[0], Run) and alone[0].argv[-2] in action.argv:
            return action.argv.index(alone[0].argv[-2])
    return len(whole)


def _command(actions: Sequence[Action], number: int, files: Dict[str, str]) -> Tuple[str, str]:
    """The commands of actions on one line of the shell, and the words that others of the same command may join."""
    spoken, saved = script(actions, f"{number}-{len(files) + 1}")
    files.update(saved)
    line = spoken[0] if len(spoken) == 1 else "; ".join(f"{one} || bad=1" for one in spoken)
    if "\n" in line or "\t" in line or len(line) > _LONG:
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
