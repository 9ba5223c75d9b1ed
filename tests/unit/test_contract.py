# SPDX-License-Identifier: GPL-3.0-or-later
"""What the parts of the collection promise each other: options, documentation, defaults."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.measuring import measurement
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import layers

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path.stem for path in (ROOT / "plugins/modules").glob("*.py"))
MEASURING = {"iperf3": measurement.IPERF3, "benchmark": measurement.BENCHMARK}
# Runs on the controller only, and asks no host.
TELLING = {"audit_report", "benchmark_history", "rollout"}
VIEWS = [name for name in MODULES if name not in ("nic_info", "guard", *MEASURING, *TELLING)]


def documentation(module):
    """The options of a module as ansible-doc shows them, fragments included."""
    fragments = {}
    for path in (ROOT / "plugins/doc_fragments").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                name = node.targets[0].id
                fragments[f"linuxnet.tuning.{path.stem}" + ("" if name == "DOCUMENTATION" else f".{name.lower()}")] = (
                    node.value.value
                )
    tree = ast.parse((ROOT / f"plugins/modules/{module}.py").read_text())
    own = next(
        yaml.safe_load(node.value.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "DOCUMENTATION"
    )
    options = {}
    for name in own.get("extends_documentation_fragment", []):
        options.update(yaml.safe_load(fragments[name]).get("options", {}))
    for name, option in own.get("options", {}).items():
        options[name] = {**options.get(name, {}), **option}
    return options


@pytest.mark.parametrize("module", VIEWS)
def test_documented_options_are_the_options(module):
    documented = documentation(module)
    spec = engine.argument_spec(module)
    assert set(documented) == set(spec)
    for name, option in spec.items():
        for key in ("type", "elements", "default", "choices", "required"):
            assert documented[name].get(key) == option.get(key), f"{module}: {name}: {key}"


def check_options(documented, spec, where):
    assert set(documented) == set(spec), where
    for name, option in spec.items():
        for key in ("type", "elements", "default", "choices", "required"):
            assert documented[name].get(key) == option.get(key), f"{where}: {name}: {key}"
        check_options(documented[name].get("suboptions", {}), option.get("options", {}), f"{where}: {name}")


@pytest.mark.parametrize("module", MEASURING)
def test_documented_options_of_a_measurement_are_the_options(module):
    check_options(documentation(module), MEASURING[module], module)


@pytest.mark.parametrize("module", registry.APART)
def test_documented_keys_of_entries_are_the_tables(module):
    for family in registry.view(module).values():
        documented = documentation(module)[family.option].get("suboptions")
        assert documented is None or list(documented) == [field.name for field in family.fields]


def test_tune_leaves_alone_what_lives_apart():
    assert not {name for module in registry.APART for name in registry.view(module)} & set(registry.view("tune"))


# Views without NICs.
OF_THE_HOST = ("sysctl", "module_parameters", *registry.APART)


@pytest.mark.parametrize("module", [name for name in VIEWS if name not in OF_THE_HOST])
def test_documented_keys_are_the_tables(module):
    documented = documentation(module)["nics"]["suboptions"]
    families = registry.nic_families(registry.FAMILIES)
    flat = {field.name for family in families.values() if family.flat for field in family.fields}
    nested = {name: family for name, family in families.items() if not family.flat}
    assert set(documented) == {*registry.SELECTORS, registry.OF_EACH, *nested, *flat}
    for name, family in nested.items():
        assert set(documented[name].get("suboptions", {})) == {field.name for field in family.fields}


@pytest.mark.parametrize("script", ["document_settings.py", "document_findings.py", "document_profiles.py"])
def test_written_documentation_is_up_to_date(script):
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / script), "--check"],
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_action_group_has_all_modules_that_share_options():
    """A default for the group that one of them does not know would make it fail: the one that confirms, of all."""
    groups = yaml.safe_load((ROOT / "meta/runtime.yml").read_text())["action_groups"]
    assert sorted(groups["tuning"]) == VIEWS
    for module in groups["tuning"]:
        assert {"state", "on_unsupported", "guard_timeout"} <= set(engine.argument_spec(module)), module


def test_each_module_of_the_engine_has_its_action():
    actions = {path.stem: path.read_text() for path in (ROOT / "plugins/action").glob("*.py")}
    assert set(actions) == set(MODULES) - set(MEASURING)
    actions = {name: text for name, text in actions.items() if name not in TELLING}
    assert len(set(actions.values())) == 1  # they differ by nothing but their name


def test_each_module_of_the_engine_takes_the_options_of_its_action():
    """Both ways check the options alike: the module takes the engine's own table as well."""
    for module in set(MODULES) - set(MEASURING) - TELLING:
        text = (ROOT / f"plugins/modules/{module}.py").read_text()
        spec = f'engine.argument_spec("{module}")'
        tables = {"guard": "engine.guard_spec()", "nic_info": "engine.info_spec()"}
        assert f"argument_spec={tables.get(module, spec)}" in text, module
        assert "supports_check_mode=True" in text


