# SPDX-License-Identifier: GPL-3.0-or-later
"""Read guides: text with commands and settings between it, in Markdown, reST, a page, or a language of its own (Puppet,
Nix, Python)."""

from __future__ import annotations

import html
import re
from typing import Callable, List, Optional, Sequence

from . import files, fragments, interfaces, kernel_files, languages, masks, modules, nix, resources, sentences
from .lexer import Broken, tokens
from .model import CONDITIONAL, NO_EFFECT, OTHER_TOOL, Line
from .settings import Guide
from .shell import Shell

_PARAMETER = re.compile(
    r"""^[\s"'|*-]*(?:boot\.kernel\.sysctl(?:\.|\s*=\s*\{\s*))?["']?((?:net|kernel|vm|fs|sunrpc|dev|user)(?:\.[\w*-]+)+)["']?\]?\s*(?:=>|=|:)\s*(.+?)\s*$"""
)
_SENTENCE = re.compile(r"[a-z]{3,}\s+[a-z]{2,}\s+[a-z]{2,}")
# A line of modprobe.d, by itself or as a text in quotes.
_OPTIONS = re.compile(r"(?:^|[\"'`])(options\s+[\w-]+\s+\w+=[^\"'`\\]*)")
_BEHIND = re.compile(r"\s+(?:#|//).*")
# A parameter with its value, as code in the middle of a sentence.
_NAMED = re.compile(r"`{1,2}((?:net|kernel|vm|fs)\.[\w./*-]+)\s*=\s*([^`]+)`")
_LANGUAGE_ENDS = re.compile(r"""\s*[;,]\s*(?:\}\s*;?)?\s*(#.*)?$""")
_PRIORITY = re.compile(r"^(?:lib\.)?mk(?:Default|Force|Override \d+)\s+")
_INTERFACE_MTU = re.compile(r"networking\.interfaces\.\"?([\w.-]+)\"?\.mtu\s*=\s*(\d+)")
# What stands on the command line of the kernel.
_BOOT = re.compile(
    r"GRUB_CMDLINE_LINUX\w*=|(?<![\w.])(?:processor\.max_cstate|intel_idle\.max_cstate|isolcpus|nohz_full|rcu_nocbs|irqaffinity"
    r"|intel_iommu|amd_iommu|iommu(?:\.passthrough|\.strict)?|pcie_aspm|mitigations|net\.ifnames|biosdevname|nosmt|idle"
    r"|intel_pstate|amd_pstate|cpufreq\.default_governor|pci)=[a-z\d]"
)
# What is markup around a command, where any other word in such brackets is to be filled in.
_TAG = re.compile(r"</?(?:code|pre|p|b|i|em|strong|tt|kbd|samp|span|div|li|ul|ol|td|tr|th|br|a|h\d)(?:\s[^>]*)?/?>")
# Fences of Markdown, and the texts of Nix, which begin at the end of a line and end at the beginning of one.
_AT_A_PROMPT = re.compile(r"#\s?(sudo|ethtool|sysctl|ip|tc|echo|nmcli|tuned-adm|setpci|ifconfig|/)")
_RULE = re.compile(r'[A-Z]+(?:\{[^}]*\})?(?:==|!=)"')
_SHELLS = ("bash", "sh", "shell", "zsh")
# A heading, or the beginning of a line, that names how to take back what the rest of a guide sets.
_UNDO_WORDS = (
    r"(?:roll(?:ing|s)?[ -]?back|revert(?:ing|s)?|undo(?:ing)?|un-?install(?:ing|ation)?|re-?enabl(?:e|ing)"
    r"|restor(?:e|ing)\s+(?:the\s+)?(?:defaults?|originals?|previous|old)|back\s+to\s+(?:the\s+)?defaults?)"
)
_UNDO = re.compile(
    rf"(?:[^\w`]|\d+(?=[.)\s])|(?:step\s+\d+|how\s+to|to|optional)\b)*{_UNDO_WORDS}\b[^`]*", re.IGNORECASE
)
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(\S.*)")
# What stands above a block that shows how not to do it.
_BAD = re.compile(
    r"\W*(?:before\s*(?:\([^)]*\))?|(?:wrong|bad|incorrect)\b[^.`]{0,30}|(?:do\s+not|don['\u2019]?t|never)(?:\s+do(?:\s+this|\s+it)?)?)\W*",
    re.IGNORECASE,
)
_BAD_EXAMPLE = "the text shows it as a bad example"
_LOADED = re.compile(
    r"boot\.(?:initrd\.)?(?:kernel|availableKernel|extraModprobe|extraModule)\w*\s*=|kernel_module\s+['\"]|kmod::load\b"
)
_LIMITS = re.compile(
    r"\S+\s+(?:soft|hard|-)\s+(?:nofile|nproc|memlock|core|stack|fsize|rss|cpu|as|sigpending|rtprio)\s+\S+"
)
_TAKES_BACK = "the text gives it for taking back what it sets"
_FENCE = re.compile(r"^\s*(```+(?!.*```)|~~~(?!~))\s*\{?\.?([\w-]*)|.*[=(\s]('')\s*$")


