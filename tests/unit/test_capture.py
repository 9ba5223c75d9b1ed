# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody tuned by hand becomes inventory, and nothing that drivers and the kernel do by themselves."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import yaml

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import everything
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import conf
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.capture import compose, inventory, take
from ansible_collections.linuxnet.tuning.scripts import driver_answers
from ansible_collections.linuxnet.tuning.tests.unit import memory_host, test_drivers

each_driver = pytest.mark.parametrize(
    "one", driver_answers.all_transcripts(), ids=lambda one: f"{one.release}-{one.driver}"
)
# Read on a host that nobody has tuned: Linux 6.12 of Debian 13 would show the first two as 212992 and 6291456.
PARAMETERS = {"net.core.rmem_max": "212992", "net.ipv4.tcp_rmem": "4096 131072 6291456", "net.ipv4.tcp_sack": "1"}


class Still(test_drivers.Device):
    """Only answers: whatever else is asked, such as `ethtool -S`, there is nothing."""

    def run(self, argv, data=""):
        reads = argv[0] == "ip" or (argv[0] == "ethtool" and argv[1] in test_drivers.FLAGS)
        return super().run(argv, data) if reads else (1, "", "no answer")


def host_of(one, state, files=None):
    """A host whose one NIC answers as a driver of the lab did."""
    device = Still(one, next(iter(one.tries)))
    device.now = state
    disk = device.host.disk
    disk.files.update({"/proc/sys/kernel/osrelease": f"{one.kernel}\n", "/sys/devices/system/cpu/online": "0-1\n"})
    disk.links[f"/sys/class/net/{one.nic}/device/driver"] = one.driver
    disk.files.update({f"/proc/sys/{key.replace('.', '/')}": f"{value}\n" for key, value in PARAMETERS.items()})
    disk.files.update(files or {})
    return device


def facts_of(device):
    return everything.gather(device.host, [device.one.nic], 0, [], configured=True)


def captured(device):
    return compose.Composer("files1", facts_of(device)).capture()


def checked(device, found):
    """What `tune` says of it in check mode."""
    params = {name: option.get("default") for name, option in engine.argument_spec("tune").items()}
    params.update(permanent=False, on_unsupported="warn", **inventory.options(found))
    return engine.tune(memory_host.connect(device.host.disk, device.run, True), "tune", params)


@each_driver
def test_a_driver_as_it_comes_gives_nothing(one):
    found = captured(host_of(one, one.state))
    assert not found.items
    assert yaml.safe_load(inventory.text(found, "host", "")) == {}


@each_driver
def test_what_was_set_by_hand_is_found_and_left_as_it_is(one):
    """Each command that has worked: its value is in the capture, and site has nothing to do."""
    seen = 0
    fresh = driver_answers.values(one.state)
    for item in test_drivers.playable(one):
        after = driver_answers.values(item.after)
        changed = {key for key in item.desired if fresh.get(key) != after.get(key)}
        if item.rc or not changed:
            continue
        device = host_of(one, item.after)
        found = captured(device)
        names = {(entry.family, entry.key) for entry in (*found.items, *found.unknown)}
        for family, key in changed:
            if family in ("ring", "channels", "link"):
                assert (family, test_drivers.ours(family, key)) in names, (item.command, names)
                seen += 1
        if found.items:
            # What is checked is what is written.
            variables, options = yaml.safe_load(inventory.text(found, "host", "")), inventory.options(found)
            assert variables.get("tuning_host_nics", []) == options["nics"], item.command
            assert variables.get("tuning_host_sysctl", {}) == options["sysctl"], item.command
            result = checked(device, found)
            assert not result["changed"], (item.command, result["diff"])
            assert compose.checked(found, result).items == found.items, item.command
    assert seen > 2


def igb():
    return next(one for one in driver_answers.all_transcripts() if (one.release, one.driver) == ("bookworm", "igb"))


def tuned_igb(files=None):
    """igb with receive rings of 4096, as `ethtool -G` has left it."""
    one = igb()
    state = copy.deepcopy(one.state)
    state["ring"] = [line.replace("RX:\t\t256", "RX:\t\t4096") for line in state["ring"]]
    return host_of(one, state, files)


