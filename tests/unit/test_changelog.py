# SPDX-License-Identifier: GPL-3.0-or-later
"""The fragments of the changelog: reStructuredText, under names that say what they are about."""

import re
from pathlib import Path

import pytest

FRAGMENTS = sorted((Path(__file__).parents[2] / "changelogs/fragments").glob("*.yml"))
# What Ansible's documentation understands, and the release notes print as it stands.
MARKUP = re.compile(r"\b[CIBOVMPEL]\([^)]*\)")


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.stem)
def test_a_fragment_has_a_speaking_name_and_the_markup_of_release_notes(path):
    assert re.match("[a-z]", path.name)
    assert MARKUP.findall(path.read_text()) == []
