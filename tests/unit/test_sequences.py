# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls, confirmations, windows, restores, kills and boots in any order, against a model of who wants what.

The model is a stack for each key, and says in few lines what the collection needs a table, a shell and two clocks for.
LINUXNET_TUNING_SEQUENCES=2000 plays as many sequences as it says instead of a few.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import guard, stack
from ansible_collections.linuxnet.tuning.tests.unit.devices import igb
from ansible_collections.linuxnet.tuning.tests.unit.layers_model import Change, Model
from ansible_collections.linuxnet.tuning.tests.unit.shell_host import Killed, ShellHost

SEQUENCES = int(os.environ.get("LINUXNET_TUNING_SEQUENCES", "20"))
SOMAXCONN = "/proc/sys/net/core/somaxconn"
MTU0, MTU1, RING0, SYSCTL = "igb0 mtu", "igb1 mtu", "igb0 ring", "somaxconn"
ORIGINAL = {MTU0: 1500, MTU1: 1500, RING0: 256, SYSCTL: 4096}
VIEWS = {MTU0: "link", MTU1: "link", RING0: "ethtool", SYSCTL: "sysctl"}
# How long nobody confirms before a change goes back.
TIMEOUT = 60

# In the place of a value: 0 is the one that is in force, which a random one would rarely be, and 1 to 3 are others.
OTHERS = {MTU0: (1300, 1400, 1500, 9000), MTU1: (1300, 1400, 1500, 9000), RING0: (256, 512, 4096), SYSCTL: (4096, 9000)}
picks = st.sampled_from([0, 1, 1, 2, 2, 3, 3])
mtus = st.dictionaries(st.sampled_from([MTU0, MTU0, MTU1]), picks, min_size=1)
rings, sysctls = (st.fixed_dictionaries({key: picks}) for key in (RING0, SYSCTL))
SOON, LATE = st.sampled_from([10, 31, 61, 100, 200]), st.sampled_from([30, 90, 200])
# How often each comes in comparison with the others, and its arguments. Random sequences in which most steps change
# nothing would look like many and see little.
STEPS = {
    "asks": (6, {"picked": st.one_of(mtus, rings, sysctls), "guarded": st.booleans(), "permanent": st.booleans()}),
    "opens_a_window": (6, {"picked": st.one_of(mtus, rings), "guarded": st.booleans(), "seconds": LATE}),
    "confirms": (4, {}),
    "takes_back": (1, {"ending": st.booleans()}),
    "waits": (5, {"seconds": SOON}),
    "restores": (2, {"guarded": st.booleans(), "view": st.sampled_from(["link", "ethtool", "sysctl"])}),
    "is_killed": (2, {"picked": st.one_of(mtus, rings, sysctls), "actions": st.integers(0, 14)}),
    "boots": (1, {}),
    "goes_back_to_the_beginning": (1, {}),
}
NAMES = [name for name, (often, _arguments) in STEPS.items() for _time in range(often)]
sequences = st.lists(
    st.sampled_from(NAMES).flatmap(lambda name: st.tuples(st.just(name), st.fixed_dictionaries(STEPS[name][1]))),
    min_size=10,
    max_size=20,
)


