# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak iptables: how many rules there are, and how many of them say what another one has said."""

from __future__ import annotations

from typing import Dict

from ..schema import Query

SAVED = Query(("iptables-save",), 20)


def count(text: str) -> Dict[str, int]:
    """Of `iptables-save` the `rules` of all tables, and those `doubled`; empty where there are none."""
    rules = [line for line in text.splitlines() if line.startswith("-A ")]
    return {"rules": len(rules), "doubled": len(rules) - len(set(rules))} if rules else {}
