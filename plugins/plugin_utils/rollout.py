# SPDX-License-Identifier: GPL-3.0-or-later
"""Judge a batch of hosts after their change: who is not well, by which check and figure, and what becomes of all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import health
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import InputError
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.results import listed

# A NIC loses packets while it starts anew, and some hosts always drop a few that nobody wants. What counts is more than
# that: so large a share of the packets since, and so many times the share of before.
SHARE, TIMES = 0.001, 10
_SHOWN = 3
_OUT_OF = {f"{way}_{what}": f"{way}_packets" for way in ("rx", "tx") for what in ("errors", "dropped")}


# What the options of the task are called in the inventory, how a valid one looks, and what to write.
_NUMBER = r"\d+(\.\d+)?"
_SHAPES = {
    "max_fail_percentage": ("tuning_max_fail_percentage", _NUMBER, "a percentage such as 10"),
    "max_errors": ("tuning_max_errors", r"\d+", "a whole number"),
    "patience": ("tuning_probe_patience", _NUMBER, "a number of seconds"),
}
_SIZES = "a number of hosts, a percentage such as 25%, or a list of these"


class Limits(NamedTuple):
    """From where on a batch is sick: failures of a call in percent, and errors or drops of one NIC."""

    failed: float = 10
    errors: int = 100


class Said(NamedTuple):
    """What the tasks have registered of one host: of the calls that change it, of its check, and of the end of it."""

    calls: Sequence[Mapping[str, Any]]
    health: Mapping[str, Any]
    confirmed: Mapping[str, Any]


class Verdict(NamedTuple):
    """`sick` has a sentence for each host that is not well; `failed` and `off` are hosts of this batch."""

    sick: dict[str, str]
    failed: list[str]
    off: list[str]
    stop: bool


def invalid(given: Mapping[str, Any]) -> str:
    """What is wrong with `batches`, `max_fail_percentage`, `max_errors`, `patience` or `probes`, by the name that it
    has in the inventory; nothing if all are valid. Ansible's own message has neither this name nor what to write."""
    for name, value in given.items():
        if name == "probes":
            try:
                health.probes(value if isinstance(value, list) else [value])
            except InputError as error:
                return str(error)
        elif name == "batches":
            wrong = [size for size in value if not re.fullmatch(rf"-?\d+|{_NUMBER}%", str(size).strip())]
            if wrong:
                return f"tuning_batches: {wrong[0]!r} is not valid; write {_SIZES}"
        elif name in _SHAPES and not re.fullmatch(_SHAPES[name][1], str(value).strip()):
            return f"{_SHAPES[name][0]}: {value!r} is not valid; write {_SHAPES[name][2]}"
    return ""


def batch(hosts: Sequence[str], sizes: Sequence[Any], name: str) -> list[str]:
    """The hosts of one's batch, as Ansible cuts them: numbers or percentages, of which the last one is repeated."""
    return next((taken for taken in batches(hosts, sizes) if name in taken), [])


def batches(hosts: Sequence[str], sizes: Sequence[Any]) -> Iterator[list[str]]:
    """All batches, in their order."""
    left, index = list(hosts), 0
    while left:
        count = _count(sizes[min(index, len(sizes) - 1)], len(hosts)) if sizes else len(left)
        taken, left = (left[:count], left[count:]) if count > 0 else (left, [])
        yield taken
        index += 1


def earlier(hosts: Sequence[str], sizes: Sequence[Any], name: str) -> list[list[str]]:
    """The batches before one's own."""
    return list(takewhile(lambda one: name not in one, batches(hosts, sizes)))


def _count(size: Any, hosts: int) -> int:
    text = str(size).strip()
    return int(float(text[:-1]) / 100 * hosts) or 1 if text.endswith("%") else int(text)


def judge(said: Mapping[str, Said], limits: Limits) -> Verdict:
    """What is to become of the batch whose hosts have said this."""
    touched = {name: host for name, host in said.items() if _changed(host) or cut(host)}
    off = [name for name, host in said.items() if name not in touched and _any(host, "unreachable")]
    failed = [name for name, host in said.items() if name not in off and _any(host, "failed")]
    sick = {name: why for name, host in touched.items() for why in [unwell(host, limits)] if why}
    many = 100 * len(failed) > limits.failed * max(len(said), 1)
    return Verdict(sick, failed, off, bool(sick) or many)


def quiet(said: Mapping[str, Said]) -> bool:
    """Whether there is nothing to judge: everybody who was asked was there, and is as before."""
    return not any(
        _changed(host) or cut(host) or _any(host, "failed") or _any(host, "unreachable") for host in said.values()
    )


def _any(host: Said, name: str) -> bool:
    return any(call.get(name) for call in host.calls)


def _changed(host: Said) -> bool:
    return any(call.get("changed") and not call.get("unreachable") for call in host.calls)


def cut(host: Said) -> str:
    """What is said of a host whose connection was lost while it was at its change; it may have done all of it."""
    return next((_line(call.get("msg")) for call in host.calls if call.get("cut")), "")


