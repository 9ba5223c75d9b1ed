# SPDX-License-Identifier: GPL-3.0-or-later
"""What is captured becomes files of an inventory: shared out over hosts and groups, readable, and never by mistake."""

from __future__ import annotations

import pytest
import yaml
from ansible.errors import AnsibleFilterError

from ansible_collections.linuxnet.tuning.plugins.filter.capture_files import capture_files
from ansible_collections.linuxnet.tuning.plugins.filter.capture_options import capture_options
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.capture import compose, inventory
from ansible_collections.linuxnet.tuning.tests.unit import test_capture


def fleet(*devices):
    return {f"files{number}": test_capture.facts_of(device) for number, device in enumerate(devices, 1)}


def test_what_hosts_share_goes_to_their_group():
    both = {"/proc/sys/net/core/rmem_max": "16777216\n"}
    facts = fleet(
        test_capture.tuned_igb(both), test_capture.tuned_igb({**both, "/proc/sys/net/core/wmem_max": "8388608\n"})
    )
    groups = {"all": list(facts), "servers": list(facts), "more": [*facts, "files3"]}
    files = {file["path"]: yaml.safe_load(file["content"]) for file in capture_files(facts, groups=groups)}
    assert files == {
        "group_vars/servers.yml": {
            "tuning_group_nics": [{"name": "igb0", "ring": {"rx": 4096}}],
            "tuning_group_sysctl": {"net.core.rmem_max": 16777216},
        },
        "host_vars/files1.yml": {},
        "host_vars/files2.yml": {"tuning_host_sysctl": {"net.core.wmem_max": 8388608}},
    }
    texts = {file["path"]: file["content"] for file in capture_files(facts, groups=groups)}
    assert "# All that it has in force is in group_vars/servers.yml, as the" in texts["host_vars/files1.yml"]
    # Others of the group have not been read, and may be other machines.
    assert [file["path"] for file in capture_files(facts, groups=groups, group="more")] == [
        "host_vars/files1.yml",
        "host_vars/files2.yml",
    ]


def test_a_group_that_the_inventory_lacks_is_refused():
    """No host would read its file, and the files of the hosts lack what is in it."""
    facts = fleet(test_capture.tuned_igb({}), test_capture.tuned_igb({}))
    with pytest.raises(AnsibleFilterError, match=r"no group .severs.; did you mean .servers.\? Nothing was written"):
        capture_files(facts, groups={"servers": list(facts)}, group="severs")


@pytest.mark.parametrize(
    ("existing", "path", "blocked"),
    [
        ({}, "host_vars/files1.yml", False),
        ({"host_vars/files1.yml": False}, "host_vars/files1.yml", True),
        ({"host_vars/files1.yaml": False}, "host_vars/files1.yaml", True),
        ({"host_vars/files1": True, "host_vars/files1.yml": False}, "host_vars/files1/tuning.yml", False),
        ({"host_vars/files1": True, "host_vars/files1/tuning.yml": False}, "host_vars/files1/tuning.yml", True),
    ],
)
def test_the_file_is_one_that_ansible_reads_and_is_not_written_over(existing, path, blocked):
    facts = fleet(test_capture.tuned_igb())
    (file,) = capture_files(facts, existing=existing)
    assert (file["path"], file["blocked"]) == (path, blocked)
    (file,) = capture_files(facts, existing=existing, overwrite=True)
    assert (file["path"], file["blocked"]) == (path, False)


def test_words_of_a_host_end_no_comment_and_start_no_template():
    evil = "igb0\u2028x: {{ lookup('pipe', 'id') }}"
    device = test_capture.tuned_igb({"/etc/rc.local": f"#!/bin/sh\nethtool -G '{evil}' rx 4096\n"})
    text = inventory.text(test_capture.captured(device), "host", "here\nx: 1")
    assert yaml.safe_load(text) == {"tuning_host_nics": [{"name": "igb0", "ring": {"rx": 4096}}]}
    # Nor does what is in force.
    facts = test_capture.facts_of(test_capture.tuned_igb())
    facts["host"].setdefault("managers", {})["tuned"] = {"profile": "{{ lookup('pipe', 'id') }}"}
    found = compose.Composer("files1", facts).capture()
    assert "lookup" not in str(yaml.safe_load(inventory.text(found, "host", "")))
    assert any("that Ansible would take for a template" in sentence for sentence in found.left_out)


def test_a_file_that_is_too_deep_is_left_out_and_the_others_count():
    deep = {"/etc/netplan/50.yaml": "mtu: " + "[" * 3000, "/etc/rc.local": "#!/bin/sh\nethtool -G igb0 rx 4096\n"}
    found = test_capture.captured(test_capture.tuned_igb(deep))
    assert [(item.key, item.value, item.origin) for item in found.items] == [("rx", 4096, "/etc/rc.local line 2")]
    assert [one for one in found.left_out if "not read: /etc/netplan/50.yaml" in one]


def test_equal_sentences_are_said_once_and_lines_are_counted_in_words():
    routes = "ip link set igb0 up\n"
    found = test_capture.captured(
        test_capture.tuned_igb({"/etc/rc.local": f"#!/bin/sh\nethtool -G igb0 rx 4096\n{routes * 10}"})
    )
    text = inventory.text(found._replace(left_out=(*found.left_out, "a line", "a line")), "host", "")
    assert text.count("#   - a line") == 1
    assert "/etc/rc.local: 10 lines that belong to another tool" in text
    found = test_capture.captured(
        test_capture.tuned_igb({"/etc/rc.local": f"#!/bin/sh\nethtool -G igb0 rx 4096\n{routes}"})
    )
    assert "/etc/rc.local: 1 line that belongs to another tool" in found.left_out


@pytest.mark.parametrize("wrong", [None, [], {"a": 1}, {"a": {}, "b": {}}])
def test_options_are_those_of_one_host(wrong):
    with pytest.raises(AnsibleFilterError, match="one host"):
        capture_options(wrong)


# Of e1000e, whose parameters nobody can read while it runs, and of a module that is not loaded.
