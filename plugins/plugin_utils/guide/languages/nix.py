# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the files of systemd-networkd that NixOS makes of attributes (`systemd.network.links."10-lan".linkConfig`), and
what names stand for."""

from __future__ import annotations

import re
from collections import Counter
from typing import Dict, Iterator, List, Mapping, Sequence, Tuple

from .. import masks
from ..model import Line

_SECTIONS = {
    "matchConfig": "Match",
    "linkConfig": "Link",
    "networkConfig": "Network",
    "netdevConfig": "NetDev",
    "bondConfig": "Bond",
}
_PARAMETERS = re.compile(r"\s*boot\.kernel\.sysctl\s*=\s*\{\s*")
_SUFFIXES = {"networks": "network", "netdevs": "netdev"}
_SWITCHES = {"true": "yes", "false": "no"}
_PRIORITIES = ("mkDefault", "mkForce")
_TOKEN = re.compile(r"""''|(?<!\S)#.*|[{}\[\];]|=+|(?:"(?:[^"\\]|\\.)*"|\$\{[^{}]*\}|[^\s{}\[\];="])+""")
_NAME = re.compile(r"\"[^\"]*\"|[^.\"]+")
_EXPRESSION = re.compile(r"\$\{([^{}]*)\}")
Attribute = Tuple[int, List[str], List[str]]


def attributes_in(lines: Sequence[Line]) -> Tuple[int, int]:
    """Where parameters of the kernel as Nix has them begin and end between lines of another language; 0 for none."""
    begin = next((k for k, (_row, text) in enumerate(lines) if _PARAMETERS.fullmatch(text)), len(lines))
    end = next((k for k in range(begin, len(lines)) if re.fullmatch(r"\s*\};?\s*", lines[k][1])), -1)
    return begin, end + 1


def files(lines: Sequence[Line]) -> List[Tuple[str, List[Line]]]:
    """Each such file by its path, with its lines as systemd would have them; none in a text without them."""
    if not any(word in text for _number, text in lines for word in _SECTIONS):
        return []
    found: Dict[str, List[Line]] = {}
    attributes = list(_attributes(lines))
    names = Counter(path[-1] for _number, path, _value in attributes)
    texts = {
        path[-1]: value[0].strip('"')
        for _number, path, value in attributes
        if names[path[-1]] == 1 and value[0].startswith('"') and "${" not in value[0]
    }
    for number, path, value in attributes:
        section = _SECTIONS.get(path[-2], "") if len(path) > 1 else ""
        if section:
            suffix = next((_SUFFIXES[name] for name in path if name in _SUFFIXES), "link")
            file = f"/etc/systemd/network/{'.'.join(path[:-2])}.{suffix}"
            text = " ".join(_text(word, texts) for word in value)
            found.setdefault(file, []).extend([(number, f"[{section}]"), (number, f"{path[-1]}={text}")])
    return list(found.items())


_GIVEN = re.compile(r"\s*([a-z]\w*)\s*=\s*(?:\"([^\"$]*)\"|(\d+))\s*;\s*(?:#.*)?")
_USED = re.compile(r"(?<!'')\$\{(?:(?:builtins\.)?toString\s+)?([a-z]\w*)\}")


def filled(lines: Sequence[Line]) -> List[Line]:
    """The lines with what names between `let` and `in` stand for, where these have a number or a text of their own."""
    given: List[Tuple[str, str]] = []
    inside = False
    for _number, text in lines:
        inside = text.strip() != "in" and (inside or text.strip() == "let")
        match = _GIVEN.fullmatch(text) if inside else None
        given += [(match[1], match[3] or match[2])] if match else []
    names = Counter(name for name, _text in given)
    texts = {name: text for name, text in given if names[name] == 1}
    return [(number, _USED.sub(lambda match: texts.get(match[1], match[0]), text)) for number, text in lines]


def _text(word: str, texts: Mapping[str, str]) -> str:
    """A value as systemd would have it, with what Nix computes masked; `texts` are what names stand for."""
    if word.startswith('"'):
        return _EXPRESSION.sub(lambda match: texts.get(match[1]) or masks.mask(match[0]), word.strip('"'))
    if word in texts:
        return texts[word]
    plain = _SWITCHES.get(word, word)
    return plain if plain in _SWITCHES.values() or plain.isdecimal() else masks.mask(f"${plain}")


def _attributes(lines: Sequence[Line]) -> Iterator[Attribute]:
    """The line, the whole path and the words of the value of each attribute."""
    around: List[List[str]] = []
    inside = False  # of a text between ''
    line, path, words = 0, [], []  # type: Tuple[int, List[str], List[str]]
    for number, raw in lines:
        for token in _TOKEN.findall(raw):
            if token == "''":
                inside = not inside
            elif inside or token.startswith("#"):
                continue
            elif token == "=" and words:
                line, path, words = number, _NAME.findall(words[-1]), []
            elif token in "{};":
                if token == ";" and path and words:
                    names = [name.strip('"') for part in (*around, path) for name in part]
                    yield line, names, words[1:] if len(words) > 1 and words[0].endswith(_PRIORITIES) else words
                elif token == "{":
                    around.append(path)
                elif token == "}":
                    del around[-1:]
                path, words = [], []
            elif token not in "[]":
                words.append(token)
