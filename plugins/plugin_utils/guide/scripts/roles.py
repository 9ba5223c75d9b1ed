# SPDX-License-Identifier: GPL-3.0-or-later
"""Note which conditions of a script choose between hosts, their roles, or calls: `case "$1" in server)`.

One host has what one of the cases sets, so the cases are told apart here; what becomes of them is decided at the end.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import Dict, Iterator, List, Optional, Sequence, Set, Tuple, Union

from .. import masks
from ..keys.settings import Guide
from ..model import CONDITIONAL, Branch, Case
from ..shell import conditions, expand, nodes, roles
from ..shell.nodes import For, Node, Simple, While, all_of
from .calling import Calling

# Why commands do not run that only some calls of a script run.
NEEDS_OPTION = "it runs with an option of the script only"


class Roles(Calling):
    """The choices of one script."""

    def __init__(self, guide: Guide, arguments: Optional[List[str]] = None) -> None:
        super().__init__(guide, arguments)
        # By who asks for what: the number of the condition that all of these are cases of, and the words asked for.
        self.asking: Dict[Tuple[str, ...], Tuple[int, List[str]]] = {}
        self.otherwise: Dict[int, Case] = {}  # by the number of a condition, what to say of its `else`
        self.looping = 0
        self.menus: Set[str] = set()  # what loops around ask a person for

    def group(self) -> int:
        """The number of a condition."""
        self.sink.groups += 1
        return self.sink.groups

    @contextmanager
    def turning(self, node: Union[For, While]) -> Iterator[None]:
        """A loop, whose rounds may come to several cases; a menu asks for one of them."""
        before = self.menus
        self.menus = before | roles.read_in(node)
        self.looping += 1
        try:
            yield
        finally:
            self.looping -= 1
            self.menus = before

    def _may_be_several(self, name: str) -> bool:
        """Whether one run may come to several values: in a loop, or in a function that has arguments of its own."""
        if name in self.menus:
            return False
        return bool(self.looping) or (self.depth > 0 and name.isdecimal() and self.scope.arguments is not None)

    def cases_of(self, node: nodes.Case, group: int, arms: Sequence[Sequence[str]]) -> None:
        """Keep by which words a `case` chooses between hosts or calls."""
        name = roles.variable(node.subject)
        if not roles.tells_hosts(node.subject, self.scope) or self._may_be_several(name):
            return
        by_call, numbered = roles.of_a_call(node.subject, self.scope), roles.are_numbers(arms)
        for number, patterns in enumerate(arms):
            said = roles.said(node.subject, patterns, by_call, numbered)
            words = frozenset(masks.shown(pattern) for pattern in patterns)
            self.sink.roles.setdefault(group, {})[number] = Case(said, words)

    def chosen_by(self, test: Optional[Node], group: int, number: int) -> Branch:
        """What a condition asks of an argument, or of what a host is, excludes what others ask of it."""
        name, text = conditions.argument(test)
        by_call = bool(name)
        if not by_call:
            name, text = roles.compared(test, self.scope)
        if test is None and number == 1 and group in self.otherwise:
            self.sink.roles[group][1] = self.otherwise.pop(group)
        if not name or (not by_call and self._may_be_several(name)):
            return ()
        branch = self._choice(name, text)
        if self._may_be_several(name):
            return branch
        said = "" if roles.is_plain(text) else f"only where {' '.join(roles.words_of(test))} holds"
        part = Case(said, frozenset({text}))
        self.sink.roles.setdefault(branch[0][0], {})[branch[0][1]] = part
        if said and number == 0:
            self.sink.roles[group] = {0: part}
            self.otherwise[group] = Case("" if by_call else said.replace(" holds", " does not hold"), frozenset())
        return branch

    def _choice(self, name: str, text: str) -> Branch:
        key = (*self.called[-1:], name) if self.depth else (name,)
        if key not in self.asking:
            self.asking[key] = (self.group(), [])
        group, texts = self.asking[key]
        texts += [text] if text not in texts else []
        return ((group, texts.index(text), "if"),)

    def unmet(self, test: Optional[Node]) -> str:
        """Why commands do not run whose condition is not met; one of an option is met in some calls."""
        raw = [word for one in all_of(test) if isinstance(one, Simple) for word, _line in one.words] if test else []
        named = {name for word in raw for name in re.findall(r"\$\{?(\w+)", word)}
        return NEEDS_OPTION if named & self.by_option else "the condition before it is not met"

    def without(self, body: Node) -> Dict[str, expand.Value]:
        """What a script would set for an option is empty in a call that has not got it."""
        raw = [word for one in all_of(body) if isinstance(one, Simple) for word, _line in one.words]
        names = [found[0] for found in map(expand.assignment, raw) if found]
        return {name: "" for name in names if self.scope.get(name) is None}

    def left_open(self, body: Node) -> Dict[str, expand.Value]:
        """The same where the option has set a variable, which is then asked for; what it sets is told."""
        found = self.without(body)
        for one in all_of(body):
            for raw, line in one.words if isinstance(one, Simple) else ():
                name, _sign, rest = expand.assignment(raw) or ("", "", "")
                if name in found and rest and not set("$`(") & set(rest):
                    self.sink.remark(line, CONDITIONAL, f"{masks.shown(raw)}: {NEEDS_OPTION}")
        return found
