# SPDX-License-Identifier: GPL-3.0-or-later
"""Read YAML: netplan by its keys, and any other document by what its texts look like (Ansible, Salt, cloud-init, Hiera,
Kubernetes)."""

from __future__ import annotations

import re
from typing import Any, Callable, ContextManager, Dict, List, Mapping, Optional, Sequence

import yaml

from . import bonded, ethtool, kernel_files, masks, selectors, tasks
from .model import CONDITIONAL, HOST, ON_HOST, OTHER_TOOL, Line
from .settings import Guide
from .shell import Shell

Text = Callable[[Guide, Sequence[Line]], None]

_OFFLOADS: Mapping[str, str] = {
    "receive-checksum-offload": "rx",
    "transmit-checksum-offload": "tx",
    "tcp-segmentation-offload": "tx-tcp-segmentation",
    "tcp6-segmentation-offload": "tx-tcp6-segmentation",
    "generic-segmentation-offload": "gso",
    "generic-receive-offload": "gro",
    "large-receive-offload": "lro",
}
_BOND: Mapping[str, str] = {
    "mii-monitor-interval": "miimon",
    "transmit-hash-policy": "xmit_hash_policy",
    "up-delay": "updelay",
    "down-delay": "downdelay",
    "fail-over-mac-policy": "fail_over_mac",
    "primary-reselect-policy": "primary_reselect",
    "gratuitous-arp": "num_grat_arp",
    "arp-ip-targets": "arp_ip_target",
}
_ROOTS = ("net.", "kernel.", "vm.", "fs.")
# Modules of Ansible and states of Salt whose arguments are a parameter of the kernel.
_SYSCTL_CALLS = ("sysctl", "ansible.posix.sysctl", "sysctl.present", "ansible.builtin.sysctl")


def compose(lines: Sequence[Line]) -> Optional[List[yaml.Node]]:
    """The documents of a text with their places, or None where it is no YAML with a structure."""
    text = "".join(f"{masks.templates(text)}\n" for _number, text in lines)
    found = _composed(text)
    if found is None:
        # One name for several anchors is no YAML for this parser, but others take it.
        found = _composed(re.sub(r"(?m)(:|-) [&*]\w+", r"\1 ", text))
    return found if found and all(isinstance(node, yaml.CollectionNode) for node in found) else None


def in_a_pod(guide: Guide, lines: Sequence[Line]) -> ContextManager[None]:
    """Leave out what is set meanwhile, if the text describes containers of Kubernetes with a network of their own."""
    whole = "\n".join(text for _number, text in lines)
    own = re.search(r"(?m)^\s*-?\s*(initContainers|containers):", whole) and "hostNetwork: true" not in whole
    return guide.sink.under(CONDITIONAL, "it holds in the network of one pod, not on the host" if own else "")


def _composed(text: str) -> Optional[List[yaml.Node]]:
    try:
        return [node for node in yaml.compose_all(text, Loader=yaml.SafeLoader) if node is not None]
    except yaml.YAMLError:
        return None


