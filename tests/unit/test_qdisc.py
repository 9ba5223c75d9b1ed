# SPDX-License-Identifier: GPL-3.0-or-later
"""What tc prints of a queueing discipline is understood, in whatever units, and says whether it is as asked for."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Cell
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import qdisc as settings
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import qdisc

# Lines of others: Ubuntu with Linux 5.15, a message of E. Dumazet to netdev on Linux 6.7, the report of I. Babrou on
# Linux 5.4, flent's tests, a mailing list on bufferbloat, tc-ets(8), tc-mqprio(8), and captured ones (tbf, bfifo).
FQ = (
    "qdisc fq 8001: root refcnt 2 limit 10000p flow_limit 100p buckets 1024 orphan_mask 1023 quantum 3028b "
    "initial_quantum 15140b low_rate_threshold 550Kbit refill_delay 40.0ms timer_slack 10.000us"
)
NEW = (
    "qdisc fq 8023: root refcnt 257 limit 10000p flow_limit 100p buckets 1024 orphan_mask 1023\n"
    " bands 3 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1 weights 589824 196608 65536 quantum 18Kb\n"
    " initial_quantum 92120b low_rate_threshold 550Kbit refill_delay 40ms timer_slack 10us horizon 10s horizon_drop"
)
OLD = (
    "qdisc fq 1: dev ext0 root refcnt 65 limit 10000p flow_limit 100p buckets 1024 orphan_mask 1023 quantum 3228 "
    "initial_quantum 16140 low_rate_threshold 550Kbit refill_delay 40.0ms"
)
CAKE = "qdisc cake 800c: dev ifb4eth0.3 root refcnt 2 bandwidth 250Mbit besteffort flows rtt 100.0ms raw"
TINS = (
    "qdisc cake 8001: root refcnt 2 bandwidth 50Mbit diffserv3 dual-srchost nat nowash no-ack-filter split-gso "
    "rtt 100.0ms noatm overhead 18"
)
CODEL = (
    "qdisc fq_codel 8002: root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms "
    "memory_limit 32Mb ecn"
)
# Computed, not captured: the times of CODEL as codel keeps 50 and 150 of them, in units of 1.024 microseconds.
SOON = "qdisc fq_codel 8002: root refcnt 2 limit 10240p flows 1024 quantum 1514 target 49us interval 149us"
TBF = "qdisc tbf 8007: root refcnt 9 rate 100Mbit burst 32Kb lat 50ms"
ETS = (
    "qdisc ets 1: root refcnt 2 bands 8 quanta 1514 1514 1514 1514 1514 1514 1514 1514 priomap 7 6 5 4 3 2 1 0 0 0 0 0"
)
MQPRIO = (
    "qdisc mqprio 8001: root tc 2 map 0 0 1 1 0 0 0 0 0 0 0 0 0 0 0 0\n"
    "             queues:(0:1) (2:3)\n             mode:channel\n             shaper:dcb"
)


@pytest.mark.parametrize(
    ("text", "desired"),
    [
        (FQ, "fq"),
        (FQ, "fq quantum 3028 refill_delay 0.04s limit 10000"),
        (FQ, "fq pacing low_rate_threshold 550000"),
        (NEW, "fq horizon 10s horizon_drop quantum 18k"),
        (OLD, "fq initial_quantum 16140b"),
        (CAKE, "cake bandwidth 250mbit besteffort flows rtt 100ms"),
        (CAKE + " overhead 0", "cake bandwidth 250mbit"),
        (SOON, "fq_codel target 50us interval 150us"),
        (TINS, "cake bandwidth 50mbit diffserv3 nat overhead 18"),
        (TINS, "cake bandwidth 6250kbps nat overhead 18 egress"),
        (CODEL, "fq_codel target 5000us memory_limit 32mb ecn"),
        (TBF, "tbf rate 0.1gbit burst 32kb latency 50ms"),
        (ETS, "ets bands 8 priomap 7 6 5 4 3 2 1 0"),
        (MQPRIO, "mqprio num_tc 2 map 0 0 1 1 queues 2@0 2@2 hw 0"),
    ],
)
def test_equal_in_other_units_is_left_alone(text, desired):
    found = qdisc.parse(text + "\n")
    assert settings._means(found, desired) == qdisc.words(found[0].kind, found[0].settings)


@pytest.mark.parametrize(
    ("text", "desired"),
    [
        (FQ, "fq maxrate 1gbit"),
        (FQ, "fq quantum 9000"),
        (FQ + " maxrate 1Gbit", "fq"),
        (FQ + " nopacing", "fq"),
        (NEW, "fq horizon_cap"),
        (TINS, "cake bandwidth 45mbit nat overhead 18"),
        (TINS, "cake bandwidth 50mbit nat"),
        (TINS, "cake bandwidth 50mbit nonat overhead 18"),
        (CODEL, "fq_codel noecn"),
        (CODEL, "fq_codel ce_threshold 1ms"),
        (ETS, "ets bands 7"),
        (MQPRIO, "mqprio num_tc 2 map 0 0 1 1 queues 1@0 2@2"),
        ("qdisc fq_codel 0: root refcnt 2 limit 10240p", "fq_codel"),
    ],
)
def test_what_differs_is_written(text, desired):
    kind, *words = desired.split()
    assert settings._means(qdisc.parse(text + "\n"), desired) == qdisc.words(kind, qdisc.read(kind, words))


@pytest.mark.parametrize("text", [FQ, NEW, OLD, CAKE, TINS, CODEL, TBF, ETS, MQPRIO])
def test_what_was_found_can_be_asked_for(text):
    """So that the way back is a value of the inventory."""
    (found,) = qdisc.parse(text + "\n")
    kind, *words = qdisc.words(found.kind, found.settings).split()
    assert qdisc.read(kind, words) == found.settings


def test_leaves_stand_in_the_order_of_their_queues():
    text = "qdisc mq 1: root\n" + "".join(
        f"qdisc bfifo 80{number:02x}: parent 1:{number:x} limit {number}b\n" for number in (10, 2, 9)
    )
    assert [item.settings.get("limit") for item in qdisc.parse(text)] == [None, 2, 9, 10]


@pytest.mark.parametrize(
    ("leaves", "channels", "count"),
    [
        ("default", 3, "3"),  # those that the kernel makes by itself go with their queues
        ("fq maxrate 1gbit", 3, "4"),  # recorded from igb on Linux 6.1
        ("fq maxrate 1gbit", 6, "6"),
    ],
)
def test_leaves_that_somebody_has_set_outlive_their_queues(leaves, channels, count):
    cells = settings.qdisc.foresee({"leaves": Cell(leaves, where="4")}, {}, {"combined": channels})
    assert cells["leaves"].where == count
