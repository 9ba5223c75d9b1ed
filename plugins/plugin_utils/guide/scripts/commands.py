# SPDX-License-Identifier: GPL-3.0-or-later
"""Take in the simple commands of a shell script: what they set, what they write into files, what they print."""

from __future__ import annotations

import re
from contextlib import nullcontext, suppress
from typing import ContextManager, List, Optional, Sequence

from .. import masks
from ..calls import ad_hoc, batches, beside, foreign, one_liners, programs, routes, sentences, uci, wrappers
from ..keys import kernel_files
from ..model import CONDITIONAL, NO_EFFECT, NOTE, ON_HOST, OTHER_TOOL, Line
from ..shell import bindings, drivers, expand, syntax, values
from ..shell.lexer import Broken
from ..shell.nodes import Node, Redirect, Simple
from . import edits, filters, output
from .own_programs import OwnPrograms, lines_of_words

_DECLARING = ("local", "export", "declare", "readonly", "typeset")
_OF_FUNCTIONS = ("local", "declare", "typeset")
_SAYING = ("echo", "printf")
# A program in another language that may tune: `perl /usr/sbin/balethirq.pl`.
_FOR_INTERPRETERS = re.compile(
    r"^(?:\S*/)?(?:python[\d.]*|perl|ruby) (?:-\w+ )?\S*(?:irq|nic|net|tun[ei]|affinity)\w*\.(?:py|pl|rb)\b"
)
SHELLS = ("sh", "bash", "dash", "ash", "zsh", "ksh", "su", "runuser")
# Words after `set` in the configuration of VyOS and its like, where a shell would only set its arguments.
_ROUTER = ("interfaces", "system", "protocols", "service", "firewall", "nat", "qos", "policy", "vpn")
# A rule of udev, which some guides show between commands.
_RULE = re.compile(r"[A-Z]+(\{[^}]*\})?==\"")


