# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather whom the host asks for names, and which of these do not answer on its own link."""

from __future__ import annotations

from typing import Any, Dict

from ..host import ReadOnlyHost
from ..tools import protocols, resolver
from .saying import said


def gather(host: ReadOnlyHost) -> Dict[str, Any]:
    """The servers of resolv.conf, and under `silent` by address the NIC at which nobody answers for it.

    Where systemd-resolved is the server, also what it has counted (`resolved`).
    """
    facts = resolver.parse(host.read(resolver.CONFIGURATION) or "")
    # Of version 6 there is no such file.
    waiting = {address for _nic, address in protocols.incomplete(host.read(protocols.ARP) or "")}
    doubtful = [server for server in facts["servers"] if server in waiting or _version_6(server)]
    silent = {server: resolver.silent(said(host, resolver.neighbour(server))) for server in doubtful}
    stub = resolver.STUB in facts["servers"]
    counted = resolver.statistics(said(host, resolver.STATISTICS)) if stub else {}
    told = {"silent": {server: nic for server, nic in silent.items() if nic}}
    return {**facts, **told, **({"resolved": counted} if counted else {})}


def _version_6(server: str) -> bool:
    return ":" in server and "%" not in server and server != "::1"
