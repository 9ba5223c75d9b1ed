# SPDX-License-Identifier: GPL-3.0-or-later
"""Find variables that are spelt almost like ours: a wrong letter, and a host is not tuned, without an error."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from . import layers

# Also tunning_ and tunig_; whatever begins otherwise is not compared, which would cost each host too much.
_PREFIX = re.compile(r"tun\w{1,6}_")
# Above this two names differ in a letter or two.
_ALIKE = 0.85
KNOWN = frozenset(
    [
        *(f"tune_{name}" for name in layers.NAMES),
        *(layer.format(part) for layer in layers.LAYERS for part in (*layers.PARTS, "bonds")),
        *(f"tuning_{name}" for name in layers.PLAIN),
        *("tuning_profile", "tuning_tuned_profile", "tuning_network_manager", "tuning_address", "tuning_watch"),
        *("tuning_hosts", "tuning_batches", "tuning_max_fail_percentage", "tuning_off_file"),
        *("tuning_probes", "tuning_probe_patience", "tuning_max_errors"),
        *("tune_result", "tuning_links", "tuning_rollout"),  # what our playbooks register
    ]
)


def misspelt(variables: Mapping[str, Any]) -> list[str]:
    """A sentence for each variable of a host that is none of ours, but nearly so, and that no other one uses."""
    ours = [name for name in variables if _PREFIX.match(name) and "__" not in name]
    found = []
    for name in sorted(set(ours) - KNOWN):
        near = difflib.get_close_matches(name, sorted(KNOWN), n=1, cutoff=_ALIKE)
        if near and not any(name in str(variables[other]) for other in ours if other != name):
            found.append(f"{name} is not a variable of linuxnet.tuning, and has no effect; did you mean {near[0]}?")
    return found
