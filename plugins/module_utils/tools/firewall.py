# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak to whichever firewall is in force: what opens a range of ports to some hosts for a while, and closes it again.

Rules are put into the running firewall only, never into its files, so that a reboot closes the ports in any case.
"""

from __future__ import annotations

import ipaddress
import json
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

from ..schema import Answer, Query, Reader, TuningError
from . import optional

Action = Dict[str, Any]


class Opening(NamedTuple):
    """The firewalls in force, and the actions in the form that the station carries out."""

    names: Tuple[str, ...]
    prepare: Tuple[Action, ...]
    undo: Tuple[Action, ...]


class _Request(NamedTuple):
    """What is to be let in: the ports, such as `5201-5211`, from which networks, by family."""

    ports: str
    protocols: Sequence[str]
    sources: Mapping[str, Sequence[str]]
    mark: str


def opening(
    host: Reader, ports: str, protocols: Sequence[str], sources: Sequence[str], seconds: int, mark: str
) -> Opening:
    """What opens the ports to these addresses and networks; `mark` is the comment that tells our rules from others."""
    request = _Request(ports, protocols, _by_family(sources), mark)
    if not request.sources:
        return Opening((), (), ())
    if _ask(host, "firewall-cmd", "--state").rc == 0:
        return _firewalld(host, request, seconds)
    found = [*_nft(host, request), *_iptables(host, request)]
    names = dict.fromkeys(name for name, _prepare, _undo in found)
    return Opening(tuple(names), tuple(row[1] for row in found), tuple(row[2] for row in found))


_FAMILIES = {4: "ip", 6: "ip6"}


def _by_family(sources: Sequence[str]) -> Dict[str, List[str]]:
    """The networks in the words of nftables for their family: as few as cover these addresses, and no other one."""
    found: Dict[str, List[Any]] = {}
    for source in sources:
        try:
            network = ipaddress.ip_network(str(source).partition("%")[0], strict=False)
        except ValueError:
            raise TuningError(f"sources: {source} is no address and no network such as 10.0.0.0/24") from None
        found.setdefault(_FAMILIES[network.version], []).append(network)
    return {
        family: [str(one).replace("/32" if family == "ip" else "/128", "") for one in ipaddress.collapse_addresses(own)]
        for family, own in sorted(found.items())
    }


def _ask(host: Reader, *argv: str) -> Answer:
    return optional.ask(host, Query(argv, 20))


def _firewalld(host: Reader, request: _Request, seconds: int) -> Opening:
    """A rich rule is a thing of its own; a plain port would be merged with overlapping ranges of the administrator."""
    zones = [
        line.split()[0]
        for line in _ask(host, "firewall-cmd", "--get-active-zones").out.splitlines()
        if line[:1].strip()
    ]
    # NICs that nobody has assigned are in the default zone, which need not count as active.
    default = _ask(host, "firewall-cmd", "--get-default-zone").out.strip()
    about = 'rule family="{}" source address="{}" port port="{}" protocol="{}" accept'
    rules = [
        about.format(_LONG[family], network, request.ports, protocol)
        for family, networks in request.sources.items()
        for network in networks
        for protocol in request.protocols
    ]
    prepare, undo = [], []
    for zone in dict.fromkeys([*zones, *([default] if default else [])]):
        command = ["firewall-cmd", "--quiet", f"--zone={zone}"]
        for first in range(0, len(rules), _AT_ONCE):
            some = rules[first : first + _AT_ONCE]
            prepare.append({"run": [*command, *(f"--add-rich-rule={rule}" for rule in some), f"--timeout={seconds}s"]})
            undo.append({"run": [*command, *(f"--remove-rich-rule={rule}" for rule in some)]})
    return Opening(("firewalld",), tuple(prepare), tuple(undo))


_LONG = {"ip": "ipv4", "ip6": "ipv6"}
# Its client takes half a second to start, and firewalld up to as long for a rule; a command has 30 s.
_AT_ONCE = 20


def _nft(host: Reader, request: _Request) -> Iterator[Tuple[str, Action, Action]]:
    """A rule at the top of each chain that sees incoming packets: one chain's accept does not bind another."""
    for family, table, chain in _input_chains(_ask(host, "nft", "-j", "list", "chains").out):
        if (table, chain) == ("filter", "INPUT") and family != "inet" and _iptables_is_there(host, family):
            continue
        where = [family, table, chain]
        pairs = [(sort, protocol) for sort in request.sources for protocol in request.protocols]
        for sort, protocol in pairs:
            if family not in ("inet", sort):
                continue
            networks = request.sources[sort]
            among = networks if len(networks) == 1 else ["{", ", ".join(networks), "}"]
            comment = f"{request.mark}-{protocol}-{_LONG[sort]}"
            rule = [sort, "saddr", *among, protocol, "dport", request.ports, "accept", "comment", f'"{comment}"']
            undo = {
                "find": ["nft", "-a", "list", "chain", *where],
                "pattern": f'comment "{comment}" # handle (\\d+)',
                "run": ["nft", "delete", "rule", *where, "handle", "{}"],
            }
            yield "nftables", {"run": ["nft", "insert", "rule", *where, *rule]}, undo


def _input_chains(out: str) -> Iterator[Tuple[str, str, str]]:
    try:
        items = json.loads(out)["nftables"]
    except (ValueError, TypeError, KeyError):
        return
    for item in items:
        chain = item.get("chain", {})
        if chain.get("hook") == "input" and chain.get("family") in ("inet", "ip", "ip6"):
            yield chain["family"], chain["table"], chain["name"]


def _iptables_is_there(host: Reader, family: str) -> bool:
    return _ask(host, _PROGRAMS[family], "-S", "INPUT").rc == 0


_PROGRAMS = {"ip": "iptables", "ip6": "ip6tables"}


def _iptables(host: Reader, request: _Request) -> Iterator[Tuple[str, Action, Action]]:
    """Also for ufw, whose own commands would write the rule to its files."""
    for family, networks in request.sources.items():
        program = _PROGRAMS[family]
        rules: List[str] = _ask(host, program, "-S", "INPUT").out.split("\n")
        if rules[0] in ("", "-P INPUT ACCEPT") and not any(rules[1:]):
            continue
        name = "ufw" if any("ufw-" in rule for rule in rules) else "iptables"
        for network, protocol in ((network, protocol) for network in networks for protocol in request.protocols):
            match = ["-s", network, "-p", protocol, "-m", protocol, "--dport", request.ports.replace("-", ":")]
            rule = ["INPUT", *match, "-m", "comment", "--comment", request.mark, "-j", "ACCEPT"]
            yield name, {"run": [program, "-w", "-I", *rule]}, {"run": [program, "-w", "-D", *rule]}
