# SPDX-License-Identifier: GPL-3.0-or-later
"""What real drivers have answered (cases/drivers, written by `make survey`) is understood, and whole calls tell apart
what they round, refuse and ignore."""

from __future__ import annotations

import json
import re

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine, schema
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import ip
from ansible_collections.linuxnet.tuning.scripts import driver_answers
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

TRANSCRIPTS = driver_answers.all_transcripts()
FAMILIES = ("ring", "channels", "coalesce", "pause", "private_flags", "features", "link")
FLAGS = {"-g": "ring", "-l": "channels", "-c": "coalesce", "-a": "pause", "-k": "features"}
FLAGS["--show-priv-flags"] = "private_flags"
each_driver = pytest.mark.parametrize("one", TRANSCRIPTS, ids=lambda one: f"{one.release}-{one.driver}")


class Device:
    """A host whose one NIC answers as it did; a command leads to what it led to, and any other one back."""

    def __init__(self, one, item):
        self.one, self.item, self.now = one, item, item.before
        files = memory_host.Files()
        files.add_nic(one.nic, one.driver)
        files.files["/run/systemd/system/."] = ""
        self.sets = []
        self.host = memory_host.MemoryHost(self.run, files)

    def run(self, argv, _data=""):
        if argv[0] == "ip" and "show" in argv:
            return driver_answers.answer(self.now, "link")
        if argv[0] == "ethtool" and argv[1] in FLAGS:
            return driver_answers.answer(self.now, FLAGS[argv[1]])
        if argv[0] == "ethtool" and len(argv) == 2:
            return 0, "", ""
        self.sets.append(" ".join(argv))
        if self.sets[-1] == self.item.command:
            self.now = self.item.after
            return self.item.rc, self.item.out, self.item.err
        self.now = self.item.before
        return 0, "", ""

    def tune(self, entry):
        params = {"on_unsupported": "fail", "guard_timeout": 0, "permanent": False}
        return engine.tune(self.host, "tune", {**params, "nics": [{"name": self.one.nic, **entry}]})


def texts(one):
    """Every text of a family that any tool has given, once."""
    seen = {}
    for state in [one.state, *(item.after for item in one.tries)]:
        for name in FAMILIES:
            seen.setdefault((name, json.dumps(state[name])), (name, state))
    return list(seen.values())


def as_cell(word):
    """A value in the tool's words, as a cell has it."""
    word = word.split(" [")[0]
    return word == "on" if word in ("on", "off") else int(word) if word.isdigit() else word


def answering(answer):
    """A host that gives one answer to whatever is asked."""
    return memory_host.connect(memory_host.Files(), lambda _argv, _data: answer, True)


@each_driver
def test_every_answer_is_understood(one):
    for name, state in texts(one):
        reading = registry.FAMILIES[name].read(answering(driver_answers.answer(state, name)), one.nic, ())
        known = {ours(name, key): word for key, word in raw(state, name).items()}
        if name == "link":
            shown = json.loads("\n".join(state[name]))[0]
            known.update({key: str(shown[key]) for key in (*ip.SIZES, "group") if key in shown})
        family = registry.FAMILIES[name]
        fields = {field.name for field in family.fields}
        # A text may hold more than can be set.
        desired = {key: word for key, word in known.items() if family.open_kind or key in fields}
        # None of them has an alias.
        assert {key: cell.value for key, cell in reading.cells.items() if key != "alias"} == {
            key: as_cell(word) for key, word in desired.items()
        }
        for key, word in desired.items():
            cell = reading.cells[key]
            assert cell.members or cell.fixed == ("[fixed]" in word)
            requested = re.search(r"\[requested (\w+)\]", word)
            assert cell.members or cell.requested == (as_cell(requested[1]) if requested else None)


def ours(family, key):
    """The name of a key in the inventory: options with underscores, the device's own names as they are."""
    return key if registry.FAMILIES[family].open_kind else key.replace("-", "_")


def raw(state, name):
    return {key: word for (family, key), word in driver_answers.values({name: state[name]}).items()}


def entry_of(item):
    """The desired value in the inventory that means the same as the command."""
    entry = {}
    for (family, key), word in item.desired.items():
        value = as_cell(word)
        if family == "link":
            entry[key] = value
        else:
            entry.setdefault(family, {})[ours(family, key)] = value
    return entry


def playable(one):
    """Commands that an entry can ask for as they are; a group of features is asked for by its members."""
    for item in one.tries:
        groups = {key for key, cell in cells(item.before, "features", one.nic).items() if cell.members}
        keys = item.desired
        if not keys or ("queues", "") < min(keys) < ("queues~", "") or item.heading.startswith("survival"):
            continue
        if not any(key in groups for _family, key in keys):
            yield item


def cells(state, name, nic):
    return registry.FAMILIES[name].read(answering(driver_answers.answer(state, name)), nic, ()).cells


@each_driver
def test_requests_end_as_the_device_has_answered(one):
    played = 0
    for item in playable(one):
        device = Device(one, item)
        before, after = driver_answers.values(item.before), driver_answers.values(item.after)
        try:
            result = device.tune(entry_of(item))
        except schema.TuningError as error:
            # Refused before anything is touched: the device does not take it either.
            assert any(after.get(key) != word for key, word in item.desired.items()), (item.command, error)
            assert not device.sets
            continue
        played += 1
        story = (item.command, item.rc, item.complaint, device.sets, result.get("msg"))
        if all(key in before and as_cell(before[key]) == as_cell(word) for key, word in item.desired.items()):
            assert not result["changed"] and not device.sets, story
        elif all(key in after and as_cell(after[key]) == as_cell(word) for key, word in item.desired.items()):
            assert result["changed"] and not result.get("failed"), story
            assert device.now is item.after, story
        elif result.get("failed"):
            assert device.now is item.before or driver_answers.values(device.now) == before, story
            if item.complaint and item.command in device.sets:
                assert item.complaint in result["msg"], story
        else:
            rounded(item, result, after, story)
    assert played > 10


def rounded(item, result, after, story):
    """Success though the value is another one: it is near, the device has not complained, and the result tells."""
    assert not item.rc, story
    for key, word in item.desired.items():
        desired, now = int(word), int(after[key])
        assert now and 0 < abs(now - desired) <= max(32, desired // 8), story
    assert result["adjusted"], story


def test_what_is_rounded_is_told_from_what_is_ignored():
    ends = {"rounded": set(), "ignored": set(), "refused": set()}
    for one in TRANSCRIPTS:
        for item in playable(one):
            after = driver_answers.values(item.after)
            if all(after.get(key) == word for key, word in item.desired.items()):
                continue
            if item.rc:
                ends["refused"].add(one.driver)
            elif item.before == item.after:
                ends["ignored"].add(one.driver)
            else:
                ends["rounded"].add(one.driver)
    # Where no driver does this any more, the tests above have lost what they are for.
    assert all(ends.values()), ends


def test_every_release_has_the_same_drivers():
    releases, drivers = {one.release for one in TRANSCRIPTS}, {one.driver for one in TRANSCRIPTS}
    assert {(one.release, one.driver) for one in TRANSCRIPTS} == {(rel, drv) for rel in releases for drv in drivers}