FILES = {
    "/etc/rc.local": "#!/bin/sh\nethtool -G igb0 rx 4096\nethtool -K igb0 gro off\n/usr/local/sbin/more.sh\nexit 0\n",
    "/usr/local/sbin/more.sh": "#!/bin/sh\nsysctl -w net.core.rmem_max=16777216\n",
    "/etc/sysctl.d/90-x.conf": "net.ipv4.tcp_timestamps = 0\nnet.core.wmem_max = 8388608\nnet.ipv4.tcp_sack = 1\n",
    "/usr/lib/sysctl.d/50-package.conf": "net.core.default_qdisc = fq_codel\n",
    "/etc/cron.d/backup": "0 3 * * * root /usr/bin/backup --password=hunter2\n",
    "/etc/NetworkManager/system-connections/office": (
        "[connection]\ninterface-name=igb0\n[802-1x]\npassword=hunter2\n[ethernet]\nmtu=1500\n"
    ),
    "/proc/sys/net/core/rmem_max": "16777216\n",
    "/proc/sys/net/core/wmem_max": "212992\n",
    "/proc/sys/net/core/netdev_max_backlog": "5000\n",
    "/proc/sys/net/ipv4/tcp_timestamps": "0\n",
}


def test_each_value_tells_where_it_came_from_and_each_other_line_why_it_is_left_out():
    found = captured(tuned_igb(FILES))
    text = inventory.text(found, "host", "here")
    assert yaml.safe_load(text) == {
        "tuning_host_nics": [{"name": "igb0", "ring": {"rx": 4096}}],
        "tuning_host_sysctl": {"net.core.netdev_max_backlog": 5000, "net.core.rmem_max": 16777216},
    }
    assert "      rx: 4096  # /etc/rc.local line 2" in text
    assert "  net.core.rmem_max: 16777216  # /usr/local/sbin/more.sh line 2" in text
    assert "  net.core.netdev_max_backlog: 5000  # live only: no file that was read sets it" in text
    told = " ".join(found.left_out)
    assert "/etc/rc.local line 3: it says igb0 features gro off, and in force is on" in told
    assert "/etc/sysctl.d/90-x.conf line 1: harmful" in told
    assert "/etc/sysctl.d/90-x.conf line 2: it says net.core.wmem_max 8388608, and in force is 212992" in told
    assert "/etc/sysctl.d/90-x.conf line 3: net.ipv4.tcp_sack 1 is what a package or the kernel sets by itself" in told
    assert all(len(line) <= 120 for line in text.splitlines())


def test_the_documentation_shows_what_comes_of_it():
    about = "on 2026-11-22: what host files1 has in force"
    text = inventory.text(captured(tuned_igb(FILES)), "host", about)
    assert f"```yaml\n{text}```" in (Path(__file__).parents[2] / "docs/capture.md").read_text()


def test_every_line_of_every_file_is_accounted_for():
    """A value, a sentence, or one of those that set nothing."""
    device = tuned_igb(FILES)
    found = captured(device)
    for file in facts_of(device)["host"]["configured"]["files"]:
        told = " ".join([*found.left_out, *(item.origin for item in found.items)])
        assert file["file"] in told, file


def test_what_site_has_applied_is_captured_again_and_nobody_takes_our_files_over():
    """Otherwise values of which no default is known would be lost, and the others told to be in no file."""
    dropin = "/etc/systemd/system/linuxnet-tuning@igb0.service.d/30-ethtool.conf"
    device = tuned_igb(
        {
            dropin: f"{conf.HEADER}\n[Service]\n# ring: rx\nExecStart=-/usr/sbin/ethtool -G igb0 rx 4096\n",
            "/etc/sysctl.d/90-linuxnet-tuning.conf": f"{conf.HEADER}\nnet.ipv4.conf.igb0.rp_filter = 2\n",
            "/proc/sys/net/ipv4/conf/igb0/rp_filter": "2\n",
        }
    )
    found = captured(device)
    text = inventory.text(found, "host", "")
    assert f"      rx: 4096  # {dropin} line 4\n" in text
    assert "  net.ipv4.conf.igb0.rp_filter: 2  # /etc/sysctl.d/90-linuxnet-tuning.conf line 2\n" in text
    assert not found.left_out and not found.sources