class Reader:
    """One text of YAML."""

    def __init__(self, guide: Guide, lines: Sequence[Line], text: Text) -> None:
        self.guide = guide
        self.lines = list(lines)
        self.text = text
        self.variables = tasks.Variables()
        self.renamed: Dict[str, str] = {}
        # Talos describes a host under this key, others under `sysctls` a container.
        self.whole_host = any(re.match(r"machine:\s*$", line) for _number, line in self.lines)

    def run(self, nodes: Sequence[yaml.Node]) -> None:
        """All documents."""
        with in_a_pod(self.guide, self.lines):
            for node in nodes:
                network = _find(node, "network") if isinstance(node, yaml.MappingNode) else None
                if isinstance(network, yaml.MappingNode) and any(
                    _find(network, key) is not None for key in ("ethernets", "bonds", "vlans", "bridges", "renderer")
                ):
                    self._netplan(network)
                else:
                    self._walk(node, "", HOST)
        for number, text in self.lines:
            self.guide.sink.nothing(number, "a comment" if text.strip().startswith("#") else "sets nothing by itself")

    def number(self, node: Any) -> int:
        """The line in which something stands."""
        number: int = node.start_mark.line
        return self.lines[min(number, len(self.lines) - 1)][0]

    def _walk(self, node: yaml.Node, name: str, nic: str) -> None:
        if isinstance(node, yaml.SequenceNode):
            words = [str(one.value) for one in node.value if isinstance(one, yaml.ScalarNode)]
            if len(words) == len(node.value) > 1 and words[0].rsplit("/", 1)[-1] in (
                "sh",
                "bash",
                "ethtool",
                "sysctl",
                "ip",
            ):
                self._command(node, words)
                return
            for one in node.value:
                self._walk(one, name, nic)
        elif isinstance(node, yaml.MappingNode):
            self._mapping(node, nic)
        else:
            self._scalar(node, nic)

    def _mapping(self, node: yaml.MappingNode, nic: str) -> None:
        plain = {str(key.value): value for key, value in node.value if isinstance(key, yaml.ScalarNode)}
        words = self.variables.loop(plain)
        with self.guide.sink.noting(tasks.condition(plain.get("when"))):
            if words is None:
                self._keys_of(node, nic, plain)
            for word in words or ():
                self.variables.words["item"] = word
                self._keys_of(node, nic, plain)
                del self.variables.words["item"]

    def _keys_of(self, node: yaml.MappingNode, nic: str, plain: Mapping[str, yaml.Node]) -> None:
        named = {key: value for key, value in plain.items() if isinstance(value, yaml.ScalarNode)}
        key = next((str(named[word].value) for word in ("name", "key", "param", "sysctl") if word in named), "")
        value = next((named[word] for word in ("value", "val", "sysctl_value") if word in named), None)
        if key.startswith(_ROOTS) and value is not None:
            self.guide.sysctl(self.number(value), key, self.variables.filled(str(value.value)), switches=True)
            return
        for word in ("vars", "set_fact", "ansible.builtin.set_fact"):
            # What a task sets as a fact holds for those after it; one that runs in some cases only is not known.
            if word in plain and (word == "vars" or "when" not in plain):
                self.variables.take(plain[word])
        nic = nic or (key if _looks_like_nic(key) else "")
        for one, inner in node.value:
            word = str(one.value) if isinstance(one, yaml.ScalarNode) else ""
            if tasks.read(self.guide, self.number, one, inner, plain):
                continue
            if " " in word and tasks.is_run(inner):
                self._scalar(one, nic)
            elif word.startswith(_ROOTS) and isinstance(inner, yaml.ScalarNode) and "/" not in word:
                self.guide.sysctl(self.number(one), word, str(inner.value), switches=True)
            elif word.startswith(_ROOTS) and isinstance(inner, (yaml.MappingNode, yaml.SequenceNode)):
                self._salt(one, word, inner)
            elif word == "sysctls" and not self.whole_host:
                self._container(inner)
            elif word in ("mtu", "MTU") and isinstance(inner, yaml.ScalarNode) and nic:
                self.guide.nic(self.number(one), nic, "link", "mtu", str(inner.value))
            elif word in ("ethtool_opts", "ethtool-opts") and isinstance(inner, yaml.ScalarNode) and nic:
                ethtool.options(self.guide, self.number(one), nic, str(inner.value))
            else:
                self._walk(inner, word, word if _looks_like_nic(word) else nic)

    def _container(self, inner: yaml.Node) -> None:
        """Parameters that a container or a pod gets for itself."""
        with self.guide.sink.under(CONDITIONAL, "it holds in a container only, not on the host"):
            for one in inner.value if isinstance(inner, yaml.SequenceNode) else ():
                if isinstance(one, yaml.ScalarNode):
                    self.guide.sysctl(self.number(one), *str(one.value).partition("=")[::2])
            self._walk(inner, "", HOST)

    def _salt(self, key: yaml.Node, word: str, inner: yaml.Node) -> None:
        """`net.core.rmem_max: {sysctl.present: [{value: 1}]}` of Salt, and `{value: 1}` of others."""
        found = _scalars(inner, ("value",))
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
            width = min((len(text) - len(text.lstrip()) for _n, text in block if text.strip()), default=0)
            self.text(self.guide, [(number, text[width:]) for number, text in block])
        elif node.style in ('"', "'") and "\n" in value.strip():
            self.text(self.guide, self._escaped(node, value))
        elif node.style == ">" or "\n" in value:
            end = min(max(node.end_mark.line, start + 1), len(self.lines))
            lines = [(number, text.strip()) for number, text in self.lines[start + 1 : end]]
            self.text(self.guide, lines)
        else:
            value = self.variables.filled(value)
            first = value.split()[0]
            if nic and "${DEV}" in value:
                value = value.replace("${DEV}", nic)
            if len(value.split()) > 1 or first.startswith("/"):
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
        line = self.number(node.value[-1])
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

    def _netplan(self, network: yaml.MappingNode) -> None:
        self.renamed = _netplan_names(network)
        for kind, devices in network.value:
            if not isinstance(devices, yaml.MappingNode):
                continue
            for key, device in devices.value:
                if isinstance(device, yaml.MappingNode):
                    self._device(str(kind.value), str(key.value), device)

    def _device(self, kind: str, name: str, device: yaml.MappingNode) -> None:
        chosen = _netplan_chosen(name, device)
        with self.guide.sink.under(CONDITIONAL, chosen.problem):
            for nic, match in chosen.nics:
                self._keys(kind, name, device, nic, match)

    def _keys(self, kind: str, name: str, device: yaml.MappingNode, nic: str, match: selectors.Match) -> None:
        for key, value in device.value:
            word, line = str(key.value), self.number(key)
            if word in ("match", "set-name"):
                self.guide.sink.nothing(line, "says which NIC is meant")
            elif word in ("mtu", *_OFFLOADS) and not isinstance(value, yaml.ScalarNode):
                self.guide.sink.unknown(line, f"{word} has no single value")
            elif word == "mtu":
                self.guide.nic(line, nic, "link", "mtu", str(value.value), match)
            elif word == "wakeonlan" and isinstance(value, yaml.ScalarNode):
                wakes = str(value.value).lower() in ("true", "yes", "on")
                self.guide.nic(line, nic, "wol", "wol", "g" if wakes else "d", match)
            elif word == "virtual-function-count" and isinstance(value, yaml.ScalarNode):
                self.guide.nic(line, nic, "sriov", "vfs", str(value.value), match)
            elif word in _OFFLOADS:
                self.guide.nic(line, nic, "features", _OFFLOADS[word], str(value.value), match)
            elif kind == "bonds" and bonded.netplan(self.guide, line, name, word, _words(value)):
                self._sets(key, value, "stands in the entry of the bond")
            elif kind == "bonds" and word == "routes" and _default(value):
                bonded.gateway(self.guide, line, name, _default(value), "routes belong to netplan")
                self._sets(key, value, "stands in the entry of the bond")
            elif kind == "bonds" and word == "interfaces":
                self._members(line, name, _words(value))
            elif kind == "bonds" and word == "parameters" and isinstance(value, yaml.MappingNode):
                for inner, text in value.value:
                    plain = str(inner.value)
                    option = _BOND.get(plain, plain.replace("-", "_"))
                    chosen = [self.renamed.get(one, one) if option == "primary" else one for one in _words(text)]
                    kernel_files.bond(self.guide, self.number(inner), name, option, " ".join(chosen))
            else:
                self._left(word, key, value)

    def _members(self, line: int, bond: str, listed: Sequence[str]) -> None:
        """The members of a bond, which netplan knows by names of its own."""
        names = [self.renamed.get(one, one) for one in listed]
        if all(names):
            self.guide.sink.set(line, bond, "bond", "members", " ".join(names))
        else:
            told = " ".join(one for one, name in zip(listed, names) if not name)
            self.guide.sink.remark(line, ON_HOST, f"which NIC {told} is, `match` decides on the host; write its name")

    def _sets(self, key: yaml.Node, value: yaml.Node, why: str) -> None:
        """The lines of a value, which is told at its key."""
        for number, _text in self.lines[key.start_mark.line : max(value.end_mark.line, key.start_mark.line + 1)]:
            self.guide.sink.nothing(number, why)

    def _left(self, word: str, key: yaml.Node, value: yaml.Node) -> None:
        for number, _text in self.lines[key.start_mark.line : max(value.end_mark.line, key.start_mark.line + 1)]:
            self.guide.sink.remark(number, OTHER_TOOL, f"{word} belongs to netplan")


