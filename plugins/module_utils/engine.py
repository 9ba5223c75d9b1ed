# SPDX-License-Identifier: GPL-3.0-or-later
"""Conduct: read, plan, carry out, remember, report; knows no family by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Sequence, Tuple

from . import memory, nics, plan, report
from .host import Host, ReadOnlyHost, connect
from .schema import (
    ABSENT,
    HOST,
    PROBE,
    WATCH,
    Address,
    Cell,
    Cells,
    Family,
    InputError,
    Plan,
    TuningError,
    Unsupported,
    Wish,
    Wishes,
)
from .settings import registry
from .tools import ethtool, sysfs

Families = Mapping[str, Family]
Group = Tuple[str, str]


def conduct(module: Any, view: str) -> None:
    """Serve one call of an Ansible module: the whole life of `tune` and of its views."""
    try:
        result = tune(connect(runner(module), module.check_mode), view, module.params)
    except TuningError as error:
        module.fail_json(msg=str(error))
    for warning in result.pop("warnings"):
        module.warn(warning)
    if result.get("failed"):
        module.fail_json(**result)
    module.exit_json(**result)


def inform(module: Any) -> None:
    """Serve one call of `nic_info`."""
    from .facts import everything  # only this module needs it; the others start faster without

    try:
        found = everything.gather(ReadOnlyHost(runner(module)), **module.params)
    except TuningError as error:
        module.fail_json(msg=str(error))
    module.exit_json(changed=False, **found)


def runner(module: Any) -> Any:
    """Run argv, never a shell, in the language that the parsers read; takes stdin too, gives (rc, stdout, stderr)."""
    environment = {"LC_ALL": "C", "LANGUAGE": "C"}

    def run(argv: Sequence[str], data: str = "") -> Tuple[int, str, str]:
        # A login of a plain user has no sbin folder on its path; get_bin_path looks there too.
        program = module.get_bin_path(argv[0]) or argv[0]
        answer = module.run_command(
            [program, *argv[1:]], data=data or None, environ_update=environment, handle_exceptions=False
        )
        return answer[0], answer[1], answer[2]

    return run


_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "nics": {"type": "list", "elements": "dict"},
    "sysctl": {"type": "dict"},
    "file": {"type": "str", "default": "90-linuxnet-tuning.conf"},
    "on_unsupported": {"type": "str", "choices": ["fail", "warn", "ignore"], "default": "fail"},
}


def argument_spec(view: str) -> Dict[str, Any]:
    """The options of a module, as AnsibleModule wants them."""
    families = registry.view(view).values()
    names = {family.option for family in families if not family.follows}
    names |= {"file" for family in families if family.follows}
    spec = {name: dict(option) for name, option in _OPTIONS.items() if name in names or name == "on_unsupported"}
    spec.update({name: dict(option) for family in families for name, option in family.options.items()})
    if view != "tune":
        spec[next(family.option for family in families)]["required"] = True
    return spec


def tune(host: ReadOnlyHost, view: str, params: Mapping[str, Any]) -> Dict[str, Any]:
    """Bring a host to the desired state in one transaction, or back to where it was; gives the module's result.

    `params` are the module's options. TuningError when nothing has been touched.
    """
    families = registry.view(view)
    wishes, absent = desired(host, families, params)
    probes = {address: str(asked.value) for address, asked in wishes.items() if asked.kind == PROBE}
    wishes = {address: asked for address, asked in wishes.items() if asked.kind != PROBE}
    state = read(host, families, _groups(wishes))
    wishes = {address: asked for address, asked in wishes.items() if asked.kind != WATCH}
    memory.recall(host, state.cells)
    wishes = plan.ungroup(wishes, state.cells)
    wishes, refused, remarks = expand(families, wishes, state)
    todo = plan.make(wishes, state.cells, families, state.problems)
    todo = todo._replace(unsupported=(*absent, *refused, *todo.unsupported))
    necessary = [item for item in todo.unsupported if not item.wish.relative]
    if necessary and params["on_unsupported"] == "fail":
        raise TuningError(report.refusal(necessary))

    kept, rivals = keep(host, families, params, wishes, todo, state)
    files = plan.make(kept, state.cells, families, {})
    todo = todo._replace(changes=(*todo.changes, *files.changes), targets={**todo.targets, **files.targets})
    after = {**state.cells, **{address: Cell(value) for address, value in todo.targets.items()}}
    outcome = report.Outcome(view, families, [*wishes, *kept], state.cells, after, todo, rivals, adjusted=todo.adjusted)
    outcome.remarks += remarks
    if isinstance(host, Host) and todo.changes:
        _carry_out(host, families, outcome, wishes, probes)
    else:
        outcome.commands = plan.commands(todo.changes, state.cells, families)
    return outcome.result(params["on_unsupported"])


def _carry_out(
    host: Host, families: Families, outcome: report.Outcome, wishes: Wishes, probes: Mapping[Address, str]
) -> None:
    def again(addresses: Iterable[Address]) -> Cells:
        return read(host, families, _groups(addresses)).cells

    from .transaction import Transaction  # an unchanged host, the usual case, does not wait for its import

    near = {
        (family.name, neighbour): ()
        for family in families.values()
        if family.neighbours
        for scope in {change.address.scope for change in outcome.plan.changes if change.address.family == family.name}
        for neighbour in family.neighbours(host, scope)
    }
    before = {**read(host, families, near).cells, **outcome.before}
    transaction = Transaction(host, families, before, again, wishes, probes)
    answers, outcome.failure = transaction.carry_out(outcome.plan)
    outcome.after = {
        **{key: cell for key, cell in outcome.before.items() if key not in outcome.plan.targets},
        **answers,
    }
    outcome.commands = transaction.commands
    outcome.adjusted = (*outcome.adjusted, *transaction.adjusted.values())
    outcome.side_effects = plan.side_effects(before, answers, set(outcome.asked))
    complaint = "" if outcome.failure else memory.store(host, transaction.adjusted.values())
    if complaint:
        outcome.remarks.append(f"{memory.PATH} cannot be written ({complaint}); rounded values will be set again")


def desired(host: ReadOnlyHost, families: Families, params: Mapping[str, Any]) -> Tuple[Wishes, List[Unsupported]]:
    """The wishes behind the options, and the NICs that are named but not there."""
    layers: List[Tuple[str, Mapping[str, Any]]] = []
    absent: List[Unsupported] = []
    entries = params.get("nics") or []
    identities = sysfs.identities(host) if entries else []
    own = registry.nic_families(families)
    for entry in entries:
        for key in entry:
            registry.check_key(str(key))
        layer = {name: keys for name, family in own.items() for keys in [_keys(family, entry)] if keys}
        try:
            plan.overlay([("", layer)], families)  # a mistake shows on every host, not only where a NIC matches
        except InputError as error:
            raise InputError(f"nics: {entry.get('name') or entry.get('match')}: {error}") from None
        try:
            names = nics.select(entry, identities, lambda nic: _fastest(host, nic))
        except nics.Absent as error:
            absent.append(Unsupported(Address("", str(entry["name"]), ""), Wish(ABSENT), str(error)))
            continue
        layers += [(name, layer) for name in names]
    for name, family in families.items():
        if family.scope == HOST and not (family.follows or family.ask) and params.get(name):
            layers.append(("", {name: _mapping(name, params[name])}))
    wishes = plan.overlay(layers, families)
    for family in families.values():
        wishes.update(family.ask(host, params) if family.ask else {})
    return wishes, absent


def _fastest(host: ReadOnlyHost, nic: str) -> int:
    return ethtool.fastest(ethtool.link(host.ask(ethtool.query("", nic)).out))


def _keys(family: Family, entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """What an entry says to a family; a flat one has its keys in the entry itself."""
    if family.flat:
        return {field.name: entry[field.name] for field in family.fields if entry.get(field.name) is not None}
    return _mapping(family.name, entry[family.name]) if entry.get(family.name) is not None else {}


def _mapping(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{name}: {value!r} is not right; write a dictionary of keys and values")
    return value


@dataclass
class State:
    """What was read: cells, and the reason for each group (family, scope) that has none."""

    cells: Cells = field(default_factory=dict)
    problems: Dict[Group, str] = field(default_factory=dict)


def _groups(addresses: Iterable[Address]) -> Dict[Group, List[str]]:
    groups: Dict[Group, List[str]] = {}
    for address in addresses:
        groups.setdefault((address.family, address.scope), []).append(address.key)
    return groups


def read(host: ReadOnlyHost, families: Families, groups: Mapping[Group, Sequence[str]]) -> State:
    """The cells of whole groups: one query for each family and NIC."""
    state = State()
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
    targets = plan.make(rest, state.cells, families, state.problems).targets if groups else {}
    for (name, scope), keys in groups.items():
        own = {key: wishes[Address(name, scope, key)] for key in keys}
        turn = families[name].expand
        if turn is None or (name, scope) in state.problems:
            rest.update({Address(name, scope, key): asked for key, asked in own.items()})
            continue
        made = turn(scope, own, plan.keys(state.cells, name, scope), targets)
        rest.update({Address(name, scope, key): asked for key, asked in made.wishes.items()})
        refused += [Unsupported(Address(name, scope, key), own[key], why) for key, why in made.refused.items()]
        remarks += made.remarks
    return rest, refused, remarks


def keep(
    host: ReadOnlyHost, families: Families, params: Mapping[str, Any], wishes: Wishes, todo: Plan, state: State
) -> Tuple[Wishes, List[Mapping[str, str]]]:
    """The wishes for the files that survive a reboot (their cells join `state`), and who overrides them.

    Such a file holds what is asked for and nothing else, so a line that nobody asks for any more goes.
    """
    kept: Wishes = {}
    rivals: List[Mapping[str, str]] = []
    for name, family in families.items():
        if not family.place or all(params.get(option) is None for option in family.follows):
            continue
        place = family.place(params)
        lines = {
            Address(name, place, address.key): asked._replace(fallback=todo.targets[address])
            for address, asked in wishes.items()
            if address.family in family.follows and address in todo.targets
        }
        state.cells.update(read(host, families, {(name, place): [line.key for line in lines]}).cells)
        # A key that this kernel does not have at the moment may be there at the next boot, so its line stays.
        asked_keys = {address.key for address in wishes if address.family in family.follows}
        own = [line for line in state.cells if line[:2] == (name, place)]
        stale = [line for line in own if line not in lines and line.key not in asked_keys]
        kept.update({**lines, **dict.fromkeys(stale, Wish(ABSENT))})
        for rival in family.rivals(host, place, [line.key for line in lines]) if family.rivals else ():
            value = rival["value"]
            if plan.resolve(lines[Address(name, place, rival["key"])], Cell(value)) != value:
                rivals.append(rival)
    return kept, rivals
