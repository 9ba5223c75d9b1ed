# SPDX-License-Identifier: GPL-3.0-or-later
"""Drift: what differs from the inventory, and what of it the host does not support."""

from __future__ import annotations

from collections.abc import Iterator

from ...drift import computed, differences, say
from ..model import Hit, Rule
from ..view import Host


def _differs(host: Host) -> Iterator[Hit]:
    how = computed(host.tune.raw)
    found = {
        f"{where} {setting}": f"{say(is_)}, should be {say(planned)}"
        + (f" ({how[where, setting]})" if (where, setting) in how else "")
        for (where, setting), is_, planned in differences(host.tune.raw)
    }
    if found:
        yield Hit(found)


def _impossible(host: Host) -> Iterator[Hit]:
    for item in host.tune.rows("unsupported"):
        where, reason = " ".join(item.text(key) for key in ("family", "key") if item.text(key)), item.text("reason")
        told = {where: f"desired {say(item.at('asked'))}, but {reason}"} if where else {"message": reason}
        yield Hit(told, item.text("nic"))


def _refused(host: Host) -> Iterator[Hit]:
    if host.tune.flag("failed") is True:
        yield Hit({"message": host.tune.text("msg") or "the module has not said why"})


_PAGE = "https://docs.ansible.com/ansible/latest/playbook_guide/playbooks_checkmode.html"

RULES = (
    Rule(
        id="differs-from-inventory",
        severity="medium",
        title="The host differs from the inventory",
        condition="a value that the inventory describes is not in force",
        explanation="Something has changed it, or the host has not been tuned yet. The evidence names each value as "
        "it is and as it should be.",
        action="Run the playbook linuxnet.tuning.site for this host, or change the inventory.",
        reference=_PAGE,
        host=_differs,
    ),
    Rule(
        id="inventory-not-supported",
        severity="low",
        title="The host does not support a setting of its inventory",
        condition="the host or its NIC does not have a setting that the inventory contains, or not with that value",
        explanation="The device has no such setting, or a lower limit. On this host site stops here, unless "
        "tuning_on_unsupported is warn or ignore.",
        action="Remove it from the inventory of this host, or match only the NICs that support it.",
        reference=_PAGE,
        host=_impossible,
    ),
    Rule(
        id="inventory-refused",
        severity="critical",
        title="The inventory of the host is invalid",
        condition="the module tune has refused the inventory, or could not read the host",
        explanation="Nothing on this host is tuned until this is corrected. The message names what is wrong, and "
        "what is valid.",
        action="Correct the inventory as the message says.",
        reference=_PAGE,
        host=_refused,
    ),
)
