# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read of the results that Ansible hands around."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils import results
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.measurement import result


@pytest.mark.parametrize(
    "told",
    [
        {"module_stderr": '  File "<stdin>", line 9\nSyntaxError: future feature annotations is not defined\n'},
        {"module_stdout": "", "module_stderr": "the host's Python is older than 3.8\n"},
    ],
)
def test_an_old_python_is_told_in_one_sentence(told):
    assert results.too_old(told)
    assert result.absent({"hosts": {"pc": {}}}, {"pc": {"failed": True, **told}}) == [f"pc ({results.OLD})"]


def test_any_other_failure_is_not():
    assert not results.too_old({"module_stderr": "Permission denied", "msg": "MODULE FAILURE"})
    assert not results.too_old({"changed": False})


def test_of_many_names_some_are_told():
    assert results.listed([*"abcdefgh"]) == "a, b, c, d, e, f, g, h"
    assert results.listed([*"abcdefghij"]) == "a, b, c, d, e, f, g, h and 2 more"
