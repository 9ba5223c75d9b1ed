# SPDX-License-Identifier: GPL-3.0-or-later
"""Know in which form a text is written, by the path of its file or by what it looks like, and who reads it."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Callable, Dict, List, Optional, Sequence

from . import (
    composed,
    documents,
    files,
    fragments,
    ifcfg,
    interfaces,
    languages,
    masks,
    modules,
    nmcli,
    prose,
    python,
    sentences,
    systemd,
    tuned,
    uci,
    udev,
    unread,
)
from .budget import TooLarge, refuse
from .model import NO_EFFECT, OTHER_TOOL, Line
from .settings import Guide
from .shell import Shell

_BY_PATH = (
    (r"/sysctl\.d/|/sysctl\.conf$|\.sysctl$", "sysctl"),
    (r"/udev/rules\.d/|\.rules$", "udev"),
    (r"/ifcfg-[^/]+$", "ifcfg"),
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
        r"/rc\.local$|\.sh$|/init\.d/|/if-up\.d/|/dispatcher\.d/|/networkd-dispatcher/|ifup-local|/bin/|/sbin/|/cron\.",
        "shell",
    ),
)
# Files that no program takes settings from.
_FOR_PEOPLE = re.compile(r"^/etc/(?:motd|issue)(?:[./]|$)|(?:^|/)README|\.(?:md|rst|html?)$", re.IGNORECASE)
_SHELL_LINE = (
    r"(sudo )?(/\S+/)?(ethtool|ip|tc|sysctl|echo|printf|cat|tee|for|do|done|if|fi|then|else|elif|case|esac|while"
    r"|function|set|exit|export|local|return|ifconfig|setpci|systemctl|service|modprobe|nmcli|uci|EOF|EOL"
    r"|eval|run|tuned-adm|set_irq\S*"
    r"|grep|awk|sed|pkill|killall|taskset|numactl|nohup|apt-get|apt|yum|dnf|wget|curl"
    r"|(?:ba|da|z)?sh\s+-c|su\s+-|ansible|ssh|docker|podman|kubectl|cd|ulimit|pushd|popd|declare|readonly|mapfile|readarray|read|shift|until"
    r"|find|ls|cp|mv|rm|mkdir|touch|chmod|sleep|trap|source)\b(?!::)"
    r"|\w+\+?=\S|\w+ ?\(\)|\[\[? |\(\s*\w|[{}]$|;;$|\} *[|>]|\{ \w+ .*\}|\[[\"']?[\w./-]+[\"']?\]=\S"
)
_YAML_LINE = r"(- )?[\w.'\"/-]+:(\s|$)|- "
# What somebody says about the lines around it.
_SENTENCE = re.compile(r"[A-Z][a-z]*( [\w(),;:'-]+){3,}[.:].*")
_AT_A_PROMPT = re.compile(r"\[?[\w.-]+@[\w.-]+[ :][^#$=]{0,40}[#$]\s+\w")
# A line in a language that is not written in Latin letters.
_IN_WORDS = re.compile(r"[^=]*[\u0400-\u9fff\uac00-\ud7af]{2}[^=]*")
_SHELL_FIRST = re.compile(r"#\s*!\s*/?.*\b(sh|bash|dash|ash|ksh|zsh)\b")


class Forms:
    """The readers of one text, and of the files that it writes."""

    def __init__(self, guide: Guide) -> None:
        self.guide = guide
        guide.read_file = self.file
        guide.is_callable = lambda path: by_path(path) in ("shell", None)
        guide.run_file = self.run
        guide.is_config = lambda path: by_path(path) is not None
        self.readers: Dict[str, Callable[[Sequence[Line]], None]] = {
            "sysctl": lambda lines: files.sysctl(guide, lines),
            "udev": lambda lines: udev.read(guide, lines),
            "modprobe": lambda lines: modules.file(guide, lines),
            "ifcfg": lambda lines: ifcfg.read(guide, lines),
            "interfaces": lambda lines: interfaces.read(guide, lines),
            "networkmanager": lambda lines: nmcli.keyfile(guide, lines),
            "systemd": lambda lines: systemd.read(guide, lines),
            "tuned": lambda lines: tuned.read(guide, lines),
            "unit": lambda lines: files.unit(guide, lines),
            "uci": lambda lines: uci.read(guide, lines),
            "crontab": lambda lines: files.crontab(guide, lines),
            "shell": self._shell,
            "makefile": lambda lines: self._shell(languages.recipes(lines)),
            "yaml": self._yaml,
            "python": self._python,
            "prose": lambda lines: prose.read(guide, lines, by_text, self.read),
        }

    def read(self, form: str, lines: Sequence[Line]) -> None:
        """A text in a form that is known by now."""
        self.readers[form](lines)

    def file(self, path: str, lines: Sequence[Line]) -> None:
        """A file that a script writes, or that was found on a host."""
        if path.endswith(".log"):
            return  # what was done, not what is to be done
        known = by_path(path)
        form = "" if _FOR_PEOPLE.search(path) else known or by_text(lines)
        unused = not known and form not in ("", None, "prose") and unread.is_one(path, self.guide.texts)
        form = "" if unused else form
        if form == "ifcfg":
            ifcfg.read(self.guide, lines, path)
        elif form == "systemd":
            systemd.read(self.guide, lines, path)
        elif form and form != "prose":
            self.read(form, lines)
        else:
            for number, text in lines:
                if sentences.holds_a_setting(text):
                    what = "is for people to read" if form == "" else "has a form that is not known here"
                    kind, what = (NO_EFFECT, "nothing in this text uses") if unused else (OTHER_TOOL, what)
                    self.guide.sink.remark(number, kind, f"it stands in {path or 'a text'}, which {what}")

    def run(self, lines: Sequence[Line], arguments: List[str]) -> bool:
        """A script that a script wrote and now calls; False where it is none."""
        if by_text(lines) != "shell":
            return False
        Shell(self.guide, arguments).script(lines)
        return True

    def _shell(self, lines: Sequence[Line]) -> None:
        """A script; an excerpt may begin within a here document, whose lines are read by what they look like."""
        count = _lost_document(lines)
        if count:
            self.file("", lines[:count])
            self.guide.sink.nothing(lines[count][0], "ends a document whose beginning is not part of this text")
            lines = lines[count + 1 :]
        Shell(self.guide, self.guide.arguments).script(lines)

    def _yaml(self, lines: Sequence[Line]) -> None:
        try:
            nodes = composed.compose(lines)
        except TooLarge as error:
            refuse(self.guide.sink, lines, str(error))
            return
        if nodes is None:
            with documents.in_a_pod(self.guide, lines):
                self.read("prose", lines)
        else:
            documents.Reader(self.guide, lines, self._inner).run(nodes)

    def _inner(self, guide: Guide, lines: Sequence[Line]) -> None:
        """A text inside of a document."""
        form = by_text(lines)
        options = form == "modprobe" and re.match(r"\s*options\s+\S+\s+\w+=", lines[0][1])
        if len(lines) == 1 and form not in ("sysctl", "udev") and not options:
            text = lines[0][1]
            command = sentences.command_in(text) or sentences.of_another_tool(text)
            if not command and sentences.sets(text) and sentences.parses(text):
                command = text
            if command:
                Shell(guide).commands(lines[0][0], command)
            return
        if form is not None and form != "yaml":
            self.read(form, lines)

    def _python(self, lines: Sequence[Line]) -> None:
        if not python.read(self.guide, lines):
            self.read("prose", lines)


def by_path(path: str) -> Optional[str]:
    """The form of a file by its path, or None."""
    return next((form for pattern, form in _BY_PATH if re.search(pattern, path)), None)


def by_text(lines: Sequence[Line]) -> Optional[str]:
    """The form of a text by what it looks like; None for an empty one."""
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
    if any(text.startswith("```") for text in texts) or re.match(r"\{.*\}\s*:|let$|\{ *(config|pkgs|lib)\b", plain[0]):
        return "prose"
    if plain[0][0] == "{" and plain[-1][-1] == "}" and any(re.match(r"\"[\w.-]+\"\s*:", text) for text in plain[:3]):
        return "yaml"  # JSON, which is YAML as well
    if languages.is_makefile([text for _number, text in lines]):
        return "makefile"
    if any(_AT_A_PROMPT.match(text) for text in texts):
        return "prose"  # what somebody typed, with what came back
    outside = _around_blocks(lines)
    if outside and _most(outside, _YAML_LINE, 0.9):
        return "yaml"
    return _by_lines(plain, first)


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


def _lost_document(lines: Sequence[Line]) -> int:
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
        end = opened[1] if opened else "" if text == end else end
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
    around = _around_documents(quotes or plain) or quotes
    # A script may call functions of its own.
    functions = [match[1] for match in (re.match(r"(?:function\s+)?([\w-]+)\s*\(\)", text) for text in plain) if match]
    shell_line = "|".join([_SHELL_LINE, *(rf"{re.escape(name)}(\s|$)" for name in functions)])
    opens = bool(around) and "<<" in around[0] and re.match(shell_line, around[0]) is not None
    if around and _most(around, shell_line, 0.6 if opens else 0.9):
        return "shell"
    headings = {text[1:-1].strip() for text in plain if re.fullmatch(r"\[[\w .:-]+\]", text)}
    first_heading = re.fullmatch(r"\[[\w .:-]+\]", plain[0]) is not None
    if first_heading and {"Link", "Network", "NetDev"} & headings:
        return "systemd"
    if first_heading and {"Service", "Unit", "Timer"} & headings:
        return "unit"
    if first_heading and "connection" in headings:
        return "networkmanager"
    if first_heading and {"main", "sysctl", "net", "cpu", "vm"} & headings:
        return "tuned"
    if _most(plain, r'[A-Z]+(\{[^}]*\})?\s*(==|!=|\+=|=)\s*"', 0.5):
        return "udev"
    if _most(plain, r"-?\s*(net|kernel|vm|fs|dev)[./][\w.*/ -]+\s*=", 0.7):
        said = any(_SENTENCE.fullmatch(text) or _IN_WORDS.fullmatch(text) for text in plain)
        return "prose" if said else "sysctl"
    if re.match(r"(config|package) [\w-]+( \S+)?$", plain[0]) and _most(plain, "(config|option|list) ", 0.9):
        return "uci"
    if any(re.match(r"iface \S+ inet6? ", text) for text in plain):
        return "interfaces"
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
        return "prose" if fragments.shows_ifcfg([(0, text) for text in plain]) else "shell"
    return "prose"


def _most(plain: Sequence[str], pattern: str, share: float) -> bool:
    return sum(bool(re.match(pattern, text)) for text in plain) >= share * len(plain)
