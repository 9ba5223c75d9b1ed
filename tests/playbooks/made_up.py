# SPDX-License-Identifier: GPL-3.0-or-later
"""Play a playbook of the collection on made-up hosts: real playbooks and roles, and others in the place of actions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from ansible_collections.linuxnet.tuning.tests.playbooks import forked

ROOT = Path(__file__).resolve().parents[2]
# The parts of an action in the place of another; `answer` gives its result, without any Python on a host.
ACTION = """
import json, os
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.plugins.action import ActionBase
from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.measuring.measurement import BENCHMARK
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import layers
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast import confirm_nothing, ending
folder, view = {folder!r}, {view!r}
class ActionModule(ActionBase):
    _requires_connection = False
    def run(self, tmp=None, task_vars=None):
        return ending.ended(lambda: self.answered(task_vars), task_vars)
    def answered(self, task_vars):
        confirm_nothing(self._task)
        args = ending.options(self._task.args, task_vars, self._templar.template)
        if args.pop("inventory", False):
            args = layers.options(task_vars, self._templar.template, self._loader.load_from_file)
        # What the module would refuse is refused here.
        specs = {{"benchmark": BENCHMARK, "guard": engine.guard_spec(), "nic_info": engine.info_spec()}}
        checked = ArgumentSpecValidator(specs.get(view) or engine.argument_spec(view)).validate(args)
        if checked.error_messages:
            return {{"failed": True, "msg": ". ".join(checked.error_messages)}}
        if view == "benchmark":
            args = checked.validated_parameters
        # A cable that is cut is noticed here.
        self._connection.exec_command("true")
        return answer(task_vars["inventory_hostname"], args, self._task.check_mode, task_vars)
"""

# A connection to this machine that is cut where an answer has said so.
CABLE = """
import os
from ansible.errors import AnsibleConnectionFailure
from ansible.plugins.connection import local
DOCUMENTATION = '''
name: cable
short_description: A cable
description: To this host.
extends_documentation_fragment: [connection_pipelining]
options: {{host: {{description: Its name, vars: [{{name: inventory_hostname}}]}}}}
'''
class Connection(local.Connection):
    transport = "cable"
    def exec_command(self, *words, **options):
        if os.path.exists({folder!r} + "/cut-" + self.get_option("host")):
            raise AnsibleConnectionFailure("the cable is cut")
        return super().exec_command(*words, **options)
"""


def skeleton(folder, kind):
    """Make a collection like this one, whose plugins of one kind are still to come."""
    made = folder / "ansible_collections/linuxnet/tuning"
    (made / "plugins" / kind).mkdir(parents=True)
    for name in ("galaxy.yml", "meta", "playbooks"):
        (made / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "roles", made / "roles")
    # This machine does not get the package.
    tasks = made / "roles/tuned/tasks/main.yml"
    tasks.write_text(json.dumps(yaml.safe_load(tasks.read_text())[-1:]))
    for path in (ROOT / "plugins").iterdir():
        if path.name != kind:
            (made / "plugins" / path.name).symlink_to(path)
    return made


def collection(folder, stub, views):
    """Make a collection like this one, in which `answer(host, args, check_mode, variables)` of the stub answers."""
    made = skeleton(folder, "action")
    for path in (ROOT / "plugins/action").glob("*.py"):
        if path.stem not in views:
            (made / "plugins/action" / path.name).symlink_to(path)
    for view in views:
        text = ACTION.format(folder=str(folder), view=view) + stub
        (made / f"plugins/action/{view}.py").write_text(text)
    (folder / "cable").mkdir()
    (folder / "cable/cable.py").write_text(CABLE.format(folder=str(folder)))
    return made


def play(folder, inventory, *argv, variables=None, **environment):
    """Run ansible-playbook in the folder: its end, and all that it said."""
    call = ["playbook", "-i", inventory, *argv]
    call += ["-e", json.dumps(variables)] if variables else []
    keep = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    own = {"ANSIBLE_COLLECTIONS_PATH": str(folder), "ANSIBLE_HOME": str(folder / "home"), "LC_ALL": "C.UTF-8"}
    own["ANSIBLE_CONNECTION_PLUGINS"] = str(folder / "cable")
    own.update(PWD=str(folder), PYTHONWARNINGS="ignore", **environment)
    if not os.environ.get("PLAY_IN_NEW_PROCESS"):
        said = folder / "said"
        said.unlink(missing_ok=True)
        return forked.run(call, folder, {**keep, **own}, said), said.read_text()
    # As on a terminal: warnings, which ansible-core 2.16 writes to stderr, stand where they were given.
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    call = [sys.executable, "-m", "ansible", *call]
    done = subprocess.run(call, cwd=folder, env={**keep, **own}, **both, text=True, check=False)
    return done.returncode, done.stdout
