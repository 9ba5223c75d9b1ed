"""Measures the collection against a ping and a hand-written playbook, on many hosts made of namespaces."""

from __future__ import annotations

import argparse
import difflib
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import hosts
import namespaces
import packages
import report
from measure import Ansible, Figures, RunError

HERE = Path(__file__).resolve().parent
BY_HAND = "by hand"
SITE = "site"
PLAYBOOKS = {BY_HAND: str(HERE / "by_hand.yml"), SITE: "linuxnet.tuning.site"}
# The least that a task of Ansible does: it starts `true` on the host.
RAW = ["ansible", "all", "--module-name", "ansible.builtin.raw", "--args", "true"]
# What else is worth a row, on hosts that are tuned already.
TUNE = ["ansible", "all", "--module-name", "linuxnet.tuning.tune", "--args", "inventory=true"]
ROLE = ["ansible-playbook", str(HERE / "role.yml")]
AUDIT = ["ansible-playbook", "linuxnet.tuning.audit"]
# How often it is measured before it counts as too much: another load makes single runs dearer, and not all of them.
ROUNDS = 3
# The hosts hide everything that lies here, and a socket's path may not be long.
RUN = Path("/run")
State = Mapping[str, str]


class DishonestError(Exception):
    """The figures compare what is not comparable."""


class Benchmark:
    """The order of the runs, and the proof that they can be compared."""

    def __init__(self, options: argparse.Namespace, folder: Path, unpacked: Path) -> None:
        self.options = options
        self.folder = folder
        self.keys = folder / "keys"
        self.layer = folder / "layer"
        self.unpacked = unpacked
        self.ansible = Ansible(HERE.parent, folder)
        self.variables: dict[str, object] = json.loads((HERE / "state.json").read_text())
        self.parameters: dict[str, object] = dict(self.variables["tuning_sysctl"])
        self.runs: list[Figures] = []
        self.memory: dict[str, int] = {}

    def run(self) -> int:
        hosts.make_switch()
        hosts.make_keys(self.keys)
        hosts.make_layer(self.layer, self.keys, self.unpacked)
        fleet = self.fleet("none")
        self.ansible.prepare(fleet.hosts, {**self.variables, "nics": fleet.nics}, self.keys)
        begins: dict[str, State] = {}
        ends: dict[str, State] = {}
        for name in [self.options.only] if self.options.only else PLAYBOOKS:
            say(f"starting {len(fleet.hosts)} hosts")
            with self.fleet(name.replace(" ", "-")) as fleet:
                begins[name] = fleet.state(list(self.parameters))
                ends[name] = self.tune(fleet, name, begins[name])
        for states, what in ((begins, "begin"), (ends, "end")):
            for name, state in states.items():
                must_equal(states[next(iter(states))], state, f"{BY_HAND} and {name} {what} with different states")
        return self.show()

    def fleet(self, name: str) -> hosts.Fleet:
        return hosts.Fleet(self.folder / name, self.layer, self.options.hosts, self.options.nics)

    def tune(self, fleet: hosts.Fleet, name: str, begin: State) -> State:
        """Run one playbook first, again, and with new connections; pings between, so that both see the same machine."""
        count = len(fleet.hosts)
        self.ping(fleet, report.COLD)
        self.play(fleet, name, report.FIRST, changed=count)
        end = fleet.state(list(self.parameters))
        self.must_be_as_desired(end, begin)
        if self.options.most is None:
            self.compare(fleet, name)
        else:
            self.judge(fleet)
        must_equal(end, fleet.state(list(self.parameters)), f"{name} said that nothing changed, and yet it did")
        self.ansible.disconnect(fleet)
        return end

    def compare(self, fleet: hosts.Fleet, name: str) -> None:
        """All rows of the table."""
        # By hand it takes so long that one run says enough.
        repeat = 1 if name == BY_HAND else self.options.repeat
        self.unchanged(fleet, name, repeat)
        for _run in range(repeat):
            self.ansible.disconnect(fleet)
            self.ping(fleet, report.COLD)
            self.ansible.disconnect(fleet)
            self.play(fleet, name, report.COLD, changed=0)
        if name == SITE:
            self.others(fleet)

    def judge(self, fleet: hosts.Fleet) -> None:
        """As many runs as it takes to see that an unchanged `site` does not cost too much."""
        for _round in range(ROUNDS):
            self.unchanged(fleet, SITE, self.options.repeat)
            if self.judged() <= self.options.most:
                return

    def unchanged(self, fleet: hosts.Fleet, name: str, repeat: int) -> None:
        for _run in range(repeat):
            self.ping(fleet, report.WARM)
            self.play(fleet, name, report.WARM, changed=0)

    def others(self, fleet: hosts.Fleet) -> None:
        """The least task, the parts of `site` alone, and the audit, in turns with pings like the rest."""
        audit = [*AUDIT, "--extra-vars", f"audit_folder={self.folder / 'audit'}"]
        for _run in range(self.options.repeat):
            for name, argv in (("raw: true", RAW), ("module tune", TUNE), ("role tune", ROLE), ("audit", audit)):
                self.ping(fleet, report.WARM)
                say(name)
                self.runs.append(self.ansible.command(fleet, name, report.WARM, argv))
        for name, argv in ((SITE, ["ansible-playbook", PLAYBOOKS[SITE]]), ("audit", audit)):
            say(f"memory of {name}")
            self.memory[name] = self.ansible.memory(fleet, argv)

    def ping(self, fleet: hosts.Fleet, condition: str) -> None:
        say(f"{report.PING}, {report.LABELS[report.PING, condition]}")
        self.runs.append(self.ansible.ping(fleet, report.PING, condition))

    def play(self, fleet: hosts.Fleet, name: str, condition: str, *, changed: int) -> None:
        say(f"{name}, {condition}")
        self.runs.append(self.ansible.playbook(fleet, name, condition, PLAYBOOKS[name], changed))

    def must_be_as_desired(self, end: State, begin: State) -> None:
        for host, text in end.items():
            if text == begin[host]:
                raise DishonestError(f"{host} was tuned, and nothing is different")
            for parameter, value in self.parameters.items():
                line = f"/proc/sys/{parameter.replace('.', '/')}:{value}"
                if line not in (" ".join(found.split()) for found in text.splitlines()):
                    raise DishonestError(f"{host}: {parameter} is not {value}")

    def show(self) -> int:
        options = self.options
        setting = {
            "hosts": options.hosts,
            "nics": options.nics,
            "sysctl": len(self.parameters),
            "ansible": self.ansible.version(),
            "forks": self.ansible.forks(),
            "kernel": os.uname().release,
            "processors": len(os.sched_getaffinity(0)),
            "date": time.strftime("%Y-%m-%d"),
        }
        ratios = report.ratios(self.runs, list(PLAYBOOKS))
        print(report.as_text(setting, self.runs, ratios, self.memory))
        if options.json:
            report.write_json(options.json, setting, self.runs, ratios, self.memory)
        if options.most is None:
            return 0
        ratio = self.judged()
        print(f"\nsite unchanged costs the controller {ratio:.2f} pings; the most that it may is {options.most}")
        return 0 if ratio <= options.most else 1

    def judged(self) -> float:
        """What an unchanged `site` costs, by the median of all runs so far. The clock depends on what else the machine
        does; the controller's processor time does so less."""
        return report.ratios(self.runs, list(PLAYBOOKS))[f"{SITE} / ping, {report.WARM}, controller CPU"]


