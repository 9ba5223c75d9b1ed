# SPDX-License-Identifier: GPL-3.0-or-later
"""Read guides: text with commands and settings between it, in Markdown, reST, a page, or a language of its own (Puppet,
Nix, Python)."""

from __future__ import annotations

import re
from typing import Callable, List, Optional, Sequence, Tuple

from ..calls import sentences
from ..formats import diffs, interfaces
from ..keys.settings import Guide
from ..languages import chef, descriptions, fragments, guards, nix, puppet
from ..model import NO_EFFECT, Line, dedented
from ..shell import excerpts
from ..shell.lexer import Broken, tokens
from . import advice, answers, choices, embedded, occasions, readers_own, single_lines, undoing, usages, uses
from .wording import NOT, OUTPUT, RESULT, frames, spans, untagged

_SHELLS = ("bash", "sh", "shell", "zsh")
_HEADING = re.compile(r"\s{0,3}(#{1,6}|={2,6})\s+(\S.*)")
# A heading of a page or with a line below it: few words without a sign at their end.
_TITLE = re.compile(r"(?!Re-?enabl)(?:\d+(?:\.\d+)*\.?\s+)?[^\W\d_a-z]\S*(?:\s+\S+){0,6}(?<![.:;,!?\uff1a\u3002\\])")
_UNDERLINE = re.compile(r"\s*([=~^\"'*+#-])\1{2,}\s*")
_ALMOST = 3  # by how much such a line may be longer or shorter
_PLAIN = 7  # below the levels of all others
# What stands above a block that shows how not to do it.
_BAD = re.compile(
    r"\W*(?:before\s*(?:\([^)]*\))?"
    r"|(?:(?:the|my|our)\s+)?(?:old|previous|original)\s+(?:config\w*|settings?|values?|files?)"
    rf"|(?:wrong|bad|incorrect)\b[^.`]{{0,30}}|{NOT}(?:\s+do(?:\s+this|\s+it)?)?)\W*",
    re.IGNORECASE,
)
# What stands above a block that shows what a command prints.
_OUTPUT = re.compile(rf"\W*(?:{OUTPUT}[^.`]{{0,30}}|{RESULT})\W*", re.IGNORECASE)
_COMMAND = re.compile(r"\s*(?:[$#>]\s|(?:sudo\s+)?(?:/\S*/)?(?:sysctl|ethtool|echo|cat|tee|ip|tc|nmcli)\s)")
_BAD_EXAMPLE = "the text shows it as a bad example"
# Fences of Markdown, and the texts of Nix, which begin at the end of a line and end at the beginning of one.
_FENCE = re.compile(r"^\s*(```+(?!.*```)|~~~(?!~))\s*\{?\.?([\w-]*)|.*[=(\s]('')\s*$")

# A file that NixOS puts into /etc, by its path there.
_OF_NIXOS = re.compile(r"\"([\w.@-]+(?:/[\w.@-]+)+)\"\.text\s*=")
# What somebody types to see a file.
_SHOWS = re.compile(r"(?:sudo\s+)?cat\s+([\w./@-]+)")
# A line that is in bold letters from its beginning to its end.
_BOLD = re.compile(r"(\s*)(\*\*|__)(?=\S)((?:(?!\2).)+)(?<=\S)\2\s*")

# The first heading of a file of systemd, NetworkManager or TuneD, and what such a file consists of.
_SECTION = re.compile(
    r"\s*\[(?:Match|Link|NetDev|Network|Bond|Unit|Service|connection|ethernet|main|sysctl|net|cpu|vm)\]\s*"
)
_OF_A_UNIT = re.compile(r"\[(?:Unit|Service)\]\s*")
_OF_SECTIONS = re.compile(r"\s*(?:$|[#;]|\[[\w .-]+\]\s*$|[\w./-]+\s*=)")


Detect = Callable[[Sequence[Line]], Optional[str]]
Form = Callable[[str, Sequence[Line]], None]


def read(guide: Guide, lines: Sequence[Line], detect: Detect, form: Form) -> None:
    """Blocks between fences by their own form, the rest line by line."""
    lines = [(number, _without_emphasis(spans(text))) for number, text in lines]
    if puppet.is_one(lines):
        guide.sink.cases.update(puppet.cases(guide.sink, lines))
        lines = puppet.filled(lines)
    guide.sink.cases.update(chef.cases(guide.sink, lines))
    guide.sink.cases.update(guards.noted(guide.sink, lines, guide.sink.cases))
    guide.sink.cases.update(occasions.noted(lines, guide.sink.cases))
    lines = nix.filled(lines)
    guide.sink.never.update({**advice.left_out(lines), **descriptions.left_out(lines), **usages.left_out(lines)})
    seen = [(number, untagged(text)) for number, text in lines]
    guide.sink.instead.update(choices.second(seen))
    guide.sink.uses.update(uses.of(seen))
    for path, file in nix.files(lines):
        guide.read_file(path, file)
    reading = _Reading(guide, detect, form)
    index = reading.lost_block(lines)
    while index < len(lines):
        index += reading.one(lines, index)
    reading.line_by_line()
    readers_own.note(guide, lines)