def _netplan_chosen(name: str, device: yaml.MappingNode) -> selectors.Chosen:
    """The NICs that a device of netplan is for."""
    match, rename = _find(device, "match"), _find(device, "set-name")
    if isinstance(match, yaml.MappingNode) and isinstance(rename, yaml.ScalarNode):
        return selectors.choose([str(rename.value)], [], [])
    conditions = (
        {str(key.value): _words(value) for key, value in match.value} if isinstance(match, yaml.MappingNode) else {}
    )
    hardware = [("mac", conditions.get("macaddress", [])), ("driver", conditions.get("driver", []))]
    return selectors.choose(conditions.get("name", []), hardware, [], otherwise=name)


def _netplan_names(network: yaml.MappingNode) -> Dict[str, str]:
    """By the name that a device has in the file that of the NIC, which is empty where the file does not say it."""
    found: Dict[str, str] = {}
    for kind, devices in network.value:
        if str(kind.value) == "ethernets" and isinstance(devices, yaml.MappingNode):
            for key, device in devices.value:
                if isinstance(device, yaml.MappingNode):
                    nics = _netplan_chosen(str(key.value), device).nics
                    sure = len(nics) == 1 and not nics[0][1] and not set("*?[") & set(nics[0][0])
                    found[str(key.value)] = nics[0][0] if sure else ""
    return found


