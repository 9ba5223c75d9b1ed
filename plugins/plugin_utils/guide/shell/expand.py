# SPDX-License-Identifier: GPL-3.0-or-later
"""Expand the raw words of a shell script: quotes, variables, arithmetic, and the few substitutions that are pure."""

from __future__ import annotations

import re
from typing import Callable, Dict, List, Optional, Set, Tuple, Union

from .. import masks
from ..budget import Budget
from . import interrupts, numbers, values
from .braces import braces

Value = Union[str, List[str]]
Run = Callable[[str], Optional[str]]

# As many characters as possible that stand for themselves.
_PLAIN = re.compile(r"[^'\"`$\\]+")
# An index may hold that of another array.
_PARAMETER = re.compile(
    r"([#!]?)([A-Za-z_][A-Za-z0-9_]*|[0-9@*])(\[(?:[^][]|\[[^][]*\])*\])?(.*)",
    re.DOTALL,
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "r": "\r", "a": "", "e": "\x1b", "0": "\0"}


class Scope:
    """The variables of a script, its arguments, and how its substitutions are run."""

    def __init__(
        self, arguments: Optional[List[str]] = None, run: Optional[Run] = None, budget: Optional[Budget] = None
    ) -> None:
        self.values: Dict[str, Value] = {}
        self.arguments = arguments
        self.run: Run = run or (lambda _source: None)
        self.budget = budget or Budget()
        self.tables: Dict[str, Dict[str, str]] = {}  # arrays whose elements have names
        self.drivers: Set[str] = set()  # the variables that hold the name of a driver
        self.looked_for: Dict[str, str] = {}  # by those that hold whether a driver is found, the driver
        self.counts: Set[str] = set()  # those that hold the number of processors
        self.machines: Set[str] = set()  # those that hold what tells machines apart, such as the name of the host
        self.hosts: Set[str] = set()  # those that hold the name of the host
        self.limits: Dict[str, str] = {}  # by the variables that hold what `ethtool -g` prints, that command
        self.in_force: Dict[str, str] = {}  # by the variables that hold what a parameter is now, the parameter
        self.lengths: Dict[str, str] = {}  # those that are worked out from how many interrupts an array has

    def get(self, name: str) -> Optional[Value]:
        """The value of a variable, or None when the text does not say it."""
        if name in self.values:
            return self.values[name]
        if name in ("@", "*"):
            return self.arguments
        if name == "#" and self.arguments is not None:
            return str(len(self.arguments))
        if name.isdecimal() and self.arguments is not None and name != "0":
            index = int(name) - 1
            return self.arguments[index] if index < len(self.arguments) else ""
        return None


def fields(raw: str, scope: Scope) -> List[str]:
    """The words that a raw word becomes."""
    found = [text for one in braces(raw) for text in _Expansion(scope).fields(one)]
    scope.budget.take(found)
    return found


def text(raw: str, scope: Scope) -> str:
    """A raw word as one text, as in an assignment."""
    found = _Expansion(scope).whole(raw)
    scope.budget.take([found])
    return found


def document(raw: str, scope: Scope) -> str:
    """A line of a here document whose end is not quoted."""
    return _Expansion(scope).whole(raw, quotes=False)


def arithmetic(expression: str, scope: Scope) -> Optional[int]:
    """The value of an arithmetic expression, or None."""
    plain = _Expansion(scope).whole(expression, quotes=False)
    return numbers.value(plain, lambda name: int(str(scope.get(name)))) if masks.known(plain) else None


