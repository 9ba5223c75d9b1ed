# SPDX-License-Identifier: GPL-3.0-or-later
"""Document what the modules that measure have in common."""

from __future__ import annotations


class ModuleDocFragment:
    """Attributes of both modules, and the options of one run of iperf3."""

    DOCUMENTATION = r"""
attributes:
  check_mode:
    description: Can run in check_mode and return changed status prediction without modifying target.
    support: full
  diff_mode:
    description: Will return details on what has changed (or possibly needs changing in check_mode), when in diff mode.
    support: none
  idempotent:
    description:
      - When run twice in a row outside check mode, with the same arguments, the second invocation indicates no change.
    support: N/A
    details: A measurement is not a state of the host.
  platform:
    description: Target OS/families that can be operated against.
    support: full
    platforms: linux
requirements:
  - Python 3.8 or later on the host
"""

    RUN = r"""
options:
  server:
    description: The name or address of the iperf3 server.
    type: str
    required: true
  port:
    description: The port of the server.
    type: int
    default: 5201
  protocol:
    description: What to measure with. With V(udp) write a O(bitrate) too, or iperf3 sends one Mbit/s.
    type: str
    choices: [tcp, udp]
    default: tcp
  duration:
    description: Seconds to measure.
    type: int
    default: 10
  omit:
    description: Seconds to leave out at the beginning, until TCP has reached its rate.
    type: int
    default: 0
  parallel:
    description: Streams at the same time.
    type: int
    default: 1
  reverse:
    description: Whether the server sends and the host receives.
    type: bool
    default: false
  bidirectional:
    description: Whether both send at the same time.
    type: bool
    default: false
  window:
    description:
      - The socket buffer, such as V(512K); the kernel chooses best by itself.
      - Below V(1M) TCP is written and read in blocks of an eighth of it, unless O(length) says otherwise.
    type: str
  bitrate:
    description: The rate to send at, such as V(100M); without it TCP sends as fast as it can, and with V(0) UDP.
    type: str
  length:
    description: The bytes of each packet with UDP, and of each write with TCP; iperf3 chooses well by itself.
    type: int
"""
