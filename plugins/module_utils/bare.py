# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for AnsibleModule where the engine runs on a bare interpreter: as much of it as the engine knows.

The options were checked on the controller, by the class that a module checks them with.
"""

from __future__ import annotations

import json
import os
import select
import sys
from _signal import SIGPIPE, SIGXFSZ  # type: ignore[import-not-found]  # signal makes enumerations first
from typing import Any, Dict, List, Mapping, NoReturn, Optional, Tuple

from . import engine

# This is run_command for the bare interpreter, so there is none to call; subprocess takes a tenth of the whole call to
# import.
_SPAWN = vars(os)["posix_spawnp"]
_SBIN = ("/sbin", "/usr/sbin", "/usr/local/sbin")


def serve(view: str, request: str, told: Mapping[str, Any]) -> NoReturn:
    """Run one call; what is `told` beside its result is about the code, and for the controller only."""
    given = json.loads(request)
    engine.serve(BareModule(given["params"], given["check_mode"], given["invocation"], told), view)
    raise AssertionError("a call ends with its result")


class BareModule:
    """The options of one call, its commands and its end."""

    def __init__(self, params: Mapping[str, Any], check_mode: bool, invocation: bool, told: Mapping[str, Any]) -> None:
        self.params = params
        self.check_mode = check_mode
        self._invocation = invocation
        self._told = told
        self._warnings: List[str] = []

    def warn(self, text: str) -> None:
        """Tell the person who runs this, beside the result."""
        self._warnings.append(text)

    def exit_json(self, **result: Any) -> NoReturn:
        """End with a result."""
        self._end(result, 0)

    def fail_json(self, msg: str, **result: Any) -> NoReturn:
        """End with a failure."""
        self._end({**result, "failed": True, "msg": msg}, 1)

    def _end(self, result: Dict[str, Any], rc: int) -> NoReturn:
        if self._invocation:
            result["invocation"] = {"module_args": self.params}
        if self._warnings:
            result["warnings"] = self._warnings
        result.update(self._told)
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()
        raise SystemExit(rc)

    def get_bin_path(self, name: str) -> Optional[str]:
        """Where a program lies; a plain user's path lacks the folders that the last ones are."""
        folders = [*os.environ.get("PATH", "").split(os.pathsep), *_SBIN]
        paths = (os.path.join(folder, name) for folder in folders if folder)
        return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)

    def run_command(
        self,
        argv: List[str],
        data: Optional[str] = None,
        environ_update: Optional[Mapping[str, str]] = None,
        handle_exceptions: bool = False,
        expand_user_and_vars: bool = False,
    ) -> Tuple[int, str, str]:
        """Run a program, without a shell; OSError where it cannot be started. Cheaper than importing subprocess."""
        (read_in, into), (out, write_out), (err, write_err) = os.pipe(), os.pipe(), os.pipe()
        ends = ((read_in, 0), (write_out, 1), (write_err, 2))
        try:
            process = _SPAWN(
                argv[0],
                argv,
                {**os.environ, **(environ_update or {})},
                file_actions=[(os.POSIX_SPAWN_DUP2, end, number) for end, number in ends],
                setsigdef=(SIGPIPE, SIGXFSZ),  # Python ignores them, and a program would inherit that
            )
        except OSError:
            for end in (into, out, err):
                os.close(end)
            raise
        finally:
            for end, _number in ends:
                os.close(end)
        said = _talk(into, (data or "").encode("utf-8", "surrogateescape"), out, err)
        status = os.waitpid(process, 0)[1]
        rc = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        return rc, said[0].decode("utf-8", "surrogateescape"), said[1].decode("utf-8", "surrogateescape")


def _talk(into: int, data: bytes, *outs: int) -> List[bytes]:
    """Give a program its input and take what it says, whichever comes first; closes all ends."""
    said: Dict[int, List[bytes]] = {out: [] for out in outs}
    poll = select.poll()
    for out in outs:
        poll.register(out, select.POLLIN)
    if data:
        os.set_blocking(into, False)
        poll.register(into, select.POLLOUT)
    else:
        os.close(into)
    open_ends = {*outs, *([into] if data else [])}
    while open_ends:
        for end, _event in poll.poll():
            if end == into:
                try:
                    data = data[os.write(into, data) :]
                except BrokenPipeError:
                    data = b""
                over = not data
            else:
                said[end].append(os.read(end, 65536))
                over = not said[end][-1]
            if over:
                poll.unregister(end)
                os.close(end)
                open_ends.discard(end)
    return [b"".join(said[out]) for out in outs]
