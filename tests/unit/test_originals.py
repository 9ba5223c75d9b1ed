# SPDX-License-Identifier: GPL-3.0-or-later
"""No original is lost: neither that of a temporary change which cannot be set back, nor with a call that was killed."""

from __future__ import annotations

import contextlib
import json

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import guard, memory, script, stack
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Address, Cell
from ansible_collections.linuxnet.tuning.tests.unit.calls import call
from ansible_collections.linuxnet.tuning.tests.unit.devices import igb
from ansible_collections.linuxnet.tuning.tests.unit.queues_host import QueuesHost
from ansible_collections.linuxnet.tuning.tests.unit.shell_host import Killed, ShellHost

OTHER = [{"name": "igb1", "txqueuelen": 500}]


@pytest.fixture
def host(tmp_path):
    return ShellHost(tmp_path, {"igb0": igb, "igb1": igb})


def window(host, **params):
    call(host, nics=[{"name": "igb0", "mtu": 1300}], temporary=3600, **params)


def rollback(host):
    guard.serve(host, "reverted", True)
    call(host, state="restored", guard_timeout=60)
    guard.serve(host, "confirmed", False)


def test_what_a_window_could_not_set_back_stays_noted_until_it_can_be(host):
    window(host)
    host.refused = ["link set dev igb0 mtu 1500"]
    host.passes(3600)
    assert host.devices["igb0"].link["mtu"] == 1300
    assert "igb0 link mtu could not be restored to 1500" in call(host, nics=OTHER)["reverted"]
    assert host.originals()[("igb0", "mtu")] == 1500
    host.refused = []
    rollback(host)
    assert host.devices["igb0"].link["mtu"] == 1500
    assert host.originals() == {}


def test_what_a_revert_could_not_set_back_stays_noted_too(host):
    window(host)
    host.refused = ["link set dev igb0 mtu 1500"]
    result = guard.serve(host, "reverted", True)
    assert result["warnings"] == ["igb0 link mtu could not be restored to 1500; the journal says why"]
    assert stack.read(host) == []
    assert host.originals() == {("igb0", "mtu"): 1500}
    host.refused = []
    rollback(host)
    assert host.devices["igb0"].link["mtu"] == 1500


@pytest.mark.parametrize("row", ["igb0 li", "igb0 link mtu", "igb0 link mtu\t", "igb0 link mtu\t[15"])
def test_a_note_that_the_power_has_cut_off_holds_nobody_up(host, row):
    host.files[f"{script.REVERTED}/failed"] = row
    call(host, nics=OTHER)
    assert not host.exists(f"{script.REVERTED}/failed")
    assert host.originals() == {("igb1", "txqueuelen"): 1000}


@pytest.mark.parametrize("fuse", range(14))
def test_a_confirmation_of_a_call_that_was_killed_loses_no_original(host, fuse):
    window(host)
    host.fuse = fuse
    with contextlib.suppress(Killed):
        call(host, state="restored", guard_timeout=60)
    host.fuse = -1
    call(host, nics=OTHER)
    guard.serve(host, "confirmed", False)
    rollback(host)
    assert [device.link["mtu"] for device in host.devices.values()] == [1500, 1500]
    assert host.originals() == {}
    assert not [path for path in host.files if "linuxnet-tuning" in path]


def test_restored_brings_back_what_the_driver_worked_out_anew_with_the_channels(tmp_path):
    host = QueuesHost(tmp_path)
    host.devices["igb0"].coalesce = {"rx-usecs": 50, "tx-usecs": 60}
    call(host, nics=[{"name": "igb0", "channels": {"combined": 4}}])
    assert host.devices["igb0"].coalesce == {"rx-usecs": 3, "tx-usecs": 60}
    assert host.originals() == {("igb0", "combined"): 2, ("igb0", "rx_usecs"): 50}
    call(host, state="restored")
    assert host.devices["igb0"].coalesce == {"rx-usecs": 50, "tx-usecs": 60}
    assert host.originals() == {}


class PlacingHost(QueuesHost):
    """With a driver that places the interrupts of the queues in use whenever there are more or fewer, as virtio."""

    def _make_queues(self) -> None:
        super()._make_queues()
        for queue in range(self.devices["igb0"].channels["combined"] if "/proc/interrupts" in self.files else 0):
            self.files[self.path(queue)] = f"{queue % 2}\n"

    @staticmethod
    def path(queue):
        return f"/proc/irq/{50 + queue}/smp_affinity_list"


@pytest.mark.parametrize("entry", [{}, {"irq": {"affinity": {0: 0}}}])
def test_restored_brings_back_the_interrupts_of_queues_that_are_not_in_use(tmp_path, entry):
    rows = [f"{50 + queue}: 0 0 0 0 PCI-MSI {queue}-edge igb0-TxRx-{queue}\n" for queue in range(4)]
    placed = dict(zip(map(PlacingHost.path, range(4)), ["0\n", "1\n", "0-3\n", "0-3\n"], strict=True))
    host = PlacingHost(tmp_path, files={"/proc/interrupts": "CPU0 CPU1 CPU2 CPU3\n" + "".join(rows), **placed})
    host.files.update(placed)
    call(host, nics=[{"name": "igb0", "channels": {"combined": 4}, **entry}])
    assert [host.files[path].strip() for path in placed] == ["0", "1", "0", "1"]
    call(host, state="restored")
    assert [host.files[path].strip() for path in placed] == ["0", "1", "0-3", "0-3"]
    assert host.originals() == {}


def test_a_rounded_number_without_its_value_is_passed_over_and_the_others_count(host):
    """Such a note is as good as none: the value is set once more, and no call fails for it."""
    ring = {"family": "ring", "nic": "igb0"}
    rows = [{**ring, "key": "rx", "asked": 1000}, {**ring, "key": "tx", "value": 1008, "asked": 1000}]
    host.files[memory.ADJUSTED] = json.dumps({"version": 1, "values": rows})
    cells = {Address("ring", "igb0", key): Cell(1008) for key in ("rx", "tx")}
    memory.recall(host, cells)
    assert [cell.rounded for cell in cells.values()] == [None, 1000]
