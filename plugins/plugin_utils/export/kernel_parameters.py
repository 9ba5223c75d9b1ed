# SPDX-License-Identifier: GPL-3.0-or-later
"""Write kernel parameters as a file of sysctl.d(5), which every host with systemd or procps reads at boot."""

from __future__ import annotations

from typing import List

from .model import Form, header

PATH = "etc/sysctl.d/90-linuxnet-tuning.conf"
_ABOUT = ("The desired kernel parameters of this host (sysctl.d(5)).",)


def lines(form: Form) -> List[str]:
    """The assignments; a minus in front lets a host be without the parameter."""
    return [f"{'-' if one.optional else ''}{key} = {one.value}" for key, one in form.parameters()]


def text(form: Form, found: List[str]) -> str:
    """The file with these assignments; at its top stands what of the parameters it lacks."""
    own = [one for one in form.unsaid if one.what.split()[0] in form.desired.sysctl]
    return "\n".join([*header("#", _ABOUT, own), "", *found, ""])