def _without_emphasis(text: str) -> str:
    """A line of code without the signs by which the whole of it is in bold letters."""
    bold = _BOLD.fullmatch(text)
    return f"{bold[1]}{bold[3]}" if bold and advice.is_code(bold[3]) else text


class _Reading:
    """A guide on the way through it."""

    def __init__(self, guide: Guide, detect: Detect, form: Form) -> None:
        self.guide, self.detect, self.form = guide, detect, form
        self.rest: List[Line] = []  # lines that belong to no block, and are still to be read
        self.underlines: List[str] = []  # the signs below headings in the order of their levels
        self.level = 0  # of the heading of a part of which nothing is taken
        self.why = ""  # why not

    def one(self, lines: Sequence[Line], index: int) -> int:
        """The block that begins with a line, or this line alone; how many lines that is."""
        fence = _FENCE.match(lines[index][1])
        if not fence:
            self._heading(lines, index)
        if fence:
            return self._fenced(lines, index, fence)
        taken, block = self._unfenced(lines, index)
        if not block:
            self.rest.append(lines[index])
            return 1
        self.line_by_line()
        with self.guide.sink.under(NO_EFFECT, self.why):
            block()
        return taken

    def line_by_line(self) -> None:
        """Read the lines before a block, or at the end."""
        single_lines.read(self.guide, self.rest, why=self.why)
        self.rest = []

    def _heading(self, lines: Sequence[Line], index: int) -> None:
        level, title = self._title(lines, index)
        if not level or level > (self.level or _PLAIN):
            return
        why = advice.of_a_title(title)
        level = level if why else 0
        if (level, why) != (self.level, self.why):  # any other may be a comment in the middle of a resource
            self.line_by_line()
        self.level, self.why = level, why

    def _title(self, lines: Sequence[Line], index: int) -> Tuple[int, str]:
        """The level and the words of a heading; 0 for another line."""
        text = lines[index][1]
        below = lines[index + 1][1] if index + 1 < len(lines) else ""
        heading = _HEADING.match(text)
        if heading:
            # A comment stands right above what it is about.
            code = advice.is_code(below) or sentences.runs(below) or _HEADING.match(below)
            return (0, "") if below.strip() and code else (len(heading[1]), heading[2])
        plain = text.strip()
        if (index and lines[index - 1][1].strip()) or not _TITLE.fullmatch(plain) or advice.is_code(text):
            return 0, ""
        line = _UNDERLINE.fullmatch(below)
        if not line or abs(len(line[0].strip()) - len(plain)) > _ALMOST:
            return _PLAIN, plain
        self.underlines += [line[1]] if line[1] not in self.underlines else []
        return self.underlines.index(line[1]) + 1, plain

    def _unfenced(self, lines: Sequence[Line], index: int) -> Tuple[int, Optional[Callable[[], None]]]:
        """How many lines a block without fences has, and what reads it."""
        sections = _sections(lines, index)
        if sections:
            return len(sections), lambda: self._block(sections, "")
        held = fragments.document(lines, index)
        if held:
            return held, lambda: self._document(lines[index : index + held])
        changed = diffs.block(lines, index)
        if changed:
            return changed, lambda: self._change(lines[index : index + changed])
        file = embedded.block(lines, index, self.detect)
        return (file.taken, lambda: self.form(file.form, file.lines)) if file else (0, None)

    def _fenced(self, lines: Sequence[Line], index: int, fence: re.Match[str]) -> int:
        above = next((text for _number, text in reversed(self.rest) if text.strip() and not frames(text)), "")
        self.line_by_line()
        end = next(
            (k for k in range(index + 1, len(lines)) if lines[k][1].strip().startswith((fence[1] or fence[3])[:3])),
            len(lines),
        )
        block = dedented(lines[index + 1 : end])
        for number, _text in (lines[index], *lines[end : end + 1]):
            self.guide.sink.nothing(number, "a fence")
        self.guide.above = lines[max(0, index - fragments.ABOVE) : index]
        file = _OF_NIXOS.search(lines[index][1]) if fence[3] else None
        with self.guide.sink.under(NO_EFFECT, self.why or _only_shown(above, block)):
            if file and self.guide.is_config(f"/etc/{file[1]}"):
                self.guide.read_file(f"/etc/{file[1]}", block)
            else:
                self._block(block, fence[2])
        self.guide.above = ()
        is_file = fragments.shows_ifcfg(block) or any(text.startswith("#!") for _number, text in block)
        if not is_file and self.detect(block) in ("shell", "prose"):
            readers_own.keep_variables(self.guide, block)
        return end + 1 - index

    def lost_block(self, lines: Sequence[Line]) -> int:
        """How many lines are of a block whose opening fence stands before the text, as the next one to open shows."""
        matches = enumerate(_FENCE.match(text) for _number, text in lines)
        fences = [(k, match) for k, match in matches if match and match[1]]
        if len(fences) < 2 or not fences[0][0] or fences[0][1][2] or not fences[1][1][2]:
            return 0
        end = fences[0][0]
        self._block(dedented(lines[:end]), "")
        self.guide.sink.nothing(lines[end][0], "a fence")
        return end + 1

    def _change(self, lines: Sequence[Line]) -> None:
        diffs.read(self.guide, lines, lambda held: self.form(self.detect(held) or "prose", held))

    def _document(self, lines: Sequence[Line]) -> None:
        """A text of several lines that another language holds, by its own form."""
        block = [(number, fragments.interpolated(text)) for number, text in dedented(lines[1:-1])]
        for number, _text in (lines[0], lines[-1]):
            self.guide.sink.nothing(number, "around a text")
        kind = self.detect(block)
        if kind and kind != "prose":
            self.form(kind, block)
        else:
            single_lines.read(self.guide, block, code=True)

    def _block(self, block: Sequence[Line], language: str) -> None:
        """What stands between two fences, by its own form or line by line."""
        if language in ("diff", "patch") or diffs.is_one(block):
            self._change(block)
            return
        kind = self.detect(block)
        if kind == "prose" and language in _SHELLS and _is_script(block):
            kind = "shell"
        first = _unit_in(block) if kind == "shell" else 0
        if first:
            unit = _sections(block, first)
            self._block(block[:first], language)
            self.form("unit", unit)
            self._block(block[first + len(unit) :], language)
            return
        begin, end = nix.attributes_in(block) if kind == "shell" else (0, 0)
        if end:
            self._block(block[:begin], language)
            single_lines.read(self.guide, block[begin:end], code=True)
            self._block(block[end:], language)
        elif kind == "interfaces":
            first = next((k for k, (_number, text) in enumerate(block) if interfaces.STANZA.match(text)), 0)
            single_lines.read(self.guide, block[:first], code=True)
            self.form(kind, block[first:])
        elif kind and kind != "prose" and (kind != "shell" or _is_script(block)):
            self.form(kind, block)
        else:
            single_lines.read(self.guide, self._without_files(block), code=True)

    def _without_files(self, block: Sequence[Line]) -> List[Line]:
        """Read the files that `cat FILE` shows at a prompt, up to the next one; the other lines are left."""
        left: List[Line] = []
        prompts = [k for k, (_number, text) in enumerate(block) if answers.AT_A_PROMPT.match(f"{text} ")]
        left += block[: prompts[0]] if prompts else block
        for start, end in zip(prompts, [*prompts[1:], len(block)]):
            shows = _SHOWS.fullmatch(sentences.PROMPT.sub("", block[start][1], count=1).strip())
            body = block[start + 1 : end]
            if shows and self.guide.is_config(shows[1]) and any(text.strip() for _number, text in body):
                self.guide.read_file(shows[1], body)
                body = []
            left += [block[start], *body]
        return left


