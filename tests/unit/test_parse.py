# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of real tools and drivers become cells; a new case is a new folder under cases/parse, without new code.

A folder is named <driver or situation>__<version of the tool>. Its files are named by what reads them: a family
(ring.txt), or link, driver, ip, statistics (with queues; the folder is counters-<driver>), or what tells of LLDP or
drops. A
file .err is what the tool said on stderr instead, with exit code 1. The file expected.yml tells where the texts come
from, and for each of them what is to be understood: a value, `2 of 8` for a value and its maximum, `off fixed`, `off
requested on`, and for groups the value with the members behind it.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml

from ansible_collections.linuxnet.tuning.plugins.module_utils import host as host_file
from ansible_collections.linuxnet.tuning.plugins.module_utils import schema
from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import interrupts as gathered
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import managers, registry
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import (
    driver_counters,
    drops,
    ethtool,
    interrupts,
    ip,
    lldp,
    optics,
    ss,
    statistics,
    tc,
    vfs,
)
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

CASES = Path(__file__).parent / "cases" / "parse"
TEXTS = sorted(path for path in CASES.glob("*/*") if path.suffix in (".txt", ".err"))


def counted(text: str, driver: str = "") -> dict[str, object]:
    """The counters under our names, and the packets of each queue."""
    raw = statistics.parse(text)
    queues = {f"{way}_queues": statistics.queues(raw, way) for way in ("rx", "tx")}
    return {**statistics.normalise(raw, {}, driver), **{name: numbers for name, numbers in queues.items() if numbers}}


def _driver(path: Path) -> str:
    return path.name.partition("__")[0].partition("-")[2]


def _fits(driver: str, row: driver_counters.Driver) -> bool:
    return any(fnmatchcase(driver, pattern) for pattern in row.drivers)


PARSERS = {
    "statistics": counted,
    "link": ethtool.link,
    "driver": ethtool.driver,
    "ip": ip.parse,
    "ip_text": ip.parse,
    "lldpcli": lldp.keyvalue,
    "lldp_frames": lldp.frames,
    "networkctl_lldp": lldp.networkctl,
    "drops": drops.parse,
    "optics": optics.parse,
    "vfs": vfs.parse,
}


def answering(path: Path) -> schema.Reader:
    """A host that gives one answer to whatever is asked."""
    answer = (1, "", path.read_text()) if path.suffix == ".err" else (0, path.read_text(), "")
    return memory_host.connect(memory_host.Files(), lambda _argv, _data: answer, True)


def shown(cell: schema.Cell) -> schema.Value:
    """A cell as expected.yml writes it."""
    notes = [f"of {cell.maximum}"] if cell.maximum is not None else []
    notes += ["fixed"] if cell.fixed else []
    notes += [f"requested {schema.say(cell.requested)}"] if cell.requested is not None else []
    notes += [f"= {' '.join(cell.members)}"] if cell.members else []
    return " ".join([schema.say(cell.value), *notes]) if notes else cell.value


def understood(path: Path) -> object:
    if path.stem == "statistics":
        return counted(path.read_text(), _driver(path.parent))
    if path.stem in PARSERS:
        return PARSERS[path.stem](path.read_text())
    reading = registry.FAMILIES[path.stem].read(answering(path), "nic", ())
    return {key: shown(cell) for key, cell in reading.cells.items()} or reading.problem


def expected(folder: Path) -> dict[str, object]:
    return yaml.safe_load((folder / "expected.yml").read_text())


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_text_is_understood(path):
    assert understood(path) == expected(path.parent)[path.stem]


@pytest.mark.parametrize("folder", sorted(CASES.iterdir()), ids=lambda folder: folder.name)
def test_case_is_complete_and_tells_its_source(folder):
    stems = {path.stem for path in TEXTS if path.parent == folder}
    told = expected(folder)
    assert set(told) - {"source"} == stems
    assert "captured" in told["source"] or "written by hand" in told["source"] or "report" in told["source"]


