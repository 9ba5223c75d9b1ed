# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what a guide shows as the answer of sysctl to a question, which is what some host has."""

from __future__ import annotations

import re

from .sentences import PROMPT

# A call of sysctl that only asks: options, names of parameters, and perhaps a filter.
_QUERY = re.compile(
    r"(?:sudo\s+)?(?:/\S*/)?sysctl(?:\s+(?!-\w*[wpf]|--(?:write|load|system))-[\w-]+)*"
    r"(?:\s+-?\w+(?:[./][\w*-]+)+)*(?:\s+2>\s*\S+)?(?:\s*\|.*)?"
)
# What sysctl prints of a parameter.
_ANSWER = re.compile(r"(?:net|kernel|vm|fs|sunrpc|dev|user)\.[\w./-]+\s*=\s*\S")
_ANSWERED = "sysctl only shows it, as the line above says"


def queries(text: str) -> bool:
    """Whether a line is a call of sysctl that only asks for parameters."""
    plain = PROMPT.sub("", text, count=1).strip().strip("`")
    return plain != "sysctl" and _QUERY.fullmatch(plain) is not None


class Shown:
    """What has been shown by the line before."""

    def __init__(self) -> None:
        self.queried = False

    def why(self, text: str) -> str:
        """Why a line sets nothing; empty where it may set something."""
        plain = text.strip()
        if self.queried and _ANSWER.match(plain):
            return _ANSWERED
        self.queried = queries(text)
        return ""
