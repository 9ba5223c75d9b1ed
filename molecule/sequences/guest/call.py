# SPDX-License-Identifier: GPL-3.0-or-later
"""One call of a module on this host, as the action plugins make it: {"view": ..., options} on standard input."""

from __future__ import annotations

import json
import sys

sys.path.insert(0, "/root")

from plugins.module_utils import bare, engine

request = json.load(sys.stdin)
view = request.pop("view")
usual = {name: option.get("default") for name, option in engine.spec(view).items()}
bare.serve(view, json.dumps({"params": {**usual, **request}, "check_mode": False, "invocation": False}), "")
