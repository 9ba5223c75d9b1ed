# SPDX-License-Identifier: GPL-3.0-or-later
"""In a container."""

from __future__ import annotations

import hostile

test_text = hostile.goes_back_as_text
