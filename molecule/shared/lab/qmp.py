"""Commands for a running QEMU, in its machine protocol."""

from __future__ import annotations

import json
import os
import socket
from typing import Any

from common import LabError
from guests import Guest

PATIENCE = 120.0  # seconds; to save a guest takes some on a slow disk


def command(guest: Guest, name: str, **arguments: Any) -> Any:
    """Have QEMU carry out one command, and give what it returns."""
    folder = os.open(guest.folder, os.O_PATH)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as channel:
            channel.settimeout(PATIENCE)
            # Not by its whole path: that of a unix socket may have 107 bytes only.
            channel.connect(f"/proc/self/fd/{folder}/qmp.sock")
            with channel.makefile("rwb", buffering=0) as stream:
                json.loads(stream.readline())  # the greeting
                _ask(stream, "qmp_capabilities", {})
                return _ask(stream, name, arguments)
    except (OSError, ValueError) as error:
        raise LabError(f"{guest.name}: QEMU does not answer to {name}: {error}") from error
    finally:
        os.close(folder)


def monitor(guest: Guest, line: str) -> str:
    """Have QEMU carry out one line of its human monitor, and give what it says; that is nothing where all is well."""
    return str(command(guest, "human-monitor-command", **{"command-line": line})).strip()


def _ask(stream: Any, name: str, arguments: dict[str, Any]) -> Any:
    stream.write(json.dumps({"execute": name, "arguments": arguments}).encode() + b"\n")
    while True:
        answer = json.loads(stream.readline())
        if "error" in answer:
            raise LabError(f"QEMU refuses {name}: {answer['error'].get('desc', answer['error'])}")
        if "return" in answer:
            return answer["return"]
