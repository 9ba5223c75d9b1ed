# SPDX-License-Identifier: GPL-3.0-or-later
"""Put the settings of a guide together: what contradicts what, what is idle beside it, and the inventory they make."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Sequence, Set, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import InputError
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import bonds, registry

from .. import masks
from ..calls import functions, qdiscs
from ..keys import bonded, modules, verdicts
from ..model import CONDITIONAL, NO_EFFECT, NOTE, PHYSICAL, Line, Remark, Setting, Sink, exclusive
from ..prose import choices
from . import branches, hosts, receivers, speeds

_OF_THE_HOST = {"sysctl": "tuning_host_sysctl", modules.FAMILY: modules.VARIABLE}
_TRUTHS = {"0": False, "1": True, "false": False, "true": True, "no": False, "yes": True, "off": False, "on": True}
_BOND_SWITCHES = {field.name for field in bonds.FIELDS if field.kind == "switch"}
_FLAT = {field.name for family in registry.FAMILIES.values() if family.flat for field in family.fields}


def result(sink: Sink, lines: Sequence[Line]) -> Dict[str, Any]:
    """Inventory, remarks, what was not understood, and what became of each line."""
    sink.close()
    settings = receivers.standing(sink, qdiscs.settled(sink, speeds.standing(sink, _settled(sink), lines)))
    settings = functions.whole(sink, _idle(sink, settings))
    bonds_, settings, inside = _bonds(sink, settings)
    used = {one.line for one in settings}
    for remark in sink.noted:
        if remark.line in used:
            sink.remark(*remark)
    inventory: Dict[str, Any] = {}
    nics = _nics(sink, [one for one in settings if id(one) not in inside])
    if nics:
        inventory["tuning_host_nics"] = nics
    for family, variable in _OF_THE_HOST.items():
        host = {one.key: one.value for one in settings if one.family == family}
        if host:
            inventory[variable] = host
    if bonds_:
        inventory["tuning_bonds"] = bonds_
    profile = [one.value for one in settings if one.family == "profile"]
    if profile:
        inventory["tuning_tuned_profile"] = profile[-1]
    texts, remarks = dict(lines), _joined(sink)
    return {
        "inventory": inventory,
        "fill_in": sorted({one.nic for one in settings if _placeholder(one.nic)}),
        "remarks": [_said(sink, remark, texts) for remark in remarks if remark.kind != NOTE],
        "notes": [_said(sink, remark, texts) for remark in remarks if remark.kind == NOTE],
        "not_understood": [_said(sink, remark, texts) for remark in sorted(sink.lost)],
        "lines": _lines(sink, settings, [*sink.lost, *remarks], lines),
    }


def _placeholder(nic: str) -> bool:
    """Whether a name only stands for that of a NIC."""
    capitals = re.fullmatch(r"[A-Z_]*(INTERFACE|IFACE|NIC|DEVICE|NAME|CARD)[A-Z_]*\d?", nic)
    return (
        any(char in nic for char in "$<>{}()%@")
        or not nic.isascii()
        or capitals is not None
        or nic.lower()
        in (
            "devname",
            "iface",
            "interface",
            "nic",
            "ethx",
            "ethxxx",
            "dev",
        )
    )


def _joined(sink: Sink) -> List[Remark]:
    """One remark for each kind and line; a loop may have said the same of many things."""
    found: Dict[Tuple[int, str], List[str]] = {}
    for remark in sorted(sink.remarks, key=lambda remark: remark.line):
        texts = found.setdefault((remark.line, remark.kind), [])
        if remark.text not in texts:
            texts.append(remark.text)
    joined = []
    for (line, kind), texts in found.items():
        more = [f"and {len(texts) - 3} more"] if len(texts) > 3 else []
        joined.append(Remark(line, kind, "; ".join([*texts[:3], *more])))
    return joined


def _said(sink: Sink, remark: Remark, texts: Mapping[int, str]) -> Dict[str, Any]:
    text = texts.get(remark.line, "").strip()
    return {**_position(sink, remark.line), "kind": remark.kind, "text": text, "message": remark.text}


def _position(sink: Sink, line: int) -> Dict[str, Any]:
    file, number = sink.where.get(line, ("", line))
    return {"file": file, "line": number} if file else {"line": number}


def _settled(sink: Sink) -> List[Setting]:
    """One setting for each address; the others are remarks that name the line that won."""
    unsure = branches.unsure(sink)
    kept: Dict[Any, Setting] = {}
    equal: List[Setting] = []
    told = {one.line for one in sink.noted if one.text.startswith("only where")}
    lost: Dict[Tuple[int, int], Setting] = {}  # the cases in which another one sets something else, with that
    for setting in hosts.standing(sink, choices.first(sink)):
        groups = [group for group, _number, _kind in setting.branch if group in unsure]
        if groups:
            kind = next(kind for group, _number, kind in setting.branch if group == groups[0])
            text = (
                f"{setting.named} holds only in the {kind}"
                if kind != "if"
                else f"{setting.named} holds in one case only"
            )
            sink.remark(setting.line, CONDITIONAL, text)
            continue
        if setting.family == "bond" and bonded.is_list(setting.key):
            kept[(setting.address, setting.value)] = setting
            continue
        before = kept.get(setting.address)
        if before is None:
            kept[setting.address] = setting
        elif before.value == setting.value:
            equal.append(setting)
        elif exclusive(before.branch, setting.branch):
            sink.gives_way(setting, before, "the other case of a condition")
            said = f"{sink.position(setting.line)} has another value, for another case of a condition"
            if before.line not in {*told, setting.line}:
                sink.note(before.line, said)
            for case in branches.apart(before.branch, setting.branch):
                lost.setdefault(case, before)
        else:
            sink.gives_way(before, setting, "which comes later")
            kept[setting.address] = setting
    for one in equal:
        if kept[one.address].value != one.value:
            sink.gives_way(one, kept[one.address], "which comes later")
    alike = [one for one in equal if kept[one.address].value == one.value]
    gone = branches.of_lost_cases(sink, [*kept.values(), *alike], lost)
    return [one for one in (*kept.values(), *alike) if one.address not in gone]


def _idle(sink: Sink, settings: List[Setting]) -> List[Setting]:
    """What does nothing beside the rest: txqueuelen under a qdisc with a limit of its own."""
    values = {one.key: one.value for one in settings if one.family == "sysctl"}
    qdisc = str(values.get("net.core.default_qdisc", ""))
    own = {
        (one.nic, one.match): str(one.value).split()[0]
        for one in settings
        if one.family == "qdisc" and str(one.value).split()[0] in verdicts.OWN_LIMIT
    }
    every = next((own[index] for index in (("*", ()), ("", PHYSICAL)) if index in own), "")
    kept = []
    for one in settings:
        above = own.get((one.nic, one.match), every)
        if one.key == "txqueuelen" and (qdisc in verdicts.OWN_LIMIT or above):
            sink.remark(
                one.line,
                NO_EFFECT,
                f"txqueuelen {one.value}: {above or qdisc} has a limit of its own and does not look at it",
            )
            continue
        if one.key == "txqueuelen":
            sink.remark(
                one.line, NOTE, "txqueuelen: fq and fq_codel, the default of most distributions, do not look at it"
            )
        if (
            one.key.startswith("rps_flow_cnt")
            and str(one.value) != "0"
            and values.get("net.core.rps_sock_flow_entries", 0) == 0
        ):
            sink.remark(one.line, NOTE, "rps_flow_cnt: without net.core.rps_sock_flow_entries above 0 it does nothing")
        kept.append(one)
    return kept


def _nics(sink: Sink, settings: Sequence[Setting]) -> List[Dict[str, Any]]:
    """An entry for each NIC, in the order in which they come; what is meant for all comes first."""
    entries: Dict[Tuple[str, Tuple[Tuple[str, str], ...]], Dict[str, Any]] = {}
    queues: Dict[Any, Dict[str, Setting]] = {}
    each: Dict[Any, Dict[str, Setting]] = {}  # of virtual functions
    for one in settings:
        if one.family in (*_OF_THE_HOST, "profile", "bond"):
            continue
        match = {key: {"true": True}.get(text, text) for key, text in one.match}
        start: Dict[str, Any] = {"match": match} if match else {"name": one.nic}
        entry = entries.setdefault((one.nic, one.match), start)
        if one.key in _FLAT and one.family in ("link", "wol"):
            entry[one.key] = one.value
        elif receivers.is_one(one):
            key, _blank, index = one.key.partition(" ")
            queues.setdefault((one.nic, one.match, key), {})[index] = one
            entry.setdefault("irq", {}).setdefault(key, "")
        elif functions.is_one(one):
            key, _blank, index = one.key.partition(" ")
            each.setdefault((one.nic, one.match, key), {})[index] = one
        else:
            entry.setdefault(one.family, {})[one.key] = one.value
    for (nic, match, key), found in each.items():
        entries[(nic, match)]["sriov"][key] = functions.joined(found)
    for (nic, match, key), found in queues.items():
        numbered = entries[(nic, match)][receivers.FAMILY]
        numbered[key] = receivers.value(sink, key, numbered[key], found)
    # Sorting keeps the order of those that are alike.
    return sorted(entries.values(), key=_narrowness)


def _narrowness(entry: Mapping[str, Any]) -> int:
    """How few NICs an entry is for: a later one wins, and a script sets for all others what it sets for all."""
    if entry.get("match") == {"driver": "*"} or entry.get("name") == "*":
        return 0
    return 1 if "match" in entry or any(char in entry["name"] for char in "*?") else 2


def _bonds(sink: Sink, settings: Sequence[Setting]) -> Tuple[List[Dict[str, Any]], List[Setting], Set[int]]:
    """Bonds as entries, the settings without what is left out, and which of them (by `id`) stand in a bond.

    The MTU of a bond or of its members stands in it. One that is not whole is a remark.
    """
    found: Dict[str, List[Setting]] = {}
    with_mtu: Dict[str, List[Setting]] = {}
    for one in settings:
        if one.family == "bond":
            found.setdefault(one.nic, []).append(one)
        elif one.key == "mtu":
            with_mtu.setdefault(one.nic, []).append(one)
    entries: List[Dict[str, Any]] = []
    taken: Set[int] = set()
    inside: Set[int] = set()
    for name, parts in found.items():
        entry: Dict[str, Any] = {"name": name}
        for one in parts:
            if bonded.is_list(one.key):
                entry.setdefault(one.key, []).extend(
                    word for word in str(one.value).split() if word not in entry.get(one.key, [])
                )
            else:
                entry[one.key] = one.value if isinstance(one.value, bool) else _bond_value(one.key, str(one.value))
        sizes = [one for nic in (name, *entry.get("members", [])) for one in with_mtu.get(nic, ())]
        if sizes and len({one.value for one in sizes}) == 1:
            entry["mtu"] = sizes[0].value
        problem = _problem(entry)
        if problem:
            for one in parts:
                said = f"{one.key} {masks.shown(str(one.value))} is left out, for the bond is not whole: {problem}"
                sink.remark(one.line, CONDITIONAL, f"bond {name}: {said}")
            taken.update(map(id, parts))
            continue
        if not set(bonded.KEYS).intersection(entry):
            text = "no address for it stands in this text; add addresses or dhcp, unless a bridge or VLANs have them"
            sink.remark(parts[0].line, NOTE, f"bond {name}: {text}")
        entries.append(entry)
        inside.update(map(id, sizes) if "mtu" in entry else ())
        taken.update(id(one) for one in parts if one.key not in entry)
    return entries, [one for one in settings if id(one) not in taken], inside


def _problem(entry: Dict[str, Any]) -> str:
    """Why a bond cannot stand in an inventory; empty where it can."""
    masked = [masks.shown(word) for word in map(str, entry.get("members", ())) if not masks.known(word)]
    if masked:
        return f"which NICs {', '.join(masked)} are, is known on the host only"
    try:
        bonds.parse([entry])
    except InputError as error:
        return str(error)
    return ""


def _bond_value(key: str, text: str) -> Any:
    if key in _BOND_SWITCHES and text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    return int(text) if text.isdecimal() else text


def _outcome(line: Dict[str, Any]) -> str:
    if "not_understood" in line["kinds"]:
        return "not_understood"
    return "inventory" if line["settings"] else "remark" if line["kinds"] else "nothing"


def _lines(
    sink: Sink, settings: Sequence[Setting], remarks: Sequence[Remark], lines: Sequence[Line]
) -> List[Dict[str, Any]]:
    """What became of each line; none is missing."""
    by_line: Dict[int, Dict[str, Any]] = {
        number: {"settings": [], "messages": [], "kinds": [], "contradicted": []} for number, _text in lines
    }
    for index, found_there in (("settings", settings), ("contradicted", sink.losers)):
        for one in found_there:
            shown = {"nic": one.nic, "match": dict(one.match), "family": one.family, "key": one.key, "value": one.value}
            told = {key: value for key, value in shown.items() if value not in ("", {})}
            by_line[one.line][index] += [told] if told not in by_line[one.line][index] else []
    for remark in remarks:
        by_line[remark.line]["messages"].append(remark.text)
        by_line[remark.line]["kinds"].append(remark.kind)
    found = []
    outcomes = {number: _outcome(line) for number, line in by_line.items()}
    for number, text in lines:
        line, outcome = by_line[number], outcomes[number]
        first = sink.tails.get(number, number)
        if outcome == "nothing" and outcomes.get(first, "nothing") != "nothing":
            how = "goes on from" if first < number else "what it holds is set by"
            line["messages"].append(f"{how} {sink.position(first)}")
            head = {"goes_on_from": _position(sink, first)["line"]}
            found.append({**_position(sink, number), "text": text, "outcome": outcomes[first], **line, **head})
            continue
        if outcome == "nothing":
            calls = sorted(sink.called.get(number, ()))[:8]
            line["messages"].append(
                f"what it sets is told where it is called: {', '.join(map(sink.position, calls))}"
                if calls
                else sink.seen.get(number, "a comment or an empty line" if not text.strip() else "sets nothing")
            )
        found.append({**_position(sink, number), "text": text, "outcome": outcome, **line})
    return found