@pytest.mark.parametrize("row", driver_counters.DRIVERS, ids=lambda row: row.mark or row.drivers[0])
def test_every_name_of_the_table_stands_in_a_case_of_its_driver(row):
    """And nothing else would find its losses: without the case a wrong name would go unseen."""
    cases = (path for path in CASES.glob("counters-*") if _fits(_driver(path), row))
    names = {name for path in cases for name in statistics.parse((path / "statistics.txt").read_text())}
    assert names, row.drivers
    assert row.source.startswith("drivers/net/")
    assert set(row.names) <= {meaning.name for meaning in statistics.MEANINGS}
    expressions = [item for items in row.names.values() for item in items if not item.startswith("kernel")]
    assert [item for item in expressions if not any(re.fullmatch(item, name) for name in names)] == []


@pytest.mark.parametrize("driver, file", [("ena", "rx_dropped"), ("idpf", "rx_dropped"), ("8139too", "rx_fifo_errors")])
def test_a_loss_that_a_driver_tells_the_kernel_alone_is_its_own(driver, file):
    assert statistics.normalise({}, {"rx_packets": 90, file: 7}, driver)["rx_missed"] == 7
    assert "rx_missed" not in statistics.normalise({}, {"rx_packets": 90, "rx_dropped": 7}, "hv_netvsc")


def test_bcmgenet_before_6_16_has_it_in_the_counter_of_the_kernel():
    counted = {"rxq0_errors": 7, "rbuf_ovflow_cnt": 0}
    assert statistics.normalise(counted, {"rx_missed_errors": 7}, "bcmgenet")["rx_missed"] == 7


@pytest.mark.parametrize("folder", sorted(CASES.glob("counters-*")), ids=lambda folder: folder.name)
def test_counters_are_known_by_a_mark_too(folder):
    """Where the name of the driver is not that of its table, as with the many names of stmmac."""
    others = [item for item in driver_counters.DRIVERS if item.mark and not _fits(_driver(folder), item)]
    names = statistics.parse((folder / "statistics.txt").read_text())
    assert not [item.drivers for item in others if any(re.fullmatch(item.mark, name) for name in names)]


def test_the_interrupts_of_256_processors_are_read_whole(tmp_path, monkeypatch):
    """A line of each is 2.8 KB long; the interrupts of the NIC come behind the first megabyte."""
    columns = "".join(f"{f'CPU{cpu}':>11}" for cpu in range(256))
    row = "".join(f"{cpu:>11}" for cpu in range(256))
    lines = [f"{number:>5}: {row}  IR-PCI-MSI 524288-edge      nvme0q{number}" for number in range(900)]
    lines.append(f"  950: {row}  IR-PCI-MSI 524288-edge      eth0-TxRx-0")
    table = tmp_path / "interrupts"
    table.write_text("\n".join([f"      {columns}", *lines, ""]))
    assert table.stat().st_size > 2 << 20
    monkeypatch.setattr(host_file, "_TABLES", f"{tmp_path}/")
    text = host_file.ReadOnlyHost(lambda *_words: (1, "", "")).read(str(table))
    assert interrupts.counts(text)[950] == list(range(256))


