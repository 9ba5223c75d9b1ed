# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn the variables of the inventory into the options of `tune`: for each host, in one go, and without Jinja's help.

A template for each option, and one for the default of each, would cost the controller twice as much as the whole call:
every host's worker compiles them anew. Here only those values are templated that hold a template.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import nearest

LAYERS = ("tuning_{}", "tuning_group_{}", "tuning_host_{}")
# Options that stand in one variable, of the role or of all roles.
PLAIN = ("on_unsupported", "state", "permanent", "immediate", "temporary", "guard_timeout", "hold", "forget")
PARTS = ("nics", "sysctl", "module_parameters")
# What the role takes: the options, and where its profiles come from.
NAMES = ("profile", "profile_folder", "nics", "sysctl", "sysctl_file", "module_parameters", *PLAIN)
PROFILES = Path(__file__).parents[2] / "playbooks/profiles"


class LayerError(Exception):
    """A variable of the inventory has the wrong shape."""


def options(variables: Mapping[str, Any], template: Callable[[Any], Any], load: Callable[[str], Any]) -> Dict[str, Any]:
    """The options that the inventory gives one host; `template` resolves a value, `load` reads a YAML file."""

    def value(*names: str) -> Any:
        for name in names:
            if variables.get(name) is not None:
                found = template(variables[name])
                # On older versions of Ansible a template that comes to nothing is an empty text.
                if found is not None and found != "" and not _same(found, variables.get("omit")):
                    return found
        return None

    def layers(name: str) -> List[Any]:
        own = value(f"tune_{name}")
        found = (
            [(f"tune_{name}", own)] if own else [(layer.format(name), value(layer.format(name))) for layer in LAYERS]
        )
        return [(place, layer) for place, layer in found if layer]

    folder = str(value("tune_profile_folder") or PROFILES)
    names = value("tune_profile", "tuning_profile") or []
    place = "tune_profile" if value("tune_profile") else "tuning_profile"
    profiles = [_profile(load, folder, name, place) for name in (names if isinstance(names, list) else [names])]
    nics = [("a profile", profile.get("nics", [])) for profile in profiles] + layers("nics")
    given = {name: value(f"tune_{name}", f"tuning_{name}") for name in PLAIN}
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


def _same(found: Any, omit: Any) -> bool:
    return isinstance(found, str) and found == omit


def _profile(load: Callable[[str], Any], folder: str, name: Any, place: str) -> Mapping[str, Any]:
    path = f"{folder}/{name}.yml"
    try:
        found = load(path)
    except Exception as error:  # whatever Ansible's loader raises for a file that is not there, or is no YAML
        known = sorted(file.stem for file in Path(folder).glob("*.yml"))
        if known and not Path(path).exists():
            # What the loader says of it is long, and no help.
            raise LayerError(f"{place}: there is no profile '{name}' in {folder}{nearest(str(name), known)}") from None
        raise LayerError(f"{place}: {path} cannot be read: {error}") from error
    if not isinstance(found, Mapping):
        raise LayerError(f"{path} is no dictionary with the keys nics, sysctl and module_parameters")
    return found


def _entries(layers: Any) -> List[Any]:
    return [entry for _place, layer in layers for entry in (layer if isinstance(layer, list) else [layer])]


def _merged(layers: Any) -> Dict[str, Any]:
    merged: Dict[str, Any] = {}
    for place, layer in layers:
        if not isinstance(layer, Mapping):
            raise LayerError(f"{place} is {layer!r}; write a dictionary of parameters and values")
        merged.update(layer)
    return merged
