# SPDX-License-Identifier: GPL-3.0-or-later
"""Words that a shell, a batch, systemd or JSON would take for something else, through every way that text leaves by."""

from __future__ import annotations

import ast
import json
import shlex
import subprocess
from pathlib import Path

import pytest
from ansible.module_utils import basic

from ansible_collections.linuxnet.tuning.plugins.module_utils import bare, runner
from ansible_collections.linuxnet.tuning.plugins.module_utils.family import HOST
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import revert
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Cell, Poke, Run
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import boot, managers, registry
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import systemd

UTILS = Path(__file__).resolve().parents[2] / "plugins/module_utils"

# As long as the kernel lets the name of a NIC be, and longer: a command that ends a quote, or stands in one.
EVIL = [
    "x';touch${IFS}a;'",
    'x";touch${IFS}a;"',
    "$(touch${IFS}a)",
    "`touch${IFS}a`",
    "a;b|c&d>e<f",
    "\\';touch${IFS}a",
    "%n$$*?",
]
FAMILIES = {name: family for module in ("tune", *registry.APART) for name, family in registry.view(module).items()}
WRITERS = [(name, None) for name in FAMILIES if name != "bonding"]
WRITERS += [("bonding", manager) for manager in managers.MANAGERS.values()]


def values_of(name, evil, manager=None):
    """What a family is asked for and what it has, with the word wherever one can stand."""
    path = f"/sys/{evil}"
    if name == "multiq":
        now = {"method": "none", "clients": (), "root": "mq 0:", "clsact": False, "others": ()}
        return {"method": "clsact", "clients": ("192.0.2.1=1", "others=0")}, {k: Cell(v) for k, v in now.items()}
    if name == "irq":
        cells = {key: Cell("0", where=path) for key in ("affinity", "rps", "rps_flow_cnt", "xps")}
        return {"affinity": "each 1", "rps": "1", "rps_flow_cnt": evil, "irqbalance": "stop"}, cells
    if name == "pci":
        return {"max_read_request": 4096}, {"max_read_request": Cell(512, where=evil)}
    if name == "sysctl":
        key = f"net.ipv4.conf.{evil.translate(str.maketrans('/=*?', '....'))}.forwarding"
        return {key: f"{evil} {evil}"}, {key: Cell("0")}
    if name == "sysctl_file":
        return {"net.core.x": evil}, {}
    if name == "devlink":
        return {evil: evil}, {evil: Cell("x", where="pci/0000:02:00.0 runtime")}
    if name == "sriov":
        return {"vfs": 2, "mac": f"{evil} b"}, {"vfs": Cell(4), "mac": Cell("a b c d")}
    if name == "routes":
        return {f"{evil} initcwnd": 30, f"default {evil}": evil, "::/0 congctl": f"{evil} {evil}"}, {}
    if name == "module_parameters_file":
        return {"igb.max_vfs": evil}, {}
    if name == "bonding":
        path = f"{manager.folder}/{evil.replace('/', '')}"
        cells = {"state": Cell("absent"), "mode": Cell(None), "members": Cell(""), path: Cell(None)}
        return {"state": "present", "members": f"{evil} b", path: evil}, cells
    if name == "profile":
        return {"profile": evil}, {"profile": Cell("balanced")}
    if name == boot.family(()).name:
        return {systemd.dropin(evil, "link"): evil, systemd.wants_link(evil): systemd.TEMPLATE}, {}
    if name == "irqbalance":
        return {f"/etc/{evil}": evil}, {}
    family = FAMILIES[name]
    fields = {field.name: True if field.kind == "switch" else 8 for field in family.fields if field.kind != "addresses"}
    fields = fields or {evil: True}
    return fields, {key: Cell(value) for key, value in fields.items()}


def actions(name, evil, manager=None):
    values, cells = values_of(name, evil, manager)
    scope = "/etc/sysctl.d/90.conf" if name == "sysctl_file" else "" if FAMILIES[name].scope == HOST else evil
    made = list(FAMILIES[name].write(scope, values, cells))
    made += list(FAMILIES[name].boot(scope, values, cells)) if FAMILIES[name].boot else []
    assert made
    return made


@pytest.mark.parametrize(("name", "manager"), WRITERS)
@pytest.mark.parametrize("evil", EVIL)
def test_the_way_back_runs_no_word(name, manager, evil, tmp_path):
    """Each line in a real shell, in which programs are harmless words and files of the kernel are not there."""
    lines, _files = revert.script(actions(name, evil, manager))
    stubs = "sysctl() { :; }; ip() { :; }; sleep() { i=99; };"
    harmless = (
        f'live() {{ [ "$1" != sh ] || sh -c "{stubs} $3"; }}; put() {{ :; }}; rm() {{ :; }}; systemctl() {{ :; }}\n'
    )
    subprocess.run(["sh", "-c", harmless + "\n".join(lines)], cwd=tmp_path, check=False, capture_output=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "manager"), WRITERS)
