# SPDX-License-Identifier: GPL-3.0-or-later
"""What the station of a host has noted, and what that says of each step."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ..host import ReadOnlyHost
from ..schema import TuningError
from ..tools import counters, fio, foreign, iperf3, moved, sysfs

Params = Mapping[str, Any]


class Record:
    """The files that the station leaves in its folder."""

    def __init__(self, host: ReadOnlyHost, folder: str) -> None:
        self._host, self._folder = host, folder

    def _noted(self, name: str) -> Optional[Dict[str, Any]]:
        # The counters of a NIC with many queues fill some MiB.
        text = self._host.read(f"{self._folder}/{name}.json", 1 << 28)
        return json.loads(text) if text else None

    @property
    def problem(self) -> str:
        """Why the station could not go on; nothing where it could."""
        return str((self._noted("failed") or {}).get("error", ""))

    def outcome(self, step: Params) -> Dict[str, Any]:
        """By its name, what a step came to; nothing of one that this host had no part in."""
        noted = self._noted(f"step-{step['id']}")
        if noted is None:
            return {}
        parsed: List[Dict[str, Any]] = []
        for run, outcome in zip(step["runs"], noted["runs"]):
            if outcome.get("late"):
                where = f"{run['server']} port {run['port']}"
                raise TuningError(f"iperf3 to {where} did not end within {step['limit']} s (step {step['id']})")
            parsed.append(iperf3.parse(outcome["out"], outcome["err"], run, outcome.get("rc", 0)))
        found: Dict[str, Any] = {
            "runs": parsed,
            "began": noted["began"],
            "queues": self.sent(f"step-{step['id']}"),
        }
        if step.get("fio"):
            outcome = noted["runs"][len(parsed)]
            found["fio"] = fio.parse(outcome["out"], outcome["err"], step["fio"])
        busy = self.busy(f"step-{step['id']}")
        found.update({} if busy is None else {"cpu_seconds": busy})
        if step.get("probe"):
            outcome = noted["runs"][-1]
            try:
                found["probes"] = json.loads(outcome["out"])
            except ValueError:
                said = " ".join(outcome["err"].split()[-30:])
                raise TuningError(f"the probes of step {step['id']} did not end as they should: {said}") from None
        return {step["id"]: found}

    def sent(self, name: str) -> Dict[str, List[int]]:
        """Bytes by NIC and transmit queue that were sent during a step."""
        before, after = self._answers(name)
        grown = {}
        for nic in [argv[-1] for argv in before if argv[:1] == ("ethtool",)]:
            classes, statistics = (tuple(argv) for argv in counters.watch(nic))
            now, then = (counters.queues(texts[classes], texts[statistics]) for texts in (after, before))
            grown[nic] = self._in_use(nic, counters.growth(then, now))
        return {nic: queues for nic, queues in grown.items() if queues}

    def _in_use(self, nic: str, sent: List[int]) -> List[int]:
        """Without the queues that the NIC could have and has not: mq has a class for each of these too."""
        number = sysfs.transmit_queues(self._host, nic)
        return sent if any(sent[number:]) else sent[: number or None]

    def busy(self, name: str) -> Optional[float]:
        """Seconds that all processors of the host together were at work during a step."""
        before, after = (counters.processors(texts.get(("cat", "/proc/stat"), "")) for texts in self._answers(name))
        return None if before is None or after is None else round(after - before, 2)

    def moved(self, name: str) -> Dict[str, Any]:
        """What moved on the host during a step that was looked at in its middle, and TCP's account of the streams."""
        noted = self._noted(f"sample-{name}")
        if not noted:
            return {}
        config = self._noted("config") or {}
        commands = [tuple(argv) for argv in config["sample"]]
        said = dict(zip(commands, noted["answers"]))
        meanwhile, seen_at = ({argv: one[key] for argv, one in said.items()} for key in ("out", "at"))
        kind = next((kind for kind in ("step", "gate") if all(self._answers(f"{kind}-{name}"))), "step")
        before, after = self._answers(f"{kind}-{name}")
        nics = list(dict.fromkeys(argv[-1] for argv in before if argv[:1] == ("ethtool",)))
        found = moved.growth(moved.parts(self._host, nics), before, after, meanwhile)
        begun_at, ended_at = self._answers(f"{kind}-{name}", "at")
        account = next((argv for argv in commands if argv[0] == "ss"), commands[-1])
        # Streams that are seen after the step are those of the next one.
        whole = account[0] == "ss" and seen_at[account] <= min(ended_at.values(), default=0)
        streams = meanwhile[account] if whole else ""
        load = foreign.load(config.get("links", {}), before, meanwhile, streams, (begun_at, seen_at))
        found.update({"load": load} if load else {})
        return {**found, "seconds": round(seen_at[account] - noted["begun"], 3), "streams": moved.streams(streams)}

    def _answers(self, name: str, key: str = "out") -> Tuple[Dict[Tuple[str, ...], Any], Dict[Tuple[str, ...], Any]]:
        """What the commands that watch said before a step and after it, or `at` what time; nothing of no such step."""
        noted = self._noted(name) or {"before": (), "after": ()}
        watched = [tuple(argv) for argv in (self._noted("config") or {}).get("watch", ())]
        before, after = ({argv: one[key] for argv, one in zip(watched, noted[side])} for side in ("before", "after"))
        return before, after
