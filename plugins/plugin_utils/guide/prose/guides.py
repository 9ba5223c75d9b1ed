# SPDX-License-Identifier: GPL-3.0-or-later
"""Read guides: text with commands and settings between it, in Markdown, reST, a page, or a language of its own (Puppet,
Nix, Python)."""

from __future__ import annotations

import re
from typing import Callable, List, Optional, Sequence

from ..formats import diffs, interfaces
from ..keys.settings import Guide
from ..languages import descriptions, fragments, nix
from ..model import NO_EFFECT, Line, dedented
from ..shell.lexer import Broken, tokens
from . import advice, choices, embedded, single_lines, undoing

_SHELLS = ("bash", "sh", "shell", "zsh")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(\S.*)")
# What stands above a block that shows how not to do it.
_BAD = re.compile(
    r"\W*(?:before\s*(?:\([^)]*\))?|(?:wrong|bad|incorrect)\b[^.`]{0,30}|(?:do\s+not|don['\u2019]?t|never)(?:\s+do(?:\s+this|\s+it)?)?)\W*",
    re.IGNORECASE,
)
# What stands above a block that shows what a command prints.
_OUTPUT = re.compile(
    r"\W*(?:(?:the|an?)\s+)?(?:(?:expected|sample|example|typical)\s+)?(?:(?:output|response)s?\b[^.`]{0,30}|results?)\W*",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"\s*(?:[$#>]\s|(?:sudo\s+)?(?:/\S*/)?(?:sysctl|ethtool|echo|cat|tee|ip|tc|nmcli)\s)")
_BAD_EXAMPLE = "the text shows it as a bad example"
# Fences of Markdown, and the texts of Nix, which begin at the end of a line and end at the beginning of one.
_FENCE = re.compile(r"^\s*(```+(?!.*```)|~~~(?!~))\s*\{?\.?([\w-]*)|.*[=(\s]('')\s*$")

# The first heading of a file of systemd or NetworkManager, and what such a file consists of.
_SECTION = re.compile(r"\s*\[(?:Match|Link|NetDev|Network|Bond|Unit|Service|connection|ethernet)\]\s*")
_OF_SECTIONS = re.compile(r"\s*(?:$|[#;]|\[[\w .-]+\]\s*$|[\w.-]+\s?=)")


Detect = Callable[[Sequence[Line]], Optional[str]]
Form = Callable[[str, Sequence[Line]], None]


def read(guide: Guide, lines: Sequence[Line], detect: Detect, form: Form) -> None:
    """Blocks between fences by their own form, the rest line by line."""
    guide.sink.never.update({**advice.left_out(lines), **descriptions.left_out(lines)})
    guide.sink.instead.update(choices.second(lines))
    for path, file in nix.files(lines):
        guide.read_file(path, file)
    index = _lost_block(guide, lines, detect, form)
    rest: List[Line] = []
    taking_back = 0  # the level of the heading of a part that takes things back
    while index < len(lines):
        fence = _FENCE.match(lines[index][1])
        heading = _HEADING.match(lines[index][1])
        if heading and len(heading[1]) <= (taking_back or 6):
            before, taking_back = taking_back, len(heading[1]) if undoing.UNDO.fullmatch(heading[2]) else 0
            if before != taking_back:  # any other heading may be a comment in the middle of a resource
                single_lines.read(guide, rest, why=undoing.TAKES_BACK if before else "")
                rest = []
        sections = [] if fence else _sections(lines, index)
        if sections:
            single_lines.read(guide, rest, why=undoing.TAKES_BACK if taking_back else "")
            rest = []
            with guide.sink.under(NO_EFFECT, undoing.TAKES_BACK if taking_back else ""):
                _block(guide, sections, "", detect, form)
            index += len(sections)
            continue
        held = 0 if fence else fragments.document(lines, index)
        if held:
            single_lines.read(guide, rest, why=undoing.TAKES_BACK if taking_back else "")
            rest = []
            _document(guide, lines[index : index + held], detect, form)
            index += held
            continue
        changed = 0 if fence else diffs.block(lines, index)
        if changed:
            single_lines.read(guide, rest, why=undoing.TAKES_BACK if taking_back else "")
            rest = []
            with guide.sink.under(NO_EFFECT, undoing.TAKES_BACK if taking_back else ""):
                diffs.read(guide, lines[index : index + changed], lambda held: form(detect(held) or "prose", held))
            index += changed
            continue
        found = None if fence else embedded.block(lines, index, detect)
        if found:
            single_lines.read(guide, rest, why=undoing.TAKES_BACK if taking_back else "")
            rest = []
            with guide.sink.under(NO_EFFECT, undoing.TAKES_BACK if taking_back else ""):
                form(found.form, found.lines)
            index += found.taken
            continue
        if not fence:
            rest.append(lines[index])
            index += 1
            continue
        single_lines.read(guide, rest, why=undoing.TAKES_BACK if taking_back else "")
        above = next((text for _number, text in reversed(rest) if text.strip()), "")
        back = taking_back or (above.rstrip(" *_").endswith(":") and undoing.UNDO.fullmatch(above))
        rest = []
        end = next(
            (k for k in range(index + 1, len(lines)) if lines[k][1].strip().startswith((fence[1] or fence[3])[:3])),
            len(lines),
        )
        block = dedented(lines[index + 1 : end])
        for number, _text in (lines[index], *lines[end : end + 1]):
            guide.sink.nothing(number, "a fence")
        bad = _BAD_EXAMPLE if _BAD.fullmatch(above) else ""
        if _OUTPUT.fullmatch(above) and not any(_COMMAND.match(text) for _number, text in block):
            bad = "the text shows it as what a command prints"
        with guide.sink.under(NO_EFFECT, undoing.TAKES_BACK if back else bad):
            _block(guide, block, fence[2], detect, form)
        index = end + 1
    single_lines.read(guide, rest, why=undoing.TAKES_BACK if taking_back else "")


