# SPDX-License-Identifier: GPL-3.0-or-later
"""Has Ansible read once what each of its workers would read anew.

A worker is forked for each task and host. It begins with loading the connection, the shell and become, and parses the
documentation of each, which is YAML, for its options; the first template with a filter or a test has it load all of
these; `register` is an expression that it compiles; and it ends with looking up the types of a result's fields.
Together they are more than all else that it does.
What the process above has loaded before the fork is there already, and the action of a task is imported there, so this
is as well. Where a part is not as it was, the worker does it as ever.
"""

from __future__ import annotations

import gc
from contextlib import suppress

from ansible.module_utils.common import json as answers
from ansible.plugins.loader import become_loader, connection_loader, filter_loader, shell_loader, test_loader

# What nearly every fleet has.
_PLUGINS = ((connection_loader, "ssh"), (shell_loader, "sh"), (become_loader, "sudo"))


def load() -> None:
    """Load it now, for all workers that come."""
    for loader, name in _PLUGINS:
        with suppress(Exception):
            loader.get(name, class_only=True)
    for loader, name in ((filter_loader, "default"), (test_loader, "defined")):
        with suppress(Exception):
            loader.get(name)  # one that Jinja has: it is looked for in all files of Ansible's own
    with suppress(Exception):  # there since ansible-core 2.19
        from ansible.template import Templar, trust_as_template

        Templar(None).evaluate_expression(trust_as_template("none"))  # one of any kind: the compiler gets ready
    with suppress(Exception):  # there since ansible-core 2.19
        answers.get_module_decoder("legacy", answers.Direction.MODULE_TO_CONTROLLER)
    with suppress(Exception):  # there since ansible-core 2.21
        from ansible._internal._task import UnifiedTaskResult

        for from_module in (False, True):
            UnifiedTaskResult.get_result_key_to_resolved_field_mapping(source_is_module=from_module)
    # A collection writes into every object that it looks at, and a worker would copy the pages of all that lie here.
    gc.freeze()
