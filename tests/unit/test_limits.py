# SPDX-License-Identifier: GPL-3.0-or-later
"""What programs have used up: open files, by /proc, and queues of socket files and silent peers, by the text of ss."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import limits
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import ss
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

LIMITS = (
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max processes             31820                31820                processes \n"
    "Max open files            {0:<20} 4096                 files     \n"
)
UNIX = (
    "u_str LISTEN 129 128 /run/php/php7.4-fpm.sock 20155 * 0\n"
    "u_str LISTEN 0 4096 /run/systemd/private 1401 * 0\n"
    "u_seq LISTEN 5 5 /run/udev/control 1402 * 0\n"
)


def stuck(peer, count, backoff=9, heard=410000):
    return "".join(
        f"0 412 10.0.0.10:{42000 + number} {peer}\n\t cubic rto:120000 backoff:{backoff} mss:1448 lastsnd:610"
        f" lastrcv:{heard} lastack:{heard} unacked:1 retrans:1/10\n"
        for number in range(count)
    )


def host_of(opened, most="1024", size=1024, sockets=1200, text=""):
    files = {
        "/proc/net/sockstat": f"sockets: used {sockets}\n",
        "/proc/4711/comm": "nginx\n",
        "/proc/4711/status": f"Name:\tnginx\nFDSize:\t{size}\n",
        "/proc/4711/limits": LIMITS.format(most),
        **{f"/proc/4711/fd/{number}": "" for number in range(opened)},
        "/proc/self/status": "Name:\tpython\nFDSize:\t4096\n",
    }
    return memory_host.connect(memory_host.Files(files), lambda *_words: (0, text, ""), True)


def test_a_program_at_its_limit_is_told():
    row = {"program": "nginx", "pid": 4711, "open": 1020, "most": 1024}
    assert limits.gather(host_of(1020)) == {"open_files": [row]}


@pytest.mark.parametrize(
    "host",
    [host_of(900), host_of(1020, most="unlimited"), host_of(1020, most="65536"), host_of(1020, sockets=300)],
    ids=["below", "without a limit", "a high one", "few sockets"],
)
def test_nobody_else_is(host):
    assert limits.gather(host) == {}


def test_full_queues_of_socket_files():
    row = {"path": "/run/php/php7.4-fpm.sock", "waiting": 129, "most": 128}
    assert limits.gather(host_of(0, text=UNIX)) == {"unix_queues": [row]}
    assert ss.full_queues(UNIX.replace("129 128", "120 128"), 4) == []
    spaced = ss.full_queues("u_str LISTEN 128 128 /srv/my app/web 1.sock 20155 * 0\n", 4)
    assert [row["path"] for row in spaced] == ["/srv/my app/web 1.sock"]


def test_a_peer_that_answers_none_of_several_connections():
    text = stuck("10.0.7.31:5432", 4) + stuck("[::ffff:10.0.7.32]:5432", 3, heard=61000)
    assert ss.silent(text, 3) == [
        {"peer": "10.0.7.31 port 5432", "connections": 4, "seconds": 410},
        {"peer": "10.0.7.32 port 5432", "connections": 3, "seconds": 61},
    ]
    assert len(ss.silent(text, 1)) == 1


@pytest.mark.parametrize(
    "text",
    [stuck("10.0.7.31:50123", 2), stuck("10.0.7.31:5432", 4, backoff=2), stuck("10.0.7.31:5432", 4, heard=9000), ""],
    ids=["two clients", "for a moment", "heard lately", "nothing"],
)
def test_other_connections_do_not_count(text):
    assert ss.silent(text, 3) == []


def test_one_connection_to_a_service_that_does_not_answer():
    assert ss.silent(stuck("10.240.255.15:443", 1), 3) == [
        {"peer": "10.240.255.15 port 443", "connections": 1, "seconds": 410}
    ]
