# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn what was found on a host into the text format of Prometheus; pure, and the one list of our metrics.

Names follow https://prometheus.io/docs/practices/naming/: a prefix, base units, the unit last; all are gauges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..drift import differences, leaves, say
from ..findings.model import SEVERITIES

PREFIX = "linuxnet_tuning_"
# By name without the prefix: what it is.
METRICS = {
    "last_run_timestamp_seconds": "When the program that writes these metrics ran.",
    "last_run_success": "Whether it could read the host: 1 or 0.",
    "last_run_duration_seconds": "How long it took.",
    "inventory_timestamp_seconds": "When Ansible copied the desired values to the host.",
    "settings": "Desired values of the inventory, by family and NIC.",
    "settings_drifting": "Desired values that are not in force.",
    "settings_unsupported": "Desired values that the device does not support.",
    "setting_info": "A desired value, with the current one; always 1.",
    "findings": "Findings of the audit, by severity.",
    "finding_info": "A finding of the audit; always 1.",
    "guard_pending": "Changes that wait to be confirmed.",
    "guard_reverted": "Changes that were reverted automatically, and that no run has reported yet.",
    "guard_temporary": "Changes that end by themselves.",
}

Sample = tuple[str, Mapping[str, str], float]


def text(samples: Iterable[Sample]) -> str:
    """The samples with the lines that explain them, each metric in one piece."""
    lines: dict[str, list[str]] = {}
    for name, labels, value in samples:
        written = ",".join(f'{label}="{_escape(word)}"' for label, word in labels.items())
        number = repr(float(value)) if value % 1 else str(int(value))
        lines.setdefault(name, []).append(f"{PREFIX}{name}{'{' + written + '}' if written else ''} {number}\n")
    return "".join(
        f"# HELP {PREFIX}{name} {METRICS[name]}\n# TYPE {PREFIX}{name} gauge\n{''.join(lines[name])}"
        for name in METRICS
        if name in lines
    )


def _escape(word: str) -> str:
    # One label that is no UTF-8, such as the alias of a NIC, would make the node exporter refuse the whole file.
    readable = str(word).encode("utf-8", "replace").decode()
    return readable.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def settings(result: Mapping[str, Any], each: bool) -> Iterator[Sample]:
    """What `tune` in check mode says: how much differs, and with `each` every value."""
    after = result.get("after") or {}
    planned = dict(leaves(after))
    of_modules = set(after.get("module_parameters") or ())
    drifting = {address: (now, value) for address, now, value in differences(result)}
    labelled = {address: _labels(address, address[1] in of_modules) for address in planned}
    whole = Counter((labels["family"], labels["nic"]) for labels in labelled.values())
    differ = Counter((labelled[address]["family"], labelled[address]["nic"]) for address in drifting)
    for (family, nic), count in sorted(whole.items()):
        labels = {"family": family, "nic": nic}
        yield "settings", labels, count
        yield "settings_drifting", labels, differ[family, nic]
    yield "settings_unsupported", {}, len(result.get("unsupported") or ())
    for address, value in sorted(planned.items()) if each else ():
        now = drifting[address][0] if address in drifting else value
        words = {"wanted": say(value), "current": "" if now is None else say(now)}
        yield "setting_info", {**labelled[address], **words}, 1


def _labels(address: tuple[str, str], of_module: bool) -> dict[str, str]:
    """The place of a value as labels; keys that stand in the entry of a NIC itself are those of the link."""
    where, setting = address
    if where == "host":
        return {"family": "module_parameters" if of_module else "sysctl", "nic": "", "key": setting}
    family, _space, key = setting.partition(" ")
    return {"family": family if key else "link", "nic": where, "key": key or family}


def findings(found: Iterable[Mapping[str, Any]]) -> Iterator[Sample]:
    """How many findings there are, by severity, and each of them."""
    found = list(found)
    counts = Counter(finding["severity"] for finding in found)
    for severity in SEVERITIES:
        yield "findings", {"severity": severity}, counts[severity]
    each = Counter((finding["id"], finding["severity"], finding["nic"]) for finding in found)
    for finding, severity, nic in sorted(each):
        yield "finding_info", {"id": finding, "severity": severity, "nic": nic}, 1


def guard(status: Mapping[str, Any]) -> Iterator[Sample]:
    """What waits, ends or has gone back."""
    for name in ("pending", "reverted", "temporary"):
        yield f"guard_{name}", {}, len(status.get(name) or ())
