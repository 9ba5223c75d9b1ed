# SPDX-License-Identifier: GPL-3.0-or-later
"""Know services whose fixed ports lie among those that the kernel gives to outgoing connections, and who has them."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, Tuple

# hdfs-default.xml of Hadoop 2 (3 has moved them for this reason, HDFS-9427), hbase-default.xml before 1.0, what
# github.com/ClickHouse/ClickHouse/issues/30879 has of ClickHouse Keeper, and the port for agents of Jenkins.
SERVICES: Mapping[str, Tuple[int, ...]] = {
    "HDFS of Hadoop 2": (50010, 50020, 50070, 50075, 50090, 50470, 50475),
    "HBase": (60000, 60010, 60020, 60030),
    "ClickHouse Keeper": (44444,),
    "agents of Jenkins": (50000,),
}
_PORTS = {port for ports in SERVICES.values() for port in ports}
# Ports below these are those of services.
_OWN = 32768


def listening(text: str) -> List[int]:
    """Of `ss -tln` and `ss -xtln`: the ports of the table on which a program listens."""
    found = re.findall(r"^(?:tcp\s+)?LISTEN\s+\d+\s+\d+\s+\S+:(\d{1,5})\s", text, re.MULTILINE)
    return sorted({int(port) for port in found} & _PORTS)


def taken(text: str) -> Dict[int, str]:
    """Of `ss -tn` of established connections: ports of the table that one has which was opened here, and to whom."""
    found: Dict[int, str] = {}
    for line in text.splitlines():
        words = [word for word in line.split() if re.fullmatch(r"\S+:\d{1,5}", word)] if line[:1].strip() else []
        if len(words) >= 2:
            own, (peer, _colon, port) = int(words[0].rpartition(":")[2]), words[1].rpartition(":")
            if own in _PORTS and int(port) < _OWN:
                found.setdefault(own, f"{peer.strip('[]')} port {port}")
    return found
