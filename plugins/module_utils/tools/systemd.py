# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak systemd: names of units, and drop-ins with the commands that a NIC gets when it appears."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, Sequence, Tuple

from ..schema import Action, Poke, Reader, Run
from . import conf

FOLDER = "/etc/systemd/system"
TEMPLATE = "linuxnet-tuning@.service"
LATER = "linuxnet-tuning-later@.service"

# Each module has a file of its own, so that `systemctl cat` shows who wants what; this is their order at boot. What
# waits for a network manager comes last.
ORDER = ("pci", "link", "ethtool", "multiq", "irq", "routes")

# A NIC may appear at boot, by hot-plug, or when its driver is loaded again. Network managers come first, because
# they may set an MTU and take the link down for it; irqbalance and tuned because they move what is set here.
# systemd-networkd takes each NIC when it appears, so to come after its start is not enough: it is done with the MTU
# when it brings the link up.
_BUSY = 'networkctl --no-legend list "$$0" | grep -Eq " (pending|initialized)|off +configuring"'
_TEMPLATE = f"""{conf.HEADER}
[Unit]
Description=Network tuning of %I
Documentation=man:ethtool(8) man:ip-link(8) man:tc(8)
BindsTo=sys-subsystem-net-devices-%i.device
After=sys-subsystem-net-devices-%i.device linuxnet-tuning-guard.service
After=networking.service systemd-networkd.service NetworkManager.service irqbalance.service tuned.service

[Service]
Type=oneshot
RemainAfterExit=yes
TimeoutStartSec=180
ExecStartPre=-/usr/bin/timeout 10 /bin/sh -c 'while {_BUSY}; do sleep 0.5; done' %I

[Install]
WantedBy=sys-subsystem-net-devices-%i.device
"""


def running(host: Reader) -> bool:
    """Whether systemd is what started this host."""
    return bool(host.exists("/run/systemd/system"))


def escape(name: str) -> str:
    """The name of a NIC as a part of the name of a unit, as systemd names its device: a dot in front stays."""
    return "".join(
        char if re.fullmatch(r"[A-Za-z0-9_.:]", char) else "".join(f"\\x{byte:02x}" for byte in _bytes(char))
        for char in name
    )


