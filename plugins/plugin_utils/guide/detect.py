# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell in which form a text is written, by the path of its file or by what it looks like."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import List, Optional, Sequence, Tuple

from . import masks
from .formats import diffs
from .languages import fragments, makefiles
from .model import Line
from .prose import advice, answers

_BY_PATH = (
    (r"/sysctl\.d/|(?:^|/)sysctl\.conf$|\.sysctl$", "sysctl"),
    # Audit, polkit and firewalls have files of rules as well.
    (r"/udev/rules\.d/|^(?!/etc/|.*/(?:audit|polkit-1|iptables|nftables|ufw|snort|suricata)/).*\.rules$", "udev"),
    (r"(?:^|/)ifcfg-[^/]+$", "ifcfg"),
    (r"/network/interfaces(\.d/.*)?$", "interfaces"),
    (r"/system-connections/|\.nmconnection$", "networkmanager"),
    (r"/netplan/.*|\.ya?ml(\.j2)?$", "yaml"),
    (r"\.(link|network|netdev)(\.d/.*)?$", "systemd"),
    (r"/tuned/.*tuned\.conf$|/tuned\.conf$", "tuned"),
    (r"\.py$", "python"),
    (r"(^|/)(GNU)?[Mm]akefile$|\.mk$", "makefile"),
    (r"/modprobe\.d/|/modprobe\.conf$", "modprobe"),
    (r"/modules-load\.d/|/etc/modules$", "modprobe"),
    (r"\.(service|timer)(\.d/.*)?$", "unit"),
    (r"^/etc/config/[^/]+$", "uci"),
    (r"/cron\.d/|/crontab$|/spool/cron/", "crontab"),
    (
        r"/rc\.local$|\.sh$|/conf\.d/net$|/rc\.inet1\.conf$|/init\.d/|/if-up\.d/|/dispatcher\.d/|/networkd-dispatcher/|ifup-local|/bin/|/sbin/|/cron\.",
        "shell",
    ),
)
_SHELL_LINE = (
    r"(sudo )?(/\S+/)?(ethtool|ip|tc|sysctl|echo|printf|cat|tee|for|do|done|if|fi|then|else|elif|case|esac|while"
    r"|function|set|exit|export|local|return|ifconfig|setpci|systemctl|service|modprobe|nmcli|uci|EOF|EOL"
    r"|eval|run|tuned-adm|tuna|set_irq\S*"
    r"|nsenter|grep|awk|sed|pkill|killall|taskset|numactl|nohup|apt-get|apt|yum|dnf|wget|curl"
    r"|(?:ba|da|z)?sh\s+-c|su\s+-|ansible|ssh|docker|podman|kubectl|cd|ulimit|pushd|popd|declare|readonly|mapfile|readarray|read|shift|until"
    r"|find|ls|cp|mv|rm|mkdir|touch|chmod|sleep|trap|source)\b(?!::)"
    r"|(?:sudo\s+)?/etc/(?:rc\.d/)?init\.d/\S+\s|sudo\s+[\"']?\$\{?\w+\}?[\"']?\s"
    r"|\"?\$\{?\w+(?:\[@\])?\}?\"?\s+(?!\.?=|->)[-\w./$\"'{]"
    r"|\w+\+?=\S|\w+ ?\(\)|\[\[? |\(\s*\w|[{}]$|;;$|\} *[|>]|\{ \w+ .*\}|\[[\"']?[\w./-]+[\"']?\]=\S|\w+\[\w+\]\+?="
)
_YAML_LINE = r"(- )?[\w.'\"/-]+:(\s|$)|- "
# What somebody says about the lines around it.
_SENTENCE = re.compile(r"[A-Z][a-z]*( [\w(),;:'-]+){3,}[.:].*")
# How a text of several lines begins in Nix.
_OF_NIX = re.compile(r"\w\s+=\s+''$")
# How one begins in Terraform, where a shell would take the name for a program.
_OF_TERRAFORM = re.compile(r"\w+\s+=\s+(?:\w+\(\s*)*<<[-~]?\s*\w+\s*$")
# The same in any language, where a file has words and values.
_SAID = re.compile(r"\S+(?: \S+){1,}[.:!?]")
# What heads a section of a file.
_SECTION = re.compile(r"\[[\w .:-]+\]")
# By form, the headings that tell it from other files of sections.
_HEADINGS = {
    "systemd": {"Link", "Network", "NetDev"},
    "unit": {"Service", "Unit", "Timer"},
    "networkmanager": {"connection"},
    "tuned": {"main", "sysctl", "net", "cpu", "vm"},
}
# What a unit of systemd runs.
_STARTS = re.compile(r"Exec(?:Start|StartPre|StartPost|Reload|Stop)=")
# A line of such a file.
_ENTRY = r"\[[^]]+\]$|[^\s=]+\s*="
# A whole line of it, between commands.
_TELLS = re.compile(r"[A-Z][a-z']*( [\w(),;'/-]+){2,}[.:](?: [A-Z][\w(),;:' /-]+\.)*|[A-Z][a-z']* [\w(),;'/ -]+:")
# What makes one command of several lines, or one line hang on another.
_COMPOUND = re.compile(r"(?:^|[\s;])(?:then|do|else|fi|done|esac|\{|\}|\\)\s*$|<<|\(\)|^(?:export\s+)?\w+=|\$\{?\w")
_AT_A_PROMPT = re.compile(r"\[?[\w.-]+@[\w.-]+[ :][^#$=]{0,40}[#$]\s+\w")
# A line in a language that is not written in Latin letters.
_IN_WORDS = re.compile(r"[^=]*[\u0400-\u9fff\uac00-\ud7af]{2}[^=]*")
# Words that somebody says without a sign at their end.
_TALKS = re.compile(r"[^=:#]*(?:\s[a-z'\u2019]+,?){6,}[^=:#]*")
# A command, which no file of sysctl has.
_COMMAND = re.compile(r"(?:sudo\s+)?(?:/\S*/)?(?:ifconfig|ethtool|ip\s+link|tc\s+qdisc|sysctl|udevadm|echo)\s+\S")
# What begins a here document behind blanks: these, and the word that ends it.
_BEGINS_INDENTED = re.compile(r"(\s+)\S.*<<\s*[\"']?([A-Za-z_]\w*)[\"']?")
# A resource of Puppet, whose type may be the name of a program.
_RESOURCE = re.compile(r"(?:sysctl|exec|file|augeas|ethtool|kmod)(?:::\w+)*\s*\{\s*['\"$][^'\"]*['\"]?\s*:")
# What scripts call the functions that tell what they do.
_SAYS = re.compile("(?:log|info|warn|err|msg|ok|section|step|title|header|banner|success|fail|die|note)[a-z_]*")
_SHELL_FIRST = re.compile(r"#\s*!\s*/?.*\b(sh|bash|dash|ash|ksh|zsh)\b")


