# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the lines of a guide that have no form of their own: commands in sentences, tables, resources."""

from __future__ import annotations

import re
from typing import List, Sequence

from .. import masks
from ..calls import foreign, pieces, sentences
from ..formats import ifcfg, udev
from ..keys import kernel_files, modules
from ..keys.settings import Guide
from ..languages import fragments, resources, source_lines
from ..model import CONDITIONAL, NO_EFFECT, ON_HOST, OTHER_TOOL, Line
from ..scripts.whole import Shell
from . import advice, assignments, choices, compounds, readers_own, slips, undoing
from .wording import NOT, untagged

_PARAMETER = re.compile(
    r"""^[\s"'|*>-]*(?:boot\.kernel\.sysctl(?:\.|\s*=\s*\{\s*))?["']?"""
    r"""((?:net|kernel|vm|fs|sunrpc|dev|user|kern|hw)(?:\.[\w*-]+)+)["']?\]?\s*(?:=>|=|:)\s*(.+?)\s*$"""
)
# A parameter into whose name a blank has come, or that has the signs of its path.
_SPELT = re.compile(
    r"[-*>\s]*((?:net|kernel|vm|fs)(?:(?:\.\w+)+\.? _?\w+|[./][\w.-]*/[\w./*-]+))\s*=\s*[\"']?([\w-]+(?:\s+\d+)*)[\"']?"
)
_SENTENCE = re.compile(r"[a-z]{3,}\s+[a-z]{2,}\s+[a-z]{2,}")
# A line of modprobe.d, by itself or as a text in quotes.
_OPTIONS = re.compile(r"(?:^|[\"'`])(options\s+[\w-]+\s+\w+=[^\"'`\\]*)")
_BEHIND = re.compile(r"\s+(?:#|//).*")
# What a guide says behind a number: `16777216 (16 MB)`.
_EXPLAINED = re.compile(r"(?<=\d)\s+\([^()]*\)$")
_LANGUAGE_ENDS = re.compile(r"""\s*[;,]\s*(?:\}\s*;?)?\s*(#.*)?$""")
_PRIORITY = re.compile(r"^(?:lib\.)?mk(?:Default|Force|Override \d+)\s+")
_MTU_ALONE = re.compile(r"mtu\s*[=:]?\s*\d+", re.IGNORECASE)
_NO_MTU = re.compile(rf"\b(?:{NOT}|avoid)\b[^.;:]{{0,40}}\bmtu\b", re.IGNORECASE)
_INTERFACE_MTU = re.compile(r"networking\.interfaces\.\"?([\w.-]+)\"?\.mtu\s*=\s*(\d+)")
_AT_A_PROMPT = re.compile(r"#\s?(sudo|ethtool|sysctl|ip|tc|echo|nmcli|tuned-adm|setpci|ifconfig|/)")
# Words behind the sign of a comment: `# Raise the ring for 10G`.
_NOTE = re.compile(r"\s*#\s+[A-Z][a-z]*[,:]?\s+\w+")
# A command that a narrow page goes on with in the next line, without a sign for that.
_WRAPPED = re.compile(r"\s*(?:[#$]\s+)?(?:sudo\s+)?ethtool\s+--?[A-Za-z][\w-]*\s+\S+(?:\s+[a-z][\w-]*\s+\S+)+\s*")
_ITS_END = re.compile(r"\s+(?:(?:rx|tx|combined|other|autoneg|[a-z]+(?:-[a-z\d]+)+)\s+(?:on|off|\d+)(?:\s+|$))+")
# What ifupdown runs when a NIC comes up, where a text shows the line alone.
_HOOK = re.compile(r"\s*(?:pre-up|post-up|up)\s+((?:for|if|while)\s.*\b(?:done|fi))\s*")
_PRINTS = re.compile(r"(?:sudo\s+)?(?:echo|printf|(?:ba|da|z)?sh\s+-\w*c)\s+(?:-\w+\s+)*[\"']")
_INTO_A_FILE = re.compile(r"(?:>|\btee\b)\s*(?:-a\s+)?[\"']?/(?:etc|proc|sys)/")
_MOST_QUOTED = 60  # lines of a text in quotes
# A file of the kernel without the folder in which it lies.
_IN_A_FOLDER = re.compile(
    r"\b(?:echo|printf)\s[^|>]*(?:>|\|\s*(?:sudo\s+)?tee\s)\s*(?:\./)?"
    r"(?:smp_affinity(?:_list)?|[rx]ps_cpus|xps_rxqs|rps_flow_cnt|sriov_numvfs|tx_queue_len|gro_flush_timeout|mtu)\b"
)
# Words in brackets that the reader is to replace; those of a rule of udev name what it looks at.
_TO_FILL_IN = re.compile(
    r"(?<=\s)\[\W*[A-Za-z][^][$\"']*\]|#\{[^}]*\}|(?<!\$)(?<!ATTR)(?<!ATTRS)(?<!ENV)\{[A-Za-z_][\w.]*\}"
)
# A text of Python with expressions in it.
_F_STRING, _EXPRESSION = re.compile(r"(?<!\w)r?f[\"']"), re.compile(r"(?<![\w$}])\{[A-Za-z\d_][^{}\"']*\}")
_RULE = re.compile(r'[A-Z]+(?:\{[^}]*\})?(?:==|!=)"')
_LOADED = re.compile(
    r"boot\.(?:initrd\.)?(?:kernel|availableKernel|extraModprobe|extraModule)\w*\s*=|kernel_module\s+['\"]|kmod::load\b"
)
_POWER = re.compile(r"(?:powerManagement\.cpuFreqGovernor|powerManagement\.cpufreq\.\w+)\s*=")
_LIMITS = re.compile(
    r"\S+\s+(?:soft|hard|-)\s+(?:nofile|nproc|memlock|core|stack|fsize|rss|cpu|as|sigpending|rtprio)\s+\S+"
)


