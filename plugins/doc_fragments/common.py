# SPDX-License-Identifier: GPL-3.0-or-later
"""Document what all modules that tune have in common."""

from __future__ import annotations


class ModuleDocFragment:
    """Options and attributes of every module that works through the engine."""

    DOCUMENTATION = r"""
options:
  on_unsupported:
    description:
      - What to do about a value that a device does not support, or that is outside its limits, and about a
        NIC that is named but does not exist.
      - V(fail) ends the call before anything is changed. V(warn) does everything else, with a warning for each.
        V(ignore) does everything else silently. RV(unsupported) lists them in any case.
      - V(max) and percentages on a device that does not have the setting never fail, but warn under V(fail) too.
    type: str
    choices: [fail, warn, ignore]
    default: fail
  state:
    description:
      - V(present) applies what the other options describe.
      - V(restored) restores the values from before the first change by this module, and removes the files that
        would set them at boot. If the module sets NICs, the names in its list of NICs limit this to these NICs.
    type: str
    choices: [present, restored]
    default: present
  guard_timeout:
    description:
      - Seconds until a change that can cut the connection is reverted automatically, unless M(linuxnet.tuning.guard)
        confirms it. V(0) disables the guard.
      - These are changes of MTU and packet sizes, channels, rings, pause frames, speed, EEE, FEC, PHY, transceiver,
        virtual functions, queueing disciplines, queue mapping, routes and bonds, and of the kernel parameters
        C(disable_ipv6), C(forwarding) of IPv6, C(rp_filter), C(arp_ignore), C(arp_filter), C(tcp_mem), C(gc_thresh3)
        and C(nf_conntrack_max). Without one the guard is not started.
      - The roles of this collection confirm at the end of the play. Without them a task has to do so.
      - Files that would set a change at boot are reverted as well, even if the host loses power in between.
      - On a host that does not run systemd there is no guard, and a warning says so.
    type: int
    default: 120
notes:
  - One call is one transaction. Everything is read and planned first, then set, then read again. If a value
    does not take effect, all changes of the call are rolled back and the call fails.
  - Needs root to change anything. Reading works without, as far as the kernel lets others read.
  - The original value of each key is saved in C(/var/lib/linuxnet-tuning), readable by root only, before its first
    change.
  - Only one call runs on a host at a time. Another one waits up to a minute, and then fails without changing anything.
"""

    HOLD = r"""
options:
  hold:
    description:
      - Whether each change waits for M(linuxnet.tuning.guard), not just one that can cut the connection, so that a
        harmful change is reverted as a whole. It waits for O(guard_timeout); with V(0), or without systemd on the
        host, it waits until the guard is called.
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
      - A value that is already in force is not written again.
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
      - Whether the values survive a reboot. Each NIC gets a systemd unit, C(linuxnet-tuning@NIC.service), with a
        drop-in of commands for each module; it runs when the NIC appears, at boot, at hot-plug or when its driver is
        loaded.
      - The files contain what this call describes and nothing else. A NIC or a key that is no longer described is
        removed, so describe all NICs of a host in one call, or write V(false) for a call that is about some of them.
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
      - Seconds after which the host itself reverts the change, whether or not the controller is still there. Implies
        O(permanent=false). With V(0) the change has no end.
      - A later permanent change of the same keys ends it once that is confirmed. Of two temporary changes each ends at
        its own time.
      - It needs systemd on the host; without it the call fails.
    type: int
"""
