# SPDX-License-Identifier: GPL-3.0-or-later
"""Read guides: text with commands and settings between it, in Markdown, reST, a page, or a language of its own (Puppet,
Nix, Python)."""

from __future__ import annotations

import html
import re
from typing import Callable, List, Optional, Sequence, Tuple

from . import files, foreign, masks, programs
from .lexer import Broken, tokens
from .model import OTHER_TOOL, Line
from .settings import Guide
from .shell import Shell

_PROMPT = re.compile(r"^\s*(?:[-*]\s+|\d+[.)]\s+)?(?:\[?[\w.-]+@[\w.-]+[^#$]*[#$]\s+|[$#>]\s+)?")
_PARAMETER = re.compile(
    r"""^[\s"'|*-]*(?:boot\.kernel\.sysctl(?:\.|\s*=\s*\{\s*))?["']?((?:net|kernel|vm|fs)(?:\.[\w*-]+)+)["']?\]?\s*(?:=>|=|:)\s*(.+?)\s*$"""
)
_LANGUAGE_ENDS = re.compile(r"""\s*[;,]\s*(?:\}\s*;?)?\s*(#.*)?$""")
_COMMAND = re.compile(
    r"(?:^|[\s\"'`:(])((?:sudo\s+)?(?:/[\w./-]*/|\$\{pkgs\.[\w]+\}/bin/)?(ethtool|sysctl|setpci|ifconfig|ip|tc|nmcli|tuned-adm)\s.*)$"
)
_ECHO = re.compile(r"(?:^|[\s\"'`])((?:sudo\s+)?(?:echo|printf)\s.*(?:>|tee)\s*(?:-a\s+)?\S*/(?:proc|sys|etc)/.*)$")
_IP_WORDS = ("link", "l", "addr", "address", "a", "route", "r", "rule", "neigh")
_VERBS = ("start", "stop", "restart", "enable", "disable", "mask", "on", "off")
# Programs whose names begin sentences as well.
_ENGLISH = ("route", "bridge", "mount", "at", "arp", "reboot", "shutdown", "docker", "service", "limit")
_PRIORITY = re.compile(r"^(?:lib\.)?mk(?:Default|Force|Override \d+)\s+")
_INTERFACE_MTU = re.compile(r"networking\.interfaces\.\"?([\w.-]+)\"?\.mtu\s*=\s*(\d+)")
# What stands on the command line of the kernel.
_BOOT = re.compile(
    r"GRUB_CMDLINE_LINUX\w*=|\b(?:processor\.max_cstate|intel_idle\.max_cstate|isolcpus|nohz_full|rcu_nocbs)=\S"
)
# What is markup around a command, where any other word in such brackets is to be filled in.
_TAG = re.compile(r"</?(?:code|pre|p|b|i|em|strong|tt|kbd|samp|span|div|li|ul|ol|td|tr|th|br|a|h\d)(?:\s[^>]*)?/?>")
# Fences of Markdown, and the texts of Nix, which begin at the end of a line and end at the beginning of one.
_FENCE = re.compile(r"^\s*(```+|~~~(?!~))\s*\{?\.?([\w-]*)|.*[=(\s]('')\s*$")


def read(
    guide: Guide,
    lines: Sequence[Line],
    detect: Callable[[Sequence[Line]], Optional[str]],
    form: Callable[[str, Sequence[Line]], None],
) -> None:
    """Blocks between fences by their own form, the rest line by line."""
    place = 0
    rest: List[Line] = []
    while place < len(lines):
        fence = _FENCE.match(lines[place][1])
        if not fence:
            rest.append(lines[place])
            place += 1
            continue
        _lines(guide, rest)
        rest = []
        end = next(
            (k for k in range(place + 1, len(lines)) if lines[k][1].strip().startswith((fence[1] or fence[3])[:3])),
            len(lines),
        )
        block = _dedented(lines[place + 1 : end])
        for number, _text in (lines[place], *lines[end : end + 1]):
            guide.sink.nothing(number, "a fence")
        kind = detect(block)
        if kind and kind != "prose" and (kind != "shell" or _is_script(block)):
            form(kind, block)
        else:
            _lines(guide, block, code=True)
        place = end + 1
    _lines(guide, rest)


def _dedented(block: Sequence[Line]) -> List[Line]:
    width = min((len(text) - len(text.lstrip()) for _number, text in block if text.strip()), default=0)
    return [(number, text[width:]) for number, text in block]


