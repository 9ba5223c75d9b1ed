# SPDX-License-Identifier: GPL-3.0-or-later
"""Read calls of `ansible` that run one module: `ansible all -m sysctl -a "name=net.core.somaxconn value=4096"`."""

from __future__ import annotations

import re
from typing import Sequence

from .. import masks
from ..keys.settings import Guide
from ..model import NO_EFFECT, OTHER_TOOL
from . import programs, tasks

_STATES = {"stopped": "stop", "started": "start"}


def command(words: Sequence[str]) -> str:
    """The command that a call runs on its hosts; empty where its module does something else."""
    module, text = _module(words)
    return text if module in ("command", "shell", "raw") else ""


def only_checks(words: Sequence[str]) -> bool:
    """Whether a call changes nothing, and says what it would change."""
    return any(word in ("-C", "--check") for word in words)


def read(guide: Guide, line: int, words: Sequence[str]) -> None:
    """What a module other than those sets."""
    module, text = _module(words)
    pairs = {name: value.strip("\"'") for name, value in re.findall(r"(\w+)=(\"[^\"]*\"|'[^']*'|\S+)", text)}
    name = pairs.get("name", "")
    if module == "sysctl" and name and pairs.get("state") == "absent":
        guide.sink.remark(line, NO_EFFECT, tasks.gone(name))
    elif module == "sysctl" and name and pairs.get("value"):
        guide.sysctl(line, name, pairs["value"])
    elif module in ("service", "systemd") and name and pairs.get("state"):
        programs.service(guide, line, [name, _STATES.get(pairs["state"], "restart")])
    else:
        guide.sink.remark(line, OTHER_TOOL, f"ansible -m {module}: {masks.shown(text)}")


def _module(words: Sequence[str]) -> Sequence[str]:
    given = {name: words[index + 1] for index, name in enumerate(words[:-1]) if name[:1] == "-"}
    module = given.get("-m") or given.get("--module-name", "command")
    return module.rpartition(".")[2], given.get("-a") or given.get("--args", "")
