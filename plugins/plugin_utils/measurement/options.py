# SPDX-License-Identifier: GPL-3.0-or-later
"""Understand the options of a measurement as a role hands them over, and say which make no sense."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean

Json = dict[str, Any]

# Before ansible-core 2.19 a template gives text for a number.
_TYPES = {
    **dict.fromkeys(("repeat", "duration", "omit", "parallel", "port", "retries", "patience"), int),
    "stagger": float,
}
_DIRECTIONS = ("up", "down", "both")


class PlanError(ValueError):
    """What was requested cannot be measured; the text says why."""


def typed(options: Json) -> Json:
    """The options with numbers for numbers, and nothing for an empty text; PlanError for what makes no sense."""
    whole = {key: None if value == "" else value for key, value in options.items()}
    for key, kind in _TYPES.items():
        try:
            whole[key] = kind(options[key])
        except (ValueError, TypeError):
            raise PlanError(f"benchmark_{key}: '{options[key]}' is no number") from None
    directions = options["directions"]
    directions = directions.split(",") if isinstance(directions, str) else list(directions)
    if not directions or not set(directions) <= set(_DIRECTIONS):
        raise PlanError(f"benchmark_directions: {directions} is not a list of {', '.join(_DIRECTIONS)}")
    for key in ("latency", "packets"):
        whole[key] = boolean(options.get(key) or False)
    whole["udp"] = options.get("udp") or None
    if whole["protocol"] == "udp" and whole["bitrate"] is None:
        raise PlanError(
            "benchmark_protocol: udp needs benchmark_bitrate, the rate to send at; iperf3 would send 1 Mbit/s"
        )
    return {**whole, "directions": directions, **{key: boolean(options[key]) for key in ("single", "quiet")}}
