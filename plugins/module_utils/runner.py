# SPDX-License-Identifier: GPL-3.0-or-later
"""Run commands and end calls through a module of Ansible; apart from the engine, so that calls which tune nothing start
faster."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Sequence, Tuple

from .schema import TuningError
from .text import printable


def runner(module: Any) -> Any:
    """Run argv, never a shell, in the language that the parsers read; takes stdin too, gives (rc, stdout, stderr)."""
    environment = {"LC_ALL": "C", "LANGUAGE": "C"}

    def run(argv: Sequence[str], data: str = "") -> Tuple[int, str, str]:
        # A login of a plain user has no sbin folder on its path; get_bin_path looks there too.
        program = module.get_bin_path(argv[0]) or argv[0]
        answer = module.run_command(
            [program, *argv[1:]],
            data=data or None,
            environ_update=environment,
            handle_exceptions=False,
            # By default Ansible puts a home or a variable in the place of ~ and $HOME, be it in an alias or a name.
            expand_user_and_vars=False,
        )
        return answer[0], answer[1], answer[2]

    return run


def finish(module: Any, result: Mapping[str, Any]) -> None:
    """End a call with its result. Ansible would not hand it on with one byte in it that is no UTF-8."""
    told: Dict[str, Any] = printable(result)
    for warning in told.pop("warnings", ()):
        module.warn(warning)
    if told.get("failed"):
        module.fail_json(**told)
    module.exit_json(**told)


def answer(module: Any, work: Callable[[], Mapping[str, Any]]) -> None:
    """End a call with what comes of the work, or with the message of its TuningError."""
    try:
        result = work()
    except TuningError as error:
        result = {"failed": True, "msg": str(error)}
    finish(module, result)
