# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak /proc/net: what the protocols, sockets, connection tracking and neighbour tables have counted."""

from __future__ import annotations

import re
from typing import Dict, Iterator, List, Set, Tuple

# What rules look at, by the kernel's own names (include/uapi/linux/snmp.h): what passed, and what died on its way.
WATCHED: Dict[str, List[str]] = {
    "Ip": [
        "InReceives",
        "InAddrErrors",
        "InDiscards",
        "ForwDatagrams",
        "ReasmTimeout",
        "ReasmReqds",
        "ReasmOKs",
        "ReasmFails",
        "FragOKs",
        "FragFails",
    ],
    "Icmp": ["OutRedirects"],
    "Tcp": [
        "ActiveOpens",
        "PassiveOpens",
        "AttemptFails",
        "CurrEstab",
        "EstabResets",
        "InSegs",
        "OutSegs",
        "RetransSegs",
        "InErrs",
        "OutRsts",
        "InCsumErrors",
    ],
    "Udp": [
        "InDatagrams",
        "NoPorts",
        "InErrors",
        "OutDatagrams",
        "RcvbufErrors",
        "SndbufErrors",
        "InCsumErrors",
        "MemErrors",
    ],
    "TcpExt": [
        "IPReversePathFilter",
        "SyncookiesSent",
        "SyncookiesRecv",
        "ListenOverflows",
        "ListenDrops",
        "TCPReqQFullDrop",
        "TCPReqQFullDoCookies",
        "TCPBacklogDrop",
        "TCPRcvQDrop",
        "TCPMTUPFail",
        "TCPMTUPSuccess",
        "TCPMemoryPressures",
        "TCPAbortOnMemory",
        "TCPAbortOnTimeout",
        "TCPDSACKRecv",
        "TCPSynRetrans",
        "TCPTimeWaitOverflow",
        "TCPTimeouts",
        "TCPWqueueTooBig",
        "PruneCalled",
        "TCPOFOQueue",
        "TCPRcvCollapsed",
        "RcvPruned",
    ],
    "IpExt": ["InMcastPkts", "OutMcastPkts"],
}


# Of version 6 of the protocols, which have a file of their own in another form.
WATCHED_6 = (
    "Ip6InDelivers",
    "Ip6OutRequests",
    "Ip6OutNoRoutes",
    "Ip6OutForwDatagrams",
    "Ip6InTooBigErrors",
    "Ip6FragOKs",
    "Ip6ReasmReqds",
    "Ip6ReasmFails",
    "Icmp6InMsgs",
    "Icmp6OutMsgs",
    "Udp6InDatagrams",
    "Udp6NoPorts",
    "Udp6OutDatagrams",
    "Udp6RcvbufErrors",
    "Udp6SndbufErrors",
    "Udp6MemErrors",
)

# Of IPsec (net/xfrm/xfrm_proc.c): each is a packet that was dropped.
WATCHED_X = ("XfrmInStateSeqError", "XfrmOutStateSeqError")


def counters_by_line(text: str) -> Dict[str, int]:
    """Parse /proc/net/snmp6 and xfrm_stat: a name and a number on each line."""
    rows = (line.split() for line in text.splitlines())
    found = {words[0]: words[1] for words in rows if len(words) == 2 and words[0] in (*WATCHED_6, *WATCHED_X)}
    return {name: int(word) for name, word in found.items() if re.fullmatch(r"\d{1,20}", word)}


# IFA_F_DADFAILED of include/uapi/linux/if_addr.h.
_REFUSED = 0x08


def refused_6(text: str) -> List[Dict[str, str]]:
    """Parse /proc/net/if_inet6: the addresses that may not be used, because another device has answered for them."""
    found = []
    for words in map(str.split, text.splitlines()):
        fits = len(words) == 6 and re.fullmatch(r"[0-9a-f]{32}", words[0]) and re.fullmatch(r"[0-9a-f]{2,4}", words[4])
        if fits and int(words[4], 16) & _REFUSED:
            from ipaddress import ip_address  # takes long to load, and few hosts have such an address

            address = ":".join(words[0][start : start + 4] for start in range(0, 32, 4))
            found.append({"nic": words[5], "address": str(ip_address(address))})
    return found


