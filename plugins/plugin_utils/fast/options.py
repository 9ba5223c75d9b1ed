# SPDX-License-Identifier: GPL-3.0-or-later
"""What the options of a task come to on the controller before anything is sent, and what is shown of its result.

The inventory, the profiles and the speeds of other hosts are known here and not on the host. `_take_options` fills them
in, and checks what a module would refuse later, host by host.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Dict, Mapping, Sequence

from ansible.errors import AnsibleError
from ansible.module_utils.common.arg_spec import ModuleArgumentSpecValidator
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action.normal import ActionModule as UsualWay
from ansible.utils.display import Display

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import layers, rates, sources, spelling
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.audit import collect
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast import ending
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.refused import Refused

display = Display()
# The variable by which the playbook `audit` says that its task leaves its options out, and takes one text as an answer.
PACKED = "audit__packed"


class UnfitError(Exception):
    """Why the module has to do it."""


class WithOptions(UsualWay):  # type: ignore[misc]  # ansible-core has no types
    """An action whose options may come from the inventory."""

    _of_inventory = False

    def _take_options(self, view: str, variables: Any) -> str:
        """Fill in and check the options; gives what is wrong with those that `nic_info` compares a host with."""
        self._task.args = ending.options(self._task.args, variables, self._templar.template)
        self._of_inventory = boolean(self._task.args.get("inventory", False), strict=False)
        if view == "nic_info" and PACKED in variables:
            self._task.args = {**self._of_audit(variables), **self._task.args}
        refused = self._take_inventory(view, variables)
        if view == "bonding":
            self._see_bonds()
        self._take_rates(variables)
        self._take_profile(view, variables)
        return refused

    def _take_inventory(self, view: str, variables: Any) -> str:
        """Fill in the options that come from the inventory; gives what is wrong with those that `nic_info` compares."""
        args = self._task.args
        if not (view in ("tune", "nic_info") and self._of_inventory):
            return ""
        for sentence in spelling.misspelt(variables):
            display.warning(sentence)
        try:
            given = layers.options(variables, self._templar.template, self._loader.load_from_file)
            if view == "tune":
                self._task.args = {**given, **args}
                return ""
            self._task.args = {"peers": layers.peers(given), **args}
            self._task.args["compare"] = checked("tune", given, "{errors}")
        except (layers.LayerError, AnsibleError, UnfitError) as error:
            if view == "tune":
                raise Refused(str(error)) from error
            return str(error)
        return ""

    def _of_audit(self, variables: Any) -> Dict[str, Any]:
        """The options of the playbook `audit`, whose task leaves them out: a template there would cost each worker more
        than the whole call."""
        found = {name: self._templar.template(variables.get(f"audit_{name}")) for name in ("interval", "against")}
        return {"interval": found["interval"] or 0, "against": found["against"] or []}

    def _see_bonds(self) -> None:
        try:
            managers = engine.argument_spec("bonding")["manager"]["choices"]
            layers.bonds(self._task.args.get("bonds"), self._task.args.get("manager"), managers)
        except layers.LayerError as error:
            raise Refused(str(error)) from error

    def _take_profile(self, view: str, variables: Any) -> None:
        """Fill in what the profiles ask for that `nic_info` compares a host with: their files lie on the controller."""
        names = self._task.args.get("against")
        if view == "nic_info" and isinstance(names, (str, list)) and names:
            try:
                given = layers.profile(variables, self._templar.template, self._loader.load_from_file, names)
            except layers.LayerError as error:
                raise Refused(f"against: {error}") from error
            self._task.args = {**self._task.args, "against": given}

    def _take_rates(self, variables: Any) -> None:
        """What `rate: auto` is for each client: this host cannot see the links of others, the controller can."""
        args = self._task.args
        if rates.needed(args.get("nics")) and "hostvars" in variables:
            self._task.args = {**args, "nics": rates.filled(args["nics"], variables["hostvars"])}

    def _in_words(self, view: str, result: Any, refused: str, variables: Any) -> Any:
        """The result in the words of the inventory, with what was `refused` of it."""
        if view == "tune" and self._of_inventory and result.get("failed"):
            said = str(result.get("msg"))
            told = sources.named(said, variables, self._templar.template)
            # ansible-core has made an error of what was said, and would print that one first.
            result = {key: value for key, value in result.items() if told == said or key != "exception"}
            result["msg"] = told
        if refused:
            result = {**result, "compared": {"changed": False, "failed": True, "msg": refused}}
        return result

    def _shown(self, result: Any, variables: Any) -> Any:
        """Leave out what nobody sees unless somebody looks (-v): each value costs the controller several copies.

        The playbook `site` asks for that. What has changed stands in `diff`, and once it is confirmed in its result.
        """
        left_out: Sequence[str] = ()
        if variables.get("tune__brief"):
            left_out = ("before", "after", *(name for name, value in result.items() if value == []))
        if variables.get(ending.STEP) and self._task.args.get("state") != "reverted":
            left_out = ("pending", "temporary")
        if display.verbosity or result.get("failed"):
            return result
        if variables.get(PACKED):
            return collect.packed(result)
        return {name: value for name, value in result.items() if name not in left_out}


@lru_cache(maxsize=None)
def _validator(view: str) -> Any:
    return ModuleArgumentSpecValidator(engine.spec(view))


def checked(
    view: str, args: Mapping[str, Any], why: str = "its options are not right, and the module tells why"
) -> Any:
    """The options of a task, checked as a module checks them; UnfitError where the module would have to speak."""
    try:
        given = json.loads(json.dumps({str(name): value for name, value in args.items()}, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise UnfitError(f"an option is no plain value: {error}") from error
    found = _validator(view).validate(given)
    if found.error_messages or found._warnings or found._deprecations:
        raise UnfitError(why.format(errors="; ".join(found.error_messages)))
    return dict(found.validated_parameters)