def _words(node: yaml.Node) -> List[str]:
    """One word, or those of a list; anything else is none."""
    inner = node.value if isinstance(node, yaml.SequenceNode) else [node]
    return [str(one.value) for one in inner if isinstance(one, yaml.ScalarNode)]


def _default(routes: yaml.Node) -> str:
    """The gateway of routes that are nothing but the default one."""
    inner = routes.value if isinstance(routes, yaml.SequenceNode) else []
    mappings = [one.value for one in inner if isinstance(one, yaml.MappingNode)]
    found = [{str(key.value): str(value.value) for key, value in pairs} for pairs in mappings]
    known = len(found) == 1 and set(found[0]) == {"to", "via"} and found[0]["to"] in ("default", "0.0.0.0/0", "::/0")
    return found[0]["via"] if known else ""


def _find(node: yaml.MappingNode, word: str) -> Any:
    return next((value for key, value in node.value if str(key.value) == word), None)


def _scalars(node: yaml.Node, words: Sequence[str]) -> List[yaml.ScalarNode]:
    if isinstance(node, yaml.SequenceNode):
        return [found for one in node.value for found in _scalars(one, words)]
    if not isinstance(node, yaml.MappingNode):
        return []
    found: List[yaml.ScalarNode] = []
    for key, value in node.value:
        if str(key.value) in words and isinstance(value, yaml.ScalarNode):
            found.append(value)
        found += _scalars(value, words)
    return found


def _looks_like_nic(word: str) -> bool:
    plain = word.partition(".")[0]
    return bool(re.fullmatch(r"(eth|en|em|p\d+p|bond|br|eno|ens|wl|ib)[a-z0-9]*\d[a-z0-9]*", plain))
