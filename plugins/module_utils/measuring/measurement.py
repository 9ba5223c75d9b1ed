# SPDX-License-Identifier: GPL-3.0-or-later
"""Serve the calls of `iperf3` and `benchmark`: one run, and one host's part in a measurement of many hosts."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from ..host import ReadOnlyHost, connect
from ..runner import answer, runner
from ..schema import Query, TuningError
from ..tools import fio, iperf3
from . import between, session

Params = Mapping[str, Any]
Result = Dict[str, Any]

IPERF3 = {**iperf3.OPTIONS, "retries": {"type": "int", "default": 10}}
_PROBE = {
    "servers": {"type": "list", "elements": "str", "required": True},
    "lead": {"type": "float", "default": 0},
    "seconds": {"type": "float", "default": 5},
}
_STEP = {
    "id": {"type": "str", "required": True},
    "gate": {"type": "str"},
    "limit": {"type": "int", "required": True},
    "runs": {"type": "list", "elements": "dict", "default": [], "options": IPERF3},
    "sample": {"type": "float", "default": 0},
    "probe": {"type": "dict", "options": _PROBE},
    "fio": {"type": "dict", "options": fio.OPTIONS},
    "drop_caches": {"type": "bool", "default": False},
}
_GATE_STEP = {
    "id": {"type": "str", "required": True},
    "hosts": {"type": "list", "elements": "str", "required": True},
    "limit": {"type": "int", "required": True},
    "staggered": {"type": "bool", "default": True},
    "drop_caches": {"type": "bool", "default": False},
    "sample": {"type": "float", "default": 0},
}
BENCHMARK: Dict[str, Dict[str, Any]] = {
    "state": {"type": "str", "choices": ["checked", "between", "started", "collected", "absent"], "required": True},
    "name": {"type": "str", "required": True},
    "routers": {"type": "list", "elements": "str", "default": []},
    "peers": {"type": "list", "elements": "str", "default": []},
    "nics": {"type": "list", "elements": "str", "default": []},
    "servers": {"type": "int", "default": 0},
    "answers": {"type": "bool", "default": False},
    "port": {"type": "int", "default": 5201},
    "protocol": {"type": "str", "choices": ["tcp", "udp"], "default": "tcp"},
    "gate": {"type": "list", "elements": "dict", "default": [], "options": _GATE_STEP},
    "secret": {"type": "str", "default": "", "no_log": True},
    "steps": {"type": "list", "elements": "dict", "default": [], "options": _STEP},
    "stagger": {"type": "float", "default": 0.1},
    "patience": {"type": "int", "default": 120},
    "seconds": {"type": "int", "default": 600},
    "firewall": {"type": "bool", "default": True},
    "sources": {"type": "list", "elements": "str", "default": []},
    "quiet": {"type": "bool", "default": False},
}


def serve_iperf3(module: Any) -> None:
    """Serve one call of `iperf3`."""
    host = connect(runner(module), module.check_mode)
    answer(module, lambda: _measure(host, module.params))


def serve_benchmark(module: Any) -> None:
    """Serve one call of `benchmark`."""
    state = module.params["state"]
    # Outside check mode it is one that can write.
    host: Any = connect(runner(module), module.check_mode)
    served = {
        "checked": session.check,
        "between": between.tell,
        "started": session.start,
        "collected": session.collect,
        "absent": session.stop,
    }[state]
    answer(module, lambda: served(host, module.params, module.check_mode))


def _measure(host: ReadOnlyHost, params: Params) -> Result:
    """One run in the foreground. Nothing on the host changes, so check mode measures as well."""
    iperf3.check(params)
    # The time for connecting, and for the exchange of results at the end.
    limit = iperf3.seconds(params) + 20
    argv = ("timeout", "--kill-after=5", str(limit), *iperf3.client(params))
    for attempt in range(params["retries"] + 1):
        if attempt:
            host.wait_until(lambda: False, 1)
        answer = host.ask(Query(argv, limit + 10))
        if answer.rc == 127 and not answer.out:
            raise TuningError("the program 'iperf3' is not installed; install its package")
        if answer.rc in (124, 137):
            raise TuningError(
                f"iperf3 to {params['server']} port {params['port']} did not end within {limit} s; "
                "see whether the server still answers"
            )
        try:
            return {
                "changed": False,
                "attempts": attempt + 1,
                **iperf3.parse(answer.out, answer.err, params, answer.rc),
            }
        except iperf3.Iperf3Error as error:
            if error.kind != "busy" or attempt == params["retries"]:
                raise _reason(host, params, error) from None
    raise AssertionError("range() above is never empty")


def _reason(host: ReadOnlyHost, params: Params, error: iperf3.Iperf3Error) -> iperf3.Iperf3Error:
    """What went wrong, by a connection of our own where iperf3 has not told it."""
    if not iperf3.untold(error):
        return error
    # A name may wait for a server of names that does not answer.
    said = host.ask(Query(("timeout", "8", *iperf3.connect(params)), 10)).err
    return iperf3.told(said, params) or error
