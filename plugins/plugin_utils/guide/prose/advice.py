# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the lines of a guide that its words advise against, or that are struck out."""

from __future__ import annotations

import re
from typing import List, Optional, Sequence, Tuple

from ..calls import sentences
from ..model import CONDITIONAL, NO_EFFECT, NOTHING, Line
from . import against, answers, faults, undoing, use_words
from .answers import Asides
from .wording import AS_WRITTEN, FENCE, NOT, SYNTAX, frames, last_sentence

AGAINST = "the text advises against it"
WAS_BEFORE = "the text keeps it as what was there before"
_STRUCK = "it is struck out in the text"
_VERBS = (
    r"(?:us|sett?|run|runn|enabl|disabl|add|do|apply|copy|past|touch|chang|tun|turn|put|configur|execut|follow|lower)"
    r"(?:e|ing)?"
)
# What stands in brackets behind the words for what is not to be done.
_TAGGED = re.compile(
    r"\((?:\w+\s+)?(?:not\s+recommended|discouraged|deprecated|obsolete|harmful|bad\s+idea|wrong)\b[^()]*\)\W*$",
    re.IGNORECASE,
)
# A title of such a part, with what it may say in brackets.
_WAS_BEFORE = re.compile(rf"(?:{use_words.plain(use_words.GONE)})\W*(?:\([^()]*\)\W*)?", re.IGNORECASE)
# What names a parameter: `tcp_tw_recycle`, `net.ipv4.ip_forward`.
_PARAMETER = re.compile(r"\b[a-z]\w*(?:[._][a-z\d]+)+\b")
# A sentence that begins so; one with a condition only warns.
_BEGINS = (
    rf"(?:please\s+)?(?:{NOT}|avoid)\s+"
    rf"(?:(?:ever|just|blindly|simply|try\s+to)\s+)?{_VERBS}\b"
)
_WARNS = re.compile(
    r"\b(?:without|until|before|order|both|twice|while|yet|more\s+than|less\s+than|higher|but|(?:on"
    r"|in)\s+production)\b",
    re.IGNORECASE,
)
_PRODUCTION = re.compile(
    r"\s*\b(?:on|in)\s+(?:a\s+)?production(?:\s+(?:systems?|servers?|hosts?|machines?|environments?|use))?(?=\s*(?:[:.!]|$))",
    re.IGNORECASE,
)
_IN_CASES = re.compile(r"\b(?:unless|if|when|where)\b", re.IGNORECASE)
_JUDGED = (
    r"(?:is|are|was|were|be|being|considered)\s+(?:\w+\s+){0,2}(?:bad\s+(?:idea|advice|practice)|wrong"
    r"|not\s+(?:recommended|(?:an?\s+|our\s+)?recommendations?)"
    r"|discouraged|obsolete|outdated|deprecated|harmful|counterproductive)"
    r"|no\s+longer\s+(?:be\s+)?(?:needed|necessary|required|recommended|useful)|not\s+recommended"
    rf"|(?:should|must)\s+(?:not|never)\s+(?:be\s+(?:used|set|run|enabled|changed|done|applied|copied)|{_VERBS})\b"
    r"|(?:does|do|did)(?:\s+not|n['\u2019]t)\s+(?:help|work|give)|ma(?:kes?|de)\s+(?:things|it|matters"
    r"|everything)\s+worse"
    r"|(?:made|makes)\s+no\s+difference|ha(?:d|s)\s+no\s+(?:effect|influence|impact)"
)
# What is so for some hosts only is no advice for all.
_FOR_SOME = r"(?!\s+(?:on|for|if|when|unless|in|under|without)\b)"
_SUBJECT = r"(?:what|things|this|that|these|those|they|following|which|below|disabling|enabling|setting|using|turning)"
_RAISES = r"(?:so|therefore|hence|thus|instead|but|use|raise|increase|set|fix|try|add|lower)"
_ABOVE = re.compile(
    rf"^{_BEGINS}|\b{_SUBJECT}\b.{{0,60}}?\b(?:{_JUDGED}){_FOR_SOME}(?!.*\b{_RAISES}\b)|^(?:we|i|people"
    rf"|many)\s+used\s+to\s+{_VERBS}\b",
    re.IGNORECASE,
)
_IN_VAIN = re.compile(
    rf"\b(?:i|we)\b.{{0,30}}\btried\b.*(?:\b(?:{_JUDGED})|\bwithout\s+(?:any\s+|much\s+)?(?:effect|success|luck"
    rf"|improvement|result))",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"(?:(?:and|but|or|so|also)\s+)?(?:is|are|was|has|have|had|did|does|do|can|could|should|would|will|shall"
    r"|may|what|why|how|which|any(?:one|body)?|where|when|who)\b.*\?",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"(?:what\s+)?not\s+(?:to\s+do|recommended)|(?:common\s+)?(?:mistakes?|pitfalls?|myths?"
    r"|anti-?patterns?)(?:\s+to\s+avoid)?"
    r"|bad(?:\s+(?:examples?|advice|config\w*|settings?))?|wrong(?:\s+(?:way|settings?))?|deprecated|obsolete"
    r"|instead\s+of(?:\s+this)?",
    re.IGNORECASE,
)
_BELOW = re.compile(
    rf"^(?:nope|no|but|however|which|this|that|it|these|they)\b.{{0,40}}?\b(?:{_JUDGED}){_FOR_SOME}"
    rf"|^{NOT}\s+(?:do|use|run|set|apply|copy|try)\s+(?:this|that|it|these|them)\b"
    r"|^(?:(?:we|i|you)\s+(?:saw|see|got|get|found|measured)|there\s+was|(?:but\s+)?with)\s+(?:no|little|hardly\s+any)"
    r"\s+(?:\w+\s+)?(?:gain|improvement|benefit|difference|effect)s?\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    rf"^{NOT}\s*(?:[!,.]|$|(?:do|use|set|run|enable)\b)|^(?:bad|wrong|harmful"
    rf"|useless|deprecated|obsolete)\b"
    rf"|\b(?:{_JUDGED})|\bnot\s+(?:\w+\s+)?(?:better|useful|worth)\b",
    re.IGNORECASE,
)
# A command or parameter as code that a sentence names as what not to take.
_REJECTED = re.compile(
    r"(\b(?:instead\s+of|rather\s+than|as\s+opposed\s+to|stop\s+using)\s+|(?:,|\band|\bbut)\s+not\s+)(?:with\s+|by\s+)?"
    r"`[^`]+`",
    re.IGNORECASE,
)
# A sentence that leads to lines that are to go.
_TAKES_OUT = re.compile(
    r"(?:(?:then|and|now|next|first|also),?\s+)?(?:please\s+)?(?:stop\s+using|remove|delete|comment\s+out"
    r"|get\s+rid\s+of|take\s+out|find|locate|(?:look|search)\s+for|replace)\b"
    r"(?!.*\b(?:add|set|use|insert|append|uncomment|with|to|by|so|edit|change|make|put|run|create|if)\b)"
    r"(?:.*\b(?:this|these|them|it|following|below|lines?|settings?|entry|entries|parameters?|values?)\b.*)?",
    re.IGNORECASE,
)
# A command of which a text only tells what comes of it, or names it as the cause of a fault.
_SHOWN = re.compile(
    r".*\bscroll\b.*\b(?:see|find|reach|get\s+to)\b.*\b(?:with|like\s+this|says?|reads?|is|lines?)",
    re.IGNORECASE,
)
_RUNNING = re.compile(
    r"\b(?:running|executing|issuing|calling)\s*$|^\W*(?:root\s+)?(?:causes?|symptoms?|mistakes?)\W*\|", re.I
)
_BREAKS = re.compile(
    r"`[^`]+`\s+(?:\w+\s+)?(?:breaks?|disables?|corrupts?|kills?|destroys?|crash(?:es)?|causes?|drops?|loses?|locks?|hangs?"
    r"|cuts?|triggers?|takes?\s+down|brings?\s+down)\b",
    re.IGNORECASE,
)
# A command of which a text tells what it does in most cases.
_DESCRIBES = re.compile(
    r"\W*`[^`]+`\s+(?:typically|usually|normally|commonly|often|already|automatically)"
    r"\s+(?:sets?|enables?|disables?|turns?|changes?|applies|apply|raises?|lowers?|configures?)\b",
    re.IGNORECASE,
)
# What a sentence says behind a command that was of no use.
_NO_USE = re.compile(
    r"\W*(?:(?:does|do|did)(?:\s+not|n['\u2019]t)\s+(?:help|work|change)|(?:made|makes)\s+(?:no\s+difference|(?:it|things)\s+worse)"
    r"|ha[ds]\s+no\s+(?:effect|influence|impact))\b",
    re.IGNORECASE,
)
# What is to hold for the time of a test.
_FOR_A_TEST = re.compile(
    r"(?:temporarily|briefly)\b.*\b(?:for|to|while|during)\s+(?:\w+\s+)?(?:tests?|testing|debug\w*|diagnos\w+|compar\w+)\W*",
    re.IGNORECASE,
)
_TOLD = "the text tells what it breaks"
_GONE = "the text takes it out, or puts something else in its place"
_CODE = re.compile(
    r"\s*(?:#+\s*)?(?:(?:net|kernel|vm|fs)[./][\w.*/-]+|[\w.-]+)\s*=\s*\S"
    r"|\s*(?:net|kernel|vm|fs)(?:\.[\w-]+)+:\s+-?\d|\s*(?:EOF|EOL|done|fi|\}|\{|do|then)\s*$"
)
_OPENS, _CLOSES = re.compile(r"<(s|del|strike)>", re.IGNORECASE), re.compile(r"</(?:s|del|strike)>", re.IGNORECASE)
_MARKS = re.compile(r"~~(?=\S)(.+?)(?<=\S)~~|<(?:s|del|strike)>(.*?)</(?:s|del|strike)>", re.IGNORECASE)
# The words before a command that say not to use it.
_WORDS_AGAINST = re.compile(
    rf"\b(?:{NOT}|does\s+not|avoid|must\s+not|should\s+not|shouldn['\u2019]t|instead\s+of|rather\s+than)"
    r"(?:\s+(?:ever|use|using|run|running|set|setting|apply|execute|call|add|try|do|the|command|or))*\s*:?\s*$",
    re.IGNORECASE,
)
# A line of words that goes on with what the words above it say.
_ALSO = re.compile(r"\W*(?:or|nor|and|或|或者|以及|和)\W*", re.IGNORECASE)
FAR = 12
_SHORT = 5  # words of a sentence without a colon that leads to lines


def left_out(lines: Sequence[Line]) -> Asides:
    """The lines of a guide that set nothing, or nothing that holds, for what stands in them and around them."""
    found: Asides = {}
    struck = False
    for index, (number, text) in enumerate(lines):
        left = _MARKS.sub("", text)
        chosen = _REJECTED.sub(r"\1", text)
        if chosen != text and not _still_sets(chosen):
            found[number] = (NO_EFFECT, AGAINST)
            continue
        struck = struck or _OPENS.search(left) is not None
        if struck or (left != text and not sentences.holds_a_setting(left) and re.search(r"\w", text)):
            found[number] = (NO_EFFECT, _STRUCK)
        elif "`" in text or is_code(text):
            advised = _advised_against(lines, index)
            found.update({number: advised} if advised else {})
        struck = struck and not _CLOSES.search(left)
    return {**found, **answers.left_out(lines), **_hidden(lines)}


def _hidden(lines: Sequence[Line]) -> Asides:
    """The lines of comments of a page that are several lines long."""
    found: Asides = {}
    ends = max((number for number, text in lines if "-->" in text), default=0)
    inside = False
    for number, text in lines:
        before, mark, after = text.rpartition("<!--")
        inside = inside or (bool(mark) and not before.strip() and "-->" not in after and number < ends)
        found.update({number: (NOTHING, "a comment")} if inside else {})
        inside = inside and "-->" not in text
    return found


def kept(text: str) -> str:
    """A line without what is struck out in it, or where nothing else is set by it, without the marks alone."""
    chosen = _REJECTED.sub(r"\1", text)
    text = chosen if _still_sets(chosen) else text
    left = _MARKS.sub("", text)
    return left if sentences.holds_a_setting(left) else _MARKS.sub(lambda match: match[1] or match[2] or "", text)


def _still_sets(text: str) -> bool:
    return sentences.holds_a_setting(text) or re.search(r"`(?:net|kernel|vm|fs)\.[\w.]+\s*=[^`]*`", text) is not None


def in_sentence(text: str) -> Tuple[str, str]:
    """Why the commands of a sentence set nothing, where it warns of each of them; and the text without such ones."""
    parts = re.split(r"(`+[^`]+`+)", text)
    advised = False
    warned: List[bool] = []
    for before, behind in zip(parts[::2], parts[2::2]):
        plain = re.sub(r"\*|__|'{2,}", "", before)
        advised = _WORDS_AGAINST.search(plain) is not None or (
            advised and re.fullmatch(r"[\s,]*(?:or|and|nor)?\s*", plain) is not None
        )
        back = bool(warned) and undoing.introduces(last_sentence(plain.strip()))
        warned.append(advised or back or _NO_USE.match(behind) is not None)
    if not any(warned):
        return "", text
    if all(warned):
        return AGAINST, text
    for index, bad in enumerate(warned):
        parts[2 * index + 1] = "it" if bad else parts[2 * index + 1]
    return "", "".join(parts)


def introduces(text: str) -> bool:
    """Whether a line of words advises against what stands below it."""
    plain = words(text)
    if _HEADING.fullmatch(plain.rstrip(":").strip()) or warned_of(plain):
        return True
    if against.leads(plain):
        return True
    # Who says it of production in general means every host that somebody needs.
    sentence = _PRODUCTION.sub("", re.split(r"(?<=[.!?])\s+", plain)[-1])
    cautious = _WARNS.search(sentence) or _IN_CASES.search(sentence)
    advised = (_ABOVE.search(sentence) and not cautious) or _IN_VAIN.search(sentence)
    return plain.endswith(":") and bool(advised)


def warned_of(text: str) -> bool:
    """Whether a title, or the words before a command, end with a word against it in brackets."""
    return _TAGGED.search(text) is not None


def of_a_title(text: str) -> str:
    """Why nothing of the part below a title is taken, if so."""
    if warned_of(text):
        return AGAINST
    if undoing.UNDO.fullmatch(text):
        return undoing.TAKES_BACK
    if faults.reproduces(words(text).rstrip(" :?")):
        return faults.REPRODUCED
    shows = SYNTAX.fullmatch(words(text).rstrip(" :"))
    return AS_WRITTEN if shows else WAS_BEFORE if _WAS_BEFORE.fullmatch(words(text)) else ""


def is_marked(text: str) -> bool:
    """Whether something is struck out in a line."""
    return _MARKS.search(text) is not None


def words(text: str) -> str:
    """A line without its marks, numbers and such words as "Note:" before it."""
    plain = re.sub(r"[*`]+|(?<![^\W_])_+|_+(?![^\W_])", "", text.strip()).strip("# >-\u2022")
    return re.sub(
        r"^(?:\d+[.)]\s+)?(?:(?:note|warning|important|caution|attention|tip)\s*[:!-]\s*)?", "", plain, flags=re.I
    )


def is_code(text: str) -> bool:
    bare = sentences.PROMPT.sub("", text, count=1)
    return bool(_CODE.match(text)) or sentences.holds_a_setting(bare) or bool(sentences.command_in(text))


def _advised_against(lines: Sequence[Line], index: int) -> Optional[Tuple[str, str]]:
    """The kind of remark that the words around a line make of it, and why, if they advise against it."""
    text = lines[index][1]
    question = last_sentence(words(text))
    if _QUESTION.fullmatch(question) and (
        "`" in question or sentences.holds_a_setting(question) or sentences.sets(question)
    ):
        return CONDITIONAL, "the text only asks about it"
    before, mark, _rest = text.partition("`")
    said = re.split(r"(?<=[.!?:;])\s+", words(before))[-1] if mark else ""
    if re.match(_BEGINS, said, re.IGNORECASE) and not _WARNS.search(text):
        cases = _IN_CASES.search(text)
        return (CONDITIONAL, f"{AGAINST} in some cases") if cases else (NO_EFFECT, AGAINST)
    if mark and warned_of(words(before)):
        return NO_EFFECT, AGAINST
    if mark and _DESCRIBES.match(re.sub(r"[*_]{2}", "", text)):
        return CONDITIONAL, "the text only tells what it does"
    if mark and _breaks(before, text):
        return NO_EFFECT, _TOLD
    if mark and re.match(r"(?:remove|delete|comment\s+out|get\s+rid\s+of|take\s+out)\b", said, re.IGNORECASE):
        return NO_EFFECT, _GONE
    if not is_code(text):
        return None
    beside = re.search(r"\s#+\s*(\S.*)$", text)
    if beside and undoing.told_beside(words(beside[1])):
        return NO_EFFECT, undoing.TAKES_BACK
    if beside and _BESIDE.search(words(beside[1])) and not _WARNS.search(beside[1]):
        return NO_EFFECT, AGAINST
    above, below = _next_words(lines, index, -1), _next_words(lines, index, 1)
    said_below = (
        below is not None and not below.rstrip(" *_").endswith(":") and _BELOW.search(_PRODUCTION.sub("", words(below)))
    )
    if above is not None and not said and undoing.introduces(words(above)):
        return NO_EFFECT, undoing.TAKES_BACK
    lead = "" if above is None or said else words(above)
    if lead.endswith(":") and faults.reproduces(last_sentence(lead).rstrip(":")):
        return NO_EFFECT, faults.REPRODUCED
    if _FOR_A_TEST.fullmatch(lead):
        return CONDITIONAL, "the text gives it for a test only"
    sentence = last_sentence(lead.rstrip(":").strip())
    leads = lead.endswith(":") or len(lead.split()) < _SHORT
    if (leads and _TAKES_OUT.fullmatch(sentence)) or _SHOWN.fullmatch(sentence):
        return NO_EFFECT, _GONE
    advised = (above is not None and introduces(above) and not _of_another(lines, index, above)) or said_below
    return (NO_EFFECT, AGAINST) if advised else None


def _of_another(lines: Sequence[Line], index: int, above: str) -> bool:
    """Whether the words above a line name other parameters than its own; brackets go on what stands before them."""
    texts = [text.strip() for _number, text in lines[max(index - FAR, 0) : index]]
    row = len(texts) - 1 - texts[::-1].index(above.strip())
    begins = texts[row - 1] if row and words(above).startswith("(") else ""
    named = set(_PARAMETER.findall(f"{begins} {above}"))
    return bool(named) and not any(name in lines[index][1] for name in named)


def _breaks(before: str, text: str) -> bool:
    """Whether a sentence tells what harm the command in it does."""
    return _RUNNING.search(re.sub(r"[*_]+", "", before)) is not None and _BREAKS.search(text) is not None


def _next_words(lines: Sequence[Line], index: int, step: int) -> Optional[str]:
    """The nearest line of words above or below, with nothing between but the code around it, and "or" above it."""
    blank = fences = 0
    for far in range(1, FAR + 1):
        k = index + step * far
        if not 0 <= k < len(lines):
            return None
        text = lines[k][1]
        blank += not text.strip()
        fences += FENCE.match(text) is not None
        if step > 0 and (blank > 1 or fences > 1):
            return None  # what stands in another block is about that one
        goes_on = step < 0 and _ALSO.fullmatch(text) is not None
        if text.strip() and not frames(text) and not is_code(text) and not sentences.runs(text) and not goes_on:
            return text
    return None
