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
  state:
    description:
      - V(present) brings about what the other options describe.
      - V(restored) brings back what this module has ever changed, to what it was before the first change, and removes
        the files that would set it at boot. Where the module sets NICs, the names in its list of NICs narrow it down.
    type: str
    choices: [present, restored]
    default: present
  guard_timeout:
    description:
      - Seconds until a change that can cut the connection is reverted automatically, unless M(linuxnet.tuning.guard)
        confirms it. V(0) disables the guard.
      - MTU, channels, rings, pause frames, queue mapping and bonds are such changes. Nothing is armed when nothing of
        that kind changes. The roles of this collection confirm at the end of the play; a task without them has to.
      - Files that would set a change at boot are taken back as well, also when the host loses power in between.
      - On a host that does not run systemd there is no guard, and a warning says so.
    type: int
    default: 120
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
  - The original value of each key is noted in C(/var/lib/linuxnet-tuning), for root only, before it first changes.
  - A call has the host for itself. Another one waits for a minute, and then fails without touching anything.
"""

    HOLD = r"""
options:
  hold:
    description:
      - Whether each change waits for M(linuxnet.tuning.guard), not just one that can cut the connection. So what turns
        out to do harm goes back as a whole. O(guard_timeout) is the time that it waits; without it, or without systemd
        on the host, it waits until the guard is called.
      - The playbook C(linuxnet.tuning.site) asks for this.
    type: bool
    default: false
    version_added: 0.3.0
"""

    ATTRIBUTES = r"""
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

    KEPT = r"""
options:
  permanent:
    description:
      - Whether the values survive a reboot. For NICs that is a systemd unit for each,
        C(linuxnet-tuning@NIC.service), with a drop-in of commands for each module; it runs when the NIC appears, be it
        at boot, by hot-plug or with its driver.
      - The files hold what is asked for in this call and nothing else. A NIC or a key that is not asked for any more is
        taken out, so describe all NICs of a host in one call, or write V(false) for one that is only about some.
    type: bool
    default: true
  immediate:
    description:
      - Whether the values are applied now. With V(false) only the files are written.
    type: bool
    default: true
"""

    TEMPORARY = r"""
options:
  temporary:
    description:
      - Seconds after which the host returns to the values before this call by itself, whether or not the controller
        is still there. Implies O(permanent=false). With V(0) the change has no end.
      - A later call that changes the same keys ends it.
    type: int
"""
