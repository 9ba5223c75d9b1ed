# SPDX-License-Identifier: GPL-3.0-or-later
"""Describe: what a rule is, and what it says when it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from .view import Fleet, Host

# Worst first. Critical: it does not work as it is. High: most of the speed is lost. Medium: some is lost, or will be.
# Low: worth a change when there is time. Note: good to know.
SEVERITIES = ("critical", "high", "medium", "low", "note")


# What the action of a finding ends with where LLDP has told the port of the switch.
OTHER_END = "The other end is "


class Hit(NamedTuple):
    """One place where a rule holds.

    `evidence` has the very values by the words of the tool that shows them. `action` is what to do, where the
    rule's own sentence does not fit. `remedy` are inventory variables of the host; empty where none can help.
    `mends`, in the form of a remedy, are the settings that end it: once the inventory asks for them, counters since the
    boot prove nothing any more.
    """

    evidence: Mapping[str, Any]
    nic: str = ""
    host: str = ""
    remedy: Mapping[str, Any] = {}
    action: str = ""
    severity: str = ""
    mends: Mapping[str, Any] = {}


class Rule(NamedTuple):
    """What is wrong, when, why, and what to do. `explanation` is two sentences, `condition` reads after "when".

    A rule looks at one host (`host`), or at all together (`fleet`), whose hits then name the host. `proven` rules rest
    on losses that were counted, so they hold against what the inventory asks for, too. Where the port of the `switch`
    has a part in it, the finding names that.
    """

    id: str
    severity: str
    title: str
    condition: str
    explanation: str
    action: str
    reference: str
    host: Callable[[Host], Iterable[Hit]] | None = None
    fleet: Callable[[Fleet], Iterable[Hit]] | None = None
    proven: bool = False
    switch: bool = False


def nic_remedy(nic: str, **settings: Any) -> dict[str, Any]:
    """What to write for one NIC of a host."""
    return {"tuning_host_nics": [{"name": nic, **settings}]}


def sysctl_remedy(**values: Any) -> dict[str, Any]:
    """What to write for kernel parameters of a host; a double underscore stands for a dot."""
    return {"tuning_host_sysctl": {key.replace("__", "."): value for key, value in values.items()}}
