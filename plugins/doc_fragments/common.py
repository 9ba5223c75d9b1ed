# SPDX-License-Identifier: GPL-3.0-or-later
"""Document what all modules that tune have in common."""

from __future__ import annotations


class ModuleDocFragment:
    """Options and attributes of every module that works through the engine."""

    DOCUMENTATION = r"""
options:
  on_unsupported:
    description:
      - What to do about a value that a device does not have, or that lies outside its limits, and about a
        NIC that is named but not there.
      - V(fail) ends the call before anything is changed. V(warn) does everything else, with a warning for each.
        V(ignore) does everything else silently. RV(unsupported) lists them in any case.
      - V(max) and percentages on a device that does not have the setting never fail, but warn under V(fail) too.
    type: str
    choices: [fail, warn, ignore]
    default: fail
attributes:
  check_mode:
    description: Can run in check_mode and return changed status prediction without modifying target.
    support: full
  diff_mode:
    description: Will return details on what has changed (or possibly needs changing in check_mode), when in diff mode.
    support: full
  idempotent:
    description:
      - When run twice in a row outside check mode, with the same arguments, the second invocation indicates no change.
      - A value that is in force already is never written again.
    support: full
  platform:
    description: Target OS/families that can be operated against.
    support: full
    platforms: linux
requirements:
  - Python 3.8 or later on the host
notes:
  - One call is one transaction. Everything is read and planned first, then set, then read again. When any value
    does not take, all that the call has set is put back and the call fails.
  - Needs root to change anything. Reading works without, as far as the kernel lets others read.
"""

    INFO = r"""
attributes:
  check_mode:
    description: Can run in check_mode and return changed status prediction without modifying target.
    support: full
  diff_mode:
    description: Will return details on what has changed (or possibly needs changing in check_mode), when in diff mode.
    support: N/A
    details: This module never changes anything.
  idempotent:
    description:
      - When run twice in a row outside check mode, with the same arguments, the second invocation indicates no change.
    support: full
  platform:
    description: Target OS/families that can be operated against.
    support: full
    platforms: linux
requirements:
  - Python 3.8 or later on the host
"""
