# SPDX-License-Identifier: GPL-3.0-or-later
"""The way past Ansible's wrapper: the code that is kept on a host, and who may have written it."""

from __future__ import annotations

import ast
import json
import marshal
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import bare
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import guard
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import fast
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast import script

FOLDER_OF_ROOT = "/var/cache/linuxnet-tuning"
REQUEST = {"params": fast.checked("guard", {"state": "status"}), "check_mode": True, "invocation": True}


def perform(sent, folder, *changes):
    """Run a script on this machine, with the code in another folder than that of root and other changes."""
    line, rest = sent.split(b"\n", 1)
    program = ast.literal_eval(line.decode())
    for old, new in ((FOLDER_OF_ROOT, str(folder)), *changes):
        program = program.replace(old, new)
    argv = [sys.executable, *script.OPTIONS]
    done = subprocess.run(
        argv, input=ascii(program).encode() + b"\n" + rest, capture_output=True, check=False, timeout=60
    )
    return subprocess.CompletedProcess(argv, done.returncode, done.stdout.decode(), done.stderr.decode())


def run(folder, code=None, change=""):
    """One call; `change` is done to the script."""
    return perform(script.build("guard", REQUEST, str(folder), code), folder, ("\n\nmain(", f"\n{change}\nmain("))


def answer(done):
    """The answer to a call, and whether the engine has run."""
    *lines, last = done.stdout.splitlines()
    assert lines in ([], [script.STARTED])
    # Of a connection that is lost, Ansible has standard error alone.
    assert done.stderr.splitlines() == lines
    return json.loads(last), bool(lines)


def refused(folder):
    """Why the code in a folder is not run."""
    found, ran = answer(run(folder))
    assert not ran
    return found[script.MISSING]


@pytest.fixture
def kept(tmp_path):
    """A folder with the code in it."""
    folder = tmp_path / "state/code"
    found, ran = answer(run(folder, script.sources()))
    assert ran
    assert script.NOTE not in found
    assert found["pending"] == []
    return folder


def the_file(folder):
    """The code; beside it stands what its regular expressions come to."""
    (file,) = (file for file in folder.iterdir() if "-re" not in file.name)
    return file


def test_code_is_asked_for_once_and_kept_for_its_user_only(kept):
    assert kept.stat().st_mode & 0o777 == 0o700
    assert the_file(kept).stat().st_mode & 0o777 == 0o600
    found, ran = answer(run(kept, script.sources()))
    assert found.pop(script.HAD)
    assert answer(run(kept)) == (found, ran)
    assert the_file(kept)


def test_a_host_without_it_says_so(tmp_path):
    assert "No such file" in refused(tmp_path / "nothing")


@pytest.mark.parametrize("where", [0, 32, 5000, -1])
def test_code_that_was_tampered_with_is_not_run_but_replaced(kept, where):
    good = the_file(kept).read_bytes()
    content = bytearray(good)
    content[where] ^= 1
    the_file(kept).write_bytes(content)
    assert "is damaged" in refused(kept)
    assert answer(run(kept, script.sources()))[1]
    assert the_file(kept).read_bytes() == good


def test_expressions_that_are_not_as_they_were_left_are_made_anew(kept):
    (file,) = kept.glob("*-re*")
    good = file.read_bytes()
    expected = answer(run(kept))
    for change in (lambda: file.write_bytes(good[:-1] + b"x"), lambda: file.chmod(0o666)):
        change()
        assert answer(run(kept)) == expected
        assert marshal.loads(file.read_bytes()[32:]) == marshal.loads(good[32:])
        assert file.lstat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("length", [0, 31, 32, 1000])
def test_half_a_file_is_not_run(kept, length):
    the_file(kept).write_bytes(the_file(kept).read_bytes()[:length])
    assert "is damaged" in refused(kept)


def test_code_of_another_version_does_not_pass_for_this_one(kept):
    file = the_file(kept)
    file.rename(file.with_name("0" * 40 + file.name[40:]))
    assert (
        "is damaged"
        in answer(
            run(
                kept,
                change="load = (lambda old: lambda folder, name: old(folder, '0' * 40 + name[40:]))(load)",
            )
        )[0][script.MISSING]
    )


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_to_is_not_run(kept, mode):
    the_file(kept).chmod(mode)
    assert "others can write to it" in refused(kept)


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o1777])
def test_a_folder_that_others_can_write_to_is_neither_read_nor_written(kept, mode):
    kept.chmod(mode)
    before = the_file(kept).stat().st_mtime_ns
    assert "others can write to it" in refused(kept)
    found, ran = answer(run(kept, script.sources()))
    assert ran
    assert "others can write to it" in found[script.NOTE]
    assert the_file(kept).stat().st_mtime_ns == before


