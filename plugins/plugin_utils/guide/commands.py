# SPDX-License-Identifier: GPL-3.0-or-later
"""Take in the simple commands of a shell script: what they set, what they write into files, what they print."""

from __future__ import annotations

import re
from typing import List, Optional, Sequence

from . import (
    ad_hoc,
    bindings,
    edits,
    expand,
    filters,
    foreign,
    kernel_files,
    masks,
    output,
    programs,
    qdiscs,
    routes,
    sentences,
    syntax,
    uci,
    wrappers,
)
from .lexer import Broken
from .model import NO_EFFECT, NOTE, ON_HOST, OTHER_TOOL, Line
from .nodes import Node, Redirect, Simple
from .substitutions import Substitutions

_DECLARING = ("local", "export", "declare", "readonly", "typeset")
SHELLS = ("sh", "bash", "dash", "ash", "zsh", "ksh", "su")
_TALKING = re.compile(
    r"(log|info|warn|err|msg|print|die|usage|debug|success|fail|note|say|banner|header|ok|title|step|color|yellow|red|green)"
)
_NETWORK = re.compile(
    r"(?<![A-Za-z])(eth\d|enp|eno\d|ens\d|em\d|nics?\b|irqs?\b|rps|xps|queues?\b|ring\b|offload|mtu\b|tcp_|udp_|bond\d|qdisc"
    r"|rss\b|affinity|tso\b|sysctl|ethtool|net\.|interface)"
)
# Words after `set` in the configuration of VyOS and its like, where a shell would only set its arguments.
_ROUTER = ("interfaces", "system", "protocols", "service", "firewall", "nat", "qos", "policy", "vpn")
# A rule of udev, which some guides show between commands.
_RULE = re.compile(r"[A-Z]+(\{[^}]*\})?==")
# A line of a file of sysctl.
_PARAMETER = re.compile(r"-?(net|kernel|vm|fs)\.[\w.]+ ?=")
_QDISC_WORDS = ("qdisc", "class", "filter")


def _reads_document(words: Sequence[str]) -> str:
    """The variable into which `read -r -d '' NAME` takes a whole text; empty for another command."""
    whole = words[0] == "read" and any(
        re.fullmatch(r"-\w*d", word) and after == "" for word, after in zip(words, words[1:])
    )
    names = [word for word in words[1:] if word and word[0] != "-"]
    return names[0] if whole and len(names) == 1 else ""


def _reads_array(words: Sequence[str]) -> bool:
    return words[0] == "read" and any(re.fullmatch(r"-[a-z]*a", word) for word in words)


