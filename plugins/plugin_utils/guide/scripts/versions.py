# SPDX-License-Identifier: GPL-3.0-or-later
"""A file of which a script writes other lines in each of several cases."""

from __future__ import annotations

from typing import Dict, List, Mapping, Sequence, Tuple

from ..model import Branch, Line, exclusive

# A file of more versions than these is read as one.
_MOST = 16


def versions(lines: Sequence[Line], written_in: Mapping[int, Branch]) -> List[List[Line]]:
    """The file as each of the cases in which a script writes it; a file that no script writes is one.

    `written_in` are the cases in which each line is written.
    """
    found: List[Tuple[Dict[int, int], List[Line]]] = [({}, [])]
    for number, text in lines:
        branch = written_in.get(number, ())
        cases = {group: case for group, case, _kind in branch}
        fitting = [one for one in found if _fit(cases, one[0])]
        for chosen, version in fitting:
            chosen.update(cases)
            version.append((number, text))
        if not fitting:
            common = [one for one in found[0][1] if not exclusive(branch, written_in.get(one[0], ()))]
            met = {group: case for one, _text in common for group, case, _kind in written_in.get(one, ())}
            found.append(({**met, **cases}, [*common, (number, text)]))
        if len(found) > _MOST:
            return [list(lines)]
    return [version for _cases, version in found]


def _fit(cases: Mapping[int, int], others: Mapping[int, int]) -> bool:
    """Whether no condition has another case in the one than in the other."""
    return all(others.get(group, case) == case for group, case in cases.items())
