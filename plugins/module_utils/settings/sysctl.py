# SPDX-License-Identifier: GPL-3.0-or-later
"""Know kernel parameters: the live values under /proc/sys, and the file that sets them at boot."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, List, Mapping, Optional, Sequence, Tuple

from ..deciding.inputs import numbers, vector
from ..family import HOST, Family
from ..schema import Action, Cell, InputError, Poke, Reader, Reading, Save, TuningError, Value
from ..tools import sysctl as tool

# Keys that set others when they are written, so they come first: the kernel's inet_forward_change() and its like.
_WIDE = ("net.ipv4.ip_forward", "net.ipv4.conf.all.forwarding", "net.ipv6.conf.all.forwarding")

# Others of that kind: in the kernel's addrconf.c what is for all NICs, and with devinet_copy_dflt_conf() and
# neigh_copy_dflt_parms() a default, which each NIC takes on that was given no value of its own.
_OF_EACH = (
    re.compile(r"(net\.ipv6\.conf)\.all\.(disable_ipv6|addr_gen_mode|ignore_routes_with_linkdown|force_forwarding)"),
    re.compile(r"(net\.ipv4\.conf|net\.ipv[46]\.neigh)\.default\.(\w+)"),
)

# Two units of one number (neighbour.c, route.c): the rougher one without an end, the finer one with it.
_UNITS = re.compile(
    r"(net\.ipv[46]\.(?:neigh\.[^.]+|route)\.(?:base_reachable_time|retrans_time|gc_min_interval|unres_qlen))"
    r"(?:_ms|_bytes)?"
)

# Two ways to say one limit (page-writeback.c, mm/util.c): whichever is written, the other becomes 0.
_WAYS = {
    "vm.dirty_bytes": "vm.dirty_ratio",
    "vm.dirty_background_bytes": "vm.dirty_background_ratio",
    "vm.overcommit_kbytes": "vm.overcommit_ratio",
}
_OTHER_WAY = {**_WAYS, **{ratio: size for size, ratio in _WAYS.items()}}

# What the kernel rounds: up to a power of two (net/core/sysctl_net_core.c), to whole pages of buckets
# (nf_conntrack_core.c), and milliseconds to its ticks, of which there are 100 to 1,000 in a second.
_ROUNDING = {"net.core.rps_sock_flow_entries": 1, "net.netfilter.nf_conntrack_buckets": 8192, "net.*_ms": 10}


# Where a value that is made of numbers takes nothing else; in other folders it may be a name that looks like one.
_COUNTING = ("net.core.", "net.ipv4.", "net.ipv6.", "net.netfilter.", "vm.")
# Lists of ports and masks of processors.
_LISTS = ("_ports", "_bitmap", "_mask", "_key", "_secret")


def _rank(key: str) -> int:
    return 0 if key in _WIDE else 1 if ".conf.all." in key else 2 if ".default." in key else 3


_CONGESTION, _QDISC = "net.ipv4.tcp_congestion_control", "net.core.default_qdisc"
_ALLOWED = "net.ipv4.tcp_allowed_congestion_control"
_LATER = (
    "it applies to NICs that come up from now on; existing ones keep their queueing discipline until the next boot, "
    "or until `tc qdisc replace dev NIC root mq` (without `mq` the discipline itself, for a NIC with one queue)"
)


def _read(host: Reader, _scope: str, keys: Sequence[str]) -> Reading:
    texts = {key: host.read(tool.path(key)) for key in (*keys, *_coupled(host, keys))}
    cells = {key: _cell(key, vector(text)) for key, text in texts.items() if text is not None}
    if _CONGESTION in cells:
        known, loadable = tool.congestion_controls(host)
        cells[_CONGESTION] = cells[_CONGESTION]._replace(means=lambda word: _there(word, known, loadable))
    if _QDISC in cells:
        cells[_QDISC] = cells[_QDISC]._replace(note=_LATER, means=partial(_discipline, tool.disciplines(host)))
    return Reading(cells)


def _cell(key: str, value: str) -> Cell:
    numeric = key.startswith(_COUNTING) and not key.endswith(_LISTS)
    return Cell(value, numeric=numeric and numbers(value))


def _there(word: str, known: Sequence[str], loadable: Optional[Sequence[str]]) -> str:
    """A congestion control by its name; ValueError where this kernel is known not to have it."""
    if word in known or not known or loadable is None or word in loadable:
        return word
    raise ValueError(f"this kernel has only {', '.join(sorted({*known, *loadable}))}")


def _discipline(known: Sequence[str], word: str) -> str:
    """A queueing discipline by its name; ValueError for one of this kernel that is written wrong."""
    from ..tools import qdisc  # few hosts are asked for this key

    # One that is built into the kernel is no module.
    names = [*known, *qdisc.KINDS, *qdisc.OWN_LIMIT] if known else []
    meant = [] if word in names else [name for name in sorted(names) if _slip(word, name)]
    if meant:
        raise ValueError(f"this kernel has no queueing discipline of that name; did you mean '{meant[0]}'?")
    return word


def _slip(word: str, name: str) -> bool:
    """Whether a name is written with another line, or with one letter wrong; short ones are real: sfb, sfq and qfq."""
    one, other = (re.sub(r"[-_ ]", "", text) for text in (word, name))
    same = _alike(one, other) + _alike(one[::-1], other[::-1])
    wrong = sorted(one) == sorted(other) or same >= max(len(one), len(other)) - 1
    return one == other or (wrong and len(other) >= 5)


def _alike(one: str, other: str) -> int:
    """With how many letters two names begin alike."""
    return next((index for index, pair in enumerate(zip(one, other)) if len(set(pair)) > 1), min(len(one), len(other)))


def _write(_scope: str, values: Mapping[str, Value], _cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    texts = {key: str(value) for key, value in values.items()}

    def turn(key: str) -> Tuple[int, bool, str]:
        # What is said makes the other way 0 by itself, and the rougher unit would round the finer one.
        return _rank(key), _idle(key, texts[key]), key

    return tuple(_poke(key, texts[key]) for key in sorted(texts, key=turn))


def _idle(key: str, value: str) -> bool:
    """Whether it is the other way that says the limit."""
    return key in _OTHER_WAY and value == "0"


def _poke(key: str, value: str) -> Poke:
    poke = tool.poke(key, value)
    if not _idle(key, value):
        return poke
    # Some refuse a 0, even the one that they have, and any 0 that is written makes the other way 0 as well.
    return poke._replace(plain=f'[ "$(cat {poke.path})" = 0 ] || {poke.plain}', lazy=True)


def _coupled(host: Reader, keys: Sequence[str]) -> List[str]:
    """What else such a key sets, so that an undo can put it back."""
    found = []
    for version in {key.split(".")[1] for key in keys if key in _WIDE}:
        found += _each(host, f"net.{version}.conf", "forwarding")
        found += [f"net.{version}.conf.all.accept_redirects"] if version == "ipv4" else []
    for match in [pattern.fullmatch(key) for key in keys for pattern in _OF_EACH]:
        found += _each(host, match[1], match[2]) if match else []
    for match in [_UNITS.fullmatch(key) for key in (*keys, *found)]:
        found += [match[1], f"{match[1]}_bytes" if match[1].endswith("qlen") else f"{match[1]}_ms"] if match else []
    found += [_OTHER_WAY[key] for key in keys if key in _OTHER_WAY]
    # A default congestion control is one that programs may choose from then on.
    found += [_ALLOWED] if _CONGESTION in keys else []
    return [key for key in dict.fromkeys(found) if key not in keys]


def _each(host: Reader, folder: str, name: str) -> List[str]:
    """A key of each NIC, and of those that stand for all."""
    return [f"{folder}.{nic.replace('.', '/')}.{name}" for nic in host.names(tool.path(folder))]


def _read_file(host: Reader, file: str, _keys: Sequence[str]) -> Reading:
    if not host.plain(file):
        raise TuningError(f"{file} is not a regular file, so it is not changed; name another file")
    return Reading({key: Cell(value) for key, value in tool.own(host.read(file), file).items()})


def _write_file(file: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    merged = {**{key: cell.value for key, cell in cells.items()}, **values}
    kept = {key: str(value) for key, value in merged.items() if value is not None}
    return (Save(file, tool.render(kept) if kept else None),)


def _path(params: Mapping[str, Any]) -> str:
    file = str(params["file"])
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\.conf", file):
        raise InputError(f"file: {file!r} is not valid; write the name of a file in {tool.FOLDER}, ending in .conf")
    return f"{tool.FOLDER}/{file}"


def _rivals(host: Reader, file: str, keys: Sequence[str]) -> List[Mapping[str, str]]:
    later = tool.after(host, file)
    found = ((key, tool.overrider(key, later)) for key in sorted(keys))
    return [{"key": key, "file": other[0], "value": other[1]} for key, other in found if other]


# IPv6 that goes, or its default route (the kernel takes that of a router advertisement from a host that forwards);
# packets or neighbours that are no longer answered; and tables with no room for a new connection.
_CUTTING = (
    r"net\.(ipv6\.conf\..+\.(disable_ipv6|forwarding)|ipv4\.conf\..+\.(rp_filter|arp_ignore|arp_filter)"
    r"|ipv4\.tcp_mem|ipv[46]\.neigh\.default\.gc_thresh3|netfilter\.nf_conntrack_max)"
)

sysctl = Family(
    name="sysctl",
    module="sysctl",
    scope=HOST,
    read=_read,
    write=_write,
    about="Kernel parameters.",
    open_kind="sysctl",
    like="net.core.rmem_max",
    near=tool.near,
    open_rounding=_ROUNDING,
    cutting=_CUTTING,
    # A part may hold what the name of a NIC may, but never climb out of /proc/sys; in a file, = would end the key, and
    # a pattern would mean other keys too.
    key_pattern=r"[A-Za-z0-9_-]+([./][^\s./=*?\[\]\x00-\x1f\x7f]+)+",
    canonical=tool.name,
    refusals={"No such file or directory": "this kernel does not have it"},
    hint="The kernel refuses, rounds or limits this value; its documentation (admin-guide/sysctl) has the valid ones.",
)

sysctl_file = Family(
    name="sysctl_file",
    module="sysctl",
    scope=HOST,
    read=_read_file,
    write=_write_file,
    about="The lines of the file that sets the kernel parameters at boot.",
    open_kind="sysctl",
    key_pattern=sysctl.key_pattern,
    canonical=tool.name,
    options={"file": {"type": "str", "default": "90-linuxnet-tuning.conf"}},
    follows=("sysctl",),
    path=_path,
    rivals=_rivals,
)