class Commands(Substitutions):
    """What a script does command by command; `walk` and `call` are of its control flow."""

    def walk(self, node: Node) -> None:
        """Of the control flow."""
        raise NotImplementedError

    def find(self, words: Sequence[str]) -> None:
        """Of the loops."""
        raise NotImplementedError

    def read_list(self, words: Sequence[str], redirects: Sequence[Redirect], apart: str = "") -> None:
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
        self.guide.driver = str(self.scope.values.get(bindings.DRIVER, ""))
        while index < len(node.words) and expand.assignment(node.words[index][0]):
            index += 1
        if index and _RULE.match(node.words[0][0]):
            rule = " ".join(raw for raw, _line in node.words)
            self.guide.read_file("/etc/udev/rules.d/shown.rules", [(self.line, rule)])
            return ""
        if index == len(node.words):
            for (raw, line), last in zip(node.words, node.lasts or [0] * len(node.words)):
                self.assign_raw(raw, line, last)
                self.sink.nothing(line, "sets a variable")
            self.redirect(node, [])
            return ""
        words = [field for raw, _line in node.words[index:] for field in expand.fields(raw, self.scope)]
        for _raw, line in node.words[index:]:
            self.sink.nothing(line, "sets nothing by itself")
            self.sink.goes_on(line, node.line)
        if not words:
            return ""
        if words[0] in _DECLARING:
            for raw, _line in node.words[index + 1 :]:
                if expand.assignment(raw):
                    self.assign_raw(raw)
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
                self.redirect(node, self.spread(node, printed))
                return words[0]
        self.run(words, node)
        return words[0]

    @staticmethod
    def hands_over(words: List[str]) -> bool:
        """Whether the arguments of a function are a command that it runs: `retry ethtool -K eth0 gro off`."""
        first = [word.split()[0] for word in words if word.strip()]
        return any(programs.program(word) in programs.PROGRAMS for word in first) or any(
            re.match(r"(echo|printf)\s.*>", word) for word in words
        )

    def run(self, words: List[str], node: Optional[Simple] = None) -> None:
        """A command whose words are known."""
        line = self.line
        words = wrappers.unwrapped(words)
        if not words:
            return
        name = programs.program(words[0])
        given = output.of(["cat"], node.redirects, self.scope, line) if node else None
        if self.call(words[0], words[1:], line):
            self.sink.nothing(line, f"calls the function {words[0]}")
        elif self._may_be_taken_in(name, words):
            self._of_taken_in(words)
        elif (
            name in ("tee", "sysctl")
            and node
            and any(redirect.body or redirect.operator == "<<<" for redirect in node.redirects)
        ):
            printed = output.of(["cat"], node.redirects, self.scope, line) or []
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
        elif name in programs.PROGRAMS:
            programs.PROGRAMS[name](self.guide, line, words[1:])
        elif words[0].startswith(("/etc/init.d/", "/etc/rc.d/init.d/")):
            programs.service(self.guide, line, [name, *words[1:]])
        elif name in SHELLS or name == "eval":
            self._shell(name, words[1:], node)
        elif name == "sed" and any(re.match(r"-[nrEszu]*i|--in-place", word) for word in words[1:]):
            edits.edited(self, line, words[1:])
        elif name in edits.COPYING:
            edits.copied(self, line, words[1:])
        elif name == "find" and "-exec" in words:
            self.find(words)
            self.sink.nothing(line, "looks for files")
        elif name in ("cd", "pushd", "popd"):
            self.go(name, words[1:])
            self.sink.nothing(line, "changes the folder")
        elif node and (name in ("mapfile", "readarray") or _reads_array(words)):
            own = [
                found[2]
                for found in map(expand.assignment, (raw for raw, _line in node.words))
                if found and found[0] == "IFS"
            ]
            self.read_list(words, node.redirects, expand.text(own[0], self.scope) if own else "")
            self.sink.nothing(line, "reads a list")
        elif given and _reads_document(words):
            variable = _reads_document(words)
            self.assign(variable, "=", "\n".join(text for _number, text in given))
            self.origins[variable] = (given[0][0], len(given))
            self.sink.nothing(line, "reads a text")
        elif name in (".", "source"):
            what = masks.shown(words[1]) if len(words) > 1 else ""
            self.sink.remark(line, NOTE, f"it takes in {what}, which is not part of this text")
            self.taken_in.append(what)
        elif name == "set" and words[1:2] and words[1] in _ROUTER:
            said = " ".join(masks.shown(word) for word in words)
            self.sink.remark(line, OTHER_TOOL, f"{said}: it is the configuration of VyOS")
        elif name == "trap" or name in foreign.HARMLESS or words[0] in ("{", "}", "$0"):
            self.sink.nothing(line, "sets nothing of the network")
        elif name in foreign.OTHERS:
            said = " ".join(masks.shown(word) for word in words[:8])
            self.sink.remark(line, OTHER_TOOL, f"{said}: {foreign.OTHERS[name]}")
            self.given(name, given)
        elif self.hands_text_to(words, given, line):
            self.sink.nothing(line, "writes a file")
        else:
            self._unknown(line, words, name)
            self.given(name, given)

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

    def _unknown(self, line: int, words: List[str], name: str) -> None:
        """A program that is not known may be one that runs the rest of its words."""
        for index, word in enumerate(words[1:], 1):
            if " " in word.strip() and programs.program(word.split()[0]) in programs.PROGRAMS:
                self.embedded([(line, word)])
                return
            if (
                programs.program(word) in programs.PROGRAMS
                and index <= 3
                and len(words) > index + 1
                and "/" not in words[0]
            ):
                self.run(words[index:])
                return
        if _PARAMETER.match(f"{words[0]} {''.join(words[1:2])}"):
            said = masks.shown(" ".join(words))
            text = f"{said}: it is a line for a file of sysctl, which a shell takes for a command; it sets nothing"
            self.sink.remark(line, NO_EFFECT, text)
        elif len(words) > 1 and words[1] in _QDISC_WORDS:
            qdiscs.tc(self.guide, line, words[1:])
        elif not masks.known(words[0]) or any(
            word in (masks.mask("$@"), masks.mask("$1"), masks.mask("$*")) for word in words
        ):
            self.dynamic = True
            self.sink.nothing(line, "runs what it is told by its arguments")
        elif _TALKING.match(name.lower().lstrip("_")):
            self.sink.nothing(line, "only prints")
        elif name.endswith((".sh", ".py", ".pl")) or words[0].startswith(("/", "./", "~")):
            self.sink.remark(
                line, OTHER_TOOL, f"{masks.shown(words[0])} is a program of its own, which is not part of this text"
            )
        else:
            said = masks.shown(" ".join(words))
            if _NETWORK.search(said) and self.taken_in:
                self._of_taken_in(words)
            elif _NETWORK.search(said):
                self.sink.unknown(line, f"'{masks.shown(name)}' is an unknown program")
            else:
                self.sink.remark(line, OTHER_TOOL, f"{said}: a program of its own, and nothing points to the network")

    def _may_be_taken_in(self, name: str, words: Sequence[str]) -> bool:
        """Whether a vendor's program is more likely a function of a file that the script takes in."""
        likely = re.search("irq|affinity", " ".join(self.taken_in)) is not None or not masks.known(" ".join(words))
        return bool(self.taken_in) and likely and name in programs.OF_VENDORS and words[0] == name

    def _of_taken_in(self, words: List[str]) -> None:
        """A command that may be a function of a file that the script takes in."""
        said = " ".join(masks.shown(word) for word in words)
        named = " or ".join(dict.fromkeys(self.taken_in[-3:]))
        what = f"{said}: it may be a function of {named}, which is not part of this text"
        self.sink.remark(self.line, OTHER_TOOL, what)

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
                self.embedded(self.spread(node, lines) if node else lines)
            self.scope.arguments = before
        elif node and any(redirect.body for redirect in node.redirects):
            body = output.of(["cat"], node.redirects, self.scope, self.line)
            self.embedded(body or [])
        else:
            plain = [word for word in words if not word.startswith("-")]
            if plain and programs.program(plain[0]) in programs.PROGRAMS:
                self.run(plain)
            elif plain and self.guide.runs(masks.shown(plain[0]), plain[1:]):
                self.sink.nothing(self.line, f"calls the script {masks.shown(plain[0])}")
            elif plain:
                self.sink.remark(
                    self.line, OTHER_TOOL, f"{masks.shown(plain[0])} is a script that is not part of this text"
                )

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
