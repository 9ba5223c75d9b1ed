# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module says of itself that explains a bad link: its heat, and too little light."""

from __future__ import annotations

from typing import Any

from .view import Nic

_HOT = (
    "The module is hotter than it may be, and loses the link until it has cooled down: let air pass it, leave the cage "
    "beside it empty, and where it is one for twisted pair use a cable with plugs (DAC) or fibre, which take a "
    "fraction of its power."
)
_DIM = (
    "Too little light arrives: clean both plugs, and replace the fibre, then the module at the other end, which sends "
    "it; see that both ends have modules of the same kind (SR or LR), and no fibre is bent too much or patched too "
    "often."
)


def told(nic: Nic) -> tuple[dict[str, Any], str]:
    """Evidence and what to do, if its module has raised an alarm that a bad link may come from; else nothing."""
    named = {"module": nic.text("optics", "module")} if nic.text("optics", "module") else {}
    if nic.flag("optics", "hot") is True:
        degrees = f"{nic.number('optics', 'temperature')} degrees C, alarm: too high"
        return {**named, "module temperature": degrees}, _HOT
    if nic.flag("optics", "dim") is True:
        return {**named, "light received": f"{nic.number('optics', 'light_dbm')} dBm, alarm: too low"}, _DIM
    return {}, ""
