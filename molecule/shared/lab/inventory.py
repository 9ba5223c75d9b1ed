"""Ansible's inventory of the lab as it is now, as a program: it can be named before the lab is started."""

from __future__ import annotations

import json
import shlex
from typing import Any

import guests
import releases
from common import HERE, INVENTORY, LAB

HINT = f"The lab is down. Start it with: python3 {HERE / 'lab.py'} up (or molecule create)"


def main() -> None:
    """Print the inventory that the lab has written; where it is down, hosts whose connection says so."""
    if INVENTORY.exists():
        content = json.loads(INVENTORY.read_text())
    else:
        way = f"-o ProxyCommand={shlex.quote(f'echo {shlex.quote(HINT)} >&2; exit 1')}"
        hosts = {guest.name: {} for guest in guests.load()}
        content = {"all": {"children": {"lab": {"hosts": hosts, "vars": {"ansible_ssh_common_args": way}}}}}
    content["all"]["vars"] = {"lab_folder": str(LAB), "lab_release": releases.chosen().name}
    print(json.dumps(_as_script(content["all"])))


def _as_script(everything: dict[str, Any]) -> dict[str, Any]:
    """The same in the form that Ansible wants from programs."""
    lab = everything["children"]["lab"]
    return {
        "_meta": {"hostvars": lab["hosts"]},
        "all": {"children": ["lab"], "vars": everything["vars"]},
        "lab": {"hosts": list(lab["hosts"]), "vars": lab["vars"]},
    }


if __name__ == "__main__":
    main()
