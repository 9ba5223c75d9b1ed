# SPDX-License-Identifier: GPL-3.0-or-later
"""Read commands that put files somewhere, change them or take them away: cp, mv, install, rm, and sed in place."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import List, Optional, Sequence, Tuple

from .. import masks
from ..calls import sentences
from ..keys import kernel_files
from ..model import NO_EFFECT, NOTE, ON_HOST, OTHER_TOOL, Line
from . import filters, unread
from .script import Script

COPYING = ("cp", "mv", "install")
_WITH_WORD = ("-m", "-o", "-g", "-S", "--mode", "--owner", "--group")
_KEPT = re.compile(rf"({unread.OF_COPIES}\b|~$|backup)", re.IGNORECASE)
_SUBSTITUTES = re.compile(r"(?:/(?P<where>(?:\\.|[^/\\])+)/)?\s*s(?P<sign>[^\w\s\\])(?P<rest>.*)", re.DOTALL)
_CHANGES = re.compile(r"(?:(?:/(?:\\.|[^/\\])+/|\d+|\$)?)\s*[cai]\\?\s*(?P<text>\S.*)", re.DOTALL)
_ASSIGNS = re.compile(r"[\w.*/-]+\s*=\s*\S.*")


REMOVING = ("rm", "unlink", "shred", "truncate", "ln", "find")


def copied(
    script: Script, line: int, words: Sequence[str], moves: bool = False, given: Optional[List[Line]] = None
) -> None:
    """`cp SOURCE... TARGET`: what goes into a file of the kernel, or into a configuration."""
    plain, folder = _operands(words)
    if folder is None and len(plain) < 2:
        script.sink.nothing(line, "copies files")
        return
    sources, destination = (plain, folder) if folder is not None else (plain[:-1], plain[-1])
    destination = script.located(destination)
    for source in sources:
        name = masks.shown(source).rsplit("/", 1)[-1]
        path = (
            f"{destination.rstrip('/')}/{name}"
            if destination.endswith("/") or folder is not None or _is_folder(destination)
            else destination
        )
        known = given if source == "/dev/stdin" else script.written(source)
        if known is not None and (kernel_files.is_one(path) or script.guide.is_config(masks.shown(path))):
            script.renew(path, line)
            script.write(path, known, line)
            if moves:
                _drop(script, source, line, "")
        elif moves and known is not None and _is_configuration(script, masks.shown(source)):
            _drop(script, source, line, f"moves {masks.shown(source)} away")
        elif kernel_files.is_one(path) and not kernel_files.is_one(source):
            text = f"{masks.shown(path)} gets what stands in {masks.shown(source)}, which the host alone knows"
            script.sink.remark(line, ON_HOST, text)
        elif _is_configuration(script, masks.shown(path)):
            text = f"it puts {masks.shown(source)} there as {masks.shown(path)}; take in that file as well"
            script.sink.remark(line, OTHER_TOOL, text)
    script.sink.nothing(line, "copies files")


def _operands(words: Sequence[str]) -> Tuple[List[str], Optional[str]]:
    """The files of a call, and the folder that `-t` names."""
    found: List[str] = []
    folder, index = None, 0
    while index < len(words):
        word = words[index]
        if word in ("-t", "--target-directory") and index + 1 < len(words):
            folder, index = words[index + 1], index + 2
        elif word.startswith("--target-directory="):
            folder, index = word.partition("=")[2], index + 1
        elif word in _WITH_WORD:
            index += 2
        else:
            found += [] if word.startswith("-") else [word]
            index += 1
    return found, folder


def _is_folder(path: str) -> bool:
    return re.search(r"\.d$|/(netplan|system-connections|network-scripts|system)$", masks.shown(path)) is not None


def _is_configuration(script: Script, path: str) -> bool:
    return script.guide.is_config(path) and not script.guide.is_callable(path) and not _KEPT.search(path)


def _gone(words: Sequence[str]) -> List[str]:
    """The files, or patterns of them, that a command leaves empty or takes away; its first word is the program."""
    name = words[0].rsplit("/", 1)[-1]
    plain = [word for word in words[1:] if not word.startswith("-")]
    if name == "find":
        patterns = [after for word, after in zip(words, words[1:]) if word in ("-name", "-iname")]
        folders = plain[:1] if "-delete" in words else []
        return [f"{folder.rstrip('/')}/{one}" for folder in folders for one in patterns or ["*"]]
    if name == "ln":  # what leads nowhere masks a file of the same name
        return plain[1:2] if plain[:1] == ["/dev/null"] else []
    return [word for word in plain if name != "truncate" or not re.fullmatch(r"\d+\w*", word)]


def removed(script: Script, line: int, words: Sequence[str]) -> None:
    """`rm FILE...`: what this text has written into these files is gone."""
    for pattern in (masks.shown(script.located(word)) for word in _gone(words)):
        folder = f"{pattern.rstrip('/')}/"
        for path in [one for one in script.files if fnmatchcase(one, pattern) or one.startswith(folder)]:
            if script.guide.is_config(path):
                _drop(script, path, line, f"removes {path}")
    script.sink.nothing(line, "removes files")


def words_for_sed(name: str, words: Sequence[str]) -> Optional[List[str]]:
    """The words of `sed -i` without what says so; of `perl -pi -e` as those of sed. None for another call."""
    if name == "perl":
        options = [word.partition(".")[0] for word in words if re.fullmatch(r"-[pnielw0-9]+(\.\w+)?", word)]
        rest = [
            "-e" if word in options and "e" in word else word for word in words if word not in options or "e" in word
        ]
        return ["-E", *rest] if {"i", "e"} <= set("".join(options)) else None
    found = [word for word in words if re.match(r"-[nrEszu]*i|--in-place", word)]
    if name != "sed" or not found:
        return None
    rest = [match[1] for word in found for match in [re.match(r"-([nrEszu]+)i", word)] if match]
    return [*(f"-{letters}" for letters in rest), *(word for word in words if word not in found)]


def edited(script: Script, line: int, words: Sequence[str]) -> None:
    """`sed -i`: what it makes of a file of this text, and the assignments that it puts into another configuration.

    What else it does there is left to a person.
    """
    scripts, files = filters.parts(words)
    changed = [_changed(script, line, words, file) for file in files]
    if files and all(changed):
        script.sink.nothing(line, "changes a file of this text")
        return
    path = masks.shown(files[-1] if files else (words[-1] if words else ""))
    known = _is_configuration(script, path)
    found = [text for one in scripts for text in _put_in(one)] if known else []
    if not found:
        script.sink.remark(line, OTHER_TOOL, f"it edits {path} in place; take in that file as it is afterwards")
        return
    script.write(path, [(line, text) for text in found], line)
    script.sink.remark(line, NOTE, f"sed changes lines that {path} has; where none fits, it sets nothing")


def _put_in(source: str) -> List[str]:
    """The assignment that one script of sed leaves in a file; none where it leaves anything else."""
    text = source.strip()
    match = _SUBSTITUTES.fullmatch(text)
    if match:
        parts = re.split(rf"(?<!\\){re.escape(match['sign'])}", match["rest"])
        new = parts[1] if len(parts) == 3 else ""
        groups = re.search(r"\\\d|(?<!\\)&", new)
        found = [] if groups else [re.sub(r"\\(.)", r"\1", new)]
    else:
        changed = _CHANGES.fullmatch(text)
        found = [changed["text"]] if changed else []
    return [one.strip() for one in found if _ASSIGNS.fullmatch(one.strip()) and masks.known(one.partition("=")[0])]


def _changed(script: Script, line: int, words: Sequence[str], file: str) -> bool:
    """Whether a file is one that this text has written, and the lines that it has then."""
    path = masks.shown(script.located(file))
    before = script.files.get(path)
    if not before:
        return False
    return _became(script, line, path, filters.through(["sed", *(word for word in words if word != file)], before))


def _became(script: Script, line: int, path: str, after: Optional[List[Line]]) -> bool:
    """Whether a command certainly makes this of a file of the text; what is gone then, is said."""
    before = script.files.get(path, [])
    if after is None or (after == before and path not in script.writers):
        return False
    if not _is_settled(script, path):
        return False
    kept = {number for number, _text in after}
    for number, text in before:
        if number not in kept and sentences.holds_a_setting(text):
            script.sink.remark(number, NO_EFFECT, f"{script.sink.position(line)} takes it out of {path} again")
    script.files[path] = script.guide.written[path] = after
    return True


def files_for_awk(name: str, words: Sequence[str]) -> Optional[List[str]]:
    """The program and the files of `awk -i inplace`; None for another call."""
    if name not in ("awk", "gawk") or not any(pair == ("-i", "inplace") for pair in zip(words, words[1:])):
        return None
    taken = {index + 1 for index, word in enumerate(words) if word in ("-i", "-v", "-F")}
    return [word for index, word in enumerate(words) if index not in taken and not word.startswith("-")]


def edited_by_awk(script: Script, line: int, words: Sequence[str]) -> None:
    """`awk -i inplace PROGRAM FILE...`: one that only drops lines is known; what another leaves, the host knows."""
    drops = re.fullmatch(r"\s*!\s*/((?:\\.|[^/\\])+)/\s*", words[0]) if words else None
    for path in (masks.shown(script.located(word)) for word in words[1:]):
        before = script.files.get(path)
        if before and drops and _became(script, line, path, filters.through(["egrep", "-v", drops[1]], before)):
            continue
        for number, text in before or ():
            if sentences.holds_a_setting(text) and _is_settled(script, path):
                said = f"{script.sink.position(line)} changes {path} by awk, and what that leaves, the host knows"
                script.sink.remark(number, ON_HOST, said)
        if before:
            _drop(script, path, line, "")
        elif _is_configuration(script, path):
            script.sink.remark(line, OTHER_TOOL, f"it edits {path} in place; take in that file as it is afterwards")
    script.sink.nothing(line, "changes files")


def _is_settled(script: Script, path: str) -> bool:
    """Whether a command runs for sure, and the file that it changes has been neither loaded nor run before."""
    doubt = script.sink.dead[0] or script.undecided or script.sink.branch
    doubt = doubt or path.rpartition("/")[2].partition(".service")[0] in script.guide.started
    return not doubt and path not in script.guide.ran and script.loaded.get(path) == script.guide.loads


def _drop(script: Script, path: str, line: int, why: str) -> None:
    """A file is gone, with what stood in it."""
    path = masks.shown(script.located(path))
    if not _is_settled(script, path):
        return
    script.guide.written.pop(path, None)
    script.writers.pop(path, None)
    for number, text in script.files.pop(path, []):
        if why and text.strip() and text.strip()[0] not in "#;":
            script.sink.remark(number, NO_EFFECT, f"{script.sink.position(line)} {why}")
