# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines leave the files by which a host was tuned by hand, the rest means what it meant, and all of it comes back."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ansible_collections.linuxnet.tuning.plugins.filter.capture_options import capture_options
from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import guard
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import InputError
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import taken
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.capture import compose, take
from ansible_collections.linuxnet.tuning.tests.unit import case_files, memory_host, test_capture

GUIDES = sorted((Path(__file__).parent / "cases/guide").glob("shell-*.yml"))
RC = "#!/bin/sh -e\nif [ -e /sys/class/net/igb0 ]; then\n  ethtool -G igb0 rx 4096\nfi\nexit 0\n"


def host_of(files, rights=None):
    disk = memory_host.Files({**files, "/run/systemd/system/.": ""})
    disk.rights.update(rights or {})
    return memory_host.MemoryHost(lambda _argv, _data="": (0, "", ""), disk)


def call(host, **params):
    given = {name: option.get("default") for name, option in engine.argument_spec("take_over").items()}
    return engine.tune(host, "take_over", {**given, **params})


def test_the_file_without_the_line_and_back():
    host = host_of({"/etc/rc.local": RC}, {"/etc/rc.local": (0o755, 0)})
    files = [{"path": "/etc/rc.local", "lines": {"3": "  ethtool -G igb0 rx 4096"}}]
    result = call(host, files=files)
    assert result["changed"] and result["guard"] == 120
    taken_out = RC.replace("  ethtool", f"  : {taken.MARK}ethtool")
    assert host.disk.files["/etc/rc.local"] == taken_out
    assert host.disk.files["/var/lib/linuxnet-tuning/taken/etc/rc.local"] == RC
    assert " 755 /etc/rc.local" in host.disk.files["/var/lib/linuxnet-tuning/guard/layers"]
    guard.serve(host, "confirmed", False)
    assert not call(host, files=files)["changed"]
    result = call(host, state="restored")
    assert result["changed"]
    assert host.disk.files["/etc/rc.local"] == RC
    assert not any(path.startswith(taken.COPIES) for path in host.disk.files)


@pytest.mark.parametrize("mode", [0o755, 0o640])
def test_a_file_that_is_deleted_meanwhile_comes_back_for_root_alone(mode):
    host = host_of({"/etc/rc.local": RC}, {"/etc/rc.local": (mode, 0)})
    call(host, files=[{"path": "/etc/rc.local", "lines": {"3": "  ethtool -G igb0 rx 4096"}}])
    guard.serve(host, "confirmed", False)
    del host.disk.files["/etc/rc.local"], host.disk.rights["/etc/rc.local"]
    call(host, state="restored")
    assert (host.disk.files["/etc/rc.local"], host.rights("/etc/rc.local")) == (RC, (mode & 0o700, 0))


def test_a_file_that_is_protected_is_named_with_the_way_out():
    host = host_of({"/etc/rc.local": RC})
    host.disk.refused["/etc/rc.local"] = "Operation not permitted"
    result = call(host, files=[{"path": "/etc/rc.local", "lines": {"3": "ethtool -G igb0 rx 4096"}}])
    assert result["failed"] and host.disk.files["/etc/rc.local"] == RC
    assert result["msg"] == (
        "/etc/rc.local was not changed: `write /etc/rc.local` said: Operation not permitted. Remove what protects the "
        "file (lsattr shows whether it is immutable), and capture the host again. All changes of this call were rolled "
        "back."
    )


UNIT = "[Service]\nExecStart=/sbin/ethtool -G igb0 rx 4096\nRemainAfterExit=yes"