def by_path(path: str) -> Optional[str]:
    """The form of a file by its path, or None."""
    return next((form for pattern, form in _BY_PATH if re.search(pattern, path)), None)


def by_text(lines: Sequence[Line]) -> Optional[str]:
    """The form of a text by what it looks like; None for an empty one."""
    if diffs.is_one(lines):
        return "prose"
    texts = [masks.templates(text).strip() for _number, text in lines]
    texts = [text for text in texts if text]
    plain = [text for text in texts if text[0] not in "#;"]
    if not plain:
        return "shell" if texts else None
    # Who pastes a script may write its path above it.
    comments = takewhile(lambda text: text[0] == "#", texts)
    first = next((text for text in comments if text.startswith("#!")), texts[0])
    if _SHELL_FIRST.match(first):
        return "shell"
    if re.match(r"#\s*!.*python", first) or any(
        re.match(r"(import \w+|from [\w.]+ import )", text) for text in plain[:6]
    ):
        return "python"
    if any(text.startswith("```") or _OF_NIX.search(text) for text in texts) or re.match(
        r"\{.*\}\s*:|let$|\{ *(config|pkgs|lib)\b", plain[0]
    ):
        return "prose"
    opens = next((text for text in plain if "<<" in text), "")
    if _OF_TERRAFORM.match(opens) or any(_RESOURCE.match(text) for text in plain):
        return "prose"
    if plain[0][0] == "{" and plain[-1][-1] == "}" and any(re.match(r"\"[\w.-]+\"\s*:", text) for text in plain[:3]):
        return "yaml"  # JSON, which is YAML as well
    if makefiles.is_makefile([text for _number, text in lines]):
        return "makefile"
    if any(_AT_A_PROMPT.match(text) or advice.is_marked(text) for text in texts):
        return "prose"  # what somebody typed, with what came back
    if _ends_indented(lines):
        return "prose"  # indented code of a guide, for a shell would go on to the end of the text
    outside = _around_blocks(lines)
    if outside and _most(outside, _YAML_LINE, 0.9):
        return "yaml"
    form = _by_lines(plain, first)
    return "prose" if form == "sysctl" and any(map(answers.reads, texts)) else form


