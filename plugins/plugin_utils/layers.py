# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn the variables of the inventory into the options of `tune`: for each host, in one go, and without Jinja's help.

A template for each option, and one for the default of each, would cost the controller twice as much as the whole call:
every host's worker compiles them anew. Here only those values are templated that hold a template.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Sequence, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import InputError, nearest

LAYERS = ("tuning_{}", "tuning_group_{}", "tuning_host_{}")
# Options that stand in one variable, of the role or of all roles, and what may be written there.
PLAIN: Dict[str, Any] = {
    "on_unsupported": ("fail", "warn", "ignore"),
    "state": ("present", "restored"),
    "permanent": bool,
    "immediate": bool,
    "temporary": int,
    "guard_timeout": int,
    "hold": bool,
    "forget": list,
}
# What the playbook site reads beside, so that a mistake ends a run before anything is changed.
_BESIDE = {"tuning_watch": bool, "tuning_probe_patience": int}
_BOOLEANS = ("true", "false", "yes", "no", "on", "off", "1", "0", "1.0", "0.0", "t", "f", "y", "n")
PARTS = ("nics", "sysctl", "module_parameters")
# What the role takes: the options, and where its profiles come from.
NAMES = ("profile", "profile_folder", "nics", "sysctl", "sysctl_file", "module_parameters", *PLAIN)
PROFILES = Path(__file__).parents[2] / "playbooks/profiles"


class LayerError(Exception):
    """A variable of the inventory has the wrong shape."""


def reason(error: Exception) -> str:
    """What Ansible says of a template that fails: its first line, in which older versions say the same twice."""
    first = (str(error).splitlines() or [type(error).__name__])[0]
    return ". ".join(dict.fromkeys(first.split(". ")))


def options(variables: Mapping[str, Any], template: Callable[[Any], Any], load: Callable[[str], Any]) -> Dict[str, Any]:
    """The options that the inventory gives one host; `template` resolves a value, `load` reads a YAML file."""

    def said(*names: str) -> Tuple[str, Any]:
        for name in names:
            if variables.get(name) is not None:
                found = variables[name]
                try:
                    found = found if _literal(found) else template(found)
                except Exception as error:  # whatever Ansible's templates raise, which never names the variable
                    raise LayerError(f"{name}: {reason(error)}") from error
                # On older versions of Ansible a template that comes to nothing is an empty text.
                omit = variables.get("omit")
                if found is not None and found != "" and not _same(found, omit):
                    return name, _kept(found, omit)
        return "", None

    def value(*names: str) -> Any:
        return said(*names)[1]

    def layers(name: str) -> List[Any]:
        own = value(f"tune_{name}")
        found = (
            [(f"tune_{name}", own)] if own else [(layer.format(name), value(layer.format(name))) for layer in LAYERS]
        )
        return [(source, layer) for source, layer in found if layer]

    folder = str(value("tune_profile_folder") or PROFILES)
    source, names = said("tune_profile", "tuning_profile")
    profiles = [_profile(load, folder, name, source) for name in _names(source, names)]
    nics = [("a profile", profile.get("nics", [])) for profile in profiles] + layers("nics")
    given = {name: _plain(kind, *said(f"tune_{name}", f"tuning_{name}")) for name, kind in PLAIN.items()}
    for name, kind in _BESIDE.items():
        _plain(kind, *said(name))
    _see_probes(value("tuning_probes"))
    parts: Dict[str, Any] = {"nics": _entries(nics)}
    for name in ("sysctl", "module_parameters"):
        parts[name] = _merged([("a profile", profile.get(name, {})) for profile in profiles] + layers(name))
    # What is not said at all stays as it is, files included.
    given.update(file=value("tune_sysctl_file"), **{part: parts[part] for part in _tagged(variables)})
    found = {name: one for name, one in given.items() if one is not None}
    left = value("tune__without")
    if not left:
        return found
    # Only a proof of changes one by one leaves some of them out.
    from .each import units

    return units.without(found, left)


def profile(
    variables: Mapping[str, Any], template: Callable[[Any], Any], load: Callable[[str], Any], names: Any
) -> Dict[str, Any]:
    """The options that profiles alone give, of those folders that the inventory says."""
    folder = variables.get("tune_profile_folder")
    own = {"tune_profile": names, **({"tune_profile_folder": folder} if folder else {})}
    return options(own, template, load)


def _tagged(variables: Mapping[str, Any]) -> List[str]:
    """The parts of the inventory that a run is about: `--tags sysctl` leaves the NICs alone."""
    tags = set(variables.get("ansible_run_tags") or ())
    return [part for part in PARTS if part in tags or tags.isdisjoint(PARTS) or "all" in tags]


def peers(given: Mapping[str, Any]) -> List[Any]:
    """The entries that name addresses which must answer, as `nic_info` takes them."""
    return [
        entry
        for entry in given.get("nics", ())
        if isinstance(entry, Mapping) and "name" in entry and "path_check" in entry
    ]


