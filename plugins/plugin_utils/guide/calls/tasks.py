# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what calls in YAML mean by their names: modules of Ansible, states of Salt, and descriptions of connections as
nmstate and the role `network` of RHEL have them."""

from __future__ import annotations

import re
import shlex
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import yaml

from .. import masks
from ..keys import modules
from ..keys.settings import Guide
from ..model import NO_EFFECT, OTHER_TOOL
from . import programs

Number = Callable[[Any], int]

_FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(("feature", "features", "offload"), "features"),
    **{name: name for name in ("ring", "coalesce", "pause", "channels")},
}
_FIREWALLS = ("firewalld", "ufw", "iptables", "nftables")
_SERVICES = ("service", "systemd", "systemd_service")
_STATES = {"stopped": "stop", "started": "start", "restarted": "restart", "reloaded": "reload"}
_STATES_OF_SALT: Mapping[str, Mapping[str, str]] = {
    "running": {"state": "started"},
    "dead": {"state": "stopped"},
    "enabled": {"enabled": "true"},
    "disabled": {"enabled": "false"},
    "masked": {"masked": "true"},
}
# Words of a command in one line that are for Ansible.
_FOR_ANSIBLE = re.compile(r"\s+(?:creates|removes|chdir|executable|warn)=(?:\"[^\"]*\"|'[^']*'|\S+)")
_NAMES = ("interface_name", "interface-name", "ifname", "name", "conn_name")


# Modules that take their arguments in one line as well, and none of which runs the line as a command.
_IN_ONE_LINE = (*_SERVICES, "set_fact", "sysctl", "modprobe", "lineinfile", "nmcli", "ini_file")
_LISTS = ("loop", "with_items", "with_list", "with_flattened")
_LOOPS = (*_LISTS, "with_dict")

# `{{ ring }}` or `{{ item.ring }}`, or with a default of its own.
_TEMPLATE = re.compile(
    r"\{\{-?\s*(\w+(?:\.\w+|\[['\"]\w+['\"]\])*)\s*"
    r"(?:\|\s*default\(\s*['\"]?([\w.:/ -]*)['\"]?\s*(?:,\s*true\s*)?\)\s*)?-?\}\}"
)


class Turn(NamedTuple):
    """One turn of a loop: what `item` and its parts are, and the node that says so where it has parts."""

    words: Mapping[str, str]
    node: Optional[yaml.MappingNode]


class Variables:
    """What a document itself says its variables are, and the word of the loop that is walked through."""

    def __init__(self) -> None:
        self.words: Dict[str, str] = {}
        self.lists: Dict[str, List[Turn]] = {}
        self.maps: Dict[str, List[Turn]] = {}

    def take(self, node: yaml.Node) -> None:
        """The variables of a play or a task."""
        for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(value, yaml.ScalarNode) and masks.known(str(value.value)):
                self.words[str(key.value)] = str(value.value)
            elif isinstance(value, yaml.SequenceNode):
                self._list(str(key.value), value)
            elif isinstance(value, yaml.MappingNode):
                self.maps[str(key.value)] = _items(value)

    def _list(self, name: str, node: yaml.SequenceNode) -> None:
        turns = [turn for turn in map(_turn, node.value) if turn]
        if turns and len(turns) == len(node.value):
            self.lists[name] = turns

    def loop(self, plain: Mapping[str, yaml.Node]) -> Optional[Sequence[Turn]]:
        """The turns of a task, if it has a loop and they are known."""
        node = next((plain[word] for word in _LISTS if word in plain), None)
        if isinstance(node, yaml.SequenceNode):
            self.lists.pop("loop ", None)
            self._list("loop ", node)
            return self.lists.get("loop ")
        items = plain.get("with_dict")
        if isinstance(items, yaml.MappingNode):
            return _items(items) or None
        name = masks.shown(str(getattr(node or items, "value", "")))
        match = re.fullmatch(r"\{\{\s*(\w+)\s*(\|\s*dict2items\s*)?\}\}", name)
        if not match:
            return None
        return self.maps.get(match[1]) or None if match[2] or items else self.lists.get(match[1])

    def filled(self, text: str) -> str:
        """A text with what is known in place of its templates."""
        return masks.templates(_TEMPLATE.sub(self._word, masks.shown(text)))

    def _word(self, match: re.Match[str]) -> str:
        name = re.sub(r"\[['\"](\w+)['\"]\]", r".\1", match[1])
        return self.words.get(name, match[2] or match[0])


def _turn(node: yaml.Node) -> Optional[Turn]:
    """What `item` is, a word or a map of words; None for anything else."""
    if isinstance(node, yaml.ScalarNode):
        return Turn({"item": str(node.value)}, None) if masks.known(str(node.value)) else None
    if not isinstance(node, yaml.MappingNode) or not node.value:
        return None
    texts = _texts(node)
    whole = len(texts) == len(node.value) and all(map(masks.known, texts.values()))
    return Turn({f"item.{key}": value for key, value in texts.items()}, node) if whole else None


def _items(node: yaml.MappingNode) -> List[Turn]:
    """The turns of a loop over the items of a map; none where one of them is more than a word."""
    texts = _texts(node)
    if len(texts) != len(node.value) or not all(map(masks.known, (*texts, *texts.values()))):
        return []
    return [
        Turn(
            {"item.key": str(key.value), "item.value": str(value.value)},
            yaml.MappingNode(node.tag, [(key, value)], key.start_mark, value.end_mark),
        )
        for key, value in node.value
    ]


# A call of a script that may tune the network: `/usr/local/bin/tune-nics.sh eth0`.
_SCRIPT = re.compile(
    r"(?:(?:sudo|bash|sh|perl|python3?)\s+)*([^\s;&|]*(?:irq|nic|net|tun[ei]|affinity|offload)[\w-]*\.(?:sh|py|pl))(?:\s[^;&|\n]*)?"
)


def is_loop(word: str) -> bool:
    """Whether a key of a task says for what it is repeated."""
    return word in _LOOPS


def in_words(key: yaml.Node, inner: yaml.Node) -> Tuple[yaml.Node, yaml.Node]:
    """A module and its arguments as a map, where they stand in one line: `sysctl: name=net.core.somaxconn value=1`."""
    if not isinstance(inner, yaml.ScalarNode) or not isinstance(key, yaml.ScalarNode):
        return key, inner
    word, text = str(key.value), str(inner.value)
    if "=" not in text:
        return key, inner
    if word in ("action", "local_action"):
        word, _blank, text = text.strip().partition(" ")
    if word.rpartition(".")[2] not in _IN_ONE_LINE:
        return key, inner
    try:
        pairs = [one.partition("=") for one in shlex.split(text)]
    except ValueError:
        return key, inner
    if not all(equals for _name, equals, _value in pairs):
        return key, inner

    def scalar(value: str) -> yaml.ScalarNode:
        return yaml.ScalarNode("tag:yaml.org,2002:str", value, inner.start_mark, inner.end_mark)

    made = [(scalar(name), scalar(value)) for name, _equals, value in pairs]
    return scalar(word), yaml.MappingNode("tag:yaml.org,2002:map", made, inner.start_mark, inner.end_mark)


def _own_script(guide: Guide, number: Number, inner: yaml.Node) -> bool:
    """Whether a task only runs a script that tunes by its name, and that is not part of the text."""
    named = {str(key.value): value for key, value in inner.value} if isinstance(inner, yaml.MappingNode) else {}
    node = named.get("cmd", inner)
    found = _SCRIPT.fullmatch(str(node.value).strip()) if isinstance(node, yaml.ScalarNode) else None
    path = masks.templates(found[1]) if found else ""
    known = programs.program(path) in programs.PROGRAMS or "affinity" in path
    if not path or known or sum(path.rpartition("/")[2] in text for text in guide.texts) > 1:
        return False
    text = f"{masks.shown(path)} is a program of its own, which is not part of this text"
    guide.sink.remark(number(node), OTHER_TOOL, text)
    return True


def read(guide: Guide, number: Number, key: yaml.Node, inner: yaml.Node, around: Mapping[str, yaml.Node]) -> bool:
    """Whether a key of a mapping, with the others `around` it, is such a call; what it sets is said then."""
    word = str(key.value) if isinstance(key, yaml.ScalarNode) else ""
    module = word.rpartition(".")[2]
    if module in _SERVICES and (module == word or word.startswith("ansible.")):
        return isinstance(inner, yaml.MappingNode) and _service(guide, number(key), _texts(inner))
    if module in _FIREWALLS and isinstance(inner, yaml.MappingNode):
        guide.sink.remark(number(key), OTHER_TOOL, f"{word}: the firewall has its own tools")
        return True
    if word == "userLevelNetworking" and str(inner.value).lower() == "true":
        said = "the operator gives NICs a combined channel for each reserved processor; write channels: {combined: ...}"
        guide.sink.remark(number(key), OTHER_TOOL, f"{word}: {said}")
        return True
    if module == "modprobe" and isinstance(inner, yaml.MappingNode):
        return _module(guide, number(key), _texts(inner))
    if module == "nmcli" and isinstance(inner, yaml.MappingNode):
        return _nmcli(guide, number, inner)
    if module in ("command", "shell", "script", "raw"):
        return _own_script(guide, number, inner)
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
    if isinstance(inner, yaml.ScalarNode) and str(inner.value) == "sysctl.absent":
        guide.sink.remark(number(inner), NO_EFFECT, gone(identity))
        return True
    for key, values in inner.value if isinstance(inner, yaml.MappingNode) else ():
        module, _dot, function = str(key.value).partition(".")
        words = [str(one.value) for one in _scalars(values)]
        function = function or next(iter(words), "")  # `sysctl: [present, {value: 1}]`
        if module == "sysctl" and any({"name", "value"} <= set(_texts(one)) for one in _mappings(values)):
            _note_entries(guide, number, _mappings(values))
            return False  # each entry of the list is a parameter of its own
        merged = yaml.MappingNode("", [pair for one in _mappings(values) for pair in one.value])
        texts = _texts(merged)
        name = texts.get("name", identity)
        if module == "ethtool" and function in _FAMILIES and merged.value:
            _keys(guide, number, name, _FAMILIES[function], merged)
        elif module == "sysctl" and function == "present" and "value" in texts:
            value = next(value for key, value in merged.value if str(key.value) == "value")
            guide.sysctl(number(value), name, str(value.value), switches=True)
        elif module == "sysctl" and function == "absent":
            guide.sink.remark(number(key), NO_EFFECT, gone(name))
        elif module == "service" and function in _STATES_OF_SALT:
            _service(
                guide, number(key), {"enabled": texts.get("enable", ""), **_STATES_OF_SALT[function], "name": name}
            )
        elif module == "kmod" and function == "present":
            modules.modprobe(guide, number(key), [name])
        else:
            continue
        found = True
    return found


def _note_entries(guide: Guide, number: Number, entries: Sequence[yaml.MappingNode]) -> None:
    said = "Salt takes one word for each entry of a state, and refuses this one; what it is meant to set is taken"
    for one in entries:
        for key, value in one.value:
            guide.sink.note(number(value), said) if str(key.value) == "value" else None


def gone(name: str) -> str:
    """What to say of a parameter whose state is `absent`."""
    return f"{masks.shown(name)}: state absent takes the parameter out of a file, and sets nothing"


def command(text: str) -> str:
    """A command in one line without the words that are for Ansible, and without the shell that runs a known script."""
    text = _FOR_ANSIBLE.sub("", text)
    bare = re.sub(r"^(?:ba)?sh\s+(?=\S)", "", text)
    return bare if programs.program(bare.split(" ")[0]) in programs.PROGRAMS else text


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


def _scalars(node: yaml.Node) -> List[yaml.ScalarNode]:
    inner = node.value if isinstance(node, yaml.SequenceNode) else [node]
    return [one for one in inner if isinstance(one, yaml.ScalarNode)]


def _mappings(node: yaml.Node) -> List[yaml.MappingNode]:
    inner = node.value if isinstance(node, yaml.SequenceNode) else []
    return [one for one in inner if isinstance(one, yaml.MappingNode)]


def _module(guide: Guide, line: int, words: Mapping[str, str]) -> bool:
    if words.get("name"):
        modules.modprobe(guide, line, [words["name"], *words.get("params", "").split()])
    return bool(words.get("name"))


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
