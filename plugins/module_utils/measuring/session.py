# SPDX-License-Identifier: GPL-3.0-or-later
"""One host's part in a measurement: look, start the unit that does it all, bring home what came of it."""

from __future__ import annotations

import json
import re
import sys
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ..host import Host, ReadOnlyHost
from ..schema import Action, Query, Run, Save, TuningError
from ..tools import fio, firewall, foreign, ip, iperf3, mount, moved, transient
from .record import Record

FOLDER = "/run/linuxnet-tuning"
_GOVERNORS = "/sys/devices/system/cpu/cpufreq"
# What decides how fast a stream can be, and is worth a look when two results differ.
_SYSCTL = (
    "net.core.default_qdisc",
    "net.core.netdev_max_backlog",
    "net.core.rmem_max",
    "net.core.wmem_max",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_mtu_probing",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_sack",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_wmem",
)

# What Python runs where it is given the folder; the station is a package there as it is here.
_STATION = "import sys\n\nfrom measuring.station import main\n\nsys.exit(main(sys.argv[1:]))\n"

Params = Mapping[str, Any]
Result = Dict[str, Any]


def check(host: ReadOnlyHost, params: Params, _check_mode: bool) -> Result:
    """What this host can do and how it is set, before anything is started anywhere."""
    from ..facts import nics as about  # the other calls start faster without

    if not host.exists("/run/systemd/system"):
        raise TuningError("systemd does not run on this host; a measurement of several hosts needs its transient units")
    _refuse_another(host, params)
    _namespace(host)
    fios = [step["fio"] for step in params["steps"] if step.get("fio")]
    if fios:
        host.ask(Query(("fio", "--version")))
    for job in fios:
        if job["mount"]:
            mount.check(host, job["directory"], job["mount"])
        elif not host.exists(job["directory"]):
            raise TuningError(f"the folder {job['directory']} for fio does not exist; mount it first")
    version = iperf3.version(host.ask(Query(("iperf3", "--version"))).out)
    ways = _ways(host, params)
    nics = sorted({own[0].nic for own in ways.values() if own[0].nic != "lo"})
    return {
        "changed": False,
        "iperf3": version,
        "kernel": (host.read("/proc/sys/kernel/osrelease") or "").strip(),
        "nics": about.gather(host, nics, []) if nics else {},
        "memory": _memory(host),
        "ways": {peer: own[0].nic for peer, own in ways.items()},
        "routers": {peer: routers for peer, own in ways.items() for routers in [_routers(own)] if routers},
        "sources": {peer: [*dict.fromkeys(way.source for way in own if way.source)] for peer, own in ways.items()},
        "sysctl": {name: value for name in _SYSCTL for value in [_sysctl(host, name)] if value},
    }


def _refuse_another(host: ReadOnlyHost, params: Params) -> None:
    if transient.active(host, _unit(params)):
        raise TuningError(
            f"another measurement is running on this host ({_unit(params)}); wait until it ends, or stop it with "
            f"`systemctl stop {_unit(params)}`"
        )


def _sysctl(host: ReadOnlyHost, name: str) -> str:
    return " ".join((host.read(f"/proc/sys/{name.replace('.', '/')}") or "").split())


def _ways(host: ReadOnlyHost, params: Params) -> Dict[str, List[ip.Way]]:
    """By address of a peer, the ways that the measurement goes; the first is what a program takes, if it can."""
    ways = {peer: ip.ways_to(host, peer) for peer in params["peers"]}
    for peer, own in ways.items():
        if not own:
            raise TuningError(f"this host has no route to {peer}; check its routes, and the address of that host")
    return ways


def _memory(host: ReadOnlyHost) -> int:
    """The bytes of memory of this host; 0 where it does not tell."""
    match = re.search(r"^MemTotal: +(\d+) kB", host.read("/proc/meminfo") or "", re.MULTILINE)
    return int(match[1]) * 1024 if match else 0


def _routers(ways: Sequence[ip.Way]) -> List[str]:
    return [*dict.fromkeys(way.router for way in ways if way.router)]


