# SPDX-License-Identifier: GPL-3.0-or-later
"""Give the findings to programs: as plain data, which a JMESPath expression narrows or reshapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..findings import stages, view
from .fleet import Findings, counts, rooms, unreachable

# The version goes up with a change that a program which reads the document would notice; new keys are none.
FORMAT, VERSION = "linuxnet.tuning.audit", 1


class QueryError(ValueError):
    """The query is invalid, or the Python package for it is missing; the message says which, and what to do."""


def document(facts: Mapping[str, Mapping[str, Any]], findings: Findings, when: str, query: str = "") -> Any:
    """What the format and its version are, what is found, and all facts; or what the query makes of that."""
    whole = {
        "format": FORMAT,
        "version": VERSION,
        "time": when,
        "summary": {
            "hosts": len(facts),
            "unreachable": len(unreachable(facts)),
            "findings": len(findings),
            **counts(findings),
        },
        "findings": findings,
        "rooms": {
            room.name: {"hosts": [*room.hosts, *room.unreachable], **counts(room.findings)}
            for room in rooms(facts, findings)
        },
        "unreachable": unreachable(facts),
        "stages": {name: stages.rows(view.Host(name, facts[name])) for name in facts},
        "hosts": facts,
    }
    return _search(query, whole) if query else whole


def _search(query: str, whole: Any) -> Any:
    try:
        import jmespath
        from jmespath.exceptions import JMESPathError, JMESPathTypeError
    except ImportError:
        raise QueryError(
            "a query needs the Python package jmespath, which the controller does not have: install it there "
            "(`pip install jmespath`), or leave the query out"
        ) from None
    try:
        return jmespath.search(query, whole)
    except JMESPathTypeError as error:
        # Without hosts, a function may get nothing where it wants a text: that is no fault of the expression.
        if not whole["hosts"]:
            return None
        raise QueryError(_no_expression(query, error)) from None
    except JMESPathError as error:
        raise QueryError(_no_expression(query, error)) from None


def _no_expression(query: str, error: Exception) -> str:
    return (
        f"the query {query!r} is not a valid JMESPath expression: {' '.join(str(error).split())}; correct it, "
        "or see https://jmespath.org for the language"
    )