@pytest.mark.parametrize("evil", EVIL)
def test_the_way_back_has_each_word_whole(name, manager, evil):
    for action in actions(name, evil, manager):
        if isinstance(action, Run) and not action.lines:
            lines, _files = revert.script([action])
            assert shlex.split(lines[0])[-len(action.argv) :] == list(action.argv)
        elif isinstance(action, Poke):
            (line,), _files = revert.script([action])
            assert shlex.split(line)[3:] == [action.plain]


@pytest.mark.parametrize("evil", [*EVIL, "a\nExecStart=/bin/b", "a\udcffb"])
def test_a_drop_in_has_each_command_on_a_line_of_its_own(evil):
    text = systemd.render([("link", ["mtu"], [Run(("ip", "link", "set", "dev", evil, "mtu", "1500"))])])
    assert len(text.splitlines()) == 4
    text.encode()  # systemd passes over lines that are no UTF-8


def test_text_for_a_shell_is_quoted_in_one_place():
    for path in UTILS.rglob("*.py"):
        if path.name != "text.py":
            assert "shlex" not in path.read_text(), path


def test_results_leave_by_one_door():
    """Ansible fails after the work is done where a result has a byte that is no UTF-8."""
    for path in UTILS.rglob("*.py"):
        names = {node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)}
        assert path.name in ("runner.py", "bare.py") or not names & {"exit_json", "fail_json", "warn"}, path


def test_no_word_of_a_command_is_expanded(monkeypatch):
    """Ansible takes ~ and $HOME for what a person has typed."""
    monkeypatch.setattr(basic, "_ANSIBLE_ARGS", b'{"ANSIBLE_MODULE_ARGS": {}}', raising=False)
    monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
    monkeypatch.setenv("HOME", "/nowhere")
    text = "~ ~root $HOME ${HOME}"
    for module in (basic.AnsibleModule({}), bare.BareModule({}, False, False, {})):
        assert runner.runner(module)(("printf", "%s", text), "")[1] == text
        assert runner.runner(module)(("printf", "%s", "~root"), "")[1] == "~root"


class Module:
    """As much of AnsibleModule as the end of a call needs."""

    def __init__(self):
        self.said = []

    def __getattr__(self, name):
        return lambda *words, **result: self.said.append((name, words, result))


@pytest.mark.parametrize("failed", [False, True])
def test_a_result_can_be_written_as_json_whatever_the_host_says(failed):
    module = Module()
    nic = "igb\udcff0"
    runner.finish(
        module,
        {
            "failed": failed,
            "msg": f"{nic} link: netlink error \udce9",
            "after": {nic: {"mtu": 9000, "names": (nic, "\ud800")}},
            "warnings": [nic],
            "über": None,
        },
    )
    name, _words, result = module.said[1]
    assert name == ("fail_json" if failed else "exit_json")
    assert module.said[0] == ("warn", ("igb\\xff0",), {})
    json.dumps(result, ensure_ascii=False).encode()
    assert result["after"] == {"igb\\xff0": {"mtu": 9000, "names": ["igb\\xff0", "\\ud800"]}}
    assert "über" in result


def test_a_sysctl_with_an_apostrophe_is_one_word():
    family = registry.FAMILIES["sysctl"]
    (action,) = family.write("", {"kernel.core_pattern": "|/bin/x 'a b'"}, {})
    assert shlex.split(str(action)) == ["sysctl", "-w", "kernel.core_pattern=|/bin/x 'a b'"]


@pytest.mark.parametrize("nic", ["a$b", "a;b", "a+b", "a~b", "über", "a-b"])
def test_sysctls_of_nics_with_odd_names_are_keys(nic):
    key = f"net.ipv4.conf.{nic}.rp_filter"
    assert registry.FAMILIES["sysctl"].field(key).name == key


@pytest.mark.parametrize(
    "key", ["net.ipv4.conf.a b.x", "net.core.x=1", "net.ipv4.conf.*.x", "net..x", "net.a\nb", "/etc"]
)
def test_what_a_file_would_take_for_another_key_is_none(key):
    with pytest.raises(Exception, match="has no key"):
        registry.FAMILIES["sysctl"].field(key)
