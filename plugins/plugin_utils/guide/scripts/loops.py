# SPDX-License-Identifier: GPL-3.0-or-later
"""Go through the loops of a shell script: over words, over lines, and as long as a number counts up or down.

What the text decides is walked round by round; a loop over what only the host knows is walked once, for all rounds.
"""

from __future__ import annotations

import re
from typing import Dict, FrozenSet, List, Optional, Sequence, Set, Tuple, Union

from .. import masks
from ..calls import wrappers
from ..keys import kernel_files
from ..shell import bindings, conditions, counting, drivers, expand, interrupts
from ..shell.nodes import For, Node, Pipeline, Redirect, Simple, While, all_of
from .rounds import MOST_ROUNDS, Rounds

_LISTS = ("mapfile", "readarray")
_OF_READ = ("-p", "-t", "-N", "-i")
_WITH_WORD = ("-d", "-n", "-O", "-s", "-u", "-C", "-c")


class Loops(Rounds):
    """The loops of one script."""

    by_option: FrozenSet[str] = frozenset()  # variables that only an option gives their value

    def loop(self, node: For) -> None:
        """`for x in ...`, and `for ((...))`."""
        raw = node.words if node.words is not None else (('"$@"', node.line),)
        heads = [node.head] if node.head else [word for word, _line in raw]
        if self._over_list(node, " ".join(heads), node.head.partition("=")[0].strip() or node.name):
            return
        if node.head:
            self._count(node)
            return
        words = self.listed(raw)
        if words:
            self.over(node.name, words, node.body, node.line)
        else:
            self.skip(node.body, self.unlisted or "the loop has no words")

    def _over_list(self, node: Union[For, While], head: str, name: str = "") -> bool:
        """The same for a loop over the numbers of an array of interrupts; False for any other loop."""
        book = self.guide.interrupts
        if book.counting or book.looping or not interrupts.are_counted(head, self.scope):
            return False
        self.survey(node.body, lambda _count: self.loop(node) if isinstance(node, For) else self.repeat(node))
        self.forget(node.body)
        self.scope.values.update({name: masks.mask(f"${name}")} if name else {})
        self.for_all(node.body)
        return True

    def _count(self, node: For) -> None:
        """`for ((i=0; i<8; i++))`, as far as the numbers are known."""
        first, test, step = [*(part.strip() for part in node.head.split(";")), "", "", ""][:3]
        counting.carry_out(first, self.scope)
        name = first.partition("=")[0].strip()
        for _round in range(MOST_ROUNDS):
            goes_on = conditions.compare(test, self.scope)
            if goes_on is None:
                self.forget(node.body)
                self.scope.values[name] = masks.mask(f"${name}")
                self.one_round(node.body, True)
                return
            if not goes_on:
                return
            if not self.goes_on(node.body):
                return
            counting.carry_out(step, self.scope)

    def repeat(self, node: While) -> None:
        """`while` and `until`."""
        found = bindings.rows(node, self.scope)
        if found is not None:
            self._rounds(node, found)
            return
        fed = [redirect for redirect in node.redirects if redirect.operator == "<"]
        if fed and self.fed(node, self._printed_into(fed[-1])):
            return
        if self._over_list(node, " ".join(_spelt(one) for one in all_of(node.condition))):
            self.visit_all(node.condition)
            return
        if self._counts(node) and self._as_counted(node):
            return
        self.forget(node.body)
        self.forget(node.condition)
        self.condition(node.condition)
        start = dict(self.scope.values)
        with self.output_to(node.redirects):
            self.one_round(node.body, True)
        # A default that the loop may replace, such as by an option, is what a call without options has; lines of a file
        # are no options.
        after = self.scope.values
        words = " ".join(_spelt(one) for one in all_of(node.condition)).split()
        replaced = () if "read" in words[:2] else start.items()
        defaults = {name: value for name, value in replaced if bindings.surer(value, after.get(name))}
        self.options.update({name: after[name] for name in defaults})
        after.update(defaults)
        if words[:1] == ["getopts"] or _shifts(node.body):
            flags = self._flags(node.body)
            self.by_option = self.by_option.union(flags)
            after.update({name: "" for name in flags if name not in start})

    @staticmethod
    def _flags(body: Node) -> Dict[str, str]:
        """What a loop over options gives variables that have one value with an option, and another without it."""
        raw = [word for one in all_of(body) if isinstance(one, Simple) for word, _line in one.words]
        found: Dict[str, Set[str]] = {}
        for name, sign, rest in filter(None, map(expand.assignment, raw)):
            found.setdefault(name, set()).add(rest if sign == "=" else "$")
        return {
            name: min(given) for name, given in found.items() if len(given) == 1 and not set("$`(") & set(min(given))
        }

    def pipeline(self, node: Pipeline) -> None:
        """`ls ... | while read x`, where the text tells what is read."""
        before, last = node.commands[:-1], node.commands[-1]
        path = self.output_path(last) if isinstance(last, Simple) else ""
        if path and not kernel_files.is_one(path) and all(isinstance(one, Simple) for one in before):
            found = self.substitute(" | ".join(map(_spelt, node.commands))) or ""
            if interrupts.WORD.fullmatch(found):
                self.visit_all(node)
                self.sink.nothing(node.line, "looks up interrupts")
                self.write(path, [(node.line, found)], node.line)
                return
        takes = bool(bindings.reads_one(last)) or (isinstance(last, Simple) and self._words(last)[:1] == ["xargs"])
        if not takes or not all(isinstance(one, Simple) for one in before):
            super().pipeline(node)
            return
        printed = self.substitute(" | ".join(map(_spelt, before)))
        if self.fed(last, printed) or (isinstance(last, Simple) and self._handed(last, printed)):
            for one in before:
                self.visit_all(one)
                self.sink.nothing(one.line, "gives the words of a loop")
        else:
            super().pipeline(node)

    def _words(self, node: Simple) -> List[str]:
        words = [field for raw, _line in node.words for field in expand.fields(raw, self.scope)]
        return words[1:] if words[:1] == ["sudo"] else words

    def _handed(self, node: Simple, printed: Optional[str]) -> bool:
        """Whether it is xargs with words of which the text tells; its command is run for each of them."""
        words = wrappers.unwrapped(self._words(node))
        if printed is None or not words:
            return False
        self.visit_all(node)
        self.line = self.override or node.line
        for value in printed.split()[:MOST_ROUNDS]:
            self.run(wrappers.filled(words, value), node)
        self.sink.nothing(node.line, "sets nothing by itself")
        return True

    def find(self, words: Sequence[str]) -> None:
        """`find ... -exec COMMAND {} \\;`, where the text tells what is found."""
        search, command = wrappers.executed(words)
        if not command:
            return
        printed = self.substitute(" ".join(search))
        for value in printed.split() if printed is not None else [masks.mask("{}")]:
            self.run(wrappers.filled(command, value))

    def fed(self, node: Node, printed: Optional[str]) -> bool:
        """Whether it is `while read x` over words of which the text tells, such as a list of NICs; it is walked."""
        name = bindings.reads_one(node)
        if not name or printed is None or not isinstance(node, While):
            return False
        self.visit_all(node.condition)
        with self.output_to(node.redirects):
            self.over(name, printed.split(), node.body, node.line)
        return True

    def read_list(self, words: Sequence[str], redirects: Sequence[Redirect], apart: str = "") -> None:
        """`mapfile -t list < <(...)`, `IFS=, read -ra list <<< ...`: the words of an array."""
        takes = (*_WITH_WORD, *(_OF_READ if words[0] == "read" else ()))
        plain = [word for index, word in enumerate(words[1:]) if word[:1] != "-" and words[index] not in takes]
        fed = [redirect for redirect in redirects if redirect.operator in ("<", "<<<")]
        if plain:
            printed = self._printed_into(fed[-1]) if fed else None
            if printed and words[0] == "read":
                printed = printed.split("\n")[0]
                # Where the words are cut apart, IFS says.
                printed = re.sub(f"[{re.escape(apart)}]", " ", printed) if apart.strip() else printed
                printed = None if re.search("[,:;]", printed) else printed
            self.scope.values[plain[0]] = masks.mask(f"${plain[0]}") if printed is None else printed.split()

    def read_words(self, words: Sequence[str], redirects: Sequence[Redirect], apart: str = "") -> None:
        """`IFS=: read -r key value <<< text`: each variable gets a word, the last one what is left."""
        takes = (*_WITH_WORD, *_OF_READ)
        names = [word for index, word in enumerate(words[1:]) if word[:1] != "-" and words[index] not in takes]
        printed = self._printed_into([one for one in redirects if one.operator == "<<<"][-1])
        first = (printed or "").split("\n")[0]
        signs = apart.strip()
        parts = re.split(f"[{re.escape(signs)}]", first, maxsplit=len(names) - 1) if signs and len(names) > 1 else []
        parts = parts or first.split(None, max(len(names) - 1, 0))
        for index, name in enumerate(names):
            value = parts[index].strip() if index < len(parts) else ""
            self.scope.values[name] = masks.mask(f"${name}") if printed is None else value

    def _printed_into(self, redirect: Redirect) -> Optional[str]:
        """What `< <(...)` or `<<< text` gives, where the text tells."""
        if redirect.operator == "<<<":
            found = expand.text(redirect.word, self.scope)
            return found if masks.known(found) else None
        if redirect.word.startswith("<("):
            return self.substitute(redirect.word[2:-1])
        written = self.written(self.located(expand.text(redirect.word, self.scope)))
        return "\n".join(text for _number, text in written) if written else None

    def _counts(self, node: While) -> bool:
        """Whether the condition compares what each round of the loop counts on or shifts."""
        raw = " ".join(_spelt(one) for one in all_of(node.condition))
        names = {name for one in all_of(node.body) for name in self.assigned(one)}
        return conditions.is_test(node.condition) and (
            any(re.search(rf"\b{re.escape(name)}\b", raw) for name in names)
            or (_shifts(node.body) and re.search(r"\$[{]?[1#]", raw) is not None)
        )

    def _as_counted(self, node: While) -> bool:
        """Round by round as long as the text decides the condition; False where the host does."""
        for _round in range(MOST_ROUNDS):
            goes_on = conditions.decide(node.condition, self.scope)
            if goes_on is None:
                return False
            self.visit_all(node.condition)
            if not goes_on:
                if not _round:
                    self.skip(node.body, "the condition before it is not met")
                    self.by_option = self.by_option.union(self._flags(node.body) if _shifts(node.body) else ())
                return True
            before = dict(self.scope.values), self.scope.arguments
            with self.output_to(node.redirects):
                if not self.goes_on(node.body):
                    return True
            if before == (self.scope.values, self.scope.arguments):
                return True
        return True

    def _rounds(self, node: While, found: Sequence[Tuple[int, drivers.Bindings]]) -> None:
        """A loop over the lines of a here document; what a round sets is told at its line."""
        self.visit_all(node.condition)
        before = self.override
        for line, values in found:
            self.override = before or line
            self.scope.values.update(values)
            goes_on = self.goes_on(node.body)
            self.override = before
            if not goes_on:
                break


def _spelt(node: Node) -> str:
    return conditions.spelt(node) if isinstance(node, Simple) else getattr(node, "expression", "")


def _shifts(body: Node) -> bool:
    return any(isinstance(one, Simple) and one.words and one.words[0][0] == "shift" for one in all_of(body))
