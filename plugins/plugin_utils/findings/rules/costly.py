# SPDX-License-Identifier: GPL-3.0-or-later
"""Packets that take the processors far longer than packets do."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import costly
from ..model import Hit, Rule
from ..view import Host

# Rules that are there already, and all together, from which on a list is to blame.
_DOUBLED, _MANY = 1000, 10_000


def _cost(host: Host) -> Iterator[Hit]:
    each = costly(host)
    if not each:
        return
    spent, busy = (sum(row.count(key) for row in host.processors) for key in ("time", "softirq"))
    rules, doubled = host.count("firewall", "rules"), host.count("firewall", "doubled")
    evidence = {
        "processors in softirq": f"{100 * busy // spent} % of {host.watched:g} s",
        "for each packet": f"{each} us",
        **({"rules of iptables": rules} if rules else {}),
        **({"of them there already": doubled} if doubled else {}),
    }
    again, long = doubled >= _DOUBLED and doubled * 2 > rules, rules >= _MANY
    action = _AGAIN if again else _LONG if long else ""
    yield Hit(evidence, action=action, severity="" if again or long else "note")


_AGAIN = (
    "Most rules of the firewall are there twice or more, and each packet walks through all of them: find who adds them "
    "(`iptables-save | sort | uniq -c | sort -n | tail`), such as kube-router with iptables 1.8.0 to 1.8.4 or 1.8.10, "
    "which does not find its own rules again. Use another version (`--prefer-bundled-bin` of k3s), and boot anew or "
    "remove the doubled ones."
)
_LONG = (
    "Put addresses into sets (`ipset`, sets and maps of nftables) in place of a rule for each, or let Kubernetes use "
    "IPVS or nftables for its services: each packet walks through lists of iptables rule by rule."
)

RULES = (
    Rule(
        id="packets-cost-much",
        severity="medium",
        title="Each packet costs the processors far too much",
        condition="within an interval all processors spent a quarter of their time or more in softirq, 200 us for each "
        "packet, and there are 10000 rules of iptables, or 1000 that repeat others and are most of them; else it is a "
        "note",
        explanation="A packet takes some microseconds on its way through the kernel. Where it takes hundreds, "
        "something on the way is walked through from end to end: lists of the firewall, long hash chains, or captures.",
        action="See where the time goes (`perf top -g`, function names with nf_, ipt_ or packet_), and how long the "
        "lists of the firewall are (`iptables-save | wc -l`, `nft list ruleset | wc -l`).",
        reference="https://github.com/k3s-io/k3s/issues/3117",
        host=_cost,
    ),
)
