# SPDX-License-Identifier: GPL-3.0-or-later
"""The doors: the options of each module, and one call of it from them to the result."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional

from .deciding import desire
from .going_back import guard
from .host import Host, ReadOnlyHost, connect
from .runner import answer, runner
from .schema import TuningError
from .settings import registry


def conduct(module: Any, view: str) -> None:
    """Serve one call of an Ansible module: the whole life of `tune` and of its views."""
    answer(module, lambda: tune(connect(runner(module), module.check_mode), view, module.params))


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
        "against": {"type": "raw"},
        "inventory": {"type": "bool", "default": False},
        "configured": {"type": "bool", "default": False},
    }


def inform(module: Any) -> None:
    """Serve one call of `nic_info`, which also tells what `tune` would change if it is asked to compare."""
    answer(module, lambda: _informed(ReadOnlyHost(runner(module)), module.params))


def _informed(host: ReadOnlyHost, params: Mapping[str, Any]) -> Dict[str, Any]:
    from .facts import everything  # only this module needs it; the others start faster without

    compared: Dict[str, Any] = {}
    found = everything.gather(host, params["names"], params["interval"], params["peers"], params["configured"])
    if params["compare"] is not None:
        compared = _compare(host, params["compare"])
        found.update(compared=compared, diff=compared.get("diff", {}))
    if isinstance(params["against"], Mapping):
        found["against"] = _compare(host, {"on_unsupported": "ignore", "permanent": False, **params["against"]})
    return {"changed": bool(compared.get("changed")), **found}


def _compare(host: ReadOnlyHost, desired: Mapping[str, Any]) -> Dict[str, Any]:
    """The result of `tune` in check mode; what makes it fail does not keep facts from being read."""
    options = {name: option.get("default") for name, option in argument_spec("tune").items()}
    try:
        return tune(host, "tune", {**options, **desired})
    except TuningError as error:
        return {"changed": False, "failed": True, "msg": str(error)}


def guard_spec() -> Dict[str, Any]:
    """The options of `guard`."""
    states = {"type": "str", "choices": ["confirmed", "reverted", "status", "checked"], "default": "confirmed"}
    return {
        "state": states,
        "temporary": {"type": "bool", "default": False},
        "probes": {"type": "list", "elements": "raw", "default": []},
        "patience": {"type": "int", "default": 10},
    }


def protect(module: Any) -> None:
    """Serve one call of `guard`."""
    params = module.params
    # Who only looks needs no lock, and must not be taken for a call that hangs.
    host = connect(runner(module), module.check_mode or params["state"] == "checked")
    answer(module, lambda: _protected(host, params))


def _protected(host: ReadOnlyHost, params: Mapping[str, Any]) -> Dict[str, Any]:
    result = guard.serve(host, params["state"], params["temporary"])
    if params["state"] == "checked":
        from .going_back import health

        result.update(changed=False, **health.look(host, params["probes"], params["patience"]))
    return result


_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "nics": {"type": "list", "elements": "dict"},
    "sysctl": {"type": "dict"},
    "permanent": {"type": "bool", "default": True},
    "immediate": {"type": "bool", "default": True},
    "temporary": {"type": "int"},
    "state": {"type": "str", "choices": ["present", "restored"], "default": "present"},
    "on_unsupported": {"type": "str", "choices": ["fail", "warn", "ignore"], "default": "fail"},
    "guard_timeout": {"type": "int", "default": 120},
    "hold": {"type": "bool", "default": False},
    "forget": {"type": "list", "elements": "str", "default": []},
    "inventory": {"type": "bool", "default": False},  # the action plugin has made options of it
}
_ALWAYS = ("state", "on_unsupported", "guard_timeout")


def argument_spec(view: str) -> Dict[str, Any]:
    """The options of a module, as AnsibleModule wants them."""
    families = registry.view(view).values()
    names = {*_ALWAYS, *(family.option for family in families if not family.follows)}
    if any(family.follows for family in families):
        names |= {"permanent", "immediate"}
    if "nics" in names:
        names.add("temporary")
    if view in ("tune", "tuned", "bonding"):
        names.add("hold")
    if view == "tune":
        names |= {"inventory", "forget"}
    spec = {name: dict(option) for name, option in _OPTIONS.items() if name in names}
    spec.update({name: dict(option) for family in families for name, option in family.options.items()})
    return spec


def tune(
    host: ReadOnlyHost, view: str, params: Mapping[str, Any], first: Optional[Callable[[], None]] = None
) -> Dict[str, Any]:
    """Bring a host to the desired state in one transaction, or back to where it was; gives the module's result.

    `params` are the module's options. TuningError when nothing has been touched. Before a change `first` is called
    while no other call can change the host, and may raise a TuningError.
    """
    from .carrying_out import call  # the controller needs the options only, and compiles what it imports each time

    families = registry.view(view)
    params = desire.settle(families, params)
    if params["state"] == "restored":
        families = registry.with_ended(families)
    if not isinstance(host, Host):
        return call.live(host, view, families, params)
    with guard.hold(host):
        if first:
            first()
        return call.live(host, view, families, params)
