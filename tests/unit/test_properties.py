# SPDX-License-Identifier: GPL-3.0-or-later
"""Promises that hold for every desired state, on devices that behave like real drivers."""

from __future__ import annotations

import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine, schema
from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import plan
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.tests.unit import device_host, devices, memory_host
from ansible_collections.linuxnet.tuning.tests.unit.how_many import examples

BOUNDED = settings(max_examples=examples(150), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
SYSCTLS = {"net.core.rmem_max": "212992", "net.ipv4.tcp_rmem": "4096 131072 6291456"}

numbers = st.one_of(st.integers(1, 9000), st.just("max"), st.integers(1, 100).map("{}%".format))
entries = st.fixed_dictionaries(
    {},
    optional={
        "mtu": st.one_of(st.integers(60, 9300), st.just("max")),
        "txqueuelen": st.integers(0, 20000),
        "ring": st.dictionaries(st.sampled_from(["rx", "tx", "rx_jumbo"]), numbers, min_size=1),
        "channels": st.dictionaries(st.sampled_from(["rx", "tx", "combined"]), numbers, min_size=1),
        "pause": st.dictionaries(st.sampled_from(["autoneg", "rx", "tx"]), st.booleans(), min_size=1),
        "coalesce": st.dictionaries(st.sampled_from(["rx_usecs", "tx_usecs"]), st.integers(1, 3000), min_size=1),
        "features": st.dictionaries(st.sampled_from(["tso", "sg", "gso", "gro", "lro"]), st.booleans(), min_size=1),
    },
)
states = st.dictionaries(st.sampled_from(sorted(devices.MAKERS)), entries, min_size=1)
bounds = st.one_of(
    st.integers(1, 10**9),
    st.fixed_dictionaries({"at_least": st.integers(1, 10**9)}),
    st.fixed_dictionaries({"at_most": st.integers(1, 10**9)}),
)
parameters = st.dictionaries(st.sampled_from(sorted(SYSCTLS)), bounds)


def make_host():
    files = {
        engine.registry.FAMILIES["sysctl"].write("", {key: value}, {})[0].path: value for key, value in SYSCTLS.items()
    }
    return device_host.DeviceHost({name: maker() for name, maker in devices.MAKERS.items()}, files)


def params(state, sysctl=None):
    return {
        "nics": [{"name": nic, **entry} for nic, entry in state.items()],
        "sysctl": sysctl,
        "file": "90-linuxnet-tuning.conf",
        "on_unsupported": "ignore",
    }


def raw(host):
    """Everything the devices hold, not by our parsers."""
    rows = {name: dict(vars(device)) for name, device in host.devices.items()}
    files = {path: text for path, text in host.files.items() if "/var/lib/" not in path}
    return copy.deepcopy(
        ({name: {k: v for k, v in row.items() if not callable(v)} for name, row in rows.items()}, files)
    )


@BOUNDED
@given(states, parameters)
def test_second_call_changes_nothing_and_a_failed_one_leaves_no_trace(state, sysctl):
    host = make_host()
    before = raw(host)
    first = engine.tune(host, "tune", params(state, sysctl))
    host.log.clear()
    if first.get("failed"):
        assert raw(host) == before
        assert host.addresses == make_host().addresses
        return
    second = engine.tune(host, "tune", params(state, sysctl))
    assert not second["changed"]
    assert host.log == []
    assert second["before"] == second["after"] == first["after"]


@BOUNDED
@given(states)
def test_asking_for_before_restores_exactly(state):
    host = make_host()
    before = raw(host)
    first = engine.tune(host, "tune", params(state))
    if not first.get("failed"):
        back = engine.tune(host, "tune", params(first["before"]["nics"]))
        assert not back.get("failed"), back["msg"]
    assert raw(host) == before


@BOUNDED
@given(states, parameters)
def test_check_mode_predicts_and_never_writes(state, sysctl):
    host = make_host()
    before = raw(host)
    predicted = engine.tune(memory_host.Reader(host), "tune", params(state, sysctl))
    assert raw(host) == before
    assert host.log == []
    done = engine.tune(host, "tune", params(state, sysctl))
    assert predicted["changed"] == (done["changed"] or bool(done.get("failed")))


@BOUNDED
@given(states)
def test_only_what_is_asked_for_is_touched(state):
    host = make_host()
    before = raw(host)[0]
    engine.tune(host, "ethtool", params(state))
    after = raw(host)[0]
    assert all(after[nic] == before[nic] for nic in before if nic not in state)
    for nic, entry in state.items():
        for family in ("ring", "channels", "coalesce"):
            keys = {key.replace("_", "-") for key in entry.get(family, {})}
            untouched = {key: value for key, value in before[nic][family].items() if key not in keys}
            assert {key: after[nic][family][key] for key in untouched} == untouched


@BOUNDED
@given(states, st.randoms(use_true_random=False))
def test_order_of_the_input_does_not_matter(state, dice):
    def shuffled(mapping):
        items = list(mapping.items())
        dice.shuffle(items)
        return {key: shuffled(value) if isinstance(value, dict) else value for key, value in items}

    results = [engine.tune(make_host(), "ethtool", params(order)) for order in (state, shuffled(state))]
    assert results[0] == results[1]


@st.composite
def cells(draw):
    """What a device may answer: its value lies within its own limits."""
    low = draw(st.one_of(st.none(), st.integers(0, 80)))
    high = draw(st.one_of(st.none(), st.integers(max(low or 0, 1), 8192)))
    value = draw(st.integers(low or 0, high or 8192))
    return schema.Cell(value, maximum=high, minimum=low, fixed=draw(st.booleans()))


desired = st.one_of(
    st.builds(schema.Desired, st.just("exactly"), st.integers(0, 9000)),
    st.just(schema.Desired("max")),
    st.builds(schema.Desired, st.just("percent"), st.integers(1, 100)),
)
KEYS = [schema.Address("ring", nic, key) for nic in ("a", "b") for key in ("rx", "tx")]
tables = st.dictionaries(st.sampled_from(KEYS), cells())


@BOUNDED
@given(st.dictionaries(st.sampled_from(KEYS), desired), tables)
def test_plan_is_empty_after_itself_and_its_inverse_restores(desired, current):
    made = plan.make(desired, current, registry.FAMILIES, {})
    touched = {change.address for change in made.changes}
    assert touched <= set(desired)
    assert not any(current[address].fixed for address in touched)
    after = apply(made, current)
    again = plan.make(desired, after, registry.FAMILIES, {})
    assert again.changes == ()
    assert [item.address for item in again.unsupported] == [item.address for item in made.unsupported]
    back = plan.make(plan.invert(made, current), after, registry.FAMILIES, {})
    assert {a: c.value for a, c in apply(back, after).items()} == {a: c.value for a, c in current.items()}
    for address, target in made.planned.items():
        if current[address].maximum is not None and desired[address].kind != "exactly":
            assert target <= current[address].maximum


def apply(made, current):
    """What a device that does all it is told would answer."""
    values = {change.address: change.after for change in made.changes}
    return {address: cell._replace(value=values.get(address, cell.value)) for address, cell in current.items()}


REAL = "".join(devices.igb().show(flag)[1] + "\n" for flag in ("-g", "-l", "-a", "-c", "-k"))


@BOUNDED
@given(
    st.one_of(
        st.text(),
        st.lists(st.sampled_from(REAL.splitlines())).map("\n".join),
        st.integers(0, len(REAL)).map(lambda n: REAL[n:]),
    ),
    st.sampled_from(sorted(registry.nic_families(registry.FAMILIES))),
)
def test_parsers_survive_any_text(text, name):
    class Stub:
        def ask(self, query):
            return schema.Answer(0, text, "")

        def names(self, path):
            return []

        def read(self, path):
            return "0x8086"

        def target(self, path):
            return "0000:01:00.0"

        def exists(self, path):
            return True

    reading = registry.FAMILIES[name].read(Stub(), "nic", ())
    for key, cell in reading.cells.items():
        assert isinstance(key, str)
        assert isinstance(cell.value, (bool, int, str, tuple))
        assert cell.maximum is None or cell.maximum > 0


@pytest.mark.parametrize("name", sorted(devices.MAKERS))
def test_max_is_the_maximum_of_every_device(name):
    host = make_host()
    engine.tune(host, "ethtool", params({name: {"ring": {"rx": "max", "tx": "max"}, "channels": {"combined": "max"}}}))
    device = host.devices[name]
    assert {key: device.ring[key] for key in ("rx", "tx") if key in device.ring} == {
        key: device.ring_max[key] for key in ("rx", "tx") if key in device.ring
    }
