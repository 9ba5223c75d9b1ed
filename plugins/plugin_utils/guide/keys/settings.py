# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn a key and a value in the words of ethtool, ip, sysctl or the kernel's files into settings of the collection.

Names and kinds of values come from the registry of settings, so a new setting is known here as well.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import inputs
from ansible_collections.linuxnet.tuning.plugins.module_utils.family import Family, Field
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import InputError, nearest
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import cpus, sysctl

from .. import masks
from ..budget import Budget
from ..model import CONDITIONAL, HARMFUL, HOST, NO_EFFECT, NOTE, ON_HOST, OTHER_TOOL, PHYSICAL, Branch, Line, Sink
from ..shell import interrupts, numbers
from . import refusals, verdicts

Match = Sequence[Tuple[str, str]]
Bounds = Dict[Tuple[str, str], Tuple[str, str]]

_DEFAULT_ON = ("rx", "tx", "sg", "tso", "gso", "gro", "rxvlan", "txvlan", "rxhash")
_HARDWARE = (
    *("ring", "channels", "coalesce", "pause", "private_flags", "rss", "speed", "wol", "eee", "fec", "phy", "module"),
    *("napi", "qdisc", "routes", "sriov", "pci", "devlink", "ntuple_rules", "tunables"),
)
_SWITCHES: Mapping[str, str] = {
    **dict.fromkeys(("true", "yes", "on"), "1"),
    **dict.fromkeys(("false", "no", "off"), "0"),
}
# What guides say behind a number, and a comment behind it.
_DEFAULT = re.compile(r"(?<=\d)\s*\((?:the\s+)?(?:default|was|originally|kernel default)\b[^)]*\)", re.IGNORECASE)
_COMMENT = re.compile(r"^(\s*[\"']?-?\d+(?:\s+-?\d+)*)\s*;(?=\s*\S)")
# The same in a language that is not written in Latin letters, without a sign before it.
_IN_WORDS = re.compile(r"^(\s*[\"']?-?\d+(?:\s+-?\d+)*)[\s\uff1b\uff0c]+([^\x00-\u036f].*)")
# What computes or looks up a value: a call, an attribute, a product, one of a list.
_CODE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]|\()|^\(|\d\s*\*\s*\d|<<|[\[{]")
# What a template such as one of Terraform puts into a file that knows no variables.
_FILLED_IN = re.compile(r"\$\{[^}]*\}")
_VARIABLE = re.compile(r"\$(?:\{[^}]*\}?|\([^)]*\)?|\w+)|`[^`]+`")
# What a value was and is to be, as people report a change.
_CHANGE = re.compile(r"[\"']?-?\d[\d \t]*(?:-+>|=>|\u2192|\u21d2|\.\.\.?>)\s*-?\d.*")
# What leaves lo out of a loop: `grep -v lo`, `[ $nic = lo ] && continue`, `lo) continue`, `! -name lo`.
_LEAVES_OUT_LO = re.compile(
    r"[^#]{0,400}?(?:-\w*v\w*\s.*|[!=~]\s*\S{0,3}|-name\s+\S?|\(\[.*|[|(]|\bcase.*|(?:^|\s)(?=lo[|)]))\blo\b(?![\w.-])"
)
# Of scripts that one writes for another one, how many may call each other.
_MOST_CALLS = 4
_PLACEHOLDERS = ("n", "nn", "x", "xx", "xxx", "num", "number", "value", "size", "count")


class Root(NamedTuple):
    """The queueing discipline that a line of a text has put at the root of a NIC."""

    line: int
    kind: str
    handle: str
    branch: Branch


class Guide:
    """What all readers of one text share: where findings go, and what is known of the host."""

    def __init__(
        self, sink: Sink, kernel: str = "", arguments: Optional[List[str]] = None, foreign: bool = False
    ) -> None:
        self.sink = sink
        self.kernel = verdicts.release(kernel)
        self.arguments = arguments
        self.foreign = foreign
        self.texts: Sequence[str] = ()  # all lines that are read, of all files
        self.above: Sequence[Line] = ()  # the lines of a guide above the block of it that is read
        self.variables: Dict[str, str] = {}  # what the blocks of a guide have assigned so far
        # Set by the forms: a script may write files of any form.
        self.read_file: Callable[[str, Sequence[Line]], None] = lambda _path, _lines: None
        self.is_config: Callable[[str], bool] = lambda _path: False
        self.is_callable: Callable[[str], bool] = lambda _path: False
        self.run_file: Callable[[Sequence[Line], List[str]], bool] = lambda _lines, _arguments: False
        # The files that scripts have written so far, and those of them that they have also run.
        self.written: Dict[str, List[Line]] = {}
        self.ran: Set[str] = set()
        self.loads = 0  # how often commands have loaded files of sysctl
        self.started: Set[str] = set()  # the units that commands have started
        self.instances: Dict[str, List[str]] = {}  # by template of a unit, the instances that commands start
        self.running: List[str] = []  # the files whose scripts run now, of which one calls the next
        # What commands have put at the root of each NIC so far.
        self.roots: Dict[str, Root] = {}
        # The NICs of NetworkManager's profiles, as far as calls of nmcli have told.
        self.profiles: Dict[str, str] = {}
        # The interrupts that scripts have looked up so far.
        self.interrupts = interrupts.Book()
        self.budget = Budget()
        # By a parameter and a value, what that is where a condition has compared it with the value in force (at_least,
        # at_most or nothing of it), and what is noted of that condition otherwise. The same by lines of written files.
        self.bounds: Bounds = {}
        self.bounds_of: Dict[int, Bounds] = {}

    @contextmanager
    def bounded(self, bounds: Bounds) -> Iterator[None]:
        """While commands run that a condition has compared values for."""
        before = self.bounds
        self.bounds = {**before, **bounds}
        try:
            yield
        finally:
            self.bounds = before

    def runs(self, path: str, arguments: List[str]) -> bool:
        """Read a script that another one wrote, with the arguments that it is called with."""
        lines = self.written.get(path, [])
        if path in self.running or len(self.running) >= _MOST_CALLS or not lines:
            return False
        self.running.append(path)
        try:
            found = self.run_file(lines, arguments)
        finally:
            self.running.pop()
        if found:
            self.ran.add(path)
        return found

    def nic(self, line: int, nic: str, family: str, key: str, raw: str, match: Match = ()) -> None:
        """One key of a NIC, as a tool would be told it."""
        owner = registry.FAMILIES[family]
        if self.sink.driver and not match and (not masks.known(nic) or "*" in nic):
            nic, match = "", (("driver", self.sink.driver),)
        name = masks.name(nic)
        if not name and not match:
            self.sink.remark(line, NO_EFFECT, f"{family} {key}: the name of the NIC is missing")
            return
        if masks.known(nic) and re.fullmatch(r"[\w.:-]+(?:\s+[\w.:-]+)+", nic) and not match:
            self.sink.remark(line, NO_EFFECT, f"{family} {key}: '{nic}' is one word here, and no NIC has such a name")
            return
        if not masks.known(key) or key[:1] in "[<":
            text = f"{family}: which key {masks.shown(key)} is, is known on the host only"
            self.sink.remark(line, ON_HOST, text)
            return
        if name == "*" and family in _HARDWARE and not match:
            # Bridges and the like have no such setting, and would end a call that asks them for it.
            name, match = "", PHYSICAL
        try:
            field = owner.field(key)
            value = self.value(line, owner, field.name, raw)
        except InputError as error:
            self.sink.unknown(line, str(error))
            return
        if value is None or self._idle(line, family, field.name, key, value):
            return
        unlike = verdicts.strange_congestion_control(str(value)) if field.name.endswith(" congctl") else ""
        if unlike:
            self.sink.remark(line, NO_EFFECT, f"{family} {field.name}: {unlike}")
            return
        if name == "lo" and (family, key) == ("link", "mtu") and value != 65536:
            self.sink.remark(line, HARMFUL, "the loopback device has an MTU of 65536; a smaller one makes it slower")
            return
        if name == "lo" and (family, key) == ("link", "txqueuelen"):
            self.sink.remark(line, NO_EFFECT, "the loopback device hands packets over at once, and has no queue")
            return
        of_all = name == "*" and (family, key) == ("link", "mtu")
        if of_all and not any(_LEAVES_OUT_LO.match(text[:500]) for text in self.texts):
            text = "this hits lo as well, whose MTU is 65536 by itself; the inventory leaves lo out"
            self.sink.remark(line, HARMFUL, text)
        self.sink.set(line, name, family, field.name, value, match)

    def value(self, line: int, family: Family, key: str, raw: str) -> Any:
        """A value as the inventory has it; None when only the host knows it, which is then said."""
        text = masks.shown(raw).strip() if raw == masks.MAXIMUM else raw.strip()
        if not masks.known(text) or text.lower() in _PLACEHOLDERS or text[:1] == "<" or _FILLED_IN.fullmatch(text):
            self.sink.remark(
                line, ON_HOST, f"{family.name} {key}: the value {masks.shown(text)} is known on the host only"
            )
            return None
        return self.understood(family.field(key), text)

    def understood(self, field: Field, raw: str) -> Any:
        """A value as the inventory has it, as far as the text knows it; InputError where it is none."""
        text = masks.shown(raw).strip() if raw == masks.MAXIMUM else raw.strip()
        if not masks.known(text) or text.lower() in _PLACEHOLDERS or text[:1] == "<" or _FILLED_IN.fullmatch(text):
            return text
        if field.kind == "switch" and text in ("0", "1"):
            text = "on" if text == "1" else "off"
        if field.kind == "integer" and text.lower().startswith("0x"):
            text = str(int(text, 16))
        one = inputs.understand(field, text)
        if one.kind == "exactly":
            return one.value
        return "max" if one.kind == "max" else f"{one.value}%"

    def _idle(self, line: int, family: str, field: str, key: str, value: Any) -> bool:
        """Whether a feature does nothing on this kernel; what else to know of it is noted."""
        if family != "features":
            return False
        strange = self.strange_feature(key)
        if strange:
            self.sink.remark(line, NO_EFFECT, strange)
            return True
        if field == "ufo" and self.kernel >= (4, 14):
            self.sink.remark(line, NO_EFFECT, "ufo: no NIC has it any more since Linux 4.14")
            return True
        if field == "tx-nocache-copy" and not value and self.kernel >= (3, 14):
            self.sink.remark(line, NO_EFFECT, "tx-nocache-copy: off is the default since Linux 3.14")
            return True
        if field == "lro" and value:
            self.sink.remark(line, NOTE, "lro on: not on a host that forwards or bridges")
        elif field in _DEFAULT_ON and value:
            self.sink.remark(line, NOTE, f"{field} on is what drivers have by themselves")
        elif field in ("tx", "sg") and not value:
            self.sink.remark(line, NOTE, f"{field} off takes tso and gso down with it")
        return False

    @staticmethod
    def strange_feature(key: str) -> str:
        """Why ethtool refuses a feature; empty for one that it knows."""
        family = registry.FAMILIES["features"]
        field = family.field(key).name
        known = [*verdicts.FEATURES, *(one.name for one in family.fields)]
        if field in known or key in family.aliases:
            return ""
        return f"ethtool knows no feature '{key}' and refuses the command{nearest(field, known, otherwise=False)}"

    def sysctl(self, line: int, key: str, raw: str, switches: bool = False, bound: str = "") -> None:
        """One kernel parameter; Nix and Ansible write the `switches` true and false as 1 and 0.

        Where there is a `bound`, at_least or at_most, the value is only that.
        """
        if switches:
            raw = _SWITCHES.get(raw.strip().lower(), raw)
        key = key.strip().lstrip("-").strip()
        if not masks.known(key):
            shown = masks.shown(key)
            self.sink.remark(line, ON_HOST, f"{shown}: which parameter that is, is known on the host only")
            return
        if any(char.isspace() for char in key):
            self.sink.remark(line, NO_EFFECT, f"'{key}' has a blank in it, so no parameter is set")
            return
        name = sysctl.name(key)
        if any(char in name for char in "*?["):
            self.sink.remark(
                line, ON_HOST, f"{name} is a pattern; write the parameter of each NIC, of all, or of default"
            )
            return
        if _CHANGE.fullmatch(raw.strip()):
            text = f"{name}: {raw.strip()} tells of a change; write the value that is to hold"
            self.sink.remark(line, CONDITIONAL, text)
            return
        wrong = verdicts.misnamed(name)
        if wrong:
            self.sink.remark(line, NO_EFFECT, f"{name}: {wrong}")
            return
        value = self._parameter(line, name, raw)
        if value is None:
            return
        try:
            registry.FAMILIES["sysctl"].field(name)
            inputs.understand(registry.FAMILIES["sysctl"].field(name), value)
        except InputError as error:
            if re.fullmatch(r"-?\d+(?: -?\d+)*", value):  # numbers are refused for their size, by the kernel as well
                self.sink.remark(line, NO_EFFECT, str(error))
            else:
                self.sink.unknown(line, str(error))
            return
        for verdict in verdicts.of_parameter(name, value, self.kernel):
            if verdict.kind == OTHER_TOOL and self.foreign:
                continue
            self.sink.remark(line, verdict.kind, f"{name}: {verdict.text}")
            if verdict.kind == HARMFUL:
                self.sink.harms(line, "sysctl", name, value)
            if verdict.kind != NOTE:
                return
        plain = int(value) if value.isdecimal() else value
        compared, condition = {**self.bounds_of.get(line, {}), **self.bounds}.get((name, value), ("", ""))
        bound = bound or compared
        with self.sink.noting("", without=condition):
            self.sink.set(line, HOST, "sysctl", name, {bound: plain} if bound else plain)

    def _parameter(self, line: int, name: str, raw: str) -> Optional[str]:
        """The value of a parameter with normal white space, without a comment behind it."""
        if not masks.known(raw):
            self.sink.remark(line, ON_HOST, f"{name}: the value {masks.shown(raw).strip()} is known on the host only")
            return None
        raw = re.sub(r"(?<=[\w\"'])\s+//.*", "", _DEFAULT.sub("", raw))  # a comment of other languages
        raw = re.sub(r"^\s*\[\s*(-?\d+(?:\s*,\s*-?\d+)*)\s*\]", lambda match: match[1].replace(",", " "), raw)
        foreign = _IN_WORDS.match(raw)
        raw = f"{foreign[1]} # {foreign[2]}" if foreign else raw
        value, hash_, comment = _COMMENT.sub(r"\1 #", raw).partition("#")
        value = inputs.vector(value).rstrip(";|, \uff1b\uff0c\u3002").strip("'\"`").strip()
        value = re.sub(r"^([^{\[]*?)\s*[}\]]+$", r"\1", value)  # what encloses several of them ends behind the last one
        if not value.strip(".\u2026 "):
            self.sink.remark(line, NO_EFFECT, f"{name}: no value is given")
            return None
        if name.startswith("net.") and _CODE.search(value):
            self.sink.remark(line, ON_HOST, f"{name}: the value {value} is an expression of another language")
            return None
        if re.match(r"-?\d+\s+[A-Za-z(]", value):
            self.sink.unknown(line, f"{name}: '{value}' is no number, although it begins with one")
            return None
        lost = _VARIABLE.search(value)
        if lost and name.startswith("net."):
            text = f"'{lost[0]}' stands there as it is, as between quotes of a shell, and the kernel refuses it"
            self.sink.remark(line, NO_EFFECT, f"{name}: {text}")
            return None
        wrong = refusals.why(name, value)
        if wrong:
            self.sink.remark(line, NO_EFFECT, f"{name}: {wrong}")
            return None
        if re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}", value):
            value = str(int(value, 16))  # as the kernel prints it
        if hash_ and comment:
            if not value.replace(" ", "").replace("-", "").isdecimal():
                self.sink.remark(line, NO_EFFECT, f"{name}: the comment behind the value makes the kernel refuse it")
                return None
            self.sink.remark(line, NOTE, f"{name}: the kernel reads the number and drops the comment behind it")
        return value

    def queue(self, line: int, nic: str, key: str, queue: str, raw: str) -> None:
        """A file of one queue, or of all queues of a NIC: rps_cpus, xps_cpus, rps_flow_cnt."""
        name, text = masks.name(nic), raw.strip()
        if key == "rps" and text == masks.EVERY_PROCESSOR and not queue.isdecimal():
            self.sink.set(line, name, "irq", f"{key} *", "all")
            return
        if not masks.known(text):
            words = f"write {'all, ' if key == 'rps' else ''}spread, or a list of processors"
            words = words if key != "rps_flow_cnt" else "write a number"
            self.sink.remark(line, ON_HOST, f"irq {key}: {masks.shown(text)} is known on the host only; {words}")
            return
        if key != "rps_flow_cnt":
            hint = numbers.meant_as_decimal(text)
            if hint:
                self.sink.note(line, hint)
            try:
                text = cpus.format_list(cpus.parse_mask(text.lower().replace("0x", "")))
            except ValueError:
                text = f"irq {key}: '{masks.shown(raw)}' is no mask of processors, and the kernel refuses it"
                self.sink.remark(line, NO_EFFECT, text)
                return
        elif not text.isdecimal():
            self.sink.remark(line, NO_EFFECT, f"irq {key}: '{text}' is no number, and the kernel refuses it")
            return
        if re.fullmatch(r"[<{\[].*|[A-Za-z]", masks.shown(queue)):
            self.sink.note(line, f"{masks.shown(queue)} stands for any queue; the inventory has it for each of them")
        which = queue if queue.isdecimal() else "*"
        self.sink.set(line, name, "irq", f"{key} {which}", text)
