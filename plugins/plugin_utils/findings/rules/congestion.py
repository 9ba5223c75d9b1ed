# SPDX-License-Identifier: GPL-3.0-or-later
"""Congestion controls that are requested and cannot be had."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host

_KEY = "net.ipv4.tcp_congestion_control"


def _absent(host: Host) -> Iterator[Hit]:
    there = {*host.words("congestion", "available"), *host.words("congestion", "loadable")}
    source = {}
    for row in host.rows("sysctl_files"):
        desired = row.texts("sets").get(_KEY)
        if desired:
            source = {"file": row.text("file"), "asked": desired}
    for item in host.tune.rows("unsupported"):
        if item.text("key") == _KEY:
            source = {"file": "the inventory", "asked": item.text("asked")}
    if there and source and source["asked"] not in there:
        live = host.sysctl(_KEY)
        known = live if live in there else "cubic"
        evidence = {**source, "available": ", ".join(sorted(there)), "in force": live}
        yield Hit(evidence, remedy={"tuning_host_sysctl": {_KEY: known}})


RULES = (
    Rule(
        id="congestion-control-absent",
        severity="medium",
        title="The requested congestion control is not available",
        condition="a file of sysctl.d or the inventory asks for a congestion control that is neither in the kernel nor "
        "among its modules",
        explanation="The kernel refuses the name and keeps the current one. The line looks as if it worked.",
        action="Install the kernel's extra modules, or choose one that is available.",
        reference="https://docs.kernel.org/networking/ip-sysctl.html#tcp-variables",
        host=_absent,
        proven=True,
    ),
)
