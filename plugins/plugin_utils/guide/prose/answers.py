# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what a text only shows: what a command printed, the values of before, and commands that were refused."""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple, Sequence, Set, Tuple

from ..calls import sentences
from ..model import CONDITIONAL, NO_EFFECT, NOTHING, Line
from .wording import OUTPUT, RESULT, frames, unmarked

# By line, the kind of what becomes of it, and why.
Asides = Dict[int, Tuple[str, str]]

# A parameter as sysctl prints it: with blanks around the sign, and nothing behind the value.
_PRINTED = re.compile(r"\s*(?:[>|]\s*)*((?:net|kernel|vm|fs|dev|user|sunrpc)(?:\.[\w/*-]+)+)\s+=(?:\s+(.*))?")
_ASSIGNED = re.compile(r"\s*(?:[>|]\s*)*(?:net|kernel|vm|fs)(?:[./][\w*-]+)+\s*=")
_IN_A_ROW = re.compile(r"\s*\|\s*[`*]*(?:net|kernel|vm|fs)(?:[./][\w*-]+)+[`*]*\s*\|")
# What runs another program, on some processors or elsewhere.
_RUNS = (
    r"(?:(?:sudo\s+)?(?:numactl(?:\s+-\S+)+|taskset\s+(?:-\w+\s+)*\S+|ip\s+netns\s+exec\s+\S+|ssh\s+(?:-\S+\s+)*\S+"
    r"|(?:docker|podman|kubectl)\s+exec\s+(?:-\S+\s+)*\S+(?:\s+--)?|nsenter(?:\s+-\S+)+|chroot\s+\S+)\s+)?"
)
_SYSCTL = re.compile(rf"{_RUNS}(?:sudo\s+)?(?:/\S*/)?sysctl\s+([^|;&<>]+?)\s*(?:[12&]?>\s*\S+\s*)?(?:\|\s*(.*))?")
_LOADS = re.compile(r"(?:sudo\s+)?(?:/\S*/)?sysctl\s+(?:-\w*p|--system|--load)\b[^|;&]*")
_NAMED = re.compile(r"\b((?:net|kernel|vm|fs)(?:[./][\w*-]+)+)\s*=")
_ALL = ("-a", "-A", "-X", "--all")
_FILTER = re.compile(r"(?:sudo\s+)?([ef]?grep)\s+((?:-\w+\s+)*)(?:\"([^\"]*)\"|'([^']*)'|(\S+))\s*")
# A sentence that only names what comes next as what a command prints.
_NAMES_OUTPUT = re.compile(
    rf"(?:{OUTPUT}|{RESULT}).{{0,60}}"
    r"|(?:you|we)\s+(?:should|will|would|may|might|can)\s+(?:\w+\s+)?"
    r"(?:see\b.{0,80}|get\s+(?:(?:back\s+)?(?:this|the\s+following|something)\b.{0,40}|an?\s+(?:output"
    r"|answer)\b.{0,40}))"
    r"|(?:this|it|that|which|and|the\s+command)\b.{0,40}\b(?:shows?|returns?|prints?|outputs?|displays?)\b.{0,30}"
    r"|(?:(?:on|in)\s+(?:my|our|this|the|an?)\s+[\w ]{1,30},?\s+)?(?:this|it|that|which)\s+(?:gives|yields|reports)"
    r"(?:\s+(?:me|us|you))?",
    re.IGNORECASE,
)
# The same without a sign at its end.
_ENDS_SO = re.compile(r"(?:which|this|that|it)\s+(?:shows|returns|prints|outputs|displays|gives|yields)", re.IGNORECASE)
_SIGNS_AROUND = " :\uff1a\U0001f4cc\U0001f4e4\u25b6\ufe0f\u2705\u27a1"
_IS_OUTPUT = re.compile(rf"(?:{OUTPUT}|{RESULT})", re.IGNORECASE)
_NAMES_BEFORE = re.compile(
    r"(?:the\s+)?(?:\w+\s+){0,2}default(?:s|\s+(?:values?|settings?|parameters?))?"
    r"(?:\s+(?:on|in|of|for)\s+[\w. ]{1,40}?)?\s+(?:are|is|was|were)(?:\s+(?:as\s+follows|these|this))?"
    r"|(?:the\s+)?(?:kernel|system|linux)?\s*defaults?(?:\s+(?:values?|settings?))?"
    r"|(?:(?:the\s+)?(?:values?|settings?|parameters?)\s+)?before(?:\s*\(.*\)|\s+(?:the\s+)?(?:tuning|changes?"
    r"|optimi[sz]ation)\b.{0,40})?"
    r"|(?:the\s+)?(?:old|previous)\s+(?:values?|settings?)|currently|(?:the\s+)?current\s+(?:values?|defaults?)"
    r"(?:\s+(?:are|is))?"
    r"|(?:\w+\s+)?values?\s+(?:on|of|in)\s+(?:an?|the)\s+(?:untuned|stock|default|fresh|unmodified|standard)\s+\w+"
    r"\s+(?:are|is)"
    r"|(?:by\s+default|out\s+of\s+the\s+box),?\s+\w[\w ]{0,30}\s(?:has|have|uses|sets|ships\s+with|comes\s+with)"
    r"|(?:die\s+)?(?:standardwerte?|voreinstellung(?:en)?|vorgaben?|alte\s+werte|bisherige\s+werte|vorher)(?:\s+(?:sind|lauten|waren))?"
    r"|(?:les\s+)?(?:valeurs?|r\u00e9glages?)\s+(?:par\s+d\u00e9faut|actuel\w+)|avant"
    r"|(?:los\s+)?valores?\s+(?:por\s+defecto|predeterminados?|actuales|anteriores)|antes"
    r"|(?:i\s+)?valori\s+(?:predefiniti|attuali)|значения\s+по\s+умолчанию|текущие\s+значения|было"
    r"|(?:系统)?(?:默认|当前|原来?|旧)的?(?:值|配置|参数|设置)?(?:为|是|如下)?|(?:优化|修改|调整)[之以]?前|(?:デフォルト|現在の)値?|기본값",
    re.IGNORECASE,
)
# What names one line so, before its command or parameter.
_LABELS_BEFORE = re.compile(
    r"\W*(?:the\s+)?(?:defaults?|before|old(?:\s+value)?|previously|formerly|\u9ed8\u8ba4|по\s+умолчанию)\s*[:\uff1a]\s*`?"
    r"(?=(?:sudo\s+)?(?:ethtool|sysctl|ip|ifconfig|echo|tc)\s|(?:net|vm)\.\w)",
    re.IGNORECASE,
)
# What a sentence says so of the command or parameter in it.
_IS_DEFAULT = re.compile(
    r"[^`]*`[^`]+`[)\s]+(?:is|was|are|were)\s+(?:the\s+|your\s+|what\s+(?:\w+\s+){1,4}by\s+)?(?:\w+\s+)?defaults?\b[^`]*",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"\\?([|()+?{}])")
