# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what an entry of a bond may say: the table of its keys, and what fits together."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from ..deciding import inputs
from ..family import Field
from ..schema import InputError, Reader, Value, nearest
from ..tools import bond as tool
from ..tools import ip, sysfs
from .addresses import check_gateway, of_anybody, of_nic

MODES = ("balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb")
_RR, _BACKUP, _XOR, _BROADCAST, _LACP, _TLB, _ALB = MODES

# Words stand in the order of the driver's numbers, which are as good.
FIELDS: Tuple[Field, ...] = (
    Field("name", "name", "the name of the bond, such as V(bond0)"),
    Field("state", "word", "whether the bond exists, with its files", words=("present", "absent")),
    Field("mode", "numbered", "how the members share the traffic, by name or number", words=MODES),
    Field("members", "names", "the NICs in the bond"),
    Field("mtu", "integer", "the largest packet in bytes, for the bond and its members"),
    Field("addresses", "interfaces", "addresses with the length of their prefix, such as V(192.168.10.1/24)"),
    Field("dhcp", "switch", "whether the bond has its IPv4 address and gateway from DHCP"),
    Field("gateway", "address", "the default gateway through this bond"),
    Field("miimon", "integer", "milliseconds between checks of the links; 100 unless O(bonds[].arp_interval) is given"),
    Field("updelay", "integer", "milliseconds until a link that came back is used; a multiple of O(bonds[].miimon)"),
    Field("downdelay", "integer", "milliseconds until a lost link is given up; a multiple of O(bonds[].miimon)"),
    Field("lacp_rate", "numbered", "how often the partner is to send LACP packets", words=("slow", "fast")),
    Field(
        "xmit_hash_policy",
        "numbered",
        "what decides which member a packet takes",
        words=("layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4", "vlan+srcmac"),
    ),
    Field("primary", "name", "the member that is active whenever it can be"),
    Field(
        "primary_reselect",
        "numbered",
        "when the primary takes over again",
        words=("always", "better", "failure"),
    ),
    Field("fail_over_mac", "numbered", "whose MAC address the bond has", words=("none", "active", "follow")),
    Field("ad_select", "numbered", "which aggregator is chosen", words=("stable", "bandwidth", "count")),
    Field("arp_interval", "integer", "milliseconds between ARP probes, in place of O(bonds[].miimon)"),
    Field("arp_ip_target", "addresses", "the IPv4 addresses that ARP probes ask for, 16 at most"),
    Field(
        "arp_validate",
        "numbered",
        "which ARP packets count as a sign of life",
        words=("none", "active", "backup", "all", "filter", "filter_active", "filter_backup"),
    ),
    Field("packets_per_slave", "integer", "packets on one member before the next has its turn; 0 for a random one"),
    Field("min_links", "integer", "members that must have a link for the bond to have one"),
    Field("all_slaves_active", "switch", "whether packets that arrive on inactive members count"),
    Field("resend_igmp", "integer", "how often multicast groups are joined anew after a failover"),
    Field("num_grat_arp", "integer", "how often neighbours are told of a failover"),
    Field("lp_interval", "integer", "seconds between the packets by which switches learn"),
    Field("tlb_dynamic_lb", "switch", "whether flows move to members with less load"),
    Field("use_carrier", "switch", "whether the driver's carrier counts, or MII registers; newer kernels take 1 only"),
)
_FIELDS: Mapping[str, Field] = {field.name: field for field in FIELDS}

# The keys that are the driver's own, and the modes that look at them; those that are not here work in each.
OPTIONS: Tuple[str, ...] = tuple(field.name for field in FIELDS[8:])
_ARP = (_RR, _BACKUP, _XOR, _BROADCAST)
_FAILOVER = (_BACKUP, _TLB, _ALB)
_TAKEN_BY: Mapping[str, Tuple[str, ...]] = {
    "lacp_rate": (_LACP,),
    "ad_select": (_LACP,),
    "min_links": (_LACP,),
    "xmit_hash_policy": (_XOR, _LACP, _TLB, _ALB),
    "primary": _FAILOVER,
    "primary_reselect": _FAILOVER,
    "fail_over_mac": (_BACKUP,),
    "arp_interval": _ARP,
    "arp_ip_target": _ARP,
    "arp_validate": _ARP,
    "packets_per_slave": (_RR,),
    "resend_igmp": (_RR, *_FAILOVER),
    "num_grat_arp": (_BACKUP,),
    "lp_interval": (_TLB, _ALB),
    "tlb_dynamic_lb": (_TLB,),
}
_MOST_ADDRESSES = 16
_LEAST, _MOST = 68, 65535


