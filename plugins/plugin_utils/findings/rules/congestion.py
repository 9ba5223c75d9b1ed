# SPDX-License-Identifier: GPL-3.0-or-later
"""Congestion controls: one that is requested and cannot be had, and one that a lossy path stops."""

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


# From here on BBR paces by itself, and well.
_PACED = (4, 20)


def _halved(host: Host) -> Iterator[Hit]:
    rows = host.rows("sockets", "lossy")
    if not rows:
        return
    evidence = {
        f"to {row.text('peer')}": f"{row.number('again_percent') or 0:g} % sent again, "
        f"{row.number('rtt_ms') or 0:g} ms, {row.text('control')} with a window of {row.count('window')}"
        for row in rows
    }
    there = {*host.words("congestion", "available"), *host.words("congestion", "loadable")}
    can = "bbr" in there and host.release >= _PACED and host.sysctl(_KEY) != "bbr"
    desired = {_KEY: "bbr", "net.core.default_qdisc": "fq"}
    yield Hit(evidence, remedy={"tuning_host_sysctl": desired} if can else {})


# They look at delay, and give way to whoever fills a queue; made for transfers that nobody waits for (lp), or for
# networks in which all do the same (vegas).
_YIELDING = ("lp", "vegas")


def _yields(host: Host) -> Iterator[Hit]:
    live = host.sysctl(_KEY)
    if live in _YIELDING and host.tune.at("after", "sysctl", _KEY) is None:
        there = {*host.words("congestion", "available"), *host.words("congestion", "loadable"), "cubic"}
        evidence = {_KEY: live, "available": ", ".join(sorted(there))}
        # Whoever writes lp for a whole host may want it to stand back, such as one that only makes copies.
        severity = "note" if live == "lp" else ""
        yield Hit(evidence, remedy={"tuning_host_sysctl": {_KEY: "cubic"}}, severity=severity)


RULES = (
    Rule(
        id="congestion-control-yields",
        severity="low",
        title="The congestion control gives way to all other traffic",
        condition="net.ipv4.tcp_congestion_control is vegas or lp, and the inventory does not ask for it; a note with "
        "lp",
        explanation="These take each longer round trip for a full path and send less, while cubic and BBR of others "
        "fill the queue. Beside them a connection keeps a small part of the path.",
        action="Use cubic, or BBR where paths lose packets; a single program may ask for lp itself (TCP_CONGESTION).",
        reference="https://docs.kernel.org/networking/ip-sysctl.html#tcp-variables",
        host=_yields,
    ),
    Rule(
        id="lossy-long-path",
        severity="note",
        title="Losses on a long path keep connections slow",
        condition="a connection with a round trip of 50 ms or more, which has sent at least 1 MB with cubic or reno, "
        "had to send 1 % of that again",
        explanation="These take each loss for congestion and lower their rate, and need many round trips to raise it "
        "again. If the path loses packets without being full, they stay at a small part of what it carries.",
        action="If the losses are none of this site (`mtr`, and the other findings), try BBR, which looks at rate and "
        "delay instead, on the host that sends; on a path that is really full it takes more than its share.",
        reference="https://queue.acm.org/detail.cfm?id=3022184",
        host=_halved,
    ),
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