class Sequence:
    """One host and its model."""

    def __init__(self, folder):
        self.host = ShellHost(Path(folder), {"igb0": igb, "igb1": igb}, {SOMAXCONN: "4096"})
        self.model = Model(ORIGINAL, TIMEOUT)
        self.changed = set()

    def chosen(self, picked):
        """The values behind these numbers."""
        now = self.model.now()
        others = {key: [value for value in OTHERS[key] if value != now[key]] for key in picked}
        return {key: others[key][(pick - 1) % len(others[key])] if pick else now[key] for key, pick in picked.items()}

    def call(self, view, values=(), **params):
        values = dict(values)
        usual = {"on_unsupported": "fail", "guard_timeout": 0, "file": "90-linuxnet-tuning.conf", "permanent": True}
        nics = [{"name": key.split()[0], "mtu": value} for key, value in values.items() if "mtu" in key]
        nics += [{"name": "igb0", "ring": {"rx": value}} for key, value in values.items() if key == RING0]
        keys = {"net.core.somaxconn": values.get(SYSCTL)}
        desired = {} if "state" in params else {"sysctl": keys} if view == "sysctl" else {"nics": nics}
        result = engine.tune(self.host, view, {**usual, **desired, **params})
        assert not result.get("failed"), result
        return result

    def asks(self, picked, guarded, permanent):
        values = self.chosen(picked)
        view = VIEWS[next(iter(values))]
        cuts = any(self.model.now()[key] != value for key, value in values.items()) and view != "sysctl"
        self.call(view, values, guard_timeout=TIMEOUT * guarded, permanent=permanent)
        files = {view: dict(values)} if permanent else {}
        self.model.put(Change(values, files=files), guarded and cuts, self.host.now)
        self.changed |= set(values)

    def opens_a_window(self, picked, guarded, seconds):
        now = self.model.now()
        values = {key: value for key, value in self.chosen(picked).items() if now[key] != value}
        if values:
            self.call(VIEWS[next(iter(values))], values, guard_timeout=TIMEOUT * guarded, temporary=seconds)
            self.model.put(Change(values, end=self.host.now + seconds), guarded, self.host.now)

    def confirms(self):
        guard.serve(self.host, "confirmed", False)
        self.model.confirm()

    def takes_back(self, ending):
        guard.serve(self.host, "reverted", ending)
        self.model.layers = [layer for layer in self.model.layers if not (layer.waits or (ending and layer.end))]

    def waits(self, seconds):
        self.host.passes(seconds)
        for moment in range(self.host.now - seconds, self.host.now + 1):
            self.model.passes(moment)

    def restores(self, guarded, view):
        noted = {key for key in self.changed if VIEWS[key] == view}
        noted |= {key for layer in self.model.layers if layer.end for key in layer.values if VIEWS[key] == view}
        values = {key: ORIGINAL[key] for key in noted}
        cuts = any(self.model.now()[key] != value for key, value in values.items()) and view != "sysctl"
        self.call(view, state="restored", guard_timeout=TIMEOUT * guarded)
        self.model.put(Change(values, files={view: {}}), guarded and cuts, self.host.now)

    def is_killed(self, picked, actions):
        """In the middle of a call, or after it. Time takes back what can cut the connection, and somebody the rest."""
        in_force, values = self.model.now(), self.chosen(picked)
        view = VIEWS[next(iter(values))]
        self.host.fuse = actions
        with contextlib.suppress(Killed):
            self.call(view, values, guard_timeout=TIMEOUT)
        self.host.fuse = -1
        self.changed |= set(values)
        if view == "link":
            self.host.passes(2 * TIMEOUT)
            self.model.deadline = min(self.model.deadline, self.host.now)
            for moment in range(self.host.now - 2 * TIMEOUT, self.host.now + 1):
                self.model.passes(moment)
        else:
            self.takes_back(False)
        assert not guard.pending(self.host)
        # All of it or nothing; what was in force already, or cuts nothing, needs no confirmation.
        alike = all(in_force[key] == value for key, value in values.items())
        assert self.now() in [{**self.model.now(), **(values if alike or view != "link" else {})}, self.model.now()]
        # The next call says what is to be there.
        values = {key: self.now()[key] for key in ([MTU0, MTU1] if view == "link" else values)}
        self.call(view, values)
        self.model.put(Change(values, files={view: values}), False, self.host.now)
        self.changed |= set(values)

    def boots(self):
        self.host.reboots()
        self.host.files[SOMAXCONN] = "4096"
        for line in self.host.files.get("/etc/sysctl.d/90-linuxnet-tuning.conf", "").splitlines():
            if line.startswith("net.core.somaxconn"):
                self.host.files[SOMAXCONN] = line.rpartition("= ")[2]
        self.model.boots()

    def now(self):
        igb0, igb1 = self.host.devices["igb0"], self.host.devices["igb1"]
        sysctl = int(self.host.files[SOMAXCONN])
        return {MTU0: igb0.link["mtu"], MTU1: igb1.link["mtu"], RING0: igb0.ring["rx"], SYSCTL: sysctl}

    def each_key_is_what_its_uppermost_layer_says(self):
        assert self.now() == self.model.now()

    def the_original_of_what_is_not_original_is_noted(self):
        names = {
            ("igb0", "mtu"): MTU0,
            ("igb1", "mtu"): MTU1,
            ("igb0", "rx"): RING0,
            ("", "net.core.somaxconn"): SYSCTL,
        }
        noted = {names[key]: int(value) for key, value in self.host.originals().items()}
        assert noted == {key: ORIGINAL[key] for key in noted}
        lasting = [layer.values for layer in self.model.layers if not layer.end]
        different = {key for values in (self.model.kept, *lasting) for key in values if values[key] != ORIGINAL[key]}
        assert different <= set(noted)

    def clocks_run_for_what_has_an_end(self):
        there = stack.read(self.host)
        assert not any(layer.waits for layer in there) or "linuxnet-tuning-revert" in self.host.clocks
        assert not any(layer.end for layer in there) or "linuxnet-tuning-window" in self.host.clocks

    def goes_back_to_the_beginning(self):
        if self.model.layers:
            return
        for view in ("link", "ethtool", "sysctl", "tune"):
            self.call(view, state="restored")
        guard.serve(self.host, "confirmed", False)
        self.model = Model(ORIGINAL, TIMEOUT)
        assert not [path for path in self.host.files if "linuxnet-tuning" in path]

    def holds(self):
        self.each_key_is_what_its_uppermost_layer_says()
        self.the_original_of_what_is_not_original_is_noted()
        self.clocks_run_for_what_has_an_end()


def play(steps):
    """A sequence of steps, after each of which everything holds."""
    with tempfile.TemporaryDirectory() as folder:
        sequence = Sequence(folder)
        for name, arguments in steps:
            getattr(sequence, name)(**arguments)
            sequence.holds()


@settings(max_examples=SEQUENCES, deadline=None, derandomize=SEQUENCES < 100, suppress_health_check=list(HealthCheck))
@given(sequences)
def test_every_sequence_ends_where_the_model_does(steps):
    play(steps)