def _is_script(block: Sequence[Line]) -> bool:
    """Whether loops, heredocs or variables hold its lines together, and no prompt stands before them."""
    texts = [text for _number, text in block if text.strip()]
    if any(re.match(r"\s*[$#] ", text) and not text.lstrip().startswith("# ") for text in texts):
        return False
    try:
        tokens(block)
    except Broken:
        return False
    return any(
        text.rstrip().endswith(("\\", "do", "then", "done", "fi", "EOF"))
        or re.match(r"\s*[A-Z_a-z]\w*=|#!", text)
        or "<<" in text
        for text in texts
    )


def _lines(guide: Guide, lines: Sequence[Line], code: bool = False) -> None:
    place = 0
    while place < len(lines):
        used = _one(guide, lines, place, code)
        place += used


def _one(guide: Guide, lines: Sequence[Line], place: int, code: bool) -> int:
    """What one line sets (with those that it goes on in); gives how many lines were used."""
    number, raw = lines[place]
    text = _filled(raw)
    count = 1
    while text.rstrip().endswith("\\") and place + count < len(lines):
        text = text.rstrip()[:-1] + " " + _filled(lines[place + count][1]).strip()
        guide.sink.nothing(lines[place + count][0], "goes on from the line before")
        count += 1
    plain = text.strip().strip("|").strip()
    loop = _loop(lines, place)
    if loop:
        Shell(guide).script(loop)
        return len(loop)
    if _comment(raw) or (raw.lstrip().startswith("# ") and not _root_prompt(lines, place)):
        guide.sink.nothing(number, "a comment")
        return count
    declared = _declared(lines, place)
    if declared:
        guide.sysctl(number, *declared)
        return count
    parameter = _PARAMETER.match(plain)
    if parameter and not re.search(r"[a-z]{3,}\s+[a-z]{2,}\s+[a-z]{2,}", parameter[2]):
        value = _PRIORITY.sub("", _LANGUAGE_ENDS.sub("", parameter[2]))
        guide.sysctl(number, parameter[1], value, switches=True)
        return count
    size = _INTERFACE_MTU.search(plain)
    if size:
        guide.nic(number, size[1], "link", "mtu", size[2])
        return count
    command = command_in(plain)
    if not command and (code or re.match(r"\s{3,}\S|\s*[$#] ", raw)):
        command = _foreign(plain)
    if command:
        Shell(guide).commands(number, command)
    elif re.match(r"options\s+\w+\s+\w+=", plain):
        files.modprobe(guide, [(number, plain)])
    elif _BOOT.search(plain):
        guide.sink.remark(
            number, OTHER_TOOL, f"{masks.shown(plain)}: the kernel's command line is no matter of this collection"
        )
    guide.sink.nothing(number, "prose")
    return count


def _foreign(text: str) -> str:
    """A command of a program that belongs to another tool, where commands stand."""
    plain = _PROMPT.sub("", text, count=1).strip()
    words = [word for word in plain.split() if word != "sudo"]
    name = programs.program(words[0]) if len(words) > 1 else ""
    return _whole(plain) if name in foreign.OTHERS and name not in (*programs.PROGRAMS, *_ENGLISH) else ""


def _filled(raw: str) -> str:
    """A line with templates and words such as <iface> as names to fill in; <max> is what it says."""
    text = html.unescape(_TAG.sub(" ", masks.templates(raw)))
    text = re.sub(r"<([A-Za-z][\w.-]*)>", lambda match: "max" if match[1] == "max" else masks.mask(match[0]), text)
    text = masks.placeholders(text)
    return re.sub(
        r"(?<=\s)\[[A-Za-z][^][$\"']*\]|%[sd]\b|(?<!\$)\{[A-Za-z_][\w.]*\}", lambda match: masks.mask(match[0]), text
    )


def _declared(lines: Sequence[Line], place: int) -> Optional[Tuple[str, str]]:
    """A parameter that a resource of Puppet or Chef declares, its value perhaps some lines below."""
    text = lines[place][1]
    attribute = re.search(r"\[['\"]sysctl['\"]\](?:\[['\"]params['\"]\])?((?:\[['\"][\w-]+['\"]\])+)\s*=\s*(.+)", text)
    if attribute:
        return ".".join(re.findall(r"['\"]([\w-]+)['\"]", attribute[1])), attribute[2].strip().strip("'\"")
    named = re.search(r"\bsysctl\w*(?:::\w+)*\s*[{(]?\s*['\"]((?:net|kernel|vm|fs)\.[\w.-]+)['\"]", text)
    if not named:
        return None
    whole = "\n".join(text for _number, text in lines[place : place + 6])
    value = re.search(r"\bvalue\s*(?:=>|=|:)?\s*(?:'([^']*)'|\"([^\"]*)\"|(\d[\d ]*))", whole[named.end() :])
    return (named[1], next(part for part in value.groups() if part is not None)) if value else None