def must_equal(expected: State, found: State, message: str) -> None:
    for host in expected:
        if expected[host] != found[host]:
            lines = difflib.unified_diff(expected[host].splitlines(), found[host].splitlines(), n=0, lineterm="")
            raise DishonestError("\n".join([f"{message}, on {host}:", *list(lines)[2:]]))


def say(text: str) -> None:
    print(f"  {text} ...", file=sys.stderr, flush=True)


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=20, metavar="N", help="how many hosts, 1 to 1000 (default: 20)")
    parser.add_argument("--nics", type=int, default=2, metavar="N", help="test NICs per host, 1 to 8 (default: 2)")
    parser.add_argument(
        "--repeat", type=int, default=3, metavar="N", help="unchanged runs, of which the median counts (default: 3)"
    )
    parser.add_argument("--only", choices=list(PLAYBOOKS), help="leave the other playbook out")
    parser.add_argument(
        "--most",
        type=float,
        metavar="PINGS",
        help="fail if site unchanged costs the controller more processor time; measures nothing else",
    )
    parser.add_argument("--install", action="store_true", help="get missing Debian packages with apt")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file as well")
    options = parser.parse_args(argv)
    if options.most is not None and options.only != SITE:
        parser.error("--most judges site; add --only site")
    for name, most in (("hosts", 1000), ("nics", 8), ("repeat", 100)):
        if not 1 <= getattr(options, name) <= most:
            parser.error(f"--{name} takes 1 to {most}")
    return options


def main() -> int:
    options = arguments()
    if os.geteuid() != 0:
        print("This needs root: it makes namespaces, mounts and networks.", file=sys.stderr)
        return 2
    # A pipe to each host while they start.
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # An exception, so that everything is cleaned up on the way out.
        signal.signal(number, lambda received, _frame: sys.exit(128 + received))
    with (
        tempfile.TemporaryDirectory(prefix="fleet-", dir=RUN) as mount_point,
        tempfile.TemporaryDirectory(prefix="fleet-") as unpacked,
    ):
        try:
            packages.provide(Path(unpacked), install=options.install)
        except packages.MissingError as error:
            print(error, file=sys.stderr)
            return 2
        try:
            return namespaces.contain(Path(mount_point), lambda: guarded(options, Path(mount_point), Path(unpacked)))
        except PermissionError as error:
            print(f"This machine, perhaps a container, does not allow new namespaces: {error}", file=sys.stderr)
            return 2


def guarded(options: argparse.Namespace, folder: Path, unpacked: Path) -> int:
    try:
        return Benchmark(options, folder, unpacked).run()
    except (DishonestError, RunError, hosts.FleetError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
