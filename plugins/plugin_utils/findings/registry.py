# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the rules: each file in rules/ has some, under the name RULES."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from .model import SEVERITIES, Rule


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, worst first, then by name."""
    folder = Path(__file__).parent / "rules"
    names = sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")
    found = [rule for name in names for rule in import_module(f"{__package__}.rules.{name}").RULES]
    return tuple(sorted(found, key=lambda rule: (SEVERITIES.index(rule.severity), rule.id)))
