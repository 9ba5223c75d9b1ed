# SPDX-License-Identifier: GPL-3.0-or-later
"""Show where packets die on a host, as tables: by stage, and by the kernel's own reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .. import page
from ..findings import stages
from ..findings.view import Host


def stage_tables(facts: Mapping[str, Any]) -> Iterator[page.Html]:
    """The stages from wire to socket, where the host tells of any; the reasons, where they were traced."""
    host = Host("", facts)
    rows = [
        (
            stage.stage,
            stage.nic or "-",
            "-" if stage.passed is None else str(stage.passed),
            page.tag("strong", str(stage.died)) if stage.died else "0",
            stage.since,
            stage.knob,
        )
        for stage in stages.stages(host)
    ]
    if rows:
        yield page.tag("p", page.tag("strong", "Where packets die, from wire to socket"))
        yield page.table(["stage", "NIC", "passed", "died", "time", "knob"], rows, numeric=[2, 3])
    reasons = stages.reasons(host)
    if reasons:
        yield page.tag("p", page.tag("strong", "The kernel's own reasons for drops within the interval"))
        yield page.table(["reason", "packets"], [(name, str(count)) for name, count in reasons.items()], numeric=[1])