_REFUSED = re.compile(
    r"\s*(?:Cannot (?:set|change) .*|Could not change any .*|netlink error: .*|RTNETLINK answers: .*|SIOC\w+: .*"
    r"|ethtool: bad .*|sysctl: (?:cannot stat|setting key|permission denied|unknown|.*unknown key).*"
    r"|(?:\S+: )*.*(?:[Ww]rite error|Permission denied|Operation not (?:supported|permitted)|Invalid argument"
    r"|No such (?:file or directory|device)|[Cc]ommand not found)\b.*"
    r"|Error: (?:Cannot|Unknown|argument|Device|mtu|Specified|Exclusivity|Invalid|Failed|Operation)\b.*)"
)
# What stands between a command and such an answer: what was as asked before, and the line that names the answer.
_PASSED_OVER = re.compile(
    r"\s*(?:\S+(?: \S+)? unmodified, ignoring|no (?:\S+ ){1,3}(?:changed|specified), aborting)?\s*"
)
_FAILS = re.compile(
    r"(?!.*\b(?:if|when|should|case|may|might|can|could|sometimes|unless|until)\b)[\w' ]{0,40}"
    r"\b(?:fails?|failed|refused|rejected|error)\b[\w' ]{0,30}[:\uff1a]",
    re.IGNORECASE,
)
# The parameter that such an answer names.
_OF_PARAMETER = re.compile(r"(?:/proc/sys/|\bkey\s+[\"'\u2018]?)((?:net|kernel|vm|fs)[./][\w./*-]+)")
# What a text says behind a command that it shows: an arrow or a sign, and the answer.
_ANSWERED = re.compile(r".*`\s*(?:\u2192|->|=>|\u21d2|:)\s*`?([^`]*)`?\W*")
# The value of a parameter, as such programs print it.
_TELLS_OF_ONE = re.compile(r"\s*(?:net|kernel|vm|fs|dev)(?:\.[\w/*-]+)+\s*[:=]\s.*")
# A prompt that names a host or a shell, and behind it a program of somebody's own, which prints up to the next prompt.
AT_A_PROMPT = re.compile(r"\s*(?:\[?[\w.-]+@[\w.-]+[^#$]*[#$]|-?(?:ba)?sh-\d[\d.]*[#$])\s+")
_OWN_PROGRAM = re.compile(
    r"(?:sudo\s+)?(?:(?:ba)?sh\s+)?(?:\.{0,2}/|~/)?(?:[\w.-]+/)*[\w.-]+\.(?:sh|py|pl)\b(?!.*[|>])"
)
# A line of a log of the system, which tells what was run once.
_LOGGED = re.compile(
    r"\W*(?:[A-Z][a-z]{2}\s+\d{1,2}\s+\d\d:\d\d:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*)"
    r"\s+[\w.-]+\s+[\w./@()-]+(?:\[\d+\])?:\s.*"
)
# What stands in an output for lines that were left out of it.
_LEFT_OUT = re.compile(
    r"\s*(?:<<+[^<>]*>>+|[\[(<{-]*\s*(?:\.{2,}|\u2026|snip\w*|cut|omitted|truncated)\s*[\])>}-]*)\s*", re.IGNORECASE
)
# What wg-quick says that it runs.
_RUN_BY_WG_QUICK = re.compile(r"\s*\[#\]\s.*")
# A parameter at whose value an arrow points, as at one that is shown; who points at what is to be done says so.
_POINTED = re.compile(
    r"\s*(?:net|kernel|vm|fs)(?:[./][\w*-]+)+\s*=\s*[^#\u2190]*?\s(?:\u2190|\u21d0|\u2b05|<-+|<=+)"
    r"(?!.*\b(?:add|set|change|edit|increase|raise|lower|new|this\s+line|put|use)\b)"
    r"(?!.*(?:\u6dfb\u52a0|\u4fee\u6539|\u8bbe|\u589e|\u6539)).*",
    re.IGNORECASE,
)
_AS_BEFORE = "the text shows it as it was before, or is by default"
_SHOWN = "an arrow points at the value, as at one that the text only shows"
_SAID = 80
_NEAR = 8  # lines between a command and its answer


