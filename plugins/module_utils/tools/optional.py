# SPDX-License-Identifier: GPL-3.0-or-later
"""Ask a program that many hosts do not have."""

from __future__ import annotations

from ..schema import Answer, HangsError, Query, Reader, TuningError

# The exit code of a shell for a program that is not there.
MISSING = 127


def ask(host: Reader, query: Query) -> Answer:
    """The answer of a program; the exit code MISSING where there is none. HangsError as ever."""
    try:
        return host.ask(query)
    except HangsError:
        raise
    except TuningError:
        return Answer(MISSING, "", f"{query.argv[0]} is not installed")
