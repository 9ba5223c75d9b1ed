# SPDX-License-Identifier: GPL-3.0-or-later
"""Bonds: members that do not carry their part."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import sent_again
from ..model import Hit, Rule, sysctl_remedy
from ..view import Facts, Host, Nic

_PAGE = "https://docs.kernel.org/networking/bonding.html"
_NOBODY = "00:00:00:00:00:00"
# Bytes from which on a share says something; within an interval a tenth is enough.
_ENOUGH = 1_000_000_000


def _down(host: Host) -> Iterator[Hit]:
    for bond, facts in host.below("bonds").items():
        down = {
            name: member.text("link")
            for name, member in facts.below("members").items()
            if member.text("link") not in ("up", "")
        }
        if down:
            # One of active-backup that waits moves nothing, and may be down on purpose.
            spare = facts.text("mode") == "active-backup" and len(down) < len(facts.below("members"))
            yield Hit({"members": len(facts.below("members")), **down}, bond, severity="note" if spare else "")


def _alone(host: Host) -> Iterator[Hit]:
    for bond, facts in host.below("bonds").items():
        if facts.text("mode") != "802.3ad":
            continue
        groups = {name: member.count("aggregator") for name, member in facts.below("members").items()}
        if facts.text("partner") == _NOBODY or len(set(groups.values())) > 1:
            evidence = {"partner": facts.text("partner"), "aggregators": groups}
            apart = len(set(groups.values())) > 1 and len(set(_at(facts).values())) > 1
            speeds = {f"Speed of {name}": f"{speed}Mb/s" for name, speed in _at(facts).items()} if apart else {}
            yield Hit({**evidence, **speeds}, bond, action=_ONE_SPEED if apart else "")


_ONE_SPEED = (
    "LACP joins links of one speed only: see why the slower one is slow (cable, plug, port of the switch), or take it "
    "out of the bond."
)


def _at(bond: Facts) -> dict[str, int]:
    """The speeds of the members that have a link."""
    return {name: member.count("speed") for name, member in bond.below("members").items() if member.count("speed") > 0}


def _speeds(host: Host) -> Iterator[Hit]:
    for bond, facts in host.below("bonds").items():
        speeds = _at(facts)
        if len(set(speeds.values())) > 1 and facts.text("mode") != "active-backup":
            yield Hit({name: f"{speed}Mb/s" for name, speed in speeds.items()}, bond)


def _one_member(host: Host) -> Iterator[Hit]:
    for bond, facts in host.below("bonds").items():
        members = [nic for nic in host.under(bond) if nic.flag("carrier") is True]
        # Without a partner another rule says why the rest is idle; the other modes do not hash.
        if facts.text("mode") not in ("802.3ad", "balance-xor") or len(members) < 2 or _split(facts):
            continue
        sent, words = _moved(members, "tx")
        total = sum(sent.values())
        if total >= _least(members) and max(sent.values()) >= 0.95 * total and not facts.text("hash").endswith("3+4"):
            shown = {name: f"{100 * count / total:.1f} % of what was sent" for name, count in sent.items()}
            moved = {"sent through all": f"{words} {members[0].counted('tx_packets')[1]}"}
            severity = "" if _much(max(members, key=lambda nic: sent[nic.name]), total) else "note"
            yield Hit({"xmit_hash_policy": facts.text("hash"), **shown, **moved}, bond, severity=severity)


def _moved(members: list[Nic], way: str) -> tuple[dict[str, int], str]:
    """The bytes of each member, and of all as a person reads it; where none are told, by packets that are half full."""
    counted = {nic.name: nic.counted(f"{way}_bytes")[0] for nic in members}
    packets = {nic.name: nic.counted(f"{way}_packets")[0] for nic in members}
    if any(counted.values()):
        return counted, f"{sum(counted.values()) / 1e9:.1f} GB"
    return {name: 750 * count for name, count in packets.items()}, f"{sum(packets.values())} packets"


def _much(nic: Nic, total: int) -> bool:
    """Whether one member has so much to send that a second one would help: a tenth of its rate, or 100 GB at all."""
    seconds = nic.number("counters", "interval")
    if not seconds:
        return total >= 100 * _ENOUGH
    return total * 8 * 10 >= nic.speed * 1_000_000 * seconds


def _least(members: list[Nic]) -> int:
    return _ENOUGH // 10 if any(nic.number("counters", "interval") for nic in members) else _ENOUGH


def _split(facts: Facts) -> bool:
    groups = {member.count("aggregator") for member in facts.below("members").values()}
    return facts.text("mode") == "802.3ad" and (facts.text("partner") == _NOBODY or len(groups) > 1)


def _received(host: Host) -> Iterator[Hit]:
    for bond, facts in host.below("bonds").items():
        members = [nic for nic in host.under(bond) if nic.flag("carrier") is True]
        if facts.text("mode") not in ("802.3ad", "balance-xor") or len(members) < 2 or _split(facts):
            continue
        taken, _words = _moved(members, "rx")
        total = sum(taken.values())
        if total >= _least(members) and max(taken.values()) >= 0.95 * total:
            shown = {name: f"{100 * count / total:.1f} % of what was received" for name, count in taken.items()}
            yield Hit(shown, bond)


def _order(host: Host) -> Iterator[Hit]:
    room = host.sysctl("net.ipv4.tcp_reordering")
    for bond, facts in host.below("bonds").items():
        several = len(facts.below("members")) > 1
        if facts.text("mode") == "balance-rr" and several and room.isdecimal() and int(room[:9]) < 127:
            late, since = host.protocol("TcpExtTCPDSACKRecv")
            sent = host.protocol("TcpOutSegs")[0]
            harm = late >= (100 if host.number("protocols", "interval") else 10_000) and late * 200 >= sent
            evidence = {
                "mode": "balance-rr",
                "net.ipv4.tcp_reordering": room,
                **({"sent again needlessly": f"{late} of {sent} segments {since}"} if harm else {}),
            }
            remedy = sysctl_remedy(net__ipv4__tcp_reordering={"at_least": 127})
            lost = sent_again(host, 20)
            if lost and not _in_vain(host, late):
                # Reordering is no reason for segments that nobody has received twice.
                yield Hit({**evidence, "segments sent again": lost}, bond, action=_UNGROUPED, severity="medium")
                continue
            yield Hit(evidence, bond, remedy=remedy, action=_HASHED, severity="medium" if harm else "")


def _in_vain(host: Host, late: int) -> bool:
    """Whether most of what was sent again had arrived already."""
    return late * 2 >= host.protocol("TcpRetransSegs")[0]


_UNGROUPED = (
    "Most of what is sent again was really lost: the ports are probably no static group of the switch, or lead to two "
    "switches that are connected with each other, so that each learns the address of the bond at another port all the "
    "time. Use mode active-backup (or 802.3ad with `xmit_hash_policy: layer3+4` where the switches can do LACP "
    "together), or put the ports into one static group."
)
_HASHED = (
    "Let TCP tolerate more reordering, at both ends. Where there is a switch, use mode 802.3ad with "
    "`xmit_hash_policy: layer3+4` instead, which keeps each connection on one link."
)


def _slower(host: Host) -> Iterator[Hit]:
    for bond, facts in host.below("bonds").items():
        members, active = facts.below("members"), facts.text("active")
        if facts.text("mode") != "active-backup" or active not in members:
            continue
        up = {name: member.count("speed") for name, member in members.items() if member.text("link") == "up"}
        best = max(up, key=lambda name: up[name], default="")
        if best and 0 < up.get(active, 0) < up[best]:
            evidence = {"active": f"{active}, {up[active]}Mb/s", "waits": f"{best}, {up[best]}Mb/s"}
            # Somebody may want the slower one first.
            chance = facts.at("primary") == ""
            shown = {**evidence, "primary": "none"} if chance else evidence
            yield Hit(shown, bond, action=_PRIMARY.format(bond, best), severity="medium" if chance else "")


_PRIMARY = (
    "Let the faster one work: `ip link set {0} type bond active_slave {1}` at once, and `primary: {1}` with "
    "`primary_reselect: better` where the bond is described."
)


def _rewritten(host: Host) -> Iterator[Hit]:
    for bond, facts in host.below("bonds").items():
        if facts.text("mode") in ("balance-alb", "balance-tlb") and facts.count("master_mtu"):
            yield Hit({"mode": facts.text("mode"), "members": len(facts.below("members")), "bridge": "above it"}, bond)


RULES = (
    Rule(
        id="bond-member-down",
        severity="high",
        title="A member of the bond is down",
        condition="the bond reports that a member has no link; a note in active-backup while another one has a link",
        explanation="The bond continues with the remaining members, at part of its speed. The next failure may take "
        "it down.",
        action="Check the cable, the transceiver and the port of the switch.",
        reference=_PAGE,
        host=_down,
        switch=True,
    ),
    Rule(
        id="bond-without-partner",
        severity="high",
        title="The switch does not speak LACP with all members",
        condition="a bond of mode 802.3ad has no partner, or its members are in different aggregators",
        explanation="Only one aggregator carries packets; the other members are idle. The ports of the switch are not "
        "in one group with LACP.",
        action="Put the ports of the switch into one LACP group. If they are one already, take the members that are "
        "left out down and up again: some have missed the first packets while the bond was made.",
        reference=_PAGE,
        host=_alone,
        switch=True,
    ),
    Rule(
        id="bond-speeds-differ",
        severity="medium",
        title="The members of the bond have different speeds",
        condition="the links of the members of a bond that uses all of them have different speeds",
        explanation="The bond gives each member the same share, so the slowest one decides. With LACP such members do "
        "not even join.",
        action="Bond links of one speed.",
        reference=_PAGE,
        host=_speeds,
        switch=True,
    ),
    Rule(
        id="round-robin-reorders",
        severity="note",
        title="TCP takes packets that round robin reorders for lost",
        condition="a bond of mode balance-rr has several members, and net.ipv4.tcp_reordering is below 127; medium "
        "where peers say that at least 10000 segments (100 within an interval), and one in 200, were sent again in "
        "vain, or where one in 20 was sent again and most of those were lost",
        explanation="Packets of one connection take all links in turn and arrive out of order. TCP then retransmits "
        "what was only late.",
        action="Let TCP tolerate more reordering, at both ends.",
        reference=_PAGE,
        host=_order,
    ),
    Rule(
        id="bond-hash-one-member",
        severity="medium",
        title="The hash of the bond sends everything through one member",
        condition="a bond that hashes by addresses only has sent at least 95 % of 100 GB or more, or within an "
        "interval of a tenth of what the link carries, through one of several members; a note from 1 GB on (100 MB "
        "within an interval)",
        explanation="With layer2 every packet to one router or server takes the same member, however many there are. "
        "With layer3+4 each connection is hashed separately.",
        action="Set `xmit_hash_policy: layer3+4` where the bond is described (its entry in `tuning_bonds`, or the "
        "files of the network manager), and set the hash of the switch likewise for the other direction.",
        reference=_PAGE,
        host=_one_member,
    ),
    Rule(
        id="bond-receives-on-one-member",
        severity="note",
        title="The switch sends everything to one member of the bond",
        condition="a bond that balances has received at least 95 % of a gigabyte or more (100 MB within an "
        "interval) through one of several members",
        explanation="The switch chooses the member that a packet arrives on, by a hash of its own. If it hashes "
        "addresses only, everything from one router or server takes one link; so does a single busy connection.",
        action="Set the hash of the port group in the switch to addresses and ports (layer 3 and 4).",
        reference=_PAGE,
        host=_received,
        switch=True,
    ),
    Rule(
        id="bond-rewrites-guests",
        severity="note",
        title="A bond below a bridge puts addresses of its own into frames of guests",
        condition="a bond of mode balance-alb or balance-tlb is the port of a bridge",
        explanation="These modes send through each member with the MAC of that member, also what comes from guests, "
        "so switches forget where a guest is, and neighbours may answer to the host. Guests lose their network now "
        "and then, while the host itself does not.",
        action="If guests lose their network, use active-backup, which needs nothing of the switch, or 802.3ad.",
        reference=f"{_PAGE}#bonding-driver-options",
        host=_rewritten,
    ),
    Rule(
        id="bond-slower-member-active",
        severity="note",
        title="The bond works with its slower member",
        condition="the active member of a bond of mode active-backup has a slower link than another one that is up; "
        "medium where none of them is the primary one, so that it works by chance",
        explanation="After a failure the bond stays with the member that took over, unless it knows a primary one. "
        "Everything then goes through the slower link, without any error.",
        action="Make the faster member the primary one.",
        reference=_PAGE,
        host=_slower,
    ),
)