class _Reading(NamedTuple):
    """A call of sysctl that only reads: the parameters that it names, or all of them through a filter."""

    names: Tuple[str, ...]
    pattern: str = ""
    outside: bool = False

    def prints(self, text: str) -> bool:
        """Whether it may print a line."""
        match = _PRINTED.fullmatch(text)
        if not match:
            return False
        name = match[1].replace("/", ".")
        if self.names:
            return any(name == one or name.startswith(f"{one}.") for one in self.names)
        try:
            return not self.pattern or bool(re.search(self.pattern, text)) != self.outside
        except re.error:
            return True


def left_out(lines: Sequence[Line]) -> Asides:
    """The lines of a guide that set nothing, or nothing that holds, for what stands around them."""
    pointed = {number: (CONDITIONAL, _SHOWN) for number, text in lines if _POINTED.fullmatch(text)}
    return {**pointed, **_refused(lines), **_logged(lines), **_before(lines), **_printed(lines)}


def reads(text: str) -> bool:
    """Whether a line is a call of sysctl that only reads parameters."""
    return bool(_reading(text))


def _reading(text: str) -> List[_Reading]:
    match = _SYSCTL.fullmatch(sentences.PROMPT.sub("", text, count=1).strip().strip("`").rstrip(":").strip())
    if not match or re.search(r"(?<!--pattern)=", match[1]):
        return []
    words = match[1].split()
    given = re.search(r"(?:-\w*r|--pattern)[ =](\S+)", match[1])
    if given:
        return [_Reading((), given[1].strip("\"'"))]
    names = tuple(word.replace("/", ".").strip("\"'").rstrip(".") for word in words if not word.startswith("-"))
    if any(word in ("-w", "-p", "--load", "--system", "--write") for word in words):
        return []
    if not names and not any(word in _ALL for word in words):
        return []
    if any(not re.fullmatch(r"(?:net|kernel|vm|fs|dev|user|sunrpc)(?:\.[\w*-]+)+", name) for name in names):
        return []
    filtered = _FILTER.fullmatch(match[2] or "")
    if not filtered or names:
        return [_Reading(names)]
    pattern = next(part for part in filtered.groups()[2:] if part is not None)
    extended = filtered[1] == "egrep" or "E" in filtered[2]
    # In a basic pattern the signs of an extended one stand for themselves, and the other way round.
    pattern = (
        pattern if extended else _SIGNS.sub(lambda sign: sign[1] if sign[0] != sign[1] else f"\\{sign[1]}", pattern)
    )
    return [_Reading((), pattern if "i" not in filtered[2] else f"(?i){pattern}", "v" in filtered[2])]


