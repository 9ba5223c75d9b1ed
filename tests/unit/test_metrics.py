# SPDX-License-Identifier: GPL-3.0-or-later
"""The metrics of a host: what is written, what alerts and dashboard ask for, and that a real Prometheus reads it."""

from __future__ import annotations

import json
import re
import shutil
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import ExitStack
from pathlib import Path

import pytest
import yaml

from ansible_collections.linuxnet.tuning.plugins.plugin_utils import archive
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.metrics import exposition

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "roles/metrics/files"
ALERTS = [rule for group in yaml.safe_load((FILES / "alerts.yml").read_text())["groups"] for rule in group["rules"]]
DASHBOARD = json.loads((FILES / "dashboard.json").read_text())
PANELS = {panel["title"]: panel for panel in DASHBOARD["panels"]}
QUERIES = [target["expr"] for panel in PANELS.values() for target in panel["targets"]]
KNOWN = {exposition.PREFIX + name for name in exposition.METRICS}


def named(expression):
    return set(re.findall(rf"{exposition.PREFIX}\w+", expression))


@pytest.mark.parametrize("expression", [*QUERIES, *(rule["expr"] for rule in ALERTS)])
def test_every_query_asks_for_a_metric_that_exists(expression):
    assert named(expression)
    assert named(expression) <= KNOWN


def test_every_metric_is_documented_and_named_by_the_conventions():
    page = (ROOT / "docs/metrics.md").read_text()
    assert named(page.replace("linuxnet_tuning.prom", "")) == KNOWN
    for name in KNOWN:
        assert re.fullmatch(r"[a-z_]+", name)
        # Counters end with it, and there is none.
        assert not name.endswith(("_total", "_count", "_sum", "_bucket"))
    for rule in ALERTS:
        assert f"`{rule['alert']}`" in page


