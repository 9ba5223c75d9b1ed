# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak TLP: what its configuration does to the network."""

from __future__ import annotations

import re
from typing import Sequence

# Those of TLP 1.2 and older, and of newer versions.
FILES = ("/etc/default/tlp", "/etc/tlp.conf")


def stops_waking(texts: Sequence[str]) -> bool:
    """Of its files: whether it switches Wake-on-LAN off at each boot, as it does unless they say otherwise."""
    text = "\n".join(texts)
    values = dict(re.findall(r"^\s*(TLP_ENABLE|WOL_DISABLE)=\"?([^\s\"#]*)", text, re.MULTILINE))
    return bool(text.strip()) and values.get("TLP_ENABLE", "1") == "1" and values.get("WOL_DISABLE", "Y") == "Y"
