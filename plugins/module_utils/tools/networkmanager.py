# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak NetworkManager: keyfiles for a bond and its ports, and nmcli."""

from __future__ import annotations

from typing import Dict, List, Sequence

from ..schema import Run
from .bond import Bond, Manager, Step, header

FOLDER = "/etc/NetworkManager/system-connections"


def _render(bond: Bond) -> Dict[str, str]:
    options = {"mode": bond.mode, **bond.options}
    four, six = ([one for one in bond.addresses if (":" in one) == later] for later in (False, True))
    sections = [
        _connection(bond.name, "bond", bond.name, "autoconnect-slaves=1"),
        ["[bond]", *(f"{key}={value.replace(' ', ',')}" for key, value in options.items())],
        *([["[ethernet]", f"mtu={bond.mtu}"]] if bond.mtu else []),
        _protocol("ipv4", "auto" if bond.dhcp else "disabled", four, bond.gateway),
        _protocol("ipv6", "link-local", six, bond.gateway),
    ]
    texts = {bond.name: sections}
    for member in bond.members:
        profile = f"{bond.name}-{member}"
        texts[profile] = [_connection(profile, "ethernet", member, f"master={bond.name}", "slave-type=bond")]
    return {f"{FOLDER}/{file}.nmconnection": _text(bond.name, parts) for file, parts in texts.items()}


def _connection(name: str, kind: str, nic: str, *more: str) -> List[str]:
    # The same on each run, and another on each profile; hosts may share it.
    import uuid  # it imports platform, which together takes 2 ms, and few hosts get such a file

    identity = uuid.uuid5(uuid.NAMESPACE_DNS, f"{name}.linuxnet.tuning")
    return ["[connection]", f"id={name}", f"uuid={identity}", f"type={kind}", f"interface-name={nic}", *more]


def _protocol(section: str, without: str, addresses: Sequence[str], gateway: str) -> List[str]:
    lines = [f"[{section}]", f"method={'manual' if addresses else without}"]
    lines += [f"address{number}={address}" for number, address in enumerate(addresses, 1)]
    if gateway and (":" in gateway) == (section == "ipv6"):
        lines.append(f"gateway={gateway}")
    return lines


def _text(name: str, sections: Sequence[Sequence[str]]) -> str:
    return "\n".join([header(name), *("\n".join(section) + "\n" for section in sections)])


def _profile(name: str, member: str) -> str:
    return f"{name}-{member}"


def _up(profile: str) -> Run:
    """It waits for addresses, 90 seconds by itself."""
    return Run(("nmcli", "connection", "up", profile), seconds=120)


def _create(name: str, members: Sequence[str], files: Sequence[str]) -> List[Run]:
    ports = [_profile(name, member) for member in members]
    return [_load(files), *(_up(profile) for profile in (name, *ports))]


def _load(files: Sequence[str]) -> Run:
    return Run(("nmcli", "connection", "load", *files))


def _destroy(name: str) -> List[Run]:
    return [Run(("nmcli", "connection", "down", name))]


def _refresh(step: Step) -> List[Run]:
    """Reapplying changes addresses, the MTU and the options that NetworkManager too changes on a live bond."""
    live = step.options or step.mtu or step.add or step.drop or step.gateway
    return [
        _load(step.files),
        *([Run(("nmcli", "device", "reapply", step.name))] if live else []),
        *(_up(_profile(step.name, member)) for member in step.join),
        # A profile whose file is gone is forgotten, and its NIC leaves the bond.
        *([_RELOAD] if step.fewer else []),
    ]


_RELOAD = Run(("nmcli", "connection", "reload"))

networkmanager = Manager(
    name="NetworkManager",
    folder=FOLDER,
    mode=0o600,
    render=_render,
    create=_create,
    destroy=_destroy,
    forget=(_RELOAD,),
    refresh=_refresh,
    dhcp="method=auto",
)
