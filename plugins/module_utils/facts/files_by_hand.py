# SPDX-License-Identifier: GPL-3.0-or-later
"""Gather the files by which a host is tuned, by hand or by us, and the parameters of the kernel's network as they are.

Our own count as well: a host that is captured again loses no value that only they tell of.
"""

from __future__ import annotations

import re
from typing import Any, Container, Dict, Iterator, List, Set, Tuple

from ..host import ReadOnlyHost
from ..tools import conf, kmod, sysctl, sysfs, systemd

# Folders and files in the order in which they take effect, with the names that count there.
_SOURCES: Tuple[Tuple[str, str], ...] = (
    ("/etc/modprobe.d", r".+\.conf"),
    ("/etc/udev/rules.d", r".+\.rules"),
    ("/etc/systemd/network", r".+\.(link|netdev|network)"),
    ("/etc/network", r"interfaces"),
    ("/etc/network/interfaces.d", r".+"),
    ("/etc/network/if-pre-up.d", r".+"),
    ("/etc/network/if-up.d", r".+"),
    ("/etc/netplan", r".+\.ya?ml"),
    ("/etc/sysconfig/network", r"ifcfg-[^.~]+"),
    ("/etc/sysconfig/network-scripts", r"ifcfg-[^~]+"),
    ("/sbin", r"ifup-local"),
    ("/etc/NetworkManager/system-connections", r".+"),
    ("/etc/NetworkManager/dispatcher.d", r".+"),
    ("/etc/networkd-dispatcher/configured.d", r".+"),
    ("/etc/networkd-dispatcher/routable.d", r".+"),
    ("/etc/systemd/system", r".+\.service"),
    ("/etc/init.d", r"(boot|after)\.local"),
    ("/etc/rc.d", r"rc\.local"),
    ("/etc", r"rc\.local"),
    ("/etc", r"crontab"),
    ("/etc/cron.d", r".+"),
    ("/var/spool/cron/crontabs", r".+"),
    ("/var/spool/cron", r".+"),
)
# What a package brings, with every word of ours in it, and what is no file that counts.
_NOT = re.compile(
    r"/(if-(pre-)?up\.d/(ethtool|resolved)|ifcfg-lo)$|[~#]$|\.(bak|orig|rpmsave|rpmnew|dpkg-\w+|linuxnet-tuning)$"
)

# A file without any of these words sets nothing of ours.
_WORDS = re.compile(
    r"ethtool|\bmtu|bond|sysctl|\bnet[./](core|ipv4|ipv6|netfilter|bridge|unix)\b|/proc/sys|/proc/irq|/sys/class/net"
    r"|setpci|\btc\s|qdisc|tx_?queue_?len|[rt]ps_cpus|smp_affinity|irqbalance|tuned-adm|queues/[rt]x-|transmitqueue"
    r"|buffersize|coalesc|offload|flowcontrol|channels|/sys/module/\S+/parameters/|modprobe\s.*\w=|^\s*options\s+\S+\s",
    re.IGNORECASE | re.MULTILINE,
)
# Nobody needs them in order to tune a host, so they do not leave it.
_SECRET = re.compile(
    r"((?:psk|pass(?:word|wd|phrase)?|secret|private[-_ ]?key|wep[-_]key\d?|token|\bpin)[\"']?\s*[=:]\s*).+",
    re.IGNORECASE,
)
# Programs that those files call.
_CALLED = re.compile(r"(/(?:usr/local|opt|root|etc|srv|home)/[\w./+@-]+)")
# What makes a file without a first line that names its interpreter a script all the same.
_BY_A_SHELL = re.compile(r"(?:^|[\s;&|({])(?:(?:/usr)?/bin/)?(?:(?:ba|da|a|k|z)?sh|source|\.)(?:\s+-\w+)*\s+[\"']?$")
_KEY = re.compile(r"\bnet\.[\w-]+(?:\.[\w-]+(?:/[\w-]+)?)+")

_FOLDERS = ("core", "ipv4", "ipv4/neigh/default", "ipv6/neigh/default")
_MOST_FILES, _MOST_TEXT, _MOST_OF_ONE = 200, 1 << 20, 1 << 16


def gather(host: ReadOnlyHost) -> Dict[str, Any]:
    """`files` in the order in which they take effect, those `left_out`, `links`, `parameters`, `tuned_chose`."""
    files: List[Dict[str, Any]] = []
    left_out: List[str] = []
    seen: Dict[str, str] = {}
    room = _MOST_TEXT
    for path, text in _texts(host):
        if path in seen or "\0" in text:
            continue
        if len(text) > _MOST_OF_ONE or len(text) > room or len(files) >= _MOST_FILES:
            left_out.append(path)
            continue
        room -= len(text)
        seen[path] = _hidden(text)
        files.append({"file": path, "text": seen[path], "root": host.rights(path)[1] == 0, "ours": _ours(text)})
    return {
        "files": files,
        "left_out": left_out,
        "links": list(_links(host, set(seen.values()))),
        "parameters": _parameters(host, seen),
        "tuned_chose": sysfs.text(host, "/etc/tuned/profile_mode") == "auto",
    }


