# SPDX-License-Identifier: GPL-3.0-or-later
"""systemd 239, of RHEL 8: what is asked of it is as old as it is, and what is not is refused before anything is done.

The versions are those of systemd's manual pages ("Added in version"); that 239 takes the properties for transient units
too is in src/core/dbus-service.c of redhat-plumbers/systemd-rhel8.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import clocks, script
from ansible_collections.linuxnet.tuning.plugins.module_utils.measuring import session
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import TuningError
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import later, systemd, transient
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

ROOT = Path(__file__).parents[2]
OLD = 239
# 187 stands for all that was there before the manual pages began to tell.
SINCE = {
    **dict.fromkeys(("--quiet", "--unit", "--description", "--property", "Type", "ExecStart", "ExecStartPre"), 187),
    **dict.fromkeys(("ExecStopPost", "RemainAfterExit", "Nice", "PrivateTmp", "NoNewPrivileges", "Environment"), 187),
    **dict.fromkeys(("Description", "Documentation", "After", "Before", "Wants", "WantedBy", "BindsTo"), 187),
    "Restart": 187,
    **dict.fromkeys(("DefaultDependencies", "ConditionPathExists", "OnBootSec", "OnUnitActiveSec"), 187),
    **dict.fromkeys(("TimeoutStartSec", "TimeoutStopSec"), 188),
    "RequiresMountsFor": 201,
    **dict.fromkeys(("RuntimeDirectory", "RuntimeDirectoryMode"), 211),
    "ProtectHome": 214,
    "--on-active": 218,
    **dict.fromkeys(("RuntimeMaxSec", "RandomizedDelaySec"), 229),
    "ReadWritePaths": 231,
    "ProtectSystem": 232,  # its `strict`
    "RuntimeDirectoryPreserve": 235,
    "--collect": 236,
    "NetworkNamespacePath": 242,
}


def words(argv):
    """The options of a call of systemd-run, and the properties of its unit."""
    found = []
    for word in argv[1:]:
        if not word.startswith("--"):
            break
        option, _is, value = word.partition("=")
        found += [option, *([value.partition("=")[0]] if option == "--property" else [])]
    return found


def transient_units():
    yield transient.service("u", "about", 90, ["a"], ["b"], "").argv
    (started,) = (run.argv for run in clocks.start(clocks.REVERT, 9) if run.argv[0] == "systemd-run")
    yield started
    listed = re.findall(r"^ +- (--?[a-z].*|systemd-run)$", (ROOT / "playbooks/wake.yml").read_text(), re.MULTILINE)
    yield listed[listed.index("systemd-run") :]


@pytest.mark.parametrize("argv", list(transient_units()), ids=lambda argv: argv[-1])
def test_transient_units_need_nothing_newer(argv):
    assert words(argv)
    assert {word: SINCE[word] for word in words(argv) if SINCE[word] > OLD} == {}


def unit_texts():
    yield "the template of NICs", systemd._TEMPLATE
    yield "NICs that come later", later._TEMPLATE
    yield "the guard at boot", script.UNIT_TEXT
    for path in sorted(ROOT.glob("roles/*/templates/*.j2")):
        yield str(path.relative_to(ROOT)), path.read_text()


@pytest.mark.parametrize("name, text", list(unit_texts()))
def test_units_need_nothing_newer(name, text):
    found = re.findall(r"^([A-Z][A-Za-z]+)=", text, re.MULTILINE)
    assert found, name
    assert {word: SINCE[word] for word in found if SINCE[word] > OLD} == {}


class Namespace:
    """A host that is a network namespace, with some systemd."""

    def __init__(self, version):
        self.version = version
        files = memory_host.Files({"/run/systemd/system/.": ""})
        files.links.update({"/proc/self/ns/net": "net:[2]", "/proc/1/ns/net": "net:[1]", "/proc/self": "77"})
        self.host = memory_host.MemoryHost(self.run, files)

    def run(self, argv, _data=""):
        said = {
            "systemctl --version": f"systemd {self.version} (x)\n",
            "iperf3 --version": "iperf 3.9 (cJSON 1.7.13)\n",
        }
        return 0, said.get(" ".join(argv), ""), ""


PARAMS = {"name": "pc1", "steps": [], "peers": [], "nics": [], "port": 5201}


def test_a_measurement_in_a_namespace_is_refused_before_it_is_started_anywhere():
    old = Namespace(OLD)
    with pytest.raises(TuningError, match="systemd before 242 cannot start a measurement; measure from the machine"):
        session.check(old.host, PARAMS, False)
    assert old.host.done == []
    assert session.check(Namespace(242).host, PARAMS, False)["iperf3"]
