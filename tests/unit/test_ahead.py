# SPDX-License-Identifier: GPL-3.0-or-later
"""What Ansible has loaded before it forks a worker, by the number of calls that the worker then makes for it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# The action is imported in the process that forks, before it does.
COUNT = """
import json, sys
from ansible.plugins.loader import init_plugin_loader
init_plugin_loader()
from ansible.plugins.loader import become_loader, connection_loader, filter_loader, shell_loader, test_loader
if sys.argv[1] == "action":
    from ansible_collections.linuxnet.tuning.plugins.action import tune

def decoder():
    from ansible.module_utils.common import json as answers
    answers.get_module_decoder("legacy", answers.Direction.MODULE_TO_CONTROLLER)

def types():
    from ansible._internal._task import UnifiedTaskResult
    for from_module in (False, True):
        UnifiedTaskResult.get_result_key_to_resolved_field_mapping(source_is_module=from_module)

parts = {
    "the connection": lambda: connection_loader.get("ssh", class_only=True),
    "the shell": lambda: shell_loader.get("sh", class_only=True),
    "become": lambda: become_loader.get("sudo", class_only=True),
    "filters": lambda: filter_loader.get("upper"),
    "tests": lambda: test_loader.get("string"),
    "how an answer is read": decoder,
    "what a result has": types,
}
found = {}
for name, part in parts.items():
    calls = 0
    def seen(frame, event, argument):
        global calls
        calls += event == "call"
    sys.setprofile(seen)
    try:
        part()
    except (AttributeError, ImportError):
        continue  # this version of Ansible has none
    finally:
        sys.setprofile(None)
    found[name] = calls
print(json.dumps(found))
"""


def calls(imported):
    done = subprocess.run([sys.executable, "-c", COUNT, imported], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def counted():
    return calls("nothing"), calls("action")


def test_every_part_is_there_for_the_worker(counted):
    before, after = counted
    assert set(after) == set(before) >= {"the connection", "the shell", "become", "filters", "tests"}
    assert {name: number for name, number in after.items() if 2 * number > before[name]} == {}


def test_nothing_about_a_connection_is_read_again(counted):
    """Its documentation is YAML, and takes more calls than all else of a task."""
    before, after = counted
    assert sum(after[name] for name in ("the connection", "the shell", "become")) < 200
    assert sum(before.values()) > 100000