INTERRUPTS = {
    "igb": (["eth0", "eth0-TxRx-0", "eth0-TxRx-1"], ["eth0-TxRx-0", "eth0-TxRx-1"]),
    "mlx4": (["mlx4-async@pci:0000:01:00.0", "mlx4-comp-0@pci:0000:01:00.0"], ["mlx4-comp-0@pci:0000:01:00.0"]),
    "mlx4 by vector": (["mlx4-async@pci:0000:01:00.0", "mlx4-1@0000:01:00.0"], ["mlx4-1@0000:01:00.0"]),
    "mana": (["mana_hwc@pci:0000:01:00.0", "mana_q0@pci:0000:01:00.0"], ["mana_q0@pci:0000:01:00.0"]),
    "mlx4 by ring": (["eth0-0", "eth0-1"], ["eth0-0", "eth0-1"]),
    "gve": (["eth0-ntfy-block.0", "eth0-ntfy-block.1", "eth0-mgmnt"], ["eth0-ntfy-block.0", "eth0-ntfy-block.1"]),
    "gve 6.4": (["gve-ntfy-blk0@pci:0000:01:00.0", "gve-mgmnt@pci:0000:01:00.0"], ["gve-ntfy-blk0@pci:0000:01:00.0"]),
    "virtio": (["virtio0-config", "virtio0-input.0", "virtio0-output.0"], ["virtio0-input.0", "virtio0-output.0"]),
    "virtio, shared": (["virtio0-config", "virtio0-virtqueues"], ["virtio0-virtqueues"]),
    "xen-netfront": (["eth0-q0-tx", "eth0-q0-rx", "eth0-q1-tx"], ["eth0-q0-tx", "eth0-q0-rx", "eth0-q1-tx"]),
    "cxgb4": (["eth0 (queue 0)", "eth0 (queue 1)"], ["eth0 (queue 0)", "eth0 (queue 1)"]),
    "i40e": (["i40e-0000:01:00.0:misc", "i40e-eth0-TxRx-0", "i40e-0000:01:00.0:fdir-TxRx-0"], ["i40e-eth0-TxRx-0"]),
    "stmmac": (["eth0:mac", "eth0:rx-0", "eth0:tx-0"], ["eth0:rx-0", "eth0:tx-0"]),
    "mlx5": (["mlx5_async0@pci:0000:01:00.0", "mlx5_comp3@pci:0000:01:00.0"], ["mlx5_comp3@pci:0000:01:00.0"]),
    "hinic": (["hinic_cmdq", "eth0_rxq0", "eth0_txq0"], ["eth0_rxq0", "eth0_txq0"]),
    "hinic3": (["hinic3_aeq0", "eth0_qp0", "eth0_qp1"], ["eth0_qp0", "eth0_qp1"]),
    "skge": (["skge@pci:0000:01:00.0"], ["skge@pci:0000:01:00.0"]),
    "bcmgenet": (["eth0", "eth0"], ["eth0", "eth0"]),
}


@pytest.mark.parametrize("driver", INTERRUPTS)
@pytest.mark.parametrize("msi", [True, False])
def test_interrupts_of_queues_are_told_from_the_others(driver, msi):
    """By the numbers that the device has, or, as with xen-netfront and platform devices, by the name alone."""
    names, queues = INTERRUPTS[driver]
    disk = memory_host.Files()
    disk.add_nic("eth0", bus="0000:01:00.0", pci="8086:1521")
    rows = [f" {40 + index}:  1  0  PCI-MSI  524288-edge  {name}\n" for index, name in enumerate(names)]
    disk.files["/proc/interrupts"] = "      CPU0  CPU1\n" + "".join(rows) + " 90:  1  0  PCI-MSI  1-edge  eth1-TxRx-0\n"
    if msi:
        disk.files.update({f"/sys/class/net/eth0/device/msi_irqs/{40 + index}": "" for index in range(len(names))})
    elif not all(re.match("eth0[-: ]|eth0$|skge", name) for name in names):
        pytest.skip("such names are those of MSI only")
    found = interrupts.of(memory_host.connect(disk, lambda *_words: (1, "", ""), True), "eth0")
    assert [item.name for item in found] == queues


