# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what a substitution of a shell asks the host for: its NICs, the one of the default route, queues, processors."""

from __future__ import annotations

import re
import shlex
from ipaddress import ip_address
from typing import List, Optional, Set, Tuple

from .. import masks
from ..shell.nodes import Node, Simple

_READS_LIMITS = re.compile(r"ethtool\S*\s+(-g|-l|--show-ring|--show-channels)\b")
_MEANS_MAXIMUM = re.compile(
    r"pre-?set|max|head -n? ?1\b|-m ?1\b|NR ?==|sed -n ['\"]?1 ?p|sort -n?r|exit", re.IGNORECASE
)
_LISTS_NICS = re.compile(r"(ls|basename -a|echo)\s+(-\S+\s+)*/sys/class/net/?\*?/?(?=\s|$)")
_ANSWER = re.compile(r"\w+=\"?(?:\$\((.*)\)|`(.*)`)\"?", re.DOTALL)
_SETS = re.compile(
    r"\s*(?:sudo\s+)?(?:/\S*/)?(?:ethtool\s+(?:-[A-Zs]|--(?:set|change|offload|coalesce|pause|features|config))"
    r"|sysctl\s+(?:-\w+\s+)*\S+=|ip\s+link\s+set\s|nmcli\s+c\w*\s+m)"
)


def maximum(source: str) -> bool:
    """Whether a substitution works out the most that a device can have."""
    return bool(_READS_LIMITS.search(source) and _MEANS_MAXIMUM.search(source) and not re.search(r"tail", source))


_HOLDS_LIMITS = re.compile(
    r"\"?(?:\$\(|`)\s*((?:sudo\s+)?ethtool\S*\s+(?:-g|-l|--show-ring|--show-channels)\s[^|;&]*)[)`]\"?"
)


def limits(raw: str) -> str:
    """The command of `all=$(ethtool -g NIC)`, whose whole answer a variable holds; empty for another word."""
    found = _HOLDS_LIMITS.fullmatch(masks.shown(raw))
    return found[1] if found else ""


_PROCESSORS = re.compile(
    r"[$(`\"']*(?:nproc\b|getconf\s+_NPROCESSORS|(?:cat\s+/proc/cpuinfo\s*\||[ef]?grep\s+-\w+\s).*\bprocessor\b|lscpu\b)"
)


def counts_processors(source: str) -> bool:
    """Whether a substitution gives the number of processors."""
    return _PROCESSORS.match(source.strip()) is not None


# `printf %x $(( (1 << n) - 1 ))` and its like, where n is the number of processors.
_ALL_ONES = re.compile(
    r"printf\s+[\"']?(?:0x)?%0?\d*l*[xX](?:\\n)?[\"']?\s+[\"']?\$\(\(\s*"
    r"(?:\(\s*1\s*<<\s*(?P<one>.+?)\s*\)|\(?\s*2\s*\*\*\s*(?P<two>.+?)\s*\)?)\s*-\s*1\s*\)\)[\"']?"
    r"|echo\s+[\"']?obase=16;\s*(?:ibase=10;\s*)?\(?2\^(?P<three>.+?)\)?\s*-\s*1[\"']?\s*\|\s*bc"
)


def mask_of_all(source: str, counts: Set[str]) -> bool:
    """Whether a substitution computes the mask of all processors; some variables hold how many these are."""
    found = _ALL_ONES.fullmatch(source.strip())
    number = next((one for one in found.groups() if one), "") if found else ""
    variable = re.fullmatch(r"\$?\{?(\w+)\}?", number)
    plain = re.fullmatch(
        r"\$\(\s*(nproc(?:\s+--all)?|getconf\s+_NPROCESSORS_ONLN)(?:\s+2>\s*\S+)?\s*\)|`\s*nproc\s*`", number
    )
    return plain is not None or (variable is not None and variable[1] in counts)


# Lists go through these as they are, but for lo; any other filter leaves out what the text alone does not tell.
_KEEPS_ALL = re.compile(r"\s*(e?grep\s+-[a-zA-Z]*v[a-zA-Z]*\s+[\"']?\^?lo\$?[\"']?|xargs.*|sort|cat)\s*")


