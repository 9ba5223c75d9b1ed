# SPDX-License-Identifier: GPL-3.0-or-later
"""Know how a line is taken out of a file that somebody wrote by hand, so that the rest means what it meant before."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ..family import HOST, Family
from ..schema import EXACTLY, Action, Address, Cell, Desired, InputError, Reader, Reading, Save, Value

MARK = "# taken over by linuxnet.tuning: "
COPIES = "/var/lib/linuxnet-tuning/taken"

_SHELL = re.compile(r"#!.*\b(ba|da|a|k|z)?sh\b")
# Whatever else stands in such a line belongs to something larger: a condition, a list, a here document.
_PLAIN = re.compile(r"[^\s;&|`(){}<>\\][^;&|`(){}<>\\]*")
_TAIL = re.compile(r"\s*((>|2>|&>|2>&)\s*(/dev/null|1)|\|\|\s*(true|:))\s*")
_POKE = re.compile(r"(\s*(echo|printf)\s[^;&|`(){}<>\\]*>\s*)(/(?:proc|sys)/\S+)\s*")
_COMMAND = re.compile(r"\s*(sudo\s+)?(/\S*/)?(ethtool|ip|ifconfig|iw|tc|sysctl|setpci|nmcli|echo|printf)\s")
_ENDS = re.compile(r"(\r\n|\r|\n)")
_NEW = "\n"
# A unit needs a command in the place of the one that is gone.
_NOTHING = "ExecStart=/bin/true"
_TAKEN = re.compile(rf"((?:^|[\r\n])[ \t]*)(?:: )?{re.escape(MARK)}([^\r\n]*)")
_TAKEN_OF_UNIT = re.compile(rf"{_TAKEN.pattern}[\r\n]+{_NOTHING}")
_DOCUMENT = re.compile(r"<<-?\s*[\"'\\]?(\w+)")
# Files whose grammar has no place for a line that is gone.
_NOT = re.compile(r"\.ya?ml$")


def out(path: str, text: str, lines: Mapping[int, str]) -> Tuple[str, Dict[int, str]]:
    """The text without these lines, which must be as given, and the reason for each that cannot go."""
    shell = bool(_SHELL.match(text))
    unit = path.endswith(".service")
    # The lines, and between them their ends, which differ in a file that was edited on Windows.
    pieces = _ENDS.split(text)
    whole, ends, stuck = pieces[::2], [*pieces[1::2], ""], {}
    for number, line in lines.items():
        there = whole[number - 1] if 0 < number <= len(whole) else ""
        if there.lstrip().startswith((MARK, f": {MARK}")):
            continue
        if there.strip() != line.strip():
            raise InputError(f"{path} line {number} is not {line.strip()!r} any more; capture the host again")
        why = _stuck(path, whole, number - 1, shell)
        if why:
            stuck[number] = why
            continue
        indent = there[: len(there) - len(there.lstrip())]
        # What takes the place of a command keeps a condition around it whole; `:` does nothing.
        whole[number - 1] = f"{indent}{': ' if shell else ''}{MARK}{there[len(indent) :]}"
        if unit:
            whole[number - 1] += f"{ends[number - 1] or _NEW}{_NOTHING}"
    return "".join(line + end for line, end in zip(whole, ends)), stuck


def back(path: str, text: str) -> str:
    """The text with the lines that `out` took; what somebody has changed besides stays."""
    taken_out = _TAKEN_OF_UNIT if path.endswith(".service") else _TAKEN
    return taken_out.sub(lambda match: f"{match[1]}{match[2]}", text)


def _stuck(path: str, whole: Sequence[str], index: int, shell: bool) -> str:
    line = whole[index]
    if _NOT.search(path):
        return "its place in the file must not be empty"
    if line.rstrip().endswith("\\") or (index and whole[index - 1].rstrip().endswith("\\")):
        return "it continues on another line"
    if path.endswith(".service") and not line.startswith("ExecStart="):
        return "it is no ExecStart"
    poke = _POKE.fullmatch(line)
    alone = bool(poke) or bool(_PLAIN.fullmatch(_TAIL.sub(" ", line).strip()))
    if shell and (not alone or not _COMMAND.match(line)):
        return "it is not a separate command"
    if shell and _inside(whole, index):
        return "it is part of a here document or a quoted text"
    if shell and _quote_after(line, ""):
        return "a quote that it opens continues on another line"
    return ""


def _inside(whole: Sequence[str], index: int) -> bool:
    """Whether a line is text that a command reads."""
    end = quote = ""
    for line in whole[:index]:
        if not end:
            quote = _quote_after(line, quote)
        begun = _DOCUMENT.search(line)
        if end:
            end = "" if line.strip() == end else end
        elif begun and "<<<" not in line:
            end = begun[1]
    return bool(end or quote)


def _quote_after(line: str, quote: str) -> str:
    """The quote that is open at the end of a line, given the one at its beginning."""
    skip = False
    for index, char in enumerate(line):
        if skip:
            skip = False
        elif char == "\\" and quote != "'":
            skip = True
        elif quote:
            quote = "" if char == quote else quote
        elif char == "#" and (not index or line[index - 1].isspace()):
            break
        elif char in "'\"":
            quote = char
    return quote


def _desire(host: Reader, params: Mapping[str, Any]) -> Dict[Address, Desired]:
    desired: Dict[Address, Desired] = {}
    for entry in params["files"] or ():
        path, lines = _checked(entry)
        text = host.exact(path)
        if text is None or not host.plain(path):
            raise InputError(f"files: {path} is not a readable file")
        if host.rights(path)[1] != 0:
            raise InputError(f"files: {path} does not belong to root, so it is not changed")
        made, stuck = out(path, text, lines)
        if stuck:
            told = "; ".join(f"line {number}: {why}" for number, why in stuck.items())
            raise InputError(f"files: {path}: {told}. Remove these lines by hand")
        if made != text:
            desired[Address("taken", "", path)] = Desired(EXACTLY, made)
            desired[Address("taken", "", f"{COPIES}{path}")] = Desired(EXACTLY, text)
    return desired


def _checked(entry: Mapping[str, Any]) -> Tuple[str, Dict[int, str]]:
    path, lines = entry.get("path"), entry.get("lines")
    right = "a path, and lines by their numbers, such as {path: /etc/rc.local, lines: {3: ethtool -G eth0 rx 4096}}"
    if (
        not isinstance(path, str)
        or not re.fullmatch(r"/[^\0\n]+", path)
        or ".." in path
        or set(entry) != {"path", "lines"}
    ):
        raise InputError(f"files: {dict(entry)!r} is not valid; write {right}")
    if not isinstance(lines, Mapping) or not all(str(number).isdecimal() for number in lines):
        raise InputError(f"files: {path}: {lines!r} is not valid; write {right}")
    return path, {int(number): str(line) for number, line in lines.items()}


def _read(host: Reader, _scope: str, keys: Sequence[str]) -> Reading:
    texts = {path: host.exact(path) for path in keys}
    return Reading(
        {path: Cell(text, where="" if text is None else f"{host.rights(path)[0]:o}") for path, text in texts.items()}
    )


def _original(host: Reader, path: str, original: Value) -> Value:
    """What to go back to: the lines that were taken out are back, and what somebody has changed since stays."""
    text = None if path.startswith(COPIES) else host.exact(path)
    return original if text is None else back(path, text)


def _write(_scope: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    saves: List[Action] = []
    for path, text in sorted(values.items()):
        saves.append(Save(path, None if text is None else str(text), _mode(path, cells)))
    return tuple(saves)


def _mode(path: str, cells: Mapping[str, Cell]) -> int:
    """That of the file. Its copy is for root alone, and so is the file if it has to come back from nothing but that."""
    file = path[len(COPIES) :] if path.startswith(COPIES) else path
    known = [int(cells[one].where, 8) for one in (path, file, f"{COPIES}{file}") if one in cells and cells[one].where]
    mode = known[0] if known else 0o644
    return mode & 0o700 if path.startswith(COPIES) else mode


taken = Family(
    name="taken",
    module="take_over",
    scope=HOST,
    read=_read,
    write=_write,
    about="Files that somebody wrote by hand, without the lines that the inventory stands for.",
    options={"files": {"type": "list", "elements": "dict"}},
    hint="Remove what protects the file (lsattr shows whether it is immutable), and capture the host again.",
    desire=_desire,
    original=_original,
    cuts=True,  # they set up the network at the next boot
)
