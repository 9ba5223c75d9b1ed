# SPDX-License-Identifier: GPL-3.0-or-later
"""Know who reads the text of each form, and the files that it writes."""

from __future__ import annotations

import re
from typing import Callable, Dict, List, Sequence

from .budget import TooLarge, refuse
from .calls import sentences
from .detect import by_path, by_text, files, lost_document
from .formats import composed, diffs, ifcfg, interfaces, keyfile, openwrt, simple, systemd, tuned, udev
from .keys import modules
from .keys.settings import Guide
from .languages import documents, makefiles, python
from .model import NO_EFFECT, OTHER_TOOL, Line
from .prose import guides
from .scripts import unread
from .scripts.whole import Shell

_CONFIGURATIONS = (
    *("sysctl", "udev", "modprobe", "ifcfg", "interfaces", "networkmanager", "systemd", "tuned", "unit", "crontab"),
)


class Forms:
    """The readers of one text, and of the files that it writes."""

    def __init__(self, guide: Guide) -> None:
        self.guide = guide
        guide.read_file = self.file
        guide.is_callable = lambda path: by_path(path) in ("shell", None)
        guide.run_file = self.run
        guide.is_config = lambda path: by_path(path) is not None
        self.readers: Dict[str, Callable[[Sequence[Line]], None]] = {
            "sysctl": lambda lines: simple.sysctl(guide, lines),
            "udev": lambda lines: udev.read(guide, lines),
            "modprobe": lambda lines: modules.file(guide, lines),
            "ifcfg": lambda lines: ifcfg.read(guide, lines),
            "interfaces": self._interfaces,
            "networkmanager": lambda lines: keyfile.read(guide, lines),
            "systemd": lambda lines: systemd.read(guide, lines),
            "tuned": lambda lines: tuned.read(guide, lines),
            "unit": lambda lines: simple.unit(guide, lines, simple.instances(guide, simple.own_path(lines))),
            "uci": lambda lines: openwrt.read(guide, lines),
            "crontab": lambda lines: simple.crontab(guide, lines),
            "shell": self._shell,
            "makefile": lambda lines: self._shell(makefiles.recipes(lines)),
            "yaml": self._yaml,
            "python": self._python,
            "diff": lambda lines: diffs.read(guide, lines, lambda held: self.read(by_text(held) or "prose", held)),
            "prose": lambda lines: guides.read(guide, lines, by_text, self.read),
        }

    def read(self, form: str, lines: Sequence[Line]) -> None:
        """A text in a form that is known by now, unless it shows several files one below the other."""
        parts = files(lines) if form in _CONFIGURATIONS else []
        for path, part in parts:
            self.file(path, part)
        if not parts:
            self.readers[form](lines)

    def file(self, path: str, lines: Sequence[Line]) -> None:
        """A file that a script writes, or that was found on a host."""
        if path.endswith(".log"):
            return  # what was done, not what is to be done
        unused = unread.by_name(path, self.guide.texts)
        for number, text in lines if unused else ():
            if sentences.holds_a_setting(text):
                self.guide.sink.remark(number, NO_EFFECT, f"it goes into {path}, and {unused}")
        if unused:
            return
        known = by_path(path)
        form = "" if unread.FOR_PEOPLE.search(path) else known or by_text(lines)
        passed = not known and form not in ("", None, "prose") and unread.is_one(path, self.guide.texts)
        form = "" if passed else form
        if form == "ifcfg":
            ifcfg.read(self.guide, lines, path)
        elif known == "interfaces":
            interfaces.read(self.guide, lines)
        elif form == "systemd":
            systemd.read(self.guide, lines, path)
        elif form == "unit" and "@" in path:
            simple.unit(self.guide, lines, simple.instances(self.guide, path))
        elif form and form != "prose":
            self.read(form, lines)
        else:
            for number, text in lines:
                if sentences.holds_a_setting(text):
                    what = "is for people to read" if form == "" else "has a form that is not known here"
                    kind, what = (NO_EFFECT, "nothing in this text uses") if passed else (OTHER_TOOL, what)
                    self.guide.sink.remark(number, kind, f"it stands in {path or 'a text'}, which {what}")

    def run(self, lines: Sequence[Line], arguments: List[str]) -> bool:
        """A script that a script wrote and now calls; False where it is none."""
        if by_text(lines) != "shell":
            return False
        Shell(self.guide, arguments).script(lines)
        return True

    def _shell(self, lines: Sequence[Line]) -> None:
        """A script; an excerpt may begin within a here document, whose lines are read by what they look like."""
        count = lost_document(lines)
        if count:
            self.file("", lines[:count])
            self.guide.sink.nothing(lines[count][0], "ends a document whose beginning is not part of this text")
            lines = lines[count + 1 :]
        Shell(self.guide, self.guide.arguments).script(lines)

    def _yaml(self, lines: Sequence[Line]) -> None:
        try:
            nodes = composed.compose(lines)
        except TooLarge as error:
            refuse(self.guide.sink, lines, str(error))
            return
        if nodes is None:
            with documents.in_a_pod(self.guide, lines):
                self.read("prose", lines)
        else:
            documents.Reader(self.guide, lines, self._inner).run(nodes)

    def _interfaces(self, lines: Sequence[Line]) -> None:
        """Stanzas; what is shown of sysctl below the last of them is another file."""
        stanzas = [k for k, (_number, text) in enumerate(lines) if interfaces.STANZA.match(text)]
        below = range(max(stanzas, default=0), len(lines))
        first = next((k for k in below if simple.PARAMETER.match(lines[k][1])), len(lines))
        interfaces.read(self.guide, lines[:first])
        simple.sysctl(self.guide, lines[first:])

    def _inner(self, guide: Guide, lines: Sequence[Line]) -> None:
        """A text inside of a document."""
        form = by_text(lines)
        options = form == "modprobe" and re.match(r"\s*options\s+\S+\s+\w+=", lines[0][1])
        if len(lines) == 1 and form not in ("sysctl", "udev") and not options:
            text = lines[0][1]
            command = sentences.command_in(text) or sentences.of_another_tool(text)
            if not command and sentences.sets(text) and sentences.parses(text):
                command = text
            if command:
                Shell(guide).commands(lines[0][0], command)
            return
        if form is not None and form != "yaml":
            self.read(form, lines)

    def _python(self, lines: Sequence[Line]) -> None:
        if not python.read(self.guide, lines):
            self.read("prose", lines)
