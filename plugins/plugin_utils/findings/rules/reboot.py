# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds now and will not after the next boot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...drift import differences, leaves
from ..model import Hit, Rule
from ..view import Facts, Host


def _files(tree: Any) -> dict[str, Any]:
    """The files of a diff, wherever they stand: their names begin with a slash."""
    found: dict[str, Any] = {}
    for name, below in Facts(tree).raw.items():
        if str(name).startswith("/"):
            found[str(name)] = below
        elif isinstance(below, Mapping):
            found.update(_files(below))
    return found


def _unwritten(host: Host) -> Iterator[Hit]:
    """Files that tune would write although every value is right."""
    live = dict(leaves(host.tune.at("before")))
    # The files of a NIC whose values differ are told of by another rule; the template, "@.service", is about no value.
    wrong = {"", *(where for (where, _setting), _is, _planned in differences(host.tune.raw))}
    missing = []
    before, after = (_files(host.tune.at("diff", side)) for side in ("before", "after"))
    for file, planned in after.items():
        if isinstance(planned, Mapping):
            current = Facts(before.get(file)).raw
            missing += [
                f"{key} = {value} in {file}"
                for key, value in planned.items()
                if current.get(key) != value and live.get(("host", str(key))) == value
            ]
        elif not any(f"@{where}.service" in file for where in wrong):
            missing.append(file)
    if missing:
        yield Hit({"not written": missing})


def _by_hand(host: Host) -> Iterator[Hit]:
    """The last file to set a key has another value than the kernel."""
    last: dict[str, tuple[str, str, bool]] = {}
    for row in host.rows("sysctl_files"):
        for key, value in row.texts("sets").items():
            mine = row.flag("ours") is True or (key in last and last[key][2])
            last[key] = (row.text("file"), value, mine)
    wrong = {
        key: f"{host.sysctl(key)} now, {value} by {file}"
        for key, (file, value, mine) in last.items()
        if host.sysctl(key) and not mine and host.sysctl(key).split() != value.split()
    }
    if wrong:
        yield Hit(wrong)


RULES = (
    Rule(
        id="lost-at-reboot",
        severity="medium",
        title="Settings that are in force now will not survive a reboot",
        condition="the values of the inventory are in force, and a file that keeps them is missing or differs",
        explanation="What is set on a NIC or under /proc/sys is lost at a reboot. The files that set it again are "
        "missing or different.",
        action="Run the playbook linuxnet.tuning.site; it writes the files and does not touch the values.",
        reference="https://man7.org/linux/man-pages/man8/systemd-sysctl.service.8.html",
        host=_unwritten,
    ),
    Rule(
        id="sysctl-differs-from-files",
        severity="note",
        title="A kernel parameter differs from the file that sets it",
        condition="the value in force is not that of the last file in sysctl.d with this key, and the file is not ours",
        explanation="Somebody or some program has set the value since the boot. The next boot restores the value of "
        "the file.",
        action="Write the value that you want into the inventory.",
        reference="https://man7.org/linux/man-pages/man5/sysctl.d.5.html",
        host=_by_hand,
    ),
)
