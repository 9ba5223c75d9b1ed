# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the busiest programs run, as /proc tells it."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import programs
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import processes
from ansible_collections.linuxnet.tuning.tests.unit import memory_host


def line(name, seconds, began, processor, flags=0x400100):
    """A line of /proc/PID/stat as Linux 6.1 writes it."""
    head = f"812 ({name}) S 1 812 812 0 -1 {flags} 7041 0 12 0"
    ticks = f"{int(seconds * 60)} {int(seconds * 40)} 0 0 20 0 4 0 {int(began * 100)} 150000000 3000"
    tail = "18446744073709551615 1 1 0 0 0 0 0 4096 1260 0 0 0 17 {} 0 0 0 0 0 0 0 0 0 0 0 0 0"
    return f"{head} {ticks} {tail.format(processor)}\n"


def host_of(files):
    return memory_host.connect(memory_host.Files(files), lambda *_words: (1, "", ""), True)


def files(nodes="0-1\n"):
    """A host with a busy server, an idle one, a young one and a thread of the kernel."""
    found = {"/sys/devices/system/node/online": nodes, "/proc/uptime": "1000.00 3000.00\n", "/proc/self/stat": "x"}
    rows = {"7": ("idle", 10, 0, 1), "8": ("nginx: (worker)", 1500, 0, 9), "9": ("young", 40, 950, 1)}
    found.update({f"/proc/{pid}/stat": line(*row) for pid, row in rows.items()})
    found["/proc/2/stat"] = line("kworker/0:1", 900, 0, 0, 0x4208060)
    found["/proc/5/stat"] = "5 (damaged) S x y\n"
    found.update({f"/proc/8/task/{thread}/stat": line("worker", 1, 0, cpu) for thread, cpu in (("8", 9), ("11", 10))})
    found["/proc/8/status"] = "Name:\tnginx\nCpus_allowed:\tff00\nCpus_allowed_list:\t8-15\nMems_allowed_list:\t0-1\n"
    return found


def test_the_busiest_programs_are_told_with_their_place():
    assert programs.gather(host_of(files())) == [
        {"name": "nginx: (worker)", "used": 1.5, "allowed": "8-15", "threads": 2, "ran": "9-10"}
    ]


@pytest.mark.parametrize("nodes", ["0\n", "", None])
def test_a_host_with_one_node_is_not_asked(nodes):
    assert programs.gather(host_of({key: value for key, value in files(nodes).items() if value is not None})) == []


@pytest.mark.parametrize("text", ["", "1", "1 (a", "1 (a) R", f"1 (a) S {'1 ' * 20}", f"1 (a) S {'x ' * 40}"])
def test_other_text_is_no_process(text):
    assert processes.parse(text) is None


def test_a_process_of_this_machine_is_understood():
    with open("/proc/self/stat", encoding="utf-8") as file:
        one = processes.parse(file.read())
    assert one and not one.kernel and one.seconds > 0 and one.began > 0
