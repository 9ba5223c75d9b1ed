# SPDX-License-Identifier: GPL-3.0-or-later
"""What the desired state comes to in the words of other tools: a case for each form, and the way back by the import."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.linuxnet.tuning.plugins.filter.export import export
from ansible_collections.linuxnet.tuning.plugins.filter.guide_to_inventory import guide_to_inventory
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.dialects import networkmanager, systemd
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.export import writer
from ansible_collections.linuxnet.tuning.tests.unit import case_files

CASES = {path.stem: case_files.read(path) for path in sorted((case_files.FOLDER / "export").glob("*"))}
FORMS = [(name, form) for name, case in CASES.items() for form in case.get("forms", ())]
BACK = [(name, form) for name, case in CASES.items() for form in case.get("back", ())]


def of(case, form):
    return export(case["variables"], form, case.get("profiles"))


def lines(text):
    """The lines that say something, without blanks in front."""
    return [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_case(name, form):
    found, expected = of(CASES[name], form), CASES[name]["forms"][form]
    files = {file["path"]: lines(file["content"]) for file in found["files"]}
    assert list(files) == list(expected.get("files", {}))
    for path, text in expected.get("files", {}).items():
        part = lines(text)
        found_at = [k for k in range(len(files[path])) if files[path][k : k + len(part)] == part]
        assert found_at, f"{part} does not stand in {files[path]}"
    assert [one["what"] for one in found["unsaid"]] == expected.get("unsaid", [])
    assert all(one["why"] for one in found["unsaid"])


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_what_is_not_said_stands_at_the_top(name, form):
    found = of(CASES[name], form)
    first = found["files"][0]["content"]
    head = first[: first.index("\n\n")]
    if not first.startswith("# The desired kernel parameters"):
        assert all(f"{one['what']}: {one['why']}" in head for one in found["unsaid"])


@pytest.mark.parametrize(("name", "form"), BACK)
def test_the_import_reads_what_the_export_writes(name, form):
    """What is said comes back as it was desired; what a form leaves out, the case names."""
    texts = {f"/{file['path']}": file["content"] for file in of(CASES[name], form)["files"]}
    found = guide_to_inventory(texts)
    assert found["not_understood"] == []
    assert found["inventory"] == CASES[name]["back"][form]


@pytest.mark.parametrize("name", CASES)
def test_a_shell_takes_the_scripts(name, tmp_path):
    for form in ("shell", "networkmanager"):
        for file in of(CASES[name], form)["files"]:
            if not file["path"].endswith(".sh"):
                continue
            script = tmp_path / file["path"]
            script.write_text(file["content"])
            shell = shutil.which("dash") or "sh"
            assert subprocess.run([shell, "-n", str(script)], capture_output=True, text=True, check=False).stderr == ""
            assert file["mode"] == "0755"


IP = """#!/bin/sh
case $* in
"-4 -o route show exact default") echo "default via 10.0.0.1 dev eth0 proto dhcp metric 100" ;;
"-6 -o route show exact ::/0") echo "default via fe80::1 dev wan1 metric 10 initcwnd 20" ;;
*" route change "*) echo "$*" >>changed ;;
esac
"""


@pytest.mark.parametrize(
    ("match", "chosen"),
    (
        ({"pci": "8086:15b[789]"}, ["eth0"]),
        ({"pci": "8086:15[!b]?"}, ["eth1"]),
        ({"driver": "ig[bc]"}, ["eth1"]),
        ({"driver": "*g?"}, ["eth1"]),
        ({"mac": "52:54:00:*"}, ["eth0", "eth1"]),
        ({"pci": "8086:15b"}, []),
    ),
)
def test_a_script_selects_nics_by_patterns(match, chosen, tmp_path):
    """As the modules do, in a real shell on a made-up /sys."""
    [file] = export({"tuning_nics": [{"match": match, "mtu": 9000}]}, "shell")["files"]
    for name, driver, device in (("eth0", "e1000e", "0x15b8"), ("eth1", "igb", "0x1521")):
        nic = tmp_path / "net" / name
        (nic / "device").mkdir(parents=True)
        (nic / "device/driver").symlink_to(tmp_path / driver)
        for path, text in (("address", "52:54:00:00:01:00"), ("device/vendor", "0x8086"), ("device/device", device)):
            (nic / path).write_text(f"{text}\n")
    (tmp_path / "ip").write_text('#!/bin/sh\necho "$4" >>changed\n')
    (tmp_path / "ip").chmod(0o755)
    text = file["content"].replace("/sys/class/net", str(tmp_path / "net")).replace("PATH=", f"PATH={tmp_path}:")
    subprocess.run(["sh", "-c", text], cwd=tmp_path, check=True)
    changed = tmp_path / "changed"
    assert (changed.read_text().split() if changed.exists() else []) == chosen


@pytest.mark.parametrize("form", ("shell", "networkmanager"))
def test_what_a_script_cannot_select_by_is_named(form):
    nics = [{"match": {"min_speed": 1000, "network": "10.0.0.0/8"}, "mtu": 9000}]
    [one] = export({"tuning_nics": nics}, form)["unsaid"]
    assert one["why"] == "a script cannot select NICs by min_speed and network"


def test_a_script_changes_the_routes_that_there_are(tmp_path):
    """Of a NIC by its name, and of each that fits a pattern, in a real shell with a stand-in for ip."""
    nics = [
        {"name": "eth0", "routes": {"default": {"initcwnd": 30}}},
        {"name": "wan*", "routes": {"::/0": {"mtu": 1400}}},
    ]
    [file] = export({"tuning_nics": nics}, "shell")["files"]
    for name in ("wan1", "wan2", "eth0"):
        (tmp_path / "net" / name).mkdir(parents=True)
    (tmp_path / "ip").write_text(IP)
    (tmp_path / "ip").chmod(0o755)
    text = file["content"].replace("/sys/class/net", str(tmp_path / "net")).replace("PATH=", f"PATH={tmp_path}:")
    done = subprocess.run(["sh", "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (tmp_path / "changed").read_text().splitlines() == [
        "-4 route change default via 10.0.0.1 dev eth0 proto dhcp metric 100 initcwnd 30",
        "-6 route change default via fe80::1 dev wan1 metric 10 initcwnd 20 mtu 1400",
    ]
    assert done.returncode == 1  # wan2 has no such route
    assert "no such route" in done.stderr


EACH = {
    "pci": {"no_snoop": False},
    "private_flags": {"legacy-rx": True},
    "devlink": {"enable_roce": True},
    "sriov": {"vfs": 2, "trust": True},
    "channels": {"combined": 4},
    "ring": {"rx": 1024},
    "rss": {"indirection": "equal 2"},
    "features": {"gro": False},
    "ntuple_rules": {7: "tcp4 dst-port 80 action 1"},
    "coalesce": {"rx_usecs": 30},
    "tunables": {"rx_copybreak": 256},
    "module": {"power_mode_policy": "high"},
    "phy": {"downshift": 2},
    "fec": {"encoding": "rs"},
    "eee": {"enabled": False, "advertise": "all"},
    "speed": {"autoneg": True, "advertise": "all"},
    "pause": {"rx": True},
    "wol": "magic",
    "qdisc": {"root": "fq"},
    "multiq": {"clients": ["10.0.0.1"]},
    "napi": {"threaded": True},
    "irq": {"affinity": {0: 1}, "rps": "0-3", "irqbalance": "stop", "irqbalance_ban": True},
    "routes": {"default": {"initcwnd": 30}},
}


@pytest.mark.parametrize("form", writer.FORMS)
@pytest.mark.parametrize(
    "name",
    [name for name, family in registry.nic_families(registry.FAMILIES).items() if family.named and name != "link"],
)
def test_nothing_is_left_out_in_silence(name, form):
    """What a form does not say is named, whatever the family."""
    expected = EACH[name]
    for key, value in expected.items() if isinstance(expected, dict) else [("", expected)]:
        # What makes another key possible stands beside it.
        part = {key: value, **({"vfs": 2} if name == "sriov" else {})} if key else value
        found = export({"tuning_nics": [{"name": "eth0", name: part}]}, form)
        said = [line for file in found["files"] for line in lines(file["content"])]
        nothing = [line for file in export({"tuning_nics": []}, form)["files"] for line in lines(file["content"])]
        assert len(said) > len(nothing) or found["unsaid"], (key, value)


def test_a_script_goes_on_and_says_that_something_failed(tmp_path):
    """With programs that note how they are called, one of which fails."""
    case = CASES["everything"]
    (script,) = of(case, "shell")["files"]
    programs = tmp_path / "bin"
    programs.mkdir()
    for program in ("ethtool", "ip", "tc", "sysctl", "systemctl", "tuned-adm"):
        path = programs / program
        path.write_text(f'#!/bin/sh\necho "{program} $*" >> {tmp_path}/calls\n[ "{program} $1" != "ethtool -K" ]\n')
        path.chmod(0o755)
    text = script["content"].replace("PATH=/usr/sbin:", f"PATH={programs}:/usr/sbin:")
    assert subprocess.run(["sh", "-c", text], capture_output=True, text=True, check=False).returncode == 1
    calls = (tmp_path / "calls").read_text().splitlines()
    assert "ip link set dev nosuch0 mtu 9000 gso_max_size 65536 alias it's me" in calls
    # All at once first, then one by one.
    whole = calls.index("ethtool -K nosuch0 gro off lro off")
    assert calls[whole + 1 : whole + 3] == ["ethtool -K nosuch0 gro off", "ethtool -K nosuch0 lro off"]
    assert calls[-1].startswith("tuned-adm profile")


def test_the_tables_name_keys_that_there_are():
    for table in (systemd.LINK, networkmanager.PROPERTIES):
        for family, key in table:
            assert registry.FAMILIES[family].field(key).name == key


@pytest.mark.parametrize(
    ("variables", "form", "said"),
    [
        ("x", "shell", "needs a dictionary"),
        ({}, "perl", "write one of link"),
        ({"tuning_nics": [{"name": "eth0", "rings": {}}]}, "shell", "nics: eth0: there is no setting 'rings'"),
        ({"tuning_nics": [{"match": {"driver": "igb"}, "rings": {}}]}, "shell", "driver.*igb.*no setting 'rings'"),
        ({"tuning_nics": [{"name": "eth0", "ring": {"rx": "much"}}]}, "link", "write a whole number"),
        ({"tuning_nics": [{"name": "eth0", "ring": 5}]}, "link", "write a dictionary"),
        ({"tuning_nics": [{"ring": {"rx": 5}}]}, "tuned", "needs 'name' or 'match'"),
        ({"tuning_sysctl": ["a"]}, "tuned", "write a dictionary of parameters and values"),
        ({"tuning_profile": "router"}, "shell", "the profile 'router' was not given"),
        ({"tuning_bonds": [{"name": "bond0", "mode": "nosuch"}]}, "shell", "nosuch"),
    ],
)
def test_filter_refuses_what_no_module_would_take(variables, form, said):
    with pytest.raises(AnsibleFilterError, match=said):
        export(variables, form)


def test_a_nic_without_a_profile_is_named_once_and_the_others_are_set(tmp_path):
    """With a stand-in for nmcli, in a real shell."""
    nics = [{"name": "eth0", "mtu": 9000, "ring": {"rx": 512}}, {"name": "eth1", "mtu": 9000}]
    (script,) = export({"tuning_nics": nics}, "networkmanager")["files"]
    answers = (
        '[ "$1" = -g ] && { [ "$5" != eth1 ] || echo uuid-1; exit 0; }\n[ "$1 $2" != "general status" ] || exit $gone\n'
    )
    (tmp_path / "nmcli").write_text(f'#!/bin/sh\n{answers}echo "$*" >> {tmp_path}/calls\n')
    (tmp_path / "nmcli").chmod(0o755)
    text = script["content"].replace("PATH=", f"PATH={tmp_path}:")

    def run(gone):
        environment = {"gone": gone}
        return subprocess.run(["sh", "-c", text], capture_output=True, text=True, check=False, env=environment)

    done = run("0")
    assert done.returncode == 1
    assert done.stderr == "eth0: NetworkManager has no active connection on it, so nothing was set; see: nmcli device\n"
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls == ["connection modify uuid-1 802-3-ethernet.mtu 9000", "device reapply eth1"]
    (tmp_path / "calls").unlink()
    assert run("8").returncode == 1 and not (tmp_path / "calls").exists()


def test_nothing_desired_is_nothing_said():
    for form in writer.FORMS:
        found = export({}, form)
        assert found["unsaid"] == []
        assert all("eth" not in file["content"] for file in found["files"])


def test_text_of_an_inventory_stays_text():
    """Whatever stands in a value, no shell runs it and no file gets a line of it."""
    nasty = "x'; touch /tmp/y; $(id)"
    variables = {"tuning_nics": [{"name": "eth0", "alias": nasty}], "tuning_sysctl": {"net.core.x": "1 # $(id)"}}
    script = export(variables, "shell")["files"][0]["content"]
    assert "alias 'x'\"'\"'; touch /tmp/y; $(id)'" in script
    assert "sysctl -q -w 'net.core.x=1 # $(id)'" in script
