# SPDX-License-Identifier: GPL-3.0-or-later
"""Export variables of an inventory: the one entrance to this package."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping

from . import desired, link, networkmanager, shell, tuned
from .model import DesiredHost, Export

FORMS: Mapping[str, Callable[[DesiredHost], Export]] = {
    "link": link.write,
    "networkmanager": networkmanager.write,
    "tuned": tuned.write,
    "shell": shell.write,
}


def export(variables: Mapping[str, Any], form: str, profiles: Mapping[str, Any]) -> Dict[str, Any]:
    """The files of one form with their modes, and what it cannot say."""
    found = FORMS[form](desired.read(variables, profiles))
    return {
        "form": form,
        "files": [
            {"path": path, "content": text, "mode": found.modes.get(path, "0644")} for path, text in found.files.items()
        ],
        "unsaid": [{**one._asdict(), "line": str(one)} for one in found.unsaid],
    }
