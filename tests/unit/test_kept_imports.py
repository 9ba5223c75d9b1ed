# SPDX-License-Identifier: GPL-3.0-or-later
"""Under Ansible's loader of collections, Python keeps the compiled code of what the plugins import."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    "plugin_utils/__init__.py",
    "plugin_utils/needs.py",
    "plugin_utils/findings/__init__.py",
    "module_utils/text.py",
)
PROGRAM = """
import sys
from ansible.utils.collection_loader._collection_finder import _AnsibleCollectionFinder
_AnsibleCollectionFinder([sys.argv[1]])._install()
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import findings
from ansible_collections.linuxnet.tuning.plugins.module_utils import text
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.refused import Refused
print(text.__name__)
print(Refused.__name__)
try:
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils import nothing
except ImportError:
    print("no file")
"""


@pytest.fixture
def collection(tmp_path):
    """A collection of some of our files, at the path that it is found by."""
    plugins = tmp_path / "ansible_collections/linuxnet/tuning/plugins"
    for name in (*FILES, "plugin_utils/refused.py"):
        (plugins / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "plugins" / name, plugins / name)
    return tmp_path


def run(collection):
    names = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONPYCACHEPREFIX")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    argv = [sys.executable, "-c", PROGRAM, str(collection)]
    done = subprocess.run(argv, env=environment, cwd=collection, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "ansible_collections.linuxnet.tuning.plugins.module_utils.text",
        "Refused",
        "no file",
    ], done.stderr
    return sorted(path.name.split(".")[0] for path in collection.rglob("*.pyc"))


def test_what_is_imported_stays_compiled(collection):
    assert run(collection) == ["__init__", "refused", "text"]


def test_where_nothing_can_be_written_it_is_imported_as_ever(collection):
    for folder in [path for path in collection.rglob("*") if path.is_dir()]:
        (folder / "__pycache__").write_text("in the way")
    assert run(collection) == []