def _ours(text: str) -> bool:
    return text.startswith(conf.HEADER)


def _texts(host: ReadOnlyHost) -> Iterator[Tuple[str, str]]:
    """Files with a word of ours, and before the scripts that have one those that call them."""
    for path in _paths(host):
        text = host.read(path, _MOST_OF_ONE + 1) or ""
        called = [one for one in _called(host, text, {path}) if _WORDS.search(one[1])]
        # Of one that is too large, the words may stand where nobody looks.
        if called or _WORDS.search(text) or len(text) > _MOST_OF_ONE:
            yield path, text
        yield from called


def _paths(host: ReadOnlyHost) -> Iterator[str]:
    """Where to look, in the order in which it takes effect; what we write ourselves has less to say than a person."""
    yield from (path for path in (*systemd.dropins(host), kmod.FILE) if host.exists(path))
    for folder, pattern in _SOURCES:
        if folder == "/etc/netplan":
            yield from _parameter_files(host)
        if folder == "/etc/init.d":
            yield from _profile(host)
        for name in host.names(folder):
            path = f"{folder}/{name}"
            counts = re.fullmatch(pattern, name) and not _NOT.search(path) and not name.startswith("linuxnet-tuning")
            if counts and host.plain(path):
                yield path
    for folder in ("/etc/cron.hourly", "/etc/cron.daily"):
        for name in host.names(folder):
            if host.plain(f"{folder}/{name}"):
                yield f"{folder}/{name}"


def _links(host: ReadOnlyHost, texts: Container[str]) -> Iterator[str]:
    """Symbolic links to what is read nowhere else. Units are linked by whoever enables them, and to packages mostly."""
    for folder, pattern in (*_SOURCES, ("/etc/sysctl.d", r".+\.conf")):
        for name in host.names(folder) if folder != "/etc/systemd/system" else ():
            path = f"{folder}/{name}"
            if re.fullmatch(pattern, name) and not _NOT.search(path) and not host.plain(path):
                text = _hidden(host.read(path, _MOST_OF_ONE + 1) or "")
                if text not in texts and _WORDS.search(text):
                    yield path


def _hidden(text: str) -> str:
    return _SECRET.sub(r"\1(left out)", text)


def _called(host: ReadOnlyHost, text: str, known: Set[str], depth: int = 2) -> Iterator[Tuple[str, str]]:
    """The scripts of the administrator that a file calls, and those that they call, each once."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    by_a_shell: Dict[str, bool] = {}
    for call in _CALLED.finditer(lines):
        before = lines[max(0, call.start() - 32) : call.start()].rpartition("\n")[2]
        by_a_shell[call[1]] = by_a_shell.get(call[1], False) or bool(_BY_A_SHELL.search(before))
    for path, shell in by_a_shell.items():
        if path in known or ".." in path or not host.plain(path):
            continue
        known.add(path)
        script = host.read(path, _MOST_OF_ONE + 1) or ""
        plain = not script.startswith("#!") and (shell or path.endswith(".sh"))
        if plain or re.match(r"#!.*\b(ba|da|a|k|z)?sh\b", script):
            yield path, script
            if depth:
                yield from _called(host, script, known, depth - 1)


def _parameter_files(host: ReadOnlyHost) -> Iterator[str]:
    """Those of the administrator and our own, in the order of sysctl --system; not those of packages."""
    for path, _lines in sysctl.after(host, ""):
        if not path.startswith(("/usr/lib/", "/lib/", "/run/")) and host.plain(path):
            yield path
    yield "/etc/sysctl.conf"  # where it is only there by a link from sysctl.d


def _profile(host: ReadOnlyHost) -> Iterator[str]:
    """The active profiles of tuned, as far as somebody wrote them here."""
    for name in sysfs.text(host, "/etc/tuned/active_profile").split():
        if "/" not in name:
            yield from (f"{folder}/{name}/tuned.conf" for folder in ("/etc/tuned/profiles", "/etc/tuned"))


def _parameters(host: ReadOnlyHost, texts: Dict[str, str]) -> Dict[str, str]:
    """The values of the folders that matter, and of each key that a file names."""
    keys = {
        f"net.{folder.replace('/', '.')}.{name}"
        for folder in _FOLDERS
        for name in host.names(f"{sysctl.ROOT}/net/{folder}")
    }
    for text in texts.values():
        keys.update(_KEY.findall(text))
    found = {}
    for key in sorted(keys):
        # A secret, and what differs from boot to boot.
        if key.endswith(("fastopen_key", "rss_key", "secret")):
            continue
        value = host.read(sysctl.path(key), 4096)
        if value is not None:
            found[key] = " ".join(value.split())
    return found