@pytest.mark.parametrize("module", sorted(TELLING))
def test_what_runs_on_the_controller_takes_the_options_that_it_documents(module):
    action = importlib.import_module(f"ansible_collections.linuxnet.tuning.plugins.action.{module}")
    documented = documentation(module)
    told = {
        name: {key: value for key, value in documented[name].items() if key != "description"} for name in documented
    }
    assert {name: {**option, "required": option.get("required", False)} for name, option in action.SPEC.items()} == {
        name: {**option, "required": option.get("required", False)} for name, option in told.items()
    }


# The role guard has handlers only.
@pytest.mark.parametrize("role", sorted(path.name for path in (ROOT / "roles").iterdir() if path.name != "guard"))
def test_role_is_thin_documented_and_complete(role):
    folder = ROOT / "roles" / role
    defaults = yaml.safe_load((folder / "defaults/main.yml").read_text())
    specified = yaml.safe_load((folder / "meta/argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    if role == "tune":
        # The module reads them all at once, so they have no defaults here.
        assert defaults is None
        assert set(specified) == {f"tune_{name}" for name in layers.NAMES}
        defaults = {name: specified[name].get("default") for name in specified}
    assert set(defaults) == set(specified)
    assert all(name.startswith(f"{role}_") for name in defaults)
    for name, option in specified.items():
        if "default" in option:
            assert defaults[name] == option["default"], name
    tasks = yaml.safe_load((folder / "tasks/main.yml").read_text())
    assert 1 <= len(tasks) <= 3
    assert not any(key in task for task in tasks for key in ("loop", "with_items", "set_fact"))
    readme = (folder / "README.md").read_text()
    assert all(f"`{name}`" in readme for name in defaults)


@pytest.mark.parametrize("family", [family for family in registry.FAMILIES.values() if not family.follows])
def test_every_family_is_owned_documented_and_ordered(family):
    assert family.module in MODULES
    assert family.about.endswith(".")
    assert all(field.about for field in family.fields)
    assert len({field.name for field in family.fields}) == len(family.fields)


@pytest.mark.parametrize("profile", sorted((ROOT / "playbooks/profiles").glob("*.yml")), ids=lambda path: path.stem)
def test_profiles_ask_for_what_there_is(profile):
    """Every word of a profile is one that the modules know; the README of the role names each profile."""
    from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import desire, plan

    def check(layer):
        plan.overlay([("", desire._settled(None, registry.FAMILIES, layer, "", list))], registry.FAMILIES)

    content = yaml.safe_load(profile.read_text())
    assert set(content) <= {"nics", "sysctl", "module_parameters"}
    for entry in content.get("nics", []):
        for key in entry:
            registry.check_key(key)
        check({key: entry[key] for key in entry if key in registry.FAMILIES})
    check({"sysctl": content.get("sysctl", {})})
    check({"module_parameters": content.get("module_parameters", {})})
    assert profile.stem in (ROOT / "roles/tune/meta/argument_specs.yml").read_text()


@pytest.mark.parametrize("path", sorted((ROOT / "playbooks").glob("*.yml")), ids=lambda path: path.stem)
def test_each_play_waits_for_all_its_hosts(path):
    """With the strategy free of somebody's ansible.cfg, what judges all hosts once would do it for each, too early."""
    plays = [play for play in yaml.safe_load(path.read_text()) if "hosts" in play]
    assert {play.get("strategy") for play in plays} <= {"ansible.builtin.linear"}
