# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide the conditions of a shell script, where its text alone does."""

from __future__ import annotations

import operator
import re
from fnmatch import fnmatchcase
from typing import Callable, List, Mapping, Optional, Sequence, Tuple

from .. import masks
from . import asking, expand, interrupts, virtual
from .nodes import AndOr, Arithmetic, Node, Not, Pipeline, Sequence_, Simple, all_of, certain, tested

_NUMBERS: Mapping[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq,
    "-ne": operator.ne,
    "-lt": operator.lt,
    "-le": operator.le,
    "-gt": operator.gt,
    "-ge": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
# Cases that take a tuning back, or only show it.
_UNDO_WORDS = """
stop off disable disabled unload restore revert reset undo remove clean cleanup clear delete del uninstall down
rollback unset teardown unapply default defaults
"""
UNDO = frozenset(_UNDO_WORDS.split())
_START_WORDS = """
start restart force-reload reload up add change all enable on apply load set yes y true 1 full run
"""
START = frozenset(_START_WORDS.split())
# Files of queues are there wherever the NIC has the queue.
_EXISTS = ("-e", "-f", "-d", "-r", "-w", "-L", "-h")
_OF_A_LOOP = re.compile(
    r"/sys/class/net/[^/]+/?|/proc/irq/[^/]+(?:/smp_affinity(?:_list)?)?/?|/sys/(devices/system/cpu|block)/.*"
)
# A queue by a number above 0 is there only where there are several.
_OF_A_QUEUE = re.compile(r"/sys/class/net/[^/]+/queues/(?:[^/]+/.|(?:[^/]*-0|[^/]*[^/0-9])$)")
# More than one; a comparison with less asks whether there is anything at all.
_NUMBER = re.compile(r"[\"']?(?:[2-9]|[1-9]\d+)[\"']?")
# Comparisons with 1 of which one needs that there is one only if it holds, and the other if it does not.
_SINGLE = {"-le": True, "<=": True, "-gt": False, ">": False}
# A node of processors, of which the first two are as much an answer as others.
_OF_A_NODE = re.compile(r"[\"']?\$\{?\w*(?:node|numa)\w*\}?[\"']?:(?:-eq|==?):[\"']?[01][\"']?", re.IGNORECASE)
_COMPARED = re.compile(r"(\$?\{?\w+\}?)\s*(<=|>=|==|!=|<|>)\s*(\d+)")
# What grep looks for in the output of ethtool.
_LINK_SPEED = re.compile(r"((?:Speed:\s*)?\d+\s?[MG]b(?:it)?/s)")
# Whether a module is loaded, by its folder or by what lsmod lists.
_OF_A_MODULE = re.compile(
    r"(! )?-[de] [\"']?/sys/module/([\w-]+)/?[\"']?$|lsmod \| e?grep (?:-\w+ )*[\"']?\W{0,2}([\w-]+)\b[^|]*$"
)
_BY_SPEED = "match: {min_speed: ...} selects NICs by their link, in Mbit/s"
_QUERIES_DRIVER = re.compile(r"ethtool\s+(-i|--driver)\b|/device/driver\b|\bnmcli\b.*\b(?i:general\.driver)\b")
# What else of its output is looked for.
_NO_DRIVER = re.compile(r"\b(?:bus-info|(?:firmware-)?version|expansion-rom|supports-)\b")
_FILTERS = ("grep", "egrep", "awk", "cut", "head", "sed", "echo", "lsmod", "readlink", "cat", "ls")
_ASKING = re.compile(
    r"(?:sudo )?(?:/\S*/)?(?:(?:ping|host|id|pgrep|pidof|lspci|lsmod|mountpoint|getent|modinfo|dpkg -[sl]|rpm -q)\b"
    r"|systemd-detect-virt|systemctl (?:--?\w+ )*is-|ip (?:-\w+ )*\w+ (?:show|list|get)\b|ethtool (?:-[gilkcaS] )?\w+$)"
)
_TESTS = ("[", "[[", "test", "true", "false", ":")


def spelt(node: Simple) -> str:
    """The raw words of a command."""
    return " ".join(raw for raw, _line in node.words)


def is_test(node: Node) -> bool:
    """Whether a command only asks."""
    if isinstance(node, Sequence_):
        return all(is_test(command) for command in node.commands)
    if isinstance(node, AndOr):
        return is_test(node.left) and is_test(node.right)
    if isinstance(node, Not):
        return is_test(node.command)
    if isinstance(node, Pipeline):
        return all(
            isinstance(one, Simple) and one.words and (one.words[0][0] in _FILTERS or queries_driver(spelt(one)))
            for one in node.commands
        )
    if isinstance(node, Arithmetic):
        return "=" not in re.sub(r"[=!<>]=", "", node.expression) and "++" not in node.expression
    return (
        isinstance(node, Simple)
        and bool(node.words)
        and node.words[0][0] in (*_TESTS, "command", "grep", "which", "type")
    )


def is_query(node: Node) -> bool:
    """Whether a command is more likely to ask for something of the host than to try to change it."""
    if isinstance(node, Pipeline):
        return is_query(node.commands[-1])
    if isinstance(node, Not):
        return is_query(node.command)
    return is_test(node) or (isinstance(node, Simple) and _ASKING.match(spelt(node)) is not None)


def queries_driver(source: str) -> bool:
    """Whether a command, or what is put in its place, is the driver of a NIC, as `ethtool -i` or sysfs tell it."""
    return bool(_QUERIES_DRIVER.search(source)) and not _NO_DRIVER.search(source)


def is_about_lo(test: Node) -> bool:
    """Whether a condition only tells lo from the rest, which no setting is for."""
    words = [raw for node in all_of(test) if isinstance(node, Simple) for raw, _line in node.words]
    return any(re.fullmatch(r"[\"']?(\^?lo\$?|/sys/class/net/lo/?)[\"']?", raw) for raw in words)


def decide(node: Node, scope: expand.Scope) -> Optional[bool]:
    """True, False, or None where the host decides."""
    if isinstance(node, Sequence_):
        return decide(node.commands[-1], scope) if node.commands else None
    if isinstance(node, AndOr):
        one, other = decide(node.left, scope), decide(node.right, scope)
        if node.operator == "&&":
            return False if one is False or other is False else (True if one and other else None)
        return True if one or other else (False if one is False and other is False else None)
    if isinstance(node, Not):
        found = decide(node.command, scope)
        return None if found is None else not found
    if isinstance(node, Arithmetic):
        return compare(node.expression, scope)
    if isinstance(node, Pipeline):
        return virtual.of_pipeline(node, scope)
    if not isinstance(node, Simple) or not node.words:
        return None
    raw = [word for word, _line in node.words]
    if raw[0] in ("true", ":"):
        return True
    if raw[0] == "false":
        return False
    if raw[0] not in ("[", "[[", "test"):
        return None
    inner = raw[1:-1] if raw[0] != "test" else raw[1:]
    if raw[0] == "[[" and len(inner) == 3 and inner[1][0] == "-" and inner[1] in _NUMBERS:
        left, right = (expand.arithmetic(expand.text(side, scope), scope) for side in (inner[0], inner[2]))
        if any(re.fullmatch(r"\d+(\s+\d+)+", expand.text(side, scope)) for side in (inner[0], inner[2])):
            return False
        return None if left is None or right is None else _NUMBERS[inner[1]](left, right)
    return _test([expand.text(word, scope) for word in inner], raw[0] == "[[")


def measured(node: Node, scope: expand.Scope, holds: bool = True) -> str:
    """What to note of commands for which the host compares a number, such as the speed of a link; else nothing."""
    parts = [(one, so) for part, so in certain(node, holds) for one in all_of(part)]
    speeds = ((_speed(one), so) for one, so in parts)
    looked_for, there = next(((found, so) for found, so in speeds if found), ("", holds))
    if looked_for:
        return f"only where the link {'has' if there else 'has not'} {looked_for}; {_BY_SPEED}"
    module = _module(node, holds)
    if module:
        return f"only where the module {module}"
    machine = asking.of_machines(node, scope, holds)
    if machine:
        return machine
    if isinstance(node, AndOr) and not parts:
        sides = [measured(side, scope, holds) for side in (node.left, node.right)]
        return " or ".join([sides[0], sides[1].replace("only where ", "", 1)]) if all(sides) else ""
    for left, sign, right, so in ((*triple, so) for one, so in parts for triple in _compared(one)):
        number, other = (left, right) if _NUMBER.fullmatch(left) else (right, left)
        single = right.strip("\"'") == "1" and _SINGLE.get(sign) is so
        counts = _NUMBER.fullmatch(number) or single or _OF_A_NODE.fullmatch(f"{left}:{sign}:{right}")
        if (sign not in _NUMBERS and sign != "=") or not counts or asking.OF_A_CALL.fullmatch(other):
            continue
        value = expand.text(other if "$" in other or "`" in other else f"${other}", scope)
        if not masks.known(value) and value != masks.MAXIMUM:
            said = f"only where {left} {sign} {right} {'holds' if so else 'does not hold'}"
            return said + (f"; {_BY_SPEED}" if "speed" in f"{left}{right}".lower() else "")
    return ""


def argument(node: Optional[Node]) -> Tuple[str, str]:
    """The argument that a condition needs alone, and what it is then: `[ "$1" = fast ]`, `[ -z "$1" ]`."""
    while isinstance(node, Sequence_) and len(node.commands) == 1:
        node = node.commands[0]
    raw = tested(node)
    empty = re.fullmatch(r"-z\s+[\"']?\$\{?(\d)(?::?-)?\}?[\"']?", " ".join(raw))
    equal = re.fullmatch(r"[\"']?\$\{?(\d)(?::?-)?\}?[\"']?\s+==?\s+[\"']?([\w.-]+)[\"']?", " ".join(raw))
    return (equal[1], equal[2]) if equal else (empty[1], "") if empty else ("", "")


def _module(node: Node, holds: bool) -> str:
    """The module of which a condition needs that it is loaded, or that it is not, and which of both."""
    return next(filter(None, (_loaded(part, so) for part, so in certain(node, holds))), "")


def _loaded(node: Node, holds: bool) -> str:
    question = " ".join(tested(node))
    if isinstance(node, Pipeline):
        question = " | ".join(spelt(one) for one in node.commands if isinstance(one, Simple))
    found = _OF_A_MODULE.match(question)
    return f"{found[2] or found[3]} is {'' if holds is not bool(found[1]) else 'not '}loaded" if found else ""


def _speed(node: Node) -> str:
    """The speed that grep looks for in what ethtool says of a link."""
    words = [raw for raw, _line in node.words] if isinstance(node, Simple) else []
    found = _LINK_SPEED.search(" ".join(words[1:])) if words[:1] in (["grep"], ["egrep"]) else None
    return found[1] if found else ""


def names_option(node: Node) -> bool:
    """Whether a condition needs an option, such as `[ "$1" = -x ]`, which a plain call has not.

    What is turned round or joined by `or` holds without it as well.
    """
    if isinstance(node, AndOr):
        return node.operator == "&&" and (names_option(node.left) or names_option(node.right))
    if isinstance(node, (Sequence_, Pipeline)) and len(node.commands) == 1:
        return names_option(node.commands[0])
    triples = _compared(node)
    return len(triples) == 1 and _is_option(*triples[0])


def _is_option(left: str, sign: str, right: str) -> bool:
    option = re.fullmatch(r"[\"']?--?[A-Za-z][\w-]*[\"']?", right)
    return sign in ("=", "==") and asking.OF_A_CALL.fullmatch(left) is not None and option is not None


def chosen(subject: str, patterns: Sequence[str]) -> str:
    """What to note of commands in a case that the host chooses, such as by its release; arguments choose for a call."""
    words = [masks.shown(pattern) for pattern in patterns]
    lowered = {word.lower().strip("-") for word in words}
    if asking.OF_A_CALL.fullmatch(subject) or lowered & (START | UNDO | {"*", "lo", "linux"}):
        return ""
    return f"only where {subject} is {' or '.join(words)}"


def _compared(node: Node) -> List[Tuple[str, str, str]]:
    """The left side, the sign and the right side of what may be comparisons."""
    raw = tested(node)
    if raw:
        return list(zip(raw, raw[1:], raw[2:]))
    found = _COMPARED.finditer(node.expression) if isinstance(node, Arithmetic) else ()
    return [(match[1], match[2], match[3]) for match in found]


def bounded(node: Node) -> List[str]:
    """The variables of which a test asks whether they are more or less than something: `[ "$n" -gt 16 ]`."""
    names = [
        re.fullmatch(r"[\"']?\$?\{?([A-Za-z_]\w*)\}?[\"']?", side)
        for left, sign, right in _compared(node)
        if sign in _NUMBERS and sign not in ("-eq", "-ne", "==", "!=")
        for side in (left, right)
    ]
    return [name[1] for name in names if name]


def _test(words: List[str], double: bool) -> Optional[bool]:
    for joined, decisive in ((("-o", "||"), True), (("-a", "&&"), False)):
        index = next((number for number, word in enumerate(words) if word in joined), 0)
        if index:
            sides = (_test(words[:index], double), _test(words[index + 1 :], double))
            return decisive if decisive in sides else (None if None in sides else not decisive)
    if words[:1] == ["!"]:
        found = _test(words[1:], double)
        return None if found is None else not found
    of_all = virtual.decide(words)
    if of_all is not None:
        return of_all
    if len(words) == 2 and words[0] in _EXISTS and _is_listed(words[1]):
        return True
    if len(words) == 3 and words[1][:1] == "-" and words[1] in _NUMBERS and not all(map(_may_be_number, words[::2])):
        return False  # the shell says that it expected a number
    if not all(masks.known(word) for word in words):
        return None
    if len(words) == 1:
        return bool(words[0])
    if len(words) == 2 and words[0] in ("-z", "-n"):
        return bool(words[1]) is (words[0] == "-n")
    if len(words) != 3 or any(char in words[0] for char in "*?"):
        return None
    left, sign, right = words
    if sign in ("=", "==", "!="):
        same = fnmatchcase(left, right) if double else left == right
        return same is (sign != "!=")
    if sign in _NUMBERS and left.lstrip("-").isdecimal() and right.lstrip("-").isdecimal():
        return _NUMBERS[sign](int(left), int(right))
    return None


def _may_be_number(text: str) -> bool:
    return not text or not masks.known(text) or re.fullmatch(r"\s*[-+]?\d+\s*", text) is not None


def _is_listed(path: str) -> bool:
    """Whether a file is there wherever a command with its name has a NIC, a queue or an interrupt to act on."""
    symbolic = not masks.known(path) or any(char in path for char in "*?") or interrupts.WORD.search(path)
    return bool(_OF_A_QUEUE.match(path)) or (bool(symbolic) and bool(_OF_A_LOOP.fullmatch(masks.shown(path))))


def compare(expression: str, scope: expand.Scope) -> Optional[bool]:
    """An arithmetic condition with one comparison."""
    match = re.fullmatch(r"([^<>=!&|]+)(<=|>=|==|!=|<|>)([^<>=!&|]+)", expression.strip())
    if not match:
        number = expand.arithmetic(expression, scope)
        return None if number is None else bool(number)
    left, right = expand.arithmetic(match[1], scope), expand.arithmetic(match[3], scope)
    return None if left is None or right is None else _NUMBERS[match[2]](left, right)
