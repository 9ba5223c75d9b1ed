# SPDX-License-Identifier: GPL-3.0-or-later
"""Understand what a person wrote for a key: from YAML to a desired value, or one clear error."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Mapping, Sequence

from ..family import Field
from ..schema import (
    AT_LEAST,
    AT_MOST,
    EXACTLY,
    MAXIMUM,
    PERCENT,
    PROBE,
    UNKNOWN,
    Computed,
    Desired,
    InputError,
    Value,
    nearest,
    say,
)

# What net/core/sysctl_net_core.c, net/ipv4/sysctl_net_ipv4.c and include/linux/netdevice.h of Linux let a key be. Other
# numbers have no maximum that a person could mean.
_INT = (1 << 31) - 1
LARGEST: Mapping[str, int] = {
    **{f"net.core.{way}mem_{which}": _INT for way in "rw" for which in ("max", "default")},
    **{f"net.ipv4.tcp_{way}mem": _INT for way in "rw"},
    "net.core.rps_sock_flow_entries": 1 << 29,
}

# What a number is computed from on the host; see computed.py.
FORMULAS = ("bdp", "per_core", "per_cpu", "share_of_memory")

_SWITCHES = {"on": True, "off": False, "yes": True, "no": False, "true": True, "false": False}


def understand(field_: Field, raw: Any) -> Desired:
    """The desired value behind a value as written in the inventory; InputError says what would be right."""
    if isinstance(raw, Computed):
        desired = understand(field_, raw.value)
        if raw.problem:
            return Desired(UNKNOWN, raw.how, fallback=raw.problem, warning=desired.warning, optional=desired.optional)
        return desired._replace(how=raw.how)
    if isinstance(raw, Mapping) and set(raw) == {"if_available"}:
        return understand(field_, raw["if_available"])._replace(optional=True)
    return field_.parse(field_, raw) if field_.parse else _KINDS[field_.kind](field_, raw)


def value(field_: Field, raw: Any) -> Value:
    """The value behind one that is part of something larger, where no condition has a place."""
    desired = understand(field_, raw)
    if desired.optional:
        raise InputError(f"{field_.name}: {raw!r} is not valid; if_available is for a whole setting, not for a part")
    return desired.value


def _integer(field_: Field, raw: Any) -> Desired:
    text = str(raw).strip().lower()
    if field_.relative and text == "max":
        return Desired(MAXIMUM)
    if field_.choices:
        return _choice(field_, raw)
    if field_.relative and re.fullmatch(r"\d{1,3}%", text) and 1 <= int(text[:-1]) <= 100:
        return Desired(PERCENT, int(text[:-1]))
    if isinstance(raw, bool) or not re.fullmatch(r"\d{1,10}", text):
        more = ", max, or a percentage such as 50%" if field_.relative else ""
        if text.isdecimal():
            raise InputError(f"{field_.name}: {raw!r} is more than any device takes")
        unit = f" of {field_.unit}" if field_.unit else ""
        raise InputError(f"{field_.name}: {raw!r} is not valid; write a whole number{unit}{more}")
    return Desired(EXACTLY, int(text))


def _choice(field_: Field, raw: Any) -> Desired:
    """A number that a register has a code for, so part of the maximum would often be none."""
    known = {str(number): number for number in field_.choices}
    text = str(raw).strip()
    if text not in known:
        words = [*known, *(["or max"] if field_.relative else [])]
        unit = f", in {field_.unit}" if field_.unit else ""
        close = _closest(text, field_.choices)
        raise InputError(f"{field_.name}: {raw!r} is not valid; write one of {', '.join(words)}{unit}{close}")
    return Desired(EXACTLY, known[text])


def _closest(text: str, choices: Sequence[int]) -> str:
    """`; did you mean 1000?` for a number with a unit, or one that is near."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?) ?([kmgt]?)[a-z/]*", text.lower())
    if not match:
        return ""
    # A speed of 10g counts in millions of bits, and a size of 4k in steps of 1024.
    number = float(match[1]) * {"": 1, "k": 1024, "m": 1, "g": 1000, "t": 10**6}[match[2]]
    close = min(choices, key=lambda one: abs(one - number))
    return f"; did you mean {close}?" if 2 * abs(close - number) <= close else ""


