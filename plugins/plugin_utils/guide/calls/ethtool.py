# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a command of ethtool."""

from __future__ import annotations

from typing import List, Mapping, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import InputError, nearest
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry

from .. import masks
from ..keys import devices
from ..keys.settings import Guide
from ..model import NO_EFFECT, ON_HOST, OTHER_TOOL

_FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(("-K", "--features", "--offload"), "features"),
    **dict.fromkeys(("-G", "--set-ring"), "ring"),
    **dict.fromkeys(("-C", "--coalesce"), "coalesce"),
    **dict.fromkeys(("-A", "--pause"), "pause"),
    **dict.fromkeys(("-L", "--set-channels"), "channels"),
    "--set-priv-flags": "private_flags",
    "--set-eee": "eee",
    "--set-module": "module",
    "--set-tunable": "tunables",
}
# The keys of `ethtool -s` that are settings here; what it advertises is a mask there, which is a list of modes here.
_CHANGE: Mapping[str, str] = {**dict.fromkeys(("speed", "duplex", "autoneg", "mdix"), "speed"), "wol": "wol"}
_NAMES: Mapping[Tuple[str, str], str] = {("eee", "eee"): "enabled"}
_OTHERS: Mapping[str, str] = {
    **dict.fromkeys(("-s", "--change"), "link mode"),
    **dict.fromkeys(("-N", "-U", "--config-nfc", "--config-ntuple"), "flow"),
    **dict.fromkeys(("-Q", "--per-queue"), "a setting of one queue"),
    **dict.fromkeys(("-E", "--change-eeprom"), "the EEPROM"),
    **dict.fromkeys(("-f", "--flash"), "the firmware"),
    "--set-hwtimestamp-cfg": "time stamps",
    "--set-mm": "frame preemption",
    **dict.fromkeys(("-W", "--set-dump"), "dumps"),
}
_SPREADING = ("-X", "--rxfh", "--set-rxfh-indir")
_RULES = ("-N", "-U", "--config-nfc", "--config-ntuple")
# The words of -X that a value follows, by our keys; `equal`, `weight` and `default` are about the table.
_SPREAD = {"hkey": "key", "hfunc": "function", "xfrm": "transform"}
# What stands in the place of a NIC whose name a shell has filled in with nothing.
_KEYS = ("rx", "tx", "sg", "tso", "ufo", "gso", "gro", "lro", "autoneg", "combined", "adaptive-rx", "rx-usecs")
# Said of a sentence that begins like a command, too.
NO_SWITCH = "ethtool takes on or off, and refuses the command with"
_SHOWS = {small: small.upper() for small in ("-a", "-c", "-g", "-k", "-l")}
_DOING = {"-r": "negotiates the link anew", "--negotiate": "negotiates the link anew", "-p": "blinks", "-t": "tests"}


def read(guide: Guide, line: int, words: List[str]) -> None:
    """One call; `words` come after the program's name."""
    words = [word for word in words if word not in ("--debug", "-I", "--include-statistics", "--json")]
    flag = words[0] if words else ""
    nic = words[1] if len(words) > 1 else ""
    pairs = words[2:]
    if flag in _FAMILIES:
        if not nic or (nic in _KEYS and len(pairs) % 2):
            guide.sink.remark(line, NO_EFFECT, f"ethtool {flag}: the name of the NIC is missing")
            return
        _set(guide, line, _FAMILIES[flag], nic, pairs)
    elif flag == "--set-fec" and nic and pairs[:1] == ["encoding"]:
        guide.nic(line, nic, "fec", "encoding", " ".join(pairs[1:]))
    elif flag == "--set-phy-tunable" and nic and pairs:
        _phy(guide, line, nic, pairs)
    elif _OTHERS.get(flag) == "link mode":
        _change(guide, line, flag, nic, pairs)
    elif flag in _SPREADING:
        _spread(guide, line, nic, pairs)
    elif flag in _RULES and pairs[:1] == ["rx-flow-hash"] and len(pairs) == 3:
        guide.nic(line, nic, "rss", pairs[1], pairs[2])
    elif flag in _OTHERS:
        _other(guide, line, flag, nic, pairs)
    elif flag in _DOING:
        guide.sink.remark(line, OTHER_TOOL, f"ethtool {flag} {_DOING[flag]} once, and sets nothing")
    elif flag in _SHOWS and len(pairs) > 1 and not pairs[0].startswith("-"):
        guide.sink.remark(
            line, NO_EFFECT, f"ethtool {flag} only shows, and takes no {masks.shown(pairs[0])}; {_SHOWS[flag]} sets"
        )
    elif flag.startswith("-") or len(words) < 2:
        guide.sink.nothing(line, "only reads")
    else:
        # Such as `ethtool eth0 gro off`: without an option ethtool shows the link of the first word.
        text = "ethtool without an option such as -K sets nothing"
        text += "" if masks.known(flag) else f", and whether {masks.shown(flag)} is one, the text does not tell"
        if flag[0] in "\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}":
            text = f"'{flag}' begins with a typographic dash, which ethtool takes for a name; write -{flag[1:]}"
        guide.sink.remark(line, NO_EFFECT if masks.known(flag) else ON_HOST, text)


