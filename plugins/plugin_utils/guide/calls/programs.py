# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a command, program by program; ethtool has a file of its own."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache
from itertools import takewhile
from typing import Callable, Dict, List, Mapping

from .. import masks
from ..keys import devices, kernel_files, modules
from ..keys.settings import Guide
from ..model import CONDITIONAL, HOST, NO_EFFECT, NOTE, ON_HOST, OTHER_TOOL, PHYSICAL
from . import affinity, ethtool, foreign, functions, nmcli, qdiscs, routes, tuna, uci

_LINK_WORDS = ("up", "down", "promisc", "allmulticast", "multicast", "arp", "dynamic", "trailers")
_VERBS: Mapping[str, str] = {
    **dict.fromkeys(("off", "del", "delete", "remove"), "disable"),
    **dict.fromkeys(("on", "add", "defaults"), "enable"),
}
_SIZES = ("gso_max_size", "gso_max_segs", "gro_max_size", "gso_ipv4_max_size", "gro_ipv4_max_size")
# What `ip link set` takes, by our keys.
_LINK: Mapping[str, str] = {
    "mtu": "mtu",
    **dict.fromkeys(("txqueuelen", "txqlen", "qlen", "txq"), "txqueuelen"),
    **{word: word for word in (*_SIZES, "alias", "group")},
}
# Words of ifconfig that an address follows.
_WITH_ADDRESS = ("netmask", "broadcast", "add", "del", "dstaddr", "pointopoint", "inet", "inet6")
_SHORT = {"link": ("l", "li", "lin"), "address": ("a", "ad", "add", "addr"), "route": ("r", "ro", "rou")}


def ip(guide: Guide, line: int, words: List[str]) -> None:
    """`ip link set`, and the metrics of routes; the rest belongs to the network manager."""
    six = "-6" in words
    while words and words[0].startswith("-"):
        if words[0] in ("-n", "-netns") and len(words) > 2:
            words = ["netns", "exec", *words[1:]]
            break
        words = words[2:] if words[0] in ("-n", "-netns", "-f", "-family", "-b", "-batch") else words[1:]
    thing = next((name for name, short in _SHORT.items() if words and words[0] in short), words[0] if words else "")
    verb, rest = (words[1] if len(words) > 1 else ""), words[2:]
    if thing == "netns" and verb in ("exec", "e") and len(rest) > 1:
        said = " ".join(map(masks.said, rest))
        guide.sink.remark(line, CONDITIONAL, f"{said}: it acts in the network namespace {masks.shown(rest[0])} only")
    elif verb in ("", "show", "list", "ls", "get", "sh", "s", "l", "save", "monitor", "dev") and thing != "link":
        guide.sink.nothing(line, "only reads")
    elif thing == "link" and verb in ("set", "s", "se"):
        _link(guide, line, rest)
    elif thing == "link" and verb in ("add", "a") and "bond" in rest and "type" in rest:
        name = next((word for word in rest if word not in ("dev", "name")), "")
        options = rest[rest.index("bond") + 1 :]
        guide.sink.nothing(line, "makes a bond")
        for key, value in zip(options[::2], options[1::2]):
            kernel_files.bond(guide, line, name, key, value)
    elif thing == "link" and verb in ("", "show", "list", "ls", "sh", "help"):
        guide.sink.nothing(line, "only reads")
    elif thing == "route" and verb in routes.VERBS and routes.read(guide, line, rest, six):
        return
    else:
        said = " ".join(map(masks.said, words[:6]))
        owner = "virtual NICs and bridges" if thing == "link" else "addresses, routes and rules"
        guide.sink.remark(line, OTHER_TOOL, f"ip {said}: {owner} belong to the network manager")


def _link(guide: Guide, line: int, words: List[str]) -> None:
    if words[:1] == ["group"] and len(words) > 1:
        said = " ".join(map(masks.said, words[2:]))
        text = f"{said}: which NICs are of the group {masks.shown(words[1])}, is known on the host only"
        guide.sink.remark(line, ON_HOST, text)
        return
    if "dev" in words[:-1]:
        # The name may stand anywhere behind this word: `ip link set arp off dev eth0`.
        index = words.index("dev")
        words = [words[index + 1], *words[:index], *words[index + 2 :]]
    if not words:
        guide.sink.remark(line, NO_EFFECT, "ip link set: the name of the NIC is missing")
        return
    nic, index = words[0], 1
    while index < len(words):
        word, after = words[index], words[index + 1] if index + 1 < len(words) else ""
        if word in _LINK:
            guide.nic(line, nic, "link", _LINK[word], after)
            index += 2
        elif word == "type" and after in ("bond", "bond_slave"):
            for key, value in zip(words[index + 2 :: 2], words[index + 3 :: 2]):
                kernel_files.bond(guide, line, nic, key, value)
            return
        elif word == "master" and after.startswith("bond"):
            guide.sink.set(line, masks.name(after), "bond", "members", nic)
            index += 2
        elif word == "vf":
            functions.read(guide, line, nic, words[index:])
            return
        elif word in ("up", "down"):
            guide.sink.remark(
                line, OTHER_TOOL, f"{masks.shown(nic)} {word}: the network manager brings links up and down"
            )
            index += 1
        else:
            said = " ".join(masks.shown(one) for one in words[index : index + 2])
            guide.sink.remark(line, OTHER_TOOL, f"{masks.said(nic)} {said}: it is no setting of this collection")
            index += 2


