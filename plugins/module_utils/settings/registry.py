# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of all families, with the reason for each place: adding one here makes it part of `tune`."""

from __future__ import annotations

from typing import Dict, List, Mapping, Tuple

from ..family import NIC, Family
from ..schema import InputError, nearest
from . import boot as units
from .channels import channels
from .coalesce import coalesce
from .devlink import devlink
from .eee import eee
from .features import features, lro
from .fec import fec
from .ipv6 import ipv6, ipv6_mtu
from .irq import irq
from .irqbalance import irqbalance
from .link import link
from .module import module
from .module_parameters import module_parameters, module_parameters_file
from .multiq import multiq
from .napi import napi
from .ntuple_rules import ntuple_rules
from .pause import pause
from .pci import pci
from .phy import phy
from .private_flags import private_flags
from .qdisc import qdisc
from .ring import ring
from .routes import routes
from .rss import rss
from .speed import speed
from .sriov import sriov
from .sysctl import sysctl, sysctl_file
from .tunables import tunables
from .wol import wol

_ORDER: Tuple[Family, ...] = (
    pci,  # how the NIC reaches memory at all, before anything is tuned on top of it
    module_parameters,  # what a protocol or driver does at all, before it is asked for anything
    sysctl,  # buffers first: the queues that follow may fill them at once
    private_flags,  # a driver's own switches can change which of the rest it offers
    devlink,  # the device as a whole, before what it offers is looked at
    sriov,  # virtual functions take queues from the NIC, so before these are shared out
    link,  # drivers size their receive buffers by the MTU, so it comes before channels and rings allocate them
    ipv6,  # comes back with an MTU that is large enough for it, or when it is no longer disabled
    ipv6_mtu,  # is that of the NIC whenever that has changed
    channels,  # creates the queues that rings and coalescing then apply to
    ring,  # per queue, so after the queues exist
    rss,  # spreads flows over the queues that there are by then; vmxnet3 forgets the table when its rings change
    features,  # per NIC, cheap; lro and gro may depend on the queues
    lro,  # once the NIC does not forward any more
    ntuple_rules,  # by queue, and only while the feature ntuple is on
    coalesce,  # per queue; drivers forget it when channels change
    tunables,  # of the driver alone; what it copies depends on the buffers that there are by then
    module,  # the transceiver has to be awake for all that follows
    phy,  # decides how the link is negotiated next
    fec,  # without it there may be no link that could be negotiated
    eee,  # is negotiated with the link
    speed,  # renegotiates the link, which pause frames are then part of
    pause,  # last of the NIC: it may renegotiate the link, which should meet the final rings
    wol,  # takes no part in anything before the host sleeps
    qdisc,  # of the queues that are there by then; before the filters that multiq puts in front
    multiq,  # maps clients to the queues that are there by now; last, so that no change of channels undoes it
    irqbalance,  # before interrupts are placed, or it might move them meanwhile
    napi,  # of the queues that are there by then
    irq,  # by interrupt and queue, so after the channels that make them and the link resets that reset them
    routes,  # last of all: their packets meet a NIC that is ready, and at boot they are waited for
)

# What is kept for the next boot is written once it has proved to work.
_KEPT: Tuple[Family, ...] = (
    module_parameters_file,
    sysctl_file,
    units.family([family.name for family in _ORDER if family.scope == NIC and family.named]),
)

FAMILIES: Mapping[str, Family] = {family.name: family for family in (*_ORDER, *_KEPT)}

# Keys of an entry that other modules own. They are accepted, so that one entry serves all modules.
SELECTORS: Tuple[str, ...] = ("name", "match")


# Kernel parameters of the NICs that an entry means, with {nic} in the key.
OF_EACH = "sysctl"


# Modules whose families have a life of their own, apart from `tune`.
APART: Tuple[str, ...] = ("bonding", "take_over", "tuned")


def view(module: str) -> Dict[str, Family]:
    """The families that a module works on, in order; `tune` has all but those that live apart."""
    if module == "bonding":
        from .bonding import bonding  # nobody else waits for its import

        return {bonding.name: bonding}
    if module == "take_over":
        from .taken import taken

        return {taken.name: taken}
    if module == "tuned":
        from .tuned import profile

        return {profile.name: profile}
    own = {name for name, family in FAMILIES.items() if module in ("tune", family.module)}
    return {name: family for name, family in FAMILIES.items() if name in own or own.intersection(family.follows)}


def with_ended(families: Mapping[str, Family]) -> Dict[str, Family]:
    """These families, and what they may end beside themselves: who restores a parameter restores that too, in order."""
    ended = {
        name for name, family in FAMILIES.items() if not family.named and set(family.shaken_by).intersection(families)
    }
    if ended <= set(families):
        return dict(families)
    return {name: family for name, family in FAMILIES.items() if name in families or name in ended}


def nic_families(families: Mapping[str, Family]) -> Dict[str, Family]:
    """Those that an entry of a NIC may hold."""
    return {name: family for name, family in families.items() if family.scope == NIC}


def _keys() -> List[str]:
    """What an entry may hold: the names of families, and the keys of flat ones."""
    families = nic_families(FAMILIES).values()
    return [key for family in families for key in ([f.name for f in family.fields] if family.flat else [family.name])]


def check_key(key: str) -> None:
    """InputError for a key of an entry that nobody owns, with the right place, or naming the nearest right one."""
    known = [*SELECTORS, OF_EACH, *_keys()]
    if key not in known:
        raise InputError(f"there is no setting '{key}'{_below(key) or _known_as(key) or nearest(key, known)}")


def _below(key: str) -> str:
    """`; write such as ring: {rx: ...}` for a key that belongs below others."""
    groups = [family for family in nic_families(FAMILIES).values() if not family.flat]
    name = key.replace("-", "_")
    owners = [family.name for family in groups if any(field.name in (key, name) for field in family.fields)]
    if not owners:
        return ""
    *others, last = owners
    where = f"{', '.join(others)} or {last}" if others else last
    return f"; it belongs under {where}: write such as {last}: {{{name}: VALUE}}"


def _known_as(key: str) -> str:
    from . import known_as  # only on the way out with an error

    return known_as.instead(key)
