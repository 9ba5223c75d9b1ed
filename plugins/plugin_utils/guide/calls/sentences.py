# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the command that a line of a guide holds, and tell it from a sentence that begins with the name of a program."""

from __future__ import annotations

import re
import shlex
from typing import List

from .. import masks
from ..shell import syntax
from ..shell.lexer import Broken, tokens
from . import foreign, programs, tuna

PROMPT = re.compile(
    r"^\s*(?:[-*]\s+|\d+[.)]\s+)?(?:\[?[\w.-]+@[\w.-]+[^#$]*[#$]\s+|-?(?:ba)?sh-\d[\d.]*[#$]\s+"
    r"|[\w.-]+@[\w.-]+:~(?=(?:sudo|sysctl|ethtool|ip)\s)"  # whose sign the page has lost
    r"|[\w.-]+:[~/]\S*\s?[#$]\s+|[A-Za-z][\w-]*[#$%]\s+|(?:\$>|[$#>])\s+)?"
)
_COMMAND = re.compile(
    r"(?:^|[\s\"'`:(])((?:sudo\s+)?(?:/[\w./-]*/|\$\{pkgs\.[\w]+\}/bin/)?"
    r"(\$\{?ETHTOOL\}?|ethtool|sysctl|setpci|ifconfig|ip|tc|nmcli|uci|tuned-adm|sed(?=\s+-\w*i)"
    r"|(?:systemctl|service)(?=\s[^`]*irqbalance))\s.*)$"
)
_ECHO = re.compile(r"(?:^|[\s\"'`])((?:sudo\s+)?(?:echo|printf)\s.*(?:>|tee)\s*(?:-a\s+)?\S*/(?:proc|sys|etc)/.*)$")
# A file of the kernel behind which a sentence goes on.
_WRITTEN = re.compile(
    r"(?:(?:sudo\s+)?(?:echo|printf)\s[^>|]*(?:>|\|\s*(?:sudo\s+)?tee\s+(?:-a\s+)?))"
    r"\s*/(?:proc/sys|sys)/[\w./*$<>{}-]*[\w*}>]"
    r"(?=[.,;:)]*\s+(?!&&|\|\||[>|#&;])[\w(\u2013\u2014-]|[.,:)]+\s*$)"
)
_ONLY_PRINTS = re.compile(r"(?:sudo\s+)?(?:echo|printf)\s[^|>]*")
# What runs the rest of its line on another host or in a container.
_ELSEWHERE = re.compile(
    r"(?:sudo\s+)?(?:/\S*/)?(?:(?:ssh|pssh|pdsh|clush)\s+(?!(?:in|into|to|onto|and|as)\s)"
    r"|(?:docker|podman|nerdctl|lxc|incus|kubectl)\s+(?:\S+\s+){0,4}?(?:run|exec|create|debug)\s"
    r"|(?:lxc-(?:attach|execute)|nsenter|systemd-nspawn|virt-(?:customize|builder|sysprep)|guestfish"
    r"|(?:machinectl\s+shell|(?:pct|crictl|oc)\s+exec|qm\s+guest\s+exec))\s"
    r"|[a-z][\w.-]*\s+exec\s+(?:\S+\s+){0,4}?--\s)[^`]*"
)
# A shell that is given its commands as one word.
_BY_A_SHELL = re.compile(
    r"(?:sudo\s+)?(?:/\S*/)?(?:(?:ba|da|z)?sh|su\s+-?\s*\w*)\s+(?:-\w+\s+)*-\w*c\s+(['\"]).*\1"
    r"|ansible\s+\S+\s+(?:\S+\s+)*?-m\s+\S+.*",
    re.DOTALL,
)
# Programs whose names begin sentences as well.
_ENGLISH = ("route", "bridge", "mount", "at", "arp", "reboot", "shutdown", "docker", "service", "limit")
_IP_WORDS = ("link", "lin", "li", "l", "addr", "address", "a", "route", "r", "rule", "neigh")
_VERBS = ("start", "stop", "restart", "enable", "disable", "mask", "on", "off")
# What follows the name of a script that deals out interrupts, where a sentence would go on: options, processors, a NIC.
_ARGUMENT = re.compile(
    r"[\[,]*(?:-\w+|[\w.:@-]*\d[\w.:@,-]*|[A-Z_]{2,}|[lw]an|nic|dev|iface|interface|(?:eth|en|ib)\w*"
    r"|local|remote|one|custom|all|start|\.*|.*[$<>*\ue100-\ue1ff].*)[\],]*"
)
_SUBSTITUTION, _COMMENT = re.compile(r"`[^`]*`|\$\([^()]*\)"), re.compile(r"(?:^|\s)#.*")


