# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of old recipes that are wrong on any host of today."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Hit, Rule
from ..view import Host

_PAGE = "https://docs.kernel.org/networking/ip-sysctl.html"

# The kernel gives each socket one page; nothing that TCP may never take back needs more than this.
_LARGEST_MINIMUM = 1 << 20

# What the kernel starts with in the first two numbers: the least, and what a connection begins with.
_OWN = {
    "net.ipv4.tcp_rmem": ("net.core.rmem_max", "4096 131072"),
    "net.ipv4.tcp_wmem": ("net.core.wmem_max", "4096 16384"),
}


def _files(host: Host) -> Iterator[Hit]:
    """The kernel's own choice is one file for 10 KiB of memory (files_maxfiles_init in fs/file_table.c)."""
    text, own = host.sysctl("fs.file-max"), host.count("kernel", "memory_kib") // 10
    if text.isdecimal() and len(text) < 20 and int(text) < own // 2:
        evidence = {"fs.file-max": text, "the kernel's own": own}
        yield Hit(evidence, remedy={"tuning_host_sysctl": {"fs.file-max": {"at_least": own}}})


def _minima(host: Host) -> Iterator[Hit]:
    for key, (_limit, own) in _OWN.items():
        found = host.vector(key)
        if len(found) == 3 and found[0] > _LARGEST_MINIMUM:
            remedy = {"tuning_host_sysctl": {key: f"{own} {max(found[2], 6291456)}"}}
            yield Hit({key: host.sysctl(key)}, remedy=remedy)


def _limits(host: Host) -> Iterator[Hit]:
    for key, (limit, _own) in _OWN.items():
        found, top = host.vector(key), host.vector(limit)
        if len(found) == 3 and len(top) == 1 and top[0] < found[1]:
            evidence = {limit: host.sysctl(limit), key: host.sysctl(key)}
            yield Hit(evidence, remedy={"tuning_host_sysctl": {limit: {"at_least": max(found[1], found[2])}}})


RULES = (
    Rule(
        id="file-max-lowered",
        severity="medium",
        title="The host may open fewer files than the kernel would let it",
        condition="fs.file-max is below half of what the kernel chooses for this memory",
        explanation="Old recipes set this number to a value that is far below the default of today's kernels. All "
        "programs of the host share it, and beyond it every open and every connection fails.",
        action="Remove the line from the file that sets it; it needs no tuning.",
        reference="https://docs.kernel.org/admin-guide/sysctl/fs.html#file-max-file-nr",
        host=_files,
    ),
    Rule(
        id="tcp-minimum-large",
        severity="medium",
        title="Each TCP socket is granted megabytes",
        condition="the first number of net.ipv4.tcp_rmem or tcp_wmem is above 1 MiB",
        explanation="The first number is what a socket keeps even when memory is short, and the second what it starts "
        "with. With three equal numbers the kernel can neither start small nor shrink, so many connections use up the "
        "memory.",
        action="Leave the first two numbers to the kernel, and raise only the third.",
        reference=f"{_PAGE}#tcp-variables",
        host=_minima,
    ),
    Rule(
        id="socket-limit-below-tcp",
        severity="medium",
        title="A program that asks for a buffer gets less than one that does not",
        condition="net.core.rmem_max or wmem_max is below the second number of tcp_rmem or tcp_wmem",
        explanation="A program that sets its buffer size is limited to this, and loses the kernel's automatic tuning "
        "as well. All others can have more.",
        action="Raise the limit to the third number of tcp_rmem and tcp_wmem.",
        reference="https://docs.kernel.org/admin-guide/sysctl/net.html",
        host=_limits,
    ),
)
