# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a change, in the handlers of the role guard: fails where a host is lost or has reverted, and says so.

Tasks of their own for that would be skipped on every other host, at a third of the price of a task that is not.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping

from ansible.errors import AnsibleConnectionFailure

from ansible_collections.linuxnet.tuning.plugins.plugin_utils import rollout
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.plain import registered
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.refused import Refused

# The variable by which the handlers say which step this is. `guard` in other tasks answers as any module does.
STEP = "guard__step"
# Where the playbook has set it, each host is looked at before one is confirmed.
BATCHES = "guard__batches"
LOOK, END = "look", "end"


def needs_new_connection(variables: Mapping[str, Any]) -> bool:
    """Whether a step is the first one after the change: an old connection may live on where none can be made.

    As a handler of its own Ansible would close connections one by one, in the process that has all else to do.
    """
    step = variables.get(STEP)
    return step == LOOK or (step == END and BATCHES not in variables)


def options(args: Mapping[str, Any], variables: Mapping[str, Any], template: Callable[[Any], Any]) -> Dict[str, Any]:
    """The options of a step, which its handler leaves out: a template there would cost a worker milliseconds."""

    def value(name: str, default: Any) -> Any:
        found = template(variables[name]) if name in variables else None
        # On older versions of Ansible a template that comes to nothing is an empty text.
        return default if found is None or found == "" else found

    if variables.get(STEP) == LOOK:
        found = {"probes": value("tuning_probes", []), "patience": value("tuning_probe_patience", 10)}
        wrong = rollout.invalid({"patience": found["patience"]})
        if wrong:
            raise Refused(wrong)
        return {**args, **found}
    if variables.get(STEP) == END and registered(variables, "guard_verdict").get("stop"):
        return {**args, "state": "reverted"}
    return dict(args)


def ended(run: Callable[[], Dict[str, Any]], variables: Mapping[str, Any]) -> Dict[str, Any]:
    """The result of the task that confirms or reverts, or of its failure, with what the host has said as `answer`."""
    if variables.get(STEP) != END:
        return run()
    try:
        answer = run()
    except AnsibleConnectionFailure as error:
        # One that is merely unreachable would not count as failed, and the next batch would go the same way.
        answer = {"unreachable": True, "msg": str(error)}
    verdict = registered(variables, "guard_verdict")
    if answer.get("failed"):
        return (
            {**answer, "msg": _unable(answer, variables, verdict), "stopped": True} if verdict.get("last") else answer
        )
    why = _why(answer, variables)
    # For the callbacks: what had been changed was rolled back with the batch.
    if verdict.get("stop") and not answer.get("unreachable"):
        answer = {**answer, "rolled_back": True}
    if not why:
        return answer
    changed, warnings = bool(answer.get("changed")), answer.get("warnings", [])
    # Where no host of the batch is left to tell the end of the run, each tells it.
    told = {"msg": f"{why} {verdict['last']}", "stopped": True} if verdict.get("last") else {"msg": why}
    return {"changed": changed, "failed": True, **told, "warnings": warnings, "answer": answer}


def _why(answer: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
    if answer.get("unreachable"):
        return (
            f"After the change no new connection to this host can be made ({answer.get('msg') or 'no answer'}). Nobody "
            "has confirmed the change, so the host reverts by itself; the next run tells what was reverted."
        )
    sick = _sick(variables)
    if sick:
        # The guard may have been faster than the judge.
        return f"{sick} The change was {'reverted' if answer.get('reverted') else 'rolled back'}."
    # A later task of the same play may reach the host only once it has gone back, and be the one that is told.
    told = registered(variables, "tune_result").get("reverted")
    if told and int(registered(variables, "bonding_result").get("guard") or 0) > 0:
        return f"This host reverted by itself in the middle of the play: {told}"
    return ""


def _sick(variables: Mapping[str, Any]) -> str:
    sick = registered(variables, "guard_verdict").get("sick") or {}
    name = variables.get("inventory_hostname")
    return f"This host is not well after the change: {sick[name]}." if name in sick else ""


def _unable(answer: Mapping[str, Any], variables: Mapping[str, Any], verdict: Mapping[str, Any]) -> str:
    """What a host says that could not be rolled back, where nobody else of its batch can tell the end of the run."""
    return " ".join(filter(None, (_sick(variables), str(answer.get("msg") or ""), verdict["last"])))
