# SPDX-License-Identifier: GPL-3.0-or-later
"""What docs/architecture.md says: who imports whom, who touches the host, and where everything stands."""

from __future__ import annotations

import ast
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


UTILS = ROOT / "plugins/module_utils"


# Who may import whom: files by their path, and wings whose files are all alike by their name. What is not named here
# may not be imported.
LAYERS = {
    "text": set(),
    "schema": {"text"},
    "family": {"schema"},
    "files": {"schema"},
    "time_limit": set(),
    "host": {"schema", "files", "time_limit"},
    "runner": {"text", "schema"},
    "deciding.inputs": {"schema", "family"},
    "deciding.conditions": {"schema"},
    "deciding.nics": {"schema", "deciding.conditions"},
    "deciding.resolve": {"schema", "deciding.inputs"},
    "deciding.plan": {"schema", "family", "deciding.inputs", "deciding.resolve"},
    "deciding.computed": {"schema", "family", "tools", "deciding.inputs"},
    "deciding.desire": {
        "schema",
        "family",
        "host",
        "tools",
        "settings",
        "deciding.computed",
        "deciding.inputs",
        "deciding.nics",
        "deciding.plan",
    },
    "tools": {"text", "schema", "family", "deciding.inputs"},
    "settings": {"text", "schema", "family", "deciding.inputs", "tools"},
    "facts": {"schema", "host", "deciding.inputs", "tools", "settings"},
    "going_back.memory": {"schema", "host"},
    "going_back.stack": {"schema", "host", "going_back.memory"},
    "going_back.shell": set(),
    "going_back.script": {"tools", "going_back.memory", "going_back.stack", "going_back.shell"},
    "going_back.revert": {"text", "schema", "family", "deciding.plan", "tools", "going_back.stack"},
    "going_back.old": {"schema", "host", "going_back.memory", "going_back.stack"},
    "going_back.health": {"schema", "host", "tools"},
    "going_back.clocks": {"schema", "host", "tools", "going_back.stack"},
    "going_back.reverted": {"schema", "host", "going_back.memory", "going_back.stack", "going_back.script"},
    "going_back.guard": {
        "schema",
        "host",
        "tools",
        "going_back.memory",
        "going_back.stack",
        "going_back.shell",
        "going_back.script",
        "going_back.reverted",
        "going_back.revert",
        "going_back.old",
        "going_back.clocks",
    },
    "carrying_out.report": {"schema", "family"},
    "carrying_out.arriving": {
        "schema",
        "family",
        "host",
        "deciding.desire",
        "deciding.inputs",
        "deciding.plan",
        "tools",
    },
    "carrying_out.persist": {
        "schema",
        "family",
        "host",
        "deciding.plan",
        "deciding.resolve",
        "tools",
        "carrying_out.arriving",
    },
    "carrying_out.applying": {"schema", "family", "host", "deciding.plan", "tools"},
    "carrying_out.undo": {"schema", "family", "deciding.plan", "carrying_out.applying"},
    "carrying_out.transaction": {
        "schema",
        "family",
        "host",
        "deciding.plan",
        "deciding.resolve",
        "tools",
        "carrying_out.applying",
        "carrying_out.undo",
        "carrying_out.report",
    },
    "carrying_out.prepare": {
        "schema",
        "family",
        "host",
        "deciding.desire",
        "deciding.plan",
        "tools",
        "settings",
        "going_back.memory",
        "going_back.guard",
        "carrying_out.persist",
        "carrying_out.report",
    },
    "carrying_out.lost": {"schema", "family", "host", "settings", "going_back.guard", "carrying_out.prepare"},
    "carrying_out.conclude": {
        "carrying_out.lost",
        "schema",
        "family",
        "host",
        "deciding.plan",
        "tools",
        "settings",
        "going_back.memory",
        "going_back.guard",
        "going_back.revert",
        "carrying_out.prepare",
        "carrying_out.persist",
    },
    "carrying_out.call": {
        "schema",
        "family",
        "host",
        "deciding.plan",
        "going_back.memory",
        "going_back.guard",
        "going_back.health",
        "going_back.reverted",
        "carrying_out.prepare",
        "carrying_out.lost",
        "carrying_out.conclude",
        "carrying_out.transaction",
        "carrying_out.report",
    },
    "engine": {
        "schema",
        "host",
        "runner",
        "deciding.desire",
        "settings",
        "facts",
        "going_back.guard",
        "going_back.health",
        "carrying_out.call",
    },
    "bare": {"engine"},
    "plan": {"deciding.plan"},
    "measuring.probe": set(),
    "measuring.processes": set(),
    "measuring.gate": set(),
    "measuring.station": {"measuring.processes", "measuring.gate"},
    "measuring.record": {"schema", "host", "tools"},
    "measuring.session": {
        "schema",
        "host",
        "tools",
        "facts",
        "measuring.record",
        "measuring.station",
        "measuring.gate",
        "measuring.processes",
        "measuring.probe",
    },
    "measuring.between": {"host", "tools"},
    "measuring.measurement": {"schema", "host", "runner", "tools", "measuring.between", "measuring.session"},
}


# In the import of guides, each folder or file and those that it may import: what stands before it.
GUIDE = [
    *("distinct", "masks", "role_words", "model", "budget"),
    *("shell", "keys", "calls", "scripts", "formats", "languages", "prose", "result"),
    *("detect", "forms", "reader"),
]


def layer(names):
    """The name in the table of a module, or of something in one."""
    return next(name for name in (names[0], ".".join(names), ".".join(names[:-1])) if name in LAYERS)


def sources():
    return sorted(path for path in UTILS.rglob("*.py") if path.name != "__init__.py" or path.read_text())


