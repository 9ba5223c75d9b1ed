# SPDX-License-Identifier: GPL-3.0-or-later
"""Judge the commands of a shell script whose programs are not known: functions of files that it takes in, programs of
somebody's own, lines that are no commands at all."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import List, Optional, Sequence

from .. import masks
from ..calls import affinity, beside, foreign, programs, qdiscs, sentences
from ..model import NO_EFFECT, NOTE, OTHER_TOOL, Line
from ..shell import bindings, conditions
from ..shell.conditions import UNDO
from ..shell.nodes import Simple, all_of
from . import queries
from .substitutions import Substitutions

_TALKING = re.compile(
    r"(log|info|warn|err|msg|print|die|usage|debug|success|fail|note|say|banner|header|ok|title|step|section|color|yellow|red|green)"
)
_SAYS = {"log", "info", "warn", "warning", "error", "success", "msg", "message", "debug", "print", "notice", "title"}
_RUNNING = re.compile("run|exec|call|cmd|command|do_|try|must|apply|sudo")
_DEFAULT = re.compile(r"\$\{([A-Za-z_]\w*):?[-=][^}]")
_NETWORK = re.compile(
    r"/net/|conntrack|(?<![A-Za-z])(eth\d|enp|eno\d|ens\d|em\d|nics?\b|irqs?\b|rps|xps|queues?\b|ring\b|offload|mtu\b|tcp_|udp_|bond\d|qdisc"
    r"|rss\b|affinity|tso\b|sysctl|ethtool|net\.|interface)"
)
# A line of a file of sysctl.
_PARAMETER = re.compile(r"-?(net|kernel|vm|fs)\.[\w.]+ ?=")
# Words of programs that keep what they are given for a failure or the end, or only ask or tell of it.
_NOT_RUN_WORDS = """
exit fail failure error err abort trap defer finally register on usage help dry skip assert test check exists define
declare describe print show list
"""
_NOT_RUN = frozenset(_NOT_RUN_WORDS.split())
# A script by a path whose folder a variable has, or that is given the arguments of this one.
_OF_A_FILE = re.compile(r"(?:\$\{?\w+\}?|\.{1,2})?(?:/[\w.${}-]+)*/[\w.-]+\.(?:sh|py|pl|bash)")
# Commands of Upstart, each with the name of a job.
_OF_UPSTART = ("start", "stop", "restart")
_QDISC_WORDS = ("qdisc", "class", "filter")


class OwnPrograms(Substitutions):
    """What is said of such commands."""

    def run(self, words: List[str], node: Optional[Simple] = None) -> None:
        """A command by its words."""
        raise NotImplementedError

    def embedded(self, lines: Sequence[Line]) -> None:
        """Shell text inside of a word."""
        raise NotImplementedError

    def hand_on(self, words: List[str], line: int) -> None:
        """Of the control flow."""
        raise NotImplementedError

    def for_its_answer(self, raw: str, line: int) -> None:
        """Run the command or the function of `out=$(...)` that sets something, whatever takes what it prints."""
        command = queries.answered(raw)
        function = self.functions.get(command.split()[0]) if command.split() else None
        inside = [one for one in all_of(function.body) if isinstance(one, Simple)] if function else []
        if any(sentences.holds_a_setting(conditions.spelt(one)) or _goes_to_kernel(one) for one in inside):
            self.output_paths.append("/dev/null")
            with suppress(bindings.Leave):
                self.embedded([(line, command)])
            self.output_paths.pop()
        elif queries.sets(raw):
            self.embedded([(line, command)])

    def given(self, name: str, text: Optional[List[Line]]) -> None:
        """What stands in a text for a program that is not known, or that acts elsewhere."""
        for number, part in text or ():
            if sentences.holds_a_setting(part):
                self.sink.remark(number, OTHER_TOOL, f"it stands in a text for {masks.shown(name)}")

    def hands_text_to(self, words: Sequence[str], text: Optional[List[Line]], line: int) -> bool:
        """Whether a program of somebody's own is given a text and the path of a configuration that it belongs into."""
        paths = [word for word in words[1:] if masks.shown(word)[:1] == "/" and self.guide.is_config(masks.shown(word))]
        known = (self.functions, programs.PROGRAMS, foreign.OTHERS, foreign.HARMLESS)
        if text is None or len(paths) != 1 or any(programs.program(words[0]) in names for names in known):
            return False
        said = f"{masks.shown(words[0])} is not part of this text; it is taken to write what it is given into that file"
        self.sink.remark(line, NOTE, said)
        self.write(paths[0], text, line)
        return True

    def unknown(self, line: int, words: List[str], name: str) -> None:
        """A program that is not known may be one that runs the rest of its words."""
        if _is_said(words):
            self.sink.nothing(line, "words, and no command")
            return
        if words[1:2] == ["exec"] and "--" in words[2:-1]:
            said = " ".join(map(masks.shown, words))
            self.sink.remark(line, OTHER_TOOL, f"{said}: it acts on another host or in a container")
            return
        told = _TALKING.match(name.lower().lstrip("_")) is not None
        talks = (told or _talks(name)) and not _RUNNING.search(name.lower())
        for index, word in enumerate(() if talks and len(words) == 2 else words[1:], 1):
            if " " in word.strip() and programs.program(word.split()[0]) in programs.PROGRAMS:
                self.embedded([(line, word)])
                return
            if (
                programs.program(word) in programs.PROGRAMS
                and index <= 3
                and len(words) > index + 1
                and "/" not in words[0]
            ):
                self.run([word, *(words[index + 2 :] if words[index + 1] == "--" else words[index + 1 :])])
                return
        if words[0] in _OF_UPSTART and len(words) == 2:
            programs.service(self.guide, line, [words[1], words[0]])
        elif _PARAMETER.match(f"{words[0]} {''.join(words[1:2])}"):
            said = masks.shown(" ".join(words))
            text = f"{said}: it is a line for a file of sysctl, which a shell takes for a command; it sets nothing"
            self.sink.remark(line, NO_EFFECT, text)
        elif len(words) > 1 and words[1] in _QDISC_WORDS:
            qdiscs.tc(self.guide, line, words[1:])
        elif _OF_A_FILE.fullmatch(masks.shown(words[0])):
            self._stands_elsewhere(words)
        elif not masks.known(words[0]) or any(
            word in (masks.mask("$@"), masks.mask("$1"), masks.mask("$*")) for word in words
        ):
            self.dynamic = True
            self.sink.nothing(line, "runs what it is told by its arguments")
        elif told or talks:
            self.sink.nothing(line, "only prints")
        elif name.endswith((".sh", ".py", ".pl")) or words[0].startswith(("/", "./", "~")):
            self._stands_elsewhere(words)
        elif self._hands_on(words, name):
            self.hand_on(self._hands_on(words, name), line)
            said = f"{masks.shown(name)} is not part of this text; it is taken to run what it is told"
            self.sink.remark(line, NOTE, said)
        else:
            said = masks.shown(" ".join(words))
            whole = self.guide.texts[line - 1].strip() if line <= len(self.guide.texts) else ""
            if foreign.OF_BOOT.search(whole):
                text = f"{masks.shown(whole)}: this collection does not manage the kernel command line"
                self.sink.remark(line, OTHER_TOOL, text)
            elif _NETWORK.search(said) and self.taken_in:
                self.of_taken_in(words)
            elif programs.meant(name):
                self.sink.unknown(line, programs.meant(name))
            elif _NETWORK.search(said):
                self.sink.unknown(line, f"'{masks.shown(name)}' is an unknown program")
            else:
                self.sink.remark(line, OTHER_TOOL, f"{said}: a program of its own, and nothing points to the network")

    def _stands_elsewhere(self, words: Sequence[str]) -> None:
        path = masks.shown(words[0])
        why_not = f"{path} is a program of its own, which is not part of this text"
        beside.call(self.guide, self.line, path, why_not, words[1:])

    def _hands_on(self, words: List[str], name: str) -> List[str]:
        """The call of a function of this script among the words of a program that is none, and that runs it."""
        plain = re.fullmatch(r"[A-Za-z_][\w.:-]*", words[0]) is not None
        found = [number for number, word in enumerate(words) if number and plain and word in self.functions]
        parts = set(re.split(r"[^a-z]+", " ".join([name, *(words[number] for number in found)]).lower()))
        return words[found[0] :] if len(found) == 1 and not parts & (UNDO | _NOT_RUN) else []

    def tell_defaults(self, node: Simple) -> None:
        """A default that holds only where no file that the script takes in gives the variable another value."""
        for raw, line in node.words:
            for name in _DEFAULT.findall(raw):
                if self.scope.get(name) is None:
                    named = " or ".join(dict.fromkeys(self.taken_in[-3:]))
                    said = f"{name}: {named} may give it another value, and is not part of this text"
                    self.sink.remark(self.override or line, NOTE, said)

    def may_be_taken_in(self, name: str, words: Sequence[str]) -> bool:
        """Whether a vendor's program is more likely a function of a file that the script takes in."""
        likely = re.search("irq|affinity", " ".join(self.taken_in)) is not None or not masks.known(" ".join(words))
        return bool(self.taken_in) and likely and name in affinity.OF_VENDORS and words[0] == name

    def of_taken_in(self, words: List[str]) -> None:
        """A command that may be a function of a file that the script takes in."""
        said = " ".join(masks.shown(word) for word in words)
        named = " or ".join(dict.fromkeys(self.taken_in[-3:]))
        what = f"{said}: it may be a function of {named}, which is not part of this text"
        self.sink.remark(self.line, OTHER_TOOL, what)


def _talks(name: str) -> bool:
    """Whether a part of the name of a function says that it tells something: `i18n_info`."""
    return bool(set(name.lower().split("_")) & _SAYS)


def _is_said(words: Sequence[str]) -> bool:
    """Whether words are those of a heading or a sentence: in other letters than programs have, or of words alone."""
    other = masks.known(words[0]) and re.search(r"[^\W\d_]", re.sub(r"[\x00-\x7f]", "", words[0])) is not None
    plain = len(words) > 1 and all(re.fullmatch(r"[A-Za-z]+[.,:]?", word) for word in words)
    return ("/" not in words[0] and other) or (plain and words[0][0].isupper())


def _goes_to_kernel(node: Simple) -> bool:
    return any(re.match(r"[\"']?(?:/proc/|/sys/|\$)", one.word) is not None for one in node.redirects)


def lines_of_words(node: Simple) -> List[Line]:
    """The lines of the words of a command that go over several."""
    spread = (
        (raw, line) for (raw, line), last in zip(node.words, node.lasts) if last and raw.count("\n") == last - line
    )
    return [(line + offset, text) for raw, line in spread for offset, text in enumerate(raw.split("\n")) if offset]
