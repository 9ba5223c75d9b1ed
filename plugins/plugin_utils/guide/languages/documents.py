# SPDX-License-Identifier: GPL-3.0-or-later
"""Read YAML: any document by what its texts look like (Ansible, Salt, cloud-init, Hiera, Kubernetes); netplan is
read in netplan.py."""

from __future__ import annotations

import re
from typing import Any, Callable, ContextManager, List, Mapping, Sequence

import yaml

from .. import masks
from ..calls import ethtool, qdiscs, tasks
from ..formats import composed, netplan
from ..keys import kernel_files, kernel_names
from ..keys.settings import Guide
from ..model import CONDITIONAL, HOST, NO_EFFECT, NOTHING, ON_HOST, OTHER_TOOL, Line, dedented
from ..scripts.whole import Shell
from . import groups, key_words, links, machines, os_net_config, task_conditions

Text = Callable[[Guide, Sequence[Line]], None]

_ROOTS = ("net.", "kernel.", "vm.", "fs.")
_COMMANDS = ("sh", "bash", "ethtool", "sysctl", "ip", "cloud-init-per")
_HELD = ("line", "block", "content")
# A file that takes one line at a time, which no other line of it explains.
_IFCFG = re.compile(r"/ifcfg-[^/]+$")
_VALUES = ("value", "val", "sysctl_value")


def in_a_pod(guide: Guide, lines: Sequence[Line]) -> ContextManager[None]:
    """Leave out what is set meanwhile, if the text describes containers of Kubernetes with a network of their own."""
    whole = "\n".join(text for _number, text in lines)
    own = (
        re.search(r"(?m)^\s*-?\s*(initContainers|containers|sysctlImage):", whole) and "hostNetwork: true" not in whole
    )
    return guide.sink.under(CONDITIONAL, "it holds in the network of one pod, not on the host" if own else "")


