# SPDX-License-Identifier: GPL-3.0-or-later
"""Run `python -m ansible` by a fork of a process that has loaded what each run would load anew; no part of a test.

Of Ansible's own modules most read the settings, and with them the environment, while they are imported. These are left
to the run, so it sees its environment, folder and arguments like a process of its own. PLAY_IN_NEW_PROCESS=1 has
made_up start one, where there is a doubt.
"""

from __future__ import annotations

import functools
import gc
import importlib
import json
import os
import runpy
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Ansible needs them in each run, and the settings decide nothing in them.
LOADED = """
ast cryptography.hazmat.backends.openssl.backend getpass importlib.metadata inspect jinja2.nativetypes logging
multiprocessing.queues packaging.specifiers packaging.version pkgutil tempfile uuid xml.etree.ElementTree yaml zipfile
ansible.config.manager
"""


@functools.cache
def _server():
    """The process that forks: one for each process of pytest, with the environment that is not a test's."""
    kept = ("PATH", "HOME", "LANG", "PYTHONPYCACHEPREFIX")
    own = {
        "LC_ALL": "C.UTF-8",
        "PYTHONWARNINGS": "ignore",
        **{key: os.environ[key] for key in kept if key in os.environ},
    }
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen([sys.executable, __file__], env=own, cwd="/", text=True, **pipes)


def run(argv, cwd, environment, output):
    """Like `python -m ansible ARGV`: what it says goes to the file; its exit code."""
    server = _server()
    server.stdin.write(json.dumps([argv, str(cwd), environment, str(output)]) + "\n")
    server.stdin.flush()
    answer = server.stdout.readline()
    assert answer, "the process that forks has ended; PLAY_IN_NEW_PROCESS=1 does without it"
    return int(answer)


def _compiled(source, filename, mode, flags, dont_inherit):
    """Ansible compiles the modules of a collection in every run, and in every worker; ours were compiled once."""
    real = Path(filename).resolve()
    if ROOT in real.parents:
        return SourceFileLoader(real.stem, str(real)).get_code(real.stem)
    return compile(source, filename, mode, flags, dont_inherit)


def _serve():
    for name in LOADED.split():
        importlib.import_module(name)
    finder = importlib.import_module("ansible.utils.collection_loader._collection_finder")
    assert "ansible.constants" not in sys.modules, "the settings were read before there was a run"
    finder.compile = _compiled
    gc.freeze()
    while line := sys.stdin.readline():
        child = os.fork()
        if not child:
            return json.loads(line)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    return None


def _become(argv, cwd, environment, output):
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    for target, flags, descriptors in ((os.devnull, os.O_RDONLY, (0,)), (output, os.O_WRONLY | os.O_CREAT, (1, 2))):
        opened = os.open(target, flags, 0o600)
        for descriptor in descriptors:
            os.dup2(opened, descriptor)
        os.close(opened)
    sys.path[0] = cwd
    sys.argv[1:] = argv
    runpy.run_module("ansible", run_name="__main__", alter_sys=True)


if __name__ == "__main__" and (request := _serve()):
    _become(*request)