def _ends_indented(lines: Sequence[Line]) -> bool:
    """Whether a here document has no end but one that is indented as far as what begins it."""
    texts = [text.rstrip() for _number, text in lines]
    begins = (match for match in map(_BEGINS_INDENTED.match, texts) if match)
    return any(match[2] not in texts and match[1] + match[2] in texts for match in begins)


def _around_blocks(lines: Sequence[Line]) -> List[str]:
    """The lines without the texts below `key: |` of a document; none where it has no such text."""
    found: List[str] = []
    width, blocks = -1, 0
    for _number, raw in lines:
        text = masks.templates(raw).strip()
        depth = len(raw) - len(raw.lstrip())
        if not text or text[0] == "#" or (width >= 0 and depth > width):
            continue
        opened = re.search(r"^\s*(?:- )*[\w./-]+:\s+[|>][-+\d]*\s*$", raw)
        width = depth if opened else -1
        blocks += opened is not None
        found.append(text)
    return found if blocks else []


def files(lines: Sequence[Line]) -> List[Tuple[str, List[Line]]]:
    """The files of which a text shows several, each below its path in a comment or what opens it; none where all of
    them are of one form, unless each of these is for a NIC of its own."""
    found: List[Tuple[str, List[Line]]] = []
    for number, text in lines:
        named = re.fullmatch(r"\s*[#;]+\s*(?:(?:sudo\s+)?(?:vim?|nano|cat|more|less)\s+)?(/etc/\S+?):?\s*", text)
        if named and by_path(named[1]):
            found.append((named[1], []))
        elif not found and text.strip():
            return []
        if found:
            found[-1][1].append((number, text))
    paths = {path for path, _lines in found}
    forms = {by_path(path) for path in paths}
    return found if len(forms) > 1 or (len(paths) > 1 and forms <= {"ifcfg", "systemd"}) else []


def lost_document(lines: Sequence[Line]) -> int:
    """How many lines belong to a here document that begins before the text does."""
    ends = next((k for k, (_number, text) in enumerate(lines) if re.fullmatch(r"EO[A-Z]|_?EOF_?|[A-Z]*CONF", text)), 0)
    begins = any("<<" in text or text.startswith("#!") for _number, text in lines[:ends])
    return 0 if begins or by_text(lines[:ends]) in ("shell", "prose", None) else ends


def _around_documents(plain: Sequence[str]) -> List[str]:
    """The lines without the here documents; none where a text has no such document."""
    found: List[str] = []
    end, documents = "", 0
    for text in plain:
        opened = re.search(r"<<-?\s*[\"'\\]?(\w+)", text) if not end else None
        if not end:
            found.append(text)
        # A shell that is given the document as a word has its quote behind it: `bash -c "cat > file <<EOF ... EOF"`.
        end = opened[1] if opened else "" if text.rstrip("\"'") == end else end
        documents += bool(opened)
    return found if documents and not end else []


def _around_quotes(plain: Sequence[str]) -> List[str]:
    """The lines without the texts of several lines that `echo "` begins; none where a text has no such quotes."""
    found: List[str] = []
    inside, quoted = False, 0
    for text in plain:
        turns = len(re.findall(r'(?<!\\)"', text)) % 2 == 1
        if not inside:
            opens = turns and re.search(r"(echo|printf)\s+(-\w+\s+)*\"[^\"]*$", text) is not None
            inside, quoted = opens, quoted + opens
            found.append(text)
        elif turns:
            inside = False
    return found if quoted and not inside else []