def start(host: Host, params: Params, check_mode: bool) -> Result:
    """Hand everything to a unit that works, ends and cleans up without us."""
    unit, folder = _unit(params), _folder(params)
    _refuse_another(host, params)
    for step in params["steps"]:
        for run in step["runs"]:
            iperf3.check(run)
    firewall_in_force, config, undo = _plan(host, params)
    files = {
        "config.json": json.dumps(config),
        "undo.json": json.dumps(undo),
        **programs(_probes(params)),
    }
    program = [sys.executable, folder]
    command = transient.service(
        unit,
        "linuxnet.tuning measures the network",
        params["seconds"],
        [*program, "run", folder],
        [*program, "undo", folder],
        _namespace(host),
    )
    result = {
        "changed": True,
        "unit": unit,
        "firewall": list(firewall_in_force),
        "commands": [" ".join(action["run"]) for action in config["prepare"] if "run" in action] + [str(command)],
    }
    if check_mode:
        return result
    _do(host, Run(("rm", "-r", "-f", folder)))
    for name, text in files.items():
        _do(host, Save(f"{folder}/{name}", text, 0o600))
    _do(host, command)
    ready, failed = f"{folder}/ready.json", f"{folder}/failed.json"
    host.wait_until(lambda: host.exists(ready) or host.exists(failed), 60)
    if not host.exists(ready) or host.exists(failed):
        problem = Record(host, folder).problem or f"{unit} did not get ready within 60 s; see `journalctl -u {unit}`"
        _do(host, transient.stop(unit))
        raise TuningError(problem)
    return result


def programs(probes: bool) -> Dict[str, str]:
    """The text of each file that the unit runs, by its path in the folder; Ansible brings them inside an archive."""
    from . import gate, probe, processes, station  # the other calls start faster without

    def text(module: Any) -> str:
        return str(module.__loader__.get_source(module.__name__))

    own = {"station": station, "gate": gate, "processes": processes}
    packed = {f"measuring/{name}.py": text(module) for name, module in own.items()}
    return {"__main__.py": _STATION, **packed, **({"probe.py": text(probe)} if probes else {})}


def _probes(params: Params) -> bool:
    """Whether this host asks or answers how long a packet takes."""
    return bool(params["answers"] or any(step.get("probe") for step in params["steps"]))


def _plan(host: ReadOnlyHost, params: Params) -> Tuple[Tuple[str, ...], Dict[str, Any], List[Dict[str, Any]]]:
    """The firewalls, what the unit is to do, and what takes it back."""
    ports = [params["port"] + 1 + number for number in range(params["servers"])]
    listening = [params["port"]] * bool(params["gate"] or params["answers"]) + ports
    prepare: List[Dict[str, Any]] = []
    undo: List[Dict[str, Any]] = []
    names: Tuple[str, ...] = ()
    if listening and params["firewall"]:
        protocols = ["tcp"] if params["protocol"] == "tcp" and not params["answers"] else ["tcp", "udp"]
        bounds = f"{min(listening)}-{max(listening)}" if len(listening) > 1 else str(listening[0])
        opened = firewall.opening(host, bounds, protocols, params["sources"], params["seconds"], _unit(params))
        names, prepare, undo = opened.names, [*opened.prepare], [*opened.undo]
    if params["quiet"]:
        for action, back in _quiet(host):
            prepare.append(action)
            undo.append(back)
    # All of them are the same job.
    for job in [step["fio"] for step in params["steps"] if step.get("fio")][:1]:
        undo.append({"run": fio.remove(job, _word(params))})
        if job["mount"]:
            mounting, unmounting = mount.meanwhile(host, job["directory"], job["mount"])
            prepare += mounting
            undo += unmounting
    gate = {"port": params["port"], "steps": params["gate"]} if params["gate"] else None
    parts, links = moved.parts(host, params["nics"]), foreign.links(host, params["nics"])
    remote = [run["port"] for step in params["steps"] for run in step["runs"]]
    config = {
        "name": params["name"],
        "prepare": prepare,
        "servers": [iperf3.server(port) for port in ports],
        "ports": ports,
        "gate": gate,
        "secret": params["secret"],
        "answer": params["port"] if params["answers"] else None,
        "steps": [_step(step, params) for step in params["steps"]],
        "watch": moved.watch(parts),
        "links": links,
        # What is compared with TCP's account is read right before it.
        "sample": [*foreign.watch(links), *moved.accounts(ports, remote), *moved.sample(parts)],
        "stagger": params["stagger"],
        "patience": params["patience"],
    }
    return names, config, undo


def _step(step: Params, params: Params) -> Dict[str, Any]:
    address, _colon, port = (step["gate"] or "").rpartition(":")
    commands = [iperf3.client(run) for run in step["runs"]]
    commands += [fio.command(step["fio"], _word(params))] if step.get("fio") else []
    if step.get("probe"):
        about = step["probe"]
        numbers = [str(number) for number in (params["port"], about["lead"], about["seconds"])]
        commands.append([sys.executable, f"{_folder(params)}/probe.py", "ask", *numbers, *about["servers"]])
    retries = max([run["retries"] for run in step["runs"]], default=0)
    return {
        "id": step["id"],
        # Files that are read are written before the gate, or each host would begin to read when it has done that.
        "before": [fio.layout(step["fio"], _word(params))] if step.get("fio") else [],
        "drop_caches": step["drop_caches"],
        "gate": [address, int(port)] if port else None,
        "commands": commands,
        "limit": step["limit"],
        "retries": retries,
        "busy": iperf3.BUSY,
        "sample": step["sample"],
    }


