# SPDX-License-Identifier: GPL-3.0-or-later
"""Make plain data of what Ansible hands over: its own kinds of text and numbers are known to no writer of YAML."""

from __future__ import annotations

import json
from typing import Any


def plain(value: Any) -> Any:
    """The same as Python's own dictionaries, lists, texts and numbers."""
    return json.loads(json.dumps(value, default=str))
