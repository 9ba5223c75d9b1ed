# SPDX-License-Identifier: GPL-3.0-or-later
"""Say which settings change together when changes are proved one by one, and take some of them out of the options."""

from __future__ import annotations

import re
from typing import Any, Collection, Dict, Iterator, List, Mapping, Tuple

# Keys of an entry that are no setting, or change nothing that could be measured.
APART = frozenset(("name", "match", "alias", "group", "wol"))
_OF_NICS = {
    "path_check": "mtu",
    **dict.fromkeys(
        ("gso_max_size", "gso_max_segs", "gro_max_size", "gso_ipv4_max_size", "gro_ipv4_max_size"), "packet sizes"
    ),
    "irq": "interrupts",
    "irqbalance": "interrupts",
}
# Buffers work together: what TCP may take, what a program may ask for, and whether the kernel sizes them by itself.
_BUFFERS = re.compile(
    r"net\.core\.(.*mem_(max|default))|net\.ipv4\.(tcp|udp)_([rw]?mem|[rw]mem_min)"
    r"|net\.ipv4\.tcp_(moderate_rcvbuf|window_scaling|adv_win_scale|app_win)"
)
# BBR was made for fq, which sends at its pace.
_CONGESTION = re.compile(
    r"net\.ipv4\.tcp_(.*congestion.*|bbr.*|pacing_.*|slow_start_after_idle)|net\.core\.default_qdisc"
)

Change = Tuple[str, str]  # the unit, and the words for the key


def of_nic(key: str) -> str:
    """The unit of a key of an entry, such as `ring`; nothing for one that is never taken apart."""
    return "" if key in APART else _OF_NICS.get(key, key)


def of_parameter(key: str) -> str:
    """The unit of a kernel parameter: what it belongs to, or the folder in which it stands."""
    name = key.strip()
    # As sysctl reads it: the separator that comes first is the separator.
    if "/" in name and "." not in name.partition("/")[0]:
        name = name.replace(".", "\0").replace("/", ".").replace("\0", "/")
    if _BUFFERS.fullmatch(name):
        return "buffers"
    if _CONGESTION.fullmatch(name):
        return "congestion control"
    words = name.split(".")
    if words[:2] == ["net", "ipv4"] and len(words) == 3 and words[2].startswith("tcp_"):
        return "net.ipv4.tcp"
    # Three folders at most: the fourth may be the name of a NIC.
    return ".".join(words[: min(3, max(len(words) - 1, 1))])


def of_module(key: str) -> str:
    """The unit of a parameter of a kernel module: those of one module are read together."""
    return f"module {key.split('.')[0].strip().replace('-', '_')}"


def in_state(state: Mapping[str, Any]) -> Iterator[Tuple[str, str, str, Any]]:
    """The unit, the NIC, the key and the value of all that a part of a diff holds; files are no settings."""
    for nic, keys in state.get("nics", {}).items():
        for key, value in keys.items():
            if of_nic(key):
                yield from ((of_nic(key), nic, word, one) for word, one in _words(key, value))
    for key, value in state.get("sysctl", {}).items():
        yield of_parameter(key), "", key, value
    for key, value in state.get("module_parameters", {}).items():
        yield of_module(key), "", key, value
    if "irqbalance" in state:
        yield of_nic("irqbalance"), "", "irqbalance", "anew"


def _words(key: str, value: Any) -> List[Tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [(f"{key} {name}", one) for name, one in value.items()]
    return [(key, value)]


def without(options: Mapping[str, Any], left: Collection[str]) -> Dict[str, Any]:
    """The options of `tune` without what belongs to these units. What has a wrong shape is for the module to name."""
    found = dict(options)
    if isinstance(options.get("nics"), list):
        entries = [_entry(entry, left) for entry in options["nics"]]
        found["nics"] = [entry for entry in entries if not isinstance(entry, Mapping) or set(entry) - {"name", "match"}]
    for option, unit in (("sysctl", of_parameter), ("module_parameters", of_module)):
        if isinstance(options.get(option), Mapping):
            found[option] = {key: value for key, value in options[option].items() if unit(str(key)) not in left}
    return found


def _entry(entry: Any, left: Collection[str]) -> Any:
    if not isinstance(entry, Mapping):
        return entry
    found = {key: value for key, value in entry.items() if of_nic(str(key)) not in left}
    if isinstance(entry.get("sysctl"), Mapping):
        found["sysctl"] = {key: one for key, one in entry["sysctl"].items() if of_parameter(str(key)) not in left}
        if not found["sysctl"]:
            del found["sysctl"]
    return found


def within(options: Mapping[str, Any], unit: str) -> Iterator[Dict[str, Any]]:
    """What of these options belongs to a unit, in the shape that a person has written, each entry for itself."""
    for entry in options.get("nics") or ():
        if isinstance(entry, Mapping):
            rest = _entry(entry, (unit,))
            mine = {key: value for key, value in entry.items() if key not in rest}
            parameters = {k: v for k, v in (entry.get("sysctl") or {}).items() if k not in rest.get("sysctl", {})}
            mine.update({"sysctl": parameters} if parameters else {})
            if mine:
                yield {**{key: entry[key] for key in ("name", "match") if key in entry}, **mine}
    for option, of in (("sysctl", of_parameter), ("module_parameters", of_module)):
        mine = {key: value for key, value in (options.get(option) or {}).items() if of(str(key)) == unit}
        if mine:
            yield mine