@pytest.mark.parametrize(
    "spurious, served, off",
    [
        ("count 0\nunhandled 0\nlast_unhandled 4295012310 ms\n", 100000, True),
        ("count 0\nunhandled 0\nlast_unhandled 4295012310 ms\n", 2100, False),
        ("count 0\nunhandled 0\nlast_unhandled 0 ms\n", 100000, False),
        ("count 41202\nunhandled 12\nlast_unhandled 4295012310 ms\n", 941202, False),
        ("", 100000, False),
    ],
)
def test_a_line_that_the_kernel_has_switched_off_counts_no_more(spurious, served, off):
    assert interrupts.switched_off(spurious, served) is off
    disk = memory_host.Files()
    disk.add_nic("eth1", bus="0000:05:00.0")
    line = f" 17:  {served - 40}  40  IO-APIC  17-fasteoi  uhci_hcd:usb3, eth1\n"
    disk.files["/proc/interrupts"] = f"      CPU0  CPU1\n{line}"
    disk.files["/proc/irq/17/spurious"] = spurious
    rows = gathered.gather(memory_host.connect(disk, lambda *_words: (1, "", ""), True), ["eth1"])["eth1"]
    assert [row.get("off", False) for row in rows] == [off]


@pytest.mark.parametrize(
    "device, names, queues",
    [
        ("30be0000.ethernet", ["30be0000.ethernet", "30be0000.ethernet", "30be0000.timer"], 2),
        ("8000000.ethernet", ["485c0100.dma-controller", "8000000.ethernet-tx0", "8000000.ethernet-rx0"], 2),
        ("virtio1", ["virtio0", "virtio1", "virtio10"], 1),
    ],
)
def test_interrupts_without_pci_have_the_name_of_the_device(device, names, queues):
    disk = memory_host.Files()
    disk.add_nic("end0", bus=device)
    rows = [f" {40 + index}:  1  0  GICv3  {152 + index} Level     {name}\n" for index, name in enumerate(names)]
    disk.files["/proc/interrupts"] = "      CPU0  CPU1\n" + "".join(rows)
    found = interrupts.of(memory_host.connect(disk, lambda *_words: (1, "", ""), True), "end0")
    assert [item.name for item in found] == [name for name in names if re.match(rf"{device}(-|$)", name)]
    assert len(found) == queues


def test_statistics_of_mqprio_stand_behind_the_lines_of_its_map():
    text = (
        "qdisc mqprio 8001: dev eth0 root tc 2 map 0 0 1 1 0 0 0 0 0 0 0 0 0 0 0 0\n"
        "             queues:(0:1) (2:3)\n"
        "             mode:channel\n"
        " Sent 900 bytes 9 pkt (dropped 7, overlimits 0 requeues 3)\n"
        " backlog 0b 2p requeues 3\n"
        "qdisc fq_codel 0: dev eth0 parent 8001:1 limit 10240p flows 1024\n"
        " Sent 1 bytes 1 pkt (dropped 5, overlimits 0 requeues 0)\n"
    )
    found = tc.statistics(text)["eth0"]
    assert (found.root, found.leaf, found.dropped, found.requeues, found.backlog) == ("mqprio", "fq_codel", 7, 3, 2)


def test_a_nic_that_is_only_watched_belongs_to_nobody():
    def run(argv, _data=""):
        if argv[0] == "systemctl":
            return 0, "active\ninactive\n", ""
        return 0, "eth0:connected\ndocker0:connected (externally)\nwlan0:unmanaged\n", ""

    host = memory_host.connect(memory_host.Files(), run, True)
    assert managers.owned(host) == {"NetworkManager": ["eth0"]}


def test_a_counter_that_begins_anew_goes_on():
    before = {"wrapped": (1 << 32) - 10, "reset": 500, "grown": 5, "large": 1 << 40}
    after = {"wrapped": 20, "reset": 3, "grown": 9, "large": 7, "new": 1}
    assert statistics.growth(before, after) == {"wrapped": 30, "grown": 4}