def unwell(host: Said, limits: Limits) -> str:
    """The check that a host has not passed, with its figure; nothing for one that is well."""
    health = host.health
    if cut(host):
        return cut(host)
    for answer in (health, host.confirmed):
        if answer.get("unreachable"):
            return f"no new connection to this host can be made ({_line(answer.get('msg'))})"
    # The handler goes on where the check itself fails, and then nobody has looked.
    if health and "probes" not in health:
        return f"it cannot be checked: {_line(health.get('msg'))}"
    if host.confirmed.get("failed"):
        return _line(host.confirmed.get("msg"))
    for probe in health.get("probes", ()):
        if not probe.get("well"):
            return f"probe `{_line(probe.get('probe'))}`: {_line(probe.get('figure'))}"
    # Who was told to wait for a confirmation, and does not any more, has gone back.
    if health.get("reverted"):
        return "the guard has reverted the change before it could be confirmed"
    for call in host.calls:
        why = _growth(call.get("counters") or {}, health.get("counters") or {}, limits)
        if why:
            return why
    return ""


def _growth(before: Mapping[str, Any], after: Mapping[str, Any], limits: Limits) -> str:
    for nic in sorted(set(before) & set(after)):
        for name, packets in _OUT_OF.items():
            had, has = (int(side[nic].get(name, 0)) for side in (before, after))
            sent = int(after[nic].get(packets, 0)) - int(before[nic].get(packets, 0))
            usual = had / max(int(before[nic].get(packets, 0)), 1)
            share = (has - had) / max(sent, has - had, 1)
            if has - had >= limits.errors and share > SHARE and share > TIMES * usual:
                return (
                    f"{name} of {nic} grew by {has - had} since the change, "
                    f"{100 * share:.3g} % of its packets; before it was {100 * usual:.3g} %"
                )
    return ""


def sentence(found: Verdict, said: Mapping[str, Said], back: bool, left: int, limits: Limits) -> str:
    """Why a run stops, in what state the hosts are, and how many were not touched; `back` if the batch went back."""
    if found.sick:
        told = _reasons(found.sick, ("is not well after the change", "are not well after the change"))
    else:
        share = 100 * len(found.failed) / max(len(said), 1)
        # Where every host failed, the run ends whatever the limit is.
        limit = [f"{share:.3g} % of the batch failed, and tuning_max_fail_percentage is {limits.failed:g}"]
        told = limit if share < 100 else []
        told += _reasons({name: _line(_message(said[name])) for name in found.failed}, ("failed", "failed"))
    return " ".join([f"{'; '.join(told)}.", *_state(said, back), untouched(left)])


def _reasons(hosts: Mapping[str, str], verbs: tuple[str, str]) -> list[str]:
    """Hosts of one model fail for one reason, so each reason is told once, and only of some."""
    by_reason: dict[str, list[str]] = {}
    for name, why in hosts.items():
        by_reason.setdefault(why, []).append(name)
    told = [f"{listed(names)} {verbs[len(names) > 1]}: {why}" for why, names in by_reason.items()]
    more = sum(len(names) for names in list(by_reason.values())[_SHOWN:])
    return [*told[:_SHOWN], *([f"and {_hosts(more)} more"] if more else [])]


def untouched(left: int) -> str:
    """How many hosts the run has not come to."""
    return f"{_hosts(left)} {'was' if left == 1 else 'were'} not touched." if left else "No other host was left."


def _message(host: Said) -> Any:
    return next((call.get("msg") for call in host.calls if call.get("failed")), "")


def _state(said: Mapping[str, Said], back: bool) -> list[str]:
    touched = {name: host.confirmed for name, host in said.items() if _changed(host) or cut(host)}
    lost = [name for name, answer in touched.items() if answer.get("unreachable") or cut(said[name])]
    stuck = [name for name, answer in touched.items() if answer.get("failed") and name not in lost]
    done = len(touched) - len(lost) - len(stuck)
    state = []
    if back:
        state.append(f"The whole batch was rolled back ({_hosts(done)})." if done else "")
        state += [f"{name} could not be rolled back: {_line(touched[name].get('msg'))}." for name in stuck]
    elif done:
        state.append(f"{_hosts(done)} of the batch {'keeps' if done == 1 else 'keep'} the change.")
    if lost:
        state.append(f"{', '.join(lost)} cannot be reached, and will revert when the guard's time is over.")
    return [one for one in state if one]


def _hosts(count: int) -> str:
    return f"{count} host{'' if count == 1 else 's'}"


def _line(text: Any) -> str:
    """What a host says, as a part of a sentence."""
    line = " ".join(str(text).split()).rstrip(".")
    return line if len(line) <= 300 else f"{line[:300]} ..."


def off_list(known: Sequence[str], said: Mapping[str, Said], off: Sequence[str]) -> list[str]:
    """The hosts to take up later: those that are off, and of those that were known before all that were not asked."""
    reached = {name for name, host in said.items() if name not in off and host.calls}
    return [*dict.fromkeys([*(name for name in known if name not in reached), *off])]
