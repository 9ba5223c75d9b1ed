# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the way back of a change cannot be prepared, nothing is changed; where none is needed, none is prepared."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import guard, memory, stack
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import TuningError
from ansible_collections.linuxnet.tuning.tests.unit.calls import call, confirm, mtu, mtus
from ansible_collections.linuxnet.tuning.tests.unit.devices import igb
from ansible_collections.linuxnet.tuning.tests.unit.shell_host import ShellHost

FULL = "No space left on device"
CANNOT = {
    "the clock does not start": "systemd-run",
    "the unit of the boot cannot be enabled": "systemctl enable",
    "there is no room for the script": stack.RUN,
    "there is no room for the table": f"write {stack.TABLE}",
}


class Refusing(ShellHost):
    """Its actions that have some words in them fail."""

    refuses = ""

    def do(self, action) -> str:
        return FULL if self.refuses and self.refuses in str(action) else super().do(action)


@pytest.fixture
def host(tmp_path):
    return Refusing(tmp_path, {"igb0": igb, "igb1": igb})


@pytest.mark.parametrize("what", CANNOT)
@pytest.mark.parametrize("terms", [{"guard_timeout": 60}, {"temporary": 60}], ids=["guarded", "temporary"])
def test_nothing_is_changed_and_nothing_is_left(host, what, terms):
    host.refuses = CANNOT[what]
    with pytest.raises(TuningError, match=rf"cannot prepare the rollback: .*{FULL}\. Nothing was changed"):
        mtu(host, 9000, **terms)
    assert mtus(host) == [1500, 1500]
    assert not stack.read(host) and host.clocks == {} and host.originals() == {}
    host.refuses = ""
    mtu(host, 9000, **terms)
    host.passes(200)
    assert mtus(host) == [1500, 1500]


def test_what_waits_for_others_is_taken_back_all_the_same(host):
    mtu(host, 1400, "igb1", guard_timeout=60)
    mtu(host, 1300, "igb1", temporary=300)
    confirm(host)
    mtu(host, 1200, "igb1", guard_timeout=60)
    call(host, "link", nics=[{"name": "igb0", "txqueuelen": 500}], permanent=True)
    before = {path: text for path, text in host.files.items() if path.startswith(stack.FOLDER)}, dict(host.clocks)
    host.disk.refused[stack.TABLE] = FULL
    with pytest.raises(TuningError, match="cannot prepare the rollback"):
        mtu(host, 9000, guard_timeout=60, permanent=True)
    # Nor are there files of a layer that is in no table.
    assert ({path: host.files[path] for path in host.files if path.startswith(stack.FOLDER)}, host.clocks) == before
    del host.disk.refused[stack.TABLE]
    host.passes(100)
    assert mtus(host) == [1500, 1300]
    host.passes(300)
    assert mtus(host) == [1500, 1400]


def test_without_a_note_of_the_originals_nothing_is_changed(host):
    host.disk.refused[memory.BASELINE] = FULL
    with pytest.raises(TuningError, match=rf"{memory.BASELINE} cannot be written \({FULL}\)\. Nothing was changed"):
        mtu(host, 9000)
    assert mtus(host) == [1500, 1500]


def test_a_host_without_systemd_is_told_that_it_cannot_revert(host):
    del host.files["/run/systemd/system"]
    result = mtu(host, 9000, guard_timeout=60)
    assert "This host does not run systemd, so it cannot revert changes by itself" in result["remarks"]
    assert mtus(host) == [9000, 1500] and not guard.pending(host)
    assert not any("revert" in remark for remark in call(host, "ethtool", nics=[])["remarks"])


@pytest.mark.parametrize("terms", [{"guard_timeout": 60}, {"guard_timeout": 0, "permanent": True}])
def test_what_cuts_nothing_or_nobody_guards_needs_no_way_back(host, terms):
    """Each clock costs a command of systemd, and each script a file, on every host."""
    entry = {"features": {"gro": False}} if terms["guard_timeout"] else {"ring": {"rx": 512}}
    result = call(host, "ethtool", nics=[{"name": "igb0", **entry}], **terms)
    assert result["changed"] and "guard" not in result
    assert not any(path.startswith(stack.FOLDER) or path == guard.UNIT for path in host.files)
    assert not any("systemd-run" in line for line in host.done)
