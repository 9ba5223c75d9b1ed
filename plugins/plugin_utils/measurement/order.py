# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose the order of a proof by what would change: only what is switched in seconds alternates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from . import sequence
from .plan import LEAD
from .result import ResultError

Json = dict[str, Any]

# What the kernel changes without a reset of the link, by the names that the module returns below a NIC. Of drivers
# that reset it even so, the runs have some seconds to recover (benchmark_omit).
_QUICK = {
    *("features", "coalesce", "rss", "ntuple_rules", "qdisc", "multiq", "napi", "irq", "routes", "txqueuelen"),
    *("gso_max_size", "gso_max_segs", "gro_max_size", "gso_ipv4_max_size", "gro_ipv4_max_size"),
}
_WAYS = {"up": 1, "down": 1, "both": 2}


def make(plan: Json, would: Sequence[Mapping[str, Any]], stays: bool, known: Json | None, alternate: str) -> Json:
    """The `blocks`, the `switch` that they are made for, and for how many seconds the change is in force at most."""
    if alternate not in ("auto", "true", "false"):
        raise ResultError(f"prove_alternate: '{alternate}' is none of auto, true, false")
    switch = "stay" if stays else "slow"
    if not stays and (alternate == "true" or (alternate == "auto" and all(map(_quick, would)))):
        switch = "quick"
    options = plan["options"]
    ways = sum(_WAYS[way] for way in options["directions"]) + bool(options.get("fio"))
    found = sequence.blocks(switch, ways, _runs(known) if known else 0)
    return {
        "blocks": [block._asdict() for block in found],
        "switch": switch,
        "seconds": max(
            sum(seconds(plan, block.runs) for block in blocks)
            for side, blocks in groupby(found, lambda block: block.side)
            if side == sequence.AFTER
        ),
    }


def _quick(result: Mapping[str, Any]) -> bool:
    """Whether all that a host would change is switched in seconds; what is not known is not."""
    if result.get("skipped"):
        return True
    if "diff" not in result:
        return False
    nics = result["diff"].get("after", {}).get("nics", {})
    return all(key in _QUICK for keys in nics.values() for key in keys)


def _runs(result: Json) -> int:
    """How many runs a result has of each figure."""
    return max(int(run["repeat"]) for run in result["runs"])


def seconds(plan: Json, runs: int) -> int:
    """How long so many runs take at most, by the time limit of all runs of the plan."""
    lead = plan["options"]["patience"] + LEAD
    return int(lead + runs * (plan["seconds"] - lead) / plan["options"]["repeat"]) + 1
