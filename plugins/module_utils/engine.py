# SPDX-License-Identifier: GPL-3.0-or-later
"""Conduct: read, plan, carry out, remember, report; knows no family by name."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Sequence, Tuple

from .carrying_out import persist, report
from .deciding import desire, plan
from .going_back import guard, memory
from .host import Host, ReadOnlyHost, connect
from .runner import fail, finish, runner
from .schema import HOST, PROBE, WATCH, Address, Cell, Cells, Family, TuningError, Unsupported, Value, Wishes
from .settings import registry
from .tools import sysfs, systemd

Families = Mapping[str, Family]
Group = Tuple[str, str]


def conduct(module: Any, view: str) -> None:
    """Serve one call of an Ansible module: the whole life of `tune` and of its views."""
    try:
        result = tune(connect(runner(module), module.check_mode), view, module.params)
    except TuningError as error:
        fail(module, error)
        return
    finish(module, result)


def serve(module: Any, view: str) -> None:
    """Serve one call of the module `view`, whichever it is."""
    if view == "guard":
        protect(module)
    elif view == "nic_info":
        inform(module)
    else:
        conduct(module, view)


def spec(view: str) -> Dict[str, Any]:
    """The options of the module `view`, whichever it is."""
    apart = {"guard": guard_spec, "nic_info": info_spec}
    return apart[view]() if view in apart else argument_spec(view)


def info_spec() -> Dict[str, Any]:
    """The options of `nic_info`."""
    return {
        "names": {"type": "list", "elements": "str", "default": []},
        "interval": {"type": "float", "default": 0},
        "peers": {"type": "list", "elements": "dict", "default": []},
        "compare": {"type": "dict"},
        "inventory": {"type": "bool", "default": False},
        "configured": {"type": "bool", "default": False},
    }


def inform(module: Any) -> None:
    """Serve one call of `nic_info`, which also tells what `tune` would change if it is asked to compare."""
    from .facts import everything  # only this module needs it; the others start faster without

    host, params = ReadOnlyHost(runner(module)), module.params
    compared: Dict[str, Any] = {}
    try:
        found = everything.gather(host, params["names"], params["interval"], params["peers"], params["configured"])
    except TuningError as error:
        fail(module, error)
        return
    if params["compare"] is not None:
        compared = _compare(host, params["compare"])
        found.update(compared=compared, diff=compared.get("diff", {}))
    finish(module, {"changed": bool(compared.get("changed")), **found})


def _compare(host: ReadOnlyHost, asked: Mapping[str, Any]) -> Dict[str, Any]:
    """The result of `tune` in check mode; what makes it fail does not keep facts from being read."""
    options = {name: option.get("default") for name, option in argument_spec("tune").items()}
    try:
        return tune(host, "tune", {**options, **asked})
    except TuningError as error:
        return {"changed": False, "failed": True, "msg": str(error)}


def guard_spec() -> Dict[str, Any]:
    """The options of `guard`."""
    states = {"type": "str", "choices": ["confirmed", "reverted", "status"], "default": "confirmed"}
    return {"state": states, "temporary": {"type": "bool", "default": False}}


def protect(module: Any) -> None:
    """Serve one call of `guard`."""
    try:
        result = guard.serve(
            connect(runner(module), module.check_mode), module.params["state"], module.params["temporary"]
        )
    except TuningError as error:
        fail(module, error)
        return
    finish(module, result)


_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "nics": {"type": "list", "elements": "dict"},
    "sysctl": {"type": "dict"},
    "file": {"type": "str", "default": "90-linuxnet-tuning.conf"},
    "permanent": {"type": "bool", "default": True},
    "immediate": {"type": "bool", "default": True},
    "temporary": {"type": "int"},
    "state": {"type": "str", "choices": ["present", "restored"], "default": "present"},
    "on_unsupported": {"type": "str", "choices": ["fail", "warn", "ignore"], "default": "fail"},
    "guard_timeout": {"type": "int", "default": 120},
    "inventory": {"type": "bool", "default": False},  # the action plugin has made options of it
}
_ALWAYS = ("state", "on_unsupported", "guard_timeout")


def argument_spec(view: str) -> Dict[str, Any]:
    """The options of a module, as AnsibleModule wants them."""
    families = registry.view(view).values()
    names = {*_ALWAYS, *(family.option for family in families if not family.follows)}
    if any(family.follows for family in families):
        names |= {"permanent", "immediate"}
    if any(family.place for family in families):
        names.add("file")
    if "nics" in names:
        names.add("temporary")
    if view == "tune":
        names.add("inventory")
    spec = {name: dict(option) for name, option in _OPTIONS.items() if name in names}
    spec.update({name: dict(option) for family in families for name, option in family.options.items()})
    return spec


def tune(host: ReadOnlyHost, view: str, params: Mapping[str, Any]) -> Dict[str, Any]:
    """Bring a host to the desired state in one transaction, or back to where it was; gives the module's result.

    `params` are the module's options. TuningError when nothing has been touched.
    """
    families = registry.view(view)
    params = desire.settle(families, params)
    if not isinstance(host, Host):
        return _tune(host, view, families, params, {})
    with guard.hold(host):
        return _tune(host, view, families, params, {})


def _tune(
    host: ReadOnlyHost, view: str, families: Families, params: Mapping[str, Any], never: Mapping[Address, str]
) -> Dict[str, Any]:
    """The same; `never` says what the device has refused for good in an earlier attempt."""
    call = _plan(host, view, families, params, never)
    call.tell_of_others()
    outcome = call.outcome
    if not isinstance(host, Host) or not (outcome.plan.changes or call.unsettled()):
        outcome.commands = _foretold(call)
        return outcome.result(params["on_unsupported"])
    from .carrying_out import conclude  # an unchanged host, the usual case, does not wait for its import

    if not outcome.plan.changes:
        conclude.settle(host, call)
        return outcome.result(params["on_unsupported"])
    denied = conclude.carry_out(host, call)
    if params["state"] == "restored" and call.missed:
        # One original that cannot be set back must not keep the others from it.
        result = _tune(host, view, families, params, {**never, **call.missed})
        return {**result, "commands": [*outcome.commands, *result["commands"]]}
    if denied and (params["on_unsupported"] != "fail" or all(call.wishes[address].relative for address in denied)):
        result = _tune(host, view, families, params, {**never, **denied})
        return {**result, "commands": [*outcome.commands, *result["commands"]]}
    if denied:
        told = [Unsupported(address, call.wishes[address], why) for address, why in denied.items()]
        outcome.plan = outcome.plan._replace(unsupported=(*outcome.plan.unsupported, *told))
        outcome.failure = report.refusal(told, report.PUT_BACK)
    return outcome.result(params["on_unsupported"])


def _foretold(call: Call) -> List[str]:
    """The commands that a plan comes to, as the transaction gives them: with the queues that there are by then."""
    cells, families, todo = call.state.cells, call.families, call.outcome.plan
    ahead = plan.ahead(cells, todo.targets, families)
    goals = plan.make(call.wishes, ahead, families, call.state.problems)
    changes = [change._replace(after=goals.targets.get(change.address, change.after)) for change in todo.changes]
    live, files = (
        [change for change in changes if bool(families[change.address.family].follows) == kept]
        for kept in (False, True)
    )
    mine = {change.address for change in live}
    # What another change has disturbed is set once more.
    again = [change for change in goals.changes if change.address not in mine] if live else []
    return [line for part in (live, again, files) for line in plan.commands(part, ahead, families)]


class State(NamedTuple):
    """What was read: cells, and the reason for each group (family, scope) that has none."""

    cells: Cells
    problems: Dict[Group, str]


class Call(NamedTuple):
    """A call whose plan is made."""

    host: ReadOnlyHost
    families: Families
    params: Mapping[str, Any]
    wishes: Wishes
    probes: Mapping[Address, str]
    watched: Sequence[Address]
    state: State
    outcome: report.Outcome
    missed: Dict[Address, str]

    def read(self, addresses: Iterable[Address]) -> Cells:
        """The cells of addresses, with those of their groups, anew."""
        return read(self.host, {**registry.FAMILIES, **self.families}, _groups(addresses)).cells

    def unsettled(self) -> bool:
        """Whether notes of ours have to change although no value does: originals are back, the temporary stays."""
        if self.params["state"] == "restored":
            return True
        return not self.params["temporary"] and any(address in self.wishes for address in guard.temporary(self.host))

    def tell_of_others(self) -> None:
        """What was taken back since the last call, and nobody has heard of; and what still waits to be confirmed."""
        gone = guard.reverted(self.host)
        if gone:
            self.outcome.reverted = guard.told(self.host, gone)
        if isinstance(self.host, Host):
            guard.heard(self.host)
            waiting = guard.waiting(self.host)
            self.outcome.guard = waiting[-1].timeout if waiting else 0


def _plan(
    host: ReadOnlyHost, view: str, families: Families, params: Mapping[str, Any], never: Mapping[Address, str]
) -> Call:
    absent: List[Unsupported] = []
    if params["temporary"] and not systemd.running(host):
        raise TuningError(
            "temporary: this host does not run systemd, so nothing would end the change. Nothing was changed"
        )
    if params["state"] == "restored":
        originals = {**guard.temporary(host), **memory.baseline(host)}
        wishes = desire.restored(host, families, params, originals)
    else:
        wishes, absent = desire.desired(host, families, params)
    probes = {address: str(asked.value) for address, asked in wishes.items() if asked.kind == PROBE}
    wishes = {address: asked for address, asked in wishes.items() if asked.kind != PROBE}
    state = read(host, families, _groups(wishes))
    watched = [address for address, asked in wishes.items() if asked.kind == WATCH]
    wishes = {address: asked for address, asked in wishes.items() if asked.kind != WATCH}
    memory.recall(host, state.cells)
    refused: List[Unsupported] = []
    remarks: List[str] = []
    if params["state"] == "present":
        wishes = plan.ungroup(wishes, state.cells)
        wishes, refused, remarks = expand(families, wishes, state)
    absent += [Unsupported(address, wishes.pop(address), why) for address, why in never.items() if address in wishes]
    todo = plan.make(wishes, state.cells, families, state.problems)
    todo = todo._replace(unsupported=(*absent, *refused, *todo.unsupported))
    if params["state"] == "restored":
        todo = todo._replace(unsupported=tuple(map(report.not_back, todo.unsupported)))
    necessary = [item for item in todo.unsupported if not item.wish.relative]
    if necessary and params["on_unsupported"] == "fail" and params["state"] == "present":
        raise TuningError(report.refusal(necessary))

    kept = persist.Kept({}, {})
    if params["permanent"]:
        ahead = plan.ahead(state.cells, todo.targets, families)
        same = ahead is state.cells
        targets = todo.targets if same else plan.make(wishes, ahead, families, state.problems).targets
        kept = persist.keep(host, families, params, wishes, targets, ahead)
        state.cells.update(kept.cells)
        files = plan.make(kept.wishes, state.cells, families, {})
        live = todo if params["immediate"] else todo._replace(changes=(), targets={})
        todo = live._replace(changes=(*live.changes, *files.changes), targets={**live.targets, **files.targets})
    changing = {address: Cell(todo.targets[address]) for address in (change.address for change in todo.changes)}
    after = {**state.cells, **changing}
    asked = [*wishes, *kept.wishes]
    outcome = report.Outcome(view, families, asked, state.cells, after, todo, kept.rivals, adjusted=todo.adjusted)
    warned = {f"{address.key}: {asked.warning}": 1 for address, asked in wishes.items() if asked.warning}
    outcome.remarks += [*warned, *remarks, *kept.remarks]
    return Call(host, families, params, wishes, probes if params["immediate"] else {}, watched, state, outcome, {})


def _groups(addresses: Iterable[Address]) -> Dict[Group, List[str]]:
    groups: Dict[Group, List[str]] = {}
    for address in addresses:
        groups.setdefault((address.family, address.scope), []).append(address.key)
    return groups


def read(host: ReadOnlyHost, families: Families, groups: Mapping[Group, Sequence[str]]) -> State:
    """The cells of whole groups: one query for each family and NIC."""
    state = State({}, {})
    for (name, scope), keys in groups.items():
        family = families[name]
        reading = family.read(host, scope, keys)
        state.cells.update({Address(name, scope, key): cell for key, cell in reading.cells.items()})
        if family.follows:
            # A line that is not in the file yet can be written, unlike a key that a device lacks.
            for key in keys:
                state.cells.setdefault(Address(name, scope, key), Cell(None))
        elif not reading.cells:
            gone = family.scope != HOST and not sysfs.present(host, scope)
            state.problems[name, scope] = "the NIC has vanished" if gone else reading.problem
    return state


def expand(families: Families, wishes: Wishes, state: State) -> Tuple[Wishes, List[Unsupported], List[str]]:
    """What wishes come to where they depend on the device, and on what earlier families will have set by then."""
    groups = _groups(address for address in wishes if families[address.family].expand)
    rest = {address: asked for address, asked in wishes.items() if address[:2] not in groups}
    refused: List[Unsupported] = []
    remarks: List[str] = []
    targets: Mapping[Address, Value] = {}
    if groups:
        targets = plan.make(rest, state.cells, families, state.problems).targets
    for (name, scope), keys in groups.items():
        own = {key: wishes[Address(name, scope, key)] for key in keys}
        turn = families[name].expand
        if turn is None or (name, scope) in state.problems:
            rest.update({Address(name, scope, key): asked for key, asked in own.items()})
            continue
        made = turn(scope, own, plan.keys(state.cells, name, scope), targets)
        rest.update({Address(name, scope, key): asked for key, asked in made.wishes.items()})
        # What families that come later have to know, such as who has the root qdisc.
        targets = {**{Address(name, scope, key): asked.value for key, asked in made.wishes.items()}, **targets}
        refused += [Unsupported(Address(name, scope, key), own[key], why) for key, why in made.refused.items()]
        remarks += made.remarks
    return rest, refused, remarks
