# SPDX-License-Identifier: GPL-3.0-or-later
"""How many examples a property is tried with, where all of them cost seconds."""

from __future__ import annotations

import os

# `make unit` sets it to 3 for all but the newest ansible-core. What these properties look into uses hardly anything of
# Ansible, so what another core and its Python may change shows in a third of the examples as well. Whoever runs pytest
# by hand has all of them.
ONE_OF = int(os.environ.get("LINUXNET_TUNING_ONE_EXAMPLE_OF", "1"))


def examples(count: int) -> int:
    return count // ONE_OF
