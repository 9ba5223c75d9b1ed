# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Print what the playbooks say, what failed and what was changed, equal things of many hosts once; and nothing else."""

from __future__ import annotations

DOCUMENTATION = r"""
name: brief
type: stdout
short_description: Print what a playbook says, what failed, and what was changed
version_added: 0.3.0
description:
  - Prints the messages of C(debug), each warning and failure with the hosts that have it, and at the end one table of
    the settings that were changed, with the hosts.
  - Tasks that had nothing to do, tasks without a message and the recap are left out, and so are files as a whole.
  - Settings that were rolled back are not in the table. In check mode the table is what would be changed.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
requirements:
  - To be chosen by C(stdout_callback = linuxnet.tuning.brief) in the section C(defaults) of C(ansible.cfg), or by
    C(ANSIBLE_STDOUT_CALLBACK=linuxnet.tuning.brief)
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import yaml
from ansible import constants, context
from ansible.plugins.callback import CallbackBase

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.plain import plain
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.results import (
    known,
    listed,
    not_begun,
    only_looks,
    task_of,
)

_WIDTH = 28
# What Ansible puts before the sentence of a filter or lookup.
_WRAPPED = re.compile(
    r"^(Task failed: )?(Finalization of task args for '[^']+' failed: )?(Error while resolving value for '[^']+': )?"
    r"(The (filter|lookup) plugin '[^']+' failed: )?"
)
# Before the reason of ssh: the address differs from host to host, and a room that is off has one reason.
_BY_SSH = re.compile(r"^(Task failed: )?Failed to connect to the host via ssh: (ssh: )?(connect to host \S+ )?")
# The callback whose last lines say why a run stopped.
_SUMMARY = "linuxnet.tuning.summary"
# What the result of a task has beside what it tells.
_OWN = ("changed", "failed", "skipped", "failed_when_result", "item", "ansible_loop_var")


class Setting(NamedTuple):
    """One value that was changed: of which NIC, which, from what and to what."""

    nic: str
    name: str
    before: str
    after: str


def settings(diff: object) -> Iterator[Setting]:
    """The changes of a module of the engine, from its `diff`; those of others are texts, which say nothing here."""
    if not isinstance(diff, Mapping):
        return
    before, after = diff.get("before"), diff.get("after")
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return
    for path in sorted({*_paths(before), *_paths(after)}):
        old, new = _at(before, path), _at(after, path)
        # A key that is a path holds a whole file, and a value that is in no section is one of the module `file`.
        if old != new and path[1:] and not any(part.startswith("/") for part in path):
            nic, rest = (path[1], path[2:]) if path[0] == "nics" else ("", path[1:])
            yield Setting(nic, " ".join(rest), _shown(old), _shown(new))


def took_back(rows: list[Setting], layers: Iterable[Mapping[str, Any]]) -> None:
    """Leave out the newest change of each value that went back with these layers of a host."""
    for layer in layers:
        for change in layer["changes"]:
            names = (change["key"], f"{change['family']} {change['key']}")
            same = [row for row in rows if row.nic == change["nic"] and row.name in names]
            for row in same[-1:]:
                rows.remove(row)


def table(changed: Mapping[str, Iterable[Setting]]) -> list[str]:
    """A row for each change, with its NICs and hosts; `changed` has the settings by host."""
    changes: dict[Setting, dict[str, set[str]]] = {}
    for host, rows in changed.items():
        for row in rows:
            changes.setdefault(row._replace(nic=""), {}).setdefault(host, set()).add(row.nic)
    # Hosts on which the same NICs have it share a row.
    found: dict[tuple[str, ...], list[str]] = {}
    for row, by_host in changes.items():
        for host, nics in by_host.items():
            found.setdefault((", ".join(sorted(nics)), *row[1:]), []).append(host)
    lines: list[tuple[str, ...]] = [("nic", "setting", "before", "after", "hosts")]
    lines += [(*row, listed(sorted(hosts))) for row, hosts in sorted(found.items())]
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(line, widths)), line[4]]) for line in lines]


def _paths(tree: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _paths(value, (*path, str(key)))
        else:
            yield (*path, str(key))


def _at(tree: Any, path: tuple[str, ...]) -> Any:
    for part in path:
        tree = tree.get(part) if isinstance(tree, Mapping) else None
    return tree


def _shown(value: Any) -> str:
    if value is None or value == []:
        return "-"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple)):
        value = f"{len(value)} entries" if len(value) > 2 else ", ".join(map(str, value))
    text = " ".join(str(value).split())
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."


class CallbackModule(CallbackBase):  # type: ignore[misc]  # Ansible comes without types
    """Collects, and prints what there is to say."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "linuxnet.tuning.brief"

    def __init__(self) -> None:
        super().__init__()
        self._changed: dict[str, list[Setting]] = {}
        self._failed: dict[str, list[str]] = {}
        self._warned: dict[str, list[str]] = {}
        self._turns: dict[str, list[Mapping[str, Any]]] = {}

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        """The task before is over on all hosts."""
        self._tell_hosts()

    def v2_playbook_on_handler_task_start(self, task: Any) -> None:
        """Likewise."""
        self._tell_hosts()

    def v2_runner_on_ok(self, result: Any) -> None:
        """A message is printed at once, changes are kept for the end."""
        self._warn(result)
        self._turns.pop(known(result)[0], None)
        if not _loops(result):
            self._take(result)

    def v2_runner_item_on_ok(self, result: Any) -> None:
        """A turn of a loop is told as if it was a task."""
        self._take(result)

    def v2_runner_item_on_failed(self, result: Any) -> None:
        """A turn of a loop that failed waits for the end of the loop. Which did is told here alone by some versions."""
        host, told = known(result)
        self._turns.setdefault(host, []).append(told)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """Hosts that fail for the same reason are named together; of a loop, each turn that failed."""
        host, told = known(result)
        self._warn(result)
        answer = told.get("answer")
        if isinstance(answer, Mapping) and answer.get("rolled_back"):
            took_back(self._changed.get(host, []), answer.get("pending", []))
        failed = self._turns.pop(host, [told])
        if told.get("stopped") and task_of(result).action.endswith(".rollout"):
            # A verdict over all hosts, which names those that it is about; the host of this task is any of them.
            if _SUMMARY not in constants.CALLBACKS_ENABLED:
                self._failed.setdefault(_reason(told), [])
            return
        for reason in [] if ignore_errors else dict.fromkeys(_reason(one) for one in failed):
            self._failed.setdefault(f"failed: {reason}", []).append(host)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        """Hosts that cannot be reached likewise."""
        host, told = known(result)
        self._failed.setdefault(f"unreachable: {_BY_SSH.sub('', str(told.get('msg', '')))}", []).append(host)

    def v2_playbook_on_no_hosts_remaining(self) -> None:
        """What ended the run is told before it ends."""
        self._tell_hosts()

    def v2_playbook_on_stats(self, stats: Any) -> None:
        """The end of the run."""
        self._tell_hosts()
        if any(self._changed.values()):
            for line in table(self._changed):
                self._display.display(line)

    def _take(self, result: Any) -> None:
        host, told = known(result)
        task = task_of(result)
        rows = self._changed.setdefault(host, [])
        if task.action.endswith(".guard"):
            took_back(rows, [*told.get("reverted", []), *_ended(task.args, told)])
        elif told.get("reverted"):  # what was made in this run, and is gone; which, is told in words alone
            rows.clear()
        if told.get("changed") and not only_looks(task, bool(context.CLIARGS.get("check"))):
            rows += settings(told.get("diff"))
        if task.action in ("ansible.builtin.debug", "debug"):
            self._display.display(_message(told))

    def _warn(self, result: Any) -> None:
        """Keep the warnings of a host until the task is over."""
        host, told = known(result)
        said = told.get("warnings")
        if isinstance(told, dict) and isinstance(said, list) and all(isinstance(text, str) for text in said):
            for text in told.pop("warnings"):
                self._warned.setdefault(text, []).append(host)
        self._handle_warnings(told)

    def _tell_hosts(self) -> None:
        """What a task has told of hosts, each sentence once, with all of them."""
        for text, hosts in self._warned.items():
            self._display.warning(f"{listed(sorted(hosts))}: {text}")
        self._warned.clear()
        for reason, hosts in self._failed.items():
            self._display.display(f"{listed(sorted(hosts))}: {reason}" if hosts else reason, color="red", stderr=True)
        self._failed.clear()


