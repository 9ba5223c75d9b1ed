# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what a link carries: MTU, transmit queue, the sizes that packets are joined to, and names (`ip -d link`)."""

from __future__ import annotations

import re
from typing import List, Mapping, Sequence, Tuple

from ..deciding import inputs
from ..family import NIC, Family, Field
from ..schema import (
    ABSENT,
    AT_LEAST,
    AT_MOST,
    EXACTLY,
    Action,
    Cell,
    Desired,
    InputError,
    Reader,
    Reading,
    Value,
    nearest,
)
from ..tools import ip, ping, sysfs

_WITH_VLANS = "the VLANs on it ({}) do not follow to a larger MTU, and come down with it to a smaller one"

# In the order of the kernel, which takes the limits from the MTU and from each other (rtnetlink, do_setlink).
_KEYS = ("mtu", "txqueuelen", *ip.SIZES, "group", "alias")


def _read(host: Reader, nic: str, keys: Sequence[str]) -> Reading:
    cells, problem = ip.cells(host, nic)
    level = sysfs.level(host, nic)
    vlans = [name for name in sysfs.above(host, nic) if sysfs.is_vlan(host, name)] if "mtu" in cells else []
    if vlans and not cells["mtu"].note:
        cells["mtu"] = cells["mtu"]._replace(note=_WITH_VLANS.format(", ".join(vlans)))
    if "group" in cells and "group" not in keys:
        # A word with a meaning is read once more before it is set, which the others need not wait for.
        cells["group"] = cells["group"]._replace(means=None)
    return Reading({key: cell._replace(level=level) for key, cell in cells.items()}, problem)


def _write(nic: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    return (ip.set_link(nic, {key: values[key] for key in _KEYS if key in values}),)


def _mtu(field: Field, raw: object) -> Desired:
    """A number as any other, or a bound: some networks have larger frames than a profile can know."""
    if isinstance(raw, Mapping) and set(raw) in ({AT_LEAST}, {AT_MOST}):
        ((kind, bound),) = raw.items()
        return inputs.understand(field._replace(parse=None, relative=False), bound)._replace(kind=str(kind))
    if isinstance(raw, Mapping):
        close = nearest(str(next(iter(raw), "")), (AT_LEAST, AT_MOST, "if_available"), otherwise=False)
        right = "; write a number, max, {at_least: 9000} or {at_most: 9000}"
        raise InputError(f"{field.name}: {dict(raw)!r} is not valid{close or right}")
    return inputs.understand(field._replace(parse=None), raw)


def _group(field: Field, raw: object) -> Desired:
    text = str(raw).strip()
    if isinstance(raw, bool) or not re.fullmatch(r"[A-Za-z0-9_.-]{1,60}", text):
        raise InputError(f"{field.name}: {raw!r} is not valid; write a number, or a name of /etc/iproute2/group")
    return Desired(EXACTLY, text)


def _alias(field: Field, raw: object) -> Desired:
    if not isinstance(raw, (str, int)) or isinstance(raw, bool) or not str(raw).isprintable():
        raise InputError(f"{field.name}: {raw!r} is not valid; write a text, or '' for none")
    text = str(raw).strip()
    if len(text.encode()) > 255:
        raise InputError(f"{field.name}: a text of {len(text.encode())} bytes is too long; the kernel takes 255")
    return Desired(EXACTLY, text) if text else Desired(ABSENT)


def _neighbours(host: Reader, nic: str) -> List[str]:
    """A VLAN shrinks with the NIC below it, and so does one on that; the ports of a bond follow the bond."""
    return sysfs.all_above(host, nic) + sysfs.below(host, nic)


def _probe(host: Reader, nic: str, addresses: str, cells: Mapping[str, Cell]) -> str:
    mtu = cells["mtu"].value if "mtu" in cells else None
    silent = [address for address in addresses.split() if not ping.carries(host, nic, address, int(str(mtu)))]
    if not silent:
        return ""
    return (
        f"{nic} mtu: set to {mtu}, but no packet of that size came back from {', '.join(silent)}. "
        "Every switch port and NIC on the path must accept it as well; raise their MTU first."
    )


link = Family(
    name="link",
    module="link",
    scope=NIC,
    loose=True,
    blind=(*_KEYS,),
    read=_read,
    write=_write,
    about=(
        "MTU, transmit queue length, and the size of packets before the NIC cuts them (GSO) or after the kernel joins "
        "them (GRO). Sizes above 65536 are BIG TCP, with IPv6 since Linux 5.19 and with IPv4 since 6.3."
    ),
    fields=(
        Field(
            "mtu",
            "integer",
            "the largest packet in bytes, without the Ethernet header; V({at_least: 9000}) raises and never lowers it",
            relative=True,
            parse=_mtu,
            unit="bytes",
        ),
        Field(
            "txqueuelen",
            "integer",
            "maximum packets in queueing disciplines without a limit of their own",
            unit="packets",
        ),
        Field(
            "gso_max_size",
            "integer",
            "maximum bytes of a packet before it is cut",
            relative=True,
            unit="bytes",
        ),
        Field("gso_max_segs", "integer", "maximum number of packets that it is cut into", relative=True),
        Field(
            "gro_max_size",
            "integer",
            "maximum bytes of a packet after joining",
            relative=True,
            unit="bytes",
        ),
        Field(
            "gso_ipv4_max_size", "integer", "the same as C(gso_max_size) for IPv4 alone", relative=True, unit="bytes"
        ),
        Field(
            "gro_ipv4_max_size", "integer", "the same as C(gro_max_size) for IPv4 alone", relative=True, unit="bytes"
        ),
        Field("group", "group", "a number or name by which C(ip) can set many NICs at once", parse=_group),
        Field("alias", "text", "a text for people, which C(ip) and SNMP show", parse=_alias),
        Field(
            "path_check", "addresses", "peers that must answer a packet of the new MTU, or the change is rolled back"
        ),
    ),
    hint="A size cannot exceed the limit of the driver (tso_max_size). A VLAN cannot have a larger MTU than "
    "the NIC below it, and a bond sets the MTU of its ports itself.",
    flat=True,
    neighbours=_neighbours,
    probe=_probe,
    cuts=True,
)
