# SPDX-License-Identifier: GPL-3.0-or-later
"""Words by which texts say that lines are not to be taken, as pieces of the patterns of this folder; and how a line of
words is cut."""

from __future__ import annotations

import html
import re

NOT = r"(?:do\s+not|don['\u2019]?t|never)"
# The names of what a command prints.
_SAMPLE = r"(?:(?:the|an?|sample|example|expected|typical|possible)\s+)*"
OUTPUT = rf"{_SAMPLE}(?:output|response)s?\b"
RESULT = (
    rf"(?:{_SAMPLE}results?\b|ausgabe|ergebnis|sortie|r\u00e9sultat|salida|resultado|risultato|sa\u00edda|k\u1ebft\s+qu\u1ea3"
    r"|(?:输出|执行)?结果(?:如下)?|输出(?:如下)?|出力|結果|결과|출력|вывод|результат)"
)
AS_WRITTEN = "the text only shows how it is written"
# A title below which a text only shows how something is written.
SYNTAX = re.compile(r"(?:[\w-]+\s+){0,3}(?:syntax|synopsis|grammar)(?:\s+of\s+.{1,40})?", re.IGNORECASE)
FENCE = re.compile(r"\s*(?:```|~~~(?!~))")
# A line of signs alone: below a heading, tags of a page, a directive of reST that begins a block, what joins or frames
# one in AsciiDoc.
MARKUP = re.compile(
    r"\s*(?:\+|--|([=~^*+._-])\1{3,}|\[\w+(?:,[^]]*)?\]|\.\.\s+(?:code|code-block|sourcecode|parsed-literal|prompt)::.*"
    r"|:[\w-]+:.*|(?:</?\w[^<>]*>\s*)+)\s*"
)
# What a page shows around a block of code: the name of its language, what its buttons do, the numbers of its lines.
_LABEL = re.compile(
    r"\s*(?:(?:bash|shell|sh|zsh|console|terminal|text|plain\s?text|code|ini|conf|toml|ya?ml|json|xml|python|nix|diff"
    r"|\d{1,3}|copy(?:\s+(?:code|to\s+clipboard))?|copied!?|toggle\s+word\s+wrap"
    r"|(?:enter|exit)\s+fullscreen\s+mode)(?:\s+|$)){1,3}",
    re.IGNORECASE,
)


def frames(text: str) -> bool:
    """Whether a line of signs or labels only frames the code around it."""
    return bool(FENCE.match(text) or MARKUP.fullmatch(text) or _LABEL.fullmatch(text))


# What is markup around a command, where any other word in such brackets is to be filled in.
_TAG = re.compile(
    r"\[/?(?:code|b|i|u|icode|tt)(?:=[^]]*)?\]|</?(?:code|pre|p|b|i|em|strong|tt|kbd|samp|span|div|li|ul|ol|td|tr|th|br|a|h\d)(?:\s[^<>]*)?/?>"
)


_SPAN = re.compile(r"<(code|tt|kbd|samp)(?:\s[^<>]*)?>([^`]+?)</\1>")


def spans(text: str) -> str:
    """A line whose code stands between the signs of Markdown, be it a page or a wiki that has it between tags."""
    bare = _SPAN.sub(r"`\2`", text)
    return bare if bare.strip("`* ") != _SPAN.sub(r"\2", text).strip("`* ") else text


def untagged(text: str) -> str:
    """A line of a page as its reader sees it."""
    return html.unescape(_TAG.sub(" ", text))


def last_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?;])\s+", text)[-1]


def unmarked(text: str) -> str:
    """A line without the marks of a heading, list, quote or emphasis around it."""
    return re.sub(r"^[\s#>*_-]+|[\s*_]+$", "", text)
