# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a machine of a short description: files of /proc and /sys, and what its programs answer, read by the facts.

It is no host of its own: it writes the files of one in memory, and answers for its programs. Nothing is changed on it.
So the way of a case is that of a host: what a driver counts, by its own names, goes through all parsers to the rules.
"""

from __future__ import annotations

import itertools
import json

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import everything
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import sysctl
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

_LONG = {
    "tso": "tcp-segmentation-offload",
    "gso": "generic-segmentation-offload",
    "gro": "generic-receive-offload",
    "lro": "large-receive-offload",
    "rx": "rx-checksumming",
    "tx": "tx-checksumming",
    "sg": "scatter-gather",
}
# As the kernel starts with them.
_SYSCTL = {
    "net.core.default_qdisc": "fq_codel",
    "net.core.netdev_budget": 300,
    "net.core.netdev_budget_usecs": 8000,
    "net.core.netdev_max_backlog": 1000,
    "net.core.rmem_default": 212992,
    "net.core.rmem_max": 212992,
    "net.core.somaxconn": 4096,
    "net.core.wmem_default": 212992,
    "net.core.wmem_max": 212992,
    "net.ipv4.conf.all.rp_filter": 2,
    "net.ipv4.ip_local_port_range": "32768 60999",
    "net.ipv4.neigh.default.gc_thresh3": 1024,
    "net.ipv4.tcp_congestion_control": "cubic",
    "net.ipv4.tcp_max_syn_backlog": 1024,
    "net.ipv4.tcp_max_tw_buckets": 65536,
    "net.ipv4.tcp_moderate_rcvbuf": 1,
    "net.ipv4.tcp_mtu_probing": 0,
    "net.ipv4.tcp_rmem": "4096 131072 6291456",
    "net.ipv4.tcp_sack": 1,
    "net.ipv4.tcp_syncookies": 1,
    "net.ipv4.tcp_timestamps": 1,
    "net.ipv4.tcp_window_scaling": 1,
    "net.ipv4.tcp_wmem": "4096 16384 4194304",
    "vm.min_free_kbytes": 67584,
}
_NET = "/sys/class/net"
# No two of them have the same MAC.
_MACHINES = itertools.count()


class Described:
    """One host; `about` has what differs from a usual one."""

    def __init__(self, about):
        self.about = about
        self.nics = {name: nic or {} for name, nic in about.get("nics", {}).items()}
        self.disk = memory_host.Files()
        self.cpus = about.get("cpus", 4)
        self.own = next(_MACHINES) % 256
        self._host()
        for number, (name, nic) in enumerate(self.nics.items(), 2):
            self._nic(name, nic, number)
        self._bonds()
        self._interrupts()

    def facts(self):
        """What nic_info reads of it, as plain data."""
        host = memory_host.connect(self.disk, self._run, True)
        found = everything.gather(host, [], 0, self.about.get("peers", []))
        return json.loads(json.dumps({**found, "groups": []}))

    def _host(self):
        about, files = self.about, self.disk.files
        memory = int(about.get("memory_gib", 16) * 1048576)
        files["/proc/sys/kernel/osrelease"] = f"{about.get('kernel', '6.1.0-28-amd64')}\n"
        files["/proc/meminfo"] = f"MemTotal:       {memory} kB\n"
        files["/proc/uptime"] = f"{about.get('uptime', 2592000)}.00 1.00\n"
        files["/sys/devices/system/cpu/online"] = f"0-{self.cpus - 1}\n" if self.cpus > 1 else "0\n"
        pages = memory // 4 // 16
        values = {
            **_SYSCTL,
            "net.ipv4.tcp_mem": f"{pages * 3 // 4} {pages} {pages * 3 // 2}",
            **about.get("sysctl", {}),
        }
        values["net.ipv4.ip_forward"] = int(about.get("forwards", False))
        files.update({sysctl.path(key): f"{value}\n" for key, value in values.items() if value is not None})
        rows = about.get("softnet", [[10_000_000, 0, 3]] * self.cpus)
        files["/proc/net/softnet_stat"] = "".join(
            f"{done & 0xFFFFFFFF:08x} {dropped:08x} {squeezed:08x} {' '.join(['00000000'] * 9)} {cpu:08x}\n"
            for cpu, (done, dropped, squeezed) in enumerate(rows)
        )
        self._protocols(about.get("counts", {}))
        for name, columns in about.get("tables", {}).items():
            files[f"/proc/net/stat/{name}"] = f"{' '.join(columns)}\n{' '.join(f'{n:08x}' for n in columns.values())}\n"
        files.update({path: f"{text}\n" for path, text in about.get("files", {}).items()})
        files.update(dict.fromkeys(about.get("links", {}), ""))
        self.disk.links.update(about.get("links", {}))
        # Devices without hardware, such as those of guests and containers: how many with a name.
        for prefix, count in about.get("others", {}).items():
            for number in range(count):
                folder = f"{_NET}/{prefix}{number}"
                files.update({f"{folder}/ifindex": f"{100 + number}\n", f"{folder}/mtu": "1500\n"})

    def _protocols(self, counts):
        """`TcpExtListenOverflows: 5` and so on, in the files that the kernel has for each protocol."""
        texts = {"snmp": "", "netstat": "", "snmp6": ""}
        for protocol, file in (("TcpExt", "netstat"), ("Ip", "snmp"), ("Tcp", "snmp"), ("Udp", "snmp")):
            names = [key for key in counts if key.startswith(protocol) and key[len(protocol)].isupper()]
            names = [key for key in names if protocol != "Tcp" or not key.startswith("TcpExt")]
            if names:
                header = " ".join(key[len(protocol) :] for key in names)
                texts[file] += f"{protocol}: {header}\n{protocol}: {' '.join(str(counts[key]) for key in names)}\n"
        texts["snmp6"] = "".join(f"{key:<32}{value}\n" for key, value in counts.items() if "6" in key[:4])
        self.disk.files.update({f"/proc/net/{name}": text for name, text in texts.items()})

    def _nic(self, name, nic, number):
        files, base = self.disk.files, f"{_NET}/{name}"
        up = nic.get("carrier", True)
        bus = "" if nic.get("virtual") else nic.get("bus", f"0000:{number:02x}:00.0")
        nic.setdefault("bus", bus)
        mac = nic.get("mac", f"52:54:00:00:{self.own:02x}:{number:02x}")
        self.disk.add_nic(name, nic.get("driver", ""), nic.get("pci", ":"), bus, mac, int(up))
        files[f"{base}/ifindex"], files[f"{base}/mtu"] = f"{number}\n", f"{nic.get('mtu', 1500)}\n"
        files[f"{base}/device/numa_node"] = f"{nic.get('numa', -1)}\n"
        for key, value in {"rx_packets": 90_000_000, "tx_packets": 80_000_000, **nic.get("kernel", {})}.items():
            files[f"{base}/statistics/{key}"] = f"{value}\n"
        files[f"{base}/statistics/../carrier_changes"] = f"{nic.get('carrier_changes', 2)}\n"
        for queue in range(nic.get("queues", [1])[0]):
            files[f"{base}/queues/tx-{queue}/xps_cpus"] = files[f"{base}/queues/rx-{queue}/rps_cpus"] = "0\n"
            files[f"{base}/queues/tx-{queue}/tx_timeout"] = f"{nic.get('watchdog', 0) if queue == 0 else 0}\n"
        if "power_save" in nic:
            files[f"{base}/phy80211"] = ""
        for state in nic.get("aspm", "").split():
            files[f"{base}/device/link/{state}_aspm"] = "1\n"
        if "pcie" in nic:
            for key, (width, speed) in zip(("current", "max"), nic["pcie"], strict=True):
                files[f"{base}/device/{key}_link_width"] = f"{width}\n"
                files[f"{base}/device/{key}_link_speed"] = f"{speed} GT/s PCIe\n"

    def _bonds(self):
        bonds, files = self.about.get("bonds", {}), self.disk.files
        if bonds:
            files[f"{_NET}/bonding_masters"] = f"{' '.join(bonds)}\n"
        for name, bond in bonds.items():
            files.update({f"{_NET}/{name}/ifindex": "50\n", f"{_NET}/{name}/mtu": f"{bond.get('mtu', 1500)}\n"})
            options = {"mode": "802.3ad", "xmit_hash_policy": "layer2", "miimon": "100", "arp_interval": "0"}
            options.update(slaves=" ".join(bond["members"]), ad_partner_mac="00:1c:73:00:00:99")
            options.update(bond.get("options", {}))
            files.update({f"{_NET}/{name}/bonding/{key}": f"{value} 0\n" for key, value in options.items()})
            files[f"{_NET}/{name}/bonding/slaves"] = f"{options['slaves']}\n"
            for key in ("miimon", "arp_interval", "ad_partner_mac"):
                files[f"{_NET}/{name}/bonding/{key}"] = f"{options[key]}\n"
            for member, state in bond["members"].items():
                folder = f"{_NET}/{member}/bonding_slave"
                told = {"mii_status": "up", "link_failure_count": 0, "ad_aggregator_id": 1, **(state or {})}
                files.update({f"{folder}/{key}": f"{value}\n" for key, value in told.items()})

    def _interrupts(self):
        rows, number = [" " * 10 + "".join(f" CPU{cpu}" for cpu in range(self.cpus))], 100
        for name, nic in self.nics.items():
            each, on = nic.get("interrupts", [1_000_000, "spread"])
            for queue in range(nic.get("queues", [1])[0]):
                cpu = queue % self.cpus if on == "spread" else on
                counts = [each if folder == cpu else 0 for folder in range(self.cpus)]
                rows.append(f"{number}: {' '.join(map(str, counts))} PCI-MSI edge {name}-TxRx-{queue}")
                self.disk.files[f"/proc/irq/{number}/smp_affinity_list"] = (
                    f"{cpu}\n" if on == "spread" else f"0-{self.cpus - 1}\n"
                )
                self.disk.files[f"{_NET}/{name}/device/msi_irqs/{number}"] = "msix\n"
                number += 1
        self.disk.files["/proc/interrupts"] = "\n".join(rows) + "\n"

    def _run(self, words, _data=""):
        argv = list(words)
        if argv[0] == "ethtool":
            nic = self.nics.get(argv[-1])
            answer = _ETHTOOL.get(argv[1] if len(argv) > 2 else "") if nic is not None else None
            text = answer(argv[-1], nic) if answer else ""
            return (0, text, "") if text else (1, "", "netlink error: Operation not supported\n")
        told = self.about.get("programs", {}).get(" ".join(argv))
        if told is not None:
            return 0, told, ""
        if argv[0] == "iw":
            return 0, f"Power save: {self.nics[argv[2]]['power_save']}\n", ""
        if argv[:4] == ["ip", "-d", "-j", "link"]:
            return 0, json.dumps([self._link(name, nic) for name, nic in self.nics.items()]), ""
        if argv[:3] == ["ip", "-j", "address"]:
            return 0, json.dumps([_addresses(*item) for item in self.about.get("addresses", {}).items()]), ""
        if argv[:4] == ["tc", "-s", "qdisc", "show"]:
            return 0, "".join(_qdisc(name, nic) for name, nic in self.nics.items()) + self.about.get("tc", ""), ""
        if argv[0] == "ss" and "-tinH" in argv:
            return 0, self.about.get("ss", ""), ""
        if argv[:4] == ["ip", "-o", "route", "get"]:
            return 0, f"{argv[4]} via 192.0.2.1 dev {next(iter(self.nics))} src 192.0.2.9 uid 0 \\    cache\n", ""
        if argv[0] == "ping":
            carries = self.about.get("carries", 0)
            return (0 if int(argv[argv.index("-s") + 1]) + 28 <= carries else 1), "", ""
        return 1, "", "no answer"

    def _link(self, name, nic):
        bonds = self.about.get("bonds", {}).items()
        master = nic.get("master") or next((bond for bond, about in bonds if name in about["members"]), "")
        row = {"ifname": name, "mtu": nic.get("mtu", 1500), "qdisc": nic.get("qdisc", "mq"), "txqlen": 1000}
        return {**row, **({"master": master, **({"linkinfo": _PORT} if nic.get("master") else {})} if master else {})}


_PORT = {"info_slave_kind": "bridge"}


def _addresses(name, found):
    info = [
        {"local": one.partition("/")[0], "prefixlen": int(one.partition("/")[2]), "scope": "global"} for one in found
    ]
    return {"ifname": name, "addr_info": info}


def _qdisc(name, nic):
    sent = nic.get("kernel", {}).get("tx_packets", 80_000_000)
    root = nic.get("qdisc", "mq")
    counted = f" Sent {sent * 900} bytes {sent} pkt (dropped {nic.get('qdisc_dropped', 0)}, overlimits 0 requeues 0)\n"
    return f"qdisc {root} {'0:' if root == 'mq' else '8001:'} dev {name} root \n{counted} backlog 0b 0p requeues 0\n"


def _settings(_name, nic):
    lines = [f"\t{label}: {value}" for label, value in nic.get("link", {}).items()]
    if "speed" in nic and nic.get("carrier", True):
        lines += [f"\tSpeed: {nic['speed']}Mb/s", f"\tDuplex: {nic.get('duplex', 'Full')}"]
        lines += [f"\tAuto-negotiation: {'on' if nic.get('autoneg', True) else 'off'}"]
    return "\n".join(["Settings:", *lines, f"\tLink detected: {'yes' if nic.get('carrier', True) else 'no'}", ""])


def _limits(key, label):
    def text(_name, nic):
        if key not in nic:
            return ""
        now, top = nic[key]
        return f"Pre-set maximums:\n{label}:\t\t{top}\nCurrent hardware settings:\n{label}:\t\t{now}\n"

    return text


def _driver(_name, nic):
    return f"driver: {nic.get('driver', '')}\nversion: {nic.get('version', '')}\nbus-info: {nic.get('bus', '')}\n"


def _pause(_name, nic):
    """`[negotiates, receives, sends]`, as asked for."""
    states = zip(("Autonegotiate", "RX", "TX"), nic["pause"], strict=True)
    return "Pause parameters:\n" + "".join(f"{label}:\t{'on' if on else 'off'}\n" for label, on in states)


def _coalesce(_name, nic):
    return "".join(f"{key}: {value}\n" for key, value in nic.get("coalesce", {}).items())


def _features(_name, nic):
    states = nic.get("features", {"on": ["rx", "tx", "sg", "tso", "gso", "gro"], "off [fixed]": ["lro"]})
    return "Features:\n" + "".join(f"{_LONG.get(k, k)}: {state}\n" for state, keys in states.items() for k in keys)


def _statistics(_name, nic):
    return "NIC statistics:\n" + "".join(f"     {key}: {value}\n" for key, value in nic.get("stats", {}).items())


_ETHTOOL = {
    "": _settings,
    "-i": _driver,
    "-g": _limits("ring", "RX"),
    "-l": _limits("queues", "Combined"),
    "-c": _coalesce,
    "-a": lambda name, nic: _pause(name, nic) if "pause" in nic else "",
    "-k": _features,
    "-S": _statistics,
    "--show-eee": lambda _name, nic: f"EEE status: enabled - {nic['eee']}\n" if "eee" in nic else "",
}