class DesiredBond(NamedTuple):
    """One entry: a bond, and whether it is to be there."""

    bond: tool.Bond
    state: str


def value(key: str, text: str) -> Value:
    """What the kernel says about a key, in the type of the input."""
    kind = _FIELDS[key].kind
    if kind == "switch":
        return text == "1"
    return int(text) if kind == "integer" and text.isdecimal() else text


def text(found: Value) -> str:
    """A value in the driver's words."""
    return str(int(found)) if isinstance(found, bool) else str("" if found is None else found)


def parse(entries: Sequence[Mapping[str, Any]]) -> List[DesiredBond]:
    """The bonds that entries describe; InputError for the first invalid one."""
    found: List[DesiredBond] = []
    taken: Dict[str, str] = {}
    for entry in entries:
        one = _entry(entry)
        name = one.bond.name
        if name in [other.bond.name for other in found]:
            raise InputError(f"bonds: there are two entries for {name}; write one")
        for member in one.bond.members if one.state == "present" else ():
            if member in taken:
                raise InputError(f"bonds: {member} cannot be in two bonds, {taken[member]} and {name}")
            taken[member] = name
        found.append(one)
    return found


def _entry(entry: Mapping[str, Any]) -> DesiredBond:
    name = entry.get("name")
    if not isinstance(name, str) or not re.fullmatch(tool.NAME, name) or name in ("all", "default", "lo"):
        right = "up to 15 letters, digits, - and _, the first a letter"
        raise InputError(f"bonds: {name!r} is not the name of a bond; write {right}")
    try:
        given = {}
        for key, raw in entry.items():
            if key not in _FIELDS:
                raise InputError(f"there is no key '{key}'{nearest(str(key), list(_FIELDS), otherwise=False)}")
            if raw is not None and key != "name":
                given[str(key)] = _convert(_FIELDS[str(key)], raw)
        if given.get("state") == "absent":
            return DesiredBond(tool.Bond(name, "", ()), "absent")
        return DesiredBond(_fitting(name, given), "present")
    except InputError as error:
        raise InputError(f"bonds: {name}: {error}") from None


def _convert(field: Field, raw: Any) -> Any:
    if field.kind == "numbered":
        known = {**{str(number): word for number, word in enumerate(field.words)}, **{w: w for w in field.words}}
        word = str(raw).strip().lower()
        if word not in known:
            raise InputError(f"{field.name}: {raw!r} is not valid{nearest(word, field.words)}")
        return known[word]
    if field.kind == "name":
        return _name(field.name, raw)
    if field.kind == "names":
        return _once(field.name, [_name(field.name, word) for word in _list(raw)])
    if field.kind == "interfaces":
        return _once(field.name, [of_nic(field.name, word) for word in _list(raw)])
    if field.kind == "address":
        return str(of_anybody(field.name, raw))
    if field.kind == "addresses":
        return " ".join(sorted(str(of_anybody(field.name, word)) for word in _list(raw)))
    return inputs.value(field, raw)


def _list(raw: Any) -> List[Any]:
    return list(raw) if isinstance(raw, (list, tuple)) else str(raw).replace(",", " ").split()


def _once(key: str, words: Sequence[str]) -> Tuple[str, ...]:
    twice = [word for index, word in enumerate(words) if word in words[:index]]
    if twice:
        raise InputError(f"{key}: {twice[0]} is named twice")
    return tuple(words)


def _name(key: str, raw: Any) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.:@-]{0,14}", str(raw)) or ".." in str(raw):
        raise InputError(f"{key}: {raw!r} is not the name of a NIC")
    return str(raw)


