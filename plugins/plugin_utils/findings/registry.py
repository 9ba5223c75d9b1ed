# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the rules: each file in rules/ has some, under the name RULES."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from . import rules as folder
from .model import SEVERITIES, Rule


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, worst first, then by name."""
    # Not by the names of files: the program for the metrics has them in an archive.
    names = sorted(found.name for found in iter_modules(folder.__path__))
    found = [rule for name in names for rule in import_module(f"{__package__}.rules.{name}").RULES]
    return tuple(sorted(found, key=lambda rule: (SEVERITIES.index(rule.severity), rule.id)))
