# SPDX-License-Identifier: GPL-3.0-or-later
"""What single sockets suffer, by the text of ss (iproute2 6.1), and that the facts ask for it where it is worth it."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import limits
from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import protocols as facts
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import fixed_ports, ss
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

FAR = (
    "ESTAB 0 0 10.0.0.10:443 [::ffff:203.0.113.9]:50123\n"
    "\t cubic wscale:8,7 rto:480 rtt:215.4/12.1 mss:1388 cwnd:3 ssthresh:2 bytes_sent:9000000 bytes_retrans:310000"
    " bytes_acked:8600000 send 155000bps minrtt:209.1\n"
)
UDP = (
    "UNCONN 0 0 0.0.0.0:8080 0.0.0.0:*\n\t skmem:(r130560,rb131072,t0,tb212992,f512,w0,o0,bl0,d8100000)\n"
    "UNCONN 0 0 [::]:514 *:* skmem:(r0,rb212992,t0,tb212992,f0,w0,o0,bl0,d12)\n"
    "UNCONN 0 0 0.0.0.0:68 0.0.0.0:*\n\t skmem:(r0,rb212992,t0,tb212992,f0,w0,o0,bl0,d0)\n"
)
LISTENING = (
    "LISTEN 3 2 127.0.0.1:6379 0.0.0.0:*\n\t skmem:(r0,rb131072,t0,tb16384,f0,w0,o0,bl0,d10)\n"
    "LISTEN 0 511 0.0.0.0:80 0.0.0.0:*\n\t skmem:(r0,rb131072,t0,tb16384,f0,w0,o0,bl0,d9000)\n"
    "LISTEN 0 128 [::]:80 [::]:*\n\t skmem:(r0,rb131072,t0,tb16384,f0,w0,o0,bl0,d21)\n"
    "LISTEN 0 128 *:22 *:*\n\t skmem:(r0,rb131072,t0,tb16384,f0,w0,o0,bl0,d0)\n"
)


def listed(waiting, established):
    return "".join(
        f"{state} 0 0 10.0.0.10:8080 10.0.0.9:{number}\n"
        for state, count in (("CLOSE-WAIT", waiting), ("ESTAB", established), ("TIME-WAIT", 7))
        for number in range(40000, 40000 + count)
    )


def test_connections_that_lose_much_over_a_long_path():
    row = {"peer": "203.0.113.9 port 50123", "rtt_ms": 209.1, "again_percent": 3.4, "window": 3, "control": "cubic"}
    assert ss.lossy(FAR, 3) == [row]
    assert ss.lossy(FAR * 2, 1) == [row]


@pytest.mark.parametrize(
    "old, new",
    [
        ("minrtt:209.1", "minrtt:9.1"),
        ("bytes_retrans:310000", "bytes_retrans:31000"),
        ("bytes_sent:9000000", "bytes_sent:900000"),
        (" cubic ", " bbr "),
        (" bytes_retrans:310000", ""),
    ],
)
def test_near_clean_short_and_paced_connections_are_none_of_them(old, new):
    assert ss.lossy(FAR.replace(old, new), 3) == []


def test_the_port_whose_connections_are_not_closed():
    assert ss.left_open(listed(5, 3)) == (5, "8080", 8)
    assert ss.left_open(listed(0, 3)) == (0, "", 0) == ss.left_open("")
    own = "CLOSE-WAIT 1 0 10.0.0.10:40001 10.0.0.9:443\nCLOSE-WAIT 1 0 10.0.0.10:40002 10.0.0.8:443\n"
    assert ss.left_open(own) == (2, "of peers 443", 2)


def test_sockets_of_udp_that_lost_packets():
    rows = [
        {"port": 8080, "buffer": 131072, "waiting": 130560, "lost": 8100000},
        {"port": 514, "buffer": 212992, "waiting": 0, "lost": 12},
    ]
    assert ss.lost_in(UDP, 3) == rows and ss.lost_in(UDP, 1) == rows[:1] and ss.lost_in("", 3) == []


def test_ports_whose_queue_of_connections_was_full():
    rows = [{"port": 80, "backlog": 128, "lost": 9021}, {"port": 6379, "backlog": 2, "lost": 10}]
    assert ss.refused_at(LISTENING, 3) == rows and ss.refused_at(LISTENING, 1) == rows[:1]
    # Linux before 4.7 does not count them for each socket.
    assert ss.refused_at(LISTENING.replace(",d9000)", ")"), 3)[0]["lost"] == 21 and ss.refused_at("", 3) == []
    told = ss.backlogs(LISTENING, 1)
    assert told["longest"] >= 128 and told["shortest"] == [{"port": 6379, "backlog": 2}] and ss.backlogs("", 3) == {}


def test_facts_look_closer_where_a_counter_says_so():
    asked = []

    def answer(argv, _data):
        asked.append(argv[1])
        return 0, {"-tinH": FAR, "-tnaH": listed(1200, 3), "-uamnH": UDP, "-tlnmH": LISTENING}.get(argv[1], ""), ""

    def sockets(inuse, lost, refused=0, grown=0):
        asked.clear()
        files = {
            "/proc/net/netstat": f"TcpExt: ListenOverflows ListenDrops\nTcpExt: {refused} {refused}\n",
            "/proc/net/sockstat": f"TCP: inuse {inuse} orphan 0 tw 7 alloc 9 mem 9\n",
            "/proc/net/snmp": f"Udp: InDatagrams RcvbufErrors\nUdp: 900000000 {lost}\n",
        }
        return facts.sockets(
            memory_host.connect(memory_host.Files(files), answer, True), {"TcpExtListenOverflows": grown}
        )

    found = sockets(1300, 8100000)
    assert found["left_open"] == {"count": 1200, "port": "8080", "of": 1203}
    assert [row["port"] for row in found["lost_in"]] == [8080, 514] and found["lossy"] and "ports" not in found
    assert {"left_open", "lost_in"} & set(sockets(90, 12)) == set() and asked == ["-tinH"]
    assert sockets(90, 12, refused=1000)["refused_at"] == sockets(90, 12, grown=100)["refused_at"] != []
    assert asked == ["-tinH", "-tlnmH"]


def test_fixed_ports_of_services_that_connections_have():
    taken = "ESTAB 0 0 10.0.0.4:50070 10.0.0.4:4001\n\t cubic rto:204 mss:1448\n"
    served = "0 0 [::ffff:10.0.0.4]:50010 [::ffff:10.0.0.9]:41022\n"
    own = "0 0 10.0.0.4:41022 10.0.0.9:50010\n"
    assert fixed_ports.taken(taken + served + own) == {50070: "10.0.0.4 port 4001"} and fixed_ports.taken("") == {}


def test_services_that_listen_on_a_fixed_port():
    """By `ss -xtlnH` of iproute2 6.1 and of 4.11, which has no brackets; a connection that has such a port does not."""
    text = """\
u_str LISTEN 0      4096   /run/systemd/private 14127 * 0
tcp   LISTEN 0      128          0.0.0.0:50010      0.0.0.0:*
tcp   LISTEN 0      128             [::]:50020         [::]:*
tcp   LISTEN 0      128               *:22               *:*
tcp    LISTEN     0      50      :::60000              :::*
tcp   ESTAB  0      0          10.0.0.4:50070     10.0.0.9:41022
"""
    assert fixed_ports.listening(text) == [50010, 50020, 60000] and fixed_ports.listening("") == []
    # With one family there is no column for it.
    assert fixed_ports.listening("LISTEN 0 128 127.0.0.1:50075 0.0.0.0:*\n") == [50075]
    host = memory_host.connect(memory_host.Files({}), lambda argv, _data="": (0, text, ""), True)
    assert limits.gather(host) == {"fixed_ports": [50010, 50020, 60000]}
