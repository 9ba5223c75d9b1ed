# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak ethtool about n-tuple rules: what `-n` prints of a rule, in the words of `-N flow-type`.

Bits of a mask that are 1 are ignored, in what ethtool prints and in what it takes (rxclass.c). A field that is ignored
as a whole is left out here.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from ..schema import Query, Reader, Run, nearest

# ethtool 6.1 ends with 0 although the kernel has refused a rule, and says so with these words.
_REFUSED = "rmgr: Cannot"

FOREIGN = "a rule that no words of the collection write"

_FLOWS = {
    "TCP over IPv4": "tcp4",
    "UDP over IPv4": "udp4",
    "SCTP over IPv4": "sctp4",
    "IPSEC AH over IPv4": "ah4",
    "IPSEC ESP over IPv4": "esp4",
    "Raw IPv4": "ip4",
    "TCP over IPv6": "tcp6",
    "UDP over IPv6": "udp6",
    "SCTP over IPv6": "sctp6",
    "IPSEC AH over IPv6": "ah6",
    "IPSEC ESP over IPv6": "esp6",
    "Raw IPv6": "ip6",
    "Raw Ethernet": "ether",
}


class _Option(NamedTuple):
    """What ethtool prints for a field, what its value is, and the bits of it."""

    label: str
    kind: str = "number"
    bits: int = 16


# In the order of ethtool's manual.
_OPTIONS: Mapping[str, _Option] = {
    "src": _Option("Src MAC addr", "mac"),
    "dst": _Option("Dest MAC addr", "mac"),
    "proto": _Option("Ethertype", "code"),
    "src-ip": _Option("Src IP addr", "ip"),
    "dst-ip": _Option("Dest IP addr", "ip"),
    "tos": _Option("TOS", "code", 8),
    "tclass": _Option("Traffic Class", "code", 8),
    "l4proto": _Option("Protocol", bits=8),
    "l4data": _Option("L4 bytes", "code", 32),
    "src-port": _Option("Src port"),
    "dst-port": _Option("Dest port"),
    "spi": _Option("SPI", bits=32),
    "vlan-etype": _Option("VLAN EtherType", "code"),
    "vlan": _Option("VLAN", "code"),
    "user-def": _Option("User-defined", "code", 64),
    "dst-mac": _Option("Dest MAC addr", "mac"),
}
_LABELS = {option.label: name for name, option in _OPTIONS.items() if name != "dst-mac"}

_EXTENSIONS = ("vlan-etype", "vlan", "user-def", "dst-mac")
_ADDRESSES = ("src-ip", "dst-ip")
_PORTS = ("src-port", "dst-port")
_OF: Mapping[str, Tuple[str, ...]] = {
    "ether": ("src", "dst", "proto"),
    **{name + "4": (*_ADDRESSES, "tos", *_PORTS) for name in ("tcp", "udp", "sctp")},
    **{name + "6": (*_ADDRESSES, "tclass", *_PORTS) for name in ("tcp", "udp", "sctp")},
    **{name + "4": (*_ADDRESSES, "tos", "spi") for name in ("ah", "esp")},
    **{name + "6": (*_ADDRESSES, "tclass", "spi") for name in ("ah", "esp")},
    "ip4": (*_ADDRESSES, "tos", "l4proto", "l4data"),
    "ip6": (*_ADDRESSES, "tclass", "l4proto", "l4data"),
}
_ACTIONS = {"drop": -1, "wake": -2}


def ask(host: Reader, nic: str) -> Tuple[Dict[str, str], str]:
    """The rules of a NIC by location, or why there can be none."""
    answer = host.ask(Query(("ethtool", "-n", nic)))
    if not re.search(r"^Total \d+ rules", answer.out, re.MULTILINE):
        return {}, str(answer.complaint)
    return parse(answer.out), ""


def parse(text: str) -> Dict[str, str]:
    """By location the words of each rule."""
    found: Dict[str, str] = {}
    for block in re.split(r"^Filter: ", text, flags=re.MULTILINE)[1:]:
        location, *lines = block.splitlines()
        if location.strip().isdecimal():
            found[location.strip()] = _words(lines)
    return found


def _words(lines: Sequence[str]) -> str:
    flow, action, fields = "", None, {}
    for line in lines:
        label, _colon, rest = line.strip().partition(": ")
        if label in ("Rule Type", "Flow Type"):
            flow = _FLOWS.get(rest, "")
        elif label == "Action":
            action = _action(rest)
        elif label in _LABELS:
            value, _word, mask = rest.partition(" mask: ")
            name = "dst-mac" if _LABELS[label] == "dst" and flow != "ether" else _LABELS[label]
            fields[name] = (value, mask)
        elif label:
            return FOREIGN
    if not flow or action is None:
        return FOREIGN
    try:
        return write(flow, fields, action)
    except ValueError:
        return FOREIGN


