# SPDX-License-Identifier: GPL-3.0-or-later
"""A call in which something goes wrong, and what has to be then: the host is as it was, or the result says what is not.

Something goes wrong at any place of a call, on a host with values that somebody has set by hand, and with what earlier
calls have left behind.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from hypothesis import strategies as st

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import guard, stack
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import TuningError
from ansible_collections.linuxnet.tuning.tests.unit.memory_host import Reader
from ansible_collections.linuxnet.tuning.tests.unit.queues_host import QUEUES
from ansible_collections.linuxnet.tuning.tests.unit.shell_host import Killed
from ansible_collections.linuxnet.tuning.tests.unit.wilful_host import CONF, INNER, VLAN, WilfulHost

TIMEOUT = 60
# What can be asked for: by NIC and option, or by kernel parameter.
DESIRED = {
    ("igb0", "mtu"): [1200, 1300, 9000],
    ("igb0", "txqueuelen"): [500],
    ("igb0", "channels"): [{"combined": 1}, {"combined": 4}],
    ("igb0", "ring"): [{"rx": 512}, {"rx": 512, "tx": 1024}],
    ("igb0", "features"): [{"sg": False}, {"gro": False}, {"tso": False, "gso": False}],
    ("igb0", "coalesce"): [{"rx_usecs": 50}, {"rx_usecs": 50, "tx_usecs": 60}],
    ("igb0", "pause"): [{"autoneg": False, "tx": False}],
    ("igb0", "irq"): [{"xps": "spread"}, {"xps": "none", "rps": "all"}],
    (VLAN, "mtu"): [1200, 1300, 4000],
    (VLAN, "txqueuelen"): [500],
    ("e1000e0", "ring"): [{"rx": 1024}],
    ("e1000e0", "mtu"): [9000],
    ("", "net.core.somaxconn"): [9000],
    ("", "net.ipv4.conf.all.forwarding"): [1],
}
# What somebody has set by hand before.
WAITS = "feature that waits for another"


def _mtus(host, value, *nics):
    """None is larger than that of the NIC below it."""
    for nic in nics:
        host.devices[nic].link.update(mtu=value)


BY_HAND = {
    "mtu": lambda host: _mtus(host, 1400, "igb0", VLAN, INNER),
    "mtu of the VLAN": lambda host: _mtus(host, 1350, VLAN, INNER),
    "ring": lambda host: host.devices["igb0"].ring.update(rx=2048),
    "coalescing": lambda host: host.devices["igb0"].coalesce.update({"rx-usecs": 20}),
    WAITS: lambda host: host._ethtool(("ethtool", "-K", "igb0", "sg", "off")),
    "queues": lambda host: host.files.update(
        {f"{QUEUES}/tx-1/xps_cpus": "00000002", f"{QUEUES}/rx-1/rps_cpus": "00000008"}
    ),
    "forwarding of one NIC": lambda host: host.files.update({f"{CONF}/igb0/forwarding": "1"}),
}
EARLIER = {
    "": None,
    "is noted": {"guard_timeout": 0},
    "waits": {"guard_timeout": TIMEOUT},
    "ends": {"guard_timeout": 0, "temporary": 2 * TIMEOUT},
}
FAULTS = [
    *("is busy", "is busy", "does nothing", "does nothing", "takes a part"),
    *("hangs once", "hangs for good", "is stopped", "nobody answers"),
]
attempts = st.fixed_dictionaries(
    {
        "desired": st.lists(st.sampled_from(sorted(DESIRED)), min_size=2, max_size=6, unique=True).flatmap(
            lambda keys: st.fixed_dictionaries({key: st.sampled_from(DESIRED[key]) for key in keys})
        ),
        "by_hand": st.sets(st.sampled_from(sorted(BY_HAND)), max_size=3),
        "earlier": st.sampled_from(sorted(EARLIER)),
        "guarded": st.booleans(),
        "permanent": st.booleans(),
        "fault": st.sampled_from(FAULTS),
        "at": st.integers(0, 30),
        "held": st.sampled_from([-1, -1, -1, 0, 1, 2]),
    }
)


def options(desired, **params):
    """The options of a call that asks for this."""
    nics = {}
    for (nic, key), value in desired.items():
        if nic:
            nics.setdefault(nic, {"name": nic})[key] = value
    usual = {"on_unsupported": "fail", "guard_timeout": 0, "permanent": False, "file": "90-linuxnet-tuning.conf"}
    sysctl = {key: value for (nic, key), value in desired.items() if not nic}
    return {**usual, "nics": list(nics.values()), "sysctl": sysctl or None, **params}


# What the engine calls the keys of the devices.
SPELT = {"txqlen": "txqueuelen", "rx-usecs": "rx_usecs", "tx-usecs": "tx_usecs"}
# The order of commands that a driver or the kernel works out nothing anew with.
ORDER = ("sysctl -w", "ip link", "ethtool -L", "ethtool -G", "ethtool -K", "ethtool -C", "ethtool -A", "write /etc")
PUT_BACK = ("All changes of this call were rolled back.", "No change had taken effect yet.")


class Attempt:
    """A host on which a call is going to fail, and what is to be true then."""

    def __init__(self, folder, by_hand, earlier):
        self.host = WilfulHost(Path(folder))
        for name in sorted(by_hand):
            BY_HAND[name](self.host)
        if EARLIER[earlier] is not None:
            done = engine.tune(self.host, "tune", options({("e1000e0", "txqueuelen"): 500}, **EARLIER[earlier]))
            assert not done.get("failed"), done
        assert bool(self.host.clocks) == (earlier in ("waits", "ends"))
        self.before, self.armed, self.ours = self.host.raw(), self.host.armed(), self.of_ours()

    def of_ours(self):
        return {path for path in self.host.files if "linuxnet-tuning" in path}

    def looks(self, view, params):
        """Check mode writes nothing; gives how many commands it foretells."""
        logged = list(self.host.log)
        foretold = engine.tune(Reader(self.host), view, params)
        assert (self.host.raw(), self.host.armed(), self.host.log) == (self.before, self.armed, logged)
        return len(foretold["commands"])

    def goes_wrong(self, view, params, fault, at, held):
        """Whether something has, in this call."""
        self.host.breaks(fault, at, held)
        begun = len(self.host.log)
        self.result = {"failed": True, "changed": False}
        try:
            self.result = engine.tune(self.host, view, params)
        except Killed:
            assert fault == "is stopped"
        except TuningError as error:
            raise AssertionError("it is not true that nothing was touched") from error
        happened, self.layers = self.host.happened, self.host.layers
        self.done, self.undone = (
            (self.host.log[begun:happened], self.host.log[happened:]) if happened >= 0 else ((), ())
        )
        self.host.breaks("")
        return bool(self.result.get("failed"))

    def is_refused(self, params):
        """Before anything is touched."""
        logged = list(self.host.log)
        try:
            engine.tune(self.host, "tune", params)
        except TuningError as error:
            assert "Nothing was changed" in str(error)
            assert (self.host.raw(), self.host.armed(), self.host.log) == (self.before, self.armed, logged)
        else:
            raise AssertionError("it was not refused")

    def is_moved(self, nic):
        """Whether it has another MTU than before."""
        return self.host.devices[nic].link["mtu"] != self.before[0][nic]["link"]["mtu"]

    def has_what_is_desired(self, view, params):
        """Which another look at it tells."""
        assert not engine.tune(Reader(self.host), view, {**params, "permanent": False})["changed"]

    def is_as_before(self):
        assert self.host.raw() == self.before

    def is_back(self):
        """All of it is as it was, and that is what is said."""
        self.is_as_before()
        assert self.host.armed() == self.armed
        assert self.armed[2] or self.of_ours() == self.ours
        assert not self.result["changed"]
        assert self.result["after"] == self.result["before"]
        assert self.result["side_effects"] == []
        assert self.result["msg"].endswith(PUT_BACK), self.result["msg"]
        assert len(self.result["msg"]) > len(max(PUT_BACK, key=len)), "no word of what went wrong"

    def went_newest_first(self):
        """Of what nothing else works out anew."""
        anew = "ethtool -C" if any(line.startswith("ethtool -L") for line in self.done) else "guard"
        first, last = (
            list(
                dict.fromkeys(
                    kind
                    for line in lines
                    for kind in ORDER
                    if line.startswith(kind) and anew not in line and "guard" not in line
                )
            )
            for lines in (self.done, self.undone)
        )
        assert [kind for kind in last if kind in first] == [kind for kind in reversed(first) if kind in last]

    def different(self):
        """The addresses that are not as they were, as a message names them."""
        (rows, _addresses, files), (was, _were, had) = self.host.raw(), self.before
        found = {
            f"{nic} {family} {SPELT.get(key, key)}"
            for nic, row in rows.items()
            for family in ("link", "ring", "channels", "coalesce", "pause", "requested")
            for key in row[family]
            if row[family][key] != was[nic][family][key]
        }
        paths = {path for path in {*files} & {*had} if files[path] != had[path]}
        found |= {f"sysctl {path[10:].replace('/', '.')}" for path in paths if path.startswith("/proc/sys/")}
        found |= {
            f"igb0 irq {path.rpartition('/')[2].replace('_cpus', '')}" for path in paths if path.startswith(QUEUES)
        }
        return {words.replace("requested", "features") for words in found}

    def tells_what_is_left(self):
        told = self.result["msg"]
        assert self.result["failed"]
        assert "could not be" in told
        assert told.endswith(PUT_BACK) != ("could not be rolled back" in told)
        # Of a group that cannot be read nobody knows which of its values are left.
        names = {
            words: rf"{re.escape(words.rpartition(' ')[0])}( {re.escape(words.rpartition(' ')[2])})?"
            for words in self.different()
        }
        left = {words for words, name in names.items() if not re.search(rf"{name}(,| could| changed)", told)}
        assert not left, told
        assert len(stack.read(self.host)) == self.layers or "could not be rolled back" not in told, "the guard is off"

    def comes_back_by_itself(self):
        """The guard takes away what is left of a call, with what waits from earlier ones."""
        self.host.passes(3 * TIMEOUT)
        if self.armed[0]:
            self.before[0]["e1000e0"]["link"]["txqlen"] = 1000
        assert self.host.raw() == self.before
        assert not stack.read(self.host)

    def can_be_restored(self):
        done = engine.tune(self.host, "tune", options({}, state="restored", nics=None, permanent=True))
        assert not done.get("failed"), done
        self.before[0]["e1000e0"]["link"]["txqlen"] = 1000
        assert self.host.raw() == self.before


def attempt(desired, by_hand, earlier, guarded, permanent, fault, at, held, view="tune"):
    """One call that fails, and what has to be then."""
    with tempfile.TemporaryDirectory() as folder:
        it = Attempt(folder, by_hand, earlier)
        params = options(desired, guard_timeout=TIMEOUT * guarded, permanent=permanent)
        if fault == "nobody answers":
            params["nics"] = [{**one, "path_check": "192.0.2.1"} if "mtu" in one else one for one in params["nics"]]
        if fault == "cannot be":
            it.is_refused(params)
            return "refused"
        count = it.looks(view, params)
        at = count + 100 if fault == "nobody answers" else at % max(count, 1)
        if not it.goes_wrong(view, params, fault, at, held):
            assert not any("path_check" in one and it.is_moved(one["name"]) for one in params["nics"])
            it.has_what_is_desired(view, params)
            return "well"
        if fault == "is stopped":
            if (
                held == -1 and (VLAN, "mtu") not in desired
            ):  # which may fail by itself, so that it is stopped on its way back
                it.is_as_before()
            if guard.pending(it.host):
                it.comes_back_by_itself()
            return "stopped"
        if it.different() or not it.result["msg"].endswith(PUT_BACK):
            assert held != -1 or fault == "hangs for good"
            it.tells_what_is_left()
            if len(guard.pending(it.host)) > (earlier == "waits"):
                it.comes_back_by_itself()
                return "stuck, guarded"
            it.can_be_restored()
            return "stuck"
        it.is_back()
        if fault == "is busy" and it.undone:
            it.went_newest_first()
        return "back"
