# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the extra variables of our playbooks before any host is contacted: names, true and false, numbers and words.

A playbook would take a wrong name for one that is missing, and a wrong word for `false`: `tuning_host=room3` would be a
run on all hosts, and is refused. Any other name that is nearly ours may be somebody else's, and causes a warning.
"""

from __future__ import annotations

import difflib
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Callable, NamedTuple, Optional

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import nearest

_FLAG = ("true", "false", "yes", "no", "on", "off", "1", "0", "t", "f", "y", "n")
# Above this two names are compared letter by letter, and alike are those that differ in so many.
_ALIKE, _LETTERS = 0.85, 2
# Without it a playbook runs on all hosts.
_HOSTS = "tuning_hosts"
# Of another word, such as running_hosts, two letters make this one. It begins otherwise, and has a letter of its own.
_BEGINS = "tun"
_APPENDED = re.compile(r"(\d+|_\w+)")
# Those of the inventory, of which a person may have others beside.
_INVENTORY = ("benchmark_groups", "benchmark_hosts", "benchmark_address")
_PREFIX = re.compile(r"^(tun\w*|benchmark|audit|capture|export|prove|autotune|mtu_window|wake|history)_")
NOTHING = "No host was contacted, and nothing was changed"


class Number(NamedTuple):
    """A number: what it counts, its bounds, and whether it has to be whole."""

    of: str
    least: float = 0
    most: float = float("inf")
    whole: bool = True


class Words(NamedTuple):
    """One of some words, or a list of them; `known` gives them, because what knows them costs time to import.

    `lower` is for words that the playbook takes in capitals as well.
    """

    known: Callable[[], Sequence[str]]
    several: bool = False
    lower: bool = False


def _figures() -> Sequence[str]:
    from .measurement.verdict import FIGURES

    return FIGURES


def _searched() -> Sequence[str]:
    from .autotune import axes

    return tuple(axes.ORDER)


def _axes() -> Sequence[str]:
    from .autotune import axes

    return tuple(axes.ABOUT)


def _forms() -> Sequence[str]:
    from .export.writer import FORMS

    return tuple(FORMS)


def _severities() -> Sequence[str]:
    from .findings.model import SEVERITIES

    return (*SEVERITIES, "none")


# Of these variables of the role benchmark its argument specification says more.
_MEASURED = (
    "repeat directions single latency udp packets duration omit parallel protocol window bitrate fio port retries "
    "stagger patience firewall sources quiet label folder"
)
SECONDS = Number("seconds")
SHARE = Number("a share from 0 to 1, such as 0.05 for 5 %", most=0.999, whole=False)
# What a playbook reads that belongs to the command and not to the inventory, and what may be written there; None is
# anything, which the playbook itself checks.
VARIABLES: Mapping[str, Any] = {
    **dict.fromkeys(("tuning_hosts", "tuning_batches", "tuning_off_file", "tuning_forget")),
    # The module rollout says what is wrong with these.
    **dict.fromkeys(("tuning_max_fail_percentage", "tuning_max_errors", "tuning_probe_patience")),
    **dict.fromkeys(("audit_folder", "audit_query", "audit_against")),
    # Several playbooks may share a file of variables, and not each reads these.
    **dict.fromkeys(("audit_benchmark", "prove_before", "prove_after")),
    "audit_fail_on": Words(_severities),
    "audit_interval": Number("seconds", whole=False),
    **dict.fromkeys(("capture_folder", "capture_group", "export_folder")),
    **dict.fromkeys(("capture_overwrite", "capture_take_over", "export_overwrite", "prove_each"), bool),
    "export_form": Words(_forms),
    "prove_figure": Words(_figures),
    "prove_tolerance": SHARE,
    "prove_time": SECONDS,
    "prove_seconds": Number("seconds", least=1),
    "prove_alternate": Words(lambda: ("auto", "true", "false"), lower=True),
    "autotune_goal": Words(_searched),
    "autotune_only": Words(_axes, several=True),
    "autotune_nics": None,
    "autotune_measurements": Number("measurements", least=1),
    "autotune_time": SECONDS,
    "autotune_runs": Number("runs", least=2, most=10),
    "autotune_tolerance": SHARE,
    **dict.fromkeys(("mtu_window_networks", "mtu_window_nics")),
    "mtu_window_mtu": Number("bytes", least=68, most=65536),
    "mtu_window_seconds": Number("seconds", least=1, most=7 * 24 * 3600),
    **dict.fromkeys(("wake_broadcast", "wake_from", "wake_mac")),
    "wake_port": Number("a UDP port", least=1, most=65535),
    **dict.fromkeys(("wake_patience", "wake_timeout"), SECONDS),
    "wake_back": bool,
    **{f"benchmark_{name}": None for name in _MEASURED.split()},
    **dict.fromkeys(("history_label", "history_page")),
    "history_fail": bool,
}


def problem(
    given: Mapping[Any, Any], others: Collection[str] = (), used: Callable[[str], bool] = lambda _name: False
) -> str:
    """What is wrong with extra variables, in a sentence, or nothing.

    `others` are names of ours for the inventory, and `used` tells whether a variable elsewhere names one of these.
    """
    for name, value in _texts(given).items():
        if name in VARIABLES:
            said = _value(name, value)
        else:
            refused = _is_hosts(name) and name not in others and not named(name, given) and not used(name)
            said = _meant(name, _HOSTS) if refused else ""
        if said:
            return _ended(said)
    return ""


def wrong(name: str, value: Any) -> str:
    """What is wrong with the value of a variable that the inventory may have as well; nothing for one that is none of
    the command."""
    return _value(name, value) if name in VARIABLES else ""


def doubts(given: Mapping[Any, Any], others: Collection[str] = ()) -> list[str]:
    """A sentence for each extra variable that is none of ours, but nearly so, and that no other one uses."""
    near = {name: _near(name, others) for name in _texts(given) if name not in VARIABLES and not _is_hosts(name)}
    return [_meant(name, ours) for name, ours in near.items() if ours and not named(name, given)]


def named(name: str, variables: Mapping[Any, Any]) -> bool:
    """Whether another variable has the name in its value, as a template does."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return any(word.search(str(value)) for other, value in variables.items() if other != name)


