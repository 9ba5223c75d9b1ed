# SPDX-License-Identifier: GPL-3.0-or-later
"""How a bond learns of the links of its members: not at all, or again and again; and one that sends all twice."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import much
from ..model import Hit, Rule
from ..view import Facts, Host
from .link import TOGETHER, alike

_PAGE = "https://docs.kernel.org/networking/bonding.html"


def _unwatched(host: Host) -> Iterator[Hit]:
    for bond, facts in host.below("bonds").items():
        watches = {key: facts.number("watches", key) for key in ("miimon", "arp_interval")}
        if len(facts.below("members")) > 1 and all(value == 0 for value in watches.values()):
            dead = [nic.name for nic in host.under(bond) if nic.flag("carrier") is False and _works(facts, nic.name)]
            evidence = {"mode": facts.text("mode"), "miimon": 0, "arp_interval": 0}
            shown = {**evidence, **{f"link of {name}": "none, and the bond sends through it" for name in dead}}
            yield Hit(shown, bond, severity="high" if dead else "", action=_DEAD if dead else "")


def _works(bond: Facts, name: str) -> bool:
    """Whether a bond takes a member for one that it may send through."""
    return bond.text("members", name, "link") == "up" and bond.text("active") in ("", name)


_DEAD = (
    "Set miimon to 100 (milliseconds) in the configuration of the bond, and mend the link; until then `ip link set "
    "NIC nomaster`, or another `active_slave`, takes what is sent away from it."
)


def _failures(host: Host) -> Iterator[Hit]:
    uptime = host.number("kernel", "uptime")
    for bond, facts in host.below("bonds").items():
        failed = {name: member.count("failures") for name, member in facts.below("members").items()}
        # Some a year are updates of switches.
        least = max(10, uptime / 86400) if uptime else 20
        often = {name: count for name, count in failed.items() if count >= least}
        if often:
            together = len(often) > 1 and alike(min(often.values()), max(often.values()))
            shown = {name: f"{count} link failures" for name, count in often.items()}
            if facts.count("watches", "arp_interval") and not _went_down(host, often):
                yield Hit({**shown, "arp_interval": facts.count("watches", "arp_interval")}, bond, action=_SILENT)
                continue
            yield Hit(shown, bond, action=TOGETHER if together else "")


def _went_down(host: Host, failed: dict[str, int]) -> bool:
    """Whether their links did, too, which counts as two changes each; nobody knows of a member that is no NIC here."""
    for name, count in failed.items():
        nic = host.nic(name)
        if nic is None or nic.count("counters", "total", "carrier_changes") * 2 > count:
            return True
    return False


_SILENT = (
    "The links stayed up: the bond takes a member for dead because nobody answers its ARP requests. See whether the "
    "addresses of `arp_ip_target` are right, always up and in the same subnet (two are better than one, with "
    "`arp_all_targets any`); where the other end is a switch next to it, watch the links instead (`miimon: 100`)."
)


def _twice(host: Host) -> Iterator[Hit]:
    again, since = much(host, "TcpExtTCPDSACKRecv")
    # Each host has some of what was sent again too early.
    again = again if again * 100 >= host.protocol("TcpOutSegs")[0] else 0
    for bond, facts in host.below("bonds").items():
        if facts.text("mode") == "broadcast" and len(facts.below("members")) > 1:
            told = {"segments that came twice to others": f"{again} {since}"} if again else {}
            evidence = {"mode": "broadcast", "members": sorted(facts.below("members")), **told}
            yield Hit(evidence, bond, severity="medium" if again else "")


RULES = (
    Rule(
        id="bond-sends-twice",
        severity="note",
        title="A bond sends each packet through all its members",
        condition="a bond of several members has the mode broadcast; medium where others have said of at least 1000 "
        "segments (100 within an interval) that they came twice",
        explanation="The mode is made for two networks that must not fail together. In one network every packet comes "
        "twice, which costs the receivers time and looks to TCP like packets that were sent again needlessly, and the "
        "switches see one address at two ports.",
        action="Use active-backup, or 802.3ad with a group of ports at the switch.",
        reference=_PAGE,
        host=_twice,
    ),
    Rule(
        id="bond-unwatched",
        severity="medium",
        title="The bond does not monitor the links of its members",
        condition="a bond of several members has miimon and arp_interval 0; high where one of those that it sends "
        "through has no link",
        explanation="Without one of them the bond does not notice that a member has lost its link, and keeps sending "
        "through it. The kernel warns about this when the bond is created.",
        action="Set miimon to 100 (milliseconds) in the configuration of the bond.",
        reference=f"{_PAGE}#configuring-bonding-manually-via-sysfs",
        host=_unwatched,
    ),
    Rule(
        id="bond-member-fails",
        severity="medium",
        title="A member of the bond loses its link again and again",
        condition="the bond has counted one link failure a day of a member, and at least ten; at least 20 where the "
        "uptime is not known",
        explanation="Each failure moves connections to another member, and some packets are lost. The bond hides it "
        "until the others fail too.",
        action="Replace the cable or the transceiver of this member, and see the port of the switch.",
        reference=_PAGE,
        host=_failures,
        switch=True,
    ),
)
