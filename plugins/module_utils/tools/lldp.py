# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak LLDP: which port of which switch a NIC hangs on, as lldpd or systemd-networkd has heard it."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Mapping

# IEEE 802.1AB: the kinds of parts of a frame, and of identifiers of a port whose bytes are text.
_PORT, _PORT_TEXT, _NAME, _CAN, _CHASSIS, _OWN = 2, 4, 5, 7, 1, 127
_TEXTS = (1, 2, 3, 5, 6, 7)
_BINARY_MAC = {_CHASSIS: 4, _PORT: 3}
_IEEE_802_1, _IEEE_802_3 = b"\x00\x80\xc2", b"\x00\x12\x0f"
# Of the enabled capabilities the one of a bridge; of the state of link aggregation that it is in force. The latter was
# moved from 802.3 to 802.1 in 2009, and switches send it as either.
_BRIDGE, _AGGREGATED = 0x04, 0x02
_AGGREGATION = (_IEEE_802_3 + b"\x03", _IEEE_802_1 + b"\x07")


def keyvalue(text: str) -> Dict[str, Dict[str, Any]]:
    """Parse `lldpcli -f keyvalue show neighbors details`, by NIC; a neighbour begins with its line `via`."""
    found: Dict[str, List[Dict[str, str]]] = {}
    for line in text.splitlines():
        match = re.fullmatch(r"lldp\.(.+?)\.((?:via|chassis|port|vlan)\b.*?)=(.*)", line)
        if match:
            nic, key, value = match.groups()
            rows = found.setdefault(nic, [])
            if key == "via" or not rows:
                rows.append({})
            rows[-1].setdefault(key, value)
    return {nic: _told(rows) for nic, rows in found.items()}


def _told(rows: List[Dict[str, str]]) -> Dict[str, Any]:
    """Of several neighbours the one that is a bridge: others send LLDP through a switch that has none."""
    row = next((row for row in rows if row.get("chassis.Bridge.enabled") == "on"), rows[0])
    port = next((row[key] for key in ("port.ifname", "port.local", "port.ifalias", "port.mac") if key in row), "")
    mfs, vlan, group = (row.get(key, "") for key in ("port.mfs", "vlan.vlan-id", "port.aggregation"))
    return _facts(
        switch=row.get("chassis.name", "") or row.get("chassis.mac", ""),
        port=port,
        about=row.get("port.descr", ""),
        frame_size=int(mfs) if re.fullmatch(r"\d{1,5}", mfs) else None,
        vlan=int(vlan) if re.fullmatch(r"\d{1,4}", vlan) and row.get("vlan.pvid") == "yes" else None,
        bridge={"on": True, "off": False}.get(row.get("chassis.Bridge.enabled", "")),
        # A port that says that it is in no group has no line, and neither has one that says nothing.
        **_grouped(True, int(group) if re.fullmatch(r"\d{1,9}", group) else 0) if group else {},
    )


def _grouped(on: bool, group: int) -> Dict[str, Any]:
    return {"aggregated": on, "group": group or None} if on else {"aggregated": False}


def _facts(**told: Any) -> Dict[str, Any]:
    return {key: value for key, value in told.items() if value not in (None, "")}


def frames(text: str) -> Dict[str, Any]:
    """Parse what `od` shows of /run/systemd/netif/lldp/IFINDEX: frames, each behind its length; the first one."""
    words = text.split()
    data = bytes(int(word, 16) for word in words if re.fullmatch(r"[0-9a-f]{2}", word))
    while len(data) > 8:
        size = int.from_bytes(data[:8], "little")
        told = _frame(data[8 : 8 + size])
        if told.get("port"):
            return told
        data = data[8 + size :]
    return {}


def _frame(data: bytes) -> Dict[str, Any]:
    told: Dict[str, Any] = {}
    data = data[14:]
    while len(data) >= 2:
        head = int.from_bytes(data[:2], "big")
        kind, body = head >> 9, data[2 : 2 + (head & 0x1FF)]
        data = data[2 + (head & 0x1FF) :]
        if kind in (_PORT, _CHASSIS) and len(body) > 1:
            told.setdefault("port" if kind == _PORT else "chassis", _identifier(body, _BINARY_MAC[kind]))
        elif kind in (_PORT_TEXT, _NAME):
            told.setdefault("about" if kind == _PORT_TEXT else "switch", body.decode("utf-8", "replace"))
        elif kind == _CAN and len(body) == 4:
            told["bridge"] = bool(body[3] & _BRIDGE)
        elif kind == _OWN and body[:4] in _AGGREGATION and len(body) == 9:
            told.update(_grouped(bool(body[4] & _AGGREGATED), int.from_bytes(body[5:], "big")))
        elif kind == _OWN and body[:4] == _IEEE_802_1 + b"\x01" and len(body) == 6:
            told["vlan"] = int.from_bytes(body[4:], "big") or None
        elif kind == _OWN and body[:4] == _IEEE_802_3 + b"\x04" and len(body) == 6:
            told["frame_size"] = int.from_bytes(body[4:], "big")
    chassis = told.pop("chassis", "")
    return _facts(**{**told, "switch": told.get("switch") or chassis})


def _identifier(body: bytes, mac: int) -> str:
    if body[0] == mac:
        return ":".join(f"{byte:02x}" for byte in body[1:])
    return body[1:].decode("utf-8", "replace") if body[0] in _TEXTS else body[1:].hex()


def networkctl(text: str) -> Dict[str, Dict[str, Any]]:
    """Parse `networkctl lldp --json=short`, of systemd from 257 on, by NIC."""
    try:
        whole = json.loads(text)
    except ValueError:
        return {}
    found = {}
    for row in _rows(whole):
        name, told = row.get("InterfaceName"), [_named(neighbour) for neighbour in _rows(row)]
        if isinstance(name, str) and told:
            found[name] = told[0]
    return found


def _rows(value: Any) -> List[Mapping[str, Any]]:
    rows = value.get("Neighbors") if isinstance(value, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _named(row: Mapping[str, Any]) -> Dict[str, Any]:
    words = {key: value for key, value in row.items() if isinstance(value, str)}
    able = row.get("EnabledCapabilities")
    return _facts(
        switch=words.get("SystemName") or words.get("ChassisID"),
        port=words.get("PortID"),
        about=words.get("PortDescription"),
        bridge=bool(able & _BRIDGE) if isinstance(able, int) else None,
    )
