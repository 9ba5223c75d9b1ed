# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the module of this name without Ansible's wrapper; plugin_utils/fast tells how, and when it does not."""

from __future__ import annotations

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast import ActionModule

__all__ = ["ActionModule"]
