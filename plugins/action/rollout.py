# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges a batch of the playbook site once, on the controller: whether it is well, and which hosts were off.

It looks at what the tasks have registered. What a host says is never a fact that is set, nor a template.
"""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase

from ansible_collections.linuxnet.tuning.plugins.lookup.shared import LookupModule
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import rollout
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.files import beside, expanded, write
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.plain import notes, registered
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.refused import Refused

SPEC = {
    "state": {"type": "str", "choices": ["begun", "judged", "ended", "failed", "unreachable"], "default": "judged"},
    "calls": {"type": "list", "elements": "str", "default": ["tune_result"]},
    "batches": {"type": "list", "elements": "raw", "default": ["100%"]},
    "max_fail_percentage": {"type": "float", "default": 10},
    "max_errors": {"type": "int", "default": 100},
    "file": {"type": "str", "default": ""},
    "inventory": {"type": "bool", "default": False},
}
# What the inventory is asked for, and what is usual.
_OF_INVENTORY = {
    "batches": ("tuning_batches", [1, "25%", "100%"]),
    "max_fail_percentage": ("tuning_max_fail_percentage", 10),
    "max_errors": ("tuning_max_errors", 100),
    "file": ("tuning_off_file", "site.off"),
}


class ActionModule(ActionBase):  # type: ignore[misc]  # ansible-core has no types
    """Needs no connection: all that it reads was registered before."""

    _requires_connection = False

    def run(self, tmp: Any = None, task_vars: Any = None) -> Dict[str, Any]:
        """The verdict; at the end of a batch it fails where the run has to stop."""
        result: Dict[str, Any] = super().run(tmp, task_vars)
        if boolean(self._task.args.get("inventory", False), strict=False):
            self._task.args = self._with_inventory(task_vars)
        sizes = self._task.args.get("batches", [])
        given = {**self._task.args, "batches": sizes if isinstance(sizes, list) else [sizes]}
        _must_be_valid(
            {name: given[name] for name in ("batches", "max_fail_percentage", "max_errors") if name in given}
        )
        _checked, options = self.validate_argument_spec(argument_spec=SPEC)
        if options["state"] == "unreachable":
            msg = "This host was off, or could not be reached."
            if options["file"]:
                msg += f" For later: ansible-playbook ... --limit @{expanded(options['file'])}"
            return {**result, "unreachable": True, "msg": msg}
        hosts, name = task_vars["ansible_play_hosts_all"], task_vars["inventory_hostname"]
        names = rollout.batch(hosts, options["batches"], name)
        limits = rollout.Limits(options["max_fail_percentage"], options["max_errors"])
        if options["state"] == "begun":
            _probes_must_be_valid(task_vars["hostvars"], names)
            # Ansible goes on after a batch that has failed as a whole, if one of its hosts was lost in an earlier play.
            before = rollout.earlier(hosts, options["batches"], name)
            if _stopped(task_vars["hostvars"], hosts, before, options["calls"], limits):
                left = len(hosts) - sum(map(len, before))
                msg = f"The run ends here, because the hosts before were not well. {rollout.untouched(left)}"
                result.update(failed=True, msg=msg, stopped=True)
            return result
        said = {host: _said(task_vars["hostvars"], host, options["calls"]) for host in names}
        found = rollout.judge(said, limits)
        result.update(changed=False, stop=found.stop, sick=found.sick, failed_hosts=found.failed, off=found.off)
        left = len(hosts) - list(hosts).index(names[-1]) - 1
        ends = options["state"] == "ended"
        # A task before the end has failed for all hosts of the batch, so nobody comes to its end.
        lost = options["state"] == "failed" and set(found.failed) == set(names)
        if options["file"] and (ends or lost):
            _note(expanded(options["file"]), said, found.off)
        if lost or (ends and found.stop):
            back = bool(registered(task_vars, "guard_verdict").get("stop"))
            msg = rollout.sentence(found, said, back, left, limits)
            result.update(failed=True, msg=msg, stopped=True)
        elif not ends and found.stop and {*found.sick, *found.failed} >= set(names):
            # Then nobody is left on whom the end of the batch could be told.
            result["last"] = rollout.untouched(left)
        return result

    def _with_inventory(self, variables: Mapping[str, Any]) -> Dict[str, Any]:
        """The options of the task, and for those that it leaves out the variables: templates in the task would cost as
        much as all else that it does, three times in each batch, while nothing else can be done."""
        shared = LookupModule(loader=self._loader, templar=self._templar)
        known = {
            option: shared.run([name], variables, default=usual)[0] for option, (name, usual) in _OF_INVENTORY.items()
        }
        known["file"] = beside(str(known["file"]))
        if "guard__calls" in variables:
            known["calls"] = variables["guard__calls"]
        given = {**known, **self._task.args}
        if self._task.check_mode:
            # It is one batch, ends no run, and keeps no list.
            given.update(batches=["100%"], file="")
            if given.get("state") == "ended":
                given["state"] = "judged"
        return given


def _must_be_valid(given: Mapping[str, Any]) -> None:
    wrong = rollout.invalid(given)
    if wrong:
        raise Refused(wrong)


def _probes_must_be_valid(hostvars: Any, hosts: List[str]) -> None:
    """Before anything is changed: a host that cannot be checked afterwards would be rolled back, with all others."""
    read = getattr(hostvars, "raw_get", None) or hostvars.get
    for host in hosts:
        known = read(host) or {}
        given = {"probes": known.get("tuning_probes"), "patience": known.get("tuning_probe_patience")}
        # What is a template is checked on the host, when its value is known.
        _must_be_valid({name: one for name, one in given.items() if one and "{{" not in str(one)})


def _stopped(
    hostvars: Any, hosts: List[str], before: List[List[str]], calls: List[str], limits: rollout.Limits
) -> bool:
    """Whether a verdict over hosts of this run, in whichever play, was that it has to end."""
    read = notes(hostvars)
    known = [read(host) for host in hosts]
    if any(registered(one, name).get("stop") for one in known for name in ("guard_verdict", "tuning_rollout")):
        return True
    # Of a batch in which nobody was left to be judged, there is none.
    return any(rollout.judge({host: _said(hostvars, host, calls) for host in one}, limits).stop for one in before)


def _said(hostvars: Any, name: str, calls: List[str]) -> rollout.Said:
    known = notes(hostvars)(name)
    told = {one: registered(known, one) for one in (*calls, "guard_health", "guard_confirmed")}
    confirmed = told["guard_confirmed"]
    # The handler fails for a host that is lost or not well, and hands on what that has said.
    return rollout.Said(
        [told[call] for call in calls if told[call]], told["guard_health"], confirmed.get("answer", confirmed)
    )


def _note(path: str, said: Mapping[str, rollout.Said], off: List[str]) -> None:
    """Keep the list of hosts that were off; one that has nobody left goes."""
    try:
        with open(path, encoding="utf-8") as file:
            known = file.read().split()
    except FileNotFoundError:
        known = []
    except OSError as error:
        raise Refused(f"tuning_off_file: {path} cannot be read: {error.strerror}") from None
    left = rollout.off_list(known, said, off)
    if left == known:
        return
    try:
        if left:
            write(path, "".join(f"{name}\n" for name in left))
        else:
            os.unlink(path)
    except OSError as error:
        raise Refused(f"tuning_off_file: {path} cannot be written: {error.strerror}") from None
