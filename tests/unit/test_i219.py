# SPDX-License-Identifier: GPL-3.0-or-later
"""The I219 of five chipsets under two kernels: what the profile for small clusters does there, and what the audit says.

Which of them the driver slows down, and that newer kernels give these no TSO at all (it is not in hw_features, so it is
`off [fixed]`), is in drivers/net/ethernet/intel/e1000e/netdev.c.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings import judge
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

PROFILE = yaml.safe_load((Path(__file__).parents[2] / "playbooks/profiles/compute_node.yml").read_text())
SLOWED_DOWN = {"15b7": "Sunrise Point", "15b9": "Lewisburg", "0d53": "Comet Lake"}
AS_FAST_AS_THEY_ARE = {"15bd": "Cannon Point", "0d4e": "Comet Lake", "1a1e": "Alder Lake"}
CHIPS = {**SLOWED_DOWN, **AS_FAST_AS_THEY_ARE}
KERNELS = {"5.15.0-100-generic": False, "6.12.48-amd64": True}


class Workstation:
    def __init__(self, chip, mended):
        self.tso = "off [fixed]" if mended and chip in SLOWED_DOWN else "on"
        files = memory_host.Files()
        files.add_nic("eno1", "e1000e", f"8086:{chip}", "0000:00:1f.6")
        files.files["/run/systemd/system/."] = ""
        self.host = memory_host.MemoryHost(self.run, files)
        self.sets = []

    def run(self, argv, _data=""):
        if argv[1] == "-k":
            tso = [f"tcp-segmentation-offload: {self.tso}", f"\ttx-tcp-segmentation: {self.tso}"]
            return 0, "\n".join(["Features for eno1:", *tso, "generic-segmentation-offload: on"]) + "\n", ""
        if argv[1] == "-K":
            self.sets.append(" ".join(argv[3:]))
            self.tso = argv[4]
        return 0, "", ""


@pytest.mark.parametrize("release", KERNELS)
@pytest.mark.parametrize("chip", CHIPS)
def test_segmentation_goes_off_where_the_driver_slows_the_chip_down_and_the_kernel_has_left_it_on(chip, release):
    host = Workstation(chip, KERNELS[release])
    nics = [entry for entry in PROFILE["nics"] if "features" in entry]
    params = {"on_unsupported": "fail", "guard_timeout": 0, "permanent": False, "nics": nics}
    result = engine.tune(host.host, "tune", params)
    slow = chip in SLOWED_DOWN and not KERNELS[release]
    assert not result.get("failed") and not result["warnings"]
    assert host.sets == (["tx-tcp-segmentation off"] if slow else [])


@pytest.mark.parametrize("release", KERNELS)
@pytest.mark.parametrize("chip", CHIPS)
def test_the_audit_names_the_same_chips(chip, release):
    on = not (chip in SLOWED_DOWN and KERNELS[release])
    nic = {"driver": "e1000e", "pci_id": f"8086:{chip}", "mtu": 1500, "features": {"tso": {"value": on}}}
    facts = {"head": {"nics": {"eno1": nic}, "host": {"kernel": {"release": release}}, "groups": []}}
    found = {one["id"] for one in judge.findings(facts)}
    assert ("quirk-i219-segmentation" in found) == (chip in SLOWED_DOWN and not KERNELS[release])