def _set(guide: Guide, line: int, family: str, nic: str, words: List[str]) -> None:
    pairs = [(words[index], "".join(words[index + 1 : index + 2])) for index in range(0, len(words), 2)]
    why = next(filter(None, (_refused(guide, family, *pair) for pair in pairs)), "")
    if not pairs:
        guide.sink.remark(line, NO_EFFECT, f"ethtool: no {family} is named, so nothing is set")
    elif why:
        # It reads all words before it sets the first of them.
        guide.sink.remark(line, NO_EFFECT, why)
        return
    for key, value in pairs:
        if masks.known(key):
            guide.nic(line, nic, family, _key(family, key), value)
        else:
            guide.sink.remark(line, ON_HOST, f"{family}: which one {masks.shown(key)} is, is known on the host only")


def _key(family: str, word: str) -> str:
    """Our key for a word of ethtool."""
    plain = word if family in ("features", "private_flags") else word.replace("-", "_")
    return _NAMES.get((family, plain), plain)


def _refused(guide: Guide, family: str, word: str, value: str) -> str:
    """Why ethtool refuses a whole command for one of its keys with its value; empty where it takes them."""
    if not masks.known(word):
        return ""
    if not value:
        return f"{family} {word}: the value is missing, so ethtool refuses the command"
    fields = registry.FAMILIES[family]
    if family == "features" and masks.known(value) and value not in ("on", "off"):
        return f"{masks.shown(word)}: {NO_SWITCH} '{value}'"
    try:
        strange = guide.strange_feature(word) if family == "features" else ""
        known = [_word(family, one.name) for one in fields.fields]
        if strange or (family not in ("features", "private_flags") and word not in known):
            hint = nearest(word, known, otherwise=False)
            return strange or f"ethtool knows no '{masks.shown(word)}' of {family} and refuses the command{hint}"
        field = fields.field(_key(family, word))
        if field.kind == "switch" and masks.known(value) and value not in ("on", "off"):
            return f"{word}: {NO_SWITCH} '{value}'"
        guide.understood(field, value)
    except InputError as error:
        return f"ethtool refuses the command: {error}"
    return ""


def _word(family: str, key: str) -> str:
    """The word of ethtool for one of our keys."""
    return next((word for (name, word), ours in _NAMES.items() if (name, ours) == (family, key)), key.replace("_", "-"))


def _change(guide: Guide, line: int, flag: str, nic: str, pairs: List[str]) -> None:
    """What `ethtool -s` sets of the link mode and of Wake-on-LAN; the rest of it stays a remark."""
    rest: List[str] = []
    told = [pairs[index : index + 2] for index in range(0, len(pairs), 2)]
    ours = [(_CHANGE[pair[0]], *pair) for pair in told if pair[0] in _CHANGE and len(pair) == 2]
    why = next(filter(None, (_refused(guide, *one) for one in ours)), "")
    if why:
        guide.sink.remark(line, NO_EFFECT, why)
        return
    for pair in told:
        if pair[0] in _CHANGE and len(pair) == 2:
            guide.nic(line, nic, _CHANGE[pair[0]], pair[0], pair[1])
        else:
            rest += pair
    if rest:
        _other(guide, line, flag, nic, rest)


def _phy(guide: Guide, line: int, nic: str, words: List[str]) -> None:
    """`downshift on count 5`, `fast-link-down on msecs 20`: the number, `off`, or what the PHY has by itself."""
    key, state, number = words[0].replace("-", "_"), "".join(words[1:2]), "".join(words[3:4])
    if state == "off" or number:
        guide.nic(line, nic, "phy", key, "off" if state == "off" else number)
    else:
        text = f"phy {masks.shown(words[0])}: without a number the PHY takes one of its own; write the number"
        guide.sink.remark(line, ON_HOST, text)


def _spread(guide: Guide, line: int, nic: str, words: List[str]) -> None:
    """The table and the hash; other tables than the first (contexts) are for rules that choose them."""
    if {"context", "delete"} & set(words):
        said = " ".join(masks.shown(word) for word in words)
        guide.sink.remark(
            line, OTHER_TOOL, f"{masks.shown(nic)} {said}: a further table is no setting of this collection"
        )
        return
    table: List[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in _SPREAD and rest:
            guide.nic(line, nic, "rss", _SPREAD[word], rest.pop(0))
        else:
            table.append(word)
    if table:
        guide.nic(line, nic, "rss", "indirection", " ".join(table))


def options(guide: Guide, line: int, nic: str, text: str) -> None:
    """What stands in a file for ethtool: commands parted by semicolons, or the keys of `ethtool -s`."""
    for part in text.split(";"):
        words = part.split()
        if not words:
            continue
        if not words[0].startswith("-"):
            read(guide, line, ["-s", nic, *words])
        else:
            # In SUSE's files the word iface stands for the NIC.
            read(guide, line, [nic if word == "iface" else word for word in words])


def _other(guide: Guide, line: int, flag: str, nic: str, pairs: List[str]) -> None:
    about = _OTHERS[flag]
    said = " ".join(masks.shown(word) for word in pairs)
    if about == "link mode":
        text = f"{said}: no setting here; for what is advertised write modes, as in speed: {{advertise: [1000]}}"
    elif about == "flow" and devices.rule(guide, line, nic, pairs):
        return
    elif about == "flow":
        text = f"{said}: write a rule that steers flows under ntuple_rules, with its location as the key"
    else:
        text = f"{said}: {about} is no setting of this collection"
    guide.sink.remark(line, OTHER_TOOL, f"{masks.shown(nic)} {text}")


def pairs_of(text: str) -> List[Tuple[str, str]]:
    """`lro off gro on` as pairs."""
    words = text.replace(",", " ").split()
    return list(zip(words[::2], words[1::2]))