def _message(told: Mapping[str, Any]) -> str:
    """What a task tells: a text as it is, a list of texts line by line, and anything else as YAML."""
    said = (
        told["msg"]
        if "msg" in told
        else {key: told[key] for key in told if not key.startswith("_") and key not in _OWN}
    )
    if isinstance(said, list) and all(isinstance(line, str) for line in said):
        return "\n".join(said)
    if isinstance(said, (Mapping, list)):
        return yaml.safe_dump(plain(said), sort_keys=False, allow_unicode=True).rstrip()
    return str(said)


def _loops(result: Any) -> bool:
    """Whether these are the answers of a loop, whose turns were told before."""
    task, told = task_of(result), known(result)[1]
    return bool((task.loop or task.loop_with) and told.get("results"))


def _ended(args: Mapping[str, Any], told: Mapping[str, Any]) -> list[Any]:
    """What a call of the module guard took back itself."""
    if args.get("state") != "reverted" and not told.get("rolled_back"):
        return []
    waits = told.get("pending", [])
    return [*waits, *(one for one in told.get("temporary", []) if args.get("temporary") and one not in waits)]


def _reason(told: Mapping[str, Any]) -> str:
    """Why it failed, and in which turn of a loop."""
    turn = told.get("_ansible_item_label", told.get(told.get("ansible_loop_var", ""), ""))
    said = not_begun(told) or str(told.get("msg") or told.get("censored") or "no reason was given")
    return f"{_WRAPPED.sub('', said)}{f' (item {turn})' if turn and str(turn) not in said else ''}"
