# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the command behind those that run another one: sudo, nice, timeout, xargs, and `find -exec`."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import List, Mapping, Optional, Sequence, Tuple

from .. import masks
from . import foreign, programs

_WRITES = re.compile(r"\s*(?:/bin/)?cat\s*-?\s*(>>|>\|?)\s*([\"']?)([^\s\"';&|<>]+)\2\s*")


# Wrappers whose options have no words.
_PLAIN = ("exec", "command", "builtin", "time", "nohup")
# Options without a word of their own, which others have with one.
_ALONE: Mapping[str, Sequence[str]] = {"sudo": ("-n", "-i", "-k", "-s", "-P"), "doas": ("-n", "-s", "-L")}


# Where a container has the root of its host.
_OF_THE_HOST = re.compile(r"/(?:host|node|rootfs|hostroot|host-?root|host-?fs|proc/1/root)(?:/|$)|/$")

# What runs a program that a text names by its file: `python3 ~/mlnx-tools/python/mlnx_tune`.
_INTERPRETER = re.compile(r"python[\d.]*|perl|ruby")


def _is_known(word: str) -> bool:
    name = programs.program(word)
    return "/" in word and (name in foreign.OTHERS or name in programs.PROGRAMS)


def unwrapped(words: List[str]) -> List[str]:
    """Without sudo, nice, timeout and their like before the command."""
    rest: List[str] = list(words)
    while rest:
        name = rest[0].rsplit("/", 1)[-1]
        if name == "nsenter":
            inside = _entered(rest[1:])
            if inside is None:
                return rest
            rest = inside
            continue
        if _INTERPRETER.fullmatch(name) and len(rest) > 1 and _is_known(rest[1]):
            rest = rest[1:]
            continue
        if name not in foreign.WRAPPERS or (name == "runuser" and "-c" in rest):
            return _as_tee(rest)
        count: int = foreign.WRAPPERS[name]
        rest = rest[1:]
        if name == "xargs":
            rest = _behind_xargs(rest)
        while rest and (rest[0].startswith("-") or (name in ("env", "sudo") and re.match(r"\w+=", rest[0]))):
            alone = name in _PLAIN or rest[0] in _ALONE.get(name, ()) or rest[0] not in foreign.WRAPPER_OPTIONS
            rest = rest[1:] if alone else rest[2:]
        rest = rest[count:] or (["sh"] if name == "chroot" else [])
        if name in ("xargs", "parallel") and rest and not any("{}" in word for word in rest):
            rest = [*rest[:2], "{}", *rest[2:]] if programs.program(rest[0]) == "ethtool" else rest
    return rest


def other_root(words: Sequence[str]) -> str:
    """The folder in which chroot runs a command, unless that of the host is mounted there, as in a container."""
    names = [word.rsplit("/", 1)[-1] for word in words]
    index = next((k for k, name in enumerate(names) if name not in foreign.WRAPPERS or name == "chroot"), len(names))
    plain = [word for word in words[index + 1 :] if not word.startswith("-")] if names[index:][:1] == ["chroot"] else []
    return masks.shown(plain[0]) if plain and not _OF_THE_HOST.match(masks.shown(plain[0])) else ""


def _as_tee(words: List[str]) -> List[str]:
    """`sh -c 'cat > FILE'`, which root is asked for where a file is to take what comes in, as `tee FILE`."""
    shell = len(words) > 2 and words[0].rsplit("/", 1)[-1] in ("sh", "bash", "dash")
    text = words[-1] if shell and re.fullmatch(r"-\w*c", words[-2]) else ""
    found = _WRITES.fullmatch(text)
    if found:
        return ["tee", *(["-a"] if found[1] == ">>" else []), found[3]]
    tee = re.fullmatch(r"\s*tee((?:\s+[^\s;&|<>\"'$`]+)+)\s*(?:>\s*/dev/null)?\s*", text)
    return ["tee", *tee[1].split()] if tee else words


def as_tee_of_dd(words: Sequence[str]) -> List[str]:
    """`dd of=FILE`, which takes what comes in, as `tee FILE`; nothing for another call of dd."""
    names = [word.partition("=") for word in words[1:]] if words[0].rsplit("/", 1)[-1] == "dd" else []
    plain = {name: value for name, _sign, value in names}
    adds = "append" in plain.get("oflag", "") or "notrunc" in plain.get("conv", "")
    return ["tee", *(["-a"] if adds else []), plain["of"]] if "of" in plain and "if" not in plain else []


def _entered(words: List[str]) -> Optional[List[str]]:
    """The command that nsenter runs; None where its network is not that of the host."""
    pid, network, index = "", "", 0
    if any(not masks.known(word) for word in takewhile(lambda word: word != "--", words)) and "--" in words:
        return None  # its options may name another network
    while index < len(words) and words[index].startswith("-"):
        option, _equals, value = words[index].partition("=")
        takes = option in ("-t", "--target", "-S", "-G") and not value
        value = "".join(words[index + 1 : index + 2]) if takes else value
        pid = value if option in ("-t", "--target") else option[2:] if re.fullmatch(r"-t\d+", option) else pid
        if option in ("-n", "--net", "-a", "--all") or re.fullmatch(r"-(?!t)[a-zA-Z]*n[a-zA-Z]*", option):
            network = value or "own"
        elif option.startswith("-n/"):
            network = option[2:]
        index += 2 if takes else 1
    of_the_host = not network or network == "/proc/1/ns/net" or (network == "own" and pid == "1")
    return words[index:] if of_the_host else None


def _behind_xargs(words: List[str]) -> List[str]:
    """The command that xargs runs, with `{}` for what it puts in, whatever sign the call has for that."""
    index, sign = 0, ""
    while index < len(words) and words[index].startswith("-"):
        option = words[index]
        if option.startswith(("-I", "--replace=")):
            sign = option.partition("=")[2] or option[2:] or "".join(words[index + 1 : index + 2])
        index += 2 if option in ("-I", "-n", "-L", "-P", "-s", "-d", "-a", "-E") else 1
    return [word.replace(sign, "{}") if sign else word for word in words[index:]]


def filled(words: Sequence[str], value: str) -> List[str]:
    """The command of xargs or `find -exec` for one of the words that it is given."""
    if any("{}" in word for word in words):
        return [word.replace("{}", value) for word in words]
    return [*words, value]


def executed(words: Sequence[str]) -> Tuple[List[str], List[str]]:
    """The call of find without `-exec`, and the command that it runs for what it finds."""
    index = next((number for number, word in enumerate(words) if word in ("-exec", "-execdir", "-ok")), 0)
    if not index:
        return list(words), []
    end = next((number for number in range(index, len(words)) if words[number] in (";", "+")), len(words))
    return list(words[:index]), list(words[index + 1 : end])
