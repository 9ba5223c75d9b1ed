# SPDX-License-Identifier: GPL-3.0-or-later
"""Follow text through commands in a row: what the first ones print may be what the last one writes or runs."""

from __future__ import annotations

import re
from typing import List, Optional, Sequence

from .. import masks
from ..calls import batches, foreign, one_liners, programs, sentences, wrappers
from ..model import ON_HOST, OTHER_TOOL, Line
from ..shell import expand
from ..shell.nodes import For, Node, Pipeline, Sequence_, Simple, all_of
from . import filters, output
from .commands import SHELLS, Commands

# Where a loop writes what it prints, until the next command takes it.
_PRINTED = "/what a loop prints"


class Pipelines(Commands):
    """The commands in a row of one script."""

    def pipeline(self, node: Pipeline) -> None:
        """Commands in a row: what the first ones print may be what the last one writes or runs."""
        last = node.commands[-1]
        if self._bare(last)[:1] == ["crontab"] and self._bare(last)[-1] == "-":
            self._to_cron(node)
            return
        between = [self._bare(one) for one in node.commands[1:]]
        words = between[-1]
        name = programs.program(words[0]) if words else ""
        is_filter = name in foreign.HARMLESS and not _is_tee(words)
        path = self.output_path(last) if isinstance(last, Simple) and is_filter else ""
        between = between if path else between[:-1]
        printed = self._printed(node) if all(between) else None
        for one in between:
            printed = self._through(one, printed, node.line) if printed is not None else None
        if path and printed is not None and isinstance(last, Simple):
            for command in node.commands:
                self._passed(command, node.line)
            self.redirect(last, printed)
            return
        if words and wrappers.as_tee_of_dd(words):
            words = wrappers.as_tee_of_dd(words)
        takes = bool(words) and (name in (*SHELLS, "sysctl") or _is_tee(words) or batches.is_one(words))
        if printed is not None and takes:
            for command in node.commands:
                self._passed(command, node.line)
            if words[0].endswith("tee"):
                self.into(words, printed, node.line)
            elif batches.is_one(words):
                self.line = node.line
                self.batch(words, printed)
            elif words[0].endswith("sysctl"):
                self.guide.read_file("/etc/sysctl.conf", printed)
            else:
                self.in_own_shell(printed)
            return
        commands = one_liners.printed(self._bare(node.commands[-2])) if words[:1] and words[0] in SHELLS else []
        if commands:
            for command in node.commands:
                self._passed(command, node.line)
            self.in_own_shell([(node.line, command) for command in commands])
            return
        if words and words[0].rsplit("/", 1)[-1] in SHELLS:
            self._not_known(node)
        if words and self.hands_text_to(words, printed, node.line):
            self.visited.update(map(id, node.commands))
            return
        for command in node.commands:
            self.walk(command)
        if name in foreign.OTHERS:
            self.given(name, printed)

    def _not_known(self, node: Pipeline) -> None:
        """Commands that are put together for a shell out of what only the host knows."""
        spelt = [word for one in node.commands[:-1] for word in self._bare(one)]
        if any(sentences.holds_a_setting(part) for word in spelt for part in re.split(r"[/|,]", word)):
            said = " ".join(masks.shown(word) for word in spelt)
            self.sink.remark(node.line, ON_HOST, f"{said}: what it hands to the shell, the host alone knows")

    def _to_cron(self, node: Pipeline) -> None:
        """`(crontab -l; echo "@reboot COMMAND") | crontab -`: the lines that are new to the jobs of cron."""
        found: List[Line] = []
        for one in (inner for command in node.commands for inner in all_of(command)):
            self.visited.add(id(one))
            words = self._bare(one)
            if isinstance(one, Simple):
                self.sink.nothing(one.line, "makes a job of cron")
                self.line = self.override or one.line
                printed = output.of(words, one.redirects, self.scope, self.line) if words[:1] != ["cat"] else None
                found += self.spread(one, printed) if printed else []
        self.guide.read_file("/var/spool/cron/root", found)
        text = "this collection does not manage cron jobs"
        self.sink.remark(node.line, OTHER_TOOL, f"crontab -: {text}") if not found else None

    def _through(self, words: List[str], lines: List[Line], line: int) -> Optional[List[Line]]:
        """What one of several commands makes of the lines; None where the text does not tell, which is said."""
        if _is_tee(words):
            self.into(words, lines, line)
            return lines
        found = filters.through(words, lines)
        for number, text in lines if found is None else ():
            if sentences.holds_a_setting(text):
                what = f"{masks.shown(text.strip())}: what {masks.shown(words[0])} makes of it, the host alone knows"
                self.sink.remark(number, ON_HOST, what)
        return found

    def _passed(self, command: Node, line: int) -> None:
        """One of several commands in a row whose effect is known as a whole."""
        self.visited.add(id(command))
        if isinstance(command, Simple):
            self.sink.nothing(command.line, "sets nothing by itself")
            self.sink.goes_on(command.line, line)

    def _printed(self, node: Pipeline) -> Optional[List[Line]]:
        """What the first of several commands in a row prints, or all that stand in brackets there."""
        first = node.commands[0]
        if isinstance(first, For) and self._only_prints(first):
            return self._printed_by_loop(first)
        inner = first.commands if isinstance(first, Sequence_) else (first,)
        found: List[Line] = []
        for one in inner:
            if not isinstance(one, Simple) or not one.words:
                return None
            self.line = self.override or one.line
            printed = output.of(self._bare(one), one.redirects, self.scope, self.line)
            if printed is None:
                return None
            found += self.spread(one, printed)
        for one in inner:
            self.visited.add(id(one))
            self.sink.nothing(one.line, "sets nothing by itself")
        return found

    @staticmethod
    def _only_prints(loop: For) -> bool:
        inside = [one for one in all_of(loop.body) if isinstance(one, Simple)]
        return bool(inside) and all(one.words and one.words[0][0] in ("echo", "printf") for one in inside)

    def _printed_by_loop(self, loop: For) -> List[Line]:
        """What a loop prints, round by round."""
        self.output_paths.append(_PRINTED)
        try:
            self.walk(loop)
        finally:
            self.output_paths.pop()
        return self.files.pop(_PRINTED, [])

    def _bare(self, node: Node) -> List[str]:
        """The words of a command without its wrappers; none for a loop or the like."""
        words = node.words if isinstance(node, Simple) else ()
        return wrappers.unwrapped([field for raw, _line in words for field in expand.fields(raw, self.scope)])


def _is_tee(words: Sequence[str]) -> bool:
    return words[0].rsplit("/", 1)[-1] == "tee"
