# SPDX-License-Identifier: GPL-3.0-or-later
"""Know by the key above a text of YAML why it sets nothing: what is only said or compared, what runs elsewhere or
without a shell, and files that nobody reads."""

from __future__ import annotations

import re
from typing import Callable, Mapping, Sequence, Tuple

import yaml

from .. import masks, model
from ..model import CONDITIONAL, NO_EFFECT
from ..scripts import unread
from ..shell import direct

# Keys whose texts are for people.
_SAID = (
    *("msg", "fail_msg", "success_msg", "final_message", "description", "summary", "title", "help", "comment"),
    "prompt",
)
# Tasks of Ansible that only say something.
_SAYING = ("debug", "fail", "pause")
# Keys that ask.
_COMPARED = ("that", "failed_when", "changed_when", "until")
# Keys that look for what stands in a file, or for whether a task is to run.
_LOOKED_FOR = ("regexp", "regex", "insertafter", "insertbefore", "search_string", "pattern", "unless", "onlyif")
_RUNS = ("command", "entrypoint", "args")

Reason = Tuple[str, str]
NOTHING: Reason = ("", "")


def reason(
    word: str, inner: yaml.Node, plain: Mapping[str, yaml.Node], call: str, filled: Callable[[str], str]
) -> Reason:
    """Why a text below a key sets nothing, as kind and reason; two empty texts where it may set something."""
    module = word.rpartition(".")[2]
    action = str(inner.value).partition(" ")[0] if word in ("action", "local_action") else word
    if word in _SAID or action.rpartition(".")[2] in _SAYING:
        return NO_EFFECT, "it is only said"
    if word in _COMPARED or action.rpartition(".")[2] == "assert":
        return NO_EFFECT, "it only asks"
    if word in _LOOKED_FOR and isinstance(inner, yaml.ScalarNode):
        return model.NOTHING, "it is only looked for"
    if word == "rescue" and "block" in plain:
        return CONDITIONAL, "it runs only where the block before it fails"
    runs = module == "command" or (word == "cmd" and call.rpartition(".")[2] == "command")
    if runs and isinstance(inner, yaml.ScalarNode) and inner.style != "|":
        lost = direct.of_program(filled(str(inner.value)))
        why = f"the module command runs no shell, so the program gets '{lost}' as it stands; use shell"
        return (NO_EFFECT, why) if lost else NOTHING
    return NOTHING


def in_a_container(word: str, plain: Mapping[str, yaml.Node], lines: Sequence[str]) -> Reason:
    """The same for what a service of Docker runs in a network of its own."""
    mode = plain.get("network_mode")
    own = word in _RUNS and "image" in plain and str(getattr(mode, "value", "")) != "host"
    if not own or not any(re.match(r"services:\s*$", line) for line in lines):
        return NOTHING
    return CONDITIONAL, "it holds in a container only, not on the host"


def of_a_file(word: str, plain: Mapping[str, yaml.Node], texts: Sequence[str]) -> Reason:
    """The same for the content of a file, whose path stands beside it."""
    found = [plain[key] for key in ("path", "dest") if key in plain] if word in ("content", "contents") else []
    path = str(found[0].value) if found and isinstance(found[0], yaml.ScalarNode) else ""
    if not masks.known(path) or "{{" in path or path[:1] != "/":
        return NOTHING
    why = unread.by_name(path, [text for text in texts if not re.match(r"[\s{-]*(?:path|dest):", text)])
    why = why or ("it is for people to read" if unread.FOR_PEOPLE.search(path) else "")
    return (NO_EFFECT, f"it goes into {path}, and {why}") if why else NOTHING
