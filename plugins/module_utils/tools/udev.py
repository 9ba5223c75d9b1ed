# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak systemd.link files, by which udev sets NICs when they appear."""

from __future__ import annotations

import re
from typing import Any, Dict, List

from ..schema import Reader
from . import conf

_FOLDERS = (
    "/etc/systemd/network",
    "/run/systemd/network",
    "/usr/local/lib/systemd/network",
    "/usr/lib/systemd/network",
)

# What such a file can set that this collection sets as well; names, aliases and addresses are no rivals.
_OURS = re.compile(
    r"MTUBytes|TransmitQueueLength|.*BufferSize|.*Channels|.*Offload|.*FlowControl|AutoNegotiationFlowControl"
    r"|BitsPerSecond|Duplex|AutoNegotiation|Advertise|MDI|WakeOnLan|GenericSegmentOffloadMax(Bytes|Segments)"
    r"|.*Coalesce.*|.*MaxCoalescedFrames.*|Receive(Packet)?Steering.*|TransmitQueues|ReceiveQueues"
)


def link_files(host: Reader) -> List[Dict[str, Any]]:
    """The files that set something of ours: which NICs they mean, and what they set."""
    paths = conf.in_order(host, _FOLDERS, ".link").values()
    found = ({"file": path, **_parse(host.read(path) or "")} for path in paths)
    return [item for item in found if item["sets"]]


def _parse(text: str) -> Dict[str, Dict[str, str]]:
    section = ""
    facts: Dict[str, Dict[str, str]] = {"match": {}, "sets": {}}
    for line in text.splitlines():
        line = line.strip()
        key, equals, value = (part.strip() for part in line.partition("="))
        if line.startswith("["):
            section = line.strip("[]")
        elif equals and section == "Match" and key[:1] not in "#;":
            facts["match"][key] = value
        elif equals and section == "Link" and _OURS.fullmatch(key):
            facts["sets"][key] = value
    return facts
