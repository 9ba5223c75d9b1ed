# SPDX-License-Identifier: GPL-3.0-or-later
"""Quirks of hardware: each row of the table is a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .. import quirks_intel, quirks_others
from ..harm import sent_again
from ..model import Hit, Rule, nic_remedy
from ..quirks import Quirk, applies
from ..view import Host, Nic


def _carries_most(nic: Nic) -> bool:
    """Whether what TCP sends again, which is counted of all NICs together, is mostly of this one."""
    return nic.packets * 2 >= sum(each.packets for each in nic.host.nics if each.linked)


def _check(quirk: Quirk) -> Callable[[Host], Iterator[Hit]]:
    def check(host: Host) -> Iterator[Hit]:
        for nic in host.nics:
            evidence = applies(quirk, nic)
            if evidence:
                remedy, action, severity = quirk.remedy(nic), quirk.advice(nic), quirk.doubt(nic)
                again = sent_again(host, 100) if quirk.eee and not remedy and _carries_most(nic) else ""
                if again:
                    evidence["segments sent again"] = again
                    remedy = nic_remedy(nic.name, eee={"enabled": False})
                yield Hit(evidence, nic.name, remedy=remedy, action=action, severity=severity)

    return check


RULES = tuple(
    Rule(
        id=quirk.id,
        severity=quirk.severity,
        title=quirk.title,
        condition=quirk.condition,
        explanation=quirk.explanation,
        action=quirk.action,
        reference=quirk.reference,
        host=_check(quirk),
    )
    for quirk in (*quirks_intel.ROWS, *quirks_others.ROWS)
)
