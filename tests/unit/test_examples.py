# SPDX-License-Identifier: GPL-3.0-or-later
"""What the documentation shows as inventory is what the modules take, and what a field report names is there."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest
import yaml

from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import desire, plan
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import bonds, registry
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings import registry as rules

ROOT = Path(__file__).parents[2]
PAGES = sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("roles/*/README.md")))
STORIES = (ROOT / "docs/stories.md").read_text()
SOURCES = "\n".join(
    path.read_text()
    for pattern in ("plugins/**/*.py", "roles/**/*.yml", "playbooks/**/*.yml")
    for path in sorted(ROOT.glob(pattern))
)
# What a layer of the inventory holds, by the end of its name.
LAYER = re.compile(r"(tuning|tuning_group|tuning_host|tune)_(nics|sysctl|module_parameters|bonds)")
VARIABLE = re.compile(
    r"(tuning|tune|audit|benchmark|prove|autotune|capture|export|watch|metrics|bonding|ethtool)_[a-z0-9_]+"
)
ENTRY = {*registry.SELECTORS, registry.OF_EACH, *registry._keys()}


def examples(page):
    """The blocks of YAML of a page, with their lines."""
    text = page.read_text()
    for found in re.finditer(r"^( *)```yaml\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE):
        yield text[: found.start()].count("\n") + 1, dedent(found[2])


EXAMPLES = [(page, line, text) for page in PAGES for line, text in examples(page)]


def check_entry(entry):
    for key in entry:
        registry.check_key(str(key))
    families = registry.nic_families(registry.FAMILIES).items()
    layer = {name: keys for name, family in families if (keys := desire.keys_of(family, entry))}
    check({**layer, **desire.of_each(entry, registry.FAMILIES)("nic0")})


def check(layer):
    plan.overlay([("", desire._settled(None, registry.FAMILIES, layer, "", list))], registry.FAMILIES)


def check_layer(kind, value):
    if kind == "nics":
        for entry in value if isinstance(value, list) else [value]:
            assert ("name" in entry) != ("match" in entry), entry
            check_entry(entry)
    elif kind == "bonds":
        bonds.parse(value)
    else:
        check({kind: value})


def check_all(content):
    """Every layer in an example, wherever it stands; a block of an entry alone is one as well."""
    if isinstance(content, list):
        for item in content:
            check_all(item)
        return
    if not isinstance(content, dict):
        return
    if (
        content
        and set(content) <= ENTRY
        and (registry.OF_EACH not in content or set(registry.SELECTORS) & set(content))
    ):
        check_entry(content)
        return
    for key, value in content.items():
        layer = LAYER.fullmatch(str(key))
        if layer and not (isinstance(value, str) and "{{" in value):
            check_layer(layer[2], value)
            continue
        assert not VARIABLE.fullmatch(str(key)) or str(key) in SOURCES, f"nothing reads the variable {key}"
        check_all(value)


@pytest.mark.parametrize(
    ("page", "line", "text"),
    EXAMPLES,
    ids=[f"{page.relative_to(ROOT)}:{line}" for page, line, _text in EXAMPLES],
)
def test_the_modules_take_what_is_shown(page, line, text):
    for content in yaml.safe_load_all(text):
        check_all(content)


def test_there_are_examples():
    assert len(EXAMPLES) > 150


def here():
    """What the right column of the field reports names in code."""
    rows = re.findall(r"^\| (?!by hand|---)(.*?) \| (.*) \|$", STORIES, re.MULTILINE)
    assert len(rows) >= 39
    return list(dict.fromkeys(word for _left, right in rows for word in re.findall(r"`([^`]+)`", right)))


@pytest.mark.parametrize("word", here())
def test_what_a_field_report_names_is_there(word):
    known = {rule.id for rule in rules.rules()}
    if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", word):
        assert word in known
        return
    content = yaml.safe_load(word)
    if not isinstance(content, dict):
        profile = ROOT / f"playbooks/profiles/{word}.yml"
        assert profile.exists() or re.search(rf"\b{re.escape(word.split(' ')[0])}\b", SOURCES)
        return
    ((key, value),) = content.items()
    if key == "tuning_profile":
        assert (ROOT / f"playbooks/profiles/{value}.yml").exists()
    elif "." in key:
        check({"sysctl": content})
    elif key in ENTRY:
        check_entry({"name": "nic0", **content})
    else:
        assert re.search(rf"\b{key}\b", SOURCES)
