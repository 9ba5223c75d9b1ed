# SPDX-License-Identifier: GPL-3.0-or-later
"""Two runs at once, paths that somebody has tampered with, odd names, and changes that are temporary.

Most of them cut nothing off, so the time is that of one answer.
"""

from __future__ import annotations

from lab_faults import CHANGE, MOMENTS, SHARED, ask, held, hold, until
from releases import chosen

MTU = "cat /sys/class/net/igb0/mtu"
WINDOW = {"mtu_window_mtu": 1300, "mtu_window_nics": ["igb0"]}


def test_two_runs(fault):
    """Two runs at once"""
    hold(*MOMENTS["the first value is set"], seconds=15)
    first = fault.play(tuning_host_nics=CHANGE, tuning_guard_timeout=120)
    held()
    second = fault.play(tuning_host_nics=[{"name": "igb1", "mtu": 1700}], tuning_guard_timeout=120)
    assert (first.end(), second.end()) == (0, 0), first.output + second.output
    fault.strikes()
    fault.answers()
    # The second one has waited, and what it asks for is what holds in the end, without a trace of the first.
    assert ask("cat /sys/class/net/igb1/mtu").strip() == "1700"
    assert "RX:\t\t2" in ask("ethtool -l igb1").rpartition("Current")[2]
    assert fault.play(tuning_guard_timeout=120).end() == 0
    fault.is_as_before()
    fault.next_site_works("")


PLANTED = {
    "/var/lib/linuxnet-tuning": "mv {0} {0}.fault && mkdir /tmp/fault && ln -s /tmp/fault {0}",
    "/run/linuxnet-tuning/lock": "mv {0} {0}.fault && touch /tmp/fault && ln -s /tmp/fault {0}",
    "/etc/systemd/system/linuxnet-tuning@igb1.service.d/30-ethtool.conf": (
        "mv {0} {0}.fault && touch /tmp/fault && ln -s /tmp/fault {0}"
    ),
}


def test_symlinks(fault):
    """Symbolic links in the place of our files, one after the other"""
    for path, plant in PLANTED.items():
        ask(plant.format(path))
        try:
            play = fault.play(tuning_host_nics=CHANGE)
            assert play.end() != 0, path
            fault.strikes()
            fault.answers()
            assert ask("find /tmp/fault -type f -size +0 -o -mindepth 1") == ""
            assert ask(f"readlink {path}").strip() == "/tmp/fault"
        finally:
            ask(f"rm -rf {path} /tmp/fault && mv {path}.fault {path}")
    fault.is_as_before()
    fault.next_site_works("")


def test_private(fault):
    """State is for root only"""
    hold(*MOMENTS["the first value is set"])
    fault.play(tuning_host_nics=CHANGE, tuning_guard_timeout=120)
    held()
    folders = "/var/lib/linuxnet-tuning /run/linuxnet-tuning"
    assert "/guard/layers" in ask(f"find {folders}")
    assert ask(f"find {folders} ! -user root -o -perm /077") == ""
    assert fault.plays[0].end() == 0
    assert ask(f"find {folders} ! -user root -o -perm /077") == ""
    assert ask("find /etc/systemd/system /etc/sysctl.d -name '*linuxnet-tuning*' ! -type l -perm /022") == ""
    assert fault.play(tuning_guard_timeout=120).end() == 0
    fault.strikes()
    fault.answers()
    fault.is_as_before()
    fault.next_site_works("")


NAMES = ("a$b;c", "x-y.z", "..x")
# systemd 247 has udev give another name to a NIC with characters like these.
KEPT = [name for name in NAMES if chosen().name != "bullseye" or not set(name) & set("$;")]


def test_names(fault):
    """NICs with odd names"""
    for number, name in enumerate(NAMES):
        ask(f"ip link add '{name}' type veth peer name fault{number}; udevadm settle")
    try:
        play = fault.play(tuning_host_nics=[{"name": name, "mtu": 1400} for name in KEPT], tuning_guard_timeout=120)
        assert play.end() == 0, play.output
        for name in KEPT:
            device = f"systemd-escape --path '/sys/subsystem/net/devices/{name}'"
            unit = f"linuxnet-tuning@$({device} | sed s/^sys-subsystem-net-devices-//).service"
            assert ask(f'ls "/etc/systemd/system/{unit}.d"').split() == ["20-link.conf"]
            ask(f"ip link set dev '{name}' mtu 1500; systemctl restart \"{unit}\"")
            assert ask(f"cat '/sys/class/net/{name}/mtu'").strip() == "1400"
        assert fault.play(tuning_guard_timeout=120).end() == 0
        fault.strikes()
        fault.answers()
    finally:
        ask("for place in 0 1 2; do ip link delete dev fault$place; done")
    fault.is_as_before()
    fault.next_site_works("")