class Commands(OwnPrograms):
    """What a script does command by command; `walk` and `call` are of its control flow."""

    root = ""  # the folder of another system in which commands run, as chroot has them

    def walk(self, node: Node) -> None:
        """Of the control flow."""
        raise NotImplementedError

    def find(self, words: Sequence[str]) -> None:
        """Of the loops."""
        raise NotImplementedError

    def read_list(self, words: Sequence[str], redirects: Sequence[Redirect], apart: str = "") -> None:
        """Of the loops."""
        raise NotImplementedError

    def read_words(self, words: Sequence[str], redirects: Sequence[Redirect], apart: str = "") -> None:
        """Of the loops."""
        raise NotImplementedError

    def simple(self, node: Simple) -> str:
        """One command; gives the name of the program."""
        found = len(self.sink.settings), len(self.sink.remarks)
        name = self._simple_command(node)
        if self.override and found != (len(self.sink.settings), len(self.sink.remarks)):
            self.sink.called.setdefault(node.line, set()).add(self.override)
        return name

    def _simple_command(self, node: Simple) -> str:
        index = 0
        self.line = self.override or node.line
        self.sink.driver = drivers.current(self.scope)
        if self.taken_in:
            self.tell_defaults(node)
        while index < len(node.words) and expand.assignment(node.words[index][0]):
            index += 1
        if index and _RULE.match(node.words[0][0]):
            rule = " ".join(raw for raw, _line in node.words)
            self.guide.read_file("/etc/udev/rules.d/shown.rules", [(self.line, rule)])
            return ""
        if index == len(node.words):
            for (raw, line), last in zip(node.words, node.lasts or [0] * len(node.words)):
                self.assign_raw(raw, line, last)
                self.for_its_answer(raw, line)
                said = foreign.of_variable(raw)
                if said:
                    self.sink.remark(line, OTHER_TOOL, f"{masks.shown(raw)}: {said}")
                self.sink.nothing(line, "sets a variable")
            self.redirect(node, [])
            return ""
        words = [field for raw, _line in node.words[index:] for field in expand.fields(raw, self.scope)]
        words[:2] = map(programs.by_variable, words[:2])
        for _raw, line in node.words[index:]:
            self.sink.nothing(line, "sets nothing by itself")
            self.sink.goes_on(line, node.line)
        if not words:
            return ""
        if words[0] in _DECLARING:
            for raw, _line in node.words[index + 1 :]:
                if words[0] in _OF_FUNCTIONS and "-g" not in words:
                    self.keep(raw)
                if any(re.fullmatch(r"-\w*A\w*", word) for word in words[1:]) and raw[:1] != "-":
                    self.scope.tables.setdefault((expand.assignment(raw) or (raw,))[0], {})
                if expand.assignment(raw):
                    self.assign_raw(raw)
                    self.for_its_answer(raw, self.line)
            return words[0]
        takes = (
            any(redirect.operator in (">", ">>", ">|", "&>", "&>>") for redirect in node.redirects) or self.output_paths
        )
        # `tee FILE > /dev/null << EOF` writes into FILE.
        if takes and not (wrappers.unwrapped(words)[:1] or [""])[0].endswith("tee"):
            printed = output.of(wrappers.unwrapped(words), node.redirects, self.scope, self.line)
            path = self.output_path(node)
            if printed is None:
                given = output.of(["cat"], node.redirects, self.scope, self.line)
                printed = filters.through(wrappers.unwrapped(words), given) if given else None
            if printed is None and kernel_files.is_one(path):
                said = " ".join(masks.shown(word) for word in words)
                printed = [(self.line, masks.mask(f"$({said})"))]
            if printed is not None:
                self._not_read(wrappers.unwrapped(words), node)
                self.redirect(node, self.spread(node, printed))
                return words[0]
        self.run(words, node)
        return words[0]

    def _not_read(self, words: Sequence[str], node: Simple) -> None:
        """What stands below a command that prints its words, and does not read what it is given."""
        name = programs.program(words[0]) if words else ""
        given = [line for redirect in node.redirects for line in redirect.body or ()] if name in _SAYING else []
        for number, text in given:
            if sentences.holds_a_setting(text):
                why = f"{name} does not read the text below it; cat does"
                self.sink.remark(number, NO_EFFECT, f"{masks.shown(text.strip())}: {why}")

    @staticmethod
    def hands_over(words: List[str]) -> bool:
        """Whether the arguments of a function are a command that it runs: `retry ethtool -K eth0 gro off`."""
        first = [word.split()[0] for word in words if word.strip()]
        return any(programs.program(word) in programs.PROGRAMS for word in first) or any(
            re.match(r"(echo|printf)\s.*>", word) for word in words
        )

    def in_force(self) -> ContextManager[None]:
        """Leave out what sets the kernel meanwhile, if the command runs in the folder of another system."""
        why = f"it runs in {self.root}, the folder of another system, and sets the kernel that runs meanwhile"
        return self.sink.under(CONDITIONAL, why if self.root else "")

    def write(self, path: str, lines: List[Line], line: int) -> None:
        """Text that goes into a file, perhaps one of the kernel."""
        with self.in_force() if kernel_files.is_one(path) else nullcontext():
            super().write(path, lines, line)

    def run(self, words: List[str], node: Optional[Simple] = None) -> None:
        """A command whose words are known."""
        before = self.root
        self.root = wrappers.other_root(words) or before
        self._run(words, node)
        self.root = before

    def _run(self, words: List[str], node: Optional[Simple]) -> None:
        line = self.line
        words = wrappers.unwrapped(words)
        if ":::" in words:
            for value in words[words.index(":::") + 1 :]:
                self.run(wrappers.filled(words[: words.index(":::")], value), node)
            return
        if not words:
            return
        name = programs.program(words[0])
        given = output.of(["cat"], node.redirects, self.scope, line) if node else None
        if self.call(words[0], words[1:], line):
            self.sink.nothing(line, f"calls the function {words[0]}")
        elif self.may_be_taken_in(name, words):
            self.of_taken_in(words)
        elif (
            name in ("tee", "sysctl")
            and node
            and any(redirect.body or redirect.operator == "<<<" for redirect in node.redirects)
        ):
            printed = self.spread(node, output.of(["cat"], node.redirects, self.scope, line) or [])
            self.into(words if name == "tee" else ["tee", "-a", "/etc/sysctl.conf"], printed, line)
        elif name == "tee":
            for path in (masks.shown(word) for word in words[1:] if self.guide.is_config(masks.shown(word))):
                self.sink.remark(line, ON_HOST, f"what goes into {path}, the host alone knows")
            self.sink.nothing(line, "writes a file")
        elif self.guide.runs(masks.shown(words[0]), words[1:]):
            self.sink.nothing(line, f"calls the script {masks.shown(words[0])}")
        elif name == "ansible" and ad_hoc.only_checks(words):
            said = " ".join(masks.shown(word) for word in words)
            self.sink.remark(line, NO_EFFECT, f"{said}: it only says what it would change")
        elif name == "ansible" and ad_hoc.command(words):
            self.embedded([(line, ad_hoc.command(words))])
        elif name == "ansible":
            ad_hoc.read(self.guide, line, words[1:])
        elif name == "uci" and given:
            uci.batch(self.guide, given)
        elif batches.is_one(words):
            self.batch(words, given)
        elif name in programs.PROGRAMS:
            with self.in_force() if name in programs.OF_THE_KERNEL else nullcontext():
                programs.PROGRAMS[name](self.guide, line, words[1:])
        elif words[0].startswith(("/etc/init.d/", "/etc/rc.d/init.d/")):
            programs.service(self.guide, line, [name, *words[1:]])
        elif name in SHELLS or name == "eval":
            self._shell(name, words[1:], node)
        elif edits.words_for_sed(name, words[1:]) is not None:
            edits.edited(self, line, edits.words_for_sed(name, words[1:]) or [])
        elif edits.files_for_awk(name, words[1:]) is not None:
            edits.edited_by_awk(self, line, edits.files_for_awk(name, words[1:]) or [])
        elif name in edits.COPYING:
            edits.copied(self, line, words[1:], name == "mv", given)
        elif name in edits.REMOVING and (name != "find" or "-delete" in words):
            edits.removed(self, line, words)
        elif name == "find" and "-exec" in words:
            self.find(words)
            self.sink.nothing(line, "looks for files")
        elif name in ("cd", "pushd", "popd"):
            self.go(name, words[1:])
            self.sink.nothing(line, "changes the folder")
        elif node and (name in ("mapfile", "readarray") or values.reads_array(words)):
            self.read_list(words, node.redirects, self._apart(node))
            self.sink.nothing(line, "reads a list")
        elif given and values.reads_document(words):
            variable = values.reads_document(words)
            self.assign(variable, "=", "\n".join(text for _number, text in given))
            self.origins[variable] = (given[0][0], len(given))
            self.sink.nothing(line, "reads a text")
        elif node and name == "read" and any(redirect.operator == "<<<" for redirect in node.redirects):
            self.read_words(words, node.redirects, self._apart(node))
            self.sink.nothing(line, "reads words")
        elif name == "set" and words[1:2] == ["--"] and words[2:] and all(map(masks.known, words)):
            self.scope.arguments = words[2:]
            self.sink.nothing(line, "sets the arguments")
        elif name in (".", "source"):
            what = masks.shown(words[1]) if len(words) > 1 else ""
            self.sink.remark(line, NOTE, f"it takes in {what}, which is not part of this text")
            self.taken_in.append(what)
        elif name == "set" and words[1:2] and words[1] in _ROUTER:
            said = " ".join(masks.shown(word) for word in words)
            self.sink.remark(line, OTHER_TOOL, f"{said}: it is the configuration of VyOS")
        elif one_liners.program_of(words) and self.runs_commands(words):
            self.sink.nothing(line, "runs commands of its own")
        elif given and one_liners.runs_text(words):
            self.of_other_language(name, given)
        elif _FOR_INTERPRETERS.search(" ".join(words[:3])):
            said = next(masks.shown(word) for word in words[1:] if word[:1] != "-")
            self.sink.remark(line, OTHER_TOOL, f"{said} is a program of its own, which is not part of this text")
        elif name == "trap" or name in foreign.HARMLESS or words[0] in ("{", "}", "$0"):
            self.sink.nothing(line, "sets nothing of the network")
        elif name in foreign.OTHERS:
            said = " ".join(masks.shown(word) for word in words[:8])
            self.sink.remark(line, OTHER_TOOL, f"{said}: {foreign.OTHERS[name]}")
            self.given(name, given)
        elif self.hands_text_to(words, given, line):
            self.sink.nothing(line, "writes a file")
        else:
            self.unknown(line, words, name)
            self.given(name, given)
            self.given(name, lines_of_words(node) if node and not self.override else None)

    def _apart(self, node: Simple) -> str:
        """The signs at which a command cuts words apart, by an `IFS=` of its own."""
        assigned = filter(None, (expand.assignment(raw) for raw, _line in node.words))
        return next((expand.text(rest, self.scope) for name, _sign, rest in assigned if name == "IFS"), "")

    def _shell(self, name: str, words: List[str], node: Optional[Simple]) -> None:
        """`sh -c "..."`, `eval ...`, and a here document that a shell reads."""
        if name == "eval":
            self.embedded([(self.line, " ".join(words))])
        elif any(re.fullmatch(r"-\w*c", word) for word in words[:-1]):
            index = next(number for number, word in enumerate(words) if re.fullmatch(r"-\w*c", word))
            text, *handed = [word for word in words[index + 1 :] if word[:1] != "-"] or [words[-1]]
            lines = [(self.line, part) for part in text.split("\n")]
            before = self.scope.arguments
            # The first word after the text is $0.
            self.scope.arguments = handed[1:] if len(handed) > 1 and name != "su" else before
            if not routes.own(self.guide, self.line, text):
                self.in_own_shell(self.spread(node, lines) if node else lines)
            self.scope.arguments = before
        elif node and any(redirect.body for redirect in node.redirects):
            body = output.of(["cat"], node.redirects, self.scope, self.line)
            self.in_own_shell(body or [])
        else:
            plain = [word for word in words if not word.startswith("-")]
            if plain and programs.program(plain[0]) in programs.PROGRAMS:
                self.run(plain)
            elif plain and self.guide.runs(masks.shown(plain[0]), plain[1:]):
                self.sink.nothing(self.line, f"calls the script {masks.shown(plain[0])}")
            elif plain:
                path = masks.shown(plain[0])
                why = f"{path} is a script that is not part of this text"
                beside.call(self.guide, self.line, path, why, plain[1:])

    def batch(self, words: List[str], given: Optional[Sequence[Line]]) -> None:
        """`ip -batch FILE`, `tc -batch -`: each line is the rest of a command."""
        file, line = batches.file_of(words), self.line
        lines = given if file in ("", "-", "/dev/stdin") else self.written(file)
        for number, command in batches.commands(words[0], lines or ()):
            self.line = self.override or number
            self.run(command)
        self.line = line
        if not lines:
            what = f"{masks.shown(' '.join(words))}: the file that it takes commands from is not part of this text"
            self.sink.remark(line, OTHER_TOOL, what)

    def runs_commands(self, words: Sequence[str]) -> bool:
        """Whether a one-liner of another language runs commands that set something."""
        found = [one for one in one_liners.commands(one_liners.program_of(words)) if sentences.holds_a_setting(one)]
        for command in found:
            self.in_own_shell([(self.line, command)])
        return bool(found)

    def of_other_language(self, name: str, text: Sequence[Line]) -> None:
        """A program in another language that stands in the script: the commands that it runs line by line."""
        for number, part in text:
            found = [one for one in one_liners.commands(part) if sentences.holds_a_setting(one)]
            for command in found:
                self.line = self.override or number
                self.in_own_shell([(self.line, command)])
            if not found:
                self.given(name, [(number, part)])

    def in_own_shell(self, lines: Sequence[Line]) -> None:
        """Shell text for another shell, which ends alone."""
        with suppress(bindings.Leave):
            self.embedded(lines)

    def embedded(self, lines: Sequence[Line]) -> None:
        """Shell text inside of a word."""
        try:
            tree = syntax.parse(lines)
        except Broken as error:
            self.sink.unknown(self.line, f"the shell text is broken: {error}")
            return
        before = self.line
        self.walk(tree)
        self.line = before

    def into(self, words: Sequence[str], printed: List[Line], line: int) -> None:
        """`tee FILE...`, which writes files anew without -a."""
        adds = any(re.fullmatch(r"-\w*a\w*|--append", word) for word in words[1:])
        for path in words[1:]:
            if not path.startswith("-"):
                if not adds:
                    self.renew(path, line)
                self.write(path, printed, line)