@pytest.mark.parametrize(
    "told, trip",
    [
        ("bytes_sent:90000000 bytes_acked:80000000 minrtt:20", 20),
        ("bytes_sent:90000000 bytes_acked:80000000 busy:9000ms minrtt:20", 0),
        ("bytes_sent:90000000 bytes_acked:80000000 busy:9000ms sndbuf_limited:80ms(0.9%) minrtt:20", 20),
        ("bytes_sent:900 bytes_acked:800 bytes_received:80000000 busy:9ms minrtt:20", 20),
        ("bytes_sent:900 bytes_acked:800 minrtt:20", 0),
    ],
)
def test_a_sender_that_its_buffer_never_held_back_shows_no_need_for_more(told, trip):
    assert ss.longest_round_trip(f"0 0 192.0.2.1:5201 192.0.2.2:443\n\t cubic {told}\n", 10_000_000) == trip


HELD = """\
0 900000 10.0.0.10:44444 198.51.100.4:22
\t cubic wscale:0,7 rto:240 rtt:40.1/2 busy:900000ms rwnd_limited:880000ms(97.8%) snd_wnd:65535 minrtt:39.9
ESTAB 0 131072 [2001:db8::1]:9092 [2001:db8::9]:50123
\t cubic wscale:9,9 mss:1448 busy:90000ms rwnd_limited:10ms(0.0%) sndbuf_limited:87000ms(96.7%) unacked:144 minrtt:88
0 0 10.0.0.10:44445 198.51.100.5:22
\t cubic rto:240 busy:900ms rwnd_limited:880ms(97.8%) minrtt:39.9
0 0 10.0.0.10:44446 198.51.100.6:22
\t cubic wscale:7,7 rto:240 busy:900000ms rwnd_limited:8000ms(0.9%) minrtt:39.9
0 0 10.0.0.10:44447 198.51.100.7:22
\t cubic wscale:7,7 rto:240 minrtt:39.9
0 0 127.0.0.1:44448 127.0.0.53:53
\t cubic wscale:7,7 rto:204 busy:900000ms rwnd_limited:880000ms(97.8%) minrtt:0.01
0 0 [2001:db8::1]:44449 [2001:db8::1]:5432
\t cubic wscale:7,7 rto:204 busy:900000ms rwnd_limited:880000ms(97.8%) minrtt:0.01
"""


def test_connections_that_are_held_back_are_told_worst_first():
    """Neither those that were busy for less than a minute, nor those that could send for most of the time, nor those
    of a host to itself."""
    first = {"peer": "198.51.100.4 port 22", "by": "peer", "seconds": 880, "busy": 900, "scale": 0}
    second = {"peer": "2001:db8::9 port 50123", "by": "buffer", "seconds": 87, "busy": 90, "scale": 9, "rtt_ms": 88.0}
    last = {**second, "in_flight": 144 * 1448}
    assert ss.held_back(HELD, 9) == [{**first, "rtt_ms": 39.9, "window": 65535}, last]
    assert len(ss.held_back(HELD, 1)) == 1
    assert ss.held_back("", 3) == ss.held_back("busy:90000ms rwnd_limited:90000ms\n", 3) == []


def test_every_family_of_ethtool_has_cases():
    stems = {path.stem for path in TEXTS if path.suffix == ".txt"}
    families = {name for name, family in registry.view("ethtool").items() if family.named and not family.follows}
    assert stems >= {*families, *PARSERS}


ALL = 18446744073709551615
ONES = f"     {{0}}: {ALL}\n     {{1}}: 4294967295\n     {{2}}: {ALL}\n     {{3}}: {ALL}\n"


@pytest.mark.parametrize(
    "names, silent",
    [
        (("InPackets", "InErrors", "OutPackets", "InDroppedDma"), True),
        (("pcie_errors", "fec_blocks", "temperature", "lane_errors"), False),
    ],
)
def test_a_device_that_does_not_answer_counts_ones(names, silent):
    text = f"NIC statistics:\n{ONES.format(*names)}     Queue[0] InPackets: 5125000\n"
    assert statistics.silent(text) is silent
    assert statistics.parse(text) == {names[1]: 4294967295, "Queue[0] InPackets": 5125000}
    assert not statistics.silent("     rx_packets: 4294967295\n     rx_errors: 0\n")