def only_prints(text: str) -> bool:
    """Whether a line is a command that prints, and whose text goes nowhere."""
    return _ONLY_PRINTS.fullmatch(PROMPT.sub("", text, count=1).strip()) is not None


def command_in(text: str) -> str:
    """The command that a line of a guide holds, without prompt, quotes and what stands behind it."""
    words = re.search(r"(?:^|\s)(?:CMD|ENTRYPOINT|RUN)\s+\[\s*((?:\"[^\"]*\"\s*,?\s*)+)\]\s*$", text)
    text = shlex.join(re.findall(r"\"([^\"]*)\"", words[1])) if words else _of_words(text) or text
    plain = re.sub(r"^(``+)(.*?)\1$", r"\2", PROMPT.sub("", text, count=1).strip())
    if plain[:1] in "\"'`" and plain.rstrip(",;")[-1:] == plain[:1]:
        plain = plain.rstrip(",;")[1:-1]
    if (_ELSEWHERE.fullmatch(plain) or _BY_A_SHELL.fullmatch(plain)) and parses(plain):
        return plain
    if only_prints(plain):
        return ""
    written = _WRITTEN.search(plain)
    if written and parses(written[0]):
        return written[0]
    found = [whole(plain)] if plain else []
    inner = [whole(match[1]) for match in (_ECHO.search(plain), _COMMAND.search(plain)) if match]
    found += [command for command in inner if parses(command)]
    return next((command for command in found if command and plausible(command.split())), "")


# What a program of another language runs, word by word: `exec.Command("ethtool", "-K", nic, "gro", "off")`.
_WORDS = re.compile(
    r"[(\[{,]\s*[\"'`](?:/[\w/.-]*/)?(ethtool|sysctl|ip|tc|ifconfig|nmcli|setpci|modprobe)[\"'`]\s*(?:,|\)\s*\.args?\()(.*)$"
)
_WORD = re.compile(r"\"([^\"]*)\"|'([^']*)'|`([^`]*)`|(\))|([A-Za-z_][\w.]*)")


def _of_words(text: str) -> str:
    """The command whose words a line of another language hands to what runs it; what is no text is a placeholder."""
    found = _WORDS.search(text)
    words = [found[1]] if found else []
    for one in _WORD.finditer(found[2] if found else ""):
        if one[4]:
            break
        quoted = next((part for part in one.groups()[:3] if part is not None), None)
        words.append(shlex.quote(quoted) if quoted else masks.mask(f"${one[5]}") if one[5] else "")
    return " ".join(filter(None, words)) if len(words) > 2 else ""


# Several commands in one sentence, each as code.
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
# A sentence that asks for an MTU; one that only tells of it has no such verb.
_MTU = re.compile(
    r"\b(?:set|increase|raise|change|configure|use|enable)\b[^.;]*?\bMTUs?\b"
    r"(?:[^.;\d]*\bfrom\s+\d+\s+to\s+|[^.;\d]*)(\d{4,5})\b"
    r"|^\s*mtu\s*(?:[:=]\s*[\"']?|\s)(?:\d+\s*(?:[-=]+>|\u2192)\s*)?(\d{4,5})\b"
    r"|^\W*mtu\W{0,4}[:=\u2013\u2014]\W{0,4}(?:(?:please\s+)?(?:use|choose|take|set(?:\s+it)?(?:\s+to)?)\s+)?\W?(\d{4,5})\b"
    r"|\bMTUs?\b[^.;\d]*\b(?:set|increased|raised|changed|configured|should|must)\b[^.;\d]*(\d{4,5})\b",
    re.IGNORECASE,
)
# A command that sets something, wherever it stands in a line.
_SETS = re.compile(
    r"\bethtool\s+(?:-[AGKCLNXUs]|--(?:set|change|pause|offload|features|coalesce|config)[\w-]*)\s+\S+\s+[\w-]+\s+\S"
    r"|\bnmcli\s.*\smod\w*\s.*\s(?:ethtool\.\S+|802-3-ethernet\.mtu)\s+\S"
    r"|\bsysctl\s+-w\s+\S+=|>\s*/(?:proc/sys/net|sys/class/net)/\S"
)