def _bytes(text: str) -> bytes:
    """The name of a NIC as the kernel has it, which need not be UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def unescape(text: str) -> str:
    """The name of a NIC back from a part of the name of a unit."""
    whole = re.sub(rb"\\x([0-9a-f]{2})", lambda match: bytes([int(match[1], 16)]), _bytes(text))
    return whole.decode("utf-8", "surrogateescape")


def unit(nic: str) -> str:
    """The unit that tunes a NIC when it appears."""
    return f"linuxnet-tuning@{escape(nic)}.service"


def dropin(nic: str, module: str) -> str:
    """The file with the commands of one module, or of a family that is late, for one NIC."""
    return f"{FOLDER}/{unit(nic)}.d/{10 * (1 + ORDER.index(module))}-{module}.conf"


def wants_link(nic: str) -> str:
    """The link by which the unit starts with the device."""
    return f"{FOLDER}/sys-subsystem-net-devices-{escape(nic)}.device.wants/{unit(nic)}"


def nic_of(path: str) -> str:
    """The NIC that a drop-in or a link is about."""
    match = re.search(r"/linuxnet-tuning@([^/]+)\.service", path)
    return unescape(match[1]) if match else ""


def template() -> Dict[str, str]:
    """The template unit, by its path."""
    return {f"{FOLDER}/{TEMPLATE}": _TEMPLATE}


def folders(host: Reader) -> List[str]:
    """The folders of drop-ins of all NICs."""
    names = host.names(FOLDER)
    return [f"{FOLDER}/{name}" for name in names if name.startswith("linuxnet-tuning@") and name.endswith(".service.d")]


def dropins(host: Reader) -> List[str]:
    """The drop-ins of all NICs that are there."""
    files = [f"{folder}/{file}" for folder in folders(host) for file in host.names(folder)]
    # As systemd: what a call that was killed has left of a file is none.
    return [path for path in files if path.endswith(".conf") and "/." not in path]


def render(groups: Sequence[Tuple[str, Sequence[str], Sequence[Action]]]) -> str:
    """A drop-in of (family, keys, actions); the keys stand in a comment, for people and for the next call."""
    lines = [conf.HEADER, "[Service]"]
    for family, keys, actions in groups:
        lines.append(f"# {family}: {', '.join(sorted(keys))}")
        lines += [line for action in actions for line in _commands(action)]
    return "\n".join([*lines, ""])


def keys(text: str) -> List[str]:
    """What a drop-in sets, as `family key`."""
    found: List[str] = []
    for match in re.finditer(r"^# (\w+): (.+)$", text, re.MULTILINE):
        found += [f"{match[1]} {key}" for key in match[2].split(", ")]
    return found


def words(action: Run) -> Tuple[Tuple[str, ...], ...]:
    """What an administrator would type to the effect of an action, as argument vectors."""
    if action.lines:
        return tuple((action.argv[0], *line.split()) for line in action.lines)
    return (action.argv,)


def _commands(action: Action) -> List[str]:
    """A minus in front: one command that fails does not keep the others from running, and is seen in the status."""
    if isinstance(action, Run):
        return [f"ExecStart=-{_line(argv)}" for argv in words(action)]
    if isinstance(action, Poke):
        return [f"ExecStart=-{_line(['/bin/sh', '-c', action.plain])}"]
    return []


def _line(argv: Sequence[str]) -> str:
    return " ".join(quote(word) for word in argv)


def quote(word: str) -> str:
    """A word of a command line, as systemd.service(5) reads it: %, $ and quotes have a meaning of their own."""
    text = word.replace("%", "%%").replace("$", "$$")
    if re.fullmatch(r"[A-Za-z0-9_@%+=:,./$-]+", text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    # A line end would end the command, and a line with a byte that is not UTF-8 is passed over as a whole.
    escaped = re.sub("[\x00-\x1f\x7f\udc80-\udcff]", lambda match: f"\\x{_bytes(match[0])[0]:02x}", escaped)
    return f'"{escaped}"'


def or_each(whole: Sequence[Action], parts: Sequence[Action]) -> Run:
    """All at once, or one by one where that is refused: each has its chance, and the last failure is the status."""
    each = "; ".join(f"{part} || r=$?" for part in parts)
    return Run(("/bin/sh", "-c", f"{' && '.join(map(str, whole))} || {{ r=0; {each}; exit $r; }}"))


def daemon_reload() -> Run:
    """Have systemd read its files anew."""
    return Run(("systemctl", "daemon-reload"))


def enable(nic: str) -> Run:
    """Start the unit of a NIC with its device from now on."""
    return Run(("systemctl", "enable", "--quiet", unit(nic)))


def disable(nic: str) -> Run:
    """Do not start it any more."""
    return Run(("systemctl", "disable", "--quiet", unit(nic)))


def counted(host: Reader) -> List[str]:
    """The units of NICs that count as active: those that ran at boot do so without a file, too."""
    return [name for name in host.names("/run/systemd/units") if name.startswith("invocation:linuxnet-tuning@")]


def stop_all() -> Run:
    """Let no unit of a NIC count as active any more; that changes no setting."""
    return Run(("systemctl", "stop", TEMPLATE.replace("@", "@*")))


def with_programs(host: Reader, actions: Sequence[Action]) -> List[Action]:
    """The same commands with the whole path of each program, which systemd before version 239 needs."""
    paths: Mapping[str, str] = {
        action.argv[0]: host.program(action.argv[0]) for action in actions if isinstance(action, Run)
    }
    return [
        action._replace(argv=(paths[action.argv[0]], *action.argv[1:])) if isinstance(action, Run) else action
        for action in actions
    ]
