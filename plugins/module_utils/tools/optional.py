# SPDX-License-Identifier: GPL-3.0-or-later
"""Ask a program that many hosts do not have."""

from __future__ import annotations

from ..schema import Answer, HangsError, Query, Reader, TuningError


def ask(host: Reader, query: Query) -> Answer:
    """The answer of a program; the exit code 127, as a shell has it, where there is none. HangsError as ever."""
    try:
        return host.ask(query)
    except HangsError:
        raise
    except TuningError:
        return Answer(127, "", f"{query.argv[0]} is not installed")
