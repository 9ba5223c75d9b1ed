#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read everything about the NICs of a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: nic_info
short_description: Read everything about the NICs of a host
version_added: 0.1.0
description:
  - Reads driver, link, pause frames, limits, counters, queues, interrupts, all settings that
    M(linuxnet.tuning.ethtool) can set, and related facts of the host, in one call.
  - What cannot be read is listed in RV(remarks), and everything else is read.
  - What a NIC does not have or does not report is left out.
  - Starts some ten short processes for each NIC and eight for the host.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
extends_documentation_fragment:
  - linuxnet.tuning.common.info
options:
  names:
    description:
      - The NICs to read, by name or by a pattern with C(*), C(?) and C([...]).
      - Without it all NICs with hardware behind them are read; virtual ones (bonds, VLANs, veth) must be named.
    type: list
    elements: str
    default: []
  interval:
    description:
      - Read the counters twice, so many seconds apart, and return the differences. V(0) reads them once.
      - Meanwhile an instance of tracefs counts the kernel's reasons for drops. It is removed afterwards, or by itself a
        minute later if the module was killed.
    type: float
    default: 0
  peers:
    description:
      - Entries as in the inventory. Each address in the C(path_check) of an entry with a C(name) is sent an
        unfragmented packet as large as the MTU of that NIC, which it should answer.
    type: list
    elements: dict
    default: []
  compare:
    description:
      - Options of M(linuxnet.tuning.tune). RV(compared) returns what it would change; nothing is changed.
    type: dict
    version_added: 0.3.0
  against:
    description:
      - Names of profiles, or options of M(linuxnet.tuning.tune) as in O(compare), with which the host is compared as
        well. What it does not have is no error, and nothing is changed.
    type: raw
    version_added: 0.3.0
  inventory:
    description:
      - Take O(compare) and, unless it is given, O(peers) from the variables of the inventory, in the layers that the
        role C(linuxnet.tuning.tune) documents.
    type: bool
    default: false
    version_added: 0.3.0
  configured:
    description:
      - Also read the files in which a host may be tuned by hand, such as C(/etc/rc.local), udev rules, files of the
        network managers and of C(sysctl.d), crontabs, and the scripts that these call, and all parameters that they
        name.
      - Only files that mention something this collection can set are read, and passwords in them are left out.
    type: bool
    default: false
    version_added: 0.3.0
requirements:
  - The programs C(ethtool) and C(ip) on the host, in any version
seealso:
  - module: linuxnet.tuning.ethtool
  - module: linuxnet.tuning.tune
"""

EXAMPLES = r"""
- name: Read all NICs
  linuxnet.tuning.nic_info:
  register: found

- name: Show what the rings are and could be
  ansible.builtin.debug:
    msg: "{{ item.key }}: {{ item.value.ring | default('no rings') }}"
  loop: "{{ found.nics | dict2items }}"

- name: See what NICs lose within ten seconds
  linuxnet.tuning.nic_info:
    interval: 10

- name: Read a bond and its VLANs
  linuxnet.tuning.nic_info:
    names: [bond0*]