def _lost_block(guide: Guide, lines: Sequence[Line], detect: Detect, form: Form) -> int:
    """How many lines are of a block whose opening fence stands before the text, as the next fence to open one shows."""
    fences = [(k, match) for k, match in enumerate(_FENCE.match(text) for _number, text in lines) if match and match[1]]
    if len(fences) < 2 or not fences[0][0] or fences[0][1][2] or not fences[1][1][2]:
        return 0
    end = fences[0][0]
    _block(guide, dedented(lines[:end]), "", detect, form)
    guide.sink.nothing(lines[end][0], "a fence")
    return end + 1


def _sections(lines: Sequence[Line], index: int) -> List[Line]:
    """A file of sections that stands between sentences, as a block of reST or by itself."""
    if not _SECTION.fullmatch(lines[index][1]):
        return []
    ends = next((k for k, (_row, text) in enumerate(lines[index:]) if not _OF_SECTIONS.match(text)), len(lines) - index)
    found = lines[index : index + ends]
    while not found[-1][1].strip():
        found = found[:-1]
    return dedented(found)


def _document(guide: Guide, lines: Sequence[Line], detect: Detect, form: Form) -> None:
    """A text of several lines that another language holds, by its own form."""
    block = [(number, fragments.interpolated(text)) for number, text in dedented(lines[1:-1])]
    for number, _text in (lines[0], lines[-1]):
        guide.sink.nothing(number, "around a text")
    kind = detect(block)
    if kind and kind != "prose":
        form(kind, block)
    else:
        single_lines.read(guide, block, code=True)


def _block(guide: Guide, block: Sequence[Line], language: str, detect: Detect, form: Form) -> None:
    """What stands between two fences, by its own form or line by line."""
    if language in ("diff", "patch") or diffs.is_one(block):
        diffs.read(guide, block, lambda held: form(detect(held) or "prose", held))
        return
    kind = detect(block)
    if kind == "prose" and language in _SHELLS and _is_script(block):
        kind = "shell"
    if kind == "interfaces":
        first = next((k for k, (_number, text) in enumerate(block) if interfaces.STANZA.match(text)), 0)
        single_lines.read(guide, block[:first], code=True)
        form(kind, block[first:])
    elif kind and kind != "prose" and (kind != "shell" or _is_script(block)):
        form(kind, block)
    else:
        single_lines.read(guide, block, code=True)


def _is_script(block: Sequence[Line]) -> bool:
    """Whether loops, heredocs or variables hold its lines together, and no prompt stands before them."""
    texts = [text for _number, text in block if text.strip()]
    if fragments.shows_ifcfg(block):
        return False
    if any(re.match(r"\s*[$#] ", text) and not text.lstrip().startswith("# ") for text in texts):
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
