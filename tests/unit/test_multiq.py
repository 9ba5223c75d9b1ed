# SPDX-License-Identifier: GPL-3.0-or-later
"""The way back from rates, which is written before the call, when nobody knows yet which root there will be."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Cell
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import clients
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings.multiq import multiq
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import tc

RATED = {"clients": ("10.0.0.1=1", "others=0"), "rate": ("10.0.0.1=98",)}


def back(before, root, after):
    """What takes a NIC from `after` back to `before`, with the root that it had before."""
    fixed = {"root": root, "clsact": False, "others": (), "leaves": (), "xps": False}
    cells = {key: Cell(value) for key, value in {**fixed, **after}.items()}
    return [line for action in multiq.write("eth0", before, cells) for line in action.lines]


NOTHING = {"method": "none", "clients": (), "rate": ()}


@pytest.mark.parametrize("root", ["mq 0:", "noqueue 0:"])
def test_from_rates_below_mq_to_nothing(root):
    assert back(NOTHING, root, {"method": "clsact", **RATED}) == [
        "qdisc del dev eth0 clsact",
        "qdisc del dev eth0 root",
    ]


def test_from_rates_below_multiq_to_nothing():
    assert back(NOTHING, "mq 0:", {"method": "multiq", **RATED}) == ["qdisc del dev eth0 root"]


def test_from_rates_to_the_same_clients_without():
    before = {"rate": ()}
    assert back(before, "mq 0:", {"method": "clsact", "clsact": True, **RATED}) == ["qdisc del dev eth0 root"]


def test_from_rates_below_mq_to_multiq_which_cannot_have_the_same_handle():
    before = {"method": "multiq", "rate": ()}
    assert back(before, "multiq 1:", {"method": "clsact", **RATED})[:2] == [
        "qdisc del dev eth0 clsact",
        "qdisc replace dev eth0 root handle 2: multiq",
    ]


def test_from_one_rate_to_another():
    after = {"method": "clsact", "clsact": True, **RATED}
    assert back({"rate": ("10.0.0.1=980",)}, "mq 1:", after) == [
        "qdisc replace dev eth0 parent 1:2 handle 6001: tbf rate 980000kbit burst 24500 latency 20ms"
    ]


def test_foreign_qdiscs_of_other_queues_survive_the_end_of_a_rate():
    cells = {"method": "clsact", "clsact": True, "leaves": ("5 tbf 8001:",), **RATED}
    assert back({"rate": ()}, "mq 1:", cells) == ["qdisc replace dev eth0 parent 1:2 handle 7001: pfifo limit 1000"]


def test_filters_of_somebody_else_outlive_ours():
    cells = {"method": "clsact", "clsact": True, "others": ("pref 5 bpf",), **RATED, "rate": ()}
    lines = back({"method": "none", "clients": ()}, "mq 0:", cells)
    assert lines == [f"filter del dev eth0 egress pref {pref}" for pref in (20001, 29999)]
    # Likewise where clients go to the other method.
    lines = back({"method": "multiq"}, "mq 0:", cells)
    assert not any("del dev eth0 clsact" in line for line in lines)


def test_mq_comes_back_in_the_place_of_multiq():
    cells = {"method": "multiq", **RATED, "rate": ()}
    lines = back({"method": "mq", "clients": ()}, "multiq 1:", cells)
    assert lines == ["qdisc del dev eth0 root", "qdisc replace dev eth0 root mq"]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (9.8, "9800Kbit"),
        (999.999, "999999Kbit"),
        # From here on iproute2 (sprint_rate) shows no digit behind the Mbit.
        (1234.567, "1234Mbit"),
        (99999.999, "99999Mbit"),
        (400000, "400Gbit"),
    ],
)
def test_a_rate_has_no_more_digits_than_tc_shows(written, shown):
    (field,) = (field for field in multiq.fields if field.name == "rate")
    (planned,) = clients.rates(field, [f"10.0.0.1={written}"]).value
    text = f"qdisc mq 1: root \nqdisc tbf 6001: parent 1:2 rate {shown} burst 24382b lat 20ms \n"
    (leaf,) = tc.parse_qdiscs(text).leaves
    assert f"10.0.0.1={tc.mbit(leaf.rate)}" == planned
