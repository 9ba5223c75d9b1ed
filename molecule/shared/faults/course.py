# SPDX-License-Identifier: GPL-3.0-or-later
"""The course of a fault: note what is there, break something, see the host come back; and the table of all faults."""

from __future__ import annotations

import difflib
import time

import pytest
from lab_faults import GUARD_TIMEOUT, Play, ask, lab, ssh, wait_for, waiting

PATIENCE = GUARD_TIMEOUT + 60
COLUMNS = ("fault", "answers after", "earlier settings", "no half file", "next site", "result")

# All places that the collection writes to. What the guard needs the next time stays, and so do originals once noted.
FILES = r"""
find /etc/systemd/system /etc/systemd/network /etc/network /etc/NetworkManager /etc/sysctl.d /etc/tuned \
  /run/systemd/network /run/NetworkManager/system-connections /var/lib/linuxnet-tuning /run/linuxnet-tuning \
  -printf '%M %u %p %l\n' -type f -exec sha256sum {} + 2> /dev/null |
  grep -v -E -e '/(guard/run|baseline.json|linuxnet-tuning-guard.service)( |$)' \
    -e '/linuxnet-tuning/(lock|at-work|guard)( |$)' -e '/reverted' | sort
"""
# Nobody works on the host, and nothing waits to be taken back.
CALM = """
! grep -qsP "^layer\\t[0-9]+\\t([1-9]|0\\t0\\t)" /var/lib/linuxnet-tuning/guard/layers &&
  ! systemctl -q is-active linuxnet-tuning-revert.service &&
  { ! [ -e /run/linuxnet-tuning/lock ] || flock -w 1 /run/linuxnet-tuning/lock true; }
"""
# Another boot than {}, in which the lab and the collection have set up the NICs.
BOOTED = """
[ $(cat /proc/sys/kernel/random/boot_id) != {} ] && timeout 50 sh -c '
for unit in lab-link@igb0 lab-link@igb1 linuxnet-tuning@igb0 linuxnet-tuning@igb1; do
  until systemctl -q is-active $unit; do sleep 0.5; done
done'
"""
BOOT_ID = "cat /proc/sys/kernel/random/boot_id"
ROWS = []


def settings():
    """What is in force, in the tools' own words, with the addresses.

    Without the children that the kernel gives to mq by itself: they follow net.core.default_qdisc of the moment.
    """
    state = ask("raw-state igb0 igb1 | sed '/^== files/,$d; /^qdisc [a-z_]* 0: parent :/d'")
    return state + ask("ip -o address show scope global | awk '{ print $2, $3, $4 }' | sort")


class Fault:
    """One fault, and what came of it."""

    def __init__(self, name):
        self.row = dict.fromkeys(COLUMNS, "-")
        self.row["fault"] = name
        self.plays = []
        self.settings, self.files = settings(), ask(FILES)
        self._struck, self._patience = time.monotonic(), PATIENCE

    def play(self, playbook="linuxnet.tuning.site", **variables):
        """Start a playbook."""
        self.plays.append(Play(playbook, **variables))
        return self.plays[-1]

    def strikes(self):
        """From now on the host has to come back by itself."""
        self._struck = time.monotonic()

    def took(self):
        """Seconds since it struck."""
        return time.monotonic() - self._struck

    def loses_power(self):
        """Kill the router's emulator, and who works on it; start it again from its disk, and wait for the boot."""
        boot = ask(BOOT_ID).strip()
        with lab("power-cut") as cut:
            next(line for line in cut.stdout if "lost its power" in line)
            self.strikes()
            self.plays[-1].kill()
            told = cut.stdout.read()
        self._boots(cut, told, boot)

    def reboots(self):
        """Reboot the router in good order, and wait for the boot."""
        boot = ask(BOOT_ID).strip()
        self.strikes()
        with lab("reboot") as reboot:
            told = reboot.stdout.read()
        self._boots(reboot, told, boot)

    def has_nics(self):
        """The NICs are there, and set up."""
        wait_for(lambda: ssh(BOOTED.format("none"), timeout=60).returncode == 0, 120, 1)

    def _boots(self, command, told, boot):
        assert command.returncode == 0, told
        wait_for(lambda: ssh(BOOTED.format(boot), timeout=60).returncode == 0, 120, 1)
        self._patience += self.took()

    def expects_now(self):
        """What is there now is what has to be there in the end."""
        self.settings, self.files = settings(), ask(FILES)

    def answers(self, way="router"):
        """A new connection can be made, and the guard has done its work."""
        calm = f"timeout 8 sh -c '{waiting(CALM)}'"
        wait_for(lambda: ssh(calm, way, timeout=15).returncode == 0, self._patience, 0.5)
        took = self.took()
        self.row["answers after"] = f"{took:.0f} s"
        assert took <= self._patience

    def has_settings(self):
        """The earlier settings are in force."""
        self.row["earlier settings"] = "no"
        start, now = time.monotonic(), settings()
        # A network manager that has a new link gives it its addresses a little later.
        while now != self.settings and time.monotonic() - start < 20:
            time.sleep(2)
            now = settings()
        assert not difference(self.settings, now)
        self.row["earlier settings"] = "yes"

    def is_as_before(self):
        """The earlier settings are in force, and no file has changed or is left."""
        self.has_settings()
        self.row["no half file"] = "no"
        assert not difference(self.files, ask(FILES))
        self.row["no half file"] = "yes"

    def next_site_works(self, told="was reverted", **variables):
        """The inventory as it is can be brought about, and the run says what was taken back."""
        self.row["next site"] = "no"
        play = self.play(**{"tuning_guard_timeout": 120, **variables})
        assert play.end() == 0, play.output
        # A later task of the run that failed may have told it already.
        said = " ".join(play.output for play in self.plays)
        assert (told in said) if told else ("was reverted" not in said), said
        assert not difference(self.settings, settings())
        self.row["next site"] = "yes"

    def comes_back(self, way="router", told="was reverted"):
        """All of it, after a run that has failed or that was killed."""
        self.answers(way)
        for play in self.plays:
            assert play.end() != 0, play.output
        self.is_as_before()
        self.next_site_works(told)


def difference(before, after):
    """The lines of one text that the other does not have: what a failed assertion begins with."""
    return [*difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "after", lineterm="", n=0)][2:]


@pytest.fixture
def fault(request):
    found = Fault(request.function.__doc__.strip().rstrip(".") + request.node.name[len(request.function.__name__) :])
    ROWS.append(found.row)
    yield found
    for play in found.plays:
        play.close()
    ask("rm -f /usr/local/sbin/ip /usr/local/sbin/ethtool /usr/local/sbin/systemctl /run/fault-*")
    if found.row["result"] != "passed":
        # The other tests begin with what the inventory says, whatever this one has left.
        play = Play(tuning_guard_timeout=120)
        play.end()  # where it fails, the next test says so
        play.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call" and "fault" in item.funcargs:
        item.funcargs["fault"].row["result"] = report.outcome
    return report


def pytest_terminal_summary(terminalreporter):
    if not ROWS:
        return
    table = [dict(zip(COLUMNS, COLUMNS, strict=True)), *ROWS]
    widths = {column: max(len(row[column]) for row in table) for column in COLUMNS}
    table.insert(1, {column: "-" * width for column, width in widths.items()})
    terminalreporter.section("faults")
    for row in table:
        terminalreporter.line("| " + " | ".join(row[column].ljust(widths[column]) for column in COLUMNS) + " |")