def plain(pattern: Any, groups: Mapping[str, Sequence[str]]) -> bool:
    """Whether a pattern is a name of the inventory, or a list of them: an empty group is right as well."""
    names = [str(one).strip() for one in (pattern if isinstance(pattern, (list, tuple)) else [pattern])]
    return all(name == "all" or name in groups or name in groups.get("all", ()) for name in names)


def unmatched(pattern: Any, groups: Mapping[str, Sequence[str]], found: Sequence[str]) -> str:
    """What to say of `tuning_hosts` that matches no host of the inventory; nothing where it does."""
    if found:
        return ""
    names = [group for group in groups if "__" not in group] + [host for one in groups.values() for host in one]
    written = {part.strip(" &!'[]") for part in re.split("[,:]", str(pattern))}
    close = nearest(str(pattern), [name for name in dict.fromkeys(names) if name not in written], otherwise=False)
    return _ended(f"{_HOSTS}: {pattern!r} matches no host of the inventory{close}")


def _ended(said: str) -> str:
    return f"{said}{'' if said.endswith('?') else '.'} {NOTHING}"


def _texts(given: Mapping[Any, Any]) -> dict[str, Any]:
    """Without keys such as numbers, which no playbook can read."""
    return {name: value for name, value in given.items() if isinstance(name, str)}


def _meant(name: str, near: str) -> str:
    return f"{name} is not a variable of linuxnet.tuning; did you mean {near}?"


def _is_hosts(name: str) -> bool:
    """Whether a name is nearly `tuning_hosts`."""
    slip = name[:3].lower() == _BEGINS or not Counter(name.lower()) - Counter(_HOSTS)
    return name != _HOSTS and _alike(name, _HOSTS, _LETTERS if slip else 1)


def _near(name: str, others: Collection[str]) -> str:
    """The variable of the command that is meant by a name that is none of ours; nothing where none is close."""
    if not _PREFIX.match(name) or "__" in name or name in others or name in _INVENTORY:
        return ""
    near = difflib.get_close_matches(name, [*VARIABLES, *_INVENTORY, *others], n=1, cutoff=_ALIKE)
    if not near or near[0] not in VARIABLES:
        return ""
    return near[0] if _alike(_PREFIX.sub("", name, count=1), _PREFIX.sub("", near[0], count=1)) else ""


def _alike(name: str, ours: str, letters: int = _LETTERS) -> bool:
    """Whether two names differ in so many letters at most, and the first is not a second one of its kind, as with a
    number."""
    appended = name.startswith(ours) and _APPENDED.fullmatch(name[len(ours) :])
    if appended or abs(len(name) - len(ours)) > letters:
        return False
    changes = difflib.SequenceMatcher(None, name, ours, autojunk=False).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in changes if tag != "equal") <= letters


def _value(name: str, value: Any) -> str:
    """What is wrong with one value. A template is not there yet, and an empty text is the default."""
    kind, text = VARIABLES[name], str(value).strip()
    if kind is None or value is None or text == "" or "{{" in text or "{%" in text:
        return ""
    if kind is bool:
        return "" if text.lower() in _FLAG else f"{name}: {value!r} is not valid; write true or false"
    if isinstance(kind, Words):
        return _word(name, kind, value)
    return "" if _within(kind, value, text) else f"{name}: {value!r} is not valid; write {_right(kind)}"


def _word(name: str, kind: Words, value: Any) -> str:
    known = kind.known()
    listed = isinstance(value, (list, tuple))
    if listed and not kind.several:
        return f"{name}: {value!r} is not valid; write one of {', '.join(known)}"
    for one in value if listed else str(value).split(",") if kind.several else [value]:
        word = str(one).strip()
        if (word.lower() if kind.lower else word) not in known:
            close = nearest(word, known, otherwise=False)
            return f"{name}: {word!r} is not valid; write one of {', '.join(known)}{close}"
    return ""


def _within(kind: Number, value: Any, text: str) -> bool:
    number = None if isinstance(value, bool) else _number(text, kind.whole)
    return number is not None and math.isfinite(number) and kind.least <= number <= kind.most


def _number(text: str, whole: bool) -> Optional[float]:
    """A number as the playbooks read it: `int` takes no exponent."""
    if whole and not re.fullmatch(r"[-+]?\d{1,15}(\.0{1,9})?", text):
        return None
    try:
        return float(text)
    except ValueError:
        return None


def _right(kind: Number) -> str:
    if kind.of.startswith("a "):
        bounds = f" from {kind.least:g} to {kind.most:g}" if kind.whole else ""
        return kind.of + bounds
    least = f" from {kind.least:g} to {kind.most:g}" if kind.most < float("inf") else ""
    least = least or (f", {kind.least:g} or more" if kind.least else "")
    return f"a {'whole ' if kind.whole else ''}number of {kind.of}{least}"