def ifconfig(guide: Guide, line: int, words: List[str]) -> None:
    """The MTU and the queue length; the rest belongs to the network manager."""
    words = [word for word in words if word not in ("-a", "-s", "-v")]
    if len(words) < 2:
        guide.sink.nothing(line, "only reads")
        return
    nic, index = words[0], 1
    while index < len(words):
        if words[index] in ("mtu", "txqueuelen"):
            guide.nic(line, nic, "link", words[index], words[index + 1] if index + 1 < len(words) else "")
            index += 2
        else:
            count = 3 if words[index] == "hw" else 2 if words[index] in _WITH_ADDRESS else 1
            said = " ".join(masks.shown(word) for word in words[index : index + count])
            if said in ("up", "down"):
                owner = "the network manager brings links up and down"
            elif count > 1 or re.fullmatch(r"[0-9a-fA-F.:]+(/\d+)?", said):
                owner = "addresses and routes belong to the network manager"
            else:
                owner = "it is no setting of this collection"
            guide.sink.remark(line, OTHER_TOOL, f"{masks.said(nic)} {said}: {owner}")
            index += count


def sysctl(guide: Guide, line: int, words: List[str]) -> None:
    """Assignments; `sysctl key=value` sets without -w as well."""
    if any(
        word in ("-p", "--load", "--system", "-a", "--all", "-A", "-f") or word.startswith(("-p", "--load="))
        for word in words
    ):
        if any(word.startswith(("-p", "--load", "--system", "-f")) for word in words):
            guide.loads += 1
            paths = [re.sub(r"^(?:-p|--load=)", "", word) for word in words if "/" in word or "$" in masks.shown(word)]
            if paths and all(masks.shown(path) in guide.written for path in paths):
                guide.sink.nothing(line, "loads a file that this text writes")
            else:
                guide.sink.remark(line, NOTE, "it takes over files of sysctl; take in these as well")
        else:
            guide.sink.nothing(line, "only reads")
        return
    if "=" in words:
        # Each of these words is a parameter of its own, and none of them has a value.
        said = " ".join(masks.shown(word) for word in words if not word.startswith("-"))
        guide.sink.remark(line, NO_EFFECT, f"sysctl refuses blanks around the sign of '{said}'; write key=value")
        return
    found = [word for word in words if "=" in word and not word.startswith("--")]
    plain = [word for word in words if not word.startswith("-")]
    for word in found:
        key, _equals, value = word.partition("=")
        behind = list(takewhile(str.isdecimal, words[words.index(word) + 1 :]))
        if value.isdecimal() and behind:
            whole = " ".join([value, *behind])
            text = f"{key}: without quotes sysctl sets its first number alone, {value}; write {key}='{whole}'"
            guide.sink.remark(line, NO_EFFECT, text)
        elif not value and word == plain[-1]:
            guide.sink.remark(line, NO_EFFECT, f"{key}: no value is given")
        else:
            guide.sysctl(line, key, value)
    if not found and ((len(plain) == 2 and "-w" in words) or (len(plain) > 1 and plain[1][:1].isdecimal())):
        guide.sink.remark(line, NO_EFFECT, f"{plain[0]}: sysctl wants key=value, so nothing is set")
    elif not found:
        guide.sink.nothing(line, "only reads")


def systemctl(guide: Guide, line: int, words: List[str]) -> None:
    """irqbalance is a setting, others are not."""
    verbs = [word for word in words if not word.startswith("-")]
    verb = verbs[0] if verbs else ""
    units = [word.split(".service")[0] for word in verbs[1:]]
    if verb in (
        "status",
        "is-active",
        "is-enabled",
        "list-units",
        "list-unit-files",
        "show",
        "cat",
        "daemon-reload",
        "",
    ):
        guide.sink.nothing(line, "only reads")
        return
    for unit in units if verb in ("enable", "start", "restart", "reenable") else ():
        template, _at, instance = unit.partition("@")
        held = guide.instances.setdefault(template, []) if instance else []
        held += [instance] if instance not in held else []
    guide.started.update(units if verb.endswith("start") or "--now" in words else ())
    _service(guide, line, verb, units)


def service(guide: Guide, line: int, words: List[str]) -> None:
    """`service NAME VERB`, and `chkconfig --level 2345 NAME off`."""
    words = [word for word in words if word[:1] != "-" and not word.isdecimal()]
    verb = words[1] if len(words) > 1 else "status"
    if verb == "status":
        guide.sink.nothing(line, "only reads")
    else:
        _service(guide, line, _VERBS.get(verb, verb), words[:1])


def update_rc(guide: Guide, line: int, words: List[str]) -> None:
    """`rc-update del NAME` has its words the other way round."""
    service(guide, line, [*words[1:2], *words[:1]])


