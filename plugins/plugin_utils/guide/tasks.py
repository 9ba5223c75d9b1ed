# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what calls in YAML mean by their names: modules of Ansible, states of Salt, and descriptions of connections as
nmstate and the role `network` of RHEL have them."""

from __future__ import annotations

import re
import shlex
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import yaml

from . import masks, modules, programs
from .settings import Guide

Number = Callable[[Any], int]

_FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(("feature", "features", "offload"), "features"),
    **{name: name for name in ("ring", "coalesce", "pause", "channels")},
}
_SERVICES = ("service", "systemd", "systemd_service")
_STATES = {"stopped": "stop", "started": "start", "restarted": "restart", "reloaded": "reload"}
# Words of a command in one line that are for Ansible.
_FOR_ANSIBLE = re.compile(r"\s+(?:creates|removes|chdir|executable|warn)=(?:\"[^\"]*\"|'[^']*'|\S+)")
_NAMES = ("interface_name", "interface-name", "ifname", "name", "conn_name")


# `{{ ring }}`, or with a default of its own.
_TEMPLATE = re.compile(r"\{\{-?\s*(\w+)\s*(?:\|\s*default\(\s*['\"]?([\w.:/ -]*)['\"]?\s*(?:,\s*true\s*)?\)\s*)?-?\}\}")


class Variables:
    """What a document itself says its variables are, and the word of the loop that is walked through."""

    def __init__(self) -> None:
        self.words: Dict[str, str] = {}
        self.lists: Dict[str, List[str]] = {}

    def take(self, node: yaml.Node) -> None:
        """The variables of a play or a task."""
        for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(value, yaml.ScalarNode) and masks.known(str(value.value)):
                self.words[str(key.value)] = str(value.value)
            elif isinstance(value, yaml.SequenceNode):
                self._list(str(key.value), value)

    def _list(self, name: str, node: yaml.SequenceNode) -> None:
        words = [str(one.value) for one in node.value if isinstance(one, yaml.ScalarNode)]
        if words and len(words) == len(node.value) and all(masks.known(word) for word in words):
            self.lists[name] = words

    def loop(self, plain: Mapping[str, yaml.Node]) -> Optional[Sequence[str]]:
        """The words that a task is run for, if they are known."""
        node = next((plain[word] for word in ("loop", "with_items", "with_list") if word in plain), None)
        if isinstance(node, yaml.SequenceNode):
            self.lists.pop("loop ", None)
            self._list("loop ", node)
            return self.lists.get("loop ")
        match = re.fullmatch(r"\{\{\s*(\w+)\s*\}\}", masks.shown(str(node.value))) if node is not None else None
        return self.lists.get(match[1]) if match else None

    def filled(self, text: str) -> str:
        """A text with what is known in place of its templates."""
        plain = masks.shown(text)
        return masks.templates(_TEMPLATE.sub(lambda match: self.words.get(match[1], match[2] or match[0]), plain))


def read(guide: Guide, number: Number, key: yaml.Node, inner: yaml.Node, around: Mapping[str, yaml.Node]) -> bool:
    """Whether a key of a mapping, with the others `around` it, is such a call; what it sets is said then."""
    word = str(key.value) if isinstance(key, yaml.ScalarNode) else ""
    module = word.rpartition(".")[2]
    if module == "sysctl" and isinstance(inner, yaml.ScalarNode):
        return _in_one_line(guide, number(inner), str(inner.value))
    if module in _SERVICES and (module == word or word.startswith("ansible.")):
        return _service(guide, number(key), _given(inner))
    if module == "modprobe" and isinstance(inner, yaml.MappingNode):
        return _module(guide, number(key), _texts(inner))
    if module == "nmcli" and isinstance(inner, yaml.MappingNode):
        return _nmcli(guide, number, inner)
    if word == "ethtool" and isinstance(inner, yaml.MappingNode):
        name = next((str(around[one].value) for one in _NAMES if isinstance(around.get(one), yaml.ScalarNode)), "")
        for part, values in inner.value:
            family = _FAMILIES.get(str(part.value))
            if name and family and isinstance(values, yaml.MappingNode):
                _keys(guide, number, name, family, values)
        return bool(name)
    return _state(guide, number, word, inner)


def _state(guide: Guide, number: Number, identity: str, inner: yaml.Node) -> bool:
    """Whether the value of a state's name is `ethtool.ring` of Salt or its like."""
    found = False
    for key, values in inner.value if isinstance(inner, yaml.MappingNode) else ():
        module, _dot, function = str(key.value).partition(".")
        if module == "ethtool" and function in _FAMILIES and isinstance(values, yaml.SequenceNode):
            merged = yaml.MappingNode("", [pair for one in _mappings(values) for pair in one.value])
            name = _texts(merged).get("name", identity)
            _keys(guide, number, name, _FAMILIES[function], merged)
            found = True
    return found


