#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Take part in a measurement of several hosts."""

from __future__ import annotations

DOCUMENTATION = r"""
module: benchmark
short_description: Take part in a measurement of several hosts
version_added: 0.2.0
description:
  - One host's part in what the role P(linuxnet.tuning.benchmark#role) measures. The role works out the options;
    there is seldom a reason to write them by hand.
  - O(state=started) hands everything to one transient systemd unit on the host. It opens the firewall, quiets the
    host, runs iperf3 servers, and iperf3 clients step by step. It works on without a connection to the controller.
  - Whatever ends the unit (the last step, its time limit O(seconds), or O(state=absent)), systemd then closes the
    firewall again and starts what was stopped, so a controller that is gone leaves nothing behind.
  - Before each step the clients wait at the gate, a port of one host. When all of a step have come they begin at the
    same moment, whatever their clocks say and however many forks Ansible has.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.measuring
options:
  state:
    description:
      - V(checked) changes nothing. It fails where something that is needed is missing, and returns how the host is set.
      - V(between) changes nothing. It tells whether the host is one of O(routers), and what keeps it from forwarding.
      - V(started) starts the unit and returns when its servers listen.
      - V(collected) waits until the unit has ended and returns what was measured.
      - V(absent) ends the unit at once.
    type: str
    choices: [checked, between, started, collected, absent]
    required: true
  name:
    description: The name of the host in O(gate); part of the name of the unit.
    type: str
    required: true
  peers:
    description: The addresses it will measure to and from, to find out the NICs.
    type: list
    elements: str
    default: []
  routers:
    description: The addresses of routers between hosts that measure, as O(state=checked) has returned them there.
    type: list
    elements: str
    default: []
    version_added: 0.3.0
  nics:
    description: The NICs whose queues are counted, as O(state=checked) has returned them.
    type: list
    elements: str
    default: []
  servers:
    description: How many iperf3 servers to run, on the ports after O(port).
    type: int
    default: 0
  answers:
    description: Whether to answer such probes of others, on O(port) of UDP.
    type: bool
    default: false
  port:
    description: The first port of the range; it is that of the gate.
    type: int
    default: 5201
  protocol:
    description: What the firewall is to let through beside TCP, which iperf3 always needs.
    type: str
    choices: [tcp, udp]
    default: tcp
  gate:
    description: The steps that clients begin together, where this host keeps the gate.
    type: list
    elements: dict
    default: []
    suboptions:
      id:
        description: The name of the step.
        type: str
        required: true
      hosts:
        description: The hosts that must arrive at the gate, in the order in which they start.
        type: list
        elements: str
        required: true
      limit:
        description: How long to wait for all of them, in seconds. For the first step O(patience) counts.
        type: int
        required: true
      staggered:
        description: Whether they start one after the other, O(stagger) seconds apart.
        type: bool
        default: true
      sample:
        description: After so many seconds look once at queues and streams, while the load is there; 0 does not.
        type: float
        default: 0
        version_added: 0.3.0
      drop_caches:
        description: Whether this host forgets what it holds of files when all have come, before they may go.
        type: bool
        default: false
        version_added: 0.3.0
  secret:
    description:
      - A word that each client says at the gate, the same on all hosts of a measurement.
      - Whoever connects to the gate without it is no client, whatever name it gives.
    type: str
    default: ''
    version_added: 0.3.0
  steps:
    description: What this host does as a client.
    type: list
    elements: dict
    default: []
    suboptions:
      id:
        description: The name of the step.
        type: str
        required: true
      gate:
        description: Address and port of the gate to wait at, as C(ADDRESS:PORT).
        type: str
      limit:
        description: How long a run may take, in seconds.
        type: int
        required: true
      runs:
        description: The iperf3 clients of the step, with the options of M(linuxnet.tuning.iperf3), at the same time.
        type: list
        elements: dict
        default: []
        suboptions:
          server:
            description: The name or address of the server.
            type: str
            required: true
          port:
            description: Its port.
            type: int
            default: 5201
          protocol:
            description: What to measure with.
            type: str
            choices: [tcp, udp]
            default: tcp
          duration:
            description: Seconds to measure.
            type: int
            default: 10
          omit:
            description: Seconds to leave out at the beginning.
            type: int
            default: 0
          parallel:
            description: Streams at the same time.
            type: int
            default: 1
          reverse:
            description: Whether the server sends.
            type: bool
            default: false
          bidirectional:
            description: Whether both send at the same time.
            type: bool
            default: false
          window:
            description: The socket buffer.
            type: str
          bitrate:
            description: The rate to send at.
            type: str
          length:
            description: The bytes of each packet.
            type: int
          retries:
            description: How often to try again while the server is busy.
            type: int
            default: 10
      sample:
        description: After so many seconds look once at queues and streams, while the load is there; 0 does not.
        type: float
        default: 0
        version_added: 0.3.0
      probe:
        description: Probes of the round trip of small packets, sent during the step, by UDP to O(port).
        type: dict
        suboptions:
          servers:
            description: The addresses, one for each pair.
            type: list
            elements: str
            required: true
          lead:
            description: Seconds to wait before, until the load is there.
            type: float
            default: 0
          seconds:
            description: Seconds to ask.
            type: float
            default: 5
      fio:
        description: A job of fio in a folder, such as an NFS mount.
        type: dict
        suboptions:
          directory:
            description: The folder.
            type: path
            required: true
          rw:
            description: Whether to read or to write, in order or at random.
            type: str
            choices: [read, write, randread, randwrite]
            default: read
          bs:
            description: The size of a block.
            type: str
            default: 2M
          iodepth:
            description: Requests in flight for each job.
            type: int
            default: 1
          numjobs:
            description: Jobs at the same time.
            type: int
            default: 4
          size:
            description: The size of the file of each job, or of the one that they share.
            type: str
            default: 2G
          runtime:
            description: Seconds to measure.
            type: int
            default: 60
          direct:
            description: Whether to pass by the page cache.
            type: bool
            default: true
          ioengine:
            description: How fio does its I/O.
            type: str
            default: libaio
          files:
            description: Whether the jobs of a host read or write one file V(each), or one V(shared) by all of them.
            type: str
            choices: [each, shared]
            default: each
            version_added: 0.3.0
          mount:
            description:
              - What to mount on O(steps[].fio.directory) while the unit runs; whatever ends it takes that away again. A
                folder that does not exist is made, and removed afterwards.
              - Refused where something is mounted there already.
            type: dict
            version_added: 0.3.0
            suboptions:
              source:
                description: What to mount, such as C(files1:/srv/data).
                type: str
                required: true
              type:
                description: The type of the file system.
                type: str
                default: nfs
              options:
                description: Options of the mount, such as C(vers=4.2,nconnect=4).
                type: str
                default: ""
      drop_caches:
        description: Whether to forget what the host holds of files (drop_caches of the kernel) before the step.
        type: bool
        default: false
        version_added: 0.3.0
  stagger:
    description: Seconds between the starts of two clients.
    type: float
    default: 0.1
  patience:
    description: How long to wait at the gate for the first step, in seconds. By then all hosts must have been started.
    type: int
    default: 120
  seconds:
    description: After so many seconds the unit ends in any case.
    type: int
    default: 600
  firewall:
    description:
      - Whether to open the firewall that is in force (firewalld, nftables, ufw or iptables) meanwhile, for O(sources).
    type: bool
    default: true
  sources:
    description:
      - The addresses and networks that measure with this host, IPv4 and IPv6. The firewall lets nobody else in; without
        any it stays as it is.
    type: list
    elements: str
    default: []
    version_added: 0.3.0
  quiet:
    description: Whether to stop irqbalance meanwhile, and to let the processors run at full clock.
    type: bool
    default: false
requirements:
  - systemd 239 or later, or 242 in a network namespace of its own, and iperf3 3.1 or later
notes:
  - Nothing is written to the files of a firewall, so that a reboot closes the ports too.
seealso:
  - module: linuxnet.tuning.iperf3
"""

