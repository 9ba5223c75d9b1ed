# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what a command prints, where its words alone decide it: echo, printf, cat of a here document, seq, basename."""

from __future__ import annotations

import functools
import re
import shlex
from typing import Callable, Dict, List, Optional, Sequence

from .. import masks
from ..model import Line
from ..shell import expand
from ..shell.nodes import Redirect


def of(words: Sequence[str], redirects: Sequence[Redirect], scope: expand.Scope, line: int) -> Optional[List[Line]]:
    """The lines that a command prints, or None."""
    if not words:
        return None
    name = words[0].rsplit("/", 1)[-1]
    if name in ("cat", "tee") and (len(words) == 1 or words[1] == "-" or name == "tee"):
        return _document(redirects, scope, line)
    function = _PRINTING.get(name)
    text = function(list(words[1:])) if function else None
    return None if text is None else [(line, part) for part in text.split("\n")]


def _document(redirects: Sequence[Redirect], scope: expand.Scope, line: int) -> Optional[List[Line]]:
    for redirect in redirects:
        if redirect.body is not None:
            if redirect.quoted:
                return list(redirect.body)
            # A variable that the text sets for itself is meant for its reader, but the shell fills it in: with nothing.
            empty = [name for name in _set_inside(redirect) if scope.get(name) is None]
            scope.values.update(dict.fromkeys(empty, ""))
            lines = [(number, expand.document(text, scope)) for number, text in redirect.body]
            for name in empty:
                del scope.values[name]
            return lines
        if redirect.operator == "<<<":
            return [(line, part) for part in expand.text(redirect.word, scope).split("\n")]
    return None


def _set_inside(redirect: Redirect) -> List[str]:
    found = (expand.assignment(text.strip()) for _number, text in redirect.body or ())
    return sorted({assigned[0] for assigned in found if assigned})


def _echo(words: List[str]) -> str:
    escapes = False
    while words and re.fullmatch(r"-[neE]+", words[0]):
        escapes = escapes or "e" in words[0]
        words = words[1:]
    text = " ".join(words)
    return text.replace("\\n", "\n").replace("\\t", "\t") if escapes else text


def _printf(words: List[str]) -> Optional[str]:
    words = words[1:] if words[:1] == ["--"] else words
    if not words or words[0].startswith("-v"):
        return None
    form, values = words[0].replace("\\n", "\n").replace("\\t", "\t"), words[1:]
    found: List[str] = []
    while True:
        rest = list(values)

        found.append(re.sub(r"%%|%[-0-9.]*[sbqdiouxX]", functools.partial(_filled, rest), form))
        if not rest or len(rest) == len(values):
            break
        values = rest
    return "".join(found)


def _filled(rest: List[str], match: re.Match[str]) -> str:
    """What stands in the place of one conversion, which takes the first of the words that are left."""
    if match[0] == "%%":
        return "%"
    value = rest.pop(0) if rest else ""
    kind = match[0][-1]
    if kind == "q":
        return shlex.quote(value)
    if kind in "xXdiou" and not masks.known(value):
        return value
    if kind in "xXdiu":
        try:
            number = int(value or "0", 0)
        except ValueError:
            return value
        return (match[0].replace("i", "d").replace("u", "d")) % number
    return value


def _seq(words: List[str]) -> Optional[str]:
    words = [word for word in words if word not in ("-w",)]
    if not words or not all(re.fullmatch(r"-?\d{1,6}", word) for word in words):
        return None
    numbers = [int(word) for word in words]
    first, step, last = (1, 1, numbers[0]) if len(numbers) == 1 else (numbers[0], 1, numbers[-1])
    step = numbers[1] if len(numbers) == 3 else step
    if not step or abs((last - first) // step) > 512:
        return None
    return "\n".join(str(number) for number in range(first, last + (1 if step > 0 else -1), step))


def _basename(words: List[str]) -> Optional[str]:
    plain = [word for word in words if not word.startswith("-")]
    if not plain:
        return None
    names = plain if words[:1] == ["-a"] else plain[:1]
    suffix = plain[1] if len(plain) == 2 and words[:1] != ["-a"] else ""
    found = []
    for name in names:
        bare = name.rstrip("/").rsplit("/", 1)[-1]
        if bare == "*" and name.startswith("/sys/class/infiniband/"):
            return None  # which of the NICs these are, the host alone knows
        found.append(bare[: -len(suffix)] if suffix and bare.endswith(suffix) else bare)
    return "\n".join(found)


def _dirname(words: List[str]) -> Optional[str]:
    return words[0].rstrip("/").rpartition("/")[0] or "/" if words and masks.known(words[0]) else None


def _expr(words: List[str]) -> Optional[str]:
    number = expand.arithmetic(" ".join(words), expand.Scope())
    return None if number is None else str(number)


def _listing(words: List[str]) -> Optional[str]:
    plain = [word for word in words if not word.startswith("-")]
    if len(plain) == 1 and plain[0].startswith("/sys/class/net/") and "*" in plain[0] and "queues" not in plain[0]:
        return plain[0]
    return None


_PRINTING: Dict[str, Callable[[List[str]], Optional[str]]] = {
    "echo": _echo,
    "printf": _printf,
    "seq": _seq,
    "basename": _basename,
    "dirname": _dirname,
    "expr": _expr,
    "ls": _listing,
}