class _Expansion:
    """One raw word on its way; `parts` are its fields so far, the last one still growing."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.parts: List[str] = []
        self.open = False
        self.split = True

    def whole(self, raw: str, quotes: bool = True) -> str:
        self.split = False
        self._walk(raw, quotes)
        return " ".join(self.parts)

    def fields(self, raw: str) -> List[str]:
        self._walk(raw, True)
        return self.parts

    def _add(self, piece: str) -> None:
        if self.open:
            self.parts[-1] += piece
        else:
            self.parts.append(piece)
            self.open = True

    def _insert(self, value: Value, quoted: bool, array: bool = False) -> None:
        if isinstance(value, list) and quoted and array:
            for index, piece in enumerate(value):
                self.open = self.open and not index
                self._add(piece)
            return
        plain = " ".join(value) if isinstance(value, list) else value
        if quoted or not self.split:
            self._add(plain)
            return
        if plain[:1].isspace():
            self.open = False
        for index, piece in enumerate(plain.split()):
            self.open = self.open and not index
            self._add(piece)
        if plain[-1:].isspace():
            self.open = False

    def _walk(self, raw: str, quotes: bool) -> None:
        index = 0
        while index < len(raw):
            char = raw[index]
            if quotes and char == "'":
                end = raw.find("'", index + 1)
                self._add(raw[index + 1 : end if end > 0 else len(raw)])
                index = (end if end > 0 else len(raw)) + 1
            elif quotes and char == "$" and raw[index + 1 : index + 2] == "'":
                index = self._escaped(raw, index + 2)
            elif (quotes and char == '"') or (quotes and raw[index : index + 2] == '$"'):
                index = self._double(raw, index + (1 if char == '"' else 2))
            elif char == "\\" and index + 1 < len(raw):
                if quotes or raw[index + 1] in "$`\\":
                    self._add(raw[index + 1])
                else:
                    self._add(raw[index : index + 2])
                index += 2
            elif char in "$`":
                index = self._dollar(raw, index, not quotes)
            else:
                index = self._plain(raw, index)

    def _plain(self, raw: str, index: int) -> int:
        """Take characters that stand for themselves; where they end."""
        match = _PLAIN.match(raw, index)
        end = match.end() if match else index + 1
        self._add(raw[index:end])
        return end

    def _escaped(self, raw: str, index: int) -> int:
        while index < len(raw) and raw[index] != "'":
            if raw[index] == "\\" and index + 1 < len(raw):
                self._add(_ESCAPES.get(raw[index + 1], raw[index + 1]))
                index += 1
            else:
                self._add(raw[index])
            index += 1
        return index + 1

    def _double(self, raw: str, index: int) -> int:
        self._add("")
        while index < len(raw) and raw[index] != '"':
            char = raw[index]
            if char == "\\" and raw[index + 1 : index + 2] in ("$", "`", '"', "\\"):
                self._add(raw[index + 1])
                index += 2
            elif char in "$`":
                index = self._dollar(raw, index, True)
            else:
                index = self._plain(raw, index)
        return index + 1

    def _dollar(self, raw: str, index: int, quoted: bool) -> int:
        if raw[index] == "`":
            end = raw.find("`", index + 1)
            end = end if end > 0 else len(raw)
            self._substitute(raw[index + 1 : end].replace("\\`", "`"), raw[index : end + 1], quoted)
            return end + 1
        brackets = (("$((", "))"), ("$[", "]"), ("$(", ")"), ("${", "}")) if raw[index + 1 : index + 2] in "([{" else ()
        for opening, closing in brackets:
            if raw.startswith(opening, index):
                end = values.closing(raw, index + len(opening), opening[1], closing)
                inner, source = raw[index + len(opening) : end - len(closing)], raw[index:end]
                if opening in ("$((", "$["):
                    number = arithmetic(inner, self.scope)
                    self._insert(masks.mask(source) if number is None else str(number), quoted)
                elif opening == "$(":
                    self._substitute(inner, source, quoted)
                else:
                    self._parameter(inner, source, quoted)
                return end
        match = _NAME.match(raw, index + 1)
        if not match:
            self._add("$")
            return index + 1
        value = self.scope.get(match[0])
        self._insert(masks.mask(f"${match[0]}") if value is None else value, quoted, match[0] == "@")
        return match.end()

    def _substitute(self, inner: str, source: str, quoted: bool) -> None:
        with self.scope.budget:
            value = self.scope.run(inner)
        self._insert(masks.mask(source) if value is None else value, quoted)

    def _parameter(self, inner: str, source: str, quoted: bool) -> None:
        match = _PARAMETER.fullmatch(inner)
        if not match:
            self._insert(masks.mask(source), quoted)
            return
        mark, name, index, rest = match[1], match[2], match[3] or "", match[4]
        table = self.scope.tables.get(name)
        if table is not None and index and not rest:
            self._of_table(table, mark, index[1:-1], source, quoted)
            return
        value: Optional[Value] = self.scope.get(name)
        if isinstance(value, list) and index not in ("[@]", "[*]") and name not in ("@", "*"):
            number = arithmetic(index[1:-1], self.scope) if index else 0
            value = values.element(value, number)
        if mark == "#":
            count = str(len(value)) if value is not None and _is_whole(value) else None
            self._insert(masks.mask(source) if count is None else count, quoted)
        elif mark == "!" and isinstance(value, list):
            found = [str(number) for number in range(len(value))] if _is_whole(value) else [masks.mask(source)]
            self._insert(found, quoted, True)
        elif mark == "!":
            other = self.scope.get(value) if isinstance(value, str) and masks.known(value) else None
            self._insert(masks.mask(source) if other is None else other, quoted)
        else:
            changed = self._operate(value, rest)
            if rest.lstrip(":").startswith("=") and not index and isinstance(changed, str):
                self.scope.values[name] = changed
            shown = masks.mask(f"${name}") if changed is None and not rest and not index else masks.mask(source)
            self._insert(shown if changed is None else changed, quoted, index == "[@]" or name == "@")

    def _of_table(self, table: Dict[str, str], mark: str, index: str, source: str, quoted: bool) -> None:
        if mark == "#":
            self._insert(str(len(table)), quoted)
        elif index in ("@", "*"):
            self._insert(list(table if mark else table.values()), quoted, True)
        else:
            self._insert(table.get(text(index, self.scope), masks.mask(source)), quoted)

    def _operate(self, value: Optional[Value], rest: str) -> Optional[Value]:
        """What an operation of `${name...}` makes of a value; None when nobody knows."""
        match = re.match(r":?[-=+?]|##?|%%?|//?|,,?|\^\^?|:", rest)
        if not match:
            return value
        sign, argument = match[0], rest[match.end() :]
        if sign.lstrip(":") in ("-", "=", "?", "+") and sign != ":":
            empty = value is None or (sign[0] == ":" and not value)
            given = text(argument, self.scope)
            if sign.endswith("+"):
                return given if value else ("" if value is not None else None)
            return given if empty and not sign.endswith("?") else value
        # In a text of which the host knows a part alone, the rest of it is changed as anywhere.
        partly = isinstance(value, str) and sign == "//" and masks.mask(masks.shown(value)) != value
        if not isinstance(value, str) or not (masks.known(value) or partly or sign in ("##", "#", "%", "%%")):
            return value if isinstance(value, str) and sign in (",,", "^^") else None
        pattern = text(argument, self.scope)
        if sign[0] in "#%,^":
            return values.changed(value, sign, pattern)
        if sign[0] == "/":
            old, _slash, new = argument.partition("/")
            return values.replaced(value, text(old, self.scope), text(new, self.scope), sign == "//")
        start, _colon, length = argument.partition(":")
        first, count = arithmetic(start, self.scope), arithmetic(length, self.scope) if length else None
        return None if first is None else values.part(value, first, count)


def _is_whole(value: Value) -> bool:
    """Whether the words of an array, or the letters of a text, are those that it has on the host."""
    words = value if isinstance(value, list) else [value]
    sure = masks.known(" ".join(words)) and not (interrupts.is_list(value) or interrupts.are_several(value))
    return sure and not any(word[:1] == "/" and "*" in word for word in words)


def assignment(raw: str) -> Optional[Tuple[str, str, str]]:
    """(name, = or += behind an index in brackets, raw value) of a word that assigns."""
    match = re.match(r"([A-Za-z_][A-Za-z0-9_]*)(\[[^\]]*\])?(\+?=)", raw)
    return (match[1], (match[2] or "") + match[3], raw[match.end() :]) if match else None
