# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans, by the name under which programs outside the collection have imported them since version 0.2."""

from __future__ import annotations

from .deciding.plan import invert, make, overlay, restore, side_effects

__all__ = ["invert", "make", "overlay", "restore", "side_effects"]
