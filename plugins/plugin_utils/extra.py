# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the extra variables of our playbooks before any host is contacted: names, true and false, numbers and words.

A playbook would take a wrong name for one that is missing, and a wrong word for `false`: `tuning_host=room3` would be a
run on all hosts.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import nearest

_FLAG = ("true", "false", "yes", "no", "on", "off", "1", "0", "t", "f", "y", "n")
# Above this two names differ in a letter or two, and two names without what they begin with.
_ALIKE, _ALIKE_ENDS = 0.85, 0.75
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
    """One of some words, or a list of them; `known` gives them, because what knows them costs time to import."""

    known: Callable[[], Sequence[str]]
    several: bool = False


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


# A file that the playbook reads, by the folder where the command was started.
FILE = "file"
SECONDS = Number("seconds")
SHARE = Number("a share from 0 to 1, such as 0.05 for 5 %", most=0.999, whole=False)
# What a playbook reads that belongs to the command and not to the inventory, and what may be written there; None is
# anything, which the playbook itself checks.
VARIABLES: Mapping[str, Any] = {
    **dict.fromkeys(("tuning_hosts", "tuning_batches", "tuning_off_file", "tuning_forget")),
    # The module rollout says what is wrong with these.
    **dict.fromkeys(("tuning_max_fail_percentage", "tuning_max_errors", "tuning_probe_patience")),
    **dict.fromkeys(("audit_folder", "audit_query", "audit_against")),
    **dict.fromkeys(("audit_benchmark", "prove_before", "prove_after"), FILE),
    "audit_fail_on": Words(_severities),
    "audit_interval": Number("seconds", whole=False),
    **dict.fromkeys(("capture_folder", "capture_group", "export_folder")),
    **dict.fromkeys(("capture_overwrite", "capture_take_over", "export_overwrite", "prove_each"), bool),
    "export_form": Words(_forms),
    "prove_figure": Words(_figures),
    "prove_tolerance": SHARE,
    "prove_time": SECONDS,
    "prove_seconds": Number("seconds", least=1),
    "prove_alternate": Words(lambda: ("auto", "true", "false")),
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
    **dict.fromkeys(
        f"benchmark_{name}"
        for name in (
            *(
                "repeat",
                "directions",
                "single",
                "latency",
                "udp",
                "packets",
                "duration",
                "omit",
                "parallel",
                "protocol",
            ),
            *("window", "bitrate", "fio", "port", "retries", "stagger", "patience", "firewall", "sources", "quiet"),
            *("label", "folder"),
        )
    ),
    **dict.fromkeys(("history_label", "history_page")),
    "history_fail": bool,
}


def problem(given: Mapping[str, Any], others: Collection[str] = ()) -> str:
    """What is wrong with extra variables, in a sentence, or nothing; `others` are names of ours for the inventory."""
    for name, value in given.items():
        said = _value(name, value) if name in VARIABLES else _name(name, given, others)
        if said:
            return _ended(said)
    return ""


def unmatched(pattern: Any, groups: Mapping[str, Sequence[str]], found: Sequence[str]) -> str:
    """What to say of `tuning_hosts` that matches no host of the inventory; nothing where it does."""
    if found:
        return ""
    names = [group for group in groups if "__" not in group] + [host for one in groups.values() for host in one]
    close = nearest(str(pattern), list(dict.fromkeys(names)), otherwise=False)
    return _ended(f"tuning_hosts: {pattern!r} matches no host of the inventory{close}")


def _ended(said: str) -> str:
    return f"{said}{'' if said.endswith('?') else '.'} {NOTHING}"


def _name(name: str, given: Mapping[str, Any], others: Collection[str]) -> str:
    if not _PREFIX.match(name) or "__" in name or name in others:
        return ""
    near = difflib.get_close_matches(name, [*VARIABLES, *_INVENTORY, *others], n=1, cutoff=_ALIKE)
    used = any(name in str(value) for other, value in given.items() if other != name)
    if not near or near[0] not in VARIABLES or used:
        return ""
    ends = (_PREFIX.sub("", name, count=1), _PREFIX.sub("", near[0], count=1))
    if difflib.SequenceMatcher(None, *ends).ratio() < _ALIKE_ENDS:
        return ""
    return f"{name} is not a variable of linuxnet.tuning; did you mean {near[0]}?"


def _value(name: str, value: Any) -> str:
    """What is wrong with one value. A template is not there yet, and an empty text is the default."""
    kind, text = VARIABLES[name], str(value).strip()
    if kind is None or value is None or text == "" or "{{" in text:
        return ""
    if kind is bool:
        return "" if text.lower() in _FLAG else f"{name}: {value!r} is not valid; write true or false"
    if kind is FILE:
        path = Path(text).expanduser().absolute()
        return "" if path.is_file() else f"{name}: there is no file {path}"
    if isinstance(kind, Words):
        return _word(name, kind, value)
    return "" if _within(kind, value, text) else f"{name}: {value!r} is not valid; write {_right(kind)}"


def _word(name: str, kind: Words, value: Any) -> str:
    known = kind.known()
    found = value if isinstance(value, (list, tuple)) else str(value).split(",") if kind.several else [value]
    if not kind.several and len(found) != 1:
        return f"{name}: {value!r} is not valid; write one of {', '.join(known)}"
    for one in found:
        word = str(one).strip()
        # The switches of YAML are words for a person.
        if (word.lower() if isinstance(one, bool) else word) not in known:
            close = nearest(word, known, otherwise=False)
            return f"{name}: {word!r} is not valid; write one of {', '.join(known)}{close}"
    return ""


def _within(kind: Number, value: Any, text: str) -> bool:
    number = _float(text)
    if isinstance(value, bool) or number is None or not kind.least <= number <= kind.most:
        return False
    return not kind.whole or number == int(number)


def _float(text: str) -> Optional[float]:
    return float(text) if re.fullmatch(r"-?\d{1,15}(\.\d{1,9})?", text) else None


def _right(kind: Number) -> str:
    if kind.of.startswith("a "):
        bounds = f" from {kind.least:g} to {kind.most:g}" if kind.whole else ""
        return kind.of + bounds
    least = f" from {kind.least:g} to {kind.most:g}" if kind.most < float("inf") else ""
    least = least or (f", {kind.least:g} or more" if kind.least else "")
    return f"a {'whole ' if kind.whole else ''}number of {kind.of}{least}"