def killall(guide: Guide, line: int, words: List[str]) -> None:
    """A process that is ended; that of irqbalance is a setting."""
    names = [word for word in words if not word.startswith("-")]
    if any(name.endswith("irqbalance") for name in names):
        _service(guide, line, "stop", ["irqbalance"])
    else:
        guide.sink.nothing(line, "ends a process")


def mii_tool(guide: Guide, line: int, words: List[str]) -> None:
    """The old tool for the link: a mode that is forced is a setting, the rest is none."""
    plain = [word for word in words if not word.startswith("-")]
    forced = next((word[8:] for word in words if word.startswith("--force=")), "")
    if "-F" in words[:-1]:
        forced = words[words.index("-F") + 1]
        plain = [word for word in plain if word != forced]
    mode = re.fullmatch(r"(\d+)base\w*-([FH])D", forced)
    if not forced:
        guide.sink.remark(line, OTHER_TOOL, f"mii-tool {' '.join(map(masks.shown, words))}: see speed: {{advertise}}")
    elif not mode or not plain:
        guide.sink.unknown(line, f"mii-tool: '{masks.shown(forced)}' is no mode")
    else:
        for nic in plain:
            guide.nic(line, nic, "speed", "autoneg", "off")
            guide.nic(line, nic, "speed", "speed", mode[1])
            guide.nic(line, nic, "speed", "duplex", "full" if mode[2] == "F" else "half")


def _service(guide: Guide, line: int, verb: str, units: List[str]) -> None:
    for unit in units:
        if unit.endswith("irqbalance") and verb in ("stop", "disable", "mask", "start", "enable", "restart", "unmask"):
            run = verb in ("start", "enable", "restart", "unmask")
            guide.sink.set(line, HOST, "irq", "irqbalance", "run" if run else "stop", PHYSICAL)
        else:
            guide.sink.remark(line, OTHER_TOOL, f"{verb} {masks.shown(unit)}: this collection does not manage services")


def tuned_adm(guide: Guide, line: int, words: List[str]) -> None:
    """The profile of TuneD."""
    if words[:1] != ["profile"] or len(words) < 2:
        guide.sink.nothing(line, "only reads")
    elif not all(masks.known(word) for word in words):
        guide.sink.remark(line, ON_HOST, f"the profile {masks.shown(words[1])} is known on the host only")
    else:
        guide.sink.set(line, HOST, "profile", "profile", " ".join(words[1:]))


_NAMED = re.compile(r"\$\{?(?:BIN_|CMD_)?(CAT|ECHO|TEE|PRINTF|SUDO)(?:_BIN|_CMD|BIN)?\}?")
_SPELT = ("ethtool", "sysctl", "nmcli", "ifconfig", "setpci", "modprobe", "tuned-adm")
_ALMOST = 0.8
# Those that set the kernel which runs, and no file.
OF_THE_KERNEL = ("ethtool", "ip", "ifconfig", "tc", "sysctl", "setpci", "devlink", "mii-tool")
PROGRAMS: Dict[str, Callable[[Guide, int, List[str]], None]] = {
    "ethtool": ethtool.read,
    "ip": ip,
    "ifconfig": ifconfig,
    "tc": qdiscs.tc,
    "sysctl": sysctl,
    "setpci": devices.setpci,
    "systemctl": systemctl,
    **dict.fromkeys(("service", "chkconfig", "rc-service", "update-rc.d"), service),
    "rc-update": update_rc,
    **dict.fromkeys(("killall", "pkill"), killall),
    "mii-tool": mii_tool,
    "devlink": devices.devlink,
    "modprobe": modules.modprobe,
    "tuned-adm": tuned_adm,
    "nmcli": nmcli.read,
    "uci": uci.command,
    "tuna": tuna.read,
    **affinity.PROGRAMS,
}


@lru_cache(maxsize=2048)
def program(word: str) -> str:
    """The program behind the first word of a command: a path, or a variable that names it."""
    plain = masks.shown(word).rstrip("/")
    name = plain.rsplit("/", 1)[-1]
    if name in PROGRAMS or name in foreign.OTHERS or name in foreign.HARMLESS:
        return name
    if not masks.known(word):
        bare = plain.strip("${}\"'").lower()
        for known in PROGRAMS:
            if bare in (
                known,
                f"{known}_bin",
                f"{known}_cmd",
                f"{known}_path",
                f"bin_{known}",
                f"cmd_{known}",
                f"{known}bin",
            ):
                return known
    return name


def by_variable(word: str) -> str:
    """A program that writes text, or sudo, which a variable names: `$BIN_CAT > FILE`; any other word as it is."""
    found = None if masks.known(word) else _NAMED.fullmatch(masks.shown(word).upper())
    return found[1].lower() if found else word


def meant(name: str) -> str:
    """What is wrong with the name of a program that is spelt almost like one that sets something; else nothing."""
    found = get_close_matches(name, _SPELT, 1, _ALMOST) if re.fullmatch("[a-z_-]{5,11}", name) else []
    return f"'{name}' is no program; did you mean '{found[0]}'?" if found else ""