def condition(node: Optional[yaml.Node]) -> str:
    """What to note of a task of Ansible that runs under a condition."""
    parts = node.value if isinstance(node, yaml.SequenceNode) else [node]
    words = [masks.shown(str(one.value)) for one in parts if isinstance(one, yaml.ScalarNode)]
    return f"only where {' and '.join(words)}" if words else ""


def never(node: Optional[yaml.Node]) -> bool:
    """Whether a condition is simply false, or one of several is."""
    parts = node.value if isinstance(node, yaml.SequenceNode) else [node]
    return any(isinstance(one, yaml.ScalarNode) and str(one.value).lower() in ("false", "no") for one in parts)


def command(text: str) -> str:
    """A command in one line without the words that are for Ansible."""
    return _FOR_ANSIBLE.sub("", text)


def is_run(inner: yaml.Node) -> bool:
    """Whether the name of a state is its command: `'ethtool -K eth0 gro off': cmd.run`."""
    if isinstance(inner, yaml.ScalarNode):
        return str(inner.value) == "cmd.run"
    if isinstance(inner, yaml.SequenceNode):
        return any(is_run(one) for one in inner.value)
    runs = [values for key, values in inner.value if str(key.value) == "cmd.run"]
    return any("name" not in _texts(one) for values in runs for one in _mappings(values)) or any(
        not _mappings(values) for values in runs
    )


def _mappings(node: yaml.Node) -> List[yaml.MappingNode]:
    inner = node.value if isinstance(node, yaml.SequenceNode) else []
    return [one for one in inner if isinstance(one, yaml.MappingNode)]


def _in_one_line(guide: Guide, line: int, text: str) -> bool:
    try:
        words = dict(word.partition("=")[::2] for word in shlex.split(text))
    except ValueError:
        return False
    name = words.get("name") or words.get("key", "")
    if not name or words.get("state") == "absent":
        return False
    if masks.known(name):  # the words of a loop are told where they stand
        guide.sysctl(line, name, words.get("value") or words.get("val", ""), switches=True)
    return True


def _module(guide: Guide, line: int, words: Mapping[str, str]) -> bool:
    if words.get("name"):
        modules.modprobe(guide, line, [words["name"], *words.get("params", "").split()])
    return bool(words.get("name"))


def _given(inner: yaml.Node) -> Dict[str, str]:
    """The arguments of a module, as a mapping or in one line."""
    if isinstance(inner, yaml.MappingNode):
        return _texts(inner)
    try:
        return dict(word.partition("=")[::2] for word in shlex.split(str(inner.value)))
    except ValueError:
        return {}


def _service(guide: Guide, line: int, words: Mapping[str, str]) -> bool:
    state, enabled = words.get("state", ""), words.get("enabled", "").lower()
    verbs = [_STATES[state]] if state in _STATES else []
    verbs += [] if not enabled else ["enable" if enabled in ("true", "yes", "on", "1") else "disable"]
    verbs += ["mask"] if words.get("masked", "").lower() in ("true", "yes", "on", "1") else []
    for verb in verbs if words.get("name") else ():
        programs.service(guide, line, [words["name"].partition(".service")[0], verb])
    return bool(verbs and words.get("name"))


def _nmcli(guide: Guide, number: Number, inner: yaml.MappingNode) -> bool:
    words = _texts(inner)
    nic = words.get("ifname") or words.get("conn_name", "")
    size = next((value for key, value in inner.value if str(key.value) == "mtu"), None)
    if size is not None and nic and words.get("state") != "absent":
        guide.nic(number(size), nic, "link", "mtu", str(size.value))
    return size is not None


def _keys(guide: Guide, number: Number, nic: str, family: str, values: yaml.MappingNode) -> None:
    for key, value in values.value:
        name = str(key.value).replace("_", "-") if family == "features" else str(key.value).replace("-", "_")
        if name not in _NAMES and isinstance(value, yaml.ScalarNode):
            guide.nic(number(key), nic, family, name, str(value.value))


def _texts(node: yaml.MappingNode) -> Dict[str, str]:
    return {str(key.value): str(value.value) for key, value in node.value if isinstance(value, yaml.ScalarNode)}
