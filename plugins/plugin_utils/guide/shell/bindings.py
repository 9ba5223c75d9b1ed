# SPDX-License-Identifier: GPL-3.0-or-later
"""What a condition says of the variables of a script while it holds: `[ "$1" = eno1 ]`, `case $2 in up)`."""

from __future__ import annotations

import re
from contextlib import contextmanager
from copy import copy
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from .. import masks
from . import drivers, expand
from .conditions import START, UNDO, bounded, queries_driver
from .drivers import Bindings
from .nodes import JOINED, AndOr, Node, Not, Pipeline, Sequence_, Simple, While, all_of, tested

_MOST = 16


def alternatives(node: Node, scope: expand.Scope, holds: bool = True) -> List[Bindings]:
    """The ways in which a condition holds, or fails, by the variables that are one text then."""
    if isinstance(node, Sequence_) and len(node.commands) == 1:
        return alternatives(node.commands[0], scope, holds)
    if isinstance(node, Not):
        return alternatives(node.command, scope, not holds)
    if isinstance(node, AndOr):
        sides = [alternatives(side, scope, holds) for side in (node.left, node.right)]
        return _both(*sides) if (node.operator == "&&") is holds else _either(*sides)
    if isinstance(node, Pipeline) and holds:
        return drivers.searched(node)
    raw = tested(node)
    return of_words(raw, scope, holds) if raw else drivers.found_in(node, scope) if holds else [drivers.NOTHING]


def of_words(raw: Sequence[str], scope: expand.Scope, holds: bool) -> List[Bindings]:
    """The words of a test: `a = b`, joined by -o and -a, of which -a holds together more."""
    for joined, together in JOINED:
        index = next((number for number, word in enumerate(raw) if word in joined), 0)
        if index:
            sides = [of_words(side, scope, holds) for side in (raw[:index], raw[index + 1 :])]
            return _both(*sides) if together is holds else _either(*sides)
    if raw[:1] == ["!"]:
        return of_words(raw[1:], scope, not holds)
    driver, there = drivers.tested(raw, scope)
    if driver:
        return drivers.named(driver) if there is holds else [drivers.NOTHING]
    if raw[1:2] == ["=~"] and holds and drivers.tells(raw[0], scope):
        return drivers.named("".join(raw[2:]))
    if len(raw) != 3 or raw[1] not in ("=", "==", "!=") or (raw[1] != "!=") is not holds:
        return [drivers.NOTHING]
    for variable, literal in ((raw[0], raw[2]), (raw[2], raw[0])):
        match, text = drivers.VARIABLE.fullmatch(variable), expand.text(literal, scope)
        driver = text.rpartition("/")[2]  # a link to a driver is its path
        if raw[0] == variable and driver.strip("*") and masks.known(text) and drivers.tells(variable, scope):
            return [{**({match[1]: text} if match and "*" not in text else {}), drivers.DRIVER: driver}]
        if text and masks.known(text) and not any(char in text for char in "*?[$"):
            names = [match[1]] if match else []
            names += [drivers.DRIVER] if drivers.tells(variable, scope) else []
            if names:
                return [dict.fromkeys(names, text)]
    return [drivers.NOTHING]


def _both(one: List[Bindings], other: List[Bindings]) -> List[Bindings]:
    found = [{**first, **second} for first in one for second in other]
    return found if len(found) <= _MOST else [drivers.NOTHING]


def _either(one: List[Bindings], other: List[Bindings]) -> List[Bindings]:
    found = [*one, *other]
    return found if all(found) and len(found) <= _MOST else [drivers.NOTHING]


def rows(node: While, scope: expand.Scope) -> Optional[List[Tuple[int, Bindings]]]:
    """`while read key value; do ... done << EOF`: by their lines, the variables of each round; None for other loops."""
    test = node.condition
    while isinstance(test, Sequence_) and len(test.commands) == 1:
        test = test.commands[0]
    documents = [redirect for redirect in node.redirects if redirect.body]
    words = [raw for raw, _line in test.words] if isinstance(test, Simple) else []
    separator = re.fullmatch(r"IFS=[\"']?(\S?)[\"']?", words[0]) if words else None
    words = words[1:] if separator else words
    names = [word for word in words[1:] if word != "-r"]
    if words[:1] != ["read"] or len(documents) != 1 or not names or any(word.startswith("-") for word in names):
        return None
    found = []
    for line, raw in documents[0].body or ():
        text = raw if documents[0].quoted else expand.document(raw, scope)
        parts = [part.strip() for part in text.split((separator[1] if separator else "") or None, len(names) - 1)]
        if any(parts):
            found.append((line, dict(zip(names, [*parts, *[""] * len(names)]))))
    return found