def read(guide: Guide, lines: Sequence[Line], code: bool = False, why: str = "") -> None:
    """Lines without a form of their own; nothing of them is taken where there is a reason `why`."""
    index = 0
    while index < len(lines):
        bad = ""
        if not code and "`" in lines[index][1] and lines[index][0] not in guide.sink.never:
            bad, text = advice.in_sentence(lines[index][1])
            lines = [*lines[:index], (lines[index][0], text), *lines[index + 1 :]]
        back = re.search(r"[`:]", lines[index][1]) and undoing.UNDO.match(lines[index][1].partition("`")[0])
        with guide.sink.under(NO_EFFECT, why or bad or (undoing.TAKES_BACK if back and not code else "")):
            index += _one(guide, lines, index, code)


def _one(guide: Guide, lines: Sequence[Line], index: int, code: bool) -> int:
    """What one line sets (with those that it goes on in); gives how many lines were used."""
    number, raw = lines[index]
    other = choices.other_number(raw)
    if other:
        guide.sink.note(number, f"the text gives {other} as another value")
    quoted = _quoted(lines, index)
    if quoted:
        Shell(guide).script(quoted)
        return len(quoted)
    if readers_own.is_at_a_prompt(raw):
        readers_own.keep_variables(guide, [lines[index]])
    text = _filled(raw)
    count = 1
    while text.rstrip().endswith("\\") and index + count < len(lines):
        text = text.rstrip()[:-1] + " " + _filled(lines[index + count][1]).strip()
        guide.sink.nothing(lines[index + count][0], "goes on from the line before")
        guide.sink.goes_on(lines[index + count][0], number)
        count += 1
    wraps = (
        count == 1 and index + 1 < len(lines) and _WRAPPED.fullmatch(text) and _ITS_END.fullmatch(lines[index + 1][1])
    )
    if wraps:
        text = f"{text.rstrip()} {lines[index + 1][1].strip()}"
        guide.sink.nothing(lines[index + 1][0], "goes on from the line before")
        guide.sink.goes_on(lines[index + 1][0], number)
        count = 2
    plain = text.strip().strip("|").strip()
    whole = compounds.at(lines, index)
    if whole:
        Shell(guide).script(whole.lines)
        return whole.taken
    hook = _HOOK.fullmatch(plain)
    if hook and sentences.parses(hook[1]):
        Shell(guide).commands(number, hook[1])
        return count
    if _RULE.match(raw.strip()):
        udev.read(guide, [(number, raw.strip())])
        return count
    if plain.startswith("/*") and "*/" not in plain:
        ends = next((k for k, (_row, one) in enumerate(lines[index:]) if "*/" in one), 0)
        for row, _text in lines[index : index + ends + 1]:
            guide.sink.nothing(row, "a comment")
        return ends + 1
    if _comment(raw) or (raw.lstrip().startswith("# ") and not _root_prompt(lines, index, code)):
        guide.sink.nothing(number, "a comment")
        return count
    # Words within a block say themselves what its lines are for.
    above = () if any(one.strip() and "=" not in one for _row, one in lines[:index]) else guide.above
    seen, position = [*above, *lines], index + len(above)
    shown = fragments.ifcfg(seen, position) or fragments.inline(seen, position, plain)
    if shown:
        ifcfg.read(guide, [(row, _filled(one)) for row, one in shown.lines], nic=shown.nic)
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
    if cell and cell[1]:
        guide.sysctl(number, *cell)
        return count
    if cell:
        text = f"{cell[0]} stands in a table; which value of its columns is to be set, the text does not tell"
        guide.sink.remark(number, CONDITIONAL, text)
        return count
    columns = fragments.columns(lines, index)
    if columns:
        text = f"{', '.join(columns)}: it is a row of a table; which of its rows is meant, the text does not tell"
        guide.sink.remark(number, CONDITIONAL, text)
        return count
    held = fragments.content(lines, index)
    if held:
        guide.read_file("", held)
        guide.sink.nothing(number, "the content of a file")
        return count
    if assignments.several(guide, number, plain) or assignments.told(guide, lines, index):
        return count
    parameter = _PARAMETER.match(plain)
    between = plain[parameter.end(1) : parameter.start(2)] if parameter else ""
    if (
        parameter
        and not assignments.describes(parameter[1], between, parameter[2])
        and not _SENTENCE.search(_BEHIND.sub("", parameter[2]))
    ):
        # Whatever reads `key: value` or `key => value` drops a comment itself; sysctl does not.
        value = _BEHIND.sub("", parameter[2]) if re.search(r":|=>", between) else parameter[2]
        value = _EXPLAINED.sub("", _PRIORITY.sub("", _LANGUAGE_ENDS.sub("", value)))
        value = assignments.by_name(guide, lines, index, value)
        value = masks.mask(value) if "=>" in between and value.startswith("$") else value  # a variable, not a text
        guide.sysctl(number, parameter[1], value, switches=True)
        return count
    filled = source_lines.computed(plain)
    if filled:
        guide.sysctl(number, *filled)
        return count
    put = source_lines.element(plain)
    if put:
        said = f"{put[0]} = {put[1]} goes into a table of the program, whose conditions the host decides"
        guide.sink.remark(number, CONDITIONAL, masks.shown(said))
        for one in guide.sink.settings:
            if (one.family, one.key) == ("sysctl", put[0]):
                guide.sink.note(one.line, f"{guide.sink.position(number)} gives it another value in some cases")
        return count
    spelt = _SPELT.fullmatch(plain)
    if spelt:
        guide.sysctl(number, spelt[1], spelt[2])
        return count
    size = _INTERFACE_MTU.search(plain)
    if size:
        guide.nic(number, size[1], "link", "mtu", size[2])
        return count
    written = source_lines.written(plain)
    if written:
        kernel_files.write(guide, number, *written)
        return count
    with guide.sink.under(NO_EFFECT, "the program only says it" if source_lines.says(raw) else ""):
        _commands(guide, number, raw, plain, code)
    guide.sink.nothing(number, "prose")
    return count


