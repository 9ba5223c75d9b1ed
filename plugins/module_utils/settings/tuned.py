# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the profile of tuned, and whether the system still is as the profile says."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Sequence, Tuple

from ..deciding.inputs import vector
from ..family import HOST, Family, Field
from ..schema import EXACTLY, Action, Address, Cell, Desired, InputError, Reader, Reading, Value, nearest
from ..tools import tuned as tool


def _desire(host: Reader, params: Mapping[str, Any]) -> Dict[Address, Desired]:
    names = vector(params["profile"]).split()
    known = [*tool.profiles(host), tool.OFF]
    for name in names:
        if name not in known:
            raise InputError(f"profile: tuned has no profile '{name}'{nearest(name, known)}")
    if not names or (tool.OFF in names and len(names) > 1):
        raise InputError(f"profile: {params['profile']!r} is not valid; write one or more profiles, or none")
    desired = {"profile": Desired(EXACTLY, " ".join(names))}
    if params["verify"] and names != [tool.OFF]:
        desired["verified"] = Desired(EXACTLY, True)
    return {Address("profile", "", key): one for key, one in desired.items()}


def _read(host: Reader, _scope: str, keys: Sequence[str]) -> Reading:
    profile, complaint = tool.active(host)
    if not profile:
        return Reading({}, f"tuned does not say which profile is active ({complaint})")
    cells = {"profile": Cell(profile)}
    if "verified" in keys:
        cells["verified"] = Cell(tool.verified(host))
    return Reading(cells)


def _write(_scope: str, values: Mapping[str, Value], cells: Mapping[str, Cell]) -> Tuple[Action, ...]:
    return (tool.activate(str(values.get("profile", cells["profile"].value)).split()),)


profile = Family(
    name="profile",
    module="tuned",
    scope=HOST,
    read=_read,
    write=_write,
    about="The profile of tuned.",
    fields=(
        Field("profile", "word", "the active profile, or several"),
        Field("verified", "switch", "whether the system is as the profile says"),
    ),
    hint="`tuned-adm verify` and /var/log/tuned/tuned.log say more; another program may set the same values.",
    options={
        "profile": {"type": "raw"},
        "verify": {"type": "bool", "default": True},
    },
    desire=_desire,
    derived=("verified",),
)
