# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell what a host needs of the playbook site beside its one task, from its variables as they are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, List

from . import layers, rates

FIRST = "tuning__first"
RATED = "tuning__rated"
WATCHED = "tuning__watched"
_LAYERS = ("tune_nics", *(layer.format("nics") for layer in layers.LAYERS))


def groups(variables: Mapping[str, Any]) -> List[str]:
    """The groups of the playbook that a host belongs to."""
    # Whether a variable is there, not what it is worth: a broken one has to fail where it is used.
    first = [FIRST] if "tuning_tuned_profile" in variables or "tuning_bonds" in variables else []
    rated = [RATED] if any(_may_need(variables.get(layer)) for layer in _LAYERS) else []
    watched = [WATCHED] if "tuning_watch" in variables else []
    return first + rated + watched


def _may_need(entries: Any) -> bool:
    """Whether entries ask for a rate by themselves; a template may, if it says so."""
    return rates.needed(entries) if not isinstance(entries, str) else "rate" in entries and rates.AUTO in entries