def test_a_remark_stands_at_the_key_that_it_is_about():
    device = tuned_igb({"/etc/rc.local": "#!/bin/sh\nip link set dev igb0 txqueuelen 5000 mtu 1400\n"})
    facts = facts_of(device)
    facts["nics"]["igb0"].update(mtu=1400, txqueuelen=5000)
    items = {item.key: item for item in compose.Composer("files1", facts).capture().items}
    assert items["mtu"].notes == ()
    assert items["txqueuelen"].notes[0].startswith("txqueuelen: ")


def test_what_is_behind_a_link_and_a_nic_that_a_call_names_are_told():
    device = tuned_igb({})
    rule = 'ACTION=="add", KERNEL=="igb0", RUN+="/sbin/ethtool -G igb0 rx 4096"\n'
    device.host.disk.files.update(
        {
            "/etc/udev/rules.d/60-x.rules": rule,
            "/etc/udev/rules.d/70-same.rules": "# ethtool -G\n",
            "/etc/udev/rules.d/71-other.rules": "# ethtool -G\n",
            "/etc/rc.local": "#!/bin/sh\nethtool -G $1 rx 4096\nsysctl -w net.ipv4.ip_local_reserved_ports=30000\n",
            "/proc/sys/net/ipv4/ip_local_reserved_ports": "\n",
        }
    )
    device.host.disk.links.update(
        {"/etc/udev/rules.d/60-x.rules": "x.rules", "/etc/udev/rules.d/70-same.rules": "71-other.rules"}
    )
    told = captured(device).left_out
    assert "/etc/udev/rules.d/60-x.rules: not read, because it is a symbolic link" in told
    assert not any("70-same" in sentence for sentence in told)
    assert any("its NIC is $1, which only the call of the script tells" in sentence for sentence in told)
    assert any(sentence.endswith("ip_local_reserved_ports 30000, and in force is nothing") for sentence in told)


def test_secrets_stay_on_the_host_and_files_without_a_word_of_ours_too():
    files = facts_of(tuned_igb(FILES))["host"]["configured"]["files"]
    assert "hunter2" not in str(files)
    assert "password=(left out)" in next(file["text"] for file in files if file["file"].endswith("office"))
    assert not any(file["file"] == "/etc/cron.d/backup" for file in files)


@pytest.mark.parametrize("text", ["ethtool -G igb0 rx 4096\n" + "# long\n" * 20000, "# long\n" * 20000 + "ethtool\n"])
def test_a_file_that_is_too_large_is_told(text):
    device = tuned_igb({"/etc/rc.local": f"#!/bin/sh\n{text}"})
    assert "/etc/rc.local: not read, because it is too large" in captured(device).left_out


def test_what_is_in_force_wins_over_a_file():
    device = tuned_igb({"/etc/rc.local": "#!/bin/sh\nethtool -G igb0 rx 2048\n"})
    (item,) = captured(device).items
    assert (item.key, item.value, item.origin) == ("rx", 4096, "live only; /etc/rc.local line 2 says 2048")


def test_the_audit_has_its_say():
    parameters = {"net.ipv4.tcp_rmem": "4096 131072 8388608", "net.ipv4.tcp_wmem": "4096 16384 67108864"}
    # Those of a host with a busy connection of 200 ms.
    host = {"kernel": {"memory_kib": 16777216, "release": "6.1.0"}, "sockets": {"rtt_ms": 200}, "sysctl": parameters}
    nics = {"eth0": {"driver": "igb", "physical": True, "carrier": True, "speed": 1000}}
    found = compose.Composer("far", {"host": host, "nics": nics}).capture()
    assert {item.key: bool(item.notes) for item in found.items} == {
        "net.ipv4.tcp_rmem": True,
        "net.ipv4.tcp_wmem": False,
    }
    assert "audit, medium: " in inventory.text(found, "host", "")