# The second word of what `ip` prints of each link is its name.
_FILTERS = (
    r"e?grep\s+(-\w+\s+)*[\"']?\^\[0-9\][+*]?:?[\"']?",
    r"e?grep\s+-\w*v\w*\s+[\"']?\W*lo\W*",
    r"awk\s+(-F\s*[\"']?[: ]+[\"']?\s+)?[\"']\{\s*print \$2;?\s*\}[\"']",
    r"cut\s+-d\s*[\"']?[: ][\"']?\s+-f\s*2",
    r"tr\s+-d\s.*",
    r"sed\s+[\"']?s/:.*",
)
_IP_LISTS = re.compile(rf"ip\s+(-\w+\s+)*l(ink)?(\s+(show|list|ls))?(\s*\|\s*({'|'.join(_FILTERS)}))+")


def every_nic(source: str) -> bool:
    """Whether a substitution lists all NICs, perhaps without lo."""
    source = _named(source)
    first, _bar, rest = source.partition("|")
    briefly = re.match(r"ip\s+-br", source) is not None
    if _IP_LISTS.fullmatch(source.replace("print $1", "print $2") if briefly else source):
        return True
    if not _LISTS_NICS.search(first.strip() + " "):
        return False
    return not rest or bool(_KEEPS_ALL.fullmatch(rest))


# How the names of NICs begin that no hardware has.
_VIRTUAL_WORDS = """
    lo docker veth virbr vir br br- bond tun tap wg vnet vmbr fwbr fwpr fwln cali cilium flannel cni dummy ovs vxlan
    tailscale zt sit ifb virtual
"""
_VIRTUAL = frozenset(_VIRTUAL_WORDS.split())
_NAMES = r"(?:\"[^\"]+\"|'[^']+'|[^\"'\s|]+)"
_LEAVES_OUT = re.compile(
    rf"\s*\|\s*e?grep\s+(?:-[vEw]+\s+)*-[Ew]*v[Ewe]*\s+(?:-[vEwe]+\s+)*({_NAMES}(?:\s+-e\s+{_NAMES})*)\s*$"
)


def without_virtual(source: str) -> Tuple[str, ...]:
    """What the names begin with that a list of all NICs leaves out, where only virtual ones have such names."""
    words: List[str] = []
    listed, found = source, _LEAVES_OUT.search(source)
    while found:
        split = re.split(r"\\?\||\s-e\s", found[1])
        words[:0] = [re.sub(r"\\|[\^$()\"']|\.\*|\[0-9\]\+?|\s", "", one) for one in split]
        listed = listed[: found.start()]
        found = _LEAVES_OUT.search(listed)
    if not words or words == ["lo"] or not every_nic(listed):
        return ()
    virtual = {re.sub(r"\d+$", "", word) for word in words} <= _VIRTUAL  # `docker0` is the usual one of them
    return tuple(words) if virtual else ()


# What takes the names out of what `ip` lists of all links.
_IP_LIST = re.compile(
    r"ip\s+(?:-\w+\s+)*l(?:ink)?(?:\s+(?:show|list|ls))?\s*\|\s*(?:awk\s+(?:-F\s*(?:[\"'][: ]+[\"']|:)\s+)?"
    r"[\"']\{\s*print \$[12];?\s*\}[\"']|cut\s+-d\s*[\"']?[: ][\"']?\s+-f\s*2)\s*\|"
)
_BEGINS_WITH = re.compile(
    r"\s*e?grep\s+(?:-[Ew]+\s+)*[\"']?\^(?:\(([\w|]+)\)|(\w+))(?:\[0-9\][+*]?|\\d[+*]?|\.\*)?\$?[\"']?\s*"
)
# `grep eth`, `grep -E '^eth|^en'`: each with or without the beginning of the name.
_WITH_A_WORD = re.compile(r"\s*e?grep\s+(?:-[Ee]+\s+)*([\"']?)(\^?[a-zA-Z]\w*(?:\\?\|\^?[a-zA-Z]\w*)*)\1\s*")


