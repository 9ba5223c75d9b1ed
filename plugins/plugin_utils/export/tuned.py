# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a profile of TuneD, in the words of its plugins net, sysctl and sysfs (tuned.conf(5))."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, Optional

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Desired
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import cpus

from .model import DesiredHost, Entry, Export, Form, exactly, named, switch, why_not
from .overlap import each_once

NAME = "linuxnet-tuning"
PATH = f"etc/tuned/{NAME}/tuned.conf"
_ABOUT = (
    "The desired network tuning of this host as a profile of TuneD, for hosts that Ansible does not manage.",
    f"Activate it by: tuned-adm profile {NAME}. It takes the place of the profile in force, unless it includes it.",
    "TuneD sets NICs with a device of their own only; those of bonds, bridges, VLANs and the like it passes over.",
    "Since TuneD 2.23 profiles lie in /etc/tuned/profiles; put the folder there.",
)
# What the plugin net takes: plugin_net.py of TuneD, _get_config_options_*.
_COALESCE = """
adaptive-rx adaptive-tx cqe-mode-rx rx-usecs rx-frames rx-usecs-irq rx-frames-irq tx-usecs tx-frames tx-usecs-irq
tx-frames-irq stats-block-usecs pkt-rate-low rx-usecs-low rx-frames-low tx-usecs-low tx-frames-low pkt-rate-high
rx-usecs-high rx-frames-high tx-usecs-high tx-frames-high sample-interval
"""
_OPTIONS: Mapping[str, Optional[List[str]]] = {
    "features": None,
    "coalesce": _COALESCE.split(),
    "pause": ["autoneg", "rx", "tx"],
    "ring": ["rx", "rx-mini", "rx-jumbo", "tx"],
    "channels": ["rx", "tx", "other", "combined"],
}
_SINGLE = {("link", "mtu"): "mtu", ("link", "txqueuelen"): "txqueuelen", ("wol", "wol"): "wake_on_lan"}
_FILES = {("napi", key): key for key in ("threaded", "gro_flush_timeout", "napi_defer_hard_irqs")}
_QUEUES = {("irq", "rps"): "queues/rx-*/rps_cpus", ("irq", "rps_flow_cnt"): "queues/rx-*/rps_flow_cnt"}


class _Profile(Form):
    def __init__(self, desired: DesiredHost) -> None:
        super().__init__(desired)
        self.sysfs: List[str] = []

    def write(self) -> Export:
        sysctl = [f"{key}={one.value}" for key, one in self.parameters()]
        body: List[str] = []
        sysfs: List[str] = []
        for index, entry in enumerate(each_once(self, "TuneD", lambda one: _devices(one) is not None)):
            self.sysfs = []
            body += self._entry(index, entry)
            # Of two lines about one file the later one counts, and the narrowest entry comes first here.
            sysfs = self.sysfs + sysfs
        main = ["[main]", "summary=Network tuning of linuxnet.tuning"]
        if self.desired.profile:
            main.append(f"include={','.join(self.desired.profile.split())}")
        parts = [*main, *(["", "[sysctl]", *sysctl] if sysctl else []), *body]
        parts += ["", "[sysfs]", *sysfs] if sysfs else []
        return Export({PATH: "\n".join([*self.header("#", _ABOUT), "", *parts, ""])}, tuple(self.unsaid))

    def _entry(self, index: int, entry: Entry) -> List[str]:
        devices = _devices(entry)
        if devices is None:
            self.cannot_any(entry, "TuneD cannot select NICs in this way")
            return []
        options: Dict[str, List[str]] = {}
        for family, keys in entry.families.items():
            for key, one in keys.items():
                self._key(entry, family, key, one, options)
        if not options:
            return []
        slug = re.sub(r"[^A-Za-z0-9]+", "_", entry.selector).strip("_") or "all"
        lines = [f"{option}={' '.join(words)}" for option, words in options.items()]
        return ["", f"[net_{index}_{slug}]", "type=net", devices, "dynamic=0", *lines]

    def _key(self, entry: Entry, family: str, key: str, one: Desired, options: Dict[str, List[str]]) -> None:
        what, word = named(entry, family, key, one), key if family == "features" else key.replace("_", "-")
        file = _FILES.get((family, key)) or _QUEUES.get((family, key))
        known = family in _OPTIONS and word in (_OPTIONS[family] or [word])
        if not (known or (family, key) in _SINGLE or file):
            self.cannot(what, "TuneD has no option for it")
        elif not exactly(one):
            self.cannot(what, why_not(one))
        elif known:
            options.setdefault(family, []).extend([word, switch(one)])
        elif not file:
            options[_SINGLE[(family, key)]] = [switch(one)]
        else:
            value = _file_value(key, one)
            if value is None or not entry.name:
                self.cannot(what, "TuneD needs NICs by name, and one value for all queues")
            else:
                self.sysfs.append(f"/sys/class/net/{entry.name}/{file}={value}")


def _file_value(key: str, one: Desired) -> Optional[str]:
    text = switch(one, "1", "0")
    if key == "rps":
        if text == "none":
            return "0"
        return cpus.format_mask(cpus.parse_list(text)) if re.fullmatch(r"[0-9,-]+", text) else None
    return text if text.isdecimal() else None


def _devices(entry: Entry) -> Optional[str]:
    if entry.name:
        return f"devices={entry.name}"
    match = dict(entry.match)
    # TuneD leaves out virtual NICs by itself.
    if match == {"driver": "*"}:
        return "devices=*"
    if set(match) == {"driver"} and re.fullmatch(r"[\w-]+", match["driver"]):
        return f"devices_udev_regex=^ID_NET_DRIVER={match['driver']}$"
    return None


def write(desired: DesiredHost) -> Export:
    """The profile for one host."""
    return _Profile(desired).write()