class Reader:
    """One text of YAML."""

    def __init__(self, guide: Guide, lines: Sequence[Line], text: Text) -> None:
        self.guide = guide
        self.lines = list(lines)
        self.text = text
        self.variables = tasks.Variables()
        self.call = ""  # the key whose value is walked through
        self.stands = 0  # the line of the map that a loop has come to
        # Talos describes a host under this key, others under `sysctls` a container.
        self.whole_host = any(re.match(r"machine:\s*$", line) for _number, line in self.lines)

    def run(self, nodes: Sequence[yaml.Node]) -> None:
        """All documents."""
        named = links.names(nodes)
        file = groups.of_file(self.guide.sink, self.lines)
        with in_a_pod(self.guide, self.lines), self.guide.sink.among(file):
            for node in nodes:
                if links.read(self.guide, self.number, node, named):
                    continue
                network = composed.find(node, "network") if isinstance(node, yaml.MappingNode) else None
                network = node if isinstance(node, yaml.MappingNode) and netplan.is_excerpt(node) else network
                if isinstance(network, yaml.MappingNode) and netplan.is_one(network):
                    netplan.Netplan(self.guide, self.lines).read(network)
                else:
                    self._walk(node, "", HOST)
        for number, text in self.lines:
            self.guide.sink.nothing(number, "a comment" if text.strip().startswith("#") else "sets nothing by itself")

    def number(self, node: Any) -> int:
        """The line in which something stands."""
        number: int = node.start_mark.line
        return self.stands or self.lines[min(number, len(self.lines) - 1)][0]

    def _walk(self, node: yaml.Node, name: str, nic: str) -> None:
        if isinstance(node, yaml.SequenceNode):
            words = [str(one.value) for one in node.value if isinstance(one, yaml.ScalarNode)]
            if len(words) == len(node.value) > 1 and words[0].rsplit("/", 1)[-1] in _COMMANDS:
                self._command(node, words)
                return
            for one in node.value:
                self._walk(one, name, nic)
        elif isinstance(node, yaml.MappingNode):
            self._mapping(node, nic, name)
        else:
            self._scalar(node, nic)

    def _mapping(self, node: yaml.MappingNode, nic: str, name: str) -> None:
        pairs = [tasks.in_words(*pair) for pair in node.value]
        plain = {str(key.value): value for key, value in pairs if isinstance(key, yaml.ScalarNode)}
        self.variables.take(plain["vars"]) if "vars" in plain else None
        if "." in name and "when" in plain:
            del plain["when"]  # it stands among the arguments of a module, which may mean anything by it
        turns = self.variables.loop(plain)
        caveat = task_conditions.note(plain.get("when"))
        sink = self.guide.sink
        hosts = (*groups.of_play(sink, plain), *groups.of_condition(sink, plain.get("when"), caveat))
        with sink.under(*task_conditions.left_out(plain)), sink.noting(caveat), sink.among(hosts):
            if os_net_config.is_one(plain):
                os_net_config.read(self.guide, self.number, plain)
            if turns is None:
                self._keys_of(node, nic, plain)
            for turn in turns or ():
                self._turn(node, nic, plain, turn)
            for word, inner in plain.items() if turns and turns[0].node else ():
                self._walk(inner, word, nic) if tasks.is_loop(word) else None

    def _turn(self, node: yaml.MappingNode, nic: str, plain: Mapping[str, yaml.Node], turn: tasks.Turn) -> None:
        """A task for one word of its loop; for a map, what it sets is told where that stands."""
        before = self.stands
        if turn.node:
            parts = {str(key.value): value for key, value in turn.node.value}
            last = next((parts[word] for word in _VALUES if word in parts), turn.node.value[-1][1])
            line = self.number(last)
            for key, _value in turn.node.value:
                self.guide.sink.goes_on(self.number(key), line)
            self.stands = line
        self.variables.words.update(turn.words)
        self._keys_of(node, nic, plain)
        for word in turn.words:
            del self.variables.words[word]
        self.stands = before

    def _keys_of(self, node: yaml.MappingNode, nic: str, plain: Mapping[str, yaml.Node]) -> None:
        named = {key: value for key, value in plain.items() if isinstance(value, yaml.ScalarNode)}
        key = next((str(named[word].value) for word in ("name", "key", "param", "sysctl") if word in named), "")
        key = self.variables.filled(key)
        value = next((named[word] for word in _VALUES if word in named), None)
        gone = "state" in named and self.variables.filled(str(named["state"].value)) == "absent"
        if key.startswith(_ROOTS) and gone:
            line = self.number(named["state"] if value is None else value)
            self.guide.sink.remark(line, NO_EFFECT, tasks.gone(key))
            return
        written = next((named[word] for word in _HELD if word in named), None)
        if written is not None and gone:
            with self.guide.sink.under(NO_EFFECT, "state absent takes it out of a file, and sets nothing"):
                self._scalar(written, nic)
            return
        if not masks.known(key) and value is not None and "sysctl" in self.call:
            said = f"{masks.shown(key)}: which parameter that is, the words of a loop say, which are not read here"
            self.guide.sink.remark(self.number(value), ON_HOST, said)
            return
        if key.startswith(_ROOTS) and value is not None:
            self.guide.sysctl(self.number(value), key, self.variables.filled(str(value.value)), switches=True)
            return
        if key.startswith(("/sys/", "/proc/")) and value is not None:
            kernel_files.write(self.guide, self.number(value), key, self.variables.filled(str(value.value)))
            return
        for word in ("vars", "set_fact", "ansible.builtin.set_fact"):
            # What a task sets as a fact holds for those after it; one that runs in some cases only is not known.
            if word in plain and (word == "vars" or "when" not in plain):
                self.variables.take(plain[word])
        held = named.get("content") or named.get("contents")
        if held is not None and "encoding" in named and str(named["encoding"].value) in ("b64", "base64"):
            path = str(named["path"].value) if "path" in named else ""
            text = composed.decoded(str(held.value))
            lines = [(self.number(held), one) for one in (text or "").splitlines()]
            self.guide.read_file(path, lines) if lines else None
            if text is None and self.guide.is_config(path):
                said = f"what it puts into {path}, is no text in base64"
                self.guide.sink.remark(self.number(held), ON_HOST, said)
        path = next((str(named[word].value) for word in ("path", "dest") if word in named), "")
        if held is not None and path.startswith(("/sys/", "/proc/")):
            text = self.variables.filled(str(held.value)).strip()
            kernel_files.write(self.guide, self.number(held), self.variables.filled(path), text)
            return
        if written is not None and "line" in named and _IFCFG.search(path):
            text = self.variables.filled(str(written.value))
            self.guide.read_file(masks.templates(path), [(self.number(written), text)])
        nic = nic or (key if _looks_like_nic(key) else "")
        roles = groups.of_keys(self.guide.sink, node, self.call)
        for one, inner in (tasks.in_words(*pair) for pair in node.value):
            word = str(one.value) if isinstance(one, yaml.ScalarNode) else ""
            if (self.stands and tasks.is_loop(word)) or tasks.read(self.guide, self.number, one, inner, plain):
                continue
            if self.whole_host and machines.read(self.guide, self.number, word, inner):
                continue
            if self.guide.is_config(word) and self._managed(word, inner):
                continue
            if " " in word and tasks.is_run(inner):
                self._scalar(one, nic)
            elif word.startswith(_ROOTS) and isinstance(inner, yaml.ScalarNode) and "/" not in word:
                self.guide.sysctl(self.number(one), word, str(inner.value), switches=True)
            elif word.startswith(_ROOTS) and "." in word and composed.numbers(inner):
                self.guide.sysctl(self.number(one), word, composed.numbers(inner))
                for number in inner.value:
                    self.guide.sink.goes_on(self.number(number), self.number(one))
            elif word.startswith(_ROOTS) and isinstance(inner, (yaml.MappingNode, yaml.SequenceNode)):
                self._salt(one, word, inner)
            elif self._by_words(inner) or (word in os_net_config.OPTIONS and os_net_config.is_one(plain)):
                continue
            elif word == "sysctls" and not self.whole_host:
                self._container(inner)
            elif word in ("mtu", "MTU") and isinstance(inner, yaml.ScalarNode) and nic:
                self.guide.nic(self.number(one), nic, "link", "mtu", str(inner.value))
            elif word == "tc" and "name" in named and isinstance(inner, yaml.MappingNode):
                self._traffic_control(inner, str(named["name"].value))
            elif word in ("ethtool_opts", "ethtool-opts") and isinstance(inner, yaml.ScalarNode) and nic:
                ethtool.options(self.guide, self.number(one), nic, str(inner.value))
            elif word in netplan.OFFLOADS and isinstance(inner, yaml.ScalarNode):
                text = (
                    f"{word} {inner.value}: the rest of the file says which NIC it is for, and is not part of this text"
                )
                self.guide.sink.remark(self.number(one), ON_HOST, text)
            else:
                kind, why = self._reason(word, inner, plain)
                self.call = word
                if word == "name" and len(node.value) > 1:
                    # A state of Salt has its command alone in a map as its name.
                    kind, why = NOTHING, "the name of what stands beside it"
                with self.guide.sink.under(kind or NO_EFFECT, why), self.guide.sink.among(roles.get(word, ())):
                    self._walk(inner, word, word if _looks_like_nic(word) else nic)

    def _managed(self, path: str, inner: yaml.Node) -> bool:
        """Whether it is a file of Salt whose lines are a list: `PATH: {file.managed: [{contents: [LINE, LINE]}]}`."""
        states = inner.value if isinstance(inner, yaml.MappingNode) else []
        pairs = [
            pair
            for name, state in states
            if str(name.value) in ("file.managed", "file.append") and isinstance(state, yaml.SequenceNode)
            for one in state.value
            if isinstance(one, yaml.MappingNode)
            for pair in one.value
        ]
        texts = next((value for key, value in pairs if str(key.value) in ("contents", "text")), None)
        held = texts.value if isinstance(texts, yaml.SequenceNode) else []
        if not held or not all(isinstance(one, yaml.ScalarNode) for one in held):
            return False
        self.guide.read_file(path, [(self.number(one), self.variables.filled(str(one.value))) for one in held])
        return True

    def _reason(self, word: str, inner: yaml.Node, plain: Mapping[str, yaml.Node]) -> key_words.Reason:
        found = key_words.reason(word, inner, plain, self.call, self.variables.filled)
        found = found if found[1] else key_words.in_a_container(word, plain, [text for _number, text in self.lines])
        return found if found[1] else key_words.of_a_file(word, plain, self.guide.texts)

    def _traffic_control(self, inner: yaml.MappingNode, nic: str) -> None:
        """`tc: {qdisc: {kind: cake, bandwidth: 80mbit}}` of ifstate, whose words are those of tc."""
        for key, value in inner.value:
            if str(key.value) == "qdisc" and isinstance(value, yaml.MappingNode):
                pairs = {
                    str(name.value): str(one.value) for name, one in value.value if isinstance(one, yaml.ScalarNode)
                }
                words = [pairs.pop("kind", ""), *(word for pair in pairs.items() for word in pair)]
                line = self.number(value.value[0][0])
                for name, _one in value.value:
                    self.guide.sink.goes_on(self.number(name), line)
                qdiscs.tc(self.guide, line, ["qdisc", "replace", "dev", nic, "root", *words])
            else:
                text = f"{nic} {key.value}: filters and classes of tc are no settings of this collection"
                self.guide.sink.remark(self.number(key), OTHER_TOOL, text)

    def _by_words(self, inner: yaml.Node) -> bool:
        """Whether it is `sysctls: {netCoreSomaxconn: 4096}`, as a cloud describes the hosts of a cluster."""
        pairs = inner.value if isinstance(inner, yaml.MappingNode) else []
        named = [(key, value, kernel_names.by_words(str(key.value))) for key, value in pairs]
        found = [one for one in named if one[2] and isinstance(one[1], yaml.ScalarNode)]
        if not found or len(found) != len(pairs):
            return False
        for key, value, name in found:
            self.guide.sysctl(self.number(key), name, str(value.value), switches=True)
        return True

    def _container(self, inner: yaml.Node) -> None:
        """Parameters that a container or a pod gets for itself."""
        with self.guide.sink.under(CONDITIONAL, "it holds in a container only, not on the host"):
            for one in inner.value if isinstance(inner, yaml.SequenceNode) else ():
                if isinstance(one, yaml.ScalarNode):
                    self.guide.sysctl(self.number(one), *str(one.value).partition("=")[::2])
            self._walk(inner, "", HOST)

    def _salt(self, key: yaml.Node, word: str, inner: yaml.Node) -> None:
        """`net.core.rmem_max: {sysctl.present: [{value: 1}]}` of Salt, and `{value: 1}` of others."""
        found = composed.scalars(inner, ("value",))
        if found:
            self.guide.sysctl(self.number(found[0]), word, str(found[0].value), switches=True)
        else:
            self._walk(inner, word, HOST)

    def _scalar(self, node: Any, nic: str) -> None:
        value = str(node.value)
        start = node.start_mark.line
        if not value.strip() or node.tag.endswith((":bool", ":int", ":float", ":null")):
            return
        if node.style == "|":
            end = min(node.end_mark.line, len(self.lines))
            block = [(number, masks.shown(self.variables.filled(text))) for number, text in self.lines[start + 1 : end]]
            self.text(self.guide, dedented(block))
        elif node.style in ('"', "'") and "\n" in value.strip():
            self.text(self.guide, self._escaped(node, value))
        elif node.style == ">" or "\n" in value.strip():
            end = min(max(node.end_mark.line, start + 1), len(self.lines))
            lines = [(number, text.strip()) for number, text in self.lines[start + 1 : end]]
            self.text(self.guide, lines)
        else:
            held = composed.data(value)
            if held is not None:  # a file of Ignition
                self.text(self.guide, [(self.number(node), text) for text in held.splitlines()])
                return
            value = self.variables.filled(value)
            first = value.split()[0]
            if nic and "${DEV}" in value:
                value = value.replace("${DEV}", nic)
            if len(value.split()) > 1 or first.startswith("/") or (first.startswith(_ROOTS) and "=" in first):
                self.text(self.guide, [(self.number(node), tasks.command(value))])

    def _escaped(self, node: Any, value: str) -> List[Line]:
        """The lines of a text that stands in quotes, each under the line of the document that holds its beginning."""
        row, last = node.start_mark.line, min(node.end_mark.line, len(self.lines) - 1)
        found: List[Line] = []
        for text in value.split("\n"):
            words = re.split(r"[\s=]", text.strip())
            row = next((k for k in range(row, last + 1) if words[0] in self.lines[k][1]), row)
            found.append((self.lines[row][0], text))
        return found

    def _command(self, node: yaml.SequenceNode, words: List[str]) -> None:
        shell = Shell(self.guide)
        line = self.number(node.value[0])
        for one in node.value:
            self.guide.sink.goes_on(self.number(one), line)
        shell.line = line
        if "-c" in words[:-1] or words[0].rsplit("/", 1)[-1] in ("sh", "bash"):
            last = node.value[-1]
            if getattr(last, "style", "") in ("|", ">"):
                self._scalar(last, HOST)
                return
            shell.embedded([(line, words[-1])])
        else:
            shell.run([self.variables.filled(word) for word in words])
        shell.finish()


def _looks_like_nic(word: str) -> bool:
    plain = word.partition(".")[0]
    return bool(re.fullmatch(r"(eth|en|em|p\d+p|bond|br|eno|ens|wl|ib)[a-z0-9]*\d[a-z0-9]*", plain))