def _only_shown(above: str, block: Sequence[Line]) -> str:
    """Why nothing of a block is taken, by the line above it."""
    if above.rstrip(" *_").endswith(":") and undoing.UNDO.fullmatch(above):
        return undoing.TAKES_BACK
    if _OUTPUT.fullmatch(above) and not any(_COMMAND.match(text) for _number, text in block):
        return "the text shows it as what a command prints"
    return _BAD_EXAMPLE if _BAD.fullmatch(above) else ""


def _unit_in(block: Sequence[Line]) -> int:
    """Where a file of a unit begins between commands, outside of what these write; 0 where none does."""
    index = 0
    while index < len(block):
        before = [text for _number, text in block[:index]]
        if index and _OF_A_UNIT.fullmatch(block[index][1]) and sentences.parses("\n".join(before)):
            return index
        index += excerpts.document(block, index) + 1
    return 0


def _sections(lines: Sequence[Line], index: int) -> List[Line]:
    """A file of sections that stands between sentences, as a block of reST or by itself."""
    if not _SECTION.fullmatch(lines[index][1]):
        return []
    ends = next((k for k, (_row, text) in enumerate(lines[index:]) if not _OF_SECTIONS.match(text)), len(lines) - index)
    found = lines[index : index + ends]
    while not found[-1][1].strip():
        found = found[:-1]
    return dedented(found)


def _is_script(block: Sequence[Line]) -> bool:
    """Whether loops, heredocs or variables hold its lines together, and no prompt stands before them."""
    texts = [text for _number, text in block if text.strip()]
    if fragments.shows_ifcfg(block):
        return False
    if any(re.match(r"\s*[$#] ", text) and not text.lstrip().startswith("# ") for text in texts):
        return False
    if any(map(answers.AT_A_PROMPT.match, texts)):
        return False
    try:
        tokens(block)
    except Broken:
        return False
    return any(
        text.rstrip().endswith(("\\", "do", "then", "done", "fi", "EOF"))
        or re.match(r"\s*[A-Z_a-z]\w*=|#!", text)
        or "<<" in text
        for text in texts
    )