def sets(text: str) -> bool:
    """Whether a command that sets something stands in a line that is no comment."""
    return _SETS.search(text) is not None and not text.lstrip().startswith(("#", "//", ";"))


_HOLDS = re.compile(
    r"\s*(?:-?(?:net|kernel|vm|fs)[./][\w.*/-]+\s*=\s*\S|(?:[A-Z]+(?:\{[^}]*\})?\s*[=!+]=?=\s*\"[^\"]*\",?\s*)+$"
    r"|(?:ETHTOOL|BONDING)_\w+=|options\s+\w+\s+\w+=|(?:MTU(?:Bytes)?|\w*(?:Offload|BufferSize|Channels))=\w)"
)


_BY_OTHERS = re.compile(
    r"\bip\s+(?:-\S+\s+)*l(?:ink)?\s+set\s|\btc\s+qdisc\s+(?:add|replace|change)\s|\bifconfig\s+\S+\s+.*mtu\s"
)


def holds_a_setting(text: str) -> bool:
    """Whether a line sets something by a command, or would in a file of its own form."""
    return sets(text) or _HOLDS.match(text) is not None or _BY_OTHERS.search(text) is not None


def commands_in(text: str) -> List[str]:
    """The commands that stand as code in one sentence."""
    spans = _SPAN.findall(text)
    return [one for one in map(str.strip, spans) if plausible(one.split()) and parses(one)] if len(spans) > 1 else []


def in_a_span(text: str) -> str:
    """The command of another tool that stands as code in a sentence."""
    spans = [one.strip() for one in _SPAN.findall(text)]
    found = (one for one in spans if parses(one) and (plausible(one.split()) or _runs(one)))
    return next(found, "")


def _runs(text: str) -> bool:
    words = [word for word in text.split() if word != "sudo"]
    script = len(words) > 1 and words[0].endswith((".sh", ".py"))
    return script or bool(of_another_tool(text, surely=len(words) > 2 or (len(words) > 1 and words[0] not in _ENGLISH)))


def mtu_in(text: str) -> str:
    """The MTU that a sentence asks for, without a command that sets it."""
    found = _MTU.search(text)
    return next(filter(None, found.groups()), "") if found else ""


def _is_value(word: str) -> bool:
    """Whether a word can be the value of a setting, or the beginning of a rule."""
    return (
        not masks.known(word)
        or "$" in word
        or word
        in ("on", "off", "max", "N", "auto", "rx-flow-hash", "flow-type", "hkey", "hfunc", "equal", "weight", "delete")
        or re.fullmatch(r"(0x)?[0-9a-f]*\d[0-9a-f]*|0x[0-9a-fA-F]+|[pumbagsd]", word) is not None
    )


