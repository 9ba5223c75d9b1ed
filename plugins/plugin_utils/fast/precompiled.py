# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles the engine once on the controller for all hosts of a run that have the same Python.

Compiling is two thirds of what the first call costs a host. Code fits one version of Python, so an interpreter of that
version is looked for here, beside Ansible's own: a distribution has one that its hosts have too. Where there is none,
hosts get the sources and compile what they use. What was compiled stands in Ansible's temporary folder of this run,
for each host has a process of its own.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
from contextlib import suppress
from typing import Any, Callable, Iterator

from ansible import constants

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast import script

_VERSION = re.compile(r"(3\.[0-9]{1,2})-[0-9a-f]{4}")
_SECONDS = 30
_END = b"\n"


def version(said: Any) -> str:
    """The Python that a host says it has, such as 3.11-a70d; empty if that is none, for what a host says is data."""
    return said if isinstance(said, str) and _VERSION.fullmatch(said) else ""


def code(python: str) -> script.Code:
    """The engine for a version of Python: compiled, or its sources where this controller cannot compile for it."""
    packed = _once(python, lambda: _by_any(python)) if python else b""
    if packed:
        return script.Code(packed, python)
    return script.Code(_once("sources", lambda: script.sources().packed) or script.sources().packed)


def _once(name: str, make: Callable[[], bytes]) -> bytes:
    """What the first host of this run to ask for it has made; empty if that failed, or cannot stand anywhere."""
    path = os.path.join(constants.DEFAULT_LOCAL_TMP, f"linuxnet-tuning-{name}")
    with suppress(OSError), open(path, "ab+", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # all but the first wait for it
        file.seek(0)
        found = file.read()
        if not found:
            # Nobody tries again what fails, takes too long, or is too large for this disk.
            file.write(_END)
            found = make() + _END
            file.truncate(0)
            file.write(found)
        if found.endswith(_END):
            return found[: -len(_END)]
    return b""


def _by_any(python: str) -> bytes:
    """What the first interpreter makes of the engine that can; empty if there is none, or one is too slow."""
    with suppress(subprocess.TimeoutExpired):  # as others would be: it is the controller
        return next(filter(None, (_compiled(path, python) for path in _interpreters(python))), b"")
    return b""


def _interpreters(python: str) -> Iterator[str]:
    """Where interpreters may lie that have a version."""
    name = f"python{python.partition('-')[0]}"
    if sys.executable and name == f"python{sys.version_info[0]}.{sys.version_info[1]}":
        yield sys.executable
    for folder in os.get_exec_path():
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.access(path, os.X_OK):
            yield path


def _compiled(interpreter: str, python: str) -> bytes:
    """What an interpreter makes of the engine; empty if it cannot, or is of another version than its name says."""
    with suppress(OSError, subprocess.CalledProcessError):
        # Where in its line something stands is a fifth of all code, and told to nobody without the sources beside it.
        # Before Python 3.11 this is not known, and ignored.
        argv = [interpreter, "-X", "no_debug_ranges", *script.OPTIONS]
        done = subprocess.run(argv, input=script.compiler(), capture_output=True, timeout=_SECONDS, check=True)
        made_by, _end, packed = done.stdout.partition(b"\n")
        if made_by == python.encode():
            return packed
    return b""
