# SPDX-License-Identifier: GPL-3.0-or-later
"""Show the result of a tuning call as a table that a person can read."""

from __future__ import annotations

DOCUMENTATION = r"""
name: audit_table
short_description: Show the result of a tuning call as a table
version_added: 0.1.0
description:
  - Turns what M(linuxnet.tuning.tune) returned into lines of a table. The first says how much differs; then follows
    one line for each value that differs, and one for each that the host cannot have.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
options:
  _input:
    description: The result of M(linuxnet.tuning.tune).
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Show what differs
  ansible.builtin.debug:
    msg: "{{ tune_result | linuxnet.tuning.audit_table }}"
"""

RETURN = r"""
_value:
  description: The lines.
  type: list
  elements: str
  sample:
    - 1 of 2 values differs
    - where   setting  is   should be
    - enp1s0  ring rx  256  4096
"""

from typing import Any, Callable, Dict, Iterator, List, Mapping, Sequence, Tuple

from ansible.errors import AnsibleFilterError

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.drift import leaves, say


def audit_table(result: Mapping[str, Any]) -> List[str]:
    """The lines of the table; AnsibleFilterError for anything but a result of `tune`."""
    if not isinstance(result, Mapping) or "before" not in result or "unsupported" not in result:
        raise AnsibleFilterError("audit_table needs the result of linuxnet.tuning.tune")
    before, after = dict(leaves(result["before"])), dict(leaves(result["after"]))
    rows = [
        (where, setting, say(before[where, setting]), say(value))
        for (where, setting), value in after.items()
        if value != before.get((where, setting))
    ]
    rows += [_unsupported(item) for item in result["unsupported"]]
    rows += [
        ("host", item["key"], item["value"], f"set by {item['file']} at the next boot, after our own file")
        for item in result.get("overridden", ())
    ]
    rows += _lines(result, before)
    if not rows:
        return [f"as it should be: {len(after)} value{'' if len(after) == 1 else 's'}"]
    differ = sum(value != before.get(place) for place, value in after.items())
    head = f"{differ} of {len(after)} value{'' if len(after) == 1 else 's'} {'differs' if differ == 1 else 'differ'}"
    return [head, *_align([("where", "setting", "is", "should be"), *sorted(rows)])]


def _lines(result: Mapping[str, Any], live: Mapping[Tuple[str, str], Any]) -> Iterator[Tuple[str, str, str, str]]:
    """Values that are right now and will not be after the next boot, or the other way round."""
    diff = result.get("diff", {})
    for file in [name for side in ("before", "after") for name in diff.get(side, {}) if name.startswith("/")]:
        have, want = (diff.get(side, {}).get(file, {}) for side in ("before", "after"))
        for key in {**have, **want}:
            if key in want and live.get(("host", key)) == want[key] != have.get(key):
                yield "host", key, f"{want[key]} until the next boot", f"{want[key]} in {file} too"
            elif key not in want:
                yield "host", key, f"{have[key]} in {file}", "nothing, for the inventory does not ask for it"


def _unsupported(item: Mapping[str, str]) -> Tuple[str, str, str, str]:
    if not item["family"]:
        return item["nic"], "-", "absent", "present, for the inventory names it"
    setting = f"{item['family']} {item['key']}" if item["nic"] else item["key"]
    return item["nic"] or "host", setting, "-", f"{item['asked']}, but {item['reason']}"


def _align(rows: Sequence[Sequence[str]]) -> List[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[3]]) for row in rows]


class FilterModule:
    """The filters of this file."""

    def filters(self) -> Dict[str, Callable[..., Any]]:
        """By name."""
        return {"audit_table": audit_table}