def plausible(words: List[str]) -> bool:
    """Whether words are a command that sets something, and not a sentence that begins with the name of a program."""
    words = words[1:] if words[:1] == ["sudo"] else words
    name = programs.program(masks.mask(words[0]) if words[0][:1] == "$" else words[0]) if words else ""
    rest = words[1:]
    if name in ("echo", "printf"):
        return bool(re.search(r"(>|tee)\s*(-a\s+)?\S*/(proc|sys|etc)/", " ".join(rest)))
    if name == "ethtool":
        # A command that lacks its option is one all the same.
        begins = any(word[0] in "-\u2013\u2014" for word in rest) or not {"on", "off"}.isdisjoint(rest)
        turned = len(rest) > 2 and re.fullmatch(r"-[GL]", rest[0]) is not None and rest[1].isdecimal()
        return (
            len(rest) > 2
            and begins
            and (turned or any(_is_value(word) for word in rest[2:]) or rest[::2] == ["-X", "default"])
        )
    if name == "sysctl" and rest[:1] in (["-p"], ["--system"], ["--load"]):
        return len(rest) == 1 or rest[1].startswith("/")
    if name == "sysctl" and re.match(r"(?:net|kernel|vm|fs)\.", " ".join(word for word in rest if word[0] != "-")):
        return "=" in " ".join(rest) or rest[-1].strip("\"'")[:1].isdecimal()
    if name in ("sysctl", "setpci"):
        return any("=" in word and word.strip("=") for word in rest)
    if name == "modprobe":
        return len(rest) == 1 or any(re.fullmatch(r"\w+=\S+", word) for word in rest)
    if name == "ip":
        return bool(rest) and (rest[0].startswith("-") or rest[0] in _IP_WORDS)
    if name == "tc":
        return bool(rest) and rest[0] in ("qdisc", "class", "filter", "-s")
    if name == "ifconfig":
        return len(rest) > 1 and rest[1] in ("up", "down", "mtu", "txqueuelen", "promisc", "-promisc")
    if name in ("service", "chkconfig", "rc-service"):
        rest = rest[2:] if rest[:1] == ["--level"] else rest
        return len(rest) == 2 and rest[1] in _VERBS
    if name == "systemctl":
        return len(rest) > 1 and any(word in _VERBS for word in rest)
    if name == "sed":
        return len(rest) > 2 and rest[-1].startswith("/etc/") and "grub" not in rest[-1]
    if name == "uci":
        return "set" in rest and any(re.match(r"[\w-]+\.\S+=", word) for word in rest)
    if name == "nmcli":
        return bool(rest) and rest[0] in ("con", "c", "connection", "device", "dev", "d")
    if name == "tuned-adm":
        return rest[:1] == ["profile"] and len(rest) == 2
    if name.startswith(("set_irq_affinity", "mlnx_affinity")):
        given = _COMMENT.sub("", _SUBSTITUTION.sub("$x", " ".join(rest))).split()
        return bool(given) and all(map(_ARGUMENT.fullmatch, given))
    if name == "tuna":
        return tuna.is_command(rest)
    return name in programs.PROGRAMS and bool(rest)


def of_another_tool(text: str, surely: bool = False) -> str:
    """The command of a program that belongs to another tool; `surely` where commands stand, else it has an option."""
    plain = re.sub(r"^@[a-z]+\s+(?=\S)", "", PROMPT.sub("", text, count=1).strip())  # when cron runs it
    words = [word for word in plain.split() if word != "sudo"]
    name = programs.program(words[0]) if len(words) > 1 else ""
    if name not in foreign.OTHERS or name in (*programs.PROGRAMS, *_ENGLISH) or words[1] in ("=", ":", "=>"):
        return ""
    return whole(plain) if surely or any(re.match(r"--?[A-Za-z]", word) for word in words[1:]) else ""


def runs(text: str) -> bool:
    """Whether a line is surely a command, of whatever program that is known here: `sudo rm FILE`, `sysctl --system`."""
    words = PROMPT.sub("", text, count=1).split()
    by_root = words[:1] == ["sudo"]
    words = words[by_root:]
    name = programs.program(words[0]) if len(words) > (not by_root) else ""
    known = name in programs.PROGRAMS or name in foreign.OTHERS or name in foreign.HARMLESS
    return known and (by_root or words[1][0] in "-/~$.")


def parses(text: str) -> bool:
    """Whether a text is a command by itself, and not a piece of a sentence or of a loop."""
    try:
        syntax.parse([(1, text)])
    except Broken:
        return False
    return True


def whole(text: str) -> str:
    """Up to where quotes or brackets around a command end."""
    for cut in (
        text,
        *(
            text[:index]
            for index in sorted((text.find(mark) for mark in ("`", "</", '",', "',", '"', "'")), reverse=True)
            if index > 0
        ),
    ):
        try:
            if tokens([(1, cut)]):
                return _without_end(cut)
        except Broken:
            continue
    return ""


def _without_end(command: str) -> str:
    """A command without the signs that a sentence has behind it."""
    own = re.search(r"\$\([^()]*\)(?=[ .,;|]*$)", command)
    return command[: own.end()] if own else command.rstrip(" .,;)|")