def _quiet(host: ReadOnlyHost) -> List[Tuple[Dict[str, Any], Dict[str, Any]]]:
    """Stop what moves interrupts and clocks about during a measurement, and how it was before."""
    actions: List[Tuple[Dict[str, Any], Dict[str, Any]]] = []
    if transient.active(host, "irqbalance.service"):
        stop, start = transient.stopped_meanwhile("irqbalance.service")
        actions.append(({"run": stop}, {"run": start}))
    for policy in host.names(_GOVERNORS):
        path = f"{_GOVERNORS}/{policy}/scaling_governor"
        now = (host.read(path) or "").strip()
        can = (host.read(f"{_GOVERNORS}/{policy}/scaling_available_governors") or "").split()
        if now and now != "performance" and "performance" in can:
            actions.append(({"write": path, "text": "performance"}, {"write": path, "text": now}))
    return actions


def collect(host: Host, params: Params, check_mode: bool) -> Result:
    """Wait for the end, and bring home what came of it; nothing in check mode, where nothing was started."""
    if check_mode:
        return {"changed": True, "steps": {}, "queues": {}, "cpu_seconds": {}}
    folder, unit = _folder(params), _unit(params)
    ended = [f"{folder}/done.json", f"{folder}/failed.json"]
    for _turn in range(params["seconds"] // 5 + 2):
        if host.wait_until(lambda: any(host.exists(path) for path in ended), 5) or not transient.active(host, unit):
            break
    record = Record(host, folder)
    problem = record.problem
    if not problem and not host.exists(ended[0]):
        problem = f"{unit} was stopped before it was done, by somebody or by its limit of {params['seconds']} s"
    steps = {}
    try:
        for step in params["steps"]:
            steps.update(record.outcome(step))
    except TuningError as error:
        problem = problem or str(error)
    names = [step["id"] for step in params["gate"] or params["steps"]]
    sent = {name: record.sent(f"gate-{name}") for name in names}
    busy = {name: record.busy(f"gate-{name}") for name in names}
    names = list(dict.fromkeys([*names, *(step["id"] for step in params["steps"])]))
    seen = {name: record.moved(name) for name in names}
    # The unit cleans up at its end; to wait for that is what makes the next measurement possible at once.
    host.wait_until(lambda: not transient.active(host, unit), 120)
    stop(host, params, False)
    if problem:
        raise TuningError(problem)
    return {
        "changed": True,
        "steps": steps,
        "queues": {key: value for key, value in sent.items() if value},
        "cpu_seconds": {key: value for key, value in busy.items() if value is not None},
        "moved": {key: value for key, value in seen.items() if value},
    }


def stop(host: Host, params: Params, check_mode: bool) -> Result:
    """End what still runs; the unit itself takes back what it has changed."""
    unit, folder = _unit(params), _folder(params)
    running, there = transient.active(host, unit), host.exists(folder)
    if not check_mode:
        complaint = host.do(transient.stop(unit)) if running else ""
        # One that has ended by itself since then is gone, and systemd does not know its name any more.
        if complaint and transient.active(host, unit):
            raise TuningError(f"{transient.stop(unit)}: {complaint}")
        if there:
            _do(host, Run(("rm", "-r", "-f", folder)))
    return {"changed": running or there}


def _do(host: Host, action: Action) -> None:
    complaint = host.do(action)
    if complaint:
        raise TuningError(f"{action}: {complaint}")


def _unit(params: Params) -> str:
    return f"linuxnet-benchmark-{_word(params)}"


def _folder(params: Params) -> str:
    return f"{FOLDER}/benchmark-{_word(params)}"


def _word(params: Params) -> str:
    """The name of the host in a form that unit names and paths allow."""
    return re.sub(r"[^A-Za-z0-9.-]", "-", str(params["name"]))


def _namespace(host: ReadOnlyHost) -> str:
    """The network namespace of this call, where it is not that of systemd, so that the unit gets the same."""
    ours, theirs = (host.target(f"/proc/{process}/ns/net") for process in ("self", "1"))
    if not theirs or ours == theirs:
        return ""
    # All else that a measurement needs of systemd, version 239 of RHEL 8 has: redhat-plumbers/systemd-rhel8.
    if 0 < transient.version(host) < 242:
        raise TuningError(
            "this host is a network namespace, in which systemd before 242 cannot start a measurement; measure from "
            "the machine that it runs on, or from a host with a later release"
        )
    return f"/proc/{host.target('/proc/self')}/ns/net"
