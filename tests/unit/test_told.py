# SPDX-License-Identifier: GPL-3.0-or-later
"""Which hosts are asked for the code, and which are sent it at once."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast import told


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(told.constants, "DEFAULT_LOCAL_TMP", str(tmp_path))
    return tmp_path


def test_the_first_host_is_asked():
    assert not told.lacks("a")


def test_where_one_lacked_it_the_next_is_sent_it_but_who_has_it_by_now_is_not():
    told.note("a", lacked=True)
    assert told.lacks("b")
    assert not told.lacks("a")
    # A part of a name is another name.
    assert told.lacks("aa")


def test_where_most_have_it_hosts_are_asked():
    told.note("a", lacked=True)
    told.note("b", lacked=False)
    assert not told.lacks("c")
    told.note("c", lacked=True)
    assert told.lacks("d")


def test_what_counts_is_what_a_host_said_first():
    told.note("a", lacked=True)
    for _task in range(3):
        told.note("a", lacked=False)
    assert told.lines() == ["-a"]


def test_where_nothing_can_be_noted_every_host_is_asked(folder, monkeypatch):
    monkeypatch.setattr(told.constants, "DEFAULT_LOCAL_TMP", str(folder / "nothing"))
    told.note("a", lacked=True)
    assert not told.lacks("b")
