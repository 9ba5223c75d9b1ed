# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of real tools and drivers become cells; a new case is a new folder under cases/parse, without new code.

A folder is named <driver or situation>__<version of the tool>. Its files are named by what reads them: a family
(ring.txt), or link, driver, ip, statistics (with queues; the folder is counters-<driver>). A file .err is what the tool
said on stderr instead, with
exit code 1. The file expected.yml tells where the texts come from, and for each of them what is to be understood: a
value, `2 of 8` for a value and its maximum, `off fixed`, `off requested on`, and for groups the value with the members
behind it.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml

from ansible_collections.linuxnet.tuning.plugins.module_utils import host as host_file
from ansible_collections.linuxnet.tuning.plugins.module_utils import schema
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import (
    driver_counters,
    ethtool,
    interrupts,
    ip,
    statistics,
)

CASES = Path(__file__).parent / "cases" / "parse"
TEXTS = sorted(path for path in CASES.glob("*/*") if path.suffix in (".txt", ".err"))


def counted(text: str, driver: str = "") -> dict[str, object]:
    """The counters under our names, and the packets of each queue."""
    raw = statistics.parse(text)
    queues = {f"{way}_queues": statistics.queues(raw, way) for way in ("rx", "tx")}
    return {**statistics.normalise(raw, {}, driver), **{name: numbers for name, numbers in queues.items() if numbers}}


PARSERS = {"statistics": counted, "link": ethtool.link, "driver": ethtool.driver, "ip": ip.parse, "ip_text": ip.parse}


class Stub:
    """A host that gives one answer to whatever is asked."""

    def __init__(self, path: Path) -> None:
        text = path.read_text()
        self.answer = schema.Answer(1, "", text) if path.suffix == ".err" else schema.Answer(0, text, "")

    def ask(self, _query: schema.Query) -> schema.Answer:
        return self.answer

    def target(self, _path: str) -> str:
        return ""


def shown(cell: schema.Cell) -> schema.Value:
    """A cell as expected.yml writes it."""
    notes = [f"of {cell.maximum}"] if cell.maximum is not None else []
    notes += ["fixed"] if cell.fixed else []
    notes += [f"requested {schema.say(cell.wanted)}"] if cell.wanted is not None else []
    notes += [f"= {' '.join(cell.members)}"] if cell.members else []
    return " ".join([schema.say(cell.value), *notes]) if notes else cell.value


def understood(path: Path) -> object:
    if path.stem == "statistics":
        return counted(path.read_text(), path.parent.name.partition("__")[0].partition("-")[2])
    if path.stem in PARSERS:
        return PARSERS[path.stem](path.read_text())
    reading = registry.FAMILIES[path.stem].read(Stub(path), "nic", ())
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


def test_every_driver_of_the_table_has_a_case_and_a_source():
    """And nothing else would find its losses: without the case a wrong name would go unseen."""
    cases = {path.name.partition("__")[0].partition("-")[2] for path in CASES.glob("counters-*")}
    for row in driver_counters.DRIVERS:
        assert row.source.startswith("drivers/net/")
        assert any(fnmatchcase(case, pattern) for case in cases for pattern in row.drivers), row.drivers
        assert set(row.names) <= {meaning.name for meaning in statistics.MEANINGS}


@pytest.mark.parametrize("folder", sorted(CASES.glob("counters-*")), ids=lambda folder: folder.name)
def test_counters_are_known_by_a_mark_too(folder):
    """Where the name of the driver is not that of its table, as with the many names of stmmac."""
    driver = folder.name.partition("__")[0].partition("-")[2]
    row = next(row for row in driver_counters.DRIVERS if any(fnmatchcase(driver, item) for item in row.drivers))
    others = [item for item in driver_counters.DRIVERS if item is not row and item.mark]
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


def test_a_counter_that_begins_anew_goes_on():
    before = {"wrapped": (1 << 32) - 10, "reset": 500, "grown": 5, "large": 1 << 40}
    after = {"wrapped": 20, "reset": 3, "grown": 9, "large": 7, "new": 1}
    assert statistics.growth(before, after) == {"wrapped": 30, "grown": 4}


def test_every_family_of_ethtool_has_cases():
    stems = {path.stem for path in TEXTS if path.suffix == ".txt"}
    families = {name for name, family in registry.view("ethtool").items() if not family.follows}
    assert stems >= {*families, *PARSERS}
