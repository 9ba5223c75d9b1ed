# SPDX-License-Identifier: GPL-3.0-or-later
"""Read guides: text with commands and settings between it, in Markdown, reST, a page, or a language of its own (Puppet,
Nix, Python)."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Callable, List, Optional, Sequence

from . import masks, programs
from .lexer import Broken, tokens
from .model import Line
from .settings import Guide
from .shell import Shell

_PROMPT = re.compile(r"^\s*(?:[-*]\s+|\d+[.)]\s+)?(?:\[?[\w.-]+@[\w.-]+[^#$]*[#$]\s+|[$#>]\s+)?")
_PARAMETER = re.compile(
    r"""^[\s"'|*-]*(?:boot\.kernel\.sysctl\.)?["']?((?:net|kernel|vm|fs)(?:\.[\w*-]+)+)["']?\]?\s*(?:=>|=|:)\s*(.+?)\s*$"""
)
_LANGUAGE_ENDS = re.compile(r"""\s*[;,]\s*(#.*)?$""")
_COMMAND = re.compile(
    r"(?:^|[\s\"'`:(])((?:sudo\s+)?(?:/[\w./-]*/|\$\{pkgs\.[\w]+\}/bin/)?(ethtool|sysctl|setpci|ifconfig|ip|tc|nmcli|tuned-adm)\s.*)$"
)
_ECHO = re.compile(r"(?:^|[\s\"'`])((?:sudo\s+)?(?:echo|printf)\s.*(?:>|tee)\s*\S*/(?:proc|sys)/.*)$")
_IP_WORDS = ("link", "l", "addr", "address", "a", "route", "r", "rule", "neigh")
_VERBS = ("start", "stop", "restart", "enable", "disable", "mask", "on", "off")
_FENCE = re.compile(r"^\s*(```+|~~~(?!~))\s*\{?\.?([\w-]*)")


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
            (k for k in range(place + 1, len(lines)) if lines[k][1].strip().startswith(fence[1][:3])), len(lines)
        )
        block = _dedented(lines[place + 1 : end])
        for number, _text in (lines[place], *lines[end : end + 1]):
            guide.sink.nothing(number, "a fence")
        kind = detect(block)
        if kind and kind != "prose" and (kind != "shell" or _is_script(block)):
            form(kind, block)
        else:
            _lines(guide, block)
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


def _lines(guide: Guide, lines: Sequence[Line]) -> None:
    place = 0
    while place < len(lines):
        used = _one(guide, lines, place)
        place += used


def _one(guide: Guide, lines: Sequence[Line], place: int) -> int:
    """What one line sets (with those that it goes on in); gives how many lines were used."""
    number, raw = lines[place]
    text = masks.templates(raw)
    count = 1
    while text.rstrip().endswith("\\") and place + count < len(lines):
        text = text.rstrip()[:-1] + " " + masks.templates(lines[place + count][1]).strip()
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
    parameter = _PARAMETER.match(plain)
    if parameter and not re.search(r"[a-z]{3,}\s+[a-z]{2,}\s+[a-z]{2,}", parameter[2]):
        guide.sysctl(number, parameter[1], _LANGUAGE_ENDS.sub("", parameter[2]))
        return count
    command = command_in(plain)
    if command:
        shell = Shell(guide)
        shell.line = number
        shell.embedded([(number, command)])
        shell.finish()
    guide.sink.nothing(number, "prose")
    return count


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
            return found
    return []


def command_in(text: str) -> str:
    """The command that a line of a guide holds, without prompt, quotes and what stands behind it."""
    plain = _PROMPT.sub("", text, count=1).strip()
    if plain[:1] in "\"'`" and plain.rstrip(",;")[-1:] == plain[:1]:
        plain = plain.rstrip(",;")[1:-1]
    found = [_whole(plain)] if plain else []
    found += [_whole(match[1]) for match in (_ECHO.search(plain), _COMMAND.search(plain)) if match]
    return next((command for command in found if command and plausible(command.split())), "")


def plausible(words: List[str]) -> bool:
    """Whether words are a command that sets something, and not a sentence that begins with the name of a program."""
    words = words[1:] if words[:1] == ["sudo"] else words
    name = programs.program(words[0]) if words else ""
    rest = words[1:]
    if name in ("echo", "printf"):
        return bool(re.search(r"(>|tee)\s*\S*/(proc|sys)/", " ".join(rest)))
    if name == "ethtool":
        return len(rest) > 2 and (rest[0].startswith("-") or rest[-1] in ("on", "off"))
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


def python(guide: Guide, lines: Sequence[Line]) -> bool:
    """Commands that a Python program runs; False where the text is no Python."""
    text = "\n".join(text for _number, text in lines)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    numbers = [number for number, _text in lines]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in (
                "system",
                "run",
                "call",
                "check_call",
                "check_output",
                "Popen",
                "popen",
                "getoutput",
                "sh",
                "execute",
            ):
                shell = Shell(guide)
                shell.line = numbers[node.lineno - 1]
                guide.sink.nothing(shell.line, "runs a program")
                command = _joined(node.args[0])
                if command:
                    shell.embedded([(shell.line, command)])
                    shell.finish()
    for number, _text in lines:
        guide.sink.nothing(number, "sets nothing by itself")
    return True


def _joined(node: ast.AST) -> str:
    """A command put together of texts and variables."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined(node.left) + _joined(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return re.sub(r"%[sd]", masks.mask("%s"), _joined(node.left))
    if isinstance(node, ast.JoinedStr):
        return "".join(_joined(part.value if isinstance(part, ast.FormattedValue) else part) for part in node.values)
    if isinstance(node, (ast.List, ast.Tuple)):
        return " ".join(_joined(one) for one in node.elts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("split", "format"):
        return _joined(node.func.value)
    if isinstance(node, ast.Name):
        return masks.mask(f"${node.id}")
    return masks.mask("$(...)")
