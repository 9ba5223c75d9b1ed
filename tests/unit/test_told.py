# SPDX-License-Identifier: GPL-3.0-or-later
"""Which hosts are asked for the code, and which are sent it at once."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast import told


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(told.constants, "DEFAULT_LOCAL_TMP", str(tmp_path))
    return tmp_path


def _noted(folder):
    return (folder / "linuxnet-tuning-code").read_text().splitlines()


def test_the_first_host_is_asked():
    assert told.lacks("a") is None


def test_where_one_lacked_it_the_next_is_sent_it_but_who_has_it_by_now_is_not():
    told.note("a", "3.11-a70d")
    assert told.lacks("b") == "3.11-a70d"
    assert told.lacks("a") is None
    # A part of a name is another name.
    assert told.lacks("aa") == "3.11-a70d"


def test_where_most_have_it_hosts_are_asked():
    told.note("a", "3.11-a70d")
    told.note("b", None)
    assert told.lacks("c") is None
    told.note("c", "3.11-a70d")
    assert told.lacks("d") == "3.11-a70d"


def test_a_host_is_taken_to_have_the_python_that_most_have():
    told.note("a", "3.9-610d")
    told.note("b root", "3.11-a70d")
    told.note("c root", "3.11-a70d")
    assert told.lacks("d") == "3.11-a70d"
    assert told.lacks("b root") is None


def test_what_counts_is_what_a_host_said_first(folder):
    told.note("a", "3.11-a70d")
    for _task in range(3):
        told.note("a", None)
    assert _noted(folder) == ["3.11-a70d a"]


def test_where_nothing_can_be_noted_every_host_is_asked(folder, monkeypatch):
    monkeypatch.setattr(told.constants, "DEFAULT_LOCAL_TMP", str(folder / "nothing"))
    told.note("a", "3.11-a70d")
    assert told.lacks("b") is None


def test_a_line_that_a_full_disk_has_cut_is_passed_over(folder):
    told.note("a", "3.11-a70d")
    with (folder / "linuxnet-tuning-code").open("a") as file:
        file.write("3.11-a7\n\n")
    assert told.lacks("b") == "3.11-a70d"
    told.note("b", None)
    assert _noted(folder) == ["3.11-a70d a", "3.11-a7", "", "- b"]