"""

RETURN = r"""
nics:
  description: Facts by NIC.
  returned: success
  type: dict
  sample:
    enp1s0:
      physical: true
      driver: igb
      driver_version: 6.1.0-39-amd64
      firmware_version: ''
      mac: 52:54:00:00:01:01
      pci_id: 8086:10c9
      bus: '0000:02:00.0'
      pcie: {current: {width: 1, speed_gt: 2.5}, max: {width: 1, speed_gt: 2.5}}
      carrier: true
      speed: 1000
      fastest: 1000
      duplex: Full
      autoneg: true
      port: Twisted Pair
      supported_modes: [100baseT/Full, 1000baseT/Full]
      advertised_modes: [100baseT/Full, 1000baseT/Full]
      pause_supported: Symmetric
      pause_advertised: Symmetric
      mtu: 1500
      min_mtu: 68
      max_mtu: 9216
      txqueuelen: 1000
      qdisc: mq
      operstate: UP
      pause: {autoneg: {value: true}, rx: {value: true}, tx: {value: true}}
      ring: {rx: {value: 256, maximum: 4096}, tx: {value: 256, maximum: 4096}}
      channels: {combined: {value: 2, maximum: 8}, other: {value: 1, maximum: 1}}
      features: {gro: {value: true}, lro: {value: false, fixed: true}}
      coalesce: {rx_usecs: {value: 3}}
      private_flags: {legacy-rx: {value: false}}
      missing: {}
  contains:
    physical:
      description: Whether there is hardware behind it.
      type: bool
      returned: always
    driver:
      description: The kernel driver.
      type: str
      returned: always
    driver_version:
      description: Its version, which is that of the kernel for drivers that come with it.
      type: str
      returned: always
    firmware_version:
      description: The version of the firmware; empty if the device does not tell.
      type: str
      returned: always
    mac:
      description: The MAC address.
      type: str
      returned: always
    pci_id:
      description: PCI vendor and device; empty for what is no PCI device.
      type: str
      returned: always
    revision:
      description: The revision of a PCI device, which tells steppings of a chip apart.
      type: int
      returned: when the kernel tells, since Linux 4.10
    bus:
      description: The address on the bus.
      type: str
      returned: always
    pcie:
      description: The PCIe link, C(current) and C(max), each with its C(width) in lanes and C(speed_gt) in GT/s, and
        under C(above) the same of the bridges between it and the processor, each with its address on the C(bus); under
        C(errors) how many errors of it the kernel has counted by kind, where there are some. A device that does not
        answer on the bus any more has C(gone) alone.
      type: dict
      returned: always
    carrier:
      description: Whether there is a link.
      type: bool
      returned: always
    speed:
      description: The speed of the link in Mb/s.
      type: int
      returned: when there is a link and its speed is known
    fastest:
      description: The highest speed that the NIC can do, in Mb/s; 0 if it does not tell.
      type: int
      returned: always
    duplex:
      description: V(Full) or V(Half).
      type: str
      returned: when there is a link
    autoneg:
      description: Whether speed and duplex are agreed on with the link partner.
      type: bool
      returned: when the device tells
    port:
      description: The kind of connector.
      type: str
      returned: when the device tells
    supported_modes:
      description: The link modes the NIC can do.
      type: list
      elements: str
      returned: when the device tells
    advertised_modes:
      description: The link modes it offers to the link partner.
      type: list
      elements: str
      returned: when the device tells
    partner_modes:
      description: The link modes the link partner offers.
      type: list
      elements: str
      returned: when the device tells
    down_reason:
      description: Why there is no link, as the driver tells it, such as V(Logical mismatch, No block lock).
      type: str
      returned: without a link, when the device tells
    pause_supported:
      description: The use of pause frames the NIC can do.
      type: str
      returned: when the device tells
    pause_advertised:
      description: The use of pause frames it offers to the link partner.
      type: str
      returned: when the device tells
    lldp:
      description:
        - The other end of the cable, as lldpd or systemd-networkd has heard it - C(switch), C(port), C(about) it,
          C(frame_size) (the largest frame that it takes), its own C(vlan), whether it is a C(bridge), such as a switch,
          and whether its port is C(aggregated), in which C(group).
      type: dict
      returned: when one of them listens, and the switch tells
    optics:
      description:
        - What its module tells - C(temperature), C(light_dbm) of what it receives, C(reach) and length (C(copper_m)) of
          a copper cable, maker and part (C(module)), and whether it is too C(hot) or too C(dim).
      type: dict
      returned: of a port for modules without a link that somebody uses, or whose link goes down or damages packets
    pause_partner:
      description: The use of pause frames the link partner offers.
      type: str
      returned: when the device tells
    partner_autoneg:
      description: Whether the link partner negotiates, V(Yes) or V(No).
      type: str
      returned: when the device tells
    autoneg_supported:
      description: Whether it can negotiate the link, V(Yes) or V(No).
      type: str
      returned: when the device tells
    mdix:
      description: Whether the pairs of the cable are crossed, and who decides, such as V(off (auto)).
      type: str
      returned: when the device tells
    wol:
      description: What wakes the host, by ethtool's letters; V(d) for nothing.
      type: str
      returned: when the device tells
    wol_supported:
      description: What could wake it.
      type: str
      returned: when the device tells
    mtu:
      description: The largest packet in bytes.
      type: int
      returned: always
    min_mtu:
      description: The lowest MTU the device takes.
      type: int
      returned: with iproute2 4.19 and later
    max_mtu:
      description: The highest MTU the device takes.
      type: int
      returned: when the driver tells
    txqueuelen:
      description: How many packets the device's queue holds.
      type: int
      returned: always
    gso_max_size:
      description:
        - Bytes that a packet to send may be joined to; C(gso_ipv4_max_size) is the same for IPv4 alone, and
          C(gso_max_segs) how many packets it may become. C(tso_max_size) and C(tso_max_segs) are what the driver takes.
      type: int
      returned: when iproute2 shows it
    gro_max_size:
      description: Bytes that received packets may be joined to; C(gro_ipv4_max_size) is the same for IPv4 alone.
      type: int
      returned: when iproute2 shows it
    group:
      description: The group of the NIC, by the name that C(ip) shows.
      type: str
      returned: when iproute2 shows it
    alias:
      description: A text for people.
      type: str
      returned: when it has one
    qdisc:
      description: The root queueing discipline.
      type: str
      returned: always
    operstate:
      description: The kernel's view of the link, such as V(UP).
      type: str
      returned: always
    master:
      description: The bond or bridge it belongs to.
      type: str
      returned: when it has one
    channels:
      description: Channels by key, each with its C(value) and C(maximum).
      type: dict
      returned: when the device has them
    rss:
      description: How flows are spread over receive queues, by key, each with its C(value).
      type: dict
      returned: when the device tells
    ring:
      description: Ring sizes by key, each with its C(value) and C(maximum).
      type: dict
      returned: when the device has them
    features:
      description:
        - Features by name, each with its C(value), C(wanted) where it differs, C(fixed) if it cannot change, and
          C(members) if it is a group.
      type: dict
      returned: when the device has them
    coalesce:
      description: Interrupt coalescing by key, each with its C(value).
      type: dict
      returned: when the device has it
    pause:
      description:
        - Pause frames by key, each with its C(value). Under autoneg, C(wanted) is what the NIC asks for where another
          value came of it, and C(partner) what the other end of the link makes of it, such as V(refuses).
      type: dict
      returned: when the device has them
    speed_settings:
      description:
        - What the link is set to, as C(speed) of M(linuxnet.tuning.ethtool) has it. C(speed) and C(duplex) have none
          where the ends of the link negotiate them.
      type: dict
      returned: when the device has them
    frequency_mhz:
      description: Where a wireless NIC sends, and at which rate in Mbit/s (C(rate_mbit)).
      type: int
      returned: with wireless NICs that have an access point
    power_save:
      description: Whether a wireless NIC sleeps between beacons, V(on) or V(off).
      type: str
      returned: for wireless NICs, when iw is installed
    eee_settings:
      description: Energy-Efficient Ethernet by key, each with its C(value).
      type: dict
      returned: when the device has it
    fec:
      description: Forward error correction, with its C(value).
      type: dict
      returned: when the device has it
    phy:
      description: Tunables of the PHY by key, each with its C(value).
      type: dict
      returned: when the device has one of them
    tunables:
      description: Tunables of the driver by key, each with its C(value) and the C(maximum) that the kernel takes.
      type: dict
      returned: when the driver has one of them
    module:
      description: How the transceiver is fed, with its C(value).
      type: dict
      returned: when the device tells
    sriov:
      description: How many virtual functions there are (C(vfs), with its C(maximum)), and what each of them has by key.
      type: dict
      returned: when the device can have some
    devlink:
      description: Parameters of the device by name, each with its C(value), as C(devlink dev param show) has them.
      type: dict
      returned: when the driver has some
    ntuple_rules:
      description: The n-tuple rules by location, each with its C(value) in the words of C(ethtool -N).
      type: dict
      returned: when the device has some
    private_flags:
      description: The driver's own switches by name, each with its C(value).
      type: dict
      returned: when the device has them
    qdisc_settings:
      description: The root qdisc and the leaves below C(mq), as M(linuxnet.tuning.multiq) knows them.
      type: dict
      returned: when C(tc) knows the NIC
    napi:
      description: How the kernel polls the NIC, by key, each with its C(value).
      type: dict
      returned: when the kernel shows it
    multiq:
      description: The queue of each client, as M(linuxnet.tuning.multiq) knows it.
      type: dict
      returned: when C(tc) knows the NIC
    routes:
      description: Metrics of routes that leave by it, by key such as C(default initcwnd), each with its C(value).
      type: dict
      returned: when a route has some
    irq:
      description: The CPUs that serve interrupts and queues, as M(linuxnet.tuning.irq) knows them.
      type: dict
      returned: when the kernel shows them
    numa_node:
      description: The NUMA node of the slot.
      type: int
      returned: always
    iommu:
      description:
        - The kind of domain that the IOMMU has for it, such as V(identity) (its addresses pass), V(DMA-FQ) or V(DMA)
          (each is translated).
      type: str
      returned: with an IOMMU, on Linux 4.19 and later
    mac_invented:
      description: Whether its driver has found no MAC in the hardware, and has made one up.
      type: bool
      returned: for such NICs
    usb_speed:
      description: The speed of the USB bus that it hangs on, in Mb/s.
      type: int
      returned: with adapters for USB
    usb_id:
      description: Vendor and product of the adapter, such as V(0bda:8156).
      type: str
      returned: with adapters for USB
    usb_sleeps:
      description: Whether the kernel may put the adapter to sleep (V(auto) in its C(power/control)).
      type: bool
      returned: with adapters for USB that may sleep
    suspended:
      description: Whether the kernel has suspended the device of a NIC that is up and has no link.
      type: bool
      returned: if so
    counters:
      description:
        - What was counted since the driver was loaded under C(total), under names that mean the same with every
          driver, such as C(rx_missed), C(rx_crc), C(tx_timeouts), C(rx_pause).
        - With O(interval) also C(growth) within C(interval) seconds, which are more where reading took longer.
        - C(silent) alone where the device does not answer on its bus, so that all bits of its counters are set.
      type: dict
      returned: always
    queues:
      description: How many queues, what the queueing disciplines have dropped, and which filter chooses which queue.
      type: dict
      returned: with the program C(tc)
    interrupts:
      description:
        - The interrupts of the queues, the CPUs that they may run on, and how often each CPU has served them.
        - The only one of a NIC has C(off) where the kernel has switched it off, as nobody cared about it.
      type: list
      elements: dict
      returned: always
    missing:
      description: The groups of settings that the NIC does not have, with the reason.
      type: dict
      returned: always