@pytest.mark.parametrize("change", ["os.geteuid = lambda: 4711"])
def test_what_belongs_to_somebody_else_is_not_run(kept, change):
    found, ran = answer(run(kept, change=change))
    assert not ran
    assert "is not ours" in found[script.MISSING]


def test_links_are_not_followed(kept, tmp_path):
    file, elsewhere = the_file(kept), tmp_path / "elsewhere"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    assert "symbolic link" in refused(kept)
    # Writing replaces the link, and leaves alone what it points to.
    before = elsewhere.stat()
    assert answer(run(kept, script.sources()))[1]
    assert not file.is_symlink()
    assert elsewhere.stat() == before

    moved = tmp_path / "moved"
    kept.rename(moved)
    kept.symlink_to(moved)
    assert refused(kept)
    assert script.NOTE in answer(run(kept, script.sources()))[0]


def test_a_host_that_cannot_keep_the_code_gives_the_same_result(kept, tmp_path):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    found, ran = answer(run(in_the_way / "code", script.sources()))
    assert ran
    assert found.pop(script.NOTE)
    assert found == answer(run(kept))[0]


def test_a_full_disk_leaves_nothing_behind(tmp_path):
    change = "def full(*args, **more): raise OSError(28, 'No space left on device')\nos.rename = full"
    found, ran = answer(run(tmp_path / "code", script.sources(), change=change))
    assert ran
    assert "No space left on device" in found[script.NOTE]
    assert list((tmp_path / "code").iterdir()) == []


def test_the_folder_of_a_user_may_name_a_variable(tmp_path, monkeypatch):
    monkeypatch.setenv("OWN", str(tmp_path))
    sent = script.build("guard", REQUEST, "$OWN/code", script.sources())
    found, ran = answer(perform(sent, tmp_path, ("if os.geteuid() else", "if True else")))
    assert ran
    assert script.NOTE not in found
    assert the_file(tmp_path / "code")


def test_runs_at_once_do_not_disturb_each_other(tmp_path):
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _number: run(tmp_path / "code", script.sources()), range(4)))
    assert all(answer(one)[1] for one in done)
    assert answer(run(tmp_path / "code"))[1]
    assert the_file(tmp_path / "code")


NAMES = {name[: -len(".py")].replace("/__init__", "").replace("/", ".") for name in script.SOURCES}


def compiled(folder):
    """The modules of which compiled code is kept."""
    return set(marshal.loads(the_file(folder).read_bytes()[32:])[2])


def call(folder, view, params):
    """One call in check mode, of a host that has the code."""
    request = {"params": fast.checked(view, params), "check_mode": True, "invocation": False}
    return answer(perform(script.build(view, request, str(folder)), folder))


def test_what_a_call_uses_is_compiled_and_kept_once(kept):
    used = compiled(kept)
    assert {"tuning.engine", "tuning.going_back.guard", "typing"} <= used
    assert not used & {"tuning.settings.registry", "tuning.carrying_out.transaction", "tuning.facts.everything"}
    before = the_file(kept).stat()
    assert answer(run(kept))[1]
    # Nor is it compiled anew where the code comes along although the host has it.
    assert answer(run(kept, script.sources()))[1]
    assert the_file(kept).stat().st_mtime_ns == before.st_mtime_ns
    assert call(kept, "nic_info", {"names": ["lo"]})[1]
    assert compiled(kept) > used
    assert the_file(kept).stat().st_mode & 0o777 == 0o600


@pytest.fixture(scope="module")
def ready():
    """The code as the controller compiles it for this Python."""
    argv = [sys.executable, *script.OPTIONS]
    said = subprocess.run(argv, input=script.compiler(), capture_output=True, check=True, timeout=60).stdout
    fits, packed = said.split(b"\n", 1)
    return script.Code(packed, fits.decode())


def test_code_that_is_compiled_already_runs_and_is_kept_as_it_is(tmp_path, kept, ready):
    found = answer(run(tmp_path / "ready", ready))
    assert found == answer(run(kept))
    assert compiled(tmp_path / "ready") == NAMES
    before = the_file(tmp_path / "ready").stat()
    for code in (None, ready, script.sources()):
        assert answer(run(tmp_path / "ready", code))[1]
    assert the_file(tmp_path / "ready").stat().st_mtime_ns == before.st_mtime_ns


def test_code_that_is_compiled_for_another_python_is_not_run(tmp_path, ready):
    said = answer(run(tmp_path / "code", ready._replace(fits="3.7-420d")))
    missing = {name: text for name, text in said[0].items() if name != script.MISSING}
    assert (missing, said[1]) == ({script.PYTHON: ready.fits}, False)
    assert not (tmp_path / "code").exists()


