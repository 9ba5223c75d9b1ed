# SPDX-License-Identifier: GPL-3.0-or-later
"""A play by the fast way gives what the modules give, through Ansible itself."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys

import yaml

from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import guard
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import fast
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast import script

CALLS = [
    ("info", "nic_info", {"names": ["lo"]}, {}),
    ("would", "sysctl", {"sysctl": {"net.ipv4.ip_forward": 2}, "permanent": False}, {}),
    ("unknown", "tune", {"sysctl": {"net.core.no_such_key": 1}}, {}),
    ("template", "tune", {"nics": [{"name": "lo", "{{ 6 * 7 }}": 1}]}, {}),
    ("no_option", "tune", {"sysctls": {}}, {}),
    ("no_number", "tune", {"guard_timeout": "soon"}, {}),
    ("hidden", "guard", {"state": "status"}, {"no_log": True}),
    ("looped", "guard", {"state": "{{ item }}"}, {"loop": ["status", "confirmed"]}),
    ("elsewhere", "guard", {"state": "status"}, {"delegate_to": "other", "run_once": True}),
    ("words", "guard", "state=status temporary=yes", {}),
]
PLAY = [
    {
        "hosts": "localhost",
        "gather_facts": False,
        # Some of the calls have to fail; the test compares each result, and names those that failed.
        "ignore_errors": True,
        "tasks": [
            *(
                {"name": name, f"linuxnet.tuning.{module}": options, "register": name, **more}
                for name, module, options, more in CALLS
            ),
            {
                "ansible.builtin.copy": {
                    "content": "{{ [" + ", ".join(name for name, *_rest in CALLS) + "] | to_json }}",
                    "dest": "{{ file }}",
                    "mode": "0600",
                },
                "check_mode": False,
            },
        ],
    }
]


def play(tmp_path, way):
    """The results of a play on this machine, in check mode, and what it said."""
    interpreter, inventory = tmp_path / "python", tmp_path / "hosts"
    interpreter.write_text(
        f'#!/bin/sh\n[ "$*" = {shlex.quote(" ".join(script.OPTIONS))} ] || exec {sys.executable} "$@"\n'
        f'sed "s#{guard.CODE}#{tmp_path}/code#" | {sys.executable} "$@"\n'
    )
    interpreter.chmod(0o755)
    inventory.write_text("localhost ansible_connection=local\nother ansible_connection=local\n")
    # A template in what a module says comes back as text; it would be 42 otherwise.
    text = yaml.safe_dump(PLAY).replace("'{{ 6 * 7 }}'", "!unsafe '{{ 6 * 7 }}'")
    (tmp_path / "play.yml").write_text(text)
    environment = {
        **os.environ,
        "ANSIBLE_PYTHON_INTERPRETER": str(interpreter),
        "ANSIBLE_HOME": str(tmp_path / "home"),
        "ANSIBLE_REMOTE_TMP": str(tmp_path / "tmp"),
        "ANSIBLE_NOCOLOR": "1",
        fast.SWITCH: way,
    }
    file = tmp_path / f"result{way}.json"
    argv = [
        *(sys.executable, "-m", "ansible", "playbook"),
        "-vvv",
        "--check",
        "--diff",
        "-i",
        inventory,
        tmp_path / "play.yml",
        "-e",
        f"file={file}",
    ]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(file.read_text()), done.stdout


def steady(result):
    """A result without what differs from one moment to the next."""
    if isinstance(result, dict):
        # With -vvv older versions add a traceback to each failure, in which the wrapper's paths stand.
        moving = [
            "exception",
            "uptime",
            "counters",
            "statistics",
            "softnet",
            "interrupts",
            "timestamp",
            "time",
            "protocols",
            "sockets",
        ]
        return {key: steady(value) for key, value in result.items() if key not in moving}
    return [steady(item) for item in result] if isinstance(result, list) else result


def test_both_ways_give_the_same_result_through_ansible(tmp_path):
    slow, said_slow = play(tmp_path, "0")
    quick, said_quick = play(tmp_path, "1")
    names = [name for name, *_rest in CALLS]
    for name, one, other in zip(names, slow, quick, strict=True):
        assert steady(one) == steady(other), name
    results = dict(zip(names, quick, strict=True))
    assert results["info"]["nics"]["lo"]
    assert "{{ 6 * 7 }}" in results["template"]["msg"]
    assert [name for name in names if results[name].get("failed")] == ["unknown", "template", "no_option", "no_number"]
    assert f"because {fast.SWITCH} is 0" in said_slow
    assert "runs on the host's bare interpreter" in said_quick
    assert re.search(r"sends its code, compiled for Python 3\.\d+-\w{4}, because \[Errno 2\]", said_quick)
    assert said_quick.count("sends its code") == 1
    # Another name for this machine, which was not asked: it gets what it has.
    assert said_quick.count("takes its code along, because most hosts of this run have lacked it") == 1
    assert said_quick.count("runs as a module, because its options are not right") == 2