EXAMPLES = r"""
- name: Run ten servers for five minutes at most
  linuxnet.tuning.benchmark:
    state: started
    name: "{{ inventory_hostname }}"
    servers: 10
    sources: [10.0.0.0/24]
    seconds: 300

- name: End them earlier
  linuxnet.tuning.benchmark:
    state: absent
    name: "{{ inventory_hostname }}"
"""

RETURN = r"""
unit:
  description: The transient unit.
  returned: when O(state=started)
  type: str
  sample: linuxnet-benchmark-router1
firewall:
  description: The firewalls that were opened.
  returned: when O(state=started)
  type: list
  elements: str
  sample: [nftables]
commands:
  description: What an administrator would have typed.
  returned: when O(state=started)
  type: list
  elements: str
steps:
  description:
    - What was measured, by step. C(runs) are results of M(linuxnet.tuning.iperf3), C(fio) is that of the job, C(queues)
      are the bytes that each transmit queue has sent meanwhile, by NIC, C(cpu_seconds) what the processors of the host
      have worked. C(probes) has, for each server that was asked, how many were C(sent), and C(microseconds) for each
      that came back.
  returned: when O(state=collected)
  type: dict
queues:
  description: The same bytes as the keeper of the gate, or a host whose servers send, has counted them, by step
    and NIC.
  returned: when O(state=collected)
  type: dict
cpu_seconds:
  description: The seconds of processor time that such a host has counted, by step.
  returned: when O(state=collected)
  type: dict
moved:
  description:
    - What moved on the host during the steps with a O(steps[].sample), by step. C(nics) has counters of packets that
      were carried or died, C(qdiscs) the disciplines that held packets back, C(protocols) and C(softnet) what the
      kernel lost, C(processors) the seconds that each was at work, served interrupts, and was taken by a hypervisor.
    - C(streams) is TCP's account of what it has sent so far, after C(seconds). C(load) has until then what C(passed)
      through the NICs that have the cable (C(links) by NIC), and TCP's C(accounts) of all streams by peer.
  returned: when O(state=collected)
  type: dict
  version_added: 0.3.0
ways:
  description: By address of O(peers), the NIC that packets to it leave by.
  returned: when O(state=checked)
  type: dict
  sample: {10.0.0.2: eth0}
  version_added: 0.3.0
sources:
  description: By address of O(peers), the addresses that packets to it come from. The peer has to let these in.
  returned: when O(state=checked)
  type: dict
  sample: {10.0.0.2: [10.0.0.1]}
  version_added: 0.3.0
routers:
  description:
    - By address of O(peers), the routers that packets to it go to first, where there are any.
    - With O(state=between), a list of those of O(routers) that this host is.
  returned: when O(state=checked) or O(state=between)
  type: raw
  sample: {10.0.1.2: [10.0.0.254]}
  version_added: 0.3.0
obstacles:
  description: What keeps this router from forwarding, for certain.
  returned: when O(state=between)
  type: list
  elements: str
  sample: [it does not forward IPv4 (net.ipv4.conf.eth0.forwarding is 0)]
  version_added: 0.3.0
doubts:
  description: What may keep it from that, as its rules are.
  returned: when O(state=between)
  type: list
  elements: str
  version_added: 0.3.0
iperf3:
  description: The version of iperf3.
  returned: when O(state=checked)
  type: str
  sample: '3.12'
memory:
  description: The bytes of memory.
  returned: when O(state=checked)
  type: int
  sample: 33554432000
  version_added: 0.3.0
kernel:
  description: The version of the kernel.
  returned: when O(state=checked)
  type: str
  sample: 6.1.0-39-amd64
nics:
  description: The NICs that packets to O(peers) leave by, as M(linuxnet.tuning.nic_info) returns them.
  returned: when O(state=checked)
  type: dict
sysctl:
  description: The kernel parameters that decide how fast a stream can be.
  returned: when O(state=checked)
  type: dict
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.linuxnet.tuning.plugins.module_utils.measuring import measurement


def main() -> None:
    """Hand the options over."""
    measurement.serve_benchmark(AnsibleModule(argument_spec=measurement.BENCHMARK, supports_check_mode=True))


if __name__ == "__main__":
    main()