def _comment(raw: str) -> bool:
    plain = raw.strip()
    return (
        plain.startswith(("//", "/*", ";", "<!--", "--"))
        or (plain.startswith("#") and not re.match(r"#\s?(sudo|ethtool|sysctl|ip|tc|echo|/)", plain))
        or (plain.startswith("#") and not plain.startswith("# "))
    )


def _root_prompt(lines: Sequence[Line], place: int) -> bool:
    """Whether `# ` is a prompt: other commands of the paragraph have no prompt of their own, nor none at all."""
    for step in (-1, 1):
        k = place + step
        while 0 <= k < len(lines) and lines[k][1].strip():
            text = lines[k][1].strip()
            if text.startswith("$ ") or (not text.startswith("#") and command_in(text)):
                return False
            k += step
    return True


def _loop(lines: Sequence[Line], place: int) -> List[Line]:
    """A loop or condition of the shell that starts here, as a whole."""
    if not re.match(r"\s*(?:[$#]\s+)?(for\s+\w+\s+in\s|for\s+\(\(|while\s)", lines[place][1]):
        return []
    found: List[Line] = []
    for number, text in lines[place : place + 40]:
        found.append((number, re.sub(r"^\s*[$#>]\s+", "", text) if not found else text))
        if re.search(r"\bdone\b", text):
            return found if any(re.search(r"\bdo\b", one) for _number, one in found) else []
    return []


def command_in(text: str) -> str:
    """The command that a line of a guide holds, without prompt, quotes and what stands behind it."""
    plain = _PROMPT.sub("", text, count=1).strip()
    if plain[:1] in "\"'`" and plain.rstrip(",;")[-1:] == plain[:1]:
        plain = plain.rstrip(",;")[1:-1]
    found = [_whole(plain)] if plain else []
    found += [_whole(match[1]) for match in (_ECHO.search(plain), _COMMAND.search(plain)) if match]
    return next((command for command in found if command and plausible(command.split())), "")


def _is_value(word: str) -> bool:
    """Whether a word can be the value of a setting, or the beginning of a rule."""
    return (
        not masks.known(word)
        or "$" in word
        or word
        in ("on", "off", "max", "N", "auto", "rx-flow-hash", "flow-type", "hkey", "hfunc", "equal", "weight", "delete")
        or re.fullmatch(r"(0x)?[0-9a-f]*\d[0-9a-f]*|[pumbagsd]", word) is not None
    )


def plausible(words: List[str]) -> bool:
    """Whether words are a command that sets something, and not a sentence that begins with the name of a program."""
    words = words[1:] if words[:1] == ["sudo"] else words
    name = programs.program(words[0]) if words else ""
    rest = words[1:]
    if name in ("echo", "printf"):
        return bool(re.search(r"(>|tee)\s*(-a\s+)?\S*/(proc|sys|etc)/", " ".join(rest)))
    if name == "ethtool":
        return len(rest) > 2 and any(_is_value(word) for word in rest[2:])
    if name in ("sysctl", "setpci"):
        return any("=" in word for word in rest)
    if name == "ip":
        return bool(rest) and (rest[0].startswith("-") or rest[0] in _IP_WORDS)
    if name == "tc":
        return bool(rest) and rest[0] in ("qdisc", "class", "filter", "-s")
    if name == "ifconfig":
        return len(rest) > 1 and rest[1] in ("up", "down", "mtu", "txqueuelen", "promisc", "-promisc")
    if name in ("service", "chkconfig", "rc-service"):
        return len(rest) == 2 and rest[1] in _VERBS
    if name == "systemctl":
        return len(rest) > 1 and any(word in _VERBS for word in rest)
    if name == "nmcli":
        return bool(rest) and rest[0] in ("con", "c", "connection", "device", "dev", "d")
    if name == "tuned-adm":
        return rest[:1] == ["profile"] and len(rest) == 2
    return name in programs.PROGRAMS and bool(rest)


def _whole(text: str) -> str:
    """Up to where quotes or brackets around a command end."""
    for cut in (
        text,
        *(
            text[:place]
            for place in sorted((text.find(mark) for mark in ("`", "</", '",', "',", '"', "'")), reverse=True)
            if place > 0
        ),
    ):
        try:
            if tokens([(1, cut)]):
                return cut.rstrip(" .,;)|")
        except Broken:
            continue
    return ""
