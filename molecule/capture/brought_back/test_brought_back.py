# SPDX-License-Identifier: GPL-3.0-or-later
"""Going back brings every file back, with its rights, and leaves none of ours."""


def test_files_are_what_they_were(host):
    assert host.run("sha256sum --check --quiet /root/files-by-hand").stdout == ""
    assert host.check_output("stat -c '%a %u %g %n' /etc/rc.local /usr/local/sbin/more-tuning") == host.check_output(
        "cat /root/rights-by-hand"
    )


def test_nothing_of_ours_is_left(host):
    assert host.check_output("find /etc /var/lib -name '*linuxnet*'") == ""