@pytest.mark.parametrize(
    ("path", "text", "number"),
    [
        ("/etc/rc.local", RC, 3),
        ("/etc/rc.local", RC.replace("\n", "\r\n"), 3),
        ("/etc/rc.local", "#!/bin/sh\n\tethtool -G igb0 rx 4096 \t", 2),
        ("/etc/sysctl.d/9.conf", "net.core.a = 1\r\nnet.core.b = 2", 2),
        ("/etc/sysctl.d/9.conf", "# one \xe4\udce4\rnet.core.b = 2\r", 2),
        ("/etc/systemd/system/x.service", UNIT, 2),
        ("/etc/systemd/system/x.service", UNIT.replace("\n", "\r\n"), 2),
    ],
)
def test_every_byte_comes_back_and_what_somebody_changed_since_stays(path, text, number):
    host = host_of({path: text})
    files = [{"path": path, "lines": {str(number): host.read(path).split("\n")[number - 1]}}]
    call(host, files=files)
    guard.serve(host, "confirmed", False)
    made = host.disk.files[path]
    assert made != text and sorted(set(taken._ENDS.findall(made))) == sorted(set(taken._ENDS.findall(text)))
    host.disk.files[path] = f"# mine\n{made}"
    assert call(host, state="restored")["changed"]
    assert host.disk.files[path] == f"# mine\n{text}"
    assert not any(name.startswith(taken.COPIES) for name in host.disk.files)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([{"path": "/etc/rc.local", "lines": {"3": "ethtool -G igb0 rx 1"}}], "capture the host again"),
        ([{"path": "/etc/rc.local", "lines": {"2": "if [ -e /sys/class/net/igb0 ]; then"}}], "separate command"),
        ([{"path": "/etc/none", "lines": {"1": "x"}}], "not a readable file"),
        ([{"path": "/etc/../etc/rc.local", "lines": {"1": "x"}}], "not valid"),
        ([{"path": "/etc/rc.local", "lines": ["x"]}], "not valid"),
        ([{"path": "/etc/rc.local"}], "not valid"),
    ],
)
def test_what_cannot_be_taken_is_an_error_and_touches_nothing(files, message):
    host = host_of({"/etc/rc.local": RC})
    with pytest.raises(InputError, match=message):
        call(host, files=files)
    assert host.disk.files["/etc/rc.local"] == RC


def test_a_link_is_left_alone():
    host = host_of({"/etc/rc.local": RC})
    host.disk.links["/etc/rc.local"] = "rc.local"
    with pytest.raises(InputError, match="not a readable file"):
        call(host, files=[{"path": "/etc/rc.local", "lines": {"3": "ethtool -G igb0 rx 4096"}}])
    assert host.disk.files["/etc/rc.local"] == RC


def test_a_file_of_somebody_else_is_left_alone():
    host = host_of({"/home/u/x.sh": RC}, {"/home/u/x.sh": (0o700, 1000)})
    with pytest.raises(InputError, match="does not belong to root"):
        call(host, files=[{"path": "/home/u/x.sh", "lines": {"3": "ethtool -G igb0 rx 4096"}}])


