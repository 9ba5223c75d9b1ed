# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls as a person makes them, on a host of shell_host.py, and what came of them."""

from __future__ import annotations

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import guard


def call(host, view="tune", **params):
    usual = {"on_unsupported": "fail", "guard_timeout": 0, "permanent": False, "file": "90-linuxnet-tuning.conf"}
    result = engine.tune(host, view, {**usual, **params})
    assert not result.get("failed"), result
    return result


def mtu(host, value, *nics, **params):
    return call(host, "link", nics=[{"name": nic, "mtu": value} for nic in nics or ("igb0",)], **params)


def confirm(host):
    return guard.serve(host, "confirmed", False)


def mtus(host):
    return [device.link["mtu"] for device in host.devices.values()]