def trees():
    return [(path, ast.parse(path.read_text())) for path in sources()]


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(UTILS)))
def test_imports_run_one_way(path):
    *package, last = path.relative_to(UTILS).with_suffix("").parts
    own = layer([*package, last])
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".")[0] for alias in node.names]
            assert all(name in sys.stdlib_module_names for name in names), f"{names} is not in the standard library"
        elif isinstance(node, ast.ImportFrom) and not node.level:
            assert node.module.split(".")[0] in sys.stdlib_module_names, f"{node.module} is not in the standard library"
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] + (node.module.split(".") if node.module else [])
            targets = {layer([*base, alias.name]) for alias in node.names} - {own}
            assert targets <= LAYERS[own], f"{own} must not import {targets - LAYERS[own]}"


def test_the_import_of_guides_goes_one_way():
    package = ROOT / "plugins/plugin_utils/guide"
    for path in package.rglob("*.py"):
        *folders, last = path.relative_to(package).with_suffix("").parts
        own = GUIDE.index([*folders, last][0]) if folders or last != "__init__" else -1
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and 0 < node.level <= len(folders) + 1:
                base = folders[: len(folders) - node.level + 1] + (node.module.split(".") if node.module else [])
                later = {[*base, alias.name][0] for alias in node.names} - set(GUIDE[: own + 1])
                assert not later, f"{path.relative_to(package)}:{node.lineno} must not import {later}"


@pytest.mark.parametrize("path", sorted((ROOT / "plugins/filter").glob("*.py")), ids=lambda path: path.stem)
def test_filters_import_their_work_when_they_are_called(path):
    """Ansible loads all filters of a collection in each worker that uses one, and compiles them anew."""
    modules = [node.module for node in ast.parse(path.read_text()).body if isinstance(node, ast.ImportFrom)]
    assert set(modules) <= {"__future__", "typing", "ansible.errors"}


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("plugins.module_utils.plan", ["overlay", "make", "invert", "restore", "side_effects"]),
        ("plugins.module_utils.settings.registry", ["FAMILIES", "check_key", "nic_families"]),
        ("plugins.module_utils.facts", ["everything"]),
        ("plugins.module_utils.tools.sysctl", ["path"]),
        ("plugins.plugin_utils.findings.registry", ["rules"]),
        ("plugins.filter.findings", ["findings"]),
        ("tests.unit.memory_host", ["Files", "connect"]),
    ],
)
def test_names_that_programs_outside_import_stay(module, names):
    """Programs that judge recorded hosts read them and check remedies by these names since version 0.2."""
    there = __import__(f"ansible_collections.linuxnet.tuning.{module}", fromlist=names)
    assert [name for name in names if not hasattr(there, name)] == []


def test_no_import_goes_in_a_circle():
    assert list(TopologicalSorter(LAYERS).static_order())


def test_hosts_and_calls_have_a_type():
    """`Any` hides an import that goes in a circle, and what is asked of a host then is checked by nobody."""
    for path, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.arg) and node.arg in ("host", "call") and node.annotation:
                assert ast.unparse(node.annotation) != "Any", f"{path}:{node.lineno}"


def test_only_host_touches_the_host():
    touching = {"os", "subprocess", "shutil", "socket", "tempfile", "pathlib", "io", "time"}
    for path, tree in trees():
        # The station and probe.py do not run inside a module: they are handed to systemd on the host. bare.py is no
        # part of one either, but stands in for AnsibleModule, which runs what host.py hands it.
        station = {f"measuring/{name}.py" for name in ("station", "gate", "processes", "probe")}
        if str(path.relative_to(UTILS)) in {"host.py", "files.py", "time_limit.py", "bare.py", *station}:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert not {alias.name.split(".")[0] for alias in node.names} & touching, path
            elif isinstance(node, ast.ImportFrom) and not node.level:
                assert node.module.split(".")[0] not in touching, path
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("open", "exec", "eval", "__import__"), path


def test_what_counts_as_a_number_is_one():
    """`isdigit` holds for "8²" as well, which int() and float() do not take."""
    assert not [path for path in (ROOT / "plugins").rglob("*.py") if "isdigit" in path.read_text()]


def test_nothing_ever_reaches_a_shell():
    for path in [*sources(), *(ROOT / "plugins/modules").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.keyword):
                assert node.arg not in ("shell", "use_unsafe_shell"), path


def drawn():
    """The paths in the drawing of docs/architecture.md: indented names lie in the folder above them."""
    folders = []
    for line in (ROOT / "docs/architecture.md").read_text().split("```")[1].strip("\n").splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        names = [name.rstrip("/") for name in line[:26].replace(",", " ").split()]
        yield from ("/".join([*folders[:depth], name]) for name in names)
        folders[depth:] = names[:1]


def test_the_drawing_of_the_house_names_what_stands():
    named = list(drawn())
    assert [name for name in named if not (ROOT / name).exists()] == []
    alike = {"settings", "tools", "facts"}  # of which each file is one more of its kind
    wings = {path for path in sources() if path.relative_to(UTILS).parts[0] not in alike}
    stand = {str(path.relative_to(ROOT)) for path in wings} | {
        str(path.relative_to(ROOT)) for path in UTILS.iterdir() if path.is_dir() and path.name != "__pycache__"
    }
    assert stand - set(named) == set()


def test_no_text_stands_alone():
    """Half of a text in two lines without brackets around them is a statement of its own, and nobody reads it."""
    alone = []
    for path in sorted((ROOT / "plugins").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            has_docstring = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            body = getattr(node, "body", None)
            for statement in body[has_docstring:] if isinstance(body, list) else ():
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                    alone += [f"{path}:{statement.lineno}"] if isinstance(statement.value.value, str) else []
    assert alone == []