@pytest.mark.parametrize(
    ("path", "text", "number", "out"),
    [
        ("/etc/sysctl.d/9.conf", "a.b = 1\nnet.core.x = 2\n", 2, f"a.b = 1\n{taken.MARK}net.core.x = 2\n"),
        (
            "/etc/systemd/system/x.service",
            "[Service]\nExecStart=/sbin/ethtool -G igb0 rx 4096\n",
            2,
            f"[Service]\n{taken.MARK}ExecStart=/sbin/ethtool -G igb0 rx 4096\nExecStart=/bin/true\n",
        ),
        (
            "/x",
            "#!/bin/sh\necho 4 > /proc/sys/net/core/x\n",
            2,
            f"#!/bin/sh\n: {taken.MARK}echo 4 > /proc/sys/net/core/x\n",
        ),
        (
            "/x",
            "#!/bin/sh\nsysctl -w a=1 >/dev/null 2>&1 || true\n",
            2,
            f"#!/bin/sh\n: {taken.MARK}sysctl -w a=1 >/dev/null 2>&1 || true\n",
        ),
        ("/x", "#!/bin/sh\nsysctl -w a=1 && reboot\n", 2, None),
        ("/x", "#!/bin/sh\nsysctl -w \\\n a=1\n", 2, None),
        ("/x", "#!/bin/sh\ncat > /y <<EOF\nsysctl -w a=1\nEOF\n", 3, None),
        ("/etc/netplan/x.yaml", "network:\n  mtu: 9000\n", 2, None),
        (
            "/etc/systemd/system/x.service",
            "[Service]\nExecStart=/sbin/ethtool -G igb0 rx 4096",
            2,
            f"[Service]\n{taken.MARK}ExecStart=/sbin/ethtool -G igb0 rx 4096\nExecStart=/bin/true",
        ),
        ("/etc/systemd/system/x.service", "[Service]\nExecStop=/sbin/ethtool -G igb0 rx 256\n", 2, None),
        ("/x", "#!/bin/sh\nsysctl -w a=1 \\\n b=2\n", 3, None),
        ("/x", "#!/bin/sh\necho 'one\nsysctl -w a=1\n'\n", 3, None),
        ("/x", "#!/bin/sh\nsysctl -w a='1\n2'\n", 2, None),
        ("/x", "#!/bin/sh\nif true; then\n", 2, None),
        # A word behind it that begins no here document.
        ("/x", "#!/bin/sh\ncat <<< EOF\nsysctl -w a=1\n", 3, f"#!/bin/sh\ncat <<< EOF\n: {taken.MARK}sysctl -w a=1\n"),
        ("/x", "#!/bin/sh\necho it\\'s\nsysctl -w a=1\n", 3, f"#!/bin/sh\necho it\\'s\n: {taken.MARK}sysctl -w a=1\n"),
        ("/x", "#!/bin/sh\n: # it's\nsysctl -w a=1\n", 3, f"#!/bin/sh\n: # it's\n: {taken.MARK}sysctl -w a=1\n"),
    ],
)
def test_each_form_of_file(path, text, number, out):
    line = text.split("\n")[number - 1]
    made, stuck = taken.out(path, text, {number: line})
    assert (made if out else bool(stuck)) == (out or True)
    assert stuck or taken.out(path, made, {number: line})[0] == made


def sound(text):
    return subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.stem)
def test_a_script_stays_one(path):
    text = "#!/bin/bash\n" + case_files.read(path)["text"]
    if not sound(text):
        pytest.skip("the script is broken as it is")
    lines = dict(enumerate(text.splitlines(), 1))
    whole, _stuck = taken.out("/x.sh", text, {number: line for number, line in lines.items() if line.strip()})
    assert sound(whole), whole


def test_the_capture_names_the_lines_that_the_inventory_stands_for():
    lines = ["#!/bin/sh", "ethtool -G igb0 rx 2048", "ethtool -G igb0 rx 4096", "ethtool -K igb0 gro off"]
    script = "\n".join([*lines, "modprobe igb; ethtool -G igb0 rx 4096", ""])
    device = test_capture.tuned_igb({"/etc/rc.local": script, "/etc/sysctl.d/1.conf": "net.core.wmem_max=8388608\n"})
    made = capture_options({"files1": test_capture.facts_of(device)})
    # Of two lines that contradict each other both would set the value again; what is not in force is nobody's.
    assert made["files"] == [
        {"path": "/etc/rc.local", "lines": {"2": "ethtool -G igb0 rx 2048", "3": "ethtool -G igb0 rx 4096"}}
    ]
    assert made["by_hand"] == ["/etc/rc.local line 5: it does something else as well"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"root": False}, "the file does not belong to root"),
        ({"text": "#!/bin/sh\n# somebody was faster\n"}, "capture the host again"),
    ],
)
def test_the_capture_names_files_that_the_call_would_refuse(change, why):
    facts = test_capture.facts_of(test_capture.tuned_igb({"/etc/rc.local": "#!/bin/sh\nethtool -G igb0 rx 4096\n"}))
    found = compose.Composer("files1", facts).capture()
    (file,) = facts["host"]["configured"]["files"]
    files, (sentence,) = take.files(found, {"files": [{**file, **change}]})
    assert not files
    assert sentence.startswith("/etc/rc.local line 2: ") and sentence.endswith(why)