def _fitting(name: str, given: Mapping[str, Any]) -> tool.Bond:
    """A bond of values that fit each other."""
    if "mode" not in given:
        raise InputError(f"mode is missing; choose one of {', '.join(MODES)}")
    if not given.get("members"):
        raise InputError("members are missing; name the NICs of the bond")
    desired = {key: text(given[key]) for key in OPTIONS if key in given}
    _check_mode(given["mode"], desired)
    _check_monitoring(desired)
    # Without either monitor a bond never hears of a lost link, so looking at the links is the default.
    monitored = "miimon" in desired or desired.get("arp_interval", "0") != "0"
    options = desired if monitored else {"miimon": "100", **desired}
    _check_delays(options)
    members = given["members"]
    if "primary" in options and options["primary"] not in members:
        close = nearest(options["primary"], members)
        raise InputError(f"primary: {options['primary']} is not a member{close}")
    if given.get("mtu", _LEAST) < _LEAST:
        raise InputError(f"mtu: desired {given['mtu']}, but the minimum is {_LEAST}")
    if name in members:
        raise InputError(f"members: {name} cannot be a member of itself")
    addresses, gateway, dhcp = given.get("addresses", ()), given.get("gateway", ""), bool(given.get("dhcp"))
    if dhcp and not all(":" in address for address in (*addresses, *([gateway] if gateway else []))):
        raise InputError("dhcp assigns the IPv4 address and gateway; remove those of the entry, or dhcp")
    check_gateway(gateway, addresses)
    return tool.Bond(name, given["mode"], members, options, given.get("mtu"), addresses, gateway, dhcp)


def _check_mode(mode: str, options: Mapping[str, str]) -> None:
    for key in options:
        modes = _TAKEN_BY.get(key, MODES)
        if mode not in modes:
            raise InputError(f"{key}: the mode {mode} does not take it; it is for {', '.join(modes)}")


def _check_monitoring(options: Mapping[str, str]) -> None:
    probes = options.get("arp_interval", "0") != "0"
    if probes and options.get("miimon", "0") != "0":
        raise InputError("arp_interval and miimon exclude each other; remove one")
    addresses = options.get("arp_ip_target", "").split()
    if probes and not addresses:
        raise InputError("arp_interval needs arp_ip_target, the addresses to ask for")
    if not probes and (addresses or "arp_validate" in options):
        raise InputError("arp_ip_target and arp_validate need arp_interval")
    if len(addresses) > _MOST_ADDRESSES or any(":" in address for address in addresses):
        raise InputError(
            f"arp_ip_target: {' '.join(addresses)} is not valid; write {_MOST_ADDRESSES} IPv4 addresses at most"
        )


def _check_delays(options: Mapping[str, str]) -> None:
    step = int(options.get("miimon", "0"))
    for key in ("updelay", "downdelay"):
        delay = int(options.get(key, "0"))
        if delay and not step:
            raise InputError(f"{key} needs miimon")
        if delay and delay % step:
            lower = delay - delay % step
            right = f"{lower} or {lower + step}" if lower else str(step)
            raise InputError(f"{key}: {delay} is no multiple of miimon {step}; write {right}")


def check(host: Reader, bond: tool.Bond) -> None:
    """InputError for what this host cannot do: members that are not there or not free, an MTU they do not take."""
    nics = [name for name in host.names(sysfs.ROOT) if host.exists(f"{sysfs.ROOT}/{name}/ifindex") and name != "lo"]
    owners = tool.owners(host)
    for member in bond.members:
        if member not in nics:
            raise InputError(f"bonds: {bond.name}: this host has no NIC '{member}'{nearest(member, nics)}")
        if tool.present(host, member):
            raise InputError(f"bonds: {bond.name}: {member} is a bond itself")
        # A bridge has ports as well, and names them in the same place.
        owner = owners.get(member) or host.target(f"{sysfs.ROOT}/{member}/master") or bond.name
        if bond.name in sysfs.below(host, member):
            raise InputError(f"bonds: {bond.name}: {member} is above {bond.name} and cannot be its member")
        if owner != bond.name:
            taken = f"{member} is a member of {owner}"
            raise InputError(f"bonds: {bond.name}: {taken}; remove it there first, in a separate call")
    if bond.name in nics and not tool.present(host, bond.name):
        raise InputError(f"bonds: {bond.name}: there is a NIC of that name that is not a bond")
    if bond.mtu:
        _check_mtu(host, bond, bond.mtu)


def _check_mtu(host: Reader, bond: tool.Bond, mtu: int) -> None:
    links = ip.links(host)
    for member in bond.members:
        most = links.get(member, {}).get("max_mtu", _MOST)
        if isinstance(most, int) and mtu > most:
            raise InputError(f"bonds: {bond.name}: mtu: desired {mtu}, but the maximum of {member} is {most}")
