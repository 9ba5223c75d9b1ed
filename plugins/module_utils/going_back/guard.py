# SPDX-License-Identifier: GPL-3.0-or-later
"""Guard: commands that take a change back, which run by themselves unless somebody confirms in time.

Each change that may still go is a layer of one table (stack.py), and a script beside it takes layers away (script.py).
Two services wait and run it: one for all that is not confirmed, one for the ends of temporary changes. At boot a unit
does the same with the files only; values went with the power.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Container, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Sequence

from ..host import Host, ReadOnlyHost
from ..schema import Action, Address, Change, Run, Save, TuningError, Value, plain
from ..tools import systemd
from . import clocks, memory, old, reverted, stack
from .clocks import REVERT, WINDOW
from .revert import Step, lines
from .script import NOTES, RUN_TEXT, UNIT, UNIT_TEXT
from .shell import LOCK, WORK
from .stack import Layer

# Compiled code of ours that root runs on a bare interpreter; see plugin_utils/fast/kept.py.
CODE = "/var/cache/linuxnet-tuning"

# A call of somebody else on the same host is over within this time, or hangs.
_PATIENCE = 60

# Each command of a way back has ten seconds.
_WAY_BACK = 600


class Terms(NamedTuple):
    """When a layer goes: after `timeout` seconds without a confirmation, if it `waits` for one; for one that does not
    `begin` to wait, but joins others, the time runs already. `temporary` seconds are its own. Without a `clock` it
    waits until somebody takes it back."""

    timeout: int = 0
    waits: bool = False
    begin: bool = False
    temporary: int = 0
    clock: bool = True


def arm(
    host: Host,
    way: Sequence[Step],
    changes: Sequence[Change],
    held: Mapping[Address, Value],
    terms: Terms,
    taken: Iterable[Address] = (),
) -> int:
    """Put a layer on top, and start the clocks that take it away; gives its number.

    What a layer below has `taken` is left to this one, while it is there. TuningError where that is not possible.
    """
    there, now = stack.read(host), host.uptime()
    number = max((layer.number for layer in there), default=0) + 1
    made, files = lines(way, number, held)
    # All go together, when the uppermost has waited.
    waits = now + terms.timeout if terms.begin else [0, *(layer.waits for layer in there if layer.waits)][-1]
    layer = Layer(
        number,
        host.clock(),
        terms.timeout or terms.temporary,
        tuple(map(stack.about, changes)),
        waits=waits if terms.waits else 0,
        end=now + terms.temporary if terms.temporary else 0,
        lines=(*made, *map(stack.nothing, taken)),
    )
    steps: List[Action] = [Save(f"{stack.FOLDER}/{name}", text, mode=0o600) for name, text in files.items()]
    steps.append(Save(stack.RUN, RUN_TEXT, mode=0o700))
    if terms.clock and host.read(UNIT) != UNIT_TEXT:
        steps += [Save(UNIT, UNIT_TEXT), systemd.daemon_reload(), Run(("systemctl", "enable", "--quiet", _name(UNIT)))]
    begin = terms.begin and terms.clock
    steps += clocks.start(REVERT, layer.waits) if begin and not clocks.runs(host, REVERT, there) else []
    steps += clocks.start(WINDOW, layer.end) if layer.end and not clocks.runs(host, WINDOW, there) else []
    for action in steps:
        complaint = host.do(action)
        if complaint and not clocks.stops(action):
            _cannot(host, there, f"{plain(action)[0]} said: {complaint}")
    # What makes it count comes last: from here on it is taken back.
    complaint = stack.write(host, [*there, layer])
    if complaint:
        _cannot(host, there, f"write {stack.TABLE} said: {complaint}")
    return number


def _cannot(host: Host, there: Sequence[Layer], why: str) -> None:
    stack.write(host, there)
    for clock, needed in ((REVERT, any(layer.waits for layer in there)), (WINDOW, any(layer.end for layer in there))):
        if not needed:
            clocks.halt(host, clock)
    raise TuningError(
        f"cannot prepare the rollback: {why}. Nothing was changed. guard_timeout: 0 switches the guard off"
    )


def back(host: Host, originals: Iterable[Address], left: Iterable[Address]) -> bool:
    """Have originals that are in force again forgotten with the confirmation, if one is waited for; those that are
    `left` by then are not."""
    there = stack.read(host)
    waiting = [layer for layer in there if layer.unconfirmed]
    noted = []
    for layer in there:
        if layer.unconfirmed:
            kept = tuple(address for address in layer.back if address not in set(left))
            mine = sorted(originals) if layer is waiting[-1] else ()
            layer = layer._replace(back=tuple(dict.fromkeys((*kept, *mine))))
        noted.append(layer)
    stack.write(host, noted)
    return bool(waiting)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def go_on(host: Host, number: int, terms: Terms, begun: int) -> None:
    """Time runs from the end of a call, which on a slow host may come after that of its own clock."""
    took = host.uptime() - begun

    def later(layer: Layer) -> Layer:
        if layer.number != number:
            return layer
        waits = took if layer.waits and terms.begin and took > terms.timeout // 4 else 0
        end = took if layer.end and took > terms.temporary // 4 else 0
        return layer._replace(waits=layer.waits + waits, end=layer.end + end)

    stack.write(host, [later(layer) for layer in stack.read(host)])


def _wind(host: Host) -> None:
    """Start the clocks anew: those that run are of another version, which knows no table."""
    host.do(Save(stack.RUN, RUN_TEXT, mode=0o700))
    for clock, ends in ((REVERT, [layer.waits for layer in pending(host)]), (WINDOW, [w.end for w in windows(host)])):
        for action in clocks.start(clock, min(ends)) if ends else ():
            host.do(action)


def holds(host: Host, number: int, changes: Sequence[Change]) -> None:
    """Note what a layer has changed beside what was requested: that is its own from now on, until it goes."""
    if changes:
        stack.write(
            host, [stack.holding(layer, changes) if layer.number == number else layer for layer in stack.read(host)]
        )


def drop(host: Host, number: int) -> None:
    """Forget a layer on top, whose values are back."""
    _keep(host, [layer for layer in stack.read(host) if layer.number != number])


def merge(host: Host, number: int) -> None:
    """Make a layer one with what lies below, without waiting for a confirmation."""
    _keep(host, stack.confirm(stack.read(host), (number,)))


def close(host: Host, keys: Iterable[Address]) -> None:
    """Let a permanent value be in the place of temporary ones."""
    _keep(host, stack.without(stack.read(host), {stack.name(address) for address in keys}))


def _keep(host: Host, left: Sequence[Layer]) -> None:
    before = stack.read(host)
    stack.write(host, left)
    clocks.rest(host, before)


def pending(host: ReadOnlyHost) -> List[Layer]:
    """The changes that nobody has confirmed yet, oldest first."""
    return [layer for layer in stack.read(host) if layer.unconfirmed]


def foreign(host: ReadOnlyHost, keys: Container[Address], families: Container[str]) -> str:
    """What to say of changes that wait for a confirmation and have none of these keys in common; empty if none does.

    Only keys of these families count: a bond, for one, is made by another module, with options that this call lacks.
    """
    waits = pending(host)
    left = max(waits[-1].waits - host.uptime(), 0) if waits else 0
    for layer in waits:
        held = [one for one in map(stack.address_of, layer.held) if not one.key.startswith("/")]
        held = [address for address in held if address.family in families]
        if held and not any(address in keys for address in held):
            return (
                f"a change of {layer.at} waits for a confirmation, and the inventory has none of its settings. Without "
                f"one it is reverted in {left:.0f} s ({layer}). Nothing was changed. Wait until then, or end it now: "
                "linuxnet.tuning.guard with state=confirmed or state=reverted"
            )
    return ""


def windows(host: ReadOnlyHost) -> List[Layer]:
    """The changes that end by themselves."""
    return [layer for layer in stack.read(host) if layer.end]


def temporary(host: ReadOnlyHost) -> Dict[Address, Value]:
    """What lies below the temporary changes of each key."""
    return stack.temporary(stack.read(host))


def beside_windows(host: ReadOnlyHost) -> Dict[Address, Value]:
    """Of these, what no temporary change has requested: its commands have set it as well."""
    made = {stack.key_of(change) for layer in windows(host) for change in layer.changes}
    return {address: value for address, value in temporary(host).items() if address not in made}


def waiting(host: Host) -> List[Layer]:
    """The changes whose clock is running. What a call left behind that was cut off, is no use to the next one."""
    if old.take_over(host):
        _wind(host)
    there = stack.read(host)
    left = [layer for layer in there if layer.waits or layer.end]
    if left != there:
        _keep(host, left)
    return [layer for layer in left if layer.unconfirmed]


def finish(host: Host) -> None:
    """Put back the files that a full or read-only disk has kept from it, before a call reads or replaces them."""
    there = stack.read(host)
    if any(layer.waits for layer in there) and not any(layer.unconfirmed for layer in there):
        host.do(Run(("/bin/sh", stack.RUN, "held", "left"), seconds=_WAY_BACK))
        clocks.rest(host, there)


def serve(host: ReadOnlyHost, state: str, ending: bool) -> Dict[str, Any]:
    """The result of one call of the module `guard`; `ending` takes back what is temporary as well.

    TuningError where the revert did not finish.
    """
    if not isinstance(host, Host):
        return _served(host, state, ending)
    with hold(host):
        return _served(host, state, ending)


def _served(host: ReadOnlyHost, state: str, ending: bool) -> Dict[str, Any]:
    if isinstance(host, Host) and any(layer.waits == stack.GOING for layer in stack.read(host)):
        finish(host)
    waits, gone, ends = pending(host), reverted.layers(host), windows(host)
    goes = any(layer.waits for layer in stack.read(host)) or bool(ends and ending)
    result: Dict[str, Any] = {
        "changed": state != "status" and bool(waits or (goes and state == "reverted")),
        "pending": [stack.facts(layer) for layer in waits],
        "reverted": [stack.facts(layer) for layer in gone],
        "temporary": [stack.facts(layer) for layer in ends],
    }
    if isinstance(host, Host) and state == "confirmed":
        said = reverted.told(host, gone)
        _confirm(host, waits)
        reverted.heard(host)
        if gone:
            result.update(failed=True, changed=False, msg=f"This host has reverted by itself: {said}.")
    if isinstance(host, Host) and state == "reverted":
        _revert(host, ending)
        left = [f"{said}; the journal says why" for said in reverted.stuck(host)]
        result.update({"warnings": left} if left else {})
        reverted.heard(host)
        leave(host)
    return result


@contextmanager
def hold(host: Host) -> Iterator[None]:
    """Have the host for this call alone; TuningError where somebody else has it for too long."""
    other = host.hold(LOCK, _PATIENCE, stack.FOLDER)
    if other:
        raise TuningError(
            f"{other} has been changing this host for {_PATIENCE} s, so nothing was changed; wait until it ends"
        )
    try:
        yield
    finally:
        host.let_go()


def _confirm(host: Host, waits: Sequence[Layer]) -> None:
    _keep(host, stack.confirm(stack.read(host), [layer.number for layer in waits]))
    for layer in waits:
        memory.forget(host, layer.back)
    leave(host)


def _revert(host: Host, ending: bool) -> None:
    """Take back what is not confirmed, and with `ending` what is temporary."""
    before = stack.read(host)
    if not any(layer.waits or (ending and layer.end) for layer in before):
        return
    words = ("held", "all") if ending else ("held",)
    host.do(Run(("/bin/sh", stack.RUN, *words), seconds=_WAY_BACK))
    clocks.rest(host, before)
    left = [layer for layer in stack.read(host) if layer.waits or (ending and layer.end)]
    if left:
        keys = dict.fromkeys(str(stack.address_of(name)) for layer in left for name in layer.held)
        raise TuningError(
            f"the revert did not finish with {', '.join(keys)}; the journal says why, and {stack.TABLE} has the "
            "commands that are left"
        )


def leave(host: Host) -> None:
    """Remove what is left of ours on a host that is as it was."""
    if stack.read(host) or host.exists(memory.BASELINE) or systemd.dropins(host):
        return
    for name in host.names(stack.FOLDER):
        host.do(Save(f"{stack.FOLDER}/{name}", None, mode=0o600))
    # The script removes files, and not the folders of drop-ins, which others may write to.
    for folder in systemd.folders(host):
        host.do(Save(f"{folder}/gone.conf", None))
    clocks.stop_left(host)
    # Of a script that was killed.
    for name in [name for name in host.names(WORK) if name.partition("-")[0] in NOTES]:
        host.do(Save(f"{WORK}/{name}", None, mode=0o600))
    for name in [] if host.target(CODE) else host.names(CODE):  # behind a link lies what is not ours
        host.do(Save(f"{CODE}/{name}", None, mode=0o600))
    if host.exists(UNIT) or systemd.counted(host):
        host.do(systemd.stop_all())
    if host.exists(UNIT):
        host.do(Run(("systemctl", "disable", "--quiet", _name(UNIT))))
        host.do(Save(UNIT, None))
        host.do(systemd.daemon_reload())