def test_metrics_of_routes_are_somebodys_but_for_an_mtu():
    cells = {"default initcwnd": {"value": 30}, "default mtu": {"value": 1400}, "10.0.0.0/8 quickack": {"value": True}}
    nics = {"eth0": {"driver": "igb", "physical": True, "routes": cells}}
    files = [
        {"file": "/etc/rc.local", "text": "#!/bin/sh\nip route change default via 192.0.2.1 dev eth0 initcwnd 30\n"}
    ]
    found = compose.Composer("far", {"host": {"configured": {"files": files}}, "nics": nics}).capture()
    assert {item.key: item.origin for item in found.items} == {
        "default initcwnd": "/etc/rc.local line 2",
        "10.0.0.0/8 quickack": "live only: no file that was read sets it",
    }
    entry = {"routes": {"default initcwnd": 30, "10.0.0.0/8 quickack": True}}
    assert yaml.safe_load(inventory.text(found, "host", "")) == {"tuning_host_nics": [{"name": "eth0", **entry}]}


def test_what_site_would_change_is_left_out():
    found = captured(tuned_igb())
    other = {"before": {"nics": {"igb0": {"ring": {"rx": 512}}}}, "after": {"nics": {"igb0": {"ring": {"rx": 4096}}}}}
    left = compose.checked(found, other)
    assert not left.items
    assert left.left_out == ("igb0 ring rx 4096 was in force when the host was read, and a moment later it was 512",)
    clients = found._replace(
        items=(compose.Item("igb0", "multiq", "clients", ["192.168.32.1-18"], "rc.local line 12"),)
    )
    queues = {
        "before": {"nics": {"igb0": {"multiq": {"clients": []}}}},
        "after": {"nics": {"igb0": {"multiq": {"clients": ["x"]}}}},
    }
    assert compose.checked(clients, queues).left_out[-1] == (
        "rc.local line 12: it says igb0 multiq clients 192.168.32.1-18, and in force is none"
    )
    refused = {"before": {}, "unsupported": [{"nic": "igb0", "family": "ring", "key": "rx", "reason": "it cannot"}]}
    assert not compose.checked(found, refused).items
    broken = compose.checked(found, {"failed": True, "msg": "no way"})
    assert broken.items == found.items
    assert "no way" in inventory.text(broken, "host", "")


MODULES = {
    "/etc/modprobe.d/net.conf": (
        "options nf_conntrack hashsize=65536\noptions tcp_cubic hystart=0\noptions e1000e IntMode=1\n"
        "options igb RSS=4\noptions zfs zfs_arc_max=1\n"
    ),
    "/sys/module/nf_conntrack/initstate": "live\n",
    "/sys/module/nf_conntrack/parameters/hashsize": "65536\n",
    "/sys/module/tcp_cubic/initstate": "live\n",
    "/sys/module/tcp_cubic/parameters/hystart": "1\n",
    "/sys/module/e1000e/initstate": "live\n",
}


def test_parameters_of_modules_are_captured_as_far_as_site_leaves_them_alone():
    device = tuned_igb(MODULES)
    device.host.disk.modes = {path: 0o644 for path in MODULES if "/parameters/" in path}
    answers = device.run
    device.run = lambda argv, data="": (
        (0, "IntMode:Interrupt Mode (array of int)\n", "") if argv[0] == "modinfo" else answers(argv, data)
    )
    found = captured(device)
    files = facts_of(device)["host"]["configured"]["files"]
    assert [file["file"] for file in files] == ["/etc/modprobe.d/net.conf"]
    result = checked(device, found)
    kept = compose.checked(found, result)
    assert yaml.safe_load(inventory.text(kept, "host", ""))["tuning_host_module_parameters"] == {
        "nf_conntrack.hashsize": 65536,
        "e1000e.IntMode": 1,
    }
    assert "/etc/modprobe.d/net.conf line 2: it says tcp_cubic.hystart 0, and in force is 1" in kept.left_out
    assert not checked(device, kept)["changed"]
    lines, by_hand = take.files(kept, facts_of(device)["host"]["configured"])
    assert [sorted(one["lines"]) for one in lines] == [["1", "3"]] and not by_hand