def test_window(fault):
    """An MTU for 15 s, with the controller gone"""
    play = fault.play("linuxnet.tuning.mtu_window", mtu_window_seconds=15, tuning_guard_timeout=120, **WINDOW)
    until(f"test $({MTU}) = 1300")
    fault.strikes()
    play.kill()
    until(f"test $({MTU}) = 1500", 60)
    # The value first, and its layer after it.
    until("! grep -qs ^layer /var/lib/linuxnet-tuning/guard/layers", 10)
    # Nobody confirmed the change, but it ended as it was meant to, which is no news.
    fault.answers()
    fault.is_as_before()
    fault.next_site_works("")


def test_window_ends(fault):
    """A run of site ends a window, whose MTU below 1280 had taken IPv6 away"""
    ask("ip -6 address add fd00:77::1/64 dev igb0 nodad && ip -6 route add fd00:78::/64 via fd00:77::2")
    play = fault.play(
        "linuxnet.tuning.mtu_window",
        mtu_window_seconds=600,
        tuning_guard_timeout=120,
        **{**WINDOW, "mtu_window_mtu": 1000},
    )
    assert play.end() == 0, play.output
    assert ask(MTU).strip() == "1000"
    assert ask("ip -6 route show fd00:78::/64") == ""
    ask("systemctl -q is-active linuxnet-tuning-window.service")
    play = fault.play(tuning_host_nics=[{"name": "igb0", "mtu": 1500}], tuning_guard_timeout=120)
    assert play.end() == 0, play.output
    assert ask("systemctl show -p ActiveState --value linuxnet-tuning-window.service").strip() == "inactive"
    assert "via fd00:77::2 dev igb0" in ask("ip -6 route show fd00:78::/64")
    ask("ip -6 address del fd00:77::1/64 dev igb0")
    assert fault.play(tuning_guard_timeout=120).end() == 0
    fault.strikes()
    fault.answers()
    fault.is_as_before()
    fault.next_site_works("")


def test_window_boot(fault):
    """A power cut in the middle of a window"""
    play = fault.play("linuxnet.tuning.mtu_window", mtu_window_seconds=600, tuning_guard_timeout=120, **WINDOW)
    assert play.end() == 0, play.output
    fault.loses_power()
    fault.answers()
    assert ask(MTU).strip() == "1500"
    until("! grep -qs ^layer /var/lib/linuxnet-tuning/guard/layers", 10)
    fault.is_as_before()
    fault.next_site_works("")


def test_two_windows(fault):
    """Two MTU windows of one NIC, of 45 s and of 90 s"""
    for seconds, mtu in ((45, 1300), (90, 1400)):
        play = fault.play("linuxnet.tuning.mtu_window", **{**WINDOW, "mtu_window_mtu": mtu}, mtu_window_seconds=seconds)
        assert play.end() == 0, play.output
    begun = float(ask("cut -d' ' -f1 /proc/uptime"))
    assert ask(MTU).strip() == "1400"
    until('! grep -qs "after.: 1300" /var/lib/linuxnet-tuning/guard/layers', 60)
    assert ask(MTU).strip() == "1400"
    until(f"test $({MTU}) = 1500", 100)
    fault.strikes()
    assert float(ask("cut -d' ' -f1 /proc/uptime")) - begun > 60
    fault.answers()
    fault.is_as_before()
    fault.next_site_works("")


def test_window_closed(fault):
    """A run that closes a window and is not confirmed"""
    play = fault.play("linuxnet.tuning.mtu_window", mtu_window_seconds=150, tuning_guard_timeout=120, **WINDOW)
    assert play.end() == 0, play.output
    play = fault.play(SHARED / "unconfirmed.yml", tuning_host_nics=[{"name": "igb0", "mtu": 1500}])
    until(f"test $({MTU}) = 1500")
    until(f"test $({MTU}) = 1300")
    play.kill()
    until(f"test $({MTU}) = 1500", 170)
    fault.strikes()
    fault.answers()
    fault.is_as_before()
    fault.next_site_works()


def test_watch(fault):
    """A value that somebody changes on a host that is watched"""
    length, notes = "cat /sys/class/net/igb1/tx_queue_len", "journalctl -q -o cat -u linuxnet-tuning-watch"
    play = fault.play(tuning_watch=True, tuning_guard_timeout=120)
    assert play.end() == 0, play.output
    # The timer waits until five minutes after the boot; the first look has nothing to say.
    ask("systemctl start linuxnet-tuning-watch && test -e /run/linuxnet-tuning-watch/linuxnet-tuning-watched")
    assert "igb1" not in ask(notes)
    ask("logger -t somebody it is me who sets igb1; ip link set dev igb1 txqueuelen 7 mtu 1600")
    fault.strikes()
    ask("systemctl start linuxnet-tuning-watch")
    assert ask(length).strip() == "2000"
    told = ask(notes)
    assert "igb1 txqueuelen is 7, and was 2000; it changed since" in told
    assert "somebody: it is me who sets igb1" in told
    assert "Put back." in told
    ask("! grep -qs ^layer /var/lib/linuxnet-tuning/guard/layers")
    play = fault.play(tuning_watch=False, tuning_guard_timeout=120)
    assert play.end() == 0, play.output
    assert "tuning-watch" not in ask("ls /etc/systemd/system /usr/local/sbin /etc")
    fault.answers()
    fault.is_as_before()
    fault.next_site_works("")
