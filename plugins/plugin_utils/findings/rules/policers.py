# SPDX-License-Identifier: GPL-3.0-or-later
"""Policers: they let nothing wait, so all depends on the burst that they let pass."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Facts, Host

# Milliseconds of its rate that a burst has to hold at least, and those with which TCP reaches the rate.
_LEAST_MS, _BEST_MS = 10, 100


def _short(host: Host) -> Iterator[Hit]:
    for row in _busy(host):
        rate, burst = row.count("rate"), row.count("burst")
        held = 8000 * burst / rate
        if held < _LEAST_MS:
            best = rate // 8 * _BEST_MS // 1000
            action = _LARGER.format(best // 1024, best * 8 // 1000, row.text("nic"))
            yield Hit({**_evidence(row), "burst holds": f"{held:.1f} ms of the rate"}, row.text("nic"), action=action)


def _left(host: Host) -> Iterator[Hit]:
    for row in _busy(host) if not host.forwards else ():
        nic = host.nic(row.text("nic"))
        if nic is not None and nic.linked:
            yield Hit({**_evidence(row), "Speed": f"{nic.speed}Mb/s"}, nic.name)


def _busy(host: Host) -> Iterator[Facts]:
    """Those that have dropped more than a burst now and then."""
    for row in host.rows("policers"):
        dropped = row.count("dropped")
        if (
            dropped >= 1000
            and dropped * 1000 >= row.count("passed")
            and row.count("rate") > 0
            and row.count("burst") > 0
        ):
            yield row


def _evidence(row: Facts) -> dict[str, object]:
    rate, burst = row.count("rate"), row.count("burst")
    counted = (
        f"{row.count('dropped')} of {row.count('passed')} packets" if row.count("passed") else row.count("dropped")
    )
    return {"police": row.text("way"), "rate": f"{rate / 1e6:g} Mbit/s", "burst": f"{burst} bytes", "dropped": counted}


_LARGER = (
    "Let the burst hold 100 ms of the rate: {0} KiB (`burst` of tc; with Open vSwitch `ovs-vsctl set interface {2} "
    "ingress_policing_burst={1}`, in kbit), or shape instead of policing, which lets packets wait (a qdisc at the "
    "other end of the device)."
)

RULES = (
    Rule(
        id="policer-burst-short",
        severity="medium",
        title="A policer drops bursts that its rate would let pass",
        condition="a filter that takes all packets of a device polices them, has dropped at least 1000 and one in a "
        "thousand, and its burst holds less than 10 ms of its rate",
        explanation="A policer lets nothing wait: what comes faster than the rate for longer than its burst is lost, "
        "and TCP, which sends in bursts, stays far below the rate. Bandwidth limits of pods and of ports of Open "
        "vSwitch are made like this.",
        action="Let the burst hold 100 ms of the rate, or shape instead of policing, which lets packets wait.",
        reference="https://www.openvswitch.org/support/dist-docs/ovs-vswitchd.conf.db.5.html",
        host=_short,
        proven=True,
    ),
    Rule(
        id="policer-left-behind",
        severity="note",
        title="A NIC receives or sends at a rate that a filter polices",
        condition="a filter that takes all packets of a NIC, of a host that does not forward, polices them, and has "
        "dropped at least 1000 and one in a thousand",
        explanation="All above its rate is lost, however fast the link is. Programs such as wondershaper leave one "
        "behind.",
        action="See it (`tc -s filter show dev NIC ingress`, or egress); if nobody needs it, take it away with `tc "
        "qdisc del dev NIC ingress` (clsact where it hangs on that).",
        reference="https://github.com/magnific0/wondershaper/issues/2",
        host=_left,
    ),
)