def _action(said: str) -> Any:
    words = {"Drop": -1, "Wake-on-LAN": -2}
    match = re.fullmatch(r"Direct to (?:VF (\d+) )?queue (\d+)", said)
    if match:
        # As the kernel packs it (ethtool_get_flow_spec_ring_vf): 0 is the NIC itself.
        return (int(match[1]) + 1 << 32 if match[1] else 0) + int(match[2])
    return words.get(said)


def write(flow: str, fields: Mapping[str, Tuple[str, str]], action: int) -> str:
    """The one spelling of a rule: what is ignored as a whole is left out, and a mask that ignores nothing."""
    words = [flow]
    for name, option in _OPTIONS.items():
        value, mask = fields.get(name, ("", ""))
        if not value:
            continue
        value, mask = _spelled(name, option, value, mask)
        if re.fullmatch(r"(255\.){3}255|(f{1,4}:)*f{1,4}|" + f"{hex((1 << option.bits) - 1)}", mask):
            continue
        words += [name, value, *([] if re.fullmatch(r"(0\.){3}0|::|(00:)*00|0x0", mask) else ["m", mask])]
    return " ".join([*words, "action", str(action)])


def _spelled(name: str, option: _Option, value: str, mask: str) -> Tuple[str, str]:
    if option.kind == "ip":
        import ipaddress  # costs as much as the rest of the module, and few NICs have such rules

        address, _slash, length = value.partition("/")
        try:
            if length:
                return str(ipaddress.ip_address(address)), str(ipaddress.ip_network(value, strict=False).hostmask)
            one = ipaddress.ip_address(address)
            return str(one), str(ipaddress.ip_address(mask or ("0.0.0.0" if one.version == 4 else "::")))
        except ValueError:
            raise ValueError(f"{name}: '{value}{' m ' + mask if mask else ''}' is no IP address or network") from None
    if option.kind == "mac":
        for text in (value, mask or "00:00:00:00:00:00"):
            if not re.fullmatch(r"([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}", text):
                raise ValueError(f"{name}: {text} is no MAC address")
        return value.lower(), (mask or "00:00:00:00:00:00").lower()
    numbers = []
    for text in (value, mask or "0"):
        if not re.fullmatch(r"0[xX][0-9a-fA-F]+|[0-9]+", text):
            raise ValueError(f"{name}: {text} is no number; write such as 80, or 0x50")
        number = int(text, 16 if "x" in text.lower() else 10)
        if number >> option.bits:
            raise ValueError(f"{name}: {text} is larger than {option.bits} bits")
        numbers.append(number)
    return hex(numbers[0]) if option.kind == "code" else str(numbers[0]), hex(numbers[1])


def read(words: Sequence[str]) -> str:
    """What a person wrote, `flow-type` first or left out, as the one spelling; ValueError says what is wrong."""
    rest: List[str] = list(words)
    if rest[:1] == ["flow-type"]:
        rest = rest[1:]
    flow = rest.pop(0) if rest else ""
    if not flow:
        raise ValueError(f"it has no flow; write flow and one of {', '.join(sorted(_OF))}")
    if flow not in _OF:
        raise ValueError(f"'{flow}' is no type of flow{nearest(flow, list(_OF))}")
    fields: Dict[str, Tuple[str, str]] = {}
    action = None
    while rest:
        name = rest.pop(0)
        if not rest:
            raise ValueError(f"{name} has no value")
        value = rest.pop(0)
        if name in ("action", "queue"):
            action = _number(value)
            continue
        if name not in (*_OF[flow], *_EXTENSIONS) or (name == "dst-mac" and flow == "ether"):
            raise ValueError(f"{flow} has no '{name}'{nearest(name, [*_OF[flow], *_EXTENSIONS, 'action'])}")
        mask = ""
        if rest[:1] == ["m"] or rest[:1] == [f"{name}-mask"]:
            if len(rest) < 2:
                raise ValueError(f"the mask of {name} has no value")
            mask, rest = rest[1], rest[2:]
        fields[name] = (value, mask)
    if action is None:
        raise ValueError("it has no action; write action and a queue, or drop")
    for name in _ADDRESSES:
        if name in fields and (":" in fields[name][0]) != flow.endswith("6"):
            raise ValueError(f"{name}: {fields[name][0]} does not fit to {flow}")
    return write(flow, fields, action)


def _number(word: str) -> int:
    if word in _ACTIONS:
        return _ACTIONS[word]
    if not re.fullmatch(r"-[12]|0[xX][0-9a-fA-F]{1,16}|[0-9]{1,19}", word):
        close = nearest(word, list(_ACTIONS), otherwise=False) or "; write the number of a queue, or drop"
        raise ValueError(f"action: '{word}' is not valid{close}")
    return int(word, 16 if "x" in word.lower() else 10)


def add(nic: str, location: str, rule: str) -> Run:
    """Put a rule at a location, which must be free."""
    return Run(("ethtool", "-N", nic, "flow-type", *rule.split(), "loc", location), refused=_REFUSED)


def delete(nic: str, location: str) -> Run:
    """Take the rule at a location away."""
    return Run(("ethtool", "-N", nic, "delete", location), refused=_REFUSED)