def reads_one(node: Node) -> str:
    """The variable of `while read x`; empty for other commands."""
    test = node.condition if isinstance(node, While) else None
    while isinstance(test, Sequence_) and len(test.commands) == 1:
        test = test.commands[0]
    words = [raw for raw, _line in test.words] if isinstance(test, Simple) else []
    words = words[1:] if words and words[0].startswith("IFS=") else words
    names = [word for word in words[1:] if word != "-r"]
    return names[0] if words[:1] == ["read"] and len(names) == 1 and re.fullmatch(r"\w+", names[0]) else ""


def undone(found: Sequence[Bindings]) -> str:
    """The word, such as `down`, with which alone a condition holds; empty where it holds for more."""
    words = [next((text for text in one.values() if text.lower().strip("-") in UNDO), "") for one in found]
    return words[0] if words and all(words) else ""


def of_pattern(subject: str, pattern: str, scope: expand.Scope) -> Bindings:
    """What a pattern of a `case` says of the variables of its subject, which may be two: `case "$1:$2" in eno1:up)`."""
    names = re.fullmatch(r"[\"']?\$\{?(\w+)\}?(?:([:,/ _.-]+)\$\{?(\w+)\}?)?[\"']?", subject)
    if not names:
        driver = pattern.rpartition("/")[2]
        return {drivers.DRIVER: driver} if queries_driver(drivers.filled(subject, scope)) and driver.strip("*") else {}
    parts = [pattern] if not names[2] else pattern.split(names[2])
    chosen = [name for name in (names[1], names[3]) if name]
    # A pattern of names is what an inventory takes, too; one for everything says nothing.
    usable = len(parts) == len(chosen)
    found = {
        name: part
        for name, part in zip(chosen, parts)
        if usable and part.strip("*") and not any(char in part for char in "?[") and part.lower() not in START
    }
    told = [part for name, part in found.items() if name in scope.drivers]
    return {**found, drivers.DRIVER: told[0].rpartition("/")[2]} if told else found


def bind(scope: expand.Scope, found: Bindings) -> None:
    """Let the variables, and others that are only other names of them, have these values."""
    for name, text in found.items():
        now = scope.get(name)
        same = {masks.mask(f"${name}"), masks.mask(f"${{{name}}}")}
        same |= {now} if isinstance(now, str) and not masks.known(now) else set()
        others = [key for key, value in scope.values.items() if isinstance(value, str) and value in same]
        for other in [*_named(same), *others]:
            scope.values[other] = text
        scope.values[name] = text
        scope.values[f"{LIKELY}{name}"] = ""


def certainly(scope: expand.Scope) -> expand.Scope:
    """The same variables, of which those are not known that have their value in some cases only."""
    doubted = [name[len(LIKELY) :] for name, value in scope.values.items() if name.startswith(LIKELY) and value]
    sure = copy(scope)
    sure.values = {**scope.values, **{name: masks.mask(f"${name}") for name in doubted}}
    return sure if doubted else scope


@contextmanager
def held(scope: expand.Scope, found: Bindings) -> Iterator[None]:
    """Variables that have these values for some commands; one that these assign anew stays as they leave it."""
    before = dict(scope.values)
    bind(scope, found)
    bound = {name: value for name, value in scope.values.items() if before.get(name) != value}
    yield
    for name, value in bound.items():
        if scope.values.get(name) == value:
            scope.values.pop(name)
            scope.values.update({name: before[name]} if name in before else {})


def _named(values: set[str]) -> Iterator[str]:
    """The variables that values stand for."""
    for value in values:
        match = re.fullmatch(r"\$\{?(\w+)\}?", masks.shown(value))
        if match:
            yield match[1]


# How the names begin that stand beside variables of which conditions of the host have left open what they are.
OPEN = "?"
# And those beside variables that have their value only where a condition of the host holds, or where it fails.
LIKELY = "~"


