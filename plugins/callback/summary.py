# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Say at the end what became of each host: changed, unchanged, rolled back, reverted, failed, unreachable."""

from __future__ import annotations

DOCUMENTATION = r"""
name: summary
type: aggregate
short_description: Say at the end of a run what became of each host
version_added: 0.2.0
description:
  - Names the hosts that were changed, unchanged, rolled back (with a batch that was not well), reverted (they took a
    change back, in this run or since the last one), failed and unreachable, of all batches of a run.
  - Then prints each remark of the modules once, with the number of hosts that it is true for, unless the callback
    P(linuxnet.tuning.brief#callback) has done so.
  - If C(site) stopped because a batch was not well, the last lines say why, and how many hosts were not touched.
author:
  - The linuxnet.tuning maintainers (@linuxnet)
requirements:
  - To be enabled by C(callbacks_enabled = linuxnet.tuning.summary) in the section C(defaults) of C(ansible.cfg)
"""

from typing import Any, Collection, Dict, List, Mapping, Set

from ansible import constants, context
from ansible.plugins.callback import CallbackBase

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.results import known, listed, only_looks, task_of

# This callback has printed what the modules remarked, with the hosts.
_BRIEF = "linuxnet.tuning.brief"
WORDS = ("failed", "unreachable", "reverted", "rolled back", "changed", "unchanged")


def summarise(
    hosts: Mapping[str, Mapping[str, int]],
    reverted: Set[str],
    off: Collection[str] = (),
    rolled_back: Collection[str] = (),
) -> Dict[str, List[str]]:
    """The hosts by what became of them, each once, under the worst that is true of it.

    Those that are `off` were not reached last, though a play does not count it (`ignore_unreachable`).
    """
    found: Dict[str, List[str]] = {word: [] for word in WORDS}
    for name, counts in sorted(hosts.items()):
        if counts.get("failures"):
            word = "failed"
        elif counts.get("unreachable") or name in off:
            word = "unreachable"
        elif name in reverted:
            word = "reverted"
        elif name in rolled_back:
            word = "rolled back"
        else:
            word = "changed" if counts.get("changed") else "unchanged"
        found[word].append(name)
    return found


def lines(found: Mapping[str, List[str]]) -> List[str]:
    """A line for each group that has hosts, the good news last."""
    return [f"{word:<12}{len(names):>4}   {listed(names)}" for word, names in found.items() if names]


def remarks(told: Mapping[str, Set[str]]) -> List[str]:
    """What the modules remarked, each sentence once, for the most hosts first; `told` has the hosts by sentence."""
    order = sorted(told.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        f"{len(hosts)} {'host' if len(hosts) == 1 else 'hosts'}: {sentence}. ({listed(sorted(hosts))})"
        for sentence, hosts in order
    ]


def ends(stopped: Mapping[str, Set[str]]) -> List[str]:
    """Why the run stopped, with the hosts that say so of themselves; a verdict over a batch names its hosts itself."""
    return [f"{listed(sorted(hosts))}: {msg}" if hosts else msg for msg, hosts in stopped.items()]


def _is_verdict(result: Any) -> bool:
    """Whether it is over a batch: the controller gives it, on whichever host of the batch."""
    return bool(task_of(result).action.endswith(".rollout"))


class CallbackModule(CallbackBase):  # type: ignore[misc]  # Ansible comes without types
    """Counts along and prints once."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "linuxnet.tuning.summary"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        self._reverted: Set[str] = set()
        self._remarks: Dict[str, Set[str]] = {}
        self._off: Set[str] = set()
        self._rolled_back: Set[str] = set()
        self._stopped: Dict[str, Set[str]] = {}
        self._judged: Dict[str, int] = {}
        self._would_change: Dict[str, int] = {}

    def v2_runner_on_ok(self, result: Any) -> None:
        """A call tells that the host has taken something back since the last one. Ansible counts as changed also what
        `prove` only asks for, in check mode, before it measures."""
        host, told = known(result)
        if not _is_verdict(result):
            self._off.discard(host)
        if told.get("changed") and only_looks(task_of(result), bool(context.CLIARGS.get("check"))):
            self._would_change[host] = self._would_change.get(host, 0) + 1
        self._note(result)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        """Not counted where a play goes on without such a host."""
        self._off.add(known(result)[0])

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """So does one that was to confirm what is gone. A verdict over a batch is no failure of its host."""
        host, told = known(result)
        verdict = _is_verdict(result)
        if told.get("stopped"):
            self._stopped.setdefault(str(told.get("msg")), set()).update(() if verdict else (host,))
        if verdict and told.get("stopped"):
            self._judged[host] = self._judged.get(host, 0) + 1
        self._note(result)

    def _note(self, result: Any) -> None:
        host, told = known(result)
        if told.get("reverted"):
            self._reverted.add(host)
        answer = told.get("answer")  # other modules may call anything so
        if told.get("rolled_back") or (isinstance(answer, Mapping) and answer.get("rolled_back")):
            self._rolled_back.add(host)
        said = told.get("remarks")
        for sentence in said if isinstance(said, list) else ():
            self._remarks.setdefault(str(sentence), set()).add(host)

    def v2_playbook_on_stats(self, stats: Any) -> None:
        """The end of the run."""
        hosts = {host: dict(stats.summarize(host)) for host in stats.processed}
        for host, count in self._judged.items():
            hosts[host]["failures"] = hosts[host].get("failures", 0) - count
        for host, count in self._would_change.items():
            hosts[host]["changed"] = hosts[host].get("changed", 0) - count
        if len(hosts) > 1 or self._stopped:
            self._display.banner("SUMMARY")
            found = summarise(hosts, self._reverted, self._off, self._rolled_back)
            told = {} if constants.DEFAULT_STDOUT_CALLBACK == _BRIEF else self._remarks
            for line in [*lines(found), *remarks(told), *ends(self._stopped)]:
                self._display.display(line)
