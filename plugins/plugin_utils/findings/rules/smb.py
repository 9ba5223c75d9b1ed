# SPDX-License-Identifier: GPL-3.0-or-later
"""SMB: mounts by the first version of the protocol, and buffers that a server sets itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..harm import much
from ..model import Hit, Rule
from ..view import Host


def _first(host: Host) -> Iterator[Hit]:
    mounts = {
        f"vers=1.0 at {row.text('at')}": f"{row.text('from')}, rsize {row.text('options', 'rsize') or 'not told'}"
        for row in host.rows("smb")
        if row.text("options", "vers") == "1.0"
    }
    if mounts:
        yield Hit(mounts)


_BUFFERS = ("SO_RCVBUF", "SO_SNDBUF")


def _fixed(host: Host) -> Iterator[Hit]:
    # What the fastest link holds within 1 ms, which is a round trip in one's own network under load.
    best = host.fastest * 125
    small = {key: host.count("samba_buffers", key) for key in _BUFFERS}
    small = {key: size for key, size in small.items() if 0 < size < best}
    if not small:
        return
    full, since = much(host, "TcpExtPruneCalled")
    received, _since = host.protocol("TcpInSegs")
    pruned = bool(full) and "SO_RCVBUF" in small and full * 10_000 >= received
    held = "SO_SNDBUF" in small and any(row.text("by") == "buffer" for row in host.rows("sockets", "held_back"))
    evidence: dict[str, Any] = {
        **{f"{key} of Samba": size for key, size in small.items()},
        "needed for 1 ms": f"{best} bytes",
        **({"sockets that were full": f"{full} times {since}"} if pruned else {}),
        **({"a connection was held back by": "its own buffer"} if held else {}),
    }
    # In one's own network most round trips take less than a third of that.
    few = any(size * 10 < best * 3 for size in small.values())
    yield Hit(evidence, severity="medium" if pruned or held else "" if few else "note")


RULES = (
    Rule(
        id="smb-first-version",
        severity="low",
        title="A share is mounted by version 1 of SMB",
        condition="a mount of the type cifs has vers=1.0",
        explanation="Version 1 reads at most 64 KiB at once and keeps few requests on their way, so a path of some "
        "milliseconds or a fast link stays idle. It has no encryption either, and Linux warns of it at each mount.",
        action="Take `vers=1.0` out of the options of the mount (fstab, autofs), so that both ends choose the newest "
        "version; if the mount then fails, switch SMB 2 or 3 on at the server.",
        reference="https://github.com/lmakarov/boot2docker-vagrant/issues/66",
        host=_first,
    ),
    Rule(
        id="samba-buffers-fixed",
        severity="low",
        title="Samba sets buffers for its connections that are too small",
        condition="Samba runs, and SO_RCVBUF or SO_SNDBUF of `socket options` in smb.conf is less than the fastest "
        "link carries within 0.3 ms; a note where it is less than within 1 ms; medium where sockets were full 1000 "
        "times (100 within an interval) and for one in 10000 segments, or a connection could not send for half of its "
        "time because its own buffer was full",
        explanation="Old guides have such a line. A buffer that a program sets never grows, whatever tcp_rmem and "
        "tcp_wmem allow, so that a client waits for a round trip after every few kilobytes.",
        action="Take SO_RCVBUF and SO_SNDBUF out of `socket options` in smb.conf, so that the kernel chooses; new "
        "connections follow after `smbcontrol smbd reload-config`.",
        reference="https://www.samba.org/samba/docs/current/man-html/smb.conf.5.html",
        host=_fixed,
    ),
)
