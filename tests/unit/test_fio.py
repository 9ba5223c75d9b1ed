# SPDX-License-Identifier: GPL-3.0-or-later
"""fio in a measurement: the time for its files, who forgets them, and which memory they fit into."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import schema
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import fio
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import (
    files,
)
from ansible_collections.linuxnet.tuning.tests.unit.measurements import made


def test_fio_has_a_time_for_its_files_and_a_name_for_each_host():
    whole = made([{"server": "router1", "clients": "room1"}], repeat=1, fio={"directory": "/mnt"}, directions=["up"])
    step = next(step for step in whole["hosts"]["pc1"]["steps"] if step.get("fio"))
    assert step["limit"] == 60 + 10 + 300
    assert whole["seconds"] > 370
    options = {key: word.get("default") for key, word in fio.OPTIONS.items()} | {"directory": "/mnt"}
    assert "--name=linuxnet-benchmark-pc1" in fio.command(options, "pc1")
    assert not any(word.startswith("--filename") for word in fio.command(options, "pc1"))
    # All jobs of a host on one file, as the report on NFS measured; what is left of a job that was cut off is found.
    assert "--filename=linuxnet-benchmark-pc1.0" in fio.command({**options, "files": "shared"}, "pc1")
    assert "--create_only=1" in fio.layout(options, "pc1")
    assert "--unlink=1" not in fio.layout(options, "pc1"), "the job needs them"
    assert fio.remove(options, "pc1")[-2:] == ["linuxnet-benchmark-pc1.[0-9]*", "-delete"]
    said = '{"jobs": [{"error": 0, "read": {"bw_bytes": 1000}, "write": {"bw_bytes": 0}}]}'
    assert fio.parse(f"note: both iodepth and so on\n{said}", "", options) == {"bits_per_second": {"read": 8000}}
    with pytest.raises(schema.TuningError, match="fio failed: no space left"):
        fio.parse("", "no space left", options)


def test_all_hosts_of_the_entry_forget_files_before_fio_and_wait_until_these_are_written():
    entries = [{"server": "router1", "clients": "room1"}]
    job = {"directory": "/mnt", "drop_caches": "yes", "mount": {"source": "files1:/srv"}}
    whole, plain = (made(entries, repeat=1, directions=["up"], fio=words) for words in (job, {"directory": "/mnt"}))
    for one, dropped in ((whole, [True]), (plain, [])):
        gate = {step["id"]: step for step in one["hosts"]["router1"]["gate"]}
        own = {step["id"]: step for step in one["hosts"]["pc1"]["steps"]}
        for steps in (gate, own):
            assert [step["drop_caches"] for step in steps.values() if "drop_caches" in step] == dropped
            assert "drop_caches" not in steps["1-up-1"]
        assert gate["1-fio"]["limit"] >= 300 + gate["end"]["limit"] - own["1-fio"]["limit"]
    assert next(step["fio"] for step in whole["hosts"]["pc1"]["steps"] if "fio" in step) == {
        "directory": "/mnt",
        "mount": {"source": "files1:/srv"},
    }


@pytest.mark.parametrize(
    ("job", "says"),
    [
        (
            {},
            [
                "24 GiB of files in all, 8 GiB of each client",
                "direct I/O passed by",
                "fit into its memory, and its disks",
            ],
        ),
        ({"drop_caches": True}, ["fit into its memory, and were dropped"]),
        ({"files": "shared", "direct": False}, ["6 GiB of files in all", "pc1, pc2, pc3 can hold its files"]),
        (
            {"size": "20G"},
            ["240 GiB of files in all, 80 GiB of each client; direct I/O passed by the caches of the clients"],
        ),
        ({"size": "10%"}, []),
    ],
)
def test_what_of_the_files_fits_into_which_memory_is_said(job, says):
    options = {"repeat": 1, "directions": ["up"], "fio": {"directory": "/mnt", **job}}
    whole = made([{"server": "router1", "clients": "room1"}], **options)
    memory = {"router1": {"memory": 64 << 30}, **{name: {"memory": 4 << 30} for name in ("pc1", "pc2", "pc3")}}
    (group,) = whole["groups"]
    found = files.about(group, whole["steps"], whole["options"], memory)
    said = files.lines(found)[0] if found else ""
    assert all(part in said for part in says), said
    assert bool(said) == bool(says)