Detect = Callable[[Sequence[Line]], Optional[str]]
Form = Callable[[str, Sequence[Line]], None]


def read(guide: Guide, lines: Sequence[Line], detect: Detect, form: Form) -> None:
    """Blocks between fences by their own form, the rest line by line."""
    for path, file in nix.files(lines):
        guide.read_file(path, file)
    index = _lost_block(guide, lines, detect, form)
    rest: List[Line] = []
    taking_back = 0  # the level of the heading of a part that takes things back
    while index < len(lines):
        fence = _FENCE.match(lines[index][1])
        heading = _HEADING.match(lines[index][1])
        if heading and len(heading[1]) <= (taking_back or 6):
            before, taking_back = taking_back, len(heading[1]) if _UNDO.fullmatch(heading[2]) else 0
            if before != taking_back:  # any other heading may be a comment in the middle of a resource
                _lines(guide, rest, why=_TAKES_BACK if before else "")
                rest = []
        held = 0 if fence else fragments.document(lines, index)
        if held:
            _lines(guide, rest, why=_TAKES_BACK if taking_back else "")
            rest = []
            _document(guide, lines[index : index + held], detect, form)
            index += held
            continue
        if not fence:
            rest.append(lines[index])
            index += 1
            continue
        _lines(guide, rest, why=_TAKES_BACK if taking_back else "")
        above = next((text for _number, text in reversed(rest) if text.strip()), "")
        back = taking_back or (above.rstrip(" *_").endswith(":") and _UNDO.fullmatch(above))
        rest = []
        end = next(
            (k for k in range(index + 1, len(lines)) if lines[k][1].strip().startswith((fence[1] or fence[3])[:3])),
            len(lines),
        )
        block = _dedented(lines[index + 1 : end])
        for number, _text in (lines[index], *lines[end : end + 1]):
            guide.sink.nothing(number, "a fence")
        bad = _BAD_EXAMPLE if _BAD.fullmatch(above) else ""
        with guide.sink.under(NO_EFFECT, _TAKES_BACK if back else bad):
            _block(guide, block, fence[2], detect, form)
        index = end + 1
    _lines(guide, rest, why=_TAKES_BACK if taking_back else "")


def _lost_block(guide: Guide, lines: Sequence[Line], detect: Detect, form: Form) -> int:
    """How many lines are of a block whose opening fence stands before the text, as the next fence to open one shows."""
    fences = [(k, match) for k, match in enumerate(_FENCE.match(text) for _number, text in lines) if match and match[1]]
    if len(fences) < 2 or not fences[0][0] or fences[0][1][2] or not fences[1][1][2]:
        return 0
    end = fences[0][0]
    _block(guide, _dedented(lines[:end]), "", detect, form)
    guide.sink.nothing(lines[end][0], "a fence")
    return end + 1


def _document(guide: Guide, lines: Sequence[Line], detect: Detect, form: Form) -> None:
    """A text of several lines that another language holds, by its own form."""
    block = [(number, fragments.interpolated(text)) for number, text in _dedented(lines[1:-1])]
    for number, _text in (lines[0], lines[-1]):
        guide.sink.nothing(number, "around a text")
    kind = detect(block)
    if kind and kind != "prose":
        form(kind, block)
    else:
        _lines(guide, block, code=True)


def _block(guide: Guide, block: Sequence[Line], language: str, detect: Detect, form: Form) -> None:
    """What stands between two fences, by its own form or line by line."""
    kind = detect(block)
    if kind == "prose" and language in _SHELLS and _is_script(block):
        kind = "shell"
    if kind == "interfaces":
        first = next((k for k, (_number, text) in enumerate(block) if interfaces.STANZA.match(text)), 0)
        _lines(guide, block[:first], code=True)
        form(kind, block[first:])
    elif kind and kind != "prose" and (kind != "shell" or _is_script(block)):
        form(kind, block)
    else:
        _lines(guide, block, code=True)