def _by_lines(plain: List[str], first: str) -> str:
    quotes = _around_quotes(plain)
    around = _heads(_around_documents(quotes or plain) or quotes)
    # A script may call functions of its own.
    functions = [match[1] for match in (re.match(r"(?:function\s+)?([\w-]+)\s*\(\)", text) for text in plain) if match]
    functions += _called_elsewhere(plain)
    shell_line = "|".join([_SHELL_LINE, *(rf"{re.escape(name)}(\s|$)" for name in functions)])
    opens = bool(around) and "<<" in around[0] and re.match(shell_line, around[0]) is not None
    if around and _most(around, shell_line, 0.6 if opens else 0.9):
        return "shell"
    if any(map(_STARTS.match, plain)) and _most(plain, _ENTRY, 1):
        return "unit"  # the end of one, whose first heading stands before the text
    headings = {text[1:-1].strip() for text in plain if _SECTION.fullmatch(text)}
    first_heading = _SECTION.fullmatch(plain[0]) is not None
    if first_heading and any(
        _TELLS.fullmatch(text) and _SECTION.fullmatch(below) for text, below in zip(plain, plain[1:])
    ):
        return "prose"  # the words of a guide stand between its sections
    sections = [form for form, names in _HEADINGS.items() if first_heading and names & headings]
    if sections:
        goes_on = [False, *(text.endswith("\\") for text in plain)]
        entries = [text for text, below in zip(plain, goes_on) if not below]
        return sections[0] if _most(entries, _ENTRY, 0.8) else "prose"
    if _most(plain, r'[A-Z]+(\{[^}]*\})?\s*(==|!=|\+=|=)\s*"', 0.5):
        return "udev" if not any("<<" in text or _COMMAND.match(text) for text in plain) else "prose"
    if _most(plain, r"-?\s*(net|kernel|vm|fs|dev)[./][\w.*/ -]+\s*=", 0.7):
        said = any(one.fullmatch(text) for text in plain for one in (_SENTENCE, _TELLS, _IN_WORDS, _TALKS))
        said = said or any(_COMMAND.match(text) for text in plain)
        return "prose" if said else "sysctl"
    if re.match(r"(config|package) [\w-]+( \S+)?$", plain[0]) and _most(plain, "(config|option|list) ", 0.9):
        return "uci"
    if any(re.match(r"iface \S+( inet6? .*)?$", text) for text in plain):
        said = any(_SAID.fullmatch(text) or _IN_WORDS.fullmatch(text.partition(" #")[0]) for text in plain)
        return "prose" if said else "interfaces"
    if _most(plain, r"(options|blacklist|alias|install|softdep) \w+", 0.7):
        return "modprobe"
    if any(text.startswith(("DEVICE=", "ONBOOT=", "BOOTPROTO=", "ETHTOOL_OPTS")) for text in plain) and _most(
        plain, r"\w+=", 0.9
    ):
        return "ifcfg"
    if first.startswith(("---", "apiVersion:", "network:", "#cloud-config")) or _most(plain, _YAML_LINE, 0.7):
        return "yaml"
    if _most(plain, r"@(reboot|hourly|daily)|([-*/,0-9]+\s+){5}", 0.6):
        return "crontab"
    if _most(plain, shell_line, 0.6):
        told = fragments.shows_ifcfg([(0, text) for text in plain]) or _is_told(around or plain)
        return "prose" if told and not first.startswith("#!") else "shell"
    return "prose"


def _heads(plain: Sequence[str]) -> List[str]:
    """The lines without those that go on with the one above."""
    return [text for text, before in zip(plain, ["", *plain]) if not before.endswith("\\")]


def _called_elsewhere(plain: Sequence[str]) -> List[str]:
    """A function of another file that a part of a script hands one text after the other."""
    if not any(re.search(r"^(?:if|elif)\s.*;\s*then$|^fi$|^done$", text) for text in plain):
        return []
    words = [match[1] for match in (re.match(r"(\w+)\s+[\"'].*[\"']$", text) for text in plain) if match]
    return [word for word in sorted({*words}) if words.count(word) >= 3 or _SAYS.fullmatch(word)]


def _is_told(plain: Sequence[str]) -> bool:
    """Whether sentences stand between commands of one line each, so that no line needs another one to be read."""
    return any(_TELLS.fullmatch(text) for text in plain) and not any(_COMPOUND.search(text) for text in plain)


def _most(plain: Sequence[str], pattern: str, share: float) -> bool:
    return sum(bool(re.match(pattern, text)) for text in plain) >= share * len(plain)
