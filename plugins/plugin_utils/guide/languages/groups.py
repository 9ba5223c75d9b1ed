# SPDX-License-Identifier: GPL-3.0-or-later
"""Know for which hosts of an inventory a part of YAML is: plays and tasks for groups, variables by role, group_vars."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, Optional, Sequence

import yaml

from .. import role_words
from ..formats import composed
from ..model import Branch, Case, Line, Sink

_OF_GROUPS = re.compile(
    r"\b(?:group_names|groups\b|inventory_hostname|ansible_hostname|(?:node|host|server)_?(?:role|type)\b)"
)
# What templates, Puppet and Chef ask of a host by its name or by what it is for.
_OF_HOSTS = re.compile(
    r"(?i)\b(?:group_names|groups\b|inventory_hostname|(?:ansible_)?hostname|fqdn|certname|clientcert|host\b|node\.name"
    r"|roles?\b|run_list|chef_environment|(?:node|host|server|machine|system)_?(?:role|type|name)\b)"
    r"|grains\W+(?:id|get\W+id)\b"
)
_OF_NO_HOST = re.compile(r"\bis\s+(?:not\s+)?defined\b|\bdefined\(|\b(?:length|count)\b")
_FILE = re.compile(r"\s*#.*?\b(?:group_vars|host_vars)/([\w.-]+?)(?:\.ya?ml)?(?:/\S*)?(?:\s.*)?$")
_ALL = ("", "all", "*", "localhost", "127.0.0.1", "ungrouped")
_OF_A_PLAY = ("tasks", "roles", "pre_tasks", "post_tasks", "handlers")


def of_condition(sink: Sink, node: Optional[yaml.Node], note: str) -> Branch:
    """The case of a task whose condition asks for groups or names of hosts."""
    named = any(_OF_GROUPS.search(word) for word in composed.words(node))
    return sink.case("when", note, Case(note)) if named and note else ()


def of_words(sink: Sink, kind: str, said: str) -> Branch:
    """The case of lines below a condition of a template or a manifest that asks for hosts."""
    named = _OF_HOSTS.search(said) and not _OF_NO_HOST.search(said)
    return sink.case(kind, said, Case(said, noted=False)) if named else ()


def of_play(sink: Sink, plain: Mapping[str, yaml.Node]) -> Branch:
    """The case of a play that is for some hosts only."""
    hosts = plain.get("hosts")
    if not isinstance(hosts, yaml.ScalarNode) or not any(word in plain for word in _OF_A_PLAY):
        return ()
    name = str(hosts.value).strip()
    if name in _ALL or "{" in name or "$" in name:
        return ()
    return sink.case("play", name, Case(f"only for the hosts of the play, {name}", noted=False))


def of_keys(sink: Sink, node: yaml.MappingNode, above: str) -> Dict[str, Branch]:
    """By key, the case of the hosts that it is for, where keys beside each other are for several roles or hosts."""
    held = [str(key.value) for key, value in node.value if isinstance(value, (yaml.MappingNode, yaml.SequenceNode))]
    listed = above in ("children", "hosts") and len(held) > 1
    named = {word: word if listed else role_words.within(word) for word in held if not word.startswith(("net.", "/"))}
    roles = {word: role for word, role in named.items() if role}
    if len(set(roles.values())) < 2:
        return {}
    kind = f"keys of line {node.start_mark.line}, below {above}"
    return {
        word: sink.case(kind, role, Case(f"only for the hosts that {word} is for", noted=False))
        for word, role in roles.items()
    }


def of_file(sink: Sink, lines: Sequence[Line]) -> Branch:
    """The case of a file whose first lines say that it has the variables of a group or of a host."""
    first: List[str] = [text for _number, text in lines if text.strip() not in ("", "---")][:2]
    found = next((match for match in map(_FILE.match, first) if match), None)
    if found is None or found[1] in _ALL:
        return ()
    return sink.case("file", found[1], Case(f"only for the hosts of {found[1]}", noted=False))
