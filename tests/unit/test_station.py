# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs in the background on hosts: clients begin together, who is missing is named, and all is taken back."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from ansible_collections.linuxnet.tuning.plugins.module_utils.measuring import gate, session, station
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import iperf3


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def python(text):
    return [sys.executable, "-c", text]


def config(name, **words):
    default = {"prepare": [], "servers": [], "ports": [], "gate": None, "steps": [], "watch": [], "secret": "word"}
    return {"name": name, "stagger": 0.05, "patience": 20, **default, **words}


def keeper(port, hosts, patience=20):
    steps = [{"id": "1", "hosts": hosts, "limit": 5, "staggered": True}]
    return config("keeper", patience=patience, gate={"port": port, "steps": steps}, watch=[["echo", "counted"]])


def client(name, port, argv, retries=0):
    step = {"id": "1", "gate": ["127.0.0.1", port], "commands": [argv], "limit": 5, "retries": retries, "busy": "BUSY"}
    return config(name, steps=[step])


def run(folder, words):
    """A station in a thread of its own, in its own folder."""
    folder_ = folder / words["name"]
    folder_.mkdir()
    (folder_ / "config.json").write_text(json.dumps(words))
    thread = threading.Thread(target=station.main, args=(["run", str(folder_)],), daemon=True)
    thread.start()
    return thread


def read(folder, name):
    return json.loads((folder / name).read_text())


def ready(folder):
    while not (folder / "keeper/ready.json").exists():
        time.sleep(0.05)


def test_clients_begin_together_however_late_one_of_them_comes(tmp_path):
    port = free_port()
    threads = [run(tmp_path, keeper(port, ["pc1", "pc2"])), run(tmp_path, client("pc1", port, ["echo", "one"]))]
    ready(tmp_path)
    # Somebody else who finds the port open is no client.
    with socket.create_connection(("127.0.0.1", port)) as stranger:
        stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
    time.sleep(0.7)
    assert not (tmp_path / "pc1/step-1.json").exists()
    late = time.time()
    threads.append(run(tmp_path, client("pc2", port, ["echo", "two"])))
    for thread in threads:
        thread.join(30)
    first, second = (read(tmp_path, f"{name}/step-1.json") for name in ("pc1", "pc2"))
    assert min(first["began"], second["began"]) >= late
    assert (first["runs"][0]["out"], second["runs"][0]["out"]) == ("one\n", "two\n")
    assert all((tmp_path / name / "done.json").exists() for name in ("keeper", "pc1", "pc2"))


def test_both_ends_look_in_the_middle_of_a_step(tmp_path):
    port = free_port()
    keeping, coming = keeper(port, ["pc1"]), client("pc1", port, python("import time; time.sleep(2.5)"))
    for one in (keeping["gate"], coming):
        one["steps"][0]["sample"] = 0.3
    keeping["gate"]["steps"].append({"id": "end", "hosts": ["pc1"], "limit": 5, "staggered": False})
    coming["steps"].append({**coming["steps"][0], "id": "end", "commands": [], "sample": 0})
    threads = [run(tmp_path, {**words, "sample": [["echo", "seen"], ["nosuch"]]}) for words in (keeping, coming)]
    for thread in threads:
        thread.join(30)
    for name in ("keeper", "pc1"):
        noted = read(tmp_path, f"{name}/sample-1.json")
        first, second = noted["answers"]
        assert 0.3 <= first["at"] - noted["begun"] <= second["at"] - noted["begun"] < 2.5
        assert (first["out"], second["out"]) == ("seen\n", "")
        assert not (tmp_path / name / "sample-end.json").exists()


def test_a_client_that_does_not_come_is_named_to_all(tmp_path):
    port = free_port()
    threads = [
        run(tmp_path, keeper(port, ["pc1", "pc2"], patience=1)),
        run(tmp_path, client("pc1", port, ["echo", "one"])),
    ]
    for thread in threads:
        thread.join(30)
    for name in ("keeper", "pc1"):
        assert read(tmp_path, f"{name}/failed.json") == {"error": "pc2 was not ready within 1 s"}
    assert not (tmp_path / "pc1/step-1.json").exists()


def test_a_busy_server_is_tried_again(tmp_path):
    port, note = free_port(), tmp_path / "tries"
    argv = python(f"import os; p = {str(note)!r}; print('free' if os.path.exists(p) else 'BUSY'); open(p, 'w')")
    threads = [run(tmp_path, keeper(port, ["pc1"])), run(tmp_path, client("pc1", port, argv, retries=2))]
    for thread in threads:
        thread.join(30)
    assert read(tmp_path, "pc1/step-1.json")["runs"][0]["out"] == "free\n"


def test_a_run_without_end_is_cut_off(tmp_path):
    port = free_port()
    words = client("pc1", port, ["sleep", "60"])
    words["steps"][0]["limit"] = 0.2
    threads = [run(tmp_path, keeper(port, ["pc1"])), run(tmp_path, words)]
    for thread in threads:
        thread.join(30)
    assert read(tmp_path, "pc1/step-1.json")["runs"][0]["late"]