def _dedented(block: Sequence[Line]) -> List[Line]:
    width = min((len(text) - len(text.lstrip()) for _number, text in block if text.strip()), default=0)
    return [(number, text[width:]) for number, text in block]


def _is_script(block: Sequence[Line]) -> bool:
    """Whether loops, heredocs or variables hold its lines together, and no prompt stands before them."""
    texts = [text for _number, text in block if text.strip()]
    if fragments.shows_ifcfg(block):
        return False
    if any(re.match(r"\s*[$#] ", text) and not text.lstrip().startswith("# ") for text in texts):
        return False
    try:
        tokens(block)
    except Broken:
        return False
    return any(
        text.rstrip().endswith(("\\", "do", "then", "done", "fi", "EOF"))
        or re.match(r"\s*[A-Z_a-z]\w*=|#!", text)
        or "<<" in text
        for text in texts
    )


def _lines(guide: Guide, lines: Sequence[Line], code: bool = False, why: str = "") -> None:
    """Lines without a form of their own; nothing of them is taken where there is a reason `why`."""
    index = 0
    while index < len(lines):
        back = re.search(r"[`:]", lines[index][1]) and _UNDO.match(lines[index][1].partition("`")[0])
        with guide.sink.under(NO_EFFECT, why or (_TAKES_BACK if back and not code else "")):
            index += _one(guide, lines, index, code)


def _one(guide: Guide, lines: Sequence[Line], index: int, code: bool) -> int:
    """What one line sets (with those that it goes on in); gives how many lines were used."""
    number, raw = lines[index]
    text = _filled(raw)
    count = 1
    while text.rstrip().endswith("\\") and index + count < len(lines):
        text = text.rstrip()[:-1] + " " + _filled(lines[index + count][1]).strip()
        guide.sink.nothing(lines[index + count][0], "goes on from the line before")
        guide.sink.goes_on(lines[index + count][0], number)
        count += 1
    plain = text.strip().strip("|").strip()
    loop = _loop(lines, index)
    if loop:
        Shell(guide).script(loop)
        return len(loop)
    if _RULE.match(raw.strip()):
        files.udev(guide, [(number, raw.strip())])
        return count
    if plain.startswith("/*") and "*/" not in plain:
        ends = next((k for k, (_row, one) in enumerate(lines[index:]) if "*/" in one), 0)
        for row, _text in lines[index : index + ends + 1]:
            guide.sink.nothing(row, "a comment")
        return ends + 1
    if _comment(raw) or (raw.lstrip().startswith("# ") and not _root_prompt(lines, index)):
        guide.sink.nothing(number, "a comment")
        return count
    shown = fragments.ifcfg(lines, index) or fragments.inline(lines, index, plain)
    if shown:
        files.ifcfg(guide, [(row, _filled(one)) for row, one in shown.lines], nic=shown.nic)
        return max(count, len(shown.lines))
    told = fragments.above_its_value(lines, index)
    if told:
        text = f"{' = '.join(told)} stands in a table; which of its columns that is, the text does not tell"
        guide.sink.remark(number, CONDITIONAL, masks.shown(text))
        return count
    used = resources.read(guide, lines, index)
    if used:
        return max(count, used)
    cell = fragments.cell(lines, index)
    if cell:
        guide.sysctl(number, *cell)
        return count
    held = fragments.content(lines, index)
    if held:
        guide.read_file("", held)
        guide.sink.nothing(number, "the content of a file")
        return count
    parameter = _PARAMETER.match(plain)
    if parameter and not _SENTENCE.search(_BEHIND.sub("", parameter[2])):
        value = _PRIORITY.sub("", _LANGUAGE_ENDS.sub("", parameter[2]))
        guide.sysctl(number, parameter[1], value, switches=True)
        return count
    size = _INTERFACE_MTU.search(plain)
    if size:
        guide.nic(number, size[1], "link", "mtu", size[2])
        return count
    written = languages.written(plain)
    if written:
        kernel_files.write(guide, number, *written)
        return count
    with guide.sink.under(NO_EFFECT, "the program only says it" if languages.says(raw) else ""):
        _commands(guide, number, raw, plain, code)
    guide.sink.nothing(number, "prose")
    return count


