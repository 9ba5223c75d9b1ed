# SPDX-License-Identifier: GPL-3.0-or-later
"""Cut shell text into words and operators, keeping quotes, substitutions and here documents whole.

`shlex` drops the quotes that decide whether a `$` counts, and knows neither here documents nor `$(...)`; so the words
stay raw here, and are expanded when their command is looked at.
"""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence, Tuple

from ..budget import MOST_LEVELS
from ..model import Line

_OPERATORS = (
    *(";;&", "<<<", "<<-", "&>>"),
    *(";;", ";&", "&&", "||", "|&", "&>", "<<", "<&", ">&", ">>", ">|", "<>"),
    *(";", "|", "&", "(", ")", "<", ">"),
)
REDIRECTIONS = ("<<<", "<<-", "&>>", "&>", "<<", "<&", ">&", ">>", ">|", "<>", "<", ">")

_BEFORE_A_COMMAND = ("if", "elif", "then", "else", "while", "until", "do", "for", "!", "{", "time")


class Broken(Exception):
    """Text that is no shell: a quote or a bracket that nobody closes; `line` is where it opens."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


class TooDeep(Broken):
    """Text that may be shell, but has more within each other than anybody writes."""

    def __init__(self, line: int) -> None:
        super().__init__(line, f"it is too deep: more than {MOST_LEVELS} levels within each other")


class Token(NamedTuple):
    """A word, an operator, or the end of a line; `body` is the here document that a redirection opens.

    `last` is the line in which a word ends, where that is another one than `line`.
    """

    kind: str
    raw: str
    line: int
    body: Optional[Tuple[Line, ...]] = None
    quoted: bool = False
    last: int = 0


class Lexer:
    """One pass over the numbered lines of a script."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.numbers = [number for number, _text in lines] or [1]
        self.text = "".join(f"{text}\n" for _number, text in lines)
        self.position = 0
        self.row = 0
        self.tokens: List[Token] = []
        self.pending: List[int] = []
        self.level = 0  # of brackets within each other

    @property
    def line(self) -> int:
        """The number of the line that is being read."""
        return self.numbers[min(self.row, len(self.numbers) - 1)]

    def run(self) -> List[Token]:
        """All tokens; Broken where the text is no shell."""
        while self.position < len(self.text):
            char = self.text[self.position]
            if char == "\n":
                self._end_line()
            elif char in " \t\r":
                self.position += 1
            elif self.text.startswith("\\\n", self.position):
                self._step(2)
            elif char == "#":
                self.position = self.text.index("\n", self.position)
            else:
                self._token()
        return self.tokens

    def _step(self, count: int) -> None:
        self.row += self.text.count("\n", self.position, self.position + count)
        self.position += count

    def _end_line(self) -> None:
        self.tokens.append(Token("newline", "\n", self.line))
        self._step(1)
        for index in self.pending:
            self._here_document(index)
        self.pending = []

    def _here_document(self, index: int) -> None:
        token = self.tokens[index]
        end = "".join(char for char in token.raw if char not in "'\"\\")
        strip = self.tokens[index - 1].raw.endswith("-")
        body: List[Line] = []
        while self.position < len(self.text):
            stop = self.text.index("\n", self.position)
            text, number = self.text[self.position : stop], self.line
            self._step(stop + 1 - self.position)
            if (text.lstrip("\t") if strip else text).rstrip("\r") == end:
                break
            body.append((number, text.lstrip("\t") if strip else text))
        self.tokens[index] = token._replace(body=tuple(body), quoted=end != token.raw)

    def _token(self) -> None:
        rest = self.text[self.position : self.position + 12]
        digits = len(rest) - len(rest.lstrip("0123456789"))
        if digits and rest[digits : digits + 1] in ("<", ">") and rest[:1].isdecimal():
            self.position += digits
            self._operator(rest[:digits])
            return
        if rest.startswith("((") and self._command_position():
            start, line = self.position, self.line
            self._bracket("((", "))")
            self.tokens.append(Token("arith", self.text[start + 2 : self.position - 2], line))
            return
        if rest[:2] in ("<(", ">("):
            self._word()
            return
        if any(rest.startswith(operator) for operator in _OPERATORS):
            self._operator("")
            return
        self._word()

    def _command_position(self) -> bool:
        last = next((token for token in reversed(self.tokens)), None)
        return last is None or last.kind in ("newline", "op") or last.raw in _BEFORE_A_COMMAND

    def _operator(self, number: str) -> None:
        raw = next(operator for operator in _OPERATORS if self.text.startswith(operator, self.position))
        self.tokens.append(Token("op", raw, self.line, quoted=number == "2"))
        self.position += len(raw)
        if raw in ("<<", "<<-"):
            while self.text[self.position] in " \t":
                self.position += 1
            if self.text[self.position] != "\n":
                self.pending.append(len(self.tokens))
                self._word()

    def _word(self) -> None:
        start, line = self.position, self.line
        while self.position < len(self.text):
            char = self.text[self.position]
            if self.text[self.position : self.position + 2] in ("<(", ">(") and self.position == start:
                self.position += 1
                self._bracket("(", ")")
            elif char == "(" and self.text[self.position - 1] == "=" and self.position > start:
                self._bracket("(", ")")
            elif char in "@*+?!" and self.text[self.position + 1] == "(" and self._in_pattern():
                self.position += 1
                self._bracket("(", ")")
            elif char in " \t\n\r;&|<>()":
                break
            else:
                self._piece()
        raw = self.text[start : self.position].replace("\\\n", "")
        self.tokens.append(Token("word", raw, line, last=self.line if self.line != line else 0))

    def _in_pattern(self) -> bool:
        return any(token.raw == "[[" and token.line == self.line for token in self.tokens[-8:])

    def _piece(self) -> None:
        """One character, or a quote or substitution as a whole."""
        char, line = self.text[self.position], self.line
        if char == "\\":
            self._step(2)
        elif char == "'":
            end = self.text.find("'", self.position + 1)
            if end < 0:
                raise Broken(line, "a quote ' that nobody closes")
            self._step(end + 1 - self.position)
        elif char == '"':
            self._double()
        elif char == "`":
            end = self.text.find("`", self.position + 1)
            if end < 0:
                raise Broken(line, "a ` that nobody closes")
            self._step(end + 1 - self.position)
        elif self.text.startswith("$((", self.position):
            self.position += 1
            self._bracket("((", "))")
        elif self.text.startswith("$(", self.position):
            self.position += 1
            self._bracket("(", ")")
        elif self.text.startswith("${", self.position):
            self.position += 1
            self._bracket("{", "}")
        elif self.text.startswith("$[", self.position):
            self.position += 1
            self._bracket("[", "]")
        else:
            self._step(1)

    def _double(self) -> None:
        line = self.line
        self._step(1)
        while self.position < len(self.text):
            char = self.text[self.position]
            if char == '"':
                self.position += 1
                return
            if char in "\\`" or self.text[self.position : self.position + 2] in ("$(", "${", "$["):
                self._piece()
            else:
                self._step(1)
        raise Broken(line, 'a quote " that nobody closes')

    def _bracket(self, opening: str, closing: str) -> None:
        self.level += 1
        if self.level > MOST_LEVELS:
            raise TooDeep(self.line)
        self._between(opening, closing)
        self.level -= 1

    def _between(self, opening: str, closing: str) -> None:
        line = self.line
        self._step(len(opening))
        one, other = opening[0], closing[0]
        depth = len(opening)
        while self.position < len(self.text):
            char = self.text[self.position]
            if char == other:
                depth -= 1
                self._step(1)
                if not depth:
                    return
            elif char == one:
                depth += 1
                self._step(1)
            elif char in "'\"\\`" or (char == "$" and self.text[self.position + 1] in "({["):
                self._piece()
            elif char == "#" and one == "(" and self.text[self.position - 1] in " \t\n":
                self._step(self.text.index("\n", self.position) - self.position)
            else:
                self._step(1)
        raise Broken(line, f"a bracket {opening} that nobody closes")


def tokens(lines: Sequence[Line]) -> List[Token]:
    """The tokens of numbered lines; Broken where they are no shell."""
    return Lexer(lines).run()
