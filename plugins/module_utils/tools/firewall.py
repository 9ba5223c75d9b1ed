# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak to whichever firewall is in force: what opens a range of ports for a while, and what closes it again.

Rules are put into the running firewall only, never into its files, so that a reboot closes the ports in any case.
"""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Tuple

from ..schema import Answer, HangsError, Query, Reader, TuningError

Action = Dict[str, Any]


class Opening(NamedTuple):
    """The firewalls in force, and the actions in the form that station.py carries out."""

    names: Tuple[str, ...]
    prepare: Tuple[Action, ...]
    undo: Tuple[Action, ...]


def opening(host: Reader, ports: str, protocols: Sequence[str], seconds: int, mark: str) -> Opening:
    """What opens the ports, such as `5201-5211`; `mark` is the comment that tells our rules from others."""
    if _ask(host, "firewall-cmd", "--state").rc == 0:
        return _firewalld(host, ports, protocols, seconds)
    found = [*_nft(host, ports, protocols, mark), *_iptables(host, ports, protocols, mark)]
    names = dict.fromkeys(name for name, _prepare, _undo in found)
    return Opening(tuple(names), tuple(row[1] for row in found), tuple(row[2] for row in found))


def _ask(host: Reader, *argv: str) -> Answer:
    try:
        answer: Answer = host.ask(Query(argv, 20))
        return answer
    except HangsError:
        raise
    except TuningError:
        return Answer(127, "", f"{argv[0]} is not installed")


def _firewalld(host: Reader, ports: str, protocols: Sequence[str], seconds: int) -> Opening:
    """A rich rule is a thing of its own; a plain port would be merged with overlapping ranges of the administrator."""
    zones = [
        line.split()[0]
        for line in _ask(host, "firewall-cmd", "--get-active-zones").out.splitlines()
        if line[:1].strip()
    ]
    # NICs that nobody has assigned are in the default zone, which need not count as active.
    default = _ask(host, "firewall-cmd", "--get-default-zone").out.strip()
    prepare, undo = [], []
    for zone in dict.fromkeys([*zones, *([default] if default else [])]):
        for protocol in protocols:
            rule = f'rule port port="{ports}" protocol="{protocol}" accept'
            command = ["firewall-cmd", "--quiet", f"--zone={zone}"]
            prepare.append({"run": [*command, f"--add-rich-rule={rule}", f"--timeout={seconds}s"]})
            undo.append({"run": [*command, f"--remove-rich-rule={rule}"]})
    return Opening(("firewalld",), tuple(prepare), tuple(undo))


def _nft(host: Reader, ports: str, protocols: Sequence[str], mark: str) -> Iterator[Tuple[str, Action, Action]]:
    """A rule at the top of each chain that sees incoming packets: one chain's accept does not bind another."""
    for family, table, chain in _input_chains(_ask(host, "nft", "-j", "list", "chains").out):
        if (table, chain) == ("filter", "INPUT") and family != "inet" and _iptables_is_there(host, family):
            continue
        place = [family, table, chain]
        for protocol in protocols:
            comment = f"{mark}-{protocol}"
            rule = [protocol, "dport", ports, "accept", "comment", f'"{comment}"']
            undo = {
                "find": ["nft", "-a", "list", "chain", *place],
                "pattern": f'comment "{comment}" # handle (\\d+)',
                "run": ["nft", "delete", "rule", *place, "handle", "{}"],
            }
            yield "nftables", {"run": ["nft", "insert", "rule", *place, *rule]}, undo


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


def _iptables(host: Reader, ports: str, protocols: Sequence[str], mark: str) -> Iterator[Tuple[str, Action, Action]]:
    """Also for ufw, whose own commands would write the rule to its files."""
    for program in _PROGRAMS.values():
        rules: List[str] = _ask(host, program, "-S", "INPUT").out.split("\n")
        if rules[0] in ("", "-P INPUT ACCEPT") and not any(rules[1:]):
            continue
        name = "ufw" if any("ufw-" in rule for rule in rules) else "iptables"
        for protocol in protocols:
            match = ["-p", protocol, "-m", protocol, "--dport", ports.replace("-", ":")]
            rule = ["INPUT", *match, "-m", "comment", "--comment", mark, "-j", "ACCEPT"]
            yield name, {"run": [program, "-w", "-I", *rule]}, {"run": [program, "-w", "-D", *rule]}