def _switch(field_: Field, raw: Any) -> Desired:
    if isinstance(raw, bool):
        return Desired(EXACTLY, raw)
    text = str(raw).strip().lower()
    if text not in _SWITCHES:
        raise InputError(f"{field_.name}: {raw!r} is not valid; write true or false")
    return Desired(EXACTLY, _SWITCHES[text])


def _word(field_: Field, raw: Any) -> Desired:
    text = say(raw).strip().lower()
    if text not in field_.words:
        close = nearest(text, field_.words, otherwise=False)
        raise InputError(f"{field_.name}: {raw!r} is not valid; write one of {', '.join(field_.words)}{close}")
    # Parsers know on and off as switches, wherever they stand.
    return Desired(EXACTLY, text == "on" if text in ("on", "off") else text)


def _sysctl(field_: Field, raw: Any) -> Desired:
    if isinstance(raw, Mapping) and set(raw) == {"value", "warning"}:
        inner = raw["value"]
        if isinstance(inner, Mapping) and set(inner) not in ({AT_LEAST}, {AT_MOST}):
            raise InputError(f"{field_.name}: {dict(raw)!r} is not valid; write a plain value in it, or a bound")
        return _sysctl(field_, inner)._replace(warning=" ".join(str(raw["warning"]).split()))
    if isinstance(raw, Mapping):
        if len(raw) != 1 or next(iter(raw)) not in (AT_LEAST, AT_MOST):
            right = (
                "a value, {at_least: N} or {at_most: N}, {if_available: VALUE}, {value: VALUE, warning: TEXT}, "
                "or a formula such as {bdp: {rtt_ms: 40}}"
            )
            close = nearest(str(next(iter(raw), "")), [*FORMULAS, AT_LEAST, AT_MOST, "if_available"], otherwise=False)
            raise InputError(f"{field_.name}: {dict(raw)!r} is not valid{close or '; write ' + right}")
        kind, bound = next(iter(raw.items()))
        text = vector(bound)
        if not re.fullmatch(r"-?\d+( -?\d+)*", text):
            raise InputError(f"{field_.name}: {kind} {bound!r} is not valid; write whole numbers{_counted_in(text)}")
        _in_range(field_, text)
        return Desired(kind, text)
    parts = raw if isinstance(raw, (list, tuple)) else [raw]
    if not parts or not all(isinstance(part, (str, int, float)) for part in parts):
        raise InputError(f"{field_.name}: a value is missing")
    text = vector(raw)
    if not text.isprintable():
        raise InputError(f"{field_.name}: {text!r} has characters that cannot be printed")
    if field_.name.startswith(_NUMBERS) and _counted_in(text):
        raise InputError(f"{field_.name}: {raw!r} is not valid; write the number alone{_counted_in(text)}")
    _in_range(field_, text)
    return Desired(EXACTLY, text)


# Parts of /proc/sys where a number with a unit behind it is never a text of somebody's own.
_NUMBERS = ("net.", "vm.", "fs.")
_SIZES = {"k": 10, "m": 20, "g": 30, "t": 40}


def _counted_in(text: str) -> str:
    """What to write in place of a number with a unit; nothing where there is none."""
    if not (text[:1].isdecimal() and (text[-1:].isalpha() or text.endswith("%"))):
        return ""
    # No hexadecimal mask has such letters.
    unit = r" ?(?:([kmgt])(?:i?b|bytes?|bits?)?|[mu]?s|secs?|min|%|pages)"
    match = re.fullmatch(r"(\d{1,12})(?:\.\d{1,3})?" + unit, text, re.IGNORECASE)
    if not match:
        return ""
    return f", such as {int(match[1]) << _SIZES[match[2].lower()]}" if match[2] else ", in the unit of the key"