def test_a_server_that_cannot_start_says_why(tmp_path):
    words = config("hub", servers=[python("print('unable to start listener: Address already in use')")], ports=[1])
    run(tmp_path, words).join(30)
    error = read(tmp_path, "hub/failed.json")["error"]
    assert error == "the iperf3 server on port 1 ended at once: unable to start listener: Address already in use"


def test_a_port_of_another_program_is_not_measured_with(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        run(tmp_path, config("hub", servers=[["sleep", "9"]], ports=[port])).join(30)
    assert f"port {port} is in use by another program" in read(tmp_path, "hub/failed.json")["error"]


def test_a_gate_that_fails_is_no_success(tmp_path, monkeypatch):
    def fail(_gate, _step, _deadline):
        raise RuntimeError("on purpose")

    monkeypatch.setattr(gate.Gate, "gather", fail, raising=True)
    run(tmp_path, keeper(free_port(), ["pc1"])).join(30)
    assert "the gate has failed: RuntimeError('on purpose')" in read(tmp_path, "keeper/failed.json")["error"]
    assert not (tmp_path / "keeper/done.json").exists()


def test_nonsense_at_the_gate_is_nobody(tmp_path):
    port = free_port()
    threads = [run(tmp_path, keeper(port, ["pc1"]))]
    ready(tmp_path)
    with socket.create_connection(("127.0.0.1", port)) as stranger:
        stranger.sendall(b"[" * 999 + b"\n")
    threads.append(run(tmp_path, client("pc1", port, ["echo", "one"])))
    for thread in threads:
        thread.join(30)
    assert (tmp_path / "keeper/done.json").exists()


def test_a_host_whose_servers_send_counts_from_gate_to_gate(tmp_path):
    port, server_port, count = free_port(), free_port(), tmp_path / "count"
    count.write_text("1")
    steps = [{"id": name, "hosts": ["files"], "limit": 5, "staggered": False} for name in ("1", "end")]
    argv = python(f"import socket, time; s = socket.create_server(('', {server_port})); time.sleep(9)")
    mine = [
        {"id": name, "gate": ["127.0.0.1", port], "commands": [], "limit": 5, "retries": 0, "busy": ""}
        for name in ("1", "end")
    ]
    watch = [["cat", str(count)]]
    threads = [
        run(tmp_path, config("keeper", gate={"port": port, "steps": steps})),
        run(tmp_path, config("files", servers=[argv], ports=[server_port], steps=mine, watch=watch)),
    ]
    for thread in threads:
        thread.join(30)
    noted = read(tmp_path, "files/gate-1.json")
    assert (noted["before"][0]["out"], noted["after"][0]["out"]) == ("1", "1")


def test_files_are_written_and_caches_dropped_before_the_gate(tmp_path, monkeypatch):
    port, caches, files = free_port(), tmp_path / "drop_caches", tmp_path / "written"
    monkeypatch.setattr(station, "_CACHES", str(caches))
    words = client("pc1", port, ["cat", str(caches), str(files)])
    words["steps"][0].update(before=[["sh", "-c", f"echo all > {files}"]], drop_caches=True)
    threads = [run(tmp_path, keeper(port, ["pc1"])), run(tmp_path, words)]
    for thread in threads:
        thread.join(30)
    assert read(tmp_path, "pc1/step-1.json")["runs"][0]["out"] == "3all\n"


def test_caches_that_cannot_be_dropped_and_files_that_cannot_be_written_are_said(tmp_path, monkeypatch):
    monkeypatch.setattr(station, "_CACHES", str(tmp_path / "no/such"))
    keeping = keeper(free_port(), [])
    keeping["gate"]["steps"][0]["drop_caches"] = True
    run(tmp_path, keeping).join(30)
    assert "the page cache cannot be dropped" in read(tmp_path, "keeper/failed.json")["error"]
    words = client("pc1", free_port(), ["echo"])
    words["steps"][0]["before"] = [["sh", "-c", "echo no space left >&2; exit 1"]]
    run(tmp_path, words).join(30)
    assert "no space left" in read(tmp_path, "pc1/failed.json")["error"]


def test_a_host_that_cannot_be_prepared_starts_nothing(tmp_path):
    words = config("hub", prepare=[{"run": ["ls", "/no/such/folder"]}], servers=[["touch", str(tmp_path / "started")]])
    run(tmp_path, words).join(30)
    assert "No such file" in read(tmp_path, "hub/failed.json")["error"]
    assert not (tmp_path / "started").exists()


def test_a_gate_that_is_not_there_is_named(tmp_path):
    port = free_port()
    words = {**client("pc1", port, ["echo"]), "patience": 0}
    run(tmp_path, words).join(30)
    assert f"the gate at 127.0.0.1 port {port} cannot be reached" in read(tmp_path, "pc1/failed.json")["error"]


def test_undo_finds_what_is_ours_and_goes_on_after_a_failure(tmp_path, capsys):
    governor = tmp_path / "scaling_governor"
    governor.write_text("performance")
    listing = 'tcp dport 5201 accept comment "ours" # handle 7\ntcp dport 22 accept # handle 3\n'
    actions = [
        {"run": ["false"]},
        {
            "find": ["printf", listing],
            "pattern": 'comment "ours" # handle (\\d+)',
            "run": ["touch", str(tmp_path / "deleted-{}")],
        },
        {"write": str(governor), "text": "powersave"},
    ]
    (tmp_path / "undo.json").write_text(json.dumps(actions))
    assert station.main(["undo", str(tmp_path)]) == 1
    assert governor.read_text() == "powersave"
    assert [path.name for path in tmp_path.glob("deleted-*")] == ["deleted-7"]
    assert "false" in capsys.readouterr().err


def test_the_program_runs_by_itself(tmp_path):
    """As on a host: a few files, and nothing else of the collection."""
    (tmp_path / "measuring").mkdir()
    for path, text in session.programs(probes=False).items():
        (tmp_path / path).write_text(text)
    (tmp_path / "config.json").write_text(json.dumps(config("alone")))
    argv = [sys.executable, "-I", str(tmp_path), "run", str(tmp_path)]
    assert subprocess.run(argv, check=False).returncode == 0
    assert (tmp_path / "done.json").exists()


def test_a_stranger_who_takes_his_time_holds_nobody_up(tmp_path):
    port = free_port()
    threads = [run(tmp_path, keeper(port, ["pc1", "pc2"], patience=60))]
    ready(tmp_path)
    strangers = [socket.create_connection(("127.0.0.1", port)) for _number in range(20)]
    for stranger in strangers:
        stranger.sendall(b"[")
    threads += [run(tmp_path, client(name, port, ["echo", name])) for name in ("pc1", "pc2")]
    for thread in threads:
        thread.join(30)
    assert (tmp_path / "keeper/done.json").exists()
    for stranger in strangers:
        stranger.close()


# Of the name nobody but the clients knows the secret.
FORGED = (b'["1", "pc1"]\n', b'["1", "pc1", ""]\n', b'["1", "pc1", "sword"]\n')


def open_files():
    return len(list(Path("/proc/self/fd").iterdir()))


def forge(port, text):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(text)
    return connection


def test_a_crowd_at_the_gate_throws_nobody_out(tmp_path, monkeypatch):
    """Neither of those who say nothing, nor of those whom nobody expects and who would stay open files for ever."""
    monkeypatch.setattr(gate, "_NAMELESS", 100)
    port = free_port()
    threads = [run(tmp_path, keeper(port, ["pc1"], patience=60))]
    ready(tmp_path)
    files = open_files()
    crowd = [forge(port, b'["x%d", "pc1", "word"]\n' % number * (number % 2)) for number in range(500)]
    time.sleep(2)
    # Ours are these 500; those of the gate are few.
    assert open_files() < files + 500 + 100 + gate._AT_ONCE + 20
    threads.append(run(tmp_path, client("pc1", port, ["echo", "one"])))
    for thread in threads:
        thread.join(30)
    assert (tmp_path / "keeper/done.json").exists()
    for stranger in crowd:
        stranger.close()


def test_a_stranger_in_the_name_of_a_client_throws_nobody_out(tmp_path):
    port = free_port()
    threads = [run(tmp_path, keeper(port, ["pc1", "pc2"]))]
    ready(tmp_path)
    forged = [forge(port, text) for text in FORGED * 9]
    threads.append(run(tmp_path, client("pc1", port, ["echo", "one"])))
    time.sleep(0.7)
    forged += [forge(port, text) for text in FORGED]
    time.sleep(0.3)
    threads.append(run(tmp_path, client("pc2", port, ["echo", "two"])))
    for thread in threads:
        thread.join(30)
    assert [read(tmp_path, f"{name}/step-1.json")["runs"][0]["out"] for name in ("pc1", "pc2")] == ["one\n", "two\n"]
    for stranger in forged:
        stranger.close()


def test_a_greeting_may_come_in_parts(tmp_path):
    port = free_port()
    thread = run(tmp_path, keeper(port, ["pc1"]))
    ready(tmp_path)
    with socket.create_connection(("127.0.0.1", port)) as slow:
        for part in (b'["1", ', b'"pc1", "word"]', b"\n"):
            slow.sendall(part)
            time.sleep(0.2)
        assert slow.recv(10) == b"go\n"
    thread.join(30)


def test_what_a_station_tries_again_is_what_the_parser_calls_busy():
    nothing, goodbye = '{"start": {"connected": []}, "end": {}}\n', "iperf3: error - unable to send control message: "
    for said, busy in (
        ("iperf3: error - the server is busy running a test. try again later", True),
        (f"{nothing}{goodbye}Connection reset by peer", True),
        (f"{nothing}{goodbye}Bad file descriptor", False),
        (f'{{"start": {{"connected": [{{"socket": 5}}]}}}}\n{goodbye}Connection reset by peer', False),
    ):
        assert bool(re.search(iperf3.BUSY, said)) == busy
