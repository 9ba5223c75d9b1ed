# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak systemd-networkd: a .netdev and .network files for a bond, and networkctl."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, NamedTuple, Sequence

from ..schema import InputError, Reader, Run
from .bond import Bond, Manager, Step, header, join, leave, tune
from .named import Named

FOLDER = "/etc/systemd/network"

# The first file by name that matches a NIC is the only one that counts, so ours come early.
_PREFIX = f"{FOLDER}/05-"


class _Word(NamedTuple):
    """networkd's name of an option, the unit it wants, and the words it knows (empty: those of the kernel)."""

    name: str
    unit: str = ""
    words: Sequence[str] = ()


_WORDS: Mapping[str, _Word] = {
    "miimon": _Word("MIIMonitorSec", "ms"),
    "updelay": _Word("UpDelaySec", "ms"),
    "downdelay": _Word("DownDelaySec", "ms"),
    "lacp_rate": _Word("LACPTransmitRate"),
    "xmit_hash_policy": _Word("TransmitHashPolicy"),
    "primary_reselect": _Word("PrimaryReselectPolicy"),
    "fail_over_mac": _Word("FailOverMACPolicy"),
    "ad_select": _Word("AdSelect"),
    "arp_interval": _Word("ARPIntervalSec", "ms"),
    "arp_ip_target": _Word("ARPIPTargets"),
    "arp_validate": _Word("ARPValidate", words=("none", "active", "backup", "all")),
    "packets_per_slave": _Word("PacketsPerSlave"),
    "min_links": _Word("MinLinks"),
    "all_slaves_active": _Word("AllSlavesActive"),
    "resend_igmp": _Word("ResendIGMP"),
    "num_grat_arp": _Word("GratuitousARP"),
    "lp_interval": _Word("LearnPacketIntervalSec", "s"),
    "tlb_dynamic_lb": _Word("DynamicTransmitLoadBalancing"),
}


def _render(bond: Bond) -> Dict[str, str]:
    options = [_setting(bond.name, key, value) for key, value in bond.options.items() if key != "primary"]
    device = ["[NetDev]", f"Name={bond.name}", "Kind=bond", "", "[Bond]", f"Mode={bond.mode}", *options]
    link = ["", "[Link]", f"MTUBytes={bond.mtu}"] if bond.mtu else []
    # Without a carrier, addresses would come only once a member has one; the bond is then already in use.
    network = ["", "[Network]", *(f"Address={address}" for address in bond.addresses), "ConfigureWithoutCarrier=yes"]
    if bond.gateway:
        network.append(f"Gateway={bond.gateway}")
    if bond.dhcp:
        network.append(_DHCP)
    texts = {
        f"{bond.name}.netdev": device,
        f"{bond.name}.network": ["[Match]", f"Name={bond.name}", *link, *network],
    }
    for member in bond.members:
        lines = ["[Match]", f"Name={member}", "", "[Network]", f"Bond={bond.name}"]
        if bond.options.get("primary") == member:
            lines.append("PrimarySlave=yes")
        texts[f"{bond.name}-{member}.network"] = lines
    return {_PREFIX + file: "\n".join([header(bond.name), *lines, ""]) for file, lines in texts.items()}


def _setting(name: str, key: str, value: str) -> str:
    word = _WORDS.get(key)
    if word is None:
        raise InputError(f"bonds: {name}: systemd-networkd has no setting for {key}; take it out")
    if word.words and value not in word.words:
        there = ", ".join(word.words)
        raise InputError(f"bonds: {name}: systemd-networkd does not know {key} '{value}'; it has {there}")
    return f"{word.name}={value}{word.unit}"


def _create(name: str, members: Sequence[str], _files: Sequence[str]) -> List[Run]:
    return [_RELOAD, *(Run(("networkctl", "reconfigure", nic)) for nic in (name, *members))]


def _destroy(name: str) -> List[Run]:
    return [Run(("ip", "link", "delete", "dev", name))]


def _refresh(step: Step) -> List[Run]:
    """networkd takes changed options of a bond for a new one only, so the live one gets them from ip.

    So does a NIC that joins: networkd 247 brings it up first when it was a member before, and then it cannot.
    """
    again = [step.name] if step.add or step.drop or step.gateway else []
    return [
        *tune(step),
        *(Run(argv) for member in step.join for argv in join(step.name, member)),
        _RELOAD,
        *(Run(("networkctl", "reconfigure", nic)) for nic in (*step.join, *again)),
        *(leave(member) for member in step.leave),
    ]


_RELOAD = Run(("networkctl", "reload"))
_DHCP = "DHCP=ipv4"

networkd = Manager(
    name="systemd-networkd",
    folder=FOLDER,
    mode=0o644,
    render=_render,
    create=_create,
    destroy=_destroy,
    forget=(_RELOAD,),
    refresh=_refresh,
    dhcp=_DHCP,
)


_RUNTIME = "/run/systemd/network"
_STATE = "/run/systemd/netif"


def named(host: Reader) -> List[Named]:
    """The NICs that .network files match by whole names, those of netplan as well, where networkd has begun.

    What the boot does not wait for may be absent.
    """
    found: List[Named] = []
    for folder in (FOLDER, _RUNTIME) if host.exists(_STATE) else ():
        for name in host.names(folder):
            text = (host.read(f"{folder}/{name}") or "") if name.endswith(".network") else ""
            match = re.search(r"^Name\s*=\s*(.*)$", text, re.MULTILINE)
            if match and not re.search(r"^(Unmanaged\s*=\s*yes|RequiredForOnline\s*=\s*no)\b", text, re.MULTILINE):
                above = re.search(r"^(?:Bridge|Bond)\s*=\s*(\S+)", text, re.MULTILINE)
                found += [Named(nic, f"{folder}/{name}", above[1] if above else "") for nic in match[1].split()]
    return found