def _in_range(field_: Field, text: str) -> None:
    """A number that no kernel takes is told before anything is set."""
    largest = LARGEST.get(field_.name, (1 << 64) - 1)
    for word in text.split():
        if word.isdecimal() and int(word) > largest:
            raise InputError(f"{field_.name}: {word} is too large; the kernel takes {largest} at most")
        if field_.name in LARGEST and re.fullmatch(r"-\d+", word):
            raise InputError(f"{field_.name}: {word} is too small; the kernel takes no number below 0")


def _addresses(field_: Field, raw: Any) -> Desired:
    import ipaddress  # costs as much as the rest of the module, and few entries have addresses

    if isinstance(raw, Mapping):
        raise InputError(f"{field_.name}: {dict(raw)!r} is not valid; write an IP address, or a list of them")
    words = [str(item).strip() for item in raw] if isinstance(raw, (list, tuple)) else str(raw).split()
    for word in words:
        try:
            ipaddress.ip_address(word)
        except ValueError:
            raise InputError(f"{field_.name}: {word!r} is not an IP address") from None
    return Desired(PROBE, " ".join(words))


def _cpus(field_: Field, raw: Any) -> Desired:
    """A word, a CPU list, `each` and a list, or one list for each queue."""
    text = vector(raw).lower()
    lists = text[5:] if text.startswith("each ") else text
    one = r"([0-9]{1,4}(-[0-9]{1,4})?(,[0-9]{1,4}(-[0-9]{1,4})?)*)"
    one = f"(none|{one})" if "none" in field_.words else one
    if (
        raw is None
        or isinstance(raw, (bool, Mapping))
        or not (text in field_.words or re.fullmatch(rf"{one}( {one})*", lists))
    ):
        words = ", ".join(field_.words)
        close = nearest(text, field_.words, otherwise=False)
        mask = re.fullmatch(r"(?:0x)?([0-9a-f]{1,8}(?:,[0-9a-f]{8})*)", text)
        close = f"; did you mean 'mask {mask[1]}'?" if mask and not isinstance(raw, bool) else close
        raise InputError(f"{field_.name}: {raw!r} is not valid; write {words}, or a CPU list such as 0-3,8{close}")
    for first, last in re.findall(r"(\d+)-(\d+)", lists):
        if int(last) < int(first):
            raise InputError(f"{field_.name}: {raw!r} is not valid; {first}-{last} ends before it begins")
    return Desired(EXACTLY, text)


def _counts(field_: Field, raw: Any) -> Desired:
    text = vector(raw)
    if isinstance(raw, bool) or not re.fullmatch(r"[0-9]{1,9}( [0-9]{1,9})*", text):
        raise InputError(f"{field_.name}: {raw!r} is not valid; write a whole number")
    return Desired(EXACTLY, text)


def _parameter(field_: Field, raw: Any) -> Desired:
    """What stands behind the equals sign in modprobe.d; a list is an array, and more than a word needs no driver."""
    text = ",".join(map(vector, raw)) if isinstance(raw, (list, tuple)) else vector(raw)
    if raw is None or isinstance(raw, Mapping) or not re.fullmatch(r"[A-Za-z0-9_.,:;/=+@-]+", text):
        raise InputError(f"{field_.name}: {raw!r} is not valid; write a number, a switch, a word, or a list of them")
    return Desired(EXACTLY, text)


def vector(raw: Any) -> str:
    """A sysctl value with normal white space: a list becomes a vector, a switch becomes 0 or 1."""
    if isinstance(raw, bool):
        return str(int(raw))
    if isinstance(raw, (list, tuple)):
        return " ".join(vector(part) for part in raw)
    return " ".join(str(raw).split())


def numbers(text: str) -> bool:
    """Whether a sysctl value is made of whole numbers, as the kernel gives them."""
    return bool(text) and all(word.lstrip("-").isdecimal() for word in text.split())


_KINDS: Dict[str, Callable[[Field, Any], Desired]] = {
    "integer": _integer,
    "switch": _switch,
    "word": _word,
    "sysctl": _sysctl,
    "addresses": _addresses,
    "cpus": _cpus,
    "counts": _counts,
    "parameter": _parameter,
}