def begin_with(source: str) -> List[str]:
    """Patterns of the names that a substitution lists, where it takes those that begin so."""
    first, _bar, rest = source.partition("|")
    listed = _IP_LIST.match(_named(source))
    if listed:
        rest = _named(source)[listed.end() :]
    elif not _LISTS_NICS.search(first.strip() + " "):
        return []
    within = _WITH_A_WORD.fullmatch(rest)
    if within:
        return [f"{one[1:]}*" if one[0] == "^" else f"*{one}*" for one in re.split(r"\\?\|", within[2])]
    # A bar inside of a group is none between commands.
    parts = re.split(r"\|(?![^()]*\))", rest)
    found = [match for match in map(_BEGINS_WITH.fullmatch, parts) if match]
    if len(found) != 1 or not all(_KEEPS_ALL.fullmatch(part) or _BEGINS_WITH.fullmatch(part) for part in parts):
        return []
    return [f"{one}*" for one in (found[0][1] or found[0][2]).split("|") if one]


_ROUTE_BY_IP = re.compile(
    r"ip\s+(-\S+\s+)*r(?:o|oute)?\s+(get\s+(?:to\s+)?(?P<to>[0-9A-Fa-f.:]+)|((show|list|ls)\b|\||default\b))"
)
_ROUTE_BY_TABLE = re.compile(r"(route|netstat)\s+-\w*n\w*\s*\|")
_QUERIES_DEFAULT = re.compile(r"\bdefault\b|0\.0\.0\.0|(?<![\d.])0/0|::/0|UG")
# The route itself, without a filter for one of its words.
_WHOLE_ROUTE = re.compile(
    r"ip(?:\s+-\S+)*\s+r(?:o|oute)?(?:\s+(?:show|list|ls))?(?:\s+(?:to|exact))*"
    r"(?:\s+(?:default|0/0|0\.0\.0\.0/0|::/0)|\s*\|\s*e?grep\s+[\"']?\^?default[\"']?)(?:\s*\|\s*head\s+-n?\s*1)?"
)
# What takes the device out of a line of `ip`, and out of one of `route`.
_DEVICE_OF_IP, _DEVICE_OF_TABLE = re.compile(r"\bdev\b|\$5|-f ?5\b"), re.compile(r"\$8|\$NF|\$\(NF\)")


def default_route(source: str) -> bool:
    """Whether a substitution asks for the NIC of the default route, be it as that to an address of the internet."""
    source = _named(source)
    by_ip = _ROUTE_BY_IP.match(source)
    if by_ip and by_ip["to"]:
        try:
            return ip_address(by_ip["to"]).is_global and bool(_DEVICE_OF_IP.search(source))
        except ValueError:
            return False
    if by_ip:
        return bool(_QUERIES_DEFAULT.search(source) and _DEVICE_OF_IP.search(source))
    table = _ROUTE_BY_TABLE.match(source)
    return bool(table and _QUERIES_DEFAULT.search(source) and _DEVICE_OF_TABLE.search(source))


def whole_default_route(source: str) -> bool:
    """Whether a substitution gives the default route as `ip` prints it, which `ip route change` takes."""
    return _WHOLE_ROUTE.fullmatch(_named(source)) is not None


def _named(source: str) -> str:
    """A command by the name of its program alone, as `ip` for `sudo /sbin/ip`; its errors go nowhere else."""
    plain = re.sub(r"\s*2>\s*/dev/null(?=\s|$)", "", source.strip())
    return re.sub(r"^(?:sudo\s+)?(?:/\S*/)?(?=\w)", "", plain)


_PROFILE = re.compile(
    r"nmcli\s+(?:-\w+\s+)*(?:-g|-f|--get-values|--fields)\s+GENERAL\.CON\S*\s+d(?:ev(?:ice)?)?\s+sh(?:ow)?\s+(\S+)"
)


# The same by the row of the NIC in the list of all profiles.
_ROW_OF_PROFILE = re.compile(
    r"nmcli\s+(?:-\w+\s+)*(?:-g|-f|--get-values|--fields)\s+(?:NAME|UUID)\S*DEVICE\S*"
    r"\s+c(?:on(?:nection)?)?\s+s(?:how)?(?:\s+-{1,2}a\w*)?\s*\|\s*grep\s+(?:-\w+\s+)*[\"']?:?"
    r"([a-z][\w.-]*\d[\w.-]*|\$\{?\w+\}?)\$?[\"']?\s*\|\s*(?:cut|awk)\s[^|]*(?:\|\s*head\s[^|]*)?"
)


