# SPDX-License-Identifier: GPL-3.0-or-later
"""Hold what there is to say of a value of a kernel parameter: the verdict, its rule for audits, and when it applies."""

from __future__ import annotations

from typing import Callable, NamedTuple, Optional, Sequence, Tuple

Release = Tuple[int, int]
Numbers = Sequence[int]

PAGE = "https://docs.kernel.org/networking/ip-sysctl.html#tcp-variables"


class Rule(NamedTuple):
    """What an audit says of a host that has the value, beside the verdict's own sentence; `good` is the remedy."""

    id: str
    severity: str
    title: str
    condition: str
    more: str
    good: Optional[int] = None
    action: str = "Switch it on."
    reference: str = PAGE


class Verdict(NamedTuple):
    """What is said of a parameter, from which release on, and of which values."""

    keys: Tuple[str, ...]
    kind: str
    text: str
    since: Release = (0, 0)
    when: Optional[Callable[[Numbers], bool]] = None
    rule: Optional[Rule] = None

    @property
    def explanation(self) -> str:
        """The two sentences of the rule."""
        return f"{self.text[0].upper()}{self.text[1:]}. {self.rule.more if self.rule else ''}"


def below(limit: int) -> Callable[[Numbers], bool]:
    return lambda numbers: bool(numbers) and 0 <= numbers[0] < limit


def is_one_of(*values: int) -> Callable[[Numbers], bool]:
    return lambda numbers: list(numbers[:1]) in [[value] for value in values]


def rigid(numbers: Numbers) -> bool:
    return len(numbers) == 3 and numbers[0] == numbers[1] == numbers[2]


# What a socket may keep for itself when memory is short; the default is 4 KiB.
def greedy(numbers: Numbers) -> bool:
    return len(numbers) == 3 and numbers[0] >= 1 << 22


def at_most_below(limit: int) -> Callable[[Numbers], bool]:
    return lambda numbers: len(numbers) == 3 and 0 <= numbers[2] < limit


# Ports below 1024 are for services, see net/ipv4/sysctl_net_ipv4.c.
def no_range_of_ports(numbers: Numbers) -> bool:
    return len(numbers) == 2 and not 1024 <= numbers[0] <= numbers[1] <= 65535


# Pages of 4 KiB: 4 million of them are 16 GiB, more than TCP should hold anywhere. Who begins with 4096 or 8192 has
# copied the sizes of one buffer.
def in_bytes(numbers: Numbers) -> bool:
    return len(numbers) == 3 and max(numbers) >= 1 << 22 and (min(numbers) >= 1 << 22 or numbers[0] <= 8192)