def _commands(guide: Guide, number: int, raw: str, plain: str, code: bool) -> None:
    """The commands that stand in one line, and what else it may say of a setting."""
    if sentences.only_prints(plain):
        return
    several = sentences.commands_in(plain)
    if len(several) > 1:
        for command in several:
            Shell(guide).commands(number, command)
        return
    command = sentences.command_in(plain)
    if not command:
        command = sentences.of_another_tool(plain, surely=code or bool(re.match(r"\s{3,}\S|\s*[$#] |.*\S && \S", raw)))
    if command:
        bare = command.partition(" (")[0]
        Shell(guide).commands(number, command if sentences.parses(command) else bare)
    elif sentences.sets(raw):
        _hidden(guide, number, plain)
    elif _OPTIONS.search(plain):
        modules.file(guide, [(number, found) for found in _OPTIONS.findall(plain)])
    elif _BOOT.search(plain):
        guide.sink.remark(
            number, OTHER_TOOL, f"{masks.shown(plain)}: this collection does not manage the kernel command line"
        )
    else:
        if _LOADED.match(plain):
            guide.sink.remark(number, OTHER_TOOL, f"{masks.shown(plain)}: kernel modules stay a matter of the system")
        if _LIMITS.match(plain):
            guide.sink.remark(number, OTHER_TOOL, f"{masks.shown(plain)}: limits of processes belong to limits.conf")
        for name, value in _NAMED.findall(plain):
            text = f"{name} = {value.strip()} stands in a sentence, which says whether it is to be set"
            guide.sink.remark(number, CONDITIONAL, masks.shown(text))
        mtu = "" if code else sentences.mtu_in(plain)
        if mtu:
            text = f"a sentence speaks of an MTU of {mtu}; write mtu: {mtu} for the NIC that it means"
            guide.sink.remark(number, CONDITIONAL, text)


def _hidden(guide: Guide, number: int, text: str) -> None:
    """A command within another text, such as a string in quotes with the shell's own words around it."""
    script = text.strip().rstrip(",").strip("\"'`").replace('\\"', '"')
    if sentences.parses(script):
        Shell(guide).commands(number, script)
    else:
        guide.sink.unknown(number, "a command stands in it, between words of another language")


def _filled(raw: str) -> str:
    """A line with templates and words such as <iface> as names to fill in; <max> is what it says."""
    text = html.unescape(_TAG.sub(" ", masks.templates(raw)))
    text = re.sub(r"<([A-Za-z][\w.:-]*)>", lambda match: "max" if match[1] == "max" else masks.mask(match[0]), text)
    text = masks.placeholders(text)
    return re.sub(
        r"(?<=\s)\[\W*[A-Za-z][^][$\"']*\]|#\{[^}]*\}|%[sd]\b|(?<!\$)\{[A-Za-z_][\w.]*\}",
        lambda match: masks.mask(match[0]),
        text,
    )


def _comment(raw: str) -> bool:
    plain = raw.strip()
    return (
        plain.startswith(("//", "/*", ";", "<!--", "--"))
        or (
            plain.startswith("#")
            and not re.match(r"#\s?(sudo|ethtool|sysctl|ip|tc|echo|nmcli|tuned-adm|setpci|ifconfig|/)", plain)
        )
        or (plain.startswith("#") and not plain.startswith("# "))
    )


def _root_prompt(lines: Sequence[Line], index: int) -> bool:
    """Whether `# ` is a prompt: other commands of the paragraph have no prompt of their own, nor none at all."""
    for step in (-1, 1):
        k = index + step
        while 0 <= k < len(lines) and lines[k][1].strip():
            text = lines[k][1].strip()
            command = sentences.command_in(text)
            if text.startswith("$ ") or (command and text.startswith(command.split()[0])):
                return False
            k += step
    return True


def _loop(lines: Sequence[Line], index: int) -> List[Line]:
    """A loop or condition of the shell that starts here, as a whole."""
    if not re.match(r"\s*(?:[$#]\s+)?(for\s+\w+\s+in\s|for\s+\(\(|while\s)", lines[index][1]):
        return []
    found: List[Line] = []
    for number, text in lines[index : index + 40]:
        found.append((number, re.sub(r"^\s*[$#>]\s+", "", text) if not found else text))
        if re.search(r"\bdone\b", text):
            return found if any(re.search(r"\bdo\b", one) for _number, one in found) else []
    return []
