# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather whom the host asks for names, and which of these do not answer on its own link."""

from __future__ import annotations

from typing import Any, Dict

from ..host import ReadOnlyHost
from ..schema import TuningError
from ..tools import resolver

_ARP = "/proc/net/arp"


def gather(host: ReadOnlyHost) -> Dict[str, Any]:
    """The servers of resolv.conf, and under `silent` by address the NIC at which nobody answers for it."""
    facts = resolver.parse(host.read(resolver.CONFIGURATION) or "")
    rows = [line.split() for line in (host.read(_ARP) or "").splitlines()[1:]]
    # Without the flag ATF_COM; of version 6 there is no such file.
    waiting = {words[0] for words in rows if len(words) == 6 and words[2] == "0x0"}
    doubtful = [server for server in facts["servers"] if server in waiting or _version_6(server)]
    silent = {server: resolver.silent(_said(host, server)) for server in doubtful}
    return {**facts, "silent": {server: nic for server, nic in silent.items() if nic}}


def _version_6(server: str) -> bool:
    return ":" in server and "%" not in server and server != "::1"


def _said(host: ReadOnlyHost, server: str) -> str:
    try:
        return host.ask(resolver.neighbour(server)).out
    except TuningError:
        return ""