def _commands(guide: Guide, number: int, raw: str, plain: str, code: bool) -> None:
    """The commands that stand in one line, and what else it may say of a setting."""
    if sentences.only_prints(plain):
        return
    if choices.leaves_open(plain) and sentences.holds_a_setting(sentences.PROMPT.sub("", plain, count=1)):
        guide.sink.remark(
            number, CONDITIONAL, f"{masks.shown(plain)}: it gives on and off; write the one that is to hold"
        )
        return
    several = sentences.commands_in(plain)
    if several:
        for command in several:
            Shell(guide).commands(number, command)
        return
    for piece in [] if code else pieces.of(plain):
        with guide.sink.under(NO_EFFECT, advice.AGAINST if piece.against else ""):
            Shell(guide).commands(number, piece.command)
        several = [piece.command]
    if several:
        return
    slip = slips.of_a_program(sentences.PROMPT.sub("", plain, count=1))
    if slip:
        guide.sink.unknown(number, slip)
        return
    command = sentences.command_in(plain) or sentences.in_a_span(plain)
    if not command:
        command = sentences.of_another_tool(plain, surely=code or bool(re.match(r"\s{3,}\S|\s*[$#] |.*\S && \S", raw)))
    if command:
        bare = command.partition(" (")[0]
        Shell(guide).commands(number, command if sentences.parses(command) else bare)
    elif sentences.sets(untagged(advice.kept(raw))):
        _hidden(guide, number, plain)
    elif _OPTIONS.search(plain):
        modules.file(guide, [(number, found) for found in _OPTIONS.findall(plain)])
    elif foreign.OF_BOOT.search(plain):
        guide.sink.remark(
            number, OTHER_TOOL, f"{masks.shown(plain)}: this collection does not manage the kernel command line"
        )
    elif foreign.of_a_switch(plain):
        guide.sink.remark(
            number, OTHER_TOOL, f"{masks.shown(plain)}: it is for a switch or router with a system of its own"
        )
    elif _IN_A_FOLDER.search(plain):
        guide.sink.remark(
            number, ON_HOST, f"{masks.shown(plain)}: of which device this file is, the line does not tell"
        )
    else:
        if _LOADED.match(plain):
            guide.sink.remark(number, OTHER_TOOL, f"{masks.shown(plain)}: kernel modules stay a matter of the system")
        if _POWER.match(plain):
            guide.sink.remark(number, OTHER_TOOL, f"{masks.shown(plain)}: it is of the processors")
        if _LIMITS.match(plain):
            guide.sink.remark(number, OTHER_TOOL, f"{masks.shown(plain)}: limits of processes belong to limits.conf")
        assignments.spoken(guide, number, plain)
        mtu = "" if code and not _MTU_ALONE.fullmatch(plain) else sentences.mtu_in(plain)
        if mtu and _NO_MTU.search(plain):
            guide.sink.remark(number, NO_EFFECT, f"an MTU of {mtu}: {advice.AGAINST}")
        elif mtu:
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
    raw = re.sub(r"(?<!`)```([^`]+)```(?!`)", r"`\1`", raw)  # more marks than one around code in a sentence
    if _F_STRING.search(raw):
        raw = _EXPRESSION.sub(lambda match: masks.mask(match[0].replace(" ", "")), raw)
    text = untagged(masks.templates(advice.kept(raw)))
    text = re.sub(
        r"<([A-Za-z][\w.:-]*(?: [\w.:-]+){0,3}|\?+|\w+(?:\|\w+)+)>",
        lambda match: "max" if match[1] == "max" else masks.mask(match[0].replace(" ", "_")),
        text,
    )
    text = masks.placeholders(text)
    if "printf" not in raw:
        text = re.sub(r"%[sd]\b", lambda match: masks.mask(match[0]), text)
    return _TO_FILL_IN.sub(lambda match: masks.mask(match[0]), text)