def nfs_server(pools: str, counted: str) -> Dict[str, int]:
    """What an NFS server tells: of /proc/fs/nfsd/pool_stats all pools together, and of the line `th` of rpc/nfsd.

    Since Linux 2.6.30 that line has only the threads; before, also how often all of them were in use (`nfsd_full`).
    """
    lines = [line.lstrip("# ").split() for line in pools.splitlines()]
    found: Dict[str, int] = {}
    for words in lines[1:]:
        for name, word in zip(lines[0], words):
            key = _POOLS.get(name)
            if key and re.fullmatch(r"\d{1,20}", word):
                found[key] = found.get(key, 0) + int(word)
    threads = re.search(r"^th (\d{1,9}) (\d{1,20})\b", counted, re.MULTILINE)
    return {**found, **({"nfsd_threads": int(threads[1]), "nfsd_full": int(threads[2])} if threads else {})}


# How often transports had something to do, how often one was put into the queue for that, and threads found idle.
_POOLS = {
    "packets-arrived": "nfsd_arrived",
    "sockets-enqueued": "nfsd_enqueued",
    "threads-woken": "nfsd_woken",
}


def nfs_client(text: str) -> Dict[str, int]:
    """Of /proc/net/rpc/nfs: how many calls this client made, and how many it had to send again (the line `rpc`)."""
    found = re.search(r"^rpc (\d{1,20}) (\d{1,20})\b", text, re.MULTILINE)
    return {"nfs_calls": int(found[1]), "nfs_again": int(found[2])} if found else {}


def processor_time(text: str) -> Dict[str, int]:
    """Parse /proc/stat: what all processors did, what a hypervisor took of it, in ticks, and interrupts they served.

    `cpu_irq` is the part of the work that they did in interrupts, softirq included.
    """
    words = text.partition("\n")[0].split()
    # user, nice, system, idle, iowait, irq, softirq and steal; time of guests is in the first two as well.
    if len(words) < 9 or words[0] != "cpu" or not all(re.fullmatch(r"\d{1,20}", word) for word in words[1:9]):
        return {}
    ticks = [int(word) for word in words[1:9]]
    found = {"cpu_busy": sum(ticks) - ticks[3] - ticks[4], "cpu_irq": ticks[5] + ticks[6], "cpu_steal": ticks[7]}
    served = re.search(r"^intr (\d{1,20})\b", text, re.MULTILINE)
    return {**found, **({"interrupts": int(served[1])} if served else {})}


def overrun(text: str) -> Dict[int, int]:
    """Parse /proc/net/netlink: by number of the process the messages that its sockets of NETLINK_ROUTE have missed."""
    found: Dict[int, int] = {}
    for row in _missed(text, "0"):
        if re.fullmatch(r"\d{1,10}", row.get("Pid", "")):
            found[int(row["Pid"])] = found.get(int(row["Pid"]), 0) + int(row["Drops"])
    return found


def unheard(text: str) -> Dict[str, int]:
    """Parse /proc/net/netlink: by inode what sockets of NETLINK_GENERIC that are in no group have missed.

    What the kernel sends to one of them alone is meant for it, such as a packet of a new flow for Open vSwitch.
    """
    alone = (row for row in _missed(text, "16") if not row.get("Groups", "-").strip("0"))
    return {row.get("Inode", ""): int(row["Drops"]) for row in alone}


def _missed(text: str, protocol: str) -> Iterator[Dict[str, str]]:
    """The sockets of one protocol of netlink that have missed something, by the heads of the columns."""
    heads, *rows = [line.split() for line in text.splitlines()] or [[]]
    for words in rows:
        row = dict(zip(heads, words))
        drops = row.get("Drops", "")
        if row.get("Eth") == protocol and re.fullmatch(r"\d{1,10}", drops) and int(drops):
            yield row


ARP = "/proc/net/arp"


def arp(text: str) -> List[Dict[str, str]]:
    """Parse /proc/net/arp: address, MAC and NIC of each neighbour; the MAC is empty where none is known (ATF_COM)."""
    found = []
    for words in (line.split() for line in text.splitlines()[1:]):
        if len(words) == 6:
            known = words[2] != "0x0" and words[3] != "00:00:00:00:00:00"
            found.append({"address": words[0], "mac": words[3].lower() if known else "", "nic": words[5]})
    return found


def incomplete(text: str) -> Set[Tuple[str, str]]:
    """Of the same file the NIC and address of each neighbour that has not answered ARP."""
    return {(row["nic"], row["address"]) for row in arp(text) if not row["mac"]}


