# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a NIC that let packets wait for milliseconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..model import Hit, Rule, nic_remedy
from ..view import Host, Nic

# No driver begins with more than a millisecond (fec), and no load needs as much.
_LONG_US, _LONG_NS = 2000, 1_000_000
_USUAL_US = 50


def _late(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        told, settings = _waits(nic)
        if told and nic.linked and all(nic.desired(family) is None for family in settings):
            remedy = nic_remedy(nic.name, **settings)
            yield Hit({**told, "driver": nic.driver}, nic.name, remedy=remedy, mends=remedy)


def _waits(nic: Nic) -> tuple[dict[str, Any], dict[str, Any]]:
    """What makes packets wait, and the settings that end it."""
    found: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    wait, frames = (nic.value("coalesce", f"rx_{unit}") for unit in ("usecs", "frames"))
    adapts = nic.value("coalesce", "adaptive_rx") is True
    # With a number of frames as well the interrupt comes sooner under load.
    if isinstance(wait, int) and wait > _LONG_US and not adapts:
        found["rx-usecs"] = wait
        found.update({"rx-frames": frames} if isinstance(frames, int) and frames else {})
        can = nic.value("coalesce", "adaptive_rx") is False and nic.at("coalesce", "adaptive_rx", "fixed") is not True
        settings["coalesce"] = {"adaptive_rx": True} if can else {"rx_usecs": _USUAL_US}
    timeout, deferred = (nic.value("napi", key) for key in ("gro_flush_timeout", "napi_defer_hard_irqs"))
    if isinstance(timeout, int) and timeout > _LONG_NS and isinstance(deferred, int) and deferred > 0:
        found.update({"gro_flush_timeout": f"{timeout} ns", "napi_defer_hard_irqs": deferred})
        settings["napi"] = {"gro_flush_timeout": 0, "napi_defer_hard_irqs": 0}
    return found, settings


RULES = (
    Rule(
        id="packets-wait-in-nic",
        severity="low",
        title="A NIC lets packets wait for milliseconds before it tells the kernel",
        condition="rx-usecs is above 2000 without adaptive coalescing, or interrupts are deferred "
        "(napi_defer_hard_irqs) with a gro_flush_timeout above a millisecond; not where the inventory asks for it",
        explanation="Each answer then takes as much longer, which programs with many small questions feel, such as "
        "databases and NFS, and TCP needs larger buffers. Some tens of microseconds save nearly as many interrupts.",
        action="Let the NIC adapt to the load, or wait for some tens of microseconds; interrupts are only deferred for "
        "programs that poll their sockets all the time.",
        reference="https://docs.kernel.org/networking/napi.html",
        host=_late,
    ),
)
