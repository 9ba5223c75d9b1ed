# SPDX-License-Identifier: GPL-3.0-or-later
"""Read `tc`: the queueing disciplines that are settings here, and what of the rest belongs to nobody here."""

from __future__ import annotations

import re
from typing import Dict, List, Optional, Sequence, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import inputs
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import InputError
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools.qdisc import KINDS

from .. import masks
from ..keys.settings import Guide, Root
from ..model import HARMFUL, NO_EFFECT, NOTE, ON_HOST, OTHER_TOOL, PHYSICAL, Setting, Sink, exclusive
from . import clients

_QDISC = "what the collection has of that are qdisc (root, leaves), multiq, and default_qdisc (tuning_sysctl)"
_QDISC_WORDS = ("qdisc", "q", "qd")
_READING = ("show", "list", "ls", "get", "help", "s", "sh")
_ADDING = ("add", "a")
_TAKING_AWAY = ("del", "delete", "d")
_SETTING = ("add", "a", "replace", "r", "change", "chg", "link")
# At the root of a NIC with several queues they take away what mq is for; below mq they do all that they are for.
_BELOW_MQ = ("fq", "fq_codel")
_LEAF = "leaf "


def tc(guide: Guide, line: int, words: List[str]) -> None:
    """One command; those that set a root or the leaves of mq are settings."""
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in ("-n", "-net", "-netns", "-b", "-batch") else words[1:]
    said = "tc " + " ".join(map(masks.said, words))
    verb = words[1] if len(words) > 1 else "show"
    if verb in _READING:
        guide.sink.nothing(line, "only reads")
    elif _put_back(guide, line, said, verb, words):
        return
    elif verb in _TAKING_AWAY:
        guide.sink.remark(line, OTHER_TOOL, f"{said}: it takes a queueing discipline away; {_QDISC}")
    elif "netem" in words:
        guide.sink.remark(line, OTHER_TOOL, f"{said}: netem makes a link worse on purpose, for tests")
    elif clients.mapped(guide, line, words):
        return
    elif words[0] not in _QDISC_WORDS or verb not in _SETTING or not _discipline(guide, line, said, words[2:]):
        guide.sink.remark(line, OTHER_TOOL, f"{said}: {_QDISC}")


def _discipline(guide: Guide, line: int, said: str, words: Sequence[str]) -> bool:
    """A root, or a leaf of mq, as a setting; False where it is neither."""
    nic, parent, kind, _handle = _parsed(words)
    rest = " ".join(kind)
    if not nic or not kind or not parent:
        return False
    if not all(masks.known(word) for word in kind):
        guide.sink.remark(line, ON_HOST, f"{said}: what is set is known on the host only")
        return True
    if parent == "root" and kind == ["multiq"]:
        guide.sink.set(line, masks.name(nic), "multiq", "method", "multiq")
        return True
    key = "root" if parent == "root" else _leaf(guide, nic, parent)
    field = registry.FAMILIES["qdisc"].field("root" if key == "root" else "leaves")
    if not key:
        return False
    try:
        value = inputs.understand(field, rest).value
    except InputError as error:
        if kind[0] not in KINDS:
            return False
        text = str(error).replace(" has no option ", " has in this collection no option ")
        guide.sink.remark(line, OTHER_TOOL, f"{said}: {text}")
        return True
    name, match = masks.name(nic), ()
    if name == "*":
        guide.sink.set(line, "", "qdisc", key, value, PHYSICAL)
    else:
        guide.sink.set(line, name, "qdisc", key, value, match)
    if key == "root" and kind[0] in _BELOW_MQ:
        text = f"{said}: {kind[0]} at the root puts all queues of a NIC behind one lock; the inventory has it below mq"
        guide.sink.remark(line, HARMFUL, text)
    elif key == "root" and kind[0] == "cake" and "bandwidth" not in kind:
        guide.sink.remark(line, NOTE, f"{said}: cake at the root puts all queues of a NIC behind one lock")
    return True


