# SPDX-License-Identifier: GPL-3.0-or-later
"""Compute numbers on the host: a formula of the inventory becomes the number that it comes to on this very machine."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from ..family import Family, Field
from ..schema import Computed, InputError, Query, nearest
from ..tools import interrupts, speeds, sysfs
from .inputs import FORMULAS, LARGEST

# What counts memory, and in which unit; what is named nowhere here counts something else.
_MEMORY = (
    ("pages", re.compile(r"net\.ipv4\.(tcp|udp)_mem|net\.sctp\.sctp_mem|kernel\.shmall")),
    ("KiB", re.compile(r".*_kbytes")),
    (
        "bytes",
        re.compile(r".*(_bytes|[rw]mem|mem_(max|min|default)|_lowat|frag_(high|low)_thresh|\.shmmax|\.msgm(nb|ax))"),
    ),
)

# Memory is counted in such steps: another kernel, or the firmware, takes some kilobytes more or less.
_STEP_KIB = 16 * 1024

_RIGHT = {
    "bdp": "{bdp: {rtt_ms: 40}}, with times: 2, speed: 10000 (Mb/s), name or match as needed",
    "per_core": "{per_core: 32}",
    "per_cpu": "{per_cpu: 32}",
    "share_of_memory": "{share_of_memory: 1%}",
    "rtt_ms": "a number of milliseconds above 0, such as 40",
    "speed": "a number in Mb/s above 0, such as 10000",
}
_BDP = ("rtt_ms", "times", "speed", "name", "match")


class UnknownError(Exception):
    """Why a formula comes to no number on this host."""


class Source(NamedTuple):
    """Where the numbers come from: the host, and the NICs that a selector means there."""

    host: Any
    select: Callable[[Mapping[str, Any]], Sequence[str]]


class Elsewhere:
    """Stands for a host that nobody can ask: what depends on it comes to no number."""

    def __getattr__(self, name: str) -> Any:
        raise UnknownError("only the host itself can compute it; write the number")


def settle(family: Family, keys: Mapping[str, Any], nic: str, source: Any) -> Dict[str, Any]:
    """The keys of a family with numbers in place of formulas; without a source the formulas are only checked.

    InputError for a formula that can mean nothing anywhere.
    """
    return {key: _settle(family, str(key), raw, nic, source) for key, raw in keys.items()}


def _settle(family: Family, key: str, raw: Any, nic: str, source: Any) -> Any:
    formulas = [item for item in _formulas(raw) if item != "max" or family.open_kind == "sysctl"]
    if not formulas:
        return raw
    field = family.field(key)
    if not _takes(family, field):
        raise InputError(f"{family.name} {key}: {raw!r} is not valid; a formula replaces a plain number")
    numbers: List[int] = []
    told: List[str] = []
    try:
        for formula in formulas:
            number, how = _number(field, formula, nic, source)
            largest = LARGEST.get(field.name, number)
            if number > largest:
                number, how = largest, f"{how}; {largest} is the largest that the kernel takes"
            numbers.append(number)
            told.append(f"{number}: {how}")
    except UnknownError as why:
        return Computed(_filled(raw, formulas, [1] * len(formulas)), _brief(formulas), str(why))
    except InputError as error:
        raise InputError(f"{family.name} {field.name}: {error}") from None
    return Computed(_filled(raw, formulas, numbers), "; ".join(told) if source else "")


def _takes(family: Family, field: Field) -> bool:
    """Whether a key takes any number; what other words of the same family decide on does not."""
    if field.kind == "sysctl" or field.kind == "counts":
        return True
    return field.kind == "integer" and not (field.choices or field.parse or family.expand)


def _formulas(raw: Any) -> List[Any]:
    """The formulas in a value, in order: dictionaries with a word of ours, and `max`."""
    if raw == "max" or (isinstance(raw, Mapping) and any(word in raw for word in FORMULAS)):
        return [raw]
    if isinstance(raw, Mapping):
        return [found for key, part in raw.items() if key != "warning" for found in _formulas(part)]
    if isinstance(raw, (list, tuple)):
        return [found for part in raw for found in _formulas(part)]
    return []


def _filled(raw: Any, formulas: Sequence[Any], numbers: Sequence[int]) -> Any:
    """The value with its formulas replaced, in the order in which they were found."""
    left = list(zip(formulas, numbers))

    def fill(part: Any) -> Any:
        if left and part is left[0][0]:
            return left.pop(0)[1]
        if isinstance(part, Mapping):
            return {key: part[key] if key == "warning" else fill(part[key]) for key in part}
        return [fill(item) for item in part] if isinstance(part, (list, tuple)) else part

    return fill(raw)


def _brief(formulas: Sequence[Any]) -> str:
    """The formulas as they are named in a message."""
    words = []
    for formula in formulas:
        word = "max" if formula == "max" else next(word for word in FORMULAS if word in formula)
        value = "" if formula == "max" else formula[word]
        words.append(f"{word} {value.get('rtt_ms')} ms" if isinstance(value, Mapping) else f"{word} {value}".strip())
    return ", ".join(words)


def _number(field: Field, formula: Any, nic: str, source: Any) -> Tuple[int, str]:
    """A number, and how it came about."""
    if formula == "max":
        if field.name not in LARGEST:
            known = ", ".join(sorted(LARGEST))
            raise InputError(f"the kernel states no maximum for it; max is for {known}. Write a number")
        return LARGEST[field.name], "the largest that the kernel takes"
    word = next(iter(formula))
    if word not in FORMULAS or len(formula) > 1:
        raise InputError(f"{dict(formula)!r} is not valid; write one of {', '.join(_RIGHT[word] for word in FORMULAS)}")
    if word in ("per_core", "per_cpu"):
        return _each(word, formula[word], source)
    unit = next((unit for unit, keys in _MEMORY if field.kind == "sysctl" and keys.fullmatch(field.name)), None)
    if unit is None:
        raise InputError(
            f"{word} is an amount of memory, and this key counts something else; write a number, or per_core"
        )
    number, how = _bdp(formula[word], nic, source) if word == "bdp" else _share(formula[word], source)
    return _in_unit(number, unit, how, source) if source else (1, "")


def _positive(word: str, value: Any, percent: str = "") -> Fraction:
    text = str(value).strip()
    if isinstance(value, bool) or not re.fullmatch(rf"\d{{1,9}}(\.\d{{1,6}})?{percent}", text):
        raise InputError(f"{word} {value!r} is not valid; write {_RIGHT.get(word, 'a number above 0')}")
    number = Fraction(text.rstrip("%"))
    if not number:
        raise InputError(f"{word} {value!r} is not valid; write {_RIGHT.get(word, 'a number above 0')}")
    return number


def _bdp(raw: Any, nic: str, source: Any) -> Tuple[int, str]:
    """Bytes on the way at once: speed of the link as it is, times the round trip."""
    if not isinstance(raw, Mapping) or "rtt_ms" not in raw:
        raise InputError(f"bdp {raw!r} is not valid; write {_RIGHT['bdp']}")
    for key in raw:
        if key not in _BDP:
            raise InputError(f"bdp has no key '{key}'{nearest(str(key), _BDP)}")
    if "speed" in raw and ("name" in raw or "match" in raw):
        raise InputError("bdp: with speed no NIC is looked at; leave out name and match")
    rtt, times = _positive("rtt_ms", raw["rtt_ms"]), _positive("times", raw.get("times", 1))
    if "speed" in raw:
        speed, where = _positive("speed", raw["speed"]), "as the inventory says"
    elif source is None:
        return 1, ""
    else:
        told, where = _speed(raw, nic, source)
        speed = Fraction(told)
    bytes_ = -int(-(speed * rtt * times * 125) // 1)  # rounded up
    factor = f"{raw['times']} x " if times != 1 else ""
    return bytes_, f"{factor}{raw['rtt_ms']} ms at {_plain(speed)} Mb/s, {where}"


def _plain(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"


def _speed(raw: Mapping[str, Any], nic: str, source: Source) -> Tuple[int, str]:
    """The speed of the NIC that is meant, and where it comes from; of several the fastest link."""
    selector = {key: raw[key] for key in ("name", "match") if key in raw}
    if selector:
        try:
            names = list(source.select(selector))
        except InputError as error:
            raise UnknownError(str(error)) from None
        if not names:
            raise UnknownError("its name or match selects no NIC of this host")
    elif nic:
        names = [nic]
    else:
        names = [item.name for item in sysfs.identities(source.host) if item.physical]
    found = {name: speeds.link(source.host, name) for name in names}
    best = max(found, key=lambda name: (found[name][0], name == nic), default="")
    if best and found[best][0]:
        return found[best][0], f"the link of {best}"
    problems = [problem for _speed, problem in found.values()] or ["this host has no hardware NIC"]
    why = "; ".join(dict.fromkeys(problems))
    raise UnknownError(f"{why}. Name the NIC (name, match), or write its speed in Mb/s: {{rtt_ms: 40, speed: 10000}}")


def _each(word: str, raw: Any, source: Any) -> Tuple[int, str]:
    """A number for each core, of which the threads of one count once, or for each CPU."""
    number = _positive(word, raw)
    if source is None:
        return 1, ""
    online = interrupts.online(source.host)
    if not online:
        raise UnknownError("the kernel does not say which CPUs are online")
    base = "/sys/devices/system/cpu"
    siblings = [sysfs.text(source.host, f"{base}/cpu{cpu}/topology/thread_siblings_list") or str(cpu) for cpu in online]
    count = len(set(siblings)) if word == "per_core" else len(online)
    what = "core" if word == "per_core" else "CPU"
    return max(1, int(number * count)), f"{raw} for each of {count} {what}{'' if count == 1 else 's'}"


def _share(raw: Any, source: Any) -> Tuple[int, str]:
    """A share of the memory, in bytes."""
    share = _positive("share_of_memory", raw, "%")
    if share > 100:
        raise InputError(f"share_of_memory {raw!r} is not valid; there is no more than 100%")
    if source is None:
        return 1, ""
    match = re.search(r"^MemTotal:\s+(\d+) kB$", source.host.read("/proc/meminfo") or "", re.MULTILINE)
    memory = int(match[1]) // _STEP_KIB * _STEP_KIB * 1024 if match else 0
    if not memory:
        raise UnknownError("the kernel does not say how much memory there is")
    return int(memory * share / 100), f"{raw} of {memory >> 20} MiB of memory"


def _in_unit(number: int, unit: str, how: str, source: Source) -> Tuple[int, str]:
    """Bytes in the unit of a key, rounded down but never to nothing."""
    size = {"bytes": 1, "KiB": 1024}.get(unit, 0)
    if unit == "pages":
        told = source.host.ask(Query(("getconf", "PAGESIZE"))).out.strip()
        if not told.isdecimal() or not int(told):
            raise UnknownError("it counts pages, and `getconf PAGESIZE` does not say how large they are")
        size, unit = int(told), f"pages of {told} bytes"
    return max(1, number // size), how if size == 1 else f"{how}, in {unit}"
