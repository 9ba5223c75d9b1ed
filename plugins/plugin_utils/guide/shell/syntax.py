# SPDX-License-Identifier: GPL-3.0-or-later
"""Parse the tokens of a shell script into the nodes of which it is made."""

from __future__ import annotations

from functools import lru_cache
from typing import Callable, List, Mapping, Optional, Sequence, Tuple

from ..budget import MOST_LEVELS
from ..model import Line
from . import choosing
from .lexer import REDIRECTIONS, Broken, Token, TooDeep, tokens
from .nodes import (
    AndOr,
    Arithmetic,
    Case,
    For,
    Function,
    If,
    Node,
    Not,
    Pipeline,
    Redirect,
    Sequence_,
    Simple,
    While,
    all_of,
)

_OF_ITS_SHELL = ("exec", "exit", "cd", "pushd")
_ENDS = ("then", "do", "done", "fi", "else", "elif", "esac", "}")


class _Parser:
    def __init__(self, found: Sequence[Token]) -> None:
        self.tokens = [*found, Token("end", "", found[-1].line if found else 1)]
        self.position = 0
        self.level = 0  # of commands within each other

    @property
    def now(self) -> Token:
        return self.tokens[self.position]

    def is_word(self, *words: str) -> bool:
        return self.now.kind == "word" and self.now.raw in words

    def is_op(self, *operators: str) -> bool:
        return self.now.kind == "op" and self.now.raw in operators

    def take(self) -> Token:
        token = self.now
        self.position += 1
        return token

    def expect(self, word: str) -> Token:
        self.blank()
        if self.now.raw != word:
            raise Broken(self.now.line, f"'{word}' is missing")
        return self.take()

    def blank(self) -> None:
        while self.now.kind == "newline" or self.is_op(";"):
            self.take()

    def sequence(self, *ends: str) -> Sequence_:
        line, commands = self.now.line, []
        self.blank()
        while self.now.kind != "end" and not (self.is_word(*ends) or (self.now.kind == "op" and self.now.raw in ends)):
            if self.is_word(*_ENDS) or self.is_op(")", ";;"):
                raise Broken(self.now.line, f"'{self.now.raw}' stands where nothing is open")
            command = self.and_or()
            commands.append(_aside(command) if self.is_op("&") else command)
            while self.now.kind == "newline" or self.is_op(";", "&"):
                self.take()
        return Sequence_(tuple(commands), (), line)

    def and_or(self) -> Node:
        left = self.pipeline()
        while self.is_op("&&", "||"):
            operator = self.take()
            self.blank()
            left = AndOr(operator.raw, left, self.pipeline(), operator.line)
        return left

    def pipeline(self) -> Node:
        line = self.now.line
        turned = False
        while self.is_word("!", "time"):
            turned ^= self.take().raw == "!"
        commands = [self.command()]
        while self.is_op("|", "|&"):
            self.take()
            self.blank()
            commands.append(self.command())
        whole = commands[0] if len(commands) == 1 else Pipeline(tuple(commands), line)
        return Not(whole, line) if turned else whole

    def command(self) -> Node:
        self.level += 1
        if self.level > MOST_LEVELS:
            raise TooDeep(self.now.line)
        found = self.one_command()
        self.level -= 1
        return found

    def one_command(self) -> Node:
        token = self.now
        if token.kind == "arith":
            self.take()
            return Arithmetic(token.raw, token.line)
        if self.is_op("("):
            return self.bracketed("(", ")")
        if token.kind == "word":
            compounds: Mapping[str, Callable[[], Node]] = {
                "if": self.condition,
                "for": self.loop,
                "select": self.loop,
                "while": self.repeat,
                "until": self.repeat,
                "case": self.case,
                "function": self.function,
            }
            compound = compounds.get(token.raw)
            if compound:
                return compound()
            if token.raw == "{":
                return self.bracketed("{", "}")
            after = self.tokens[self.position + 1 : self.position + 3]
            if [(other.kind, other.raw) for other in after] == [("op", "("), ("op", ")")]:
                return self.function()
        return self.simple()

    def bracketed(self, opening: str, closing: str) -> Node:
        self.expect(opening)
        body = self.sequence(closing)
        self.expect(closing)
        return body._replace(redirects=self.redirections(), own=opening == "(")

    def redirections(self) -> Tuple[Redirect, ...]:
        found = []
        while self.is_op(*REDIRECTIONS):
            found.append(self.redirection())
        return tuple(found)

    def redirection(self) -> Redirect:
        operator = self.take()
        if self.now.kind != "word":
            raise Broken(operator.line, f"nothing stands after {operator.raw}")
        word = self.take()
        return Redirect(operator.raw, word.raw, operator.line, word.body, word.quoted, operator.quoted)

    def simple(self) -> Simple:
        line, words, redirects, lasts = self.now.line, [], [], []
        while True:
            if self.now.kind == "word":
                token = self.take()
                words.append((token.raw, token.line))
                lasts.append(token.last)
            elif self.in_brackets(words):
                # Operators are words here, and nothing is redirected.
                token = self.take()
                words += [(token.raw, token.line)] if token.kind == "op" else []
                lasts += [token.last] if token.kind == "op" else []
            elif self.is_op(*REDIRECTIONS):
                redirects.append(self.redirection())
            else:
                break
        if not words and not redirects:
            raise Broken(self.now.line, f"'{self.now.raw.strip()}' stands where a command is expected")
        return Simple(tuple(words), tuple(redirects), line, tuple(lasts) if any(lasts) else ())

    def in_brackets(self, words: Sequence[Tuple[str, int]]) -> bool:
        """Whether `[[` is open, and is closed somewhere."""
        opened = bool(words) and words[0][0] == "[[" and words[-1][0] != "]]"
        return opened and any(token.raw == "]]" for token in self.tokens[self.position : self.position + 200])

    def condition(self) -> Node:
        line = self.take().line
        arms: List[Tuple[Optional[Node], Node]] = []
        while True:
            test = self.sequence("then")
            self.expect("then")
            arms.append((test, self.sequence("elif", "else", "fi")))
            if self.is_word("elif"):
                self.take()
                continue
            if self.is_word("else"):
                self.take()
                arms.append((None, self.sequence("fi")))
            self.expect("fi")
            self.redirections()
            found = If(tuple(arms), line)
            return choosing.as_case(found) or found

    def loop(self) -> For:
        line = self.take().line
        if self.now.kind == "arith":
            head, name, words = self.take().raw, "", None
        else:
            name, head, words = self.take().raw, "", None
            self.newlines()
            if self.is_word("in"):
                self.take()
                listed = []
                while self.now.kind == "word":
                    token = self.take()
                    listed.append((token.raw, token.line))
                words = tuple(listed)
        self.blank()
        ends = "}" if self.is_word("{") else "done"
        self.expect("{" if ends == "}" else "do")
        body = self.sequence(ends)
        self.expect(ends)
        return For(name, words, head, body, self.redirections(), line)

    def newlines(self) -> None:
        while self.now.kind == "newline":
            self.take()

    def repeat(self) -> While:
        first = self.take()
        line, test = first.line, self.sequence("do")
        self.expect("do")
        body = self.sequence("done")
        self.expect("done")
        return While(Not(test, line) if first.raw == "until" else test, body, self.redirections(), line)

    def case(self) -> Case:
        line = self.take().line
        subject = self.take().raw
        self.expect("in")
        arms: List[Tuple[Tuple[str, ...], Node, int]] = []
        self.blank()
        while not self.is_word("esac"):
            if self.now.kind == "end":
                raise Broken(line, "'esac' is missing")
            patterns, start = [], self.now.line
            if self.is_op("("):
                self.take()
            while not self.is_op(")"):
                token = self.take()
                if token.kind == "end":
                    raise Broken(line, "'esac' is missing")
                if token.kind == "word":
                    patterns.append(token.raw)
            self.take()
            arms.append((tuple(patterns), self.sequence(";;", ";&", ";;&", "esac"), start))
            if self.is_op(";;", ";&", ";;&"):
                self.take()
            self.blank()
        self.take()
        self.redirections()
        return Case(subject, tuple(arms), line)

    def function(self) -> Function:
        if self.is_word("function"):
            self.take()
        name = self.take()
        if self.is_op("("):
            self.take()
            self.expect(")")
        self.newlines()
        return Function(name.raw, self.command(), name.line)


def _aside(command: Node) -> Node:
    """A command with `&` behind it runs in a shell of its own, which it may end or change without the others."""
    first = [one.words[0][0] for one in all_of(command) if isinstance(one, Simple) and one.words]
    return Sequence_((command,), (), command.line, own=True) if {*first} & set(_OF_ITS_SHELL) else command


def parse(lines: Sequence[Line]) -> Sequence_:
    """The commands of numbered lines; Broken where they are no shell."""
    return _Parser(tokens(lines)).sequence()


@lru_cache(maxsize=512)
def inner(source: str, line: int) -> Optional[Sequence_]:
    """The commands of a substitution, which a loop works out again and again; None where they are no shell."""
    try:
        return parse([(line, source)])
    except Broken:
        return None
