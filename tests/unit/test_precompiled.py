# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiling the engine on the controller for the hosts of a run."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast import precompiled, script

EXECUTABLE = sys.executable
NAME = f"python{sys.version_info[0]}.{sys.version_info[1]}"
# An interpreter that counts how often it is used.
COUNTS = f"""#!/bin/sh
echo x >>"${{0%/*}}/count"
exec "{EXECUTABLE}" "$@"
"""


@pytest.fixture(scope="module")
def own():
    """The version of this Python, as a host says it."""
    program = b"import sys; from importlib.util import MAGIC_NUMBER as m; print(m[:2].hex())"
    magic = subprocess.run([EXECUTABLE, "-c", program], capture_output=True, check=True).stdout.decode().strip()
    return f"{NAME[len('python') :]}-{magic}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A run with interpreters of its own: the folder where they lie."""
    (tmp_path / "run").mkdir()
    (tmp_path / "bin").mkdir()
    monkeypatch.setattr(precompiled.constants, "DEFAULT_LOCAL_TMP", str(tmp_path / "run"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(precompiled.sys, "executable", "")
    return tmp_path / "bin"


def put(folder, text, name=NAME):
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def test_one_interpreter_compiles_once_for_all_hosts_of_a_run(folder, own):
    put(folder, COUNTS)
    with ThreadPoolExecutor(4) as pool:
        codes = list(pool.map(lambda _host: precompiled.code(own), range(4)))
    assert {code.fits for code in codes} == {own}
    assert len(set(codes)) == 1
    assert (folder / "count").read_text() == "x\n"


@pytest.mark.parametrize(
    "text",
    ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho 3.99-0000 eA==\n", "#!/bin/sh\nprintf '\\377\\n'\n", "no program"],
    ids=["fails", "is another version", "is none", "cannot be run"],
)
def test_where_none_can_compile_for_a_host_it_gets_the_sources(folder, own, text):
    put(folder, text)
    assert precompiled.code(own) == script.sources()
    # Nor does the next host's worker try it again.
    (folder / NAME).unlink()
    assert (folder.parent / f"run/linuxnet-tuning-{own}").read_text() == "\n"


def test_the_sources_are_packed_once_for_all_hosts_of_a_run(folder, monkeypatch):
    packed = [script.Code(b"first\n"), script.Code(b"again\n")]
    monkeypatch.setattr(precompiled.script, "sources", lambda: packed.pop(0))
    assert [precompiled.code("") for _host in range(3)] == [script.Code(b"first\n")] * 3


def test_who_reads_what_a_full_disk_has_cut_gets_the_sources(folder, own, monkeypatch):
    """Compiling it again would cost each host of the run as much as the first one."""
    monkeypatch.setattr(precompiled.sys, "executable", EXECUTABLE)
    (folder.parent / f"run/linuxnet-tuning-{own}").write_text("eJwab")
    assert precompiled.code(own) == script.sources()


def test_where_a_controller_can_keep_nothing_each_host_gets_the_sources(folder, monkeypatch):
    monkeypatch.setattr(precompiled.constants, "DEFAULT_LOCAL_TMP", str(folder / "none"))
    assert precompiled.code("") == script.sources()


def test_an_interpreter_that_is_too_slow_costs_the_run_its_time_once(folder, own, monkeypatch):
    """The next one in the PATH would take as long, on the same busy controller."""
    put(folder, '#!/bin/sh\necho x >>"${0%/*}/count"\nexec sleep 60\n')
    monkeypatch.setenv("PATH", f"/:{folder}:{folder}/.:/usr/bin:/bin")
    monkeypatch.setattr(precompiled, "_SECONDS", 0.5)
    assert [precompiled.code(own) for _host in range(2)] == [script.sources()] * 2
    assert (folder / "count").read_text() == "x\n"


@pytest.mark.parametrize("said", [None, 3, "", "3.11", "3.11-a70d\n", "3.11-a70d/../x", "../../bin/sh", "33.1-a70d"])
def test_what_a_host_says_is_data(said):
    assert precompiled.version(said) == ""
    assert precompiled.code(precompiled.version(said)) == script.sources()
