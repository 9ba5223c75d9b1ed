# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a measurement runs: in the network namespace of the call, if systemd knows how."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import schema
from ansible_collections.linuxnet.tuning.plugins.module_utils.measuring import session
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import transient
from ansible_collections.linuxnet.tuning.tests.unit import memory_host


def host_of(said: str, ours: str = "net:[1]") -> schema.Reader:
    """A host whose systemctl says this, with the links of two network namespaces."""

    def run(argv, _data):
        assert argv == ("systemctl", "--version")
        return 0, said, ""

    disk = memory_host.Files()
    disk.links.update({"/proc/self/ns/net": ours, "/proc/1/ns/net": "net:[1]", "/proc/self": "77"})
    return memory_host.connect(disk, run, True)


# As RHEL 8 and Debian 12 say it.
RHEL_8 = "systemd 239 (239-82.el8)\n+PAM +AUDIT +SELINUX +IMA\n"
DEBIAN_12 = "systemd 252 (252.39-1~deb12u1)\n+PAM +AUDIT +SELINUX +APPARMOR\n"


def test_version():
    assert [transient.version(host_of(said)) for said in (RHEL_8, DEBIAN_12, "")] == [239, 252, 0]


@pytest.mark.parametrize("said", [RHEL_8, DEBIAN_12])
def test_a_host_like_any_other_needs_nothing_new(said):
    assert session._namespace(host_of(said)) == ""
    argv = transient.service("u", "about", 90, ["a"], ["b"], "").argv
    assert not any("NetworkNamespacePath" in word for word in argv)


def test_an_old_systemd_cannot_enter_a_namespace_and_says_so():
    assert session._namespace(host_of(DEBIAN_12, "net:[2]")) == "/proc/77/ns/net"
    with pytest.raises(schema.TuningError, match="systemd before 242"):
        session._namespace(host_of(RHEL_8, "net:[2]"))