def merged(
    outcomes: Sequence[Dict[str, expand.Value]], prefer: bool, tests: Sequence[Optional[Node]] = (), holds: bool = True
) -> Dict[str, expand.Value]:
    """The variables after cases of which one holds: what differs is not known. In the first one the first test `holds`.

    With `prefer`, the one value that cases give is taken; conditions do not go by it, unless it is what a variable gets
    that was asked for in these tests, as a default is. A limit is no default: what lies within it stays as it was.
    """
    raw = [word for test in tests for one in all_of(test) if isinstance(one, Simple) for word, _line in one.words]
    tested = {name for word in raw for name in re.findall(r"\$\{?(\w+)", word)}
    limited = {name for test in tests for one in all_of(test) for name in bounded(one)}
    after: Dict[str, expand.Value] = {}
    marks = (OPEN, LIKELY)
    opened = {name for values in outcomes for name, value in values.items() if name.startswith(marks) and value}
    for name in {name for values in outcomes for name in values if not name.startswith(marks)}:
        found = [values.get(name) for values in outcomes]
        sure = [value for value in found if value is not None and masks.known("".join(value))]
        if all(value == found[0] for value in found) and found[0] is not None:
            after[name] = found[0]
            likely = next((values[f"{LIKELY}{name}"] for values in outcomes if values.get(f"{LIKELY}{name}")), "")
            after.update({f"{LIKELY}{name}": likely} if likely else {})
        elif (
            prefer
            and sure
            and name not in limited
            and _all_say(sure, found)
            and f"{OPEN}{name}" not in opened
            and not (limited and _computed(found))
        ):
            after[name] = sure[0]
            first = found[0] is not None and masks.known("".join(found[0]))
            after.update({} if name in tested else {f"{LIKELY}{name}": _told(tests, first is holds) or "1"})
        elif name not in limited and any(value == masks.MAXIMUM for value in found):
            after[name] = masks.MAXIMUM
        else:
            after[name] = masks.mask(f"${name}")
            if sure or f"{OPEN}{name}" in opened:
                after[f"{OPEN}{name}"] = "1"
    return after


def _told(tests: Sequence[Optional[Node]], holds: bool) -> str:
    """The one condition, as a script writes it, that a value needs; empty where it is none that words can tell."""
    asking = [test for test in tests if test is not None]
    test = asking[0] if len(asking) == 1 else None
    while isinstance(test, Sequence_) and len(test.commands) == 1:
        test = test.commands[0]
    words = tested(test)
    compared = len(words) == 3 and (words[1] in ("=", "==", "!=") or re.fullmatch("-(?:[lg][te]|eq|ne)", words[1]))
    tells = compared or (len(words) == 2 and words[0] in ("-n", "-z"))
    return f"only where {' '.join(words)} {'holds' if holds else 'does not hold'}" if tells else ""


def _computed(found: Sequence[Optional[expand.Value]]) -> bool:
    """Whether the host computes what a variable is in one of the cases, between which a number decides."""
    return any(value is not None and not masks.known("".join(value)) for value in found)


def conditions_of(raw: Sequence[str], scope: expand.Scope) -> List[str]:
    """What to note of a command for the variables in its words that have their value only under a condition."""
    names = [name for word in raw for name in re.findall(r"\$\{?(\w+)", word)]
    found = (scope.values.get(f"{LIKELY}{name}", "") for name in names)
    return [one for one in dict.fromkeys(map(str, found)) if one.startswith("only ")]


def _all_say(sure: Sequence[expand.Value], found: Sequence[Optional[expand.Value]]) -> bool:
    """Whether all cases of which the value is known have the same one; an empty one is none that others go by."""
    return all(value == sure[0] for value in sure) and (bool("".join(sure[0])) or len(sure) == len(found))


class Leave(Exception):
    """exit, return, break or continue, where nothing doubts it."""

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how


def surer(one: expand.Value, other: Optional[expand.Value]) -> bool:
    """Whether one value is known where the other is not."""
    # Nothing is no default: a script that needs a NIC begins with an empty one.
    return bool("".join(one)) and masks.known("".join(one)) and other is not None and not masks.known("".join(other))


def leaves(node: Node) -> bool:
    """Whether a body certainly ends with exit, return, break or continue."""
    last = node
    while isinstance(last, Sequence_) and last.commands:
        last = last.commands[-1]
    words = last.words if isinstance(last, Simple) else ()
    return bool(words) and words[0][0] in ("exit", "return", "break", "continue")