def packet_queues(text: str) -> List[Dict[str, int]]:
    """Parse /proc/net/netfilter/nfnetlink_queue: each queue of NFQUEUE, the process that reads it, and its packets.

    `full` were dropped because so many waited already, `missed` because the socket of the program had no room. `given`
    has 32 bits in the kernel, and the packets before them are not known.
    """
    found: List[Dict[str, int]] = []
    for line in text.splitlines():
        words = line.split()
        # Number, port of netlink, waiting, mode, bytes copied, both drops, the number of the last packet (seq_show()
        # of net/netfilter/nfnetlink_queue.c); kernels that write them as signed numbers show large ones below zero.
        if len(words) == 9 and all(re.fullmatch(r"-?\d{1,10}", word) for word in words):
            numbers = [int(word) % (1 << 32) for word in words]
            names = ("queue", "pid", "waiting", "mode", "range", "full", "missed", "given")
            row = dict(zip(names, numbers))
            found.append({name: row[name] for name in ("queue", "pid", "waiting", "full", "missed", "given")})
    return found


def groups(text: str) -> Dict[str, int]:
    """Parse /proc/net/igmp: by NIC how many multicast groups it is in."""
    rows = re.findall(r"^\d+\s+(\S+)\s*:\s+(\d{1,9})\s", text, re.MULTILINE)
    return {nic: int(count) for nic, count in rows}


def default_route_6(text: str) -> bool:
    """Whether /proc/net/ipv6_route has a way for everything; one that refuses, at lo, is none."""
    rows = (line.split() for line in text.splitlines())
    return any(len(words) == 10 and words[0] == "0" * 32 and words[1] == "00" and words[9] != "lo" for words in rows)


def counters(text: str) -> Dict[str, int]:
    """Parse /proc/net/snmp and netstat: pairs of lines, names and numbers, with the protocol in front of both."""
    found: Dict[str, int] = {}
    names: Dict[str, List[str]] = {}
    for line in text.splitlines():
        protocol, colon, rest = line.partition(":")
        words = rest.split()
        if not colon or protocol not in WATCHED:
            continue
        if protocol not in names:
            names[protocol] = words
            continue
        for name, word in zip(names.pop(protocol), words):
            if name in WATCHED[protocol] and re.fullmatch(r"\d{1,20}", word):
                found[f"{protocol}{name}"] = int(word)
    return found


def sockets(text: str) -> Dict[str, int]:
    """Parse /proc/net/sockstat: `TCP: inuse 5 orphan 0 tw 0 alloc 7 mem 1` gives tcp_inuse and so on; mem is pages."""
    found: Dict[str, int] = {}
    for line in text.splitlines():
        protocol, _colon, rest = line.partition(":")
        words = rest.split()
        for name, word in zip(words[::2], words[1::2]):
            if re.fullmatch(r"\d{1,19}", word):
                found[f"{protocol.lower()}_{name}"] = int(word)
    return found


def table(text: str) -> Dict[str, int]:
    """Parse a file of /proc/net/stat: a line of names and one of hexadecimal numbers for each CPU, which are added up.

    The column `entries` says the same for all of them.
    """
    lines = [line.split() for line in text.splitlines()]
    found: Dict[str, int] = {}
    for words in lines[1:]:
        for name, word in zip(lines[0], words):
            if re.fullmatch(r"[0-9a-f]{1,16}", word):
                number = int(word, 16)
                found[name] = max(found.get(name, 0), number) if name == "entries" else found.get(name, 0) + number
    return found


def routes_6(text: str) -> int:
    """Of /proc/net/rt6_stats: how many routes of IPv6 count against the kernel's limit (the sixth number)."""
    words = text.split()
    return int(words[5], 16) if len(words) == 7 and re.fullmatch(r"[0-9a-f]{4,8}", words[5]) else 0


def has_exceptions_6(text: str) -> bool:
    """Of /proc/net/rt6_stats: whether there may be routes of IPv6 that a router has told (the fifth number)."""
    words = text.split()
    return len(words) != 7 or words[4] != "0000"


def of_the_kernel(text: str, port: int) -> bool:
    """Of /proc/net/udp: whether a socket of the kernel itself, which no file stands for, has a port."""
    rows = (line.split() for line in text.splitlines()[1:])
    return any(len(row) > 9 and row[1].endswith(f":{port:04X}") and row[9] == "0" for row in rows)
