# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak the network scripts of old RHEL: ifcfg files for a bond and its ports, and ifup and ifdown."""

from __future__ import annotations

from typing import Dict, List, Sequence

from ..schema import Run
from . import bond as tool
from .bond import Bond, Manager, header

FOLDER = "/etc/sysconfig/network-scripts"
_DHCP, _STATIC = "BOOTPROTO=dhcp", "BOOTPROTO=none"


def _render(bond: Bond) -> Dict[str, str]:
    options = {"mode": bond.mode, **bond.options}
    words = " ".join(f"{key}={value.replace(' ', ',')}" for key, value in options.items())
    common = ["NM_CONTROLLED=no", *([f"MTU={bond.mtu}"] if bond.mtu else [])]
    main = [f"DEVICE={bond.name}", "TYPE=Bond", "BONDING_MASTER=yes", f'BONDING_OPTS="{words}"', "ONBOOT=yes"]
    main += [_DHCP if bond.dhcp else _STATIC, *common]
    texts = {bond.name: main + _addresses(bond)}
    for member in bond.members:
        texts[member] = [f"DEVICE={member}", "TYPE=Ethernet", f"MASTER={bond.name}", "SLAVE=yes", "ONBOOT=yes", _STATIC]
        texts[member] += common
    return {f"{FOLDER}/ifcfg-{nic}": "\n".join([header(bond.name), *lines, ""]) for nic, lines in texts.items()}


def _addresses(bond: Bond) -> List[str]:
    lines: List[str] = []
    for number, address in enumerate(address for address in bond.addresses if ":" not in address):
        ip, _slash, prefix = address.partition("/")
        lines += [f"IPADDR{number}={ip}", f"PREFIX{number}={prefix}"]
    six = [address for address in bond.addresses if ":" in address]
    if six:
        lines += ["IPV6INIT=yes", "IPV6_AUTOCONF=no", f"IPV6ADDR={six[0]}"]
    if six[1:]:
        lines.append(f'IPV6ADDR_SECONDARIES="{" ".join(six[1:])}"')
    if bond.gateway:
        lines.append(f"{'IPV6_DEFAULTGW' if ':' in bond.gateway else 'GATEWAY'}={bond.gateway}")
    return lines


def _create(name: str, _members: Sequence[str], _files: Sequence[str]) -> List[Run]:
    return [Run(("ifup", name), seconds=120)]


def _destroy(name: str) -> List[Run]:
    # ifdown leaves the empty bond behind, and its mode with it.
    return [Run(("ifdown", name), seconds=120), Run(("ip", "link", "delete", "dev", name))]


ifcfg = Manager(
    name="ifcfg",
    folder=FOLDER,
    mode=0o644,
    render=_render,
    create=_create,
    destroy=_destroy,
    forget=(),
    refresh=tool.refresh,
    dhcp=_DHCP,
)
