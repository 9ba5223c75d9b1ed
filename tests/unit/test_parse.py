# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of real tools and drivers become cells; a new case is a new folder under cases/parse, without new code.

A folder is named <driver or situation>__<version of the tool>. Its files are named by what reads them: a family
(ring.txt), or link, driver, ip, statistics (with queues). A file .err is what the tool said on stderr instead, with
exit code 1. The file expected.yml tells where the texts come from, and for each of them what is to be understood: a
value, `2 of 8` for a value and its maximum, `off fixed`, `off requested on`, and for groups the value with the members
behind it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ansible_collections.linuxnet.tuning.plugins.module_utils import schema
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import ethtool, ip, statistics

CASES = Path(__file__).parent / "cases" / "parse"
TEXTS = sorted(path for path in CASES.glob("*/*") if path.suffix in (".txt", ".err"))


def counted(text: str) -> dict[str, object]:
    """The counters under our names, and the packets of each queue."""
    raw = statistics.parse(text)
    queues = {f"{way}_queues": statistics.queues(raw, way) for way in ("rx", "tx")}
    return {**statistics.normalise(raw, {}), **{name: numbers for name, numbers in queues.items() if numbers}}


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


def test_every_family_of_ethtool_has_cases():
    stems = {path.stem for path in TEXTS if path.suffix == ".txt"}
    families = {name for name, family in registry.view("ethtool").items() if not family.follows}
    assert stems >= {*families, *PARSERS}
