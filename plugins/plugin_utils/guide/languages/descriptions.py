# SPDX-License-Identifier: GPL-3.0-or-later
"""Know lines of Terraform, of a Dockerfile, of Puppet and of Chef that do nothing to the host that is set up: what runs
when a resource is destroyed, what builds or describes an image, and comments that hold commands."""

from __future__ import annotations

import re
from typing import Dict, List, Sequence, Tuple

from ..model import CONDITIONAL, NO_EFFECT, NOTHING, Line

_PROVISIONER = re.compile(r"\s*provisioner\s+\"[\w-]+\"\s*\{")
_DESTROYED = re.compile(r"\s*when\s*=\s*\"?destroy\"?\s*(?:#.*)?$")
_IMAGE = re.compile(r"FROM\s+\S")
_LABEL = re.compile(r"\s*(?:LABEL|MAINTAINER)\s")
# A rule of udev has a sign behind this word.
_BUILD = re.compile(r"\s*RUN\s+[^\s+=:]")
# Such lines alone tell a Dockerfile whose first line is not shown.
_INSTRUCTION = re.compile(r"(?:EXPOSE\s+\d|WORKDIR\s+/|COPY\s+\S+\s+\S|ENV\s+\w+[= ])")
_STARTS = re.compile(r"\s*(?:CMD|ENTRYPOINT)\s+\S")
_DOCUMENT = re.compile(r"<<[-~]?\s*[\"']?(\w+)[\"']?\s*$")
# How a file of Puppet or Chef begins: a class, a resource, or what it takes in.
_OF_RUBY = re.compile(
    r"\s*(?:(?:class|define|node)\s+['\"]?[a-z][\w:.-]*['\"]?.*[({]|[a-z]\w*(?:::\w+)*\s*\{\s*['\"$]"
    r"|[a-z_]+\s+['\"][^'\"]+['\"]\s+do|include_recipe\s)"
)


def left_out(lines: Sequence[Line]) -> Dict[int, Tuple[str, str]]:
    """By line, the kind and the reason for which it sets nothing, whatever stands in it."""
    found: Dict[int, Tuple[str, str]] = dict.fromkeys(_comments(lines), (NOTHING, "a comment"))
    image = any(_IMAGE.match(text) for _number, text in lines)
    index = 0
    while index < len(lines):
        held: List[Line] = []
        why = ""
        if image and _LABEL.match(lines[index][1]):
            held, why = _joined(lines, index), "a label only describes the image"
        elif _STARTS.match(lines[index][1]) and (image or any(_INSTRUCTION.match(text) for _number, text in lines)):
            why = "it runs in a container, which has a network of its own unless it is given that of the host"
            found.update({number: (CONDITIONAL, why) for number, _text in _joined(lines, index)})
        elif _BUILD.match(lines[index][1]):
            held, why = _joined(lines, index), "it runs while an image is built, and sets nothing of the host"
        elif _PROVISIONER.match(lines[index][1]):
            block = _block(lines, index)
            held = block if any(_DESTROYED.match(text) for _number, text in block) else []
            why = "it runs when the resource is destroyed"
        found.update({number: (NO_EFFECT, why) for number, _text in held})
        index += max(len(held), 1)
    return found


def _comments(lines: Sequence[Line]) -> List[int]:
    """The comments of a file of Puppet or Chef, whose sign is that of a prompt in a guide."""
    begins = next((text for _number, text in lines if text.strip() and not text.lstrip().startswith("#")), "")
    return [number for number, text in lines if text.lstrip().startswith("#")] if _OF_RUBY.match(begins) else []


def _joined(lines: Sequence[Line], index: int) -> List[Line]:
    """An instruction with the lines in which it goes on."""
    last = next((k for k in range(index, len(lines)) if not lines[k][1].rstrip().endswith("\\")), len(lines) - 1)
    return list(lines[index : last + 1])


def _block(lines: Sequence[Line], index: int) -> List[Line]:
    """A block up to the bracket that closes it; brackets of documents in it do not count."""
    depth, end = 0, ""
    found: List[Line] = []
    for number, text in lines[index:]:
        found.append((number, text))
        if end:
            end = "" if text.strip() == end else end
            continue
        opened = _DOCUMENT.search(text)
        end = opened[1] if opened else ""
        bare = re.sub(r"\"(?:[^\"\\]|\\.)*\"|#.*", "", text)
        depth += bare.count("{") - bare.count("}")
        if depth <= 0:
            break
    return found