def profile_of(source: str) -> str:
    """The word for the NIC of which a substitution asks NetworkManager the profile; empty for others."""
    found = _PROFILE.fullmatch(source.strip()) or _ROW_OF_PROFILE.fullmatch(source.strip())
    return found[1] if found else ""


# Words of `find` that leave out no NIC, and that say how one is printed.
_FIND_WORDS = {**dict.fromkeys(("-type", "-maxdepth", "-mindepth", "-printf", "-name"), 2), "-print": 1}


def found_nics(source: str) -> Optional[str]:
    """The NICs, or their folders, that `find` prints, as one pattern; None where it is no such call."""
    first, _bar, rest = source.partition("|")
    if "find" not in first:
        return None
    try:
        words = shlex.split(first)
    except ValueError:
        return None
    if words[:1] != ["find"] or (rest and not _KEEPS_ALL.fullmatch(rest)):
        return None
    if len(words) < 2 or words[1].rstrip("/") not in ("/sys/class/net", "/sys/class/net/*"):
        return None
    name, index = "*", 2
    while index < len(words) and words[index] != "-exec":
        if words[index] in ("!", "-not") and words[index + 1 : index + 2] == ["-lname"] and "virtual" in first:
            name, index = masks.HARDWARE if name == "*" else name, index + 3
        elif words[index] in _FIND_WORDS:
            name = words[index + 1] if words[index : index + 1] == ["-name"] and index + 1 < len(words) else name
            index += _FIND_WORDS[words[index]]
        else:
            return None
    alone = "%f" in first or "basename" in source
    return name if alone else f"/sys/class/net/{name}"


# Files of queues that `find` looks for, in /sys/class/net or where that leads to.
_FINDS = re.compile(
    r"find\s+(-L\s+)?[\"']?(/sys/(?:class/net|devices)\S*?)[\"']?\s+(?:[^|]*\s)?-(?:path|wholename|name)\s+"
    r"[\"']?\S*?(rps_cpus|xps_cpus|rps_flow_cnt)[\"']?(?=\s|$)[^|]*"
)


def queue_files(source: str) -> Optional[str]:
    """The files of queues that `find` prints; nothing where it does not follow the links to the NICs; else None."""
    match = _FINDS.fullmatch(source.strip())
    if not match:
        return None
    folder, nic = match[2].rstrip("/"), re.match(r"/sys/class/net/([^/]+)(/.|$)", match[2])
    if not match[1] and (folder == "/sys/class/net" or (nic and match[2] == f"/sys/class/net/{nic[1]}")):
        return ""
    side = "tx" if match[3] == "xps_cpus" else "rx"
    return f"/sys/class/net/{nic[1] if nic else '*'}/queues/{side}-*/{match[3]}"


_QUEUE = re.compile(r"/sys/class/net/[^/]+/queues/[rt]x-[^/]+")


def is_of_a_queue(path: str) -> bool:
    """Whether a path is the folder of a queue, or of all queues of a NIC."""
    return _QUEUE.fullmatch(path.rstrip("/")) is not None


def lists_in(command: Node, folder: str) -> bool:
    """Whether a command goes into a folder, of which the next one then lists what is there."""
    words = [raw for raw, _line in command.words] if isinstance(command, Simple) else []
    return len(words) == 2 and words[0] == "cd" and words[1].strip("\"'").rstrip("/") == folder


def answered(raw: str) -> str:
    """The command of `out=$(COMMAND)`; empty for another word."""
    found = _ANSWER.fullmatch(raw)
    return (found[1] or found[2] or "") if found else ""


def sets(raw: str) -> str:
    """The command of `out=$(ethtool -K eth0 gro off 2>&1)`, which sets something, whatever takes its answer."""
    command = answered(raw)
    return command if _SETS.match(command) else ""
