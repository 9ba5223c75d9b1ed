# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak ip: what iproute2 says about links, in JSON or, where it is too old for that, in text."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Tuple

from ..schema import Cell, Query, Reader, Run, Value, nearest
from .qdisc import OWN_LIMIT

# What the kernel may join to one packet for sending (GSO) and of received ones (GRO); above 65536 is BIG TCP.
SIZES = ("gso_max_size", "gso_max_segs", "gro_max_size", "gso_ipv4_max_size", "gro_ipv4_max_size")
_NUMBERS = ("mtu", "min_mtu", "max_mtu", "txqueuelen", *SIZES, "tso_max_size", "tso_max_segs")
# What gives its own MTU to its ports; a bridge takes that of the smallest.
_ABOVE = ("bond", "team")
_WORDS = ("qdisc", "master", "operstate", "group", "alias")
_LABELS = {
    "txqlen": "txqueuelen",
    "qlen": "txqueuelen",
    "minmtu": "min_mtu",
    "maxmtu": "max_mtu",
    "state": "operstate",
    "ifalias": "alias",
}

# Before Linux 5.19, which shows what the driver can take (tso_max_size), there was one limit for all.
_LEGACY_SIZE, _LARGEST_SIZE = 65536, 8 * 65535
_GROUPS = ("/etc/iproute2/group", "/usr/share/iproute2/group", "/usr/lib/iproute2/group")


def set_link(nic: str, values: Mapping[str, Value]) -> Run:
    """`ip link set dev NIC mtu 9000 gso_max_size 65536`; the kernel takes the MTU first, in any order of words."""
    pairs = ((key, "" if value is None else str(value)) for key, value in values.items())
    return Run(("ip", "link", "set", "dev", nic, *(word for pair in pairs for word in pair)))


def cells(host: Reader, nic: str) -> Tuple[Dict[str, Cell], str]:
    """The cells of one NIC, and what ip complained of where there are none."""
    answer = host.ask(Query(("ip", "-d", "-j", "link", "show", "dev", nic)))
    facts = parse(answer.out).get(nic)
    if facts is None:
        answer = host.ask(Query(("ip", "-d", "-o", "link", "show", "dev", nic)))
        facts = parse(answer.out).get(nic)
    if not facts:
        return {}, f"the device does not have it ({answer.complaint})"
    found = {key: facts[key] for key in ("mtu", "txqueuelen") if isinstance(facts.get(key), int)}
    # iproute2 does not show a queue of no length.
    made = {key: Cell(int(str(value))) for key, value in {**found, "txqueuelen": found.get("txqueuelen", 0)}.items()}
    if "mtu" in made:
        low, high = (int(str(facts[key])) if key in facts else None for key in ("min_mtu", "max_mtu"))
        note = f"{facts['master']} sets the MTU of its ports itself" if facts.get("master_kind") in _ABOVE else ""
        made["mtu"] = Cell(made["mtu"].value, minimum=low, maximum=high, note=note)
    if "txqueuelen" in made:
        # What lies below mq is one `tc` more for each NIC; it is the default, unless somebody has changed it by hand.
        default = str(host.read("/proc/sys/net/core/default_qdisc") or "").strip()
        made["txqueuelen"] = Cell(made["txqueuelen"].value, note=_ignored(str(facts.get("qdisc", "")), default))
    return {**made, **_sizes(facts), **_names(host, facts)}, ""


def _sizes(facts: Mapping[str, object]) -> Dict[str, Cell]:
    """The limits are the kernel's own for what is received, and the driver's for what is sent."""
    modern = "tso_max_size" in facts
    made = {}
    for key in SIZES:
        if key in facts:
            received = _LARGEST_SIZE if modern else _LEGACY_SIZE
            top = facts.get("tso_max_segs", 65535) if key.endswith("segs") else facts.get("tso_max_size", _LEGACY_SIZE)
            made[key] = Cell(int(str(facts[key])), maximum=int(str(received if key.startswith("gro") else top)))
    return made


