# SPDX-License-Identifier: GPL-3.0-or-later
"""Queues of clients: filters that send a client to a queue, and what makes them useless."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule, nic_remedy
from ..view import Facts, Host, Nic

_PAGE = "https://docs.kernel.org/networking/multiqueue.html"
_SKBEDIT = "https://man7.org/linux/man-pages/man8/tc-skbedit.8.html"
_EVERYBODY = ("0.0.0.0/0", "::/0", "others", "")


def _filters(nic: Nic) -> list[Facts]:
    return nic.rows("queues", "filters")


def _clients(nic: Nic) -> list[str]:
    return sorted({row.text("client") for row in _filters(nic)} - set(_EVERYBODY))


def _busy(host: Host) -> Iterator[tuple[Nic, int]]:
    """NICs with such filters, and their transmit queues."""
    for nic in host.nics:
        if _filters(nic) and nic.count("queues", "tx"):
            yield nic, nic.count("queues", "tx")


def _exceed(host: Host) -> Iterator[Hit]:
    for nic, queues in _busy(host):
        clients = _clients(nic)
        if len(clients) < queues:
            continue
        top = nic.maximum("channels", "combined") or nic.maximum("channels", "tx") or 0
        key = "combined" if nic.maximum("channels", "combined") else "tx"
        enough = nic_remedy(nic.name, channels={key: "max"}, multiq={"clients": clients})
        remedy = enough if top > len(clients) else nic_remedy(nic.name, multiq={"state": "absent"})
        evidence = {"clients": len(clients), "transmit queues": queues, "transmit queues at most": int(top) or queues}
        yield Hit(evidence, nic.name, remedy=remedy)


def _beyond(host: Host) -> Iterator[Hit]:
    for nic, queues in _busy(host):
        lost = {
            row.text("client") or f"prio {row.count('pref')}": f"queue {row.count('queue')}"
            for row in _filters(nic)
            if row.count("queue") >= queues
        }
        if lost:
            evidence = {"transmit queues": f"0 to {queues - 1}", **lost}
            yield Hit(evidence, nic.name, remedy=nic_remedy(nic.name, multiq={"clients": _clients(nic)}))


def _overridden(host: Host) -> Iterator[Hit]:
    for nic, _queues in _busy(host):
        holds = nic.value("multiq", "mapping_holds")
        if holds is None:
            holds = host.release >= (5, 19) or host.release == (0, 0)
        if nic.flag("queues", "qdisc", "clsact") is True and nic.flag("queues", "xps") is True and not holds:
            evidence = {"xps_cpus": "set", "filters": "clsact egress", "kernel": host.text("kernel", "release")}
            yield Hit(evidence, nic.name, remedy=nic_remedy(nic.name, irq={"xps": "none"}))


def _bands(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        bands, queues = nic.count("queues", "qdisc", "bands"), nic.count("queues", "tx")
        if nic.text("queues", "qdisc", "root") == "multiq" and bands and queues and bands != queues:
            evidence = {"qdisc multiq, bands": bands, "transmit queues": queues}
            yield Hit(evidence, nic.name, remedy=nic_remedy(nic.name, multiq={"clients": _clients(nic)}))


RULES = (
    Rule(
        id="clients-exceed-queues",
        severity="medium",
        title="There are more clients than queues",
        condition="filters send at least as many clients to queues as the NIC has transmit queues",
        explanation="Queue 0 is for everybody else, so each further queue serves one client. Clients that share a "
        "queue share its speed, and by a field report multiq without a full mapping is about 10 % slower than mq.",
        action="Use all channels. If these are too few, remove the filters and keep mq.",
        reference=_PAGE,
        host=_exceed,
    ),
    Rule(
        id="clients-beyond-queues",
        severity="high",
        title="Filters point to queues that do not exist",
        condition="a filter sends packets to a queue beyond the last one in use",
        explanation="The kernel ignores such a queue without an error, and the hash decides instead. The client then "
        "shares a queue with others.",
        action="Map the clients again, or use more channels.",
        reference=_SKBEDIT,
        host=_beyond,
    ),
    Rule(
        id="xps-overrides-clients",
        severity="medium",
        title="XPS chooses the queue after the filters",
        condition="filters before mq choose a queue, XPS is set, and the kernel is older than 5.19",
        explanation="Before Linux 5.19 the queue that XPS chooses for a processor replaces that of the filter. The "
        "clients then share queues as if there were no filter.",
        action="Switch XPS off for this NIC, or write multiq: {method: multiq}.",
        reference="https://docs.kernel.org/networking/scaling.html#xps-transmit-packet-steering",
        host=_overridden,
    ),
    Rule(
        id="multiq-bands-stale",
        severity="medium",
        title="The qdisc multiq is older than the channels",
        condition="multiq has another number of bands than the NIC has transmit queues",
        explanation="multiq counts the queues once, when it is created. Packets for bands that it does not have go to "
        "band 0.",
        action="Create the qdisc again.",
        reference=_PAGE,
        host=_bands,
    ),
)
