# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles: what differs from the profile that an audit was asked to compare with, and why it matters."""

from __future__ import annotations

from collections.abc import Iterator

from ...drift import differences, say
from ..model import Hit, Rule
from ..view import Host


def _differs(host: Host) -> Iterator[Hit]:
    if not host.against.raw:
        return
    name = host.against.text("profile") or "the profile"
    if host.against.flag("failed") is True:
        yield Hit({"profile": name, "message": host.against.text("msg") or "the module has not said why"})
        return
    from ...profiles import Why, of  # wants PyYAML, which a host that judges itself need not have

    known = {
        setting: Why(row.text("why"), row.text("reference")) for setting, row in host.against.below("reasons").items()
    }
    found = {}
    for (where, setting), is_, planned in differences(host.against.raw):
        why = of(known, setting)
        label = setting if where == "host" else f"{where} {setting}"
        told = " ".join(part for part in (why.text, f"({why.reference})" if why.reference else "") if part)
        found[label] = f"{say(is_)}, should be {say(planned)}{'. ' if told else ''}{told}"
    for item in host.against.rows("unsupported"):
        setting = " ".join(item.text(key) for key in ("nic", "family", "key") if item.text(key))
        found[setting.replace("sysctl ", "", 1)] = f"desired {say(item.at('asked'))}, but {item.text('reason')}"
    if found:
        yield Hit({"profile": name, **found})


RULES = (
    Rule(
        id="differs-from-profile",
        severity="low",
        title="The host differs from a profile",
        condition="the audit was given a profile (audit_against), and a value of it is not in force",
        explanation="A profile contains what others recommend for such a host, each line with its source. The "
        "evidence names each value as it is and as it should be, and why it matters.",
        action="Add the profile to tuning_profile of this host, or copy those of its lines that fit, and run the "
        "playbook linuxnet.tuning.site.",
        reference="https://docs.ansible.com/ansible/latest/playbook_guide/playbooks_checkmode.html",
        host=_differs,
    ),
)
