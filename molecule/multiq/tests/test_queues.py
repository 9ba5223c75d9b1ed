# SPDX-License-Identifier: GPL-3.0-or-later
"""Client k's bytes are in queue k and nowhere else, by the counters of the kernel and of the NIC."""

import re

import pytest

# 20 packets of 1042 bytes each; what ARP and the like send meanwhile is far less.
COUNT, SIZE, NOISE = 20, 1000, 3000


# One script for all clients of a NIC, because each command of its own costs a second in the lab.
SCRIPT = """
for address in {addresses}; do
  ping -q -c 1 {first} $address >/dev/null 2>&1
  echo "== $address"; tc -s class show dev {nic}; ethtool -S {nic}
  ping -q -c {count} -i 0.01 -s {size} {then} $address >/dev/null 2>&1
  echo "== $address"; tc -s class show dev {nic}; ethtool -S {nic}
done
"""


# How long the first ping waits and the others do: until all is answered, with a time limit, or a second after the last
# packet to who never answers.
ANSWERED, SILENT = ("-w 10", "-w 5"), ("-W 1", "-W 1")


def growth(host, nic, addresses, patience=ANSWERED):
    """By address: what each queue sent meanwhile, as {queue: bytes} of tc and {queue: packets} of the driver."""
    first, then = patience
    script = SCRIPT.format(addresses=" ".join(addresses), nic=nic, count=COUNT, size=SIZE, first=first, then=then)
    blocks = host.run(f"export LC_ALL=C; {script}").stdout.split("== ")[1:]
    assert len(blocks) == 2 * len(addresses)
    counters = [(sent(block), packets(block)) for block in blocks]
    pairs = zip(addresses, counters[::2], counters[1::2], strict=True)
    return {address: tuple(map(difference, before, after)) for address, before, after in pairs}


def sent(text):
    """The classes of mq and multiq are numbered from 1, in hexadecimal."""
    rows = re.findall(r"class (?:mq|multiq) [0-9a-f]*:([0-9a-f]+) [^\n]*\n\s*Sent (\d+) bytes", text)
    return {int(minor, 16) - 1: int(number) for minor, number in rows}


def packets(text):
    return {int(queue): int(number) for queue, number in re.findall(r"tx_queue_(\d+)_packets: (\d+)", text)}


def difference(before, after):
    assert set(before) == set(after)
    return {queue: after[queue] - before[queue] for queue in before}


def judge(grown, queue, queues):
    assert sorted(grown) == list(range(queues))
    assert grown[queue] >= COUNT * SIZE
    assert {other: number for other, number in grown.items() if other != queue and number > NOISE} == {}


@pytest.mark.parametrize(
    ("nic", "queues", "network", "clients"), [("igb0", 8, "192.168.32", 7), ("lab0", 64, "10.64.0", 18)]
)
def test_bytes_of_a_client_are_in_its_queue(host, nic, queues, network, clients):
    grown = growth(host, nic, [f"{network}.{client}" for client in range(1, clients + 1)])
    for client in range(1, clients + 1):
        by_tc, by_driver = grown[f"{network}.{client}"]
        judge(by_tc, client, queues)
        if nic == "igb0":
            assert by_driver[client] >= COUNT
            assert all(number < COUNT / 2 for queue, number in by_driver.items() if queue != client)


@pytest.mark.parametrize(("nic", "queues", "stranger"), [("igb0", 8, "192.168.32.200"), ("lab0", 64, "10.64.0.200")])
def test_everybody_else_is_in_queue_0(host, nic, queues, stranger):
    host.check_output(f"ip neighbor replace {stranger} lladdr 02:00:00:00:00:01 dev {nic}")
    judge(growth(host, nic, [stranger], SILENT)[stranger][0], 0, queues)
