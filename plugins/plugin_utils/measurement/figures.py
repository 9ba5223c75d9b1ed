# SPDX-License-Identifier: GPL-3.0-or-later
"""The arithmetic of measurements: fairness, asymmetry, and a figure with its spread over several runs."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import TypedDict


class Figure(TypedDict):
    """One figure over several runs; `spread` is the distance between the highest and the lowest."""

    median: float
    least: float
    most: float
    spread: float
    values: list[float]


def figure(values: Sequence[float]) -> Figure:
    """The figure over runs; at least one is needed."""
    least, most = min(values), max(values)
    return {
        "median": statistics.median(values),
        "least": least,
        "most": most,
        "spread": most - least,
        "values": list(values),
    }


def fairness(rates: Sequence[float]) -> float:
    """Jain's index: 1 when all get the same, 1/n when one gets everything, and 0 when nobody gets anything."""
    squares = len(rates) * sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / squares if squares else 0.0


def round_trips(microseconds: Sequence[float], sent: int) -> dict[str, float]:
    """What probes have shown, in milliseconds: percentiles of those that came back, and how many did not, in percent.

    The 99th percentile is the value of a probe that was sent, the first that 99 % of all are not above.
    """
    ordered = sorted(microseconds)
    found = {"sent": sent, "lost_percent": round(100 * (1 - len(ordered) / sent), 3) if sent else 100.0}
    for word, percent in (("median", 50), ("p95", 95), ("p99", 99)):
        if ordered:
            found[word] = round(ordered[max(-(-len(ordered) * percent // 100) - 1, 0)] / 1000, 3)
    return found


def asymmetry(one: float, other: float) -> float:
    """How much less the slower direction carries: 0 when both are alike, 1 when one carries nothing."""
    fast = max(one, other)
    return 1 - min(one, other) / fast if fast else 0.0