def _literal(found: Any) -> bool:
    """Whether a value is what it says, without a template or a secret in it: to have Ansible look for these costs a
    worker a twentieth of its time."""
    if isinstance(found, str):
        return "{" not in found
    if isinstance(found, dict):
        return all(map(_literal, found)) and all(map(_literal, found.values()))
    if isinstance(found, (list, tuple)):
        return all(map(_literal, found))
    return isinstance(found, (int, float))


def _same(found: Any, omit: Any) -> bool:
    return isinstance(found, str) and found == omit


def _kept(found: Any, omit: Any) -> Any:
    """Without what a template leaves out by `omit`; older versions of Ansible do that in arguments of tasks only."""
    if isinstance(found, dict):
        return {key: _kept(value, omit) for key, value in found.items() if not _same(value, omit)}
    if isinstance(found, list):
        return [_kept(value, omit) for value in found if not _same(value, omit)]
    return found


def _profile(load: Callable[[str], Any], folder: str, name: Any, source: str) -> Mapping[str, Any]:
    path = f"{folder}/{name}.yml"
    try:
        found = load(path)
    except Exception as error:  # whatever Ansible's loader raises for a file that is not there, or is no YAML
        known = sorted(file.stem for file in Path(folder).glob("*.yml"))
        if known and not Path(path).exists():
            # What the loader says of it is long, and no help.
            where = "" if folder == str(PROFILES) else f" in {folder}"
            right = f"; write [{name}] for several" if "," in str(name) else nearest(str(name), known)
            raise LayerError(f"{source}: there is no profile '{name}'{where}{right}") from None
        raise LayerError(f"{source}: {path} cannot be read: {error}") from error
    if not isinstance(found, Mapping):
        raise LayerError(f"{path} is not a dictionary with the keys nics, sysctl and module_parameters")
    return found


def _names(source: str, names: Any) -> List[str]:
    found: List[str] = [] if names is None else names if isinstance(names, list) else [names]
    for name in found:
        if not isinstance(name, str):
            raise LayerError(f"{source}: {name!r} is not valid; write the name of a profile, or a list of names")
    return found


def _see_probes(given: Any) -> None:
    if given is None:
        return
    from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import health

    try:
        health.probes(given if isinstance(given, list) else [given])
    except InputError as error:
        raise LayerError(str(error)) from error


def _plain(kind: Any, source: str, value: Any) -> Any:
    """The value of an option of one variable, as it is; the module would call a wrong one by another name."""
    text = str(value).strip().lower()
    if value is None:
        return None
    if kind is bool:
        right, words = text in _BOOLEANS, "true or false"
    elif kind is int:
        right, words = bool(re.fullmatch(r"-?\d+(\.0)?", text)), "a whole number of seconds"
    elif kind is list:
        right, words = isinstance(value, (str, list, tuple)), "the names or patterns of NICs"
    else:
        right, words = value in kind, f"{', '.join(kind[:-1])} or {kind[-1]}"
    if not right:
        raise LayerError(f"{source}: {value!r} is not valid; write {words}")
    return value


def bonds(value: Any, manager: Any = None, managers: Sequence[str] = ()) -> None:
    """LayerError for no list of bonds, or no manager; Ansible's message would have no name of the inventory."""
    if manager is not None and manager not in managers:
        close = nearest(str(manager), managers, otherwise=False)
        words = f"is not valid; write one of {', '.join(managers)}{close}"
        raise LayerError(f"manager (in the inventory tuning_network_manager): {manager!r} {words}")
    if isinstance(value, Mapping) and "name" not in value:
        raise LayerError("tuning_bonds is a dictionary; write a list of entries, each with name and members")


def _entries(layers: Any) -> List[Any]:
    found: List[Any] = []
    for source, layer in layers:
        entries = layer if isinstance(layer, list) else [layer]
        if isinstance(layer, Mapping) and not {"name", "match"} & set(layer):
            raise LayerError(f"{source} is a dictionary; write a list of entries, each with name or match")
        for entry in entries:
            if not isinstance(entry, Mapping):
                raise LayerError(
                    f"{source}: {entry!r} is not valid; write a list of entries, each a dictionary with name or match"
                )
            for key in _empty(entry):
                nics = entry.get("name") or entry.get("match") or "an entry"
                raise LayerError(f"{source}: {nics}: {key} has no value; write one, or leave {key} out")
        found += entries
    return found


def _empty(entry: Mapping[Any, Any]) -> Iterator[str]:
    """The keys without a value, as `ring rx`: a module could not tell them from keys that are not there."""
    for key, value in entry.items():
        if value is None:
            yield str(key)
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, Mapping):
                yield from (f"{key} {name}" for name in _empty(part))


def _merged(layers: Any) -> Dict[str, Any]:
    merged: Dict[str, Any] = {}
    for source, layer in layers:
        if not isinstance(layer, Mapping):
            raise LayerError(f"{source}: {layer!r} is not valid; write a dictionary of parameters and values")
        merged.update(layer)
    return merged