def _put_back(guide: Guide, line: int, said: str, verb: str, words: Sequence[str]) -> bool:
    """Note what is at the root of a NIC from now on. True where tc refuses it, for something was put there before."""
    nic, parent, kind, handle = _parsed(words[2:])
    if words[0] not in _QDISC_WORDS or parent != "root" or not nic or guide.sink.dead[0]:
        return False
    before = guide.roots.get(nic)
    if verb in _TAKING_AWAY:
        guide.roots.pop(nic, None)
    elif verb in _ADDING and before and before.line != line and not exclusive(before.branch, guide.sink.branch):
        where = guide.sink.position(before.line)
        text = f"{said}: tc refuses to add a root, for {where} has set one already; replace would take its place"
        guide.sink.remark(line, NO_EFFECT, text)
        return True
    elif kind:
        guide.roots[nic] = Root(line, kind[0], handle.rstrip(":").lower(), guide.sink.branch)
    return False


def _parsed(words: Sequence[str]) -> Tuple[str, str, List[str], str]:
    """The NIC, `root` or the handle of the parent, the kind with its options, and the handle of its own."""
    found: Dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in ("dev", "parent", "handle") and rest:
            found[word] = rest.pop(0)
        elif word == "root":
            found["parent"] = word
        elif word not in ("estimator",):
            return found.get("dev", ""), found.get("parent", ""), [word, *rest], found.get("handle", "")
    return found.get("dev", ""), found.get("parent", ""), [], found.get("handle", "")


def _leaf(guide: Guide, nic: str, parent: str) -> str:
    """The key of a leaf, by the number of its queue or for all; empty where the parent is no mq."""
    major, colon, minor = parent.partition(":")
    if not colon or not minor:
        return ""
    root = guide.roots.get(nic) or guide.roots.get("*")
    # Without a handle of its own mq has one that nobody here knows.
    of_root = root is not None and root.kind == "mq" and (not root.handle or not major or major.lower() == root.handle)
    if not of_root and (root is not None or major.strip("0") or not masks.known(major)):
        return ""
    if not masks.known(minor):
        return f"{_LEAF}*"
    return f"{_LEAF}{int(minor, 16)}" if re.fullmatch(r"[0-9a-f]{1,4}", minor) else ""


def settled(sink: Sink, settings: Sequence[Setting]) -> List[Setting]:
    """One value for all leaves of a NIC and for all its clients, and fq at a root as what it is below mq."""
    settings = clients.settled(sink, settings, _QDISC)
    roots: Dict[Tuple[str, Tuple[Tuple[str, str], ...]], str] = {}
    leaves: Dict[Tuple[str, Tuple[Tuple[str, str], ...]], Dict[str, str]] = {}
    for one in settings:
        if one.family == "qdisc" and one.key == "root":
            roots[(one.nic, one.match)] = str(one.value).split()[0]
        elif one.family == "qdisc" and one.key.startswith(_LEAF):
            leaves.setdefault((one.nic, one.match), {})[one.key[len(_LEAF) :]] = str(one.value)
    # A script that asks for a second queue first says it twice: below mq, and as the root where there is no mq.
    either = {(one.nic, one.match, str(one.value)) for one in sink.losers if (one.family, one.key) == ("qdisc", "root")}
    kept: List[Setting] = []
    for one in settings:
        where = (one.nic, one.match)
        if one.family != "qdisc" or one.key == "leaves":
            kept.append(one)
        elif one.key == "root" and roots[where] == "mq" and (*where, _all_leaves(leaves.get(where, {}))) in either:
            continue
        elif one.key == "root":
            kept.append(one._replace(key="leaves") if roots[where] in _BELOW_MQ else one)
        else:
            value = _all_leaves(leaves[where]) if roots.get(where, "mq") == "mq" else None
            if value is None:
                text = f"the queueing disciplines of the queues of {one.nic} differ, or their root is no mq; {_QDISC}"
                sink.remark(one.line, OTHER_TOOL, text)
            elif one._replace(key="leaves", value=value) not in kept:
                kept.append(one._replace(key="leaves", value=value))
    return kept


def _all_leaves(found: Dict[str, str]) -> Optional[str]:
    values = set(found.values())
    return values.pop() if len(values) == 1 else None
