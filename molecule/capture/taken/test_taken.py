# SPDX-License-Identifier: GPL-3.0-or-later
"""Seven files have lost their lines, as files of their kind; a copy of each lies aside."""


def test_lines_are_out(host):
    for path in host.check_output("awk '{ print $2 }' /root/files-by-hand").split():
        assert "taken over by linuxnet.tuning" in host.file(path).content_string, path
        assert host.file(f"/var/lib/linuxnet-tuning/taken{path}").exists


def test_what_is_left_is_sound(host):
    assert host.run("sh -n /etc/rc.local && sh -n /usr/local/sbin/more-tuning").rc == 0
    assert host.check_output("stat -c '%a %u %g %n' /etc/rc.local /usr/local/sbin/more-tuning") == host.check_output(
        "cat /root/rights-by-hand"
    )
    assert host.run("systemctl daemon-reload && systemctl restart by-hand.service").rc == 0
