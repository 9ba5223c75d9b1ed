# SPDX-License-Identifier: GPL-3.0-or-later
"""Others who write the same settings."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from ..model import Hit, Rule, nic_remedy
from ..view import Facts, Host, Nic
from .routing import subnet


def _ours(host: Host) -> dict[str, str]:
    """What our own file sets at boot."""
    return {
        key: value
        for row in host.rows("sysctl_files")
        if row.flag("ours") is True
        for key, value in row.texts("sets").items()
    }


def _later(host: Host) -> Iterator[Hit]:
    ours = _ours(host)
    behind = False
    last: dict[str, tuple[str, str]] = {}
    for row in host.rows("sysctl_files"):
        behind = behind or row.flag("ours") is True
        if behind and row.flag("ours") is not True:
            last.update({key: (row.text("file"), value) for key, value in row.texts("sets").items() if key in ours})
    wrong = {key: f"{ours[key]}, but {file} sets {value}" for key, (file, value) in last.items() if value != ours[key]}
    if wrong:
        yield Hit(wrong)


def _profile(host: Host) -> Iterator[Hit]:
    ours, theirs = _ours(host), host.texts("managers", "tuned", "sysctl")
    wrong = {
        key: f"{ours[key]}, but tuned sets {value}"
        for key, value in theirs.items()
        if key in ours and "$" not in value and _undone(ours[key], value)
    }
    if wrong:
        profile = host.text("managers", "tuned", "profile")
        yield Hit({"profile": profile, **wrong}, remedy={"tuning_tuned_profile": "none"})


def _undone(ours: str, theirs: str) -> bool:
    """Whether tuned would write another value; `>4096` only raises and `<4096` only lowers."""
    sign, bound = theirs[:1], theirs[1:].strip().strip('"')
    if sign in ("<", ">") and bound.isdecimal() and ours.isdecimal():
        return int(ours[:18]) < int(bound[:18]) if sign == ">" else int(ours[:18]) > int(bound[:18])
    return theirs.split() != ours.split()


def _desired(host: Host) -> dict[str, Facts]:
    """What the inventory asks of NICs."""
    return host.tune.below("after", "nics")


def _link_file(host: Host) -> Iterator[Hit]:
    desired = _desired(host)
    for nic in host.nics:
        for row in host.rows("managers", "link_files"):
            if nic.name in desired and _means(row.texts("match"), nic):
                evidence = {
                    "file": row.text("file"),
                    **row.texts("sets"),
                    "the inventory asks for": sorted(desired[nic.name].raw),
                }
                yield Hit(evidence, nic.name)


def _means(match: dict[str, str], nic: Nic) -> bool:
    """Whether a .link file is about a NIC, as far as its conditions are about what we know."""
    known = {
        "OriginalName": nic.name,
        "Driver": nic.driver,
        "MACAddress": nic.text("mac").lower(),
        "PermanentMACAddress": nic.text("mac").lower(),
    }
    judged = {key: patterns for key, patterns in match.items() if key in known}
    return bool(judged) and all(
        any(fnmatchcase(known[key], pattern.lower() if "MAC" in key else pattern) for pattern in patterns.split())
        for key, patterns in judged.items()
    )


def _two(host: Host) -> Iterator[Hit]:
    owners: dict[str, list[str]] = {}
    for manager in sorted(Facts(host.at("managers", "nics")).raw):
        for nic in host.words("managers", "nics", manager):
            owners.setdefault(nic, []).append(manager)
    for nic, managers in sorted(owners.items()):
        if len(managers) > 1:
            yield Hit({"managed by": managers}, nic)
        elif host.flag("managers", "dhcpcd") is True and len(_leases(host, nic)) > 1:
            # It serves each NIC that its own configuration does not deny, which two addresses of one subnet prove.
            evidence = {"managed by": [*managers, "dhcpcd"], "addresses": _leases(host, nic)}
            yield Hit(evidence, nic, action=_DHCPCD)


def _leases(host: Host, nic: str) -> list[str]:
    """The addresses of a NIC in the first subnet of IPv4 that has several of them."""
    found: dict[str, list[str]] = {}
    for row in host.rows("addresses"):
        if row.text("nic") == nic and ":" not in row.text("address"):
            found.setdefault(subnet(row.text("address")), []).append(row.text("address"))
    return next((sorted(several) for network, several in found.items() if network and len(several) > 1), [])


_DHCPCD = (
    "Let one of them have the NIC: stop dhcpcd and disable it (`systemctl disable --now dhcpcd`), or keep it from this "
    "NIC by `denyinterfaces` in dhcpcd.conf."
)


def _moved(host: Host) -> Iterator[Hit]:
    if host.flag("managers", "irqbalance") is not True:
        return
    for nic, keys in _desired(host).items():
        placed = keys.at("irq", "affinity")
        if placed is not None and keys.text("irq", "irqbalance") != "run":
            yield Hit(
                {"irqbalance": "runs", "affinity": placed}, nic, remedy=nic_remedy(nic, irq={"irqbalance": "stop"})
            )


RULES = (
    Rule(
        id="sysctl-overridden",
        severity="medium",
        title="A later file overrides our kernel parameters at the next boot",
        condition="a file of sysctl.d that is read after ours sets one of our keys to another value",
        explanation="At boot all files are read in the order of their names, and the last one wins. The live value is "
        "right until then.",
        action="Remove the line from the other file, or the key from the inventory.",
        reference="https://man7.org/linux/man-pages/man5/sysctl.d.5.html",
        host=_later,
    ),
    Rule(
        id="tuned-overrides",
        severity="medium",
        title="tuned overrides our kernel parameters",
        condition="the active profile of tuned sets one of our keys to another value",
        explanation="tuned applies its profile whenever it starts, which is after our file was read. The two overwrite "
        "each other from boot to boot.",
        action="Have one writer: switch tuned off, or take the keys out of the inventory or of a profile of your own.",
        reference="https://github.com/redhat-performance/tuned",
        host=_profile,
        proven=True,
    ),
    Rule(
        id="link-file-sets-the-same",
        severity="low",
        title="A .link file sets the same NIC",
        condition="a .link file of systemd sets MTU, rings, channels, offloads or the like of a NIC in the inventory",
        explanation="udev applies the file whenever the NIC appears, so it competes with what the inventory asks for. "
        "Which one is last depends on the order of the boot.",
        action="Remove these lines from the .link file, or the keys from the inventory.",
        reference="https://man7.org/linux/man-pages/man5/systemd.link.5.html",
        host=_link_file,
    ),
    Rule(
        id="nic-of-two-managers",
        severity="high",
        title="Two network managers claim the same NIC",
        condition="NetworkManager, systemd-networkd, ifupdown or ifcfg files claim the same NIC, or one of them a NIC "
        "that has two addresses of one subnet of IPv4 while dhcpcd runs as a service",
        explanation="Each of them sets addresses and MTU, and takes the link down at any time. What is in force after "
        "the boot depends on which one was last.",
        action="Remove the NIC from all managers but one.",
        reference="https://wiki.debian.org/NetworkConfiguration",
        host=_two,
    ),
    Rule(
        id="irqbalance-moves-affinity",
        severity="low",
        title="irqbalance moves the interrupts that the inventory has placed",
        condition="the inventory asks for an affinity and the service irqbalance runs",
        explanation="irqbalance checks the load every ten seconds and moves interrupts. What was set does not last.",
        action="Stop the service on this host, or leave the affinity to it.",
        reference="https://docs.kernel.org/core-api/irq/irq-affinity.html",
        host=_moved,
        proven=True,
    ),
)
