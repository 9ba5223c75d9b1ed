#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Measure the throughput to one iperf3 server."""

from __future__ import annotations

DOCUMENTATION = r"""
module: iperf3
short_description: Measure the throughput to an iperf3 server
version_added: 0.2.0
description:
  - Runs one iperf3 client on the host and returns what it measured, in a form that does not depend on its version.
  - The role P(linuxnet.tuning.benchmark#role) measures many hosts at once, starts the servers and opens firewalls.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.measuring
  - linuxnet.tuning.measuring.run
options:
  retries:
    description: How often to try again, a second later, while the server is busy with another client.
    type: int
    default: 10
requirements:
  - The program C(iperf3), 3.1 or later, on the host; 3.7 or later to measure in both directions at once
seealso:
  - module: linuxnet.tuning.benchmark
"""

EXAMPLES = r"""
- name: Measure from this host to the file server
  linuxnet.tuning.iperf3:
    server: 192.168.10.2
    duration: 10
    omit: 2
  register: up

- name: Measure the other way, with four streams
  linuxnet.tuning.iperf3:
    server: 192.168.10.2
    reverse: true
    parallel: 4
  register: down

- name: Refuse a slow link
  ansible.builtin.assert:
    that: down.bits_per_second.down > 900000000
"""

RETURN = r"""
bits_per_second:
  description:
    - What the receiver got, by direction. C(up) is from the host to the server, C(down) the other way.
  returned: success
  type: dict
  sample: {up: 9420000000.0}
retransmits:
  description: Segments that were sent again, by direction.
  returned: with TCP
  type: dict
  sample: {up: 3}
lost_percent:
  description: Packets that got lost, by direction.
  returned: with UDP
  type: dict
  sample: {up: 0.02}
jitter_ms:
  description: How much the time that packets take varies, as the receiver sees it, by direction.
  returned: with UDP
  type: dict
  sample: {up: 0.37}
packets_per_second:
  description: Packets that arrived, by direction.
  returned: with UDP
  type: dict
  sample: {up: 22567.7}
tcp_rtt_ms:
  description: The round trip time of TCP at the end, where the host sends; iperf3 does not tell it of the server.
  returned: with TCP, when iperf3 tells
  type: dict
  sample: {up: 11.592}
cpu:
  description: Processor time of iperf3 on both ends, in percent of one processor.
  returned: when iperf3 tells
  type: dict
  sample: {client: 12.5, server: 30.1}
seconds:
  description: How long was measured.
  returned: success
  type: float
  sample: 10.0
attempts:
  description: How often the client was started until the server was free.
  returned: success
  type: int
  sample: 1
version:
  description: The version of iperf3 on the host.
  returned: success
  type: str
  sample: '3.12'
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.linuxnet.tuning.plugins.module_utils.measuring import measurement


def main() -> None:
    """Hand the options over."""
    measurement.serve_iperf3(AnsibleModule(argument_spec=measurement.IPERF3, supports_check_mode=True))


if __name__ == "__main__":
    main()
