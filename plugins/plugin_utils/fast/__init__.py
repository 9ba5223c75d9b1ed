# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a module of the engine on the host's bare interpreter, without the wrapper that Ansible puts around modules.

It is Ansible's own way of running a module, with another payload: the script of script.py in place of the wrapped
module. So become, environment, delegation, the interpreter and the cleaning of the result are Ansible's. Whatever does
not fit goes the usual way, with the module; both run the same code. -vvv tells which way was taken, and why.

Read `_ran` first, then `_fast`: it sends the request, and where the host lacks the code both. `_send` has Ansible run a
module, and the methods of Ansible that follow put our script in that module's place, as long as `_call` is set.
"""

from __future__ import annotations

import os
import re
import shlex
from typing import Any, Dict, Optional

from ansible import constants
from ansible.errors import AnsibleConnectionFailure, AnsibleError
from ansible.executor import module_common
from ansible.utils.display import Display

from ansible_collections.linuxnet.tuning.plugins.plugin_utils import results
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast import ahead, ending, precompiled, script, told
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast.options import UnfitError, WithOptions, checked

__all__ = ["SWITCH", "ActionModule", "UnfitError", "checked", "confirm_nothing"]

SWITCH = "LINUXNET_TUNING_FAST"
# Ways to a host, and to another user there, that hand standard input through.
CONNECTIONS = ("ssh", "local")
BECOME = ("sudo", "su")
# Options of ssh, and what has it open a terminal although its input is none.
_SSH_WORDS = ("ssh_args", "ssh_common_args", "ssh_extra_args")
_TERMINAL = re.compile(r"(?:^|\s)-tt|RequestTTY[\s=]+[\"']?force", re.IGNORECASE)
# What the handlers of the role guard listen to.
TOPICS = ("linuxnet.tuning.confirm", "linuxnet.tuning.judge")

display = Display()
ahead.load()


class ActionModule(WithOptions):
    """The action of every module that the engine serves; each has a file in plugins/action that names this class."""

    _call: Optional[Dict[str, Any]] = None  # what the script is made for; None where Ansible's own way is taken
    _script = b""  # as it was sent, by which the command that runs it is known

    def run(self, tmp: Any = None, task_vars: Any = None) -> Any:
        """Run the task; for the handler that ends a change, say what that means."""
        return ending.ended(lambda: self._ran(tmp, task_vars), task_vars or {})

    def _ran(self, tmp: Any, task_vars: Any) -> Any:
        """The result, the fast way where it fits."""
        if ending.needs_new_connection(task_vars or {}):
            self._say("opens a new connection, which proves that the host can be reached")
            self._connection.reset()
        view = self._task.action.rpartition(".")[2]
        refused = self._take_options(view, task_vars or {})
        confirm_nothing(self._task)
        try:
            result = self._fast(view, task_vars or {})
        except UnfitError as why:
            self._say(f"runs as a module, because {why}")
            self._call = None
            result = super().run(tmp, task_vars)
            refused_there = results.not_begun(result)
            if refused_there:
                result = _failed(refused_there)
        finally:
            self._call = None
        return self._shown(self._in_words(view, result, refused, task_vars or {}), task_vars or {})

    def _fast(self, view: str, task_vars: Any) -> Dict[str, Any]:
        """Send the request, and the code to a host that lacks it. UnfitError where the module has to do it."""
        self._must_fit()
        params = checked(view, self._task.args)
        self._say("runs on the host's bare interpreter")
        host = f"{self._connection._play_context.remote_addr} {self.get_become_option('become_user')}"
        python = told.lacks(host)
        code = None
        if python is not None:
            self._say("takes its code along, because most hosts of this run have lacked it")
            code = precompiled.code(python)
        result = self._send(task_vars, view=view, params=params, code=code)
        if script.MISSING in result:
            python = precompiled.version(result.get(script.PYTHON))
            code = precompiled.code(python)
            form = f"compiled for Python {code.fits}" if code.fits else "as sources"
            self._say(f"sends its code, {form}, because {result[script.MISSING]}")
            result = self._send(task_vars, view=view, params=params, code=code)
            if script.MISSING in result:
                raise UnfitError("its answer is of another Python each time")
            result.pop(script.HAD, None)  # another run has sent it meanwhile
        elif result.pop(script.HAD, code is None):
            python = None
        told.note(host, python)
        if script.NOTE in result:
            self._say(f"could not keep its code there: {result.pop(script.NOTE)}")
        return result

    def _must_fit(self) -> None:
        """See that nothing about this task needs the usual way."""
        become, transport = self._connection.become, self._connection.transport.rpartition(".")[2]
        if os.environ.get(SWITCH, "1") == "0":
            raise UnfitError(f"{SWITCH} is 0")
        if self._task.async_val:
            raise UnfitError("the task is asynchronous")
        if transport not in CONNECTIONS:
            raise UnfitError(f"the connection is {transport}")
        if become and become.name.rpartition(".")[2] not in BECOME:
            raise UnfitError(f"the become method is {become.name}")
        if (
            transport == "local"
            and self.get_become_option("become_pass")
            and not self._connection.get_option("pipelining")
        ):
            raise UnfitError("a password goes to a local terminal while pipelining is off")
        if transport == "ssh" and any(_TERMINAL.search(str(self._connection.get_option(name))) for name in _SSH_WORDS):
            raise UnfitError("ssh is told to open a terminal, which takes what is sent for typed")
        if constants.DEFAULT_KEEP_REMOTE_FILES:
            raise UnfitError("Ansible is told to keep what it sends")

    def _send(self, task_vars: Any, **call: Any) -> Dict[str, Any]:
        """Run the script as Ansible runs a module; UnfitError if the engine has not even begun."""
        self._call = call
        try:
            result = self._execute_module(module_args={}, task_vars=task_vars)
        except AnsibleConnectionFailure as error:
            if script.STARTED not in str(error):
                raise
            # Not one that is off: whatever the engine was at, nobody has seen its end.
            why = str(error).replace(script.STARTED, "").split(":", 1)[-1].split()
            msg = f"the connection was lost in the middle of the call ({' '.join(why) or 'no reason given'})"
            return {"unreachable": True, "cut": True, "msg": msg}
        except AnsibleError as error:
            # A password that is wrong stays so; but sudo may insist on a terminal, which only the usual way has.
            if self._connection.become is None or "Incorrect" in str(error) or "Missing" in str(error):
                raise
            raise UnfitError(f"of this: {error}") from error
        unread = not result.get("_ansible_parsed", True) or "module_stderr" in result
        if unread and script.STARTED not in str(result.get("module_stdout")):
            if results.too_old(result):
                return _failed(results.OLD)
            raise UnfitError(f"the host has not begun with it: {result.get('module_stderr') or result.get('msg')}")
        return dict(result)

    def _configure_module(self, module_name: str, module_args: Any, task_vars: Any) -> Any:
        """The payload: our script for the host's interpreter, instead of a module with its wrapper."""
        if self._call is None:
            return super()._configure_module(module_name, module_args, task_vars)
        request = {
            "params": self._call["params"],
            "check_mode": module_args["_ansible_check_mode"],
            "invocation": module_args.get("_ansible_inject_invocation", True),  # always so before ansible-core 2.20
        }
        folder = f"{module_args['_ansible_remote_tmp']}/linuxnet-tuning"
        self._script = script.build(self._call["view"], request, folder, code=self._call["code"])
        shebang = self._shebang(module_args, task_vars)
        if not hasattr(module_common, "_BuiltModule"):  # ansible-core 2.18 and older
            return "new", shebang, self._script, script.PATH
        built = module_common._BuiltModule(
            b_module_data=self._script, module_style="new", shebang=shebang, serialization_profile="legacy"
        )
        return built, script.PATH

    def _shebang(self, module_args: Any, task_vars: Any) -> Any:
        """The interpreter of the host, in the form that Ansible hands it around."""
        where = task_vars["ansible_delegated_vars"][self._task.delegate_to] if self._task.delegate_to else task_vars
        local = bool(getattr(self._connection, "_remote_is_local", False))
        for known in (False, True):
            try:
                return module_common._get_shebang("/usr/bin/python", where, self._templar, remote_is_local=local)[0]
            except module_common.InterpreterDiscoveryRequiredError:
                if known:
                    raise
                # Any module makes Ansible look for the interpreter, and note what it has found.
                super()._configure_module("ansible.builtin.ping", module_args, task_vars)
        return None

    def _is_pipelining_enabled(self, *args: Any, **kwargs: Any) -> bool:
        """The script goes to standard input, whether or not modules do: it needs no file."""
        return self._call is not None or bool(super()._is_pipelining_enabled(*args, **kwargs))

    def _low_level_execute_command(self, cmd: str, *args: Any, **kwargs: Any) -> Any:
        """The command that reads our script; Ansible runs others besides, to find the interpreter for instance."""
        if self._call is not None and kwargs.get("in_data") is self._script:
            cmd = f"{cmd} {shlex.join(script.OPTIONS)}"
        return super()._low_level_execute_command(cmd, *args, **kwargs)

    def _say(self, what: str) -> None:
        display.vvv(f"{self._task.action}: {what}", host=self._connection._play_context.remote_addr)


def _failed(why: str) -> Dict[str, Any]:
    """The result of a host that has not begun. An exception would end it in spite of `failed_when: false`."""
    return {"failed": True, "msg": why}


def confirm_nothing(task: Any) -> None:
    """What a check would change needs no confirmation. A template in `notify` would cost each worker 2 ms."""
    if task.check_mode and task.notify:
        task.notify = [name for name in task.notify if name not in TOPICS]