def test_a_call_that_removes_the_code_does_not_bring_it_back(tmp_path):
    change = (
        "first = keep\ndef keep(folder, name, code, beside=''):\n"
        "    first(folder, name, code, beside=beside)\n    beside or os.unlink(folder + '/' + name)\n"
    )
    assert answer(run(tmp_path / "code", script.sources(), change=change))[1]
    assert list((tmp_path / "code").iterdir()) == []


def test_a_disk_that_is_full_later_leaves_the_sources(tmp_path):
    change = (
        "rename = os.rename\ndef full(*args, **more):\n    os.rename = fails\n    rename(*args, **more)\n"
        "def fails(*args, **more): raise OSError(28, 'No space left on device')\nos.rename = full\n"
    )
    found, ran = answer(run(tmp_path / "code", script.sources(), change=change))
    assert ran
    assert script.NOTE not in found
    assert compiled(tmp_path / "code") == set()
    assert answer(run(tmp_path / "code")) == (found, True)
    assert "tuning.engine" in compiled(tmp_path / "code")


def test_every_module_runs_when_somebody_looks_into_it(tmp_path):
    """It waits until then, and a wrong name in it would be told in the middle of a call."""
    change = (
        "def served(names): return sorted(name for name in names if not name.startswith('tuning.measuring'))\n"
        "class Look(Finder):\n    def keep(self, folder, name):\n        import importlib\n"
        "        for one in served(self.paths):\n            getattr(importlib.import_module(one), 'nothing', None)\n"
        "        super().keep(folder, name)\nFinder = Look\n"
    )
    assert answer(run(tmp_path / "code", script.sources(), change=change))[1]
    # What measures is a program of its own, or its module has no other way.
    assert compiled(tmp_path / "code") == {name for name in NAMES if not name.startswith("tuning.measuring")}


def test_old_versions_go(kept):
    the_file(kept).unlink()
    for number in range(9):
        (kept / f"old{number}").write_text("")
        os.utime(kept / f"old{number}", (number, number))
    assert answer(run(kept, script.sources()))[1]
    assert sorted(path.name for path in kept.glob("old*")) == [f"old{number}" for number in range(3, 9)]


def test_going_back_removes_the_folder_that_is_used():
    assert guard.CODE == FOLDER_OF_ROOT
    assert f'"{FOLDER_OF_ROOT}"' in Path(script.PATH).read_text()


def test_the_host_compiles_what_the_controller_has():
    """Nothing about the files that are sent is written by hand."""
    sources = script.SOURCES
    utils = Path(bare.__file__).parent
    files = {f"tuning/{path.relative_to(utils)}" for path in utils.rglob("*.py")}
    assert set(sources) == {*files, "tuning/__init__.py", "typing.py", "re.py"}


@pytest.mark.parametrize("module", ["tune", "nic_info", "bonding", "tuned"])
def test_an_unchanged_host_does_not_wait_for_imports_that_it_does_not_need(module, tmp_path):
    """Each of these costs a host more than the rest of a call."""
    params = {"tune": {"sysctl": {"kernel.pid_max": {"at_least": 1}}}, "nic_info": {"names": ["lo"]}}.get(module, {})
    request = {"params": fast.checked(module, params), "check_mode": True, "invocation": False}
    told = "\nimport atexit\natexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))\nmain("
    seen = []
    # What a call finds on this machine for the first time, such as another NIC, is an expression of its own.
    for code in (script.sources(), None, None, None):
        done = perform(script.build(module, request, "", code), tmp_path / "code", ("\n\nmain(", told))
        assert script.STARTED in done.stdout
        seen.append(set(done.stderr.split()))
    loaded = set.intersection(*seen[1:])
    assert "tuning.engine" in loaded
    costly = "asyncio dataclasses inspect shutil subprocess tempfile threading difflib "
    costly += "hashlib platform uuid enum re._parser sre_parse"
    assert not loaded.intersection(costly.split())
    assert not loaded & {"tuning.carrying_out.transaction", "tuning.carrying_out.conclude"}


def test_what_each_worker_would_load_is_there_before_it_is_forked():
    """Importing an action is enough; `linear` does that in the process that forks."""
    seen = (
        "import gc; from ansible_collections.linuxnet.tuning.plugins.action import tune; "
        "from ansible import constants; "
        "known = constants.config.has_configuration_definition; "
        "print(known('connection', 'ssh'), known('shell', 'sh'), known('become', 'sudo'), end=' '); "
        "print(gc.get_freeze_count() > 20000)"
    )
    done = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "True", "True"]
