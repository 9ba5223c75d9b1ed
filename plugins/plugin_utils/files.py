# SPDX-License-Identifier: GPL-3.0-or-later
"""Find and write files on the controller."""

from __future__ import annotations

import os
import tempfile


def write(path: str, text: str) -> None:
    """Write a file as a whole or not at all, for nobody else to read: it tells where a network is weak."""
    handle, draft = tempfile.mkstemp(prefix=".", dir=os.path.dirname(path))
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, path)
    except OSError:
        os.unlink(draft)
        raise


def beside(path: str) -> str:
    """A path that somebody has written, beside what the person works on: Ansible itself is in the folder of the
    playbook."""
    return expanded(os.path.join(os.environ.get("PWD", ""), path))


def expanded(path: str) -> str:
    """A path with what a shell would make of it."""
    return os.path.abspath(os.path.expanduser(os.path.expandvars(path)))