def _comment(raw: str) -> bool:
    plain = raw.strip()
    return (
        plain.startswith(("//", "/*", ";", "<!--", "--"))
        or (plain.startswith("#") and not _AT_A_PROMPT.match(plain))
        or (plain.startswith("#") and not plain.startswith("# "))
    )


def _root_prompt(lines: Sequence[Line], index: int, block: bool) -> bool:
    """Whether `# ` is a prompt: no command of its paragraph or block stands without one, no words behind one."""
    bare = any(text[:1] not in ("#", "$") and sentences.command_in(text) for _number, text in lines)
    if block and bare:
        return False
    for step in (-1, 1):
        k = index + step
        while 0 <= k < len(lines) and lines[k][1].strip():
            text = lines[k][1].strip()
            command = sentences.command_in(text)
            if text.startswith("$ ") or (command and text.startswith(command.split()[0])):
                return False
            k += step
    above = index - 1
    while above >= 0 and lines[above][1].lstrip().startswith("#") and not _NOTE.match(lines[above][1]):
        above -= 1
    return not (bare and above >= 0 and _NOTE.match(lines[above][1]))


def _quoted(lines: Sequence[Line], index: int) -> List[Line]:
    """A command whose text in quotes goes on in the lines below, and which writes it into a file."""
    first = sentences.PROMPT.sub("", lines[index][1], count=1)
    if not _PRINTS.match(first) or sentences.parses(first):
        return []
    found = [(lines[index][0], first)]
    for row in lines[index + 1 : index + _MOST_QUOTED]:
        found.append(row)
        if sentences.parses("\n".join(text for _number, text in found)):
            return found if any(_INTO_A_FILE.search(text) for _number, text in found) else []
    return []