host:
  description: What matters about the host as a whole. A topic that cannot be read is left out, and is a remark.
  returned: success
  type: dict
  contains:
    kernel:
      description:
        - Release, distribution, processors, memory, and whether the host forwards packets.
        - C(ec2) is V(true) on an instance of Amazon that is Xen's, C(kubernetes) on a node of it (kubelet or k3s), and
          C(kvm) on a host that can have guests; then C(vhost_net) tells whether the kernel moves their packets.
        - C(guest_of) is the hypervisor of a guest, such as V(VMware), if its firmware tells.
        - C(no_msi) is V(true) where the command line of the kernel forbids interrupts by messages (pci=nomsi).
      type: dict
      returned: always
    power:
      description: The C(governor) and C(frequency_driver) of the processors, the clocks between which it chooses
        (C(slowest_khz), C(fastest_khz)), their C(idle_states), the C(aspm_policy), the processors of each NUMA node
        (C(nodes)), whether the host has a C(battery), how often it C(suspends), C(undervoltage) while the supply of a
        Raspberry Pi falls short, the C(clocksource) that the kernel reads the time from, the processors that are
        C(isolated), as by isolcpus, and the C(capacities) of processors where they differ.
      type: dict
      returned: always
    brakes:
      description:
        - What slows its processors down - C(hot_ms) and C(hot_times) of an Intel processor that was too hot, what
          C(cools) others just now, and of a container its C(quota), the C(periods) of it and those C(throttled); also
          the percent of the last five minutes in which all programs waited for memory (C(memory_waits)).
      type: dict
      returned: when there is anything
    addresses:
      description:
        - The addresses that somebody has set, with NIC and MTU, and under C(proxies) the switches that are on by which
          the NIC answers ARP for others (C(proxy_arp), C(proxy_arp_pvlan)).
      type: list
      elements: dict
      returned: always
    default_routes:
      description: The default routes of IPv4 in the main table, each with its C(nic), C(metric) and C(gateway), and
        C(silent) where the gateway does not answer ARP.
      type: list
      elements: dict
      returned: always
    nameservers:
      description:
        - The name servers of C(/etc/resolv.conf) that glibc asks (C(servers)), for how many seconds it waits for one
          (C(timeout)), whether it takes turns (C(rotate)), and under C(silent) by address the NIC at which nobody says
          its MAC.
        - Where that is systemd-resolved, also under C(resolved) the C(transactions) and C(timeouts) that it
          has counted since it began (systemd 254 and later).
      type: dict
      returned: always
    path_mtu:
      description: Destinations whose path carries less than the NIC could send, as far as the kernel was told.
      type: list
      elements: dict
      returned: always
    peers:
      description:
        - For each of O(peers), whether a packet as large as the MTU came back; if only small ones do, the size that
          does (C(largest)).
        - The same of at most two peers of connections that send the same again and again (C(stuck)), where small
          packets come back, and large ones do too or vanish without a word.
      type: list
      elements: dict
      returned: always
    bonds:
      description: Bonds with mode, MTU, how they watch their members, which is C(active), and the state of each.
      type: dict
      returned: always
    teams:
      description:
        - Teams that teamd serves, by name, with the C(runner), its C(active) port if it has one, and of each of the
          C(ports) its C(link) (V(up) or V(down)), and with LACP its C(partner) and whether it is C(selected).
      type: dict
      returned: always
    bridges:
      description:
        - Bridges with ports, by C(name), with the number of their C(nics), C(guests), C(containers) and C(others), and
          C(snoops) where they snoop multicast, C(vlans) where they know VLANs. C(vlan_ids) is the number of VLANs of
          each port whose card can filter only some.
        - C(smallest) is the C(port) with the smallest C(mtu), where others have a larger one, with the number of guests
          and containers with more (C(inside)), and those with hardware (C(uplinks)) if the bridge has no more itself.
        - C(mac_of) is the port of a guest or container whose MAC the bridge has taken, as nobody has given it one.
          C(dropped_by) has the packets that C(iptables) and C(ip6tables) dropped where they drop all that is bridged.
        - C(forgets) is V(true) where the bridge keeps no addresses (an ageing time of 0).
      type: list
      elements: dict
      returned: always
    loopback:
      description: The addresses of lo but those of 127.0.0.0/8 and V(::1).
      type: list
      elements: str
      returned: always
    overlaps:
      description:
        - Networks of bridges of Docker, Podman or CNI (C(nic), C(network)) that lie C(inside) one to which a route
          leads C(by) another NIC.
      type: list
      elements: dict
      returned: always
    clamps:
      description: Whether a rule of the firewall lowers the MSS of connections over C(ipv4) and over C(ipv6).
      type: dict
      returned: of hosts that forward, dial in by PPP and have rules
    detours:
      description:
        - Networks to which a NIC is connected (C(network), C(nic)) and that a C(table) before the main one leads into
          a tunnel (C(by)), with the C(priority) of its rule; read only where there is a tunnel.
      type: list
      elements: dict
      returned: when there are any
    half_open:
      description:
        - Connections that wait for the last packet of their handshake, by the C(nic) whose address was asked; read only
          where several NICs have a default route, and no rules of routing are set.
        - Peers to which the same NIC has a more exact route are left out.
      type: list
      elements: dict
      returned: always
    firewall:
      description: How many C(rules) iptables has, and how many of them were there already (C(doubled)).
      type: dict
      returned: with O(interval), while processors spend a quarter of their time or more in softirq
    limits:
      description:
        - Programs near their limit of C(open_files), each with its C(program), its C(pid), how many are C(open), and
          how many it may have at C(most); read only where the host has at least 900 sockets.
        - C(unix_queues) are socket files on which more programs wait than their queue holds, each with its C(path),
          how many are C(waiting), and how many it holds at C(most).
        - C(fixed_ports) are those of services, such as HDFS of Hadoop 2, that outgoing connections may take.
      type: dict
      returned: always
    controllers:
      description:
        - Network cards that no driver serves, each with its address on the C(bus) and its C(pci_id), and C(ixgbe) where
          that driver is loaded; virtual functions are left out.
      type: list
      elements: dict
      returned: always
    vlans:
      description: VLANs that have sent and received nothing, each with its name (C(nic)), its number (C(id)), what it
        stands on (C(below)), the packets that it has C(sent), and how many neighbours are C(unanswered) at the moment.
      type: list
      elements: dict
      returned: when there are any
    absent:
      description: NICs that files of ifupdown or systemd-networkd (netplan) name and that are not there, each with its
        name (C(nic)), the C(file), and the bridge or bond that has it as a port there (C(above)).
      type: list
      elements: dict
      returned: when there are any
    listeners:
      description:
        - Programs whose C(netlink) sockets have C(missed) messages of the kernel, the number of multicast C(groups) by
          NIC, whether there is a C(default_route_6), and which NICs forward IPv6 and so C(ignores_routers).
        - C(docker_overlay) is V(true) where an overlay network of Docker Swarm ends here.
        - C(refused_6) are addresses of IPv6 that may not be used, as another device has answered for them (dadfailed).
        - C(packet_queues) are those of NFQUEUE, by number (C(queue)), C(program) and C(pid), with the packets that are
          C(waiting), were C(given) to it, or dropped because it was C(full) or its socket C(missed) them.
      type: dict
      returned: always
    managers:
      description: Who else sets NICs, which are network managers, C(dhcpcd) as a service, C(.link) files, C(tuned) and
        C(irqbalance), and whether TLP switches Wake-on-LAN off (C(tlp_stops_waking)).
      type: dict
      returned: always
    sysctl:
      description: The kernel parameters that matter to the network.
      type: dict
      returned: always
    modules:
      description: Parameters of kernel modules that matter to the network, C(values) by module, and which are C(live).
      type: dict
      returned: always
    sysctl_files:
      description: The files that set parameters of the network at boot, in the order in which they are read.
      type: list
      elements: dict
      returned: always
    congestion:
      description: The congestion controls that are C(available), and those that are C(loadable) as a module.
      type: dict
      returned: always
    softnet:
      description:
        - For each CPU, packets processed and dropped, rounds that ran out of budget, and its ticks (C(time)) with those
          of them in C(softirq), since the boot; with O(interval) under C(growth) what came on top within it.
      type: list
      elements: dict
      returned: always
    tunnels:
      description:
        - Queues that a program reads, such as those of OpenVPN (C(kind) V(tun)) and of guests (V(tap)), each with the
          length of its C(queue), and the packets C(sent) into it and C(dropped) there; with O(interval) under C(growth)
          what came on top within it.
        - Those of C(kind) V(wireguard), V(vxlan) and V(geneve) with their C(mtu); of WireGuard also the packets C(sent)
          and C(received), those dropped while a handshake was C(unanswered), and whether C(threads) of the kernel take
          what comes.
      type: list
      elements: dict
      returned: always
    short_queues:
      description:
        - Plain queues of any device that hold ten packets at most and have dropped some, each with its C(nic),
          C(kind), the C(parent) it hangs below, its C(limit), and the packets C(sent) and C(dropped). Of htb it is the
          root, whose classes have such queues.
      type: list
      elements: dict
      returned: when there are any
    emulators:
      description:
        - Each netem, with its C(nic), the qdisc at the C(root) of that, the C(parent) it hangs below, and the packets
          C(sent) and C(dropped).
      type: list
      elements: dict
      returned: when there are any
    shapers:
      description:
        - Each tbf and htb at the root of a C(nic) that has dropped packets, by C(kind), with the packets C(sent) and
          C(dropped), and its C(rate), or the largest ceiling of its classes, which is also told in Mb/s (C(mbits)).
      type: list
      elements: dict
      returned: when there are any
    fair_queues:
      description:
        - By C(nic) the fq that has C(dropped) packets of flows of which too many were waiting, all queues together,
          with the qdisc at the C(root), its C(flow_limit), the C(options) that somebody has set, and the packets
          C(sent).
      type: list
      elements: dict
      returned: when there are any
    policers:
      description:
        - Filters that police all packets of a C(nic) in one C(way) (V(ingress), V(egress)), each with its C(rate) in
          bit/s, its C(burst) in bytes, and the packets that C(passed) it, of which it C(dropped) some.
        - Read only of devices where filters have dropped at least 1000 packets.
      type: list
      elements: dict
      returned: when there are any
    rdma:
      description:
        - The active ports of RDMA devices, each with its C(device), C(port) and C(nic), the C(layer) of its link
          (InfiniBand or Ethernet), its C(rate), the C(mode) of IP over InfiniBand, and C(counts) of errors and of what
          was sent again.
      type: list
      elements: dict
      returned: always
    programs:
      description:
        - The busiest programs, C(name), what they have C(used) of a processor since they began, the processors on which
          each is C(allowed) to run, its number of C(threads), and where these C(ran) last.
        - Read only where there are several NUMA nodes.
      type: list
      elements: dict
      returned: always
    sockets:
      description:
        - The longest round trip of a connection that has moved much (C(rtt_ms)), peers from whom one hears nothing
          (C(stuck), with the largest segments in C(stuck_segments)), and connections that are C(held_back), C(lossy) or
          C(silent); and fixed ports of services that an outgoing one has (C(fixed_ports_taken)).
        - Where there are many connections, those to the peer to which most C(ports) lead (C(ports_to)), and those whose
          program does not close them (C(left_open)).
        - Where UDP has lost packets, the sockets that have (C(lost_in)); where accept queues were full, the ports of
          those, with their backlog (C(refused_at)), and of all ports the C(longest) and the C(shortest) ones
          (C(backlogs)).
        - Where packets of IPv6 are hardly ever answered, since the boot or within O(interval), how many connections to
          public addresses of other networks ask again (C(unanswered_6)).
      type: dict
      returned: always
    nfs:
      description:
        - Mounts over NFS, C(at) which path, C(from) where, their C(device), those of their C(options) that matter to
          the speed, and C(read_ahead_kb).
        - The C(calls) that read and write since the mount, and for how many ms each of them waited to be sent
          (C(queue_ms)) and for the server (C(answer_ms)); with O(interval) under C(growth) the same of the interval.
      type: list
      elements: dict
      returned: always
    smb:
      description:
        - Mounts over SMB, C(at) which path, C(from) where, and those of their C(options) that matter to the speed.
      type: list
      elements: dict
      returned: when there are any
    samba_buffers:
      description: The buffers in bytes that Samba sets for its connections, by C(SO_RCVBUF) and C(SO_SNDBUF).
      type: dict
      returned: when it runs and sets any
    drops:
      description: The kernel's reasons for the packets that it dropped within O(interval), with their number.
      type: dict
      returned: with O(interval), on Linux 5.17 and later where tracefs is mounted
    persisted:
      description: What this collection has left for the next boot.
      type: dict
      returned: always
    configured:
      description:
        - The C(files) by which the host is tuned, with their text, in the order in which they take
          effect, and whether it is one of C(ours); the paths of those C(left_out) because they are too large, and of
          C(links), which are not followed.
        - C(parameters) of the kernel's network with their values.
        - C(tuned_chose), whether C(tuned) chose its profile by itself.
      type: dict
      returned: with O(configured)
against:
  description: The result of M(linuxnet.tuning.tune) in check mode with what O(against) asks for.
  returned: with O(against)
  type: dict
compared:
  description: What M(linuxnet.tuning.tune) returns in check mode, or C(failed) and C(msg) where it refuses its options.
  returned: with O(compare) or O(inventory)
  type: dict
remarks:
  description: What could not be read, and why.
  returned: success
  type: list
  elements: str
  sample: ["queues: the program 'tc' is not installed; install the package iproute2 (iproute on RHEL)"]
"""

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine


def main() -> None:
    """Hand the options over to the engine."""
    engine.inform(AnsibleModule(argument_spec=engine.info_spec(), supports_check_mode=True))


if __name__ == "__main__":
    main()
