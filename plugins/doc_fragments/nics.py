# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the option nics; written by scripts/document_settings.py from the tables in module_utils/settings."""

from __future__ import annotations


class ModuleDocFragment:
    """The option of the modules that set NICs."""

    DOCUMENTATION = r"""
options:
  nics:
    description:
      - The desired settings of the NICs; one entry for one NIC or for all that a pattern matches. If several entries
        match the same NIC, the later one wins, key by key.
      - Keys of other modules of the collection are ignored, so one list serves all modules. Any other
        unknown key is an error.
      - >-
        A value may be written as C({if_available: VALUE}). A NIC that does not support it then causes a warning
        instead of an error, and gets everything else.
    type: list
    elements: dict
    suboptions:
      name:
        description:
          - The name of the NIC, such as V(enp1s0), or a pattern with C(*), C(?) and C([...]), such as V(enp*).
          - A name that the host does not have is an error; a pattern without a matching NIC is not.
        type: str
      match:
        description:
          - Selects NICs by their properties, in place of O(nics[].name). All conditions must hold. Virtual NICs match
            only by O(nics[].match.network), O(nics[].match.address), O(nics[].match.default_route) and
            O(nics[].match.bond).
          - A match without a NIC on a host is not an error, so it can be written for a whole fleet.
        type: dict
        suboptions:
          driver:
            description: The kernel driver, such as V(ixgbe).
            type: str
          mac:
            description: The MAC address, in quotes; patterns such as V('a0:36:9f:*') work.
            type: str
          pci:
            description: The PCI vendor and device, in quotes, such as V('8086:1528').
            type: str
          bus:
            description: The address on the bus, in quotes, such as V('0000:01:00.0').
            type: str
          network:
            description:
              - The NIC leads to this network, such as V(192.168.32.0/24), or to one of a list of them. It has an
                address in it, or in a larger network that this is a part of (of several the smallest), and may be a
                bond, a VLAN or a bridge.
            type: raw
            version_added: 0.3.0
          address:
            description:
              - The NIC has this address, such as V(192.168.32.1), one in this network, or one of a list of them. It may
                be virtual. With V(false) it has none at all.
            type: raw
            version_added: 0.3.0
          default_route:
            description:
              - Whether a default route of IPv4 or IPv6 in the main table leaves by the NIC. With V(true) it may be
                virtual.
            type: bool
            version_added: 0.3.0
          link:
            description: The NIC has a link at the moment, V(up), or none, V(down).
            type: raw
            version_added: 0.3.0
          bond:
            description:
              - The NIC is a port of this bond, which may be a pattern or a list, of any (V(true)), or none (V(false)).
            type: raw
            version_added: 0.3.0
          min_speed:
            description: The NIC supports at least this many Mb/s, with or without a link. Costs one process per NIC.
            type: int
          max_speed:
            description: The NIC supports at most this many Mb/s. Costs one process per NIC.
            type: int
      sysctl:
        description:
          - >-
            Kernel parameters of the selected NICs, with C({nic}) in each key for the name of the NIC, such as
            V({'net.ipv4.conf.{nic}.rp_filter': 2}). Values are those of the option C(sysctl) of
            M(linuxnet.tuning.tune), which is the module that sets them; the others ignore this key.
        type: dict
        version_added: 0.3.0
      pci:
        description:
          - >-
            The size of a memory request of the NIC, the order of its writes, and the power saving of its PCI Express
            link (ASPM). C(pci: {l0s_aspm: false, l1_aspm: false}) keeps the link awake.
        type: dict
        suboptions:
          max_read_request:
            description:
              - Bytes of one read request over PCI Express. One of them, or V(max).
            type: raw
            choices: [128, 256, 512, 1024, 2048, 4096]
          max_memory_read:
            description:
              - Bytes of one memory read over PCI-X (MMRBC), on cards that have it. One of them, or V(max).
            type: raw
            choices: [512, 1024, 2048, 4096]
          relaxed_ordering:
            description:
              - Let writes to memory overtake each other; bit 4 of C(CAP_EXP+8.w) for C(setpci).
            type: bool
          extended_tags:
            description:
              - Allow 256 outstanding requests in place of 32; bit 8 of C(CAP_EXP+8.w).
            type: bool
          no_snoop:
            description:
              - Let the device bypass the caches of the processors; bit 11 of C(CAP_EXP+8.w).
            type: bool
          clkpm:
            description:
              - >-
                Clock power management: the clock of the link may stop while it sleeps.
            type: bool
          l0s_aspm:
            description:
              - >-
                L0s: each direction of the link sleeps lightly, and wakes within a microsecond.
            type: bool
          l1_aspm:
            description:
              - >-
                L1: the whole link sleeps, and takes some microseconds to wake.
            type: bool
          l1_1_aspm:
            description:
              - >-
                L1.1: as L1, with less power; the common mode voltage stays on.
            type: bool
          l1_2_aspm:
            description:
              - >-
                L1.2: as L1, with the least power; takes tens of microseconds to wake.
            type: bool
          l1_1_pcipm:
            description:
              - L1.1 while the driver has put the device to sleep.
            type: bool
          l1_2_pcipm:
            description:
              - L1.2 while the driver has put the device to sleep.
            type: bool
      private_flags:
        description:
          - Switches of the driver, by the names that C(ethtool --show-priv-flags) shows.
        type: dict
      devlink:
        description:
          - Parameters of the device by the names that C(devlink dev param show) has, such as C(enable_roce) or
            C(enable_sriov). The mode C(runtime) is set at once and at each boot; C(permanent) is kept by the device
            and takes effect at its next reset; C(driverinit) needs a reload, so it is refused unless it is in force.
        type: dict
      sriov:
        description:
          - >-
            Virtual functions (SR-IOV): their number, and the rights and limits of all or each of them. Changing the
            number removes all existing functions, also those in use, and creates them again. A key other than C(vfs)
            has one value for all of them, or a list with one for each.
        type: dict
        suboptions:
          vfs:
            description:
              - The number of virtual functions. A number, V(max), or a percentage of the maximum such as V(50%).
            type: raw
          trust:
            description:
              - Whether it may use promiscuous mode or choose its MAC address.
            type: raw
          spoofchk:
            description:
              - Whether it may send only from its own MAC address and VLAN.
            type: raw
          vlan:
            description:
              - The VLAN that the NIC puts it into without its knowledge; 0 for none, C('564:1') with a priority.
            type: raw
          mac:
            description:
              - Its MAC address, in quotes; a list with one for each.
            type: raw
          max_tx_rate:
            description:
              - Mb/s that it may send; 0 is no limit.
            type: raw
          min_tx_rate:
            description:
              - Mb/s that it is guaranteed; few drivers support it.
            type: raw
          link_state:
            description:
              - >-
                The link that it sees: C(auto) is that of the NIC, C(enable) always up, C(disable) always down.
            type: raw
      mtu:
        description:
          - >-
            The largest packet in bytes, without the Ethernet header; V({at_least: 9000}) raises and never lowers it.
            A number, V(max), or a percentage of the maximum such as V(50%).
        type: raw
      txqueuelen:
        description:
          - Maximum packets in queueing disciplines without a limit of their own.
        type: int
      gso_max_size:
        description:
          - Maximum bytes of a packet before it is cut. A number, V(max), or a percentage of the maximum such as
            V(50%).
        type: raw
      gso_max_segs:
        description:
          - Maximum number of packets that it is cut into. A number, V(max), or a percentage of the maximum such as
            V(50%).
        type: raw
      gro_max_size:
        description:
          - Maximum bytes of a packet after joining. A number, V(max), or a percentage of the maximum such as V(50%).
        type: raw
      gso_ipv4_max_size:
        description:
          - The same as C(gso_max_size) for IPv4 alone. A number, V(max), or a percentage of the maximum such as
            V(50%).
        type: raw
      gro_ipv4_max_size:
        description:
          - The same as C(gro_max_size) for IPv4 alone. A number, V(max), or a percentage of the maximum such as
            V(50%).
        type: raw
      group:
        description:
          - A number or name by which C(ip) can set many NICs at once.
        type: str
      alias:
        description:
          - A text for people, which C(ip) and SNMP show.
        type: str
      path_check:
        description:
          - Peers that must answer a packet of the new MTU, or the change is rolled back.
        type: list
        elements: str
      channels:
        description:
          - The number of queues. A device has C(combined) ones, or C(rx) and C(tx), or all three.
        type: dict
        suboptions:
          rx:
            description:
              - Queues that only receive. A number, V(max), or a percentage of the maximum such as V(50%).
            type: raw
          tx:
            description:
              - Queues that only send. A number, V(max), or a percentage of the maximum such as V(50%).
            type: raw
          other:
            description:
              - Queues for link events and the like. A number, V(max), or a percentage of the maximum such as V(50%).
            type: raw
          combined:
            description:
              - Queues that do both. A number, V(max), or a percentage of the maximum such as V(50%).
            type: raw
      ring:
        description:
          - Ring sizes, in descriptors of each queue. A change resets the queues or the link.
        type: dict
        suboptions:
          rx:
            description:
              - Receive descriptors; a packet takes one or more. A number, V(max), or a percentage of the maximum such
                as V(50%).
            type: raw
          rx_mini:
            description:
              - Receive descriptors for small packets. A number, V(max), or a percentage of the maximum such as
                V(50%).
            type: raw
          rx_jumbo:
            description:
              - Receive descriptors for jumbo frames. A number, V(max), or a percentage of the maximum such as V(50%).
            type: raw
          tx:
            description:
              - Transmit descriptors; a packet takes one or more. A number, V(max), or a percentage of the maximum
                such as V(50%).
            type: raw
          rx_buf_len:
            description:
              - Bytes of one receive buffer.
            type: int
          cqe_size:
            description:
              - Bytes of one completion entry.
            type: int
          tx_push:
            description:
              - Write transmit descriptors straight into the device.
            type: bool
          rx_push:
            description:
              - Likewise for receive descriptors.
            type: bool
          tx_push_buf_len:
            description:
              - Bytes of a packet that may be pushed along.
            type: int
          tcp_data_split:
            description:
              - Separate buffers for headers and data.
            type: str
            choices: ['on', 'off', 'auto']
          hds_thresh:
            description:
              - Packets above so many bytes are split so; needs Linux 6.14. A number, V(max), or a percentage of the
                maximum such as V(50%).
            type: raw
      rss:
        description:
          - >-
            How a NIC distributes flows over its receive queues (RSS): the table, the hash and the hashed fields.
        type: dict
        suboptions:
          indirection:
            description:
              - >-
                The share of each queue: C(equal) for all (the default), C(equal 4) for the first four, C(equal 4
                start 2), C(weight 6 2) with a weight for each queue, or a list of queues such as C(0-3,6).
            type: raw
          key:
            description:
              - The key of the hash as C(6d:5a:...), or C(symmetric), with which Toeplitz sends both directions of a
                flow to one queue.
            type: str
          function:
            description:
              - The hash.
            type: str
            choices: ['toeplitz', 'xor', 'crc32']
          transform:
            description:
              - Transform the fields before they are hashed, so that both directions of a flow get one queue.
            type: str
            choices: ['none', 'symmetric-xor', 'symmetric-or-xor']
          tcp4:
            description:
              - The letters of ethtool for what is hashed, C(sd) or with the ports C(sdfn), of TCP over IPv4.
            type: str
          udp4:
            description:
              - The same of UDP over IPv4.
            type: str
          sctp4:
            description:
              - The same of SCTP over IPv4.
            type: str
          ah4:
            description:
              - The same of AH over IPv4.
            type: str
          esp4:
            description:
              - The same of ESP over IPv4.
            type: str
          tcp6:
            description:
              - The same of TCP over IPv6.
            type: str
          udp6:
            description:
              - The same of UDP over IPv6.
            type: str
          sctp6:
            description:
              - The same of SCTP over IPv6.
            type: str
          ah6:
            description:
              - The same of AH over IPv6.
            type: str
          esp6:
            description:
              - The same of ESP over IPv6.
            type: str
      features:
        description:
          - Offload features, by ethtool's short names (C(tso), C(gro), ...) or the names that C(ethtool -k) shows. A
            group such as C(tso) means each of its members that can change, and is reported by its members.
        type: dict
        suboptions:
          rx:
            description:
              - Verify checksums in the NIC.
            type: bool
          tx:
            description:
              - Compute checksums in the NIC; a group.
            type: bool
          sg:
            description:
              - Send a packet from several pieces of memory; a group.
            type: bool
          tso:
            description:
              - Cut large TCP packets in the NIC; a group.
            type: bool
          ufo:
            description:
              - Cut large UDP packets in the NIC.
            type: bool
          gso:
            description:
              - Cut large packets late in the kernel.
            type: bool
          gro:
            description:
              - Join received packets in the kernel.
            type: bool
          lro:
            description:
              - Join received packets in the NIC; not on a host that forwards.
            type: bool
          rxvlan:
            description:
              - Take the VLAN tag off in the NIC.
            type: bool
          txvlan:
            description:
              - Put the VLAN tag on in the NIC.
            type: bool
          ntuple:
            description:
              - Steer flows to queues by filters.
            type: bool
          rxhash:
            description:
              - Hash flows in the NIC, to spread them over queues.
            type: bool
      ntuple_rules:
        description:
          - >-
            Which flows the hardware gives to which queue, or drops, before RSS. The key of a rule is its location;
            rules at other locations are not changed. The value is a dictionary of C(flow), what it matches in the
            words of C(ethtool -N), and C(action), which is a queue or C(drop), such as C(7: {flow: tcp4, dst_port:
            2049, action: 2}); the same as a text; or C(absent). A C(name) in it is a comment. Write C(features:
            {ntuple: true}) as well.
        type: dict
      coalesce:
        description:
          - >-
            Interrupt coalescing. The hardware ignores fixed times while C(adaptive_rx) or C(adaptive_tx) is on. All
            queues get the same: times of single queues (C(ethtool -Q)) and the steps of adaptive ones are not set.
        type: dict
        suboptions:
          adaptive_rx:
            description:
              - Let the driver choose the times for receiving.
            type: bool
          adaptive_tx:
            description:
              - Let the driver choose the times for sending.
            type: bool
          rx_usecs:
            description:
              - Maximum microseconds from a received packet to its interrupt.
            type: int
          rx_frames:
            description:
              - Maximum number of received packets before an interrupt.
            type: int
          tx_usecs:
            description:
              - Maximum microseconds from a sent packet to its interrupt.
            type: int
          tx_frames:
            description:
              - Maximum number of sent packets before an interrupt.
            type: int
          rx_usecs_irq:
            description:
              - Maximum microseconds from a received packet to its interrupt while an interrupt is being served.
            type: int
          rx_frames_irq:
            description:
              - Maximum number of received packets before an interrupt while an interrupt is being served.
            type: int
          tx_usecs_irq:
            description:
              - Maximum microseconds from a sent packet to its interrupt while an interrupt is being served.
            type: int
          tx_frames_irq:
            description:
              - Maximum number of sent packets before an interrupt while an interrupt is being served.
            type: int
          rx_usecs_low:
            description:
              - Maximum microseconds from a received packet to its interrupt, at a packet rate below C(pkt_rate_low).
            type: int
          rx_frames_low:
            description:
              - Maximum number of received packets before an interrupt, at a packet rate below C(pkt_rate_low).
            type: int
          tx_usecs_low:
            description:
              - Maximum microseconds from a sent packet to its interrupt, at a packet rate below C(pkt_rate_low).
            type: int
          tx_frames_low:
            description:
              - Maximum number of sent packets before an interrupt, at a packet rate below C(pkt_rate_low).
            type: int
          rx_usecs_high:
            description:
              - Maximum microseconds from a received packet to its interrupt, at a packet rate above C(pkt_rate_high).
            type: int
          rx_frames_high:
            description:
              - Maximum number of received packets before an interrupt, at a packet rate above C(pkt_rate_high).
            type: int
          tx_usecs_high:
            description:
              - Maximum microseconds from a sent packet to its interrupt, at a packet rate above C(pkt_rate_high).
            type: int
          tx_frames_high:
            description:
              - Maximum number of sent packets before an interrupt, at a packet rate above C(pkt_rate_high).
            type: int
          pkt_rate_low:
            description:
              - Packets per second below which the values with C(low) apply.
            type: int
          pkt_rate_high:
            description:
              - Packets per second above which the values with C(high) apply.
            type: int
          sample_interval:
            description:
              - Seconds between two samples of the packet rate.
            type: int
          stats_block_usecs:
            description:
              - Microseconds between two updates of the statistics.
            type: int
          cqe_mode_rx:
            description:
              - Restart the timer at each completion, not at an event.
            type: bool
          cqe_mode_tx:
            description:
              - The same for sending.
            type: bool
          tx_aggr_max_bytes:
            description:
              - Maximum bytes in one block that is sent to the device.
            type: int
          tx_aggr_max_frames:
            description:
              - Maximum packets in such a block.
            type: int
          tx_aggr_time_usecs:
            description:
              - Maximum microseconds that a block waits for more packets.
            type: int
      tunables:
        description:
          - >-
            Tunables of the driver: up to which size it copies packets, and how long it waits while it is paused.
        type: dict
        suboptions:
          rx_copybreak:
            description:
              - Copy received packets up to this many bytes, so that their buffer is used again at once.
            type: int
          tx_copybreak:
            description:
              - Copy packets up to this many bytes into one buffer to send.
            type: int
          tx_buf_size:
            description:
              - Bytes of all such buffers together; needs ethtool 5.17.
            type: int
          pfc_prevention_tout:
            description:
              - Milliseconds that the link partner may pause the NIC before its packets are dropped; 0 is for ever,
                and 65535 the driver's own.
            type: int
      module:
        description:
          - The power mode of a pluggable transceiver. With C(high) a link comes up sooner.
        type: dict
        suboptions:
          power_mode_policy:
            description:
              - >-
                C(high): always full power; C(auto): full power while a port that uses it is up.
            type: str
            choices: ['high', 'auto']
      phy:
        description:
          - Tunables of the PHY, the part of a NIC that drives the cable. A change may renegotiate the link.
        type: dict
        suboptions:
          downshift:
            description:
              - Number of attempts at a speed before the next lower one is tried, or C(off).
            type: raw
          fast_link_down:
            description:
              - Milliseconds until a broken link is reported as down, 0 for at once, or C(off) for the standard time.
            type: raw
          energy_detect_power_down:
            description:
              - Sleep while there is no cable, and send a pulse every N milliseconds, 0 for no pulse, or C(off).
            type: raw
      fec:
        description:
          - Forward error correction, mostly for links of 25 Gb/s and more. Both ends must use the same. Cable and
            transceiver determine what is needed. The link goes down for some seconds, and must come back.
        type: dict
        suboptions:
          encoding:
            description:
              - C(auto), C(off), C(rs) (Reed-Solomon, clause 91 or 108), C(baser) (clause 74), C(llrs), or a list of
                those that may be used.
            type: raw
      eee:
        description:
          - >-
            Energy-Efficient Ethernet: the link sleeps between packets. Waking up takes microseconds, and some NICs
            and switches lose the link. C(eee: {enabled: false}) turns it off. A change may renegotiate the link.
        type: dict
        suboptions:
          enabled:
            description:
              - Agree on EEE with the link partner.
            type: bool
          tx_lpi:
            description:
              - Let this end sleep (low power idle).
            type: bool
          tx_timer:
            description:
              - Microseconds without a packet before it sleeps.
            type: int
          advertise:
            description:
              - >-
                The link modes to offer EEE for: a list of modes or speeds, C(all), or C({at_most: 1000}).
            type: raw
      speed:
        description:
          - Speed and duplex. With autoneg the host advertises modes, and both ends agree on the fastest that they
            have in common; C(speed) and C(duplex) then limit what is advertised. Without autoneg they are fixed, and
            the port of the switch has to be fixed alike. The link goes down for some seconds, and must come back.
        type: dict
        suboptions:
          autoneg:
            description:
              - Agree on speed and duplex with the link partner.
            type: bool
          speed:
            description:
              - The speed in Mb/s.
            type: int
            choices: [10, 100, 1000, 2500, 5000, 10000, 20000, 25000, 40000, 50000, 56000, 100000, 200000, 400000,
              800000]
          duplex:
            description:
              - >-
                C(full): both may send at once; the default beside a speed.
            type: str
            choices: ['full', 'half']
          advertise:
            description:
              - >-
                What to offer to the link partner: a list of modes such as C(1000baseT/Full), a list of speeds,
                C(all), C({at_most: 1000}), or C({at_least: 1000}).
            type: raw
          mdix:
            description:
              - Cross the pairs of a twisted-pair cable, or C(auto).
            type: str
            choices: ['on', 'off', 'auto']
      pause:
        description:
          - Pause frames (flow control), for links of different speed that meet at a switch with small buffers. With
            autoneg they are negotiated; if the link partner refuses, the call reports it and succeeds. One paused
            client stops all that the port sends. A change may renegotiate the link.
        type: dict
        suboptions:
          autoneg:
            description:
              - Agree on pause frames with the link partner.
            type: bool
          rx:
            description:
              - Stop sending when the link partner asks for it.
            type: bool
          tx:
            description:
              - Ask the link partner to stop when the ring is full.
            type: bool
      wol:
        description:
          - >-
            What wakes the host: C(magic) packets, C(phy), C(unicast), C(multicast), C(broadcast), C(arp), C(filter),
            a list of these, ethtool's letters, or C(off).
        type: raw
      qdisc:
        description:
          - Queueing disciplines, as arguments of C(tc), or as a dictionary with C(kind) and the options of tc.
        type: dict
        suboptions:
          root:
            description:
              - C(default), C(mq), C(mqprio), C(ets), C(fq), C(fq_codel), C(codel), C(cake), C(pfifo), C(bfifo),
                C(pfifo_fast), C(tbf), C(noqueue) with its options, such as C(cake bandwidth 20mbit diffserv4 nat) or
                C(tbf rate 1gbit burst 128kb latency 50ms).
            type: raw
          leaves:
            description:
              - The qdisc of each transmit queue below C(mq), such as C(fq maxrate 1gbit) or C(fq_codel target 5ms);
                the root on a NIC with a single queue.
            type: raw
      multiq:
        description:
          - One transmit queue for each client, and queue 0 for everybody else.
        type: dict
        suboptions:
          clients:
            description:
              - Addresses, ranges such as C(192.168.32.1-18), networks, or C(ADDRESS=QUEUE).
            type: list
            elements: raw
          method:
            description:
              - Filters in front of C(mq) (C(clsact)) or inside C(multiq); C(auto) chooses by the abilities of the
                kernel.
            type: str
            choices: ['auto', 'clsact', 'multiq', 'mq', 'none']
          overflow:
            description:
              - >-
                With more clients than queues: C(fail), or keep the default qdisc (C(mq)).
            type: str
            choices: ['fail', 'mq']
          rate:
            description:
              - Maximum Mbit/s of the queue of a client; a number for all, C(ADDRESS=NUMBER) for one, C(others=NUMBER)
                for queue 0, V(auto) for 98 % of the speed of its link, or a list of these.
            type: raw
          state:
            description:
              - V(absent) restores the default qdisc.
            type: str
            choices: ['present', 'absent']
      napi:
        description:
          - How the kernel polls a NIC. Busy polling by sockets is C(net.core.busy_poll) and C(net.core.busy_read).
        type: dict
        suboptions:
          threaded:
            description:
              - Poll in kernel threads, whose CPUs and priorities can be set, not in softirqs.
            type: bool
          gro_flush_timeout:
            description:
              - Nanoseconds after which packets held for GRO are delivered, and a NIC with deferred interrupts is
                polled again; 0 is at the end of each poll.
            type: int
          napi_defer_hard_irqs:
            description:
              - Empty polls before interrupts are enabled again; needs a C(gro_flush_timeout).
            type: int
      irq:
        description:
          - Which CPUs serve the interrupts and the queues of a NIC.
        type: dict
        suboptions:
          affinity:
            description:
              - >-
                One CPU for the interrupt of each queue: C(spread) over the cores, those of the NIC's NUMA node first,
                its last-level caches in turn, second threads of cores last; or round robin from a list such as
                C(0-3,8). C(each 0-3) lets every interrupt run on all of these. A dictionary such as C({0: 2,
                eth0-tx-*: 4-7}) sets them by queue, or by a name or pattern of C(/proc/interrupts).
            type: raw
          rps:
            description:
              - >-
                The CPUs that process the packets of each receive queue: a list, C(all), C(none), C(spread) for one
                core per queue, C(mask f0), or a dictionary by queue such as C({0: 0-3, 1-3: 4-7}).
            type: raw
          rps_flow_cnt:
            description:
              - Number of flows per receive queue that are steered to the CPU of their reader (RFS); needs
                C(net.core.rps_sock_flow_entries), and to do it in the NIC (aRFS) the feature C(ntuple).
            type: str
          xps:
            description:
              - >-
                The CPUs that send through each transmit queue: C(spread), C(none), a list, used round robin, a mask,
                or a dictionary by queue.
            type: raw
          irqbalance:
            description:
              - C(stop) the service that moves interrupts, for the whole host, now and after each boot, or C(run) it.
            type: str
            choices: ['stop', 'run']
          irqbalance_ban:
            description:
              - Whether irqbalance leaves the interrupts of this NIC alone, also after a reboot; ends when the key is
                removed.
            type: bool
      routes:
        description:
          - >-
            Metrics of routes of the main table that leave by the NIC, by prefix: C(default) or a network in quotes
            such as C('10.0.0.0/8') or C('::/0'), each with a dictionary of C(initcwnd) and C(initrwnd) (segments of a
            new connection), C(quickack) (true or false), C(rto_min) (milliseconds), C(congctl) (a congestion
            control), C(mtu) (bytes, or C(lock 1400)) and C(advmss) (bytes); C(absent) removes one. The rest of the
            route is not changed. A prefix to which no route leaves by the NIC is unsupported. At boot the commands
            wait for each route, up to a minute.
        type: dict
"""
