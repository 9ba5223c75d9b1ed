# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host's bare interpreter has instead of Ansible and of typing does as these do."""

from __future__ import annotations

import subprocess
import sys
import typing
from pathlib import Path

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import bare
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast import names


def made_of(base):
    """A named tuple of a base: that of Python, or the one that the host's bare interpreter has."""

    class Three(base):
        first: int
        second: str = "two"
        third: typing.Mapping[str, int] = {}

        @property
        def both(self):
            return f"{self.first} {self.second}"

    return Three


Real, Light = made_of(typing.NamedTuple), made_of(names.NamedTuple)


class TestNames:
    """What stands in for typing does as typing does."""

    @pytest.mark.parametrize("args", [(1,), (1, "b"), (1, "b", {"c": 3})])
    def test_named_tuples(self, args):
        real, light = Real(*args), Light(*args)
        assert light == real == tuple(real)
        assert light._asdict() == real._asdict()
        assert (light.first, light.second, light.third, light.both) == (real.first, real.second, real.third, real.both)
        assert light._replace(second="x") == real._replace(second="x")
        assert isinstance(light._replace(second="x"), Light)
        assert Light._fields == Real._fields
        assert Light._field_defaults == Real._field_defaults
        assert repr(light) == repr(real)
        assert hash(Light(1, "b", 2)) == hash(Real(1, "b", 2))
        assert Light(first=1, third={}) == Real(first=1, third={})
        with pytest.raises(AttributeError):
            light.first = 2

    @pytest.mark.parametrize(
        ("args", "more"),
        [((), {}), ((1, 2, 3, 4), {}), ((1,), {"first": 1}), ((1,), {"fourth": 1}), ((), {"third": 1})],
    )
    def test_named_tuples_refuse_what_does_not_fit(self, args, more):
        for kind in (Real, Light):
            with pytest.raises(TypeError):
                kind(*args, **more)

    def test_named_tuples_have_no_other_fields(self):
        for kind in (Real, Light):
            with pytest.raises((TypeError, ValueError), match="fourth"):  # one or the other, by its version
                kind(1)._replace(second="x", fourth=4)

    @pytest.mark.parametrize("name", ["Mapping", "Sequence", "Iterable", "Callable"])
    @pytest.mark.parametrize("value", [{}, [], (), "", 1, None, len])
    def test_abstract_classes_know_their_instances(self, name, value):
        assert isinstance(value, getattr(names, name)) == isinstance(value, getattr(typing, name))

    def test_data_classes_work_although_they_cost_much(self):
        text = (
            "import sys; sys.path.insert(0, {!r}); import names; sys.modules['typing'] = names; import dataclasses\n{}"
        )
        lines = [
            "from typing import Any, List",
            "@dataclasses.dataclass",
            "class A:",
            "    a: List[Any]",
            "assert A(1).a",
        ]
        argv = [sys.executable, "-S", "-c", text.format(str(Path(names.__file__).parent), "\n".join(lines))]
        subprocess.run(argv, check=True)


@pytest.fixture
def module():
    return bare.BareModule({}, False, False, {})


class TestCommands:
    """Programs are run as AnsibleModule runs them."""

    def test_input_and_output_of_any_size(self, module):
        text = "line\n" * 200000
        assert module.run_command(["cat"], data=text) == (0, text, "")

    def test_both_outputs_and_the_exit_code(self, module):
        assert module.run_command(["sh", "-c", "echo a; echo b >&2; exit 3"]) == (3, "a\n", "b\n")

    def test_a_program_that_does_not_read(self, module):
        assert module.run_command(["true"], data="x" * 1000000) == (0, "", "")

    def test_standard_input_is_not_that_of_the_engine(self, module):
        assert module.run_command(["cat"]) == (0, "", "")

    def test_a_signal(self, module):
        assert module.run_command(["sh", "-c", "kill -9 $$"])[0] == -9

    def test_signals_that_python_ignores_are_not_ignored_by_programs(self, module):
        assert module.run_command(["sh", "-c", "kill -PIPE $$"])[0] == -13

    def test_a_program_that_is_not_there(self, module):
        before = len(list(Path("/proc/self/fd").iterdir()))
        with pytest.raises(FileNotFoundError):
            module.run_command(["there-is-no-such-program"])
        assert len(list(Path("/proc/self/fd").iterdir())) == before

    def test_no_descriptor_is_left(self, module):
        before = len(list(Path("/proc/self/fd").iterdir()))
        module.run_command(["cat"], data="x")
        assert len(list(Path("/proc/self/fd").iterdir())) == before

    def test_environment(self, module, monkeypatch):
        monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
        assert module.run_command(["sh", "-c", "echo $LC_ALL"], environ_update={"LC_ALL": "C"})[1] == "C\n"

    def test_bytes_that_are_no_text(self, module):
        assert module.run_command(["printf", r"\377"])[1] == "\udcff"