def test_the_dashboard_has_what_grafana_wants():
    assert {"title", "uid", "schemaVersion", "panels", "templating", "time"} <= set(DASHBOARD)
    assert len({panel["id"] for panel in PANELS.values()}) == len(DASHBOARD["panels"])
    variables = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    assert variables == {"datasource", "instance"}
    taken = set()
    for panel in PANELS.values():
        assert panel["type"] in ("stat", "timeseries", "table")
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        box = panel["gridPos"]
        cells = {(box["x"] + right, box["y"] + down) for right in range(box["w"]) for down in range(box["h"])}
        assert box["x"] + box["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells
        refs = [target["refId"] for target in panel["targets"]]
        assert len(set(refs)) == len(refs)
        assert all(set(re.findall(r"\$(\w+)", target["expr"])) <= variables for target in panel["targets"])


def test_settings_are_counted_by_family_and_named():
    result = {
        "before": {"nics": {"eth0": {"ring": {"rx": 256, "tx": 512}, "mtu": 1500}}, "sysctl": {"a.b": "1"}},
        "after": {"nics": {"eth0": {"ring": {"rx": 512, "tx": 512}, "mtu": 9000}}, "sysctl": {"a.b": 'a "b"\\c\nd'}},
        "unsupported": [{}],
    }
    text = exposition.text(exposition.settings(result, True))
    for line in (
        'linuxnet_tuning_settings{family="ring",nic="eth0"} 2',
        'linuxnet_tuning_settings_drifting{family="ring",nic="eth0"} 1',
        'linuxnet_tuning_settings_drifting{family="link",nic="eth0"} 1',
        'linuxnet_tuning_settings_drifting{family="sysctl",nic=""} 1',
        "linuxnet_tuning_settings_unsupported 1",
        'linuxnet_tuning_setting_info{family="ring",nic="eth0",key="rx",wanted="512",current="256"} 1',
        'linuxnet_tuning_setting_info{family="sysctl",nic="",key="a.b",wanted="a \\"b\\"\\\\c\\nd",current="1"} 1',
    ):
        assert f"{line}\n" in text, text
    assert text.count("# TYPE") == len(set(re.findall(r"# TYPE (\S+)", text)))
    assert "setting_info" not in exposition.text(exposition.settings(result, False))


def test_parameters_of_modules_are_no_sysctl_and_a_label_that_is_no_text_spoils_no_other():
    result = {
        "before": {"nics": {"eth0": {"alias": "B\udcfcro"}}, "module_parameters": {"tcp_cubic.hystart": True}},
        "after": {"nics": {"eth0": {"alias": "Büro"}}, "module_parameters": {"tcp_cubic.hystart": False}},
    }
    text = exposition.text(exposition.settings(result, True))
    assert 'settings_drifting{family="module_parameters",nic=""} 1\n' in text
    assert 'family="module_parameters",nic="",key="tcp_cubic.hystart",wanted="off",current="on"} 1\n' in text
    assert 'key="alias",wanted="Büro",current="B?ro"} 1\n' in text
    assert "sysctl" not in text


def write(folder, **desired):
    """What the packed program writes of this machine, and how it ends."""
    folder.mkdir(exist_ok=True)
    program, settings, file = folder / "program", folder / "settings.json", folder / "linuxnet_tuning.prom"
    program.write_bytes(archive.pack("metrics"))
    told = {"file": str(file), "name": "here", "each": True, "findings": True, "wanted": desired}
    settings.write_text(json.dumps(told))
    argv = [sys.executable, "-I", "-S", str(program), str(settings)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return done, file


def test_the_program_is_one_file_and_the_same_each_time(tmp_path):
    assert archive.pack("metrics") == archive.pack("metrics")
    done, file = write(tmp_path, sysctl={"net.core.somaxconn": 123})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    text = file.read_text()
    assert named(text) >= KNOWN - {"linuxnet_tuning_finding_info"}
    assert 'linuxnet_tuning_settings_drifting{family="sysctl",nic=""} 1\n' in text
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert sorted(path.name for path in tmp_path.iterdir()) == ["linuxnet_tuning.prom", "program", "settings.json"]


def test_what_fails_is_a_metric_too(tmp_path):
    done, file = write(tmp_path, nics=[{"name": "lo", "rang": {"rx": 1}}])
    assert done.returncode == 1
    assert "rang" in done.stderr
    assert "linuxnet_tuning_last_run_success 0\n" in file.read_text()
    assert "drifting" not in file.read_text()


def program(name):
    found = shutil.which(name)
    return found or pytest.skip(f"{name} is not installed (Debian has it)")


def test_promtool_accepts_the_alerts():
    done = subprocess.run(
        [program("promtool"), "check", "rules", str(FILES / "alerts.yml")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(ALERTS)} rules found" in done.stdout


def ask(port, path, **query):
    """What a server on the loopback answers, once it does."""
    url = f"http://127.0.0.1:{port}{path}?{urllib.parse.urlencode(query)}"
    with urllib.request.urlopen(url, timeout=5) as answer:
        return answer.read().decode()


def until(seconds, question):
    end = time.monotonic() + seconds
    while True:
        try:
            found = question()
        except (urllib.error.URLError, ConnectionError):
            found = None
        if found or time.monotonic() > end:
            return found
        time.sleep(0.2)


def test_a_real_prometheus_reads_what_a_real_node_exporter_finds(tmp_path):
    names = ("prometheus-node-exporter", "prometheus", "promtool")
    exporter, prometheus, promtool = map(program, names)
    _done, file = write(tmp_path / "text", sysctl={"net.core.somaxconn": 123})
    with socket.socket() as one, socket.socket() as other:
        for each in (one, other):
            each.bind(("127.0.0.1", 0))
        ports = one.getsockname()[1], other.getsockname()[1]
    lint = subprocess.run(
        [promtool, "check", "metrics"], input=file.read_text(), capture_output=True, text=True, check=False
    )
    assert (lint.returncode, lint.stdout, lint.stderr) == (0, "", "")
    job = {"job_name": "node", "static_configs": [{"targets": [f"127.0.0.1:{ports[0]}"]}]}
    every = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    settings = {"global": every, "rule_files": [str(FILES / "alerts.yml")], "scrape_configs": [job]}
    (tmp_path / "prometheus.yml").write_text(json.dumps(settings))
    argvs = (
        [
            exporter,
            "--collector.disable-defaults",
            "--collector.textfile",
            f"--collector.textfile.directory={file.parent}",
            f"--web.listen-address=127.0.0.1:{ports[0]}",
        ],
        [
            prometheus,
            f"--config.file={tmp_path}/prometheus.yml",
            f"--storage.tsdb.path={tmp_path}/data",
            f"--web.listen-address=127.0.0.1:{ports[1]}",
        ],
    )
    with ExitStack() as stack:
        for argv in argvs:
            process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)

        def query(expression):
            answer = json.loads(ask(ports[1], "/api/v1/query", query=expression))
            assert answer["status"] == "success"
            return answer["data"]["result"]

        drift = until(30, lambda: query('linuxnet_tuning_settings_drifting{family="sysctl"}'))
        assert [(one["metric"]["job"], one["value"][1]) for one in drift] == [("node", "1")]
        for expression in QUERIES:
            said = expression.replace("$instance", ".*")
            assert query(said) or "finding_info" in said, said
        groups = until(10, lambda: json.loads(ask(ports[1], "/api/v1/rules"))["data"]["groups"])
        rules = until(10, lambda: [rule for rule in groups[0]["rules"] if rule["name"] == "NetworkTuningDrifts"])
        assert len(groups[0]["rules"]) == len(ALERTS)
        assert rules
        pending = until(
            10,
            lambda: [
                alert
                for alert in json.loads(ask(ports[1], "/api/v1/alerts"))["data"]["alerts"]
                if alert["labels"]["alertname"] == "NetworkTuningDrifts"
            ],
        )
        assert pending[0]["state"] == "pending"