def _loads(text: str, assigned: Set[str]) -> List[_Reading]:
    """A call of sysctl at a prompt that loads files, and prints what it finds in them."""
    plain = sentences.PROMPT.sub("", text, count=1)
    return [_Reading(tuple(assigned))] if assigned and plain != text and _LOADS.fullmatch(plain.strip()) else []


def _printed(lines: Sequence[Line]) -> Asides:
    """What calls of sysctl that only read have printed, and what a sentence names as output."""
    found: Asides = {}
    reading: List[_Reading] = []
    assigned: Set[str] = set()
    named = own = loads = False
    for number, text in lines:
        plain = text.strip()
        prompt = AT_A_PROMPT.match(text)
        own = _OWN_PROGRAM.match(text, prompt.end()) is not None if prompt else own
        if (own and _TELLS_OF_ONE.fullmatch(text)) or _RUN_BY_WG_QUICK.fullmatch(text):
            found[number] = (NOTHING, "what a command printed")
            continue
        new = _reading(text) or _loads(text, assigned)
        assigned.update(name.replace("/", ".") for name in _NAMED.findall(text) if not _PRINTED.fullmatch(text))
        if new:
            reading, named = [*([] if named else reading), *new], False
        elif any(one.prints(text) for one in reading) or (named and _PRINTED.fullmatch(text)):
            found[number] = (NOTHING, "what a command printed")
        elif plain and not frames(text) and not (reading and _LEFT_OUT.fullmatch(text)):
            # What a file has that is loaded is in force, and may stand nowhere else.
            named = not loads and _introduces(plain, _NAMES_OUTPUT)
            reading = reading if named else []
        loads = _LOADS.fullmatch(sentences.PROMPT.sub("", text, count=1).strip()) is not None or (loads and not plain)
    return found


def _introduces(text: str, words: re.Pattern[str]) -> bool:
    """Whether a line is a sentence that only names what comes next."""
    plain = unmarked(text)
    if words is _NAMES_OUTPUT and (_ENDS_SO.fullmatch(plain) or _IS_OUTPUT.fullmatch(plain.strip(_SIGNS_AROUND))):
        return True
    ends = (":", "\uff1a")
    return plain.endswith(ends) and words.fullmatch(plain.rstrip("".join(ends)).rstrip(" *_")) is not None


def _before(lines: Sequence[Line]) -> Asides:
    """Parameters that a sentence names as defaults, or as they were before."""
    found: Asides = {}
    named = False
    for number, text in lines:
        row = text.lstrip().startswith("|")
        if _LABELS_BEFORE.match(text) or _IS_DEFAULT.fullmatch(text):
            found[number] = (NO_EFFECT, _AS_BEFORE)
        elif _ASSIGNED.match(text) or (row and _IN_A_ROW.match(text)):
            if named:
                found[number] = (NO_EFFECT, _AS_BEFORE)
        elif text.strip() and not frames(text) and not row:
            plain = unmarked(text)
            verb = re.search(r"\b(?:are|is|was|were)$", plain) is not None
            named = _introduces(f"{plain}:" if verb else plain, _NAMES_BEFORE)
    return found


def _refused(lines: Sequence[Line]) -> Asides:
    """Commands behind or below which the text shows that they were refused."""
    found: Asides = {}
    for index, (number, text) in enumerate(lines):
        if not sentences.holds_a_setting(sentences.PROMPT.sub("", text, count=1)):
            continue
        behind = _ANSWERED.fullmatch(text)
        said = behind[1] if behind and _REFUSED.fullmatch(behind[1]) else _answer(lines[index + 1 :])
        of = _OF_PARAMETER.search(said)
        other = of is not None and of[1].replace("/", ".") not in text.replace("/", ".")
        if _REFUSED.fullmatch(said) and not other and not sentences.in_a_span(said):
            found[number] = (NO_EFFECT, f"the text shows that it was refused: {said.strip()[:_SAID]}")
    return found


def _answer(below: Sequence[Line]) -> str:
    """The first line that may be the answer to a command: in the same block, or in one that is said to be it."""
    for _number, text in below[:_NEAR]:
        if not (_PASSED_OVER.fullmatch(text) or frames(text) or _FAILS.fullmatch(text.strip())):
            return text
    return ""


def _logged(lines: Sequence[Line]) -> Asides:
    """What stands in lines of a log."""
    held = ((number, text) for number, text in lines if _LOGGED.fullmatch(text))
    return {number: (NO_EFFECT, "it is a line of a log") for number, text in held if sentences.command_in(text)}