def _names(host: Reader, facts: Mapping[str, object]) -> Dict[str, Cell]:
    """The group by the name that ip shows for its number, and the alias."""
    alias = {"alias": Cell(str(facts["alias"]) if facts.get("alias") else None)}
    if "group" not in facts:
        return alias
    text = next((text for text in (host.read(path) for path in _GROUPS) if text is not None), "")
    rows = [line.split() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
    names = {"0": "default", **{row[0]: row[1] for row in rows if len(row) > 1}}
    return {"group": Cell(str(facts["group"]), means=lambda word: _group(word, names)), **alias}


def _group(word: str, names: Mapping[str, str]) -> str:
    if word.isdecimal():
        return names.get(str(int(word)), str(int(word)))
    if word in names.values():
        return word
    raise ValueError(f"neither a number nor a name of {_GROUPS[0]}{nearest(word, list(names.values()))}")


def _ignored(qdisc: str, default: str) -> str:
    """Whether the qdisc in place, or those of its queues, will look at the queue length at all."""
    queues = qdisc in ("mq", "mqprio") and default
    name = default if queues else qdisc
    where = f"the queueing discipline {name}{' of its queues' if queues else ''}"
    if name == "noqueue":
        return f"{where} does not look at txqueuelen, because it has no queue"
    if name in OWN_LIMIT:
        return f"{where} does not look at txqueuelen, because it has a limit of its own"
    # pfifo_fast follows: up to Linux 4.15 it looked at each packet, since 4.16 its rings are resized with the number.
    if name in ("multiq", "prio"):
        return f"the bands of {name} took their limit from txqueuelen when they were made; make {name} anew"
    if name in ("pfifo", "bfifo"):
        return f"{where} took its limit from txqueuelen when it was made; make it anew with `tc qdisc replace`"
    return ""


def links(host: Reader) -> Dict[str, Dict[str, object]]:
    """Facts by NIC: mtu, min_mtu, max_mtu (bytes; absent if the driver has no limit), txqueuelen, qdisc, master.

    `master_kind` is what the master is: bond, bridge, vrf, team and the like.
    """
    found = parse(host.ask(Query(("ip", "-d", "-j", "link", "show"))).out)
    return found or parse(host.ask(Query(("ip", "-d", "-o", "link", "show"))).out)


def parse(out: str) -> Dict[str, Dict[str, object]]:
    """Either form of the output; what is not understood is left out."""
    try:
        rows = [(row["ifname"], row) for row in json.loads(out)]
    except (ValueError, TypeError, KeyError):
        rows = list(_text(out))
    return {name: dict(_facts(row)) for name, row in rows if isinstance(name, str)}


def _text(out: str) -> Iterator[Tuple[str, Mapping[str, str]]]:
    """Lines such as `2: enp1s0@if3: <UP> mtu 1500 qdisc mq ... qlen 1000\\    link/ether ... maxmtu 9216`."""
    for line in out.splitlines():
        match = re.match(r"\d+: ([^\s:@]+)(?:@[^\s:]+)?: <[^>]*> ", line)
        if match:
            # The alias is any text, and would be taken for labels.
            said, _mark, alias = line[match.end() :].partition("\\    alias ")
            words = said.replace("\\", " ").split()
            facts = dict(zip(reversed(words[:-1]), reversed(words[1:])))
            yield match.group(1), {**facts, **({"alias": alias} if alias else {})}


def _facts(row: Mapping[str, Any]) -> Iterator[Tuple[str, object]]:
    for label, value in row.items():
        key = _LABELS.get(label, label)
        if key in _WORDS:
            yield key, str(value)
        elif key == "linkinfo" and isinstance(value, dict) and "info_slave_kind" in value:
            yield "master_kind", str(value["info_slave_kind"])
        elif key in ("bridge_slave", "bond_slave"):
            yield "master_kind", key[:-6]
        elif key in _NUMBERS and re.fullmatch(r"\d{1,10}", str(value)) and (int(value) or key != "max_mtu"):
            yield key, int(value)


def addresses(host: Reader, expiring: bool = False) -> Dict[str, List[str]]:
    """The addresses by NIC: not those of the link itself, and those that expire, as of DHCP, only if requested."""
    answer = host.ask(Query(("ip", "-j", "address", "show")))
    try:
        rows = json.loads(answer.out)
        return {
            row["ifname"]: [
                f"{item['local']}/{item['prefixlen']}" for item in row["addr_info"] if _is_set(item, expiring)
            ]
            for row in rows
        }
    except (ValueError, TypeError, KeyError):
        found: Dict[str, List[str]] = {}
    for line in host.ask(Query(("ip", "-o", "address", "show"))).out.splitlines():
        match = re.match(r"\d+: (\S+)\s+inet6? (\S+) (.*)", line)
        if match and "scope link" not in match.group(3) and (expiring or " dynamic " not in match.group(3)):
            found.setdefault(match.group(1), []).append(match.group(2))
    return found


def _is_set(item: Mapping[str, Any], expiring: bool) -> bool:
    return "local" in item and item.get("scope") != "link" and (expiring or not item.get("dynamic"))


def exceptions(host: Reader, six: bool) -> List[Dict[str, Any]]:
    """Destinations with an MTU of their own, which a router on the way has told: `192.0.2.1 dev eth0 ... mtu 1400`.

    `six` is whether IPv6 may have any.
    """
    found = []
    for family in ("-4", "-6") if six else ("-4",):
        out = host.ask(Query(("ip", family, "-o", "route", "show", "cache"))).out
        for match in re.finditer(
            r"^(?:unicast )?(\S+) (?:.* )?dev (\S+).* mtu (?:lock )?(\d{1,6})\b", out, re.MULTILINE
        ):
            found.append({"to": match[1], "nic": match[2], "mtu": int(match[3])})
    return found


def gateway(host: Reader, nic: str) -> List[str]:
    """The default gateways through one NIC that somebody has set; a router's own announcements are none."""
    ways = []
    for family in ("-4", "-6"):
        out = host.ask(Query(("ip", family, "route", "show", "default", "dev", nic))).out
        ways += re.findall(r"^default via (\S+)(?!.* proto ra\b)", out, re.MULTILINE)
    return ways


class Way(NamedTuple):
    """How packets to an address leave: the NIC, the address that they come from, and the router, if there is one."""

    nic: str
    source: str
    router: str


def ways_to(host: Reader, address: str) -> List[Way]:
    """The ways to an address, or to all that a name has, which the host looks up; none where there is no way."""
    addresses = [address]
    if not re.fullmatch(r"[0-9.]+|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*", address):
        lines = host.ask(Query(("getent", "ahosts", address), 15)).out.splitlines()
        addresses = [*dict.fromkeys(line.split()[0] for line in lines if line.strip())]
    found = []
    for one in addresses:
        out = host.ask(Query(("ip", "-o", "route", "get", one))).out
        match = re.search(r"\bdev (\S+)", out)
        words = {key: re.search(rf"\b{key} (?:inet6? )?(\S+)", out) for key in ("src", "via")}
        source, router = ("" if word is None else word.group(1) for word in words.values())
        found += [Way(match.group(1), source, router)] if match else []
    return found
