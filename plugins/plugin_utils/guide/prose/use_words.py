# SPDX-License-Identifier: GPL-3.0-or-later
"""Words of several languages by which guides say for which use a line is, and which of several lines comes first."""

from __future__ import annotations

import re
from typing import Mapping, Pattern, Tuple

# Pieces of patterns by language. A piece in Latin letters begins and ends with a word, any other stands anywhere.
Words = Mapping[str, Tuple[str, ...]]
_LATIN = ("any", "en", "de", "fr", "es", "it", "pt")
_NOT_A_CASE = (
    *("example", "instance", "this", "that", "these", "those", "it", "now", "more", "all", "every", "each", "most"),
    *("any", "both", r"the\s+(?:first|rest|other|next|last)", r"persist\w*", r"permanent\w*", "reference", "details?"),
    *("safety", r"(?:a|the)\s+(?:permanent|persistent)", r"ein(?:e[nrms]?)?\s+beispiel", "ejemplo", "exemple", "top"),
    *("boot", "reboot"),
)

# What a host or a network is used for, or is; it makes of a line of words a case.
USE: Words = {
    "any": (
        r"\d+\s*(?:g|m)(?:b(?:it)?(?:ps|/s)?|b?e|ige|bps)?\+?",
        r"\d+\s*gi?b\s+(?:of\s+)?(?:ram|memory)",
        r"(?:rhel|red\s?hat(?:\s+enterprise\s+linux)?|centos|debian|ubuntu|sles|suse|fedora|rocky|alma|oracle)(?:\s+linux)?\s*\d+(?:\.\d+)*",
        *("hft", "voip", "stream(?:ing|s)?", "[wl]ans?", "workloads?"),
    ),
    "en": (
        *("latenc(?:y|ies)", "throughput", "bandwidth", "bulk", "gam(?:ing|es?)", "interactive"),
        *("real-?time", "trading", "voice", "video", "media", "backups?", "databases?", "storage", "routers?"),
        *("gateways?", "mixed", "balanced", "general[- ]purpose", "desktops?", "workstations?", "satellite"),
        *(r"long[- ](?:distance|haul)", "wireless", "modes?", "profiles?", "benchmarks?"),
        *("(?:web|file|mail|game|proxy)[- ]?servers?", "clients?", "senders?", "receivers?", "transfers?"),
    ),
    "de": ("latenz", "durchsatz"),
    "fr": ("latence", "d\u00e9bit"),
    "es": ("latencia",),
    "it": ("latenza",),
    "pt": ("lat\u00eancia",),
    "zh": ("延迟", "吞吐", "场景", "场合", "模式", "带宽", "万兆", "千兆"),
    "ru": ("пропускн", "задерж"),
}
# How a line of words begins that is a case, whatever it names.
FOR: Words = {
    "en": (
        "for",
        "on",
        r"in(?:side)?(?=\s+(?:of\s+)?(?:the\s+|an?\s+|each\s+)?(?:guests?|vms?|virtual\s+machines?|containers?)\b)",
    ),
    "de": ("f\u00fcr", "bei"),
    "fr": ("pour",),
    "es": ("para",),
    "it": (r"per(?=\s+(?:il?|l[aeo]|gli|un[ao]?)\b)",),
    "ru": ("для",),
}
# How a sentence begins that leads to what does one thing, where another sentence leads to what does another.
HOW: Words = {"en": ("to",), "de": ("um",), "fr": ("pour",), "es": ("para",), "ru": ("чтобы",)}
# What a line says that is for all that is not named before.
OTHERS: Words = {
    "en": (r"(?:for|in|on)?\s*(?:all\s+)?other\s+(?:cases?|uses?|situations?|scenarios?|hosts?|servers?)", "otherwise"),
    "de": (r"(?:in|f\u00fcr)?\s*(?:alle[nr]?\s+)?andere[nr]?\s+(?:f\u00e4llen?|zwecke[n]?)", "andernfalls"),
    "fr": (r"dans\s+les\s+autres\s+cas", "sinon"),
    "es": (r"en\s+(?:los\s+)?(?:otros|dem\u00e1s)\s+casos",),
    "it": (r"(?:in|negli)\s+altri\s+casi", "altrimenti"),
    "zh": ("其[他它](?:场[合景]|情况)",),
    "ru": (r"(?:в|для)\s+(?:остальных|других)\s+случа\w+",),
}
# What is to be tried only where what stands above did not do.
RESORT: Words = {
    "en": (
        r"(?:if|should|when)\s+(?:this|that|it|these|they|those)\s+(?:still\s+)?(?:is|are|does|do)\s*n[o'\u2019]?t\s+"
        r"(?:yet\s+)?(?:enough|sufficient|suffice|help|work|solve|fix)(?:ing)?",
        r"if\s+(?:\w+\s+){1,4}(?:still|persists?|remains?|continues?)",
        r"if\s+(?:that|this)\s+fails",
    ),
    "de": (r"(?:wenn|falls|sollte)\s+(?:das|dies|es)\s+nicht\s+(?:aus)?(?:reich|gen\u00fcg|helf|hilf)\w*",),
    "fr": (r"si\s+(?:cela|\u00e7a|ceci)\s+ne\s+(?:suffit|fonctionne|marche)\s+pas",),
    "es": (r"si\s+(?:esto|eso)?\s*no\s+(?:es\s+suficiente|basta|ayuda|funciona)",),
    "it": (r"se\s+(?:questo|ci\u00f2)?\s*non\s+(?:\u00e8\s+sufficiente|basta|aiuta|funziona)",),
    "pt": (r"se\s+(?:isso|isto)?\s*n\u00e3o\s+(?:for\s+suficiente|bastar|ajudar|funcionar)",),
    "zh": ("如果?(?:仍然?|还是?|这)*(?:不够|不足|不行|无效|没有?(?:改善|效果|解决))",),
    "ru": (r"если\s+(?:этого|это)\s+(?:недостаточно|не\s+помо\w+|не\s+хват\w+)",),
}
# What is only tried, or was so once, does not come first.
NOT_FIRST: Words = {
    "en": (r"test(?:s|ing)?|debug\w*|temporar\w*|older?|legacy|previous\w*|before|wrong|bad|defaults?|first(?:ly)?",),
}
ONLY_TRIED: Words = {
    "en": (r"test(?:s|ing)?|debug\w*|troubleshoot\w*|temporar\w*|experiment\w*",),
}
PREFERRED: Words = {"en": (r"recommend\w*|better|prefer\w*|best|final\w*|now",)}
# What leads to several lines of which one is to be chosen.
OPTIONS: Words = {
    "en": (
        r"(?:two|three|several|different|following|these|few)\s+(?:\w+\s+)?"
        r"(?:options|alternatives|choices|possibilities)",
        r"(?:one|any|either)\s+of\s+(?:the|these)",
        "alternatives",
    ),
}
# What a text numbers where its reader is to choose one: "Option #1", "Variante B".
NUMBERED: Words = {
    "en": (
        *("options?", "methods?", "variants?", "alternatives?", "choices?", "approach", "solutions?", "scenarios?"),
        *("cases?", "possibilit(?:y|ies)", "profiles?", "ways?", "workarounds?"),
    ),
    "de": ("varianten?", "m\u00f6glichkeit", "methode", "l\u00f6sung", "fall", "szenario"),
    "fr": ("m\u00e9thode", "solution", "variante", "cas"),
    "es": ("opci\u00f3n", "m\u00e9todo", "soluci\u00f3n", "caso"),
    "it": ("opzione", "metodo", "soluzione", "caso"),
    "pt": ("op\u00e7\u00e3o", "m\u00e9todo", "solu\u00e7\u00e3o"),
    "zh": ("方案", "方法", "方式", "选项"),
    "ru": ("вариант", "способ", "метод"),
}
# Stems of words for an act and for its opposite.
OPPOSITES: Tuple[Tuple[Words, Words], ...] = (
    (
        {
            "en": ("enabl", "activat", r"turn(?:ing)?\s+(?:\w+\s+)?on\b", r"switch(?:ing)?\s+(?:\w+\s+)?on\b"),
            "de": ("aktivier",),
            "zh": ("启用", "开启", "打开"),
            "ru": ("включ",),
        },
        {
            "en": ("disabl", "deactivat", r"turn(?:ing)?\s+(?:\w+\s+)?off\b", r"switch(?:ing)?\s+(?:\w+\s+)?off\b"),
            "de": ("deaktivier",),
            "zh": ("禁用", "关闭"),
            "ru": ("отключ", "выключ"),
        },
    ),
    (
        {"en": ("increas", "rais", "enlarg"), "de": ("erh\u00f6h",), "zh": ("增大", "增加", "调大"), "ru": ("увелич",)},
        {
            "en": ("decreas", "reduc", "lower", "shrink"),
            "de": ("verringer",),
            "zh": ("减小", "减少", "调小"),
            "ru": ("уменьш",),
        },
    ),
)
# The title of a part that keeps what was there before, and is so no more.
GONE: Words = {
    "en": (
        r"(?:the\s+|our\s+)?(?:(?:now\s+)?(?:deleted|removed|retired|replaced|superseded|archived?|former|previous|earlier|old))"
        r"\s+(?:[\w/-]+\s+){0,2}(?:services?|units?|scripts?|settings?|config\w*|values?|files?|contents?|attempts?|set-?ups?"
        r"|tunings?|profiles?)",
        *("before", "archive"),
    ),
    "de": (
        r"(?:(?:ge|ent|ver)\w+te[rsn]?|alte[rsn]?|fr\u00fchere[rsn]?|vorherige[rsn]?)"
        r"\s+\S*(?:dienst|service|skript|script|einstellung|konfiguration|datei|inhalt|regel|wert)\S*",
        *("vorher", "archiv"),
    ),
    "fr": (r"anciens?\s+(?:r\u00e9glages?|scripts?|services?|fichiers?)", r"anciennes?\s+configurations?", "avant"),
    "es": (r"(?:antigu|anterior)\w*\s+configuraci\w+", r"configuraci\w+\s+(?:antigu|anterior)\w*", "antes"),
    "zh": (
        "(?:已删除|已废弃|废弃|旧|以前|原来|历史)的?(?:服务|脚本|配置|设置|参数|文件)",
        *("(?:优化|修改|调整)前", "归档", "存档"),
    ),
    "ru": (r"(?:стары|удал[её]нны|прежни)\w*\s+(?:настрой|скрипт|сервис|файл)\w*", "было", "до"),
}
OR: Words = {"any": ("/",), "en": (r"\(?or\b",), "de": (r"oder\b",), "zh": ("或",), "ru": (r"или\b",)}


def plain(words: Words) -> str:
    """A pattern of the words of all languages as they are."""
    return "|".join(piece for pieces in words.values() for piece in pieces)


def of(words: Words, ends: str = r"\b") -> str:
    """A pattern that finds any of the words in a line."""
    latin = {language: pieces for language, pieces in words.items() if language in _LATIN}
    others = {language: pieces for language, pieces in words.items() if language not in _LATIN}
    return "|".join([*([rf"\b(?:{plain(latin)}){ends}"] if latin else []), *([plain(others)] if others else [])])


def search(words: Words, ends: str = r"\b") -> Pattern[str]:
    """The same, compiled."""
    return re.compile(of(words, ends), re.IGNORECASE)


def begins(words: Words) -> Pattern[str]:
    """A pattern of a whole line that begins with one of the words, and goes on with what may be a case."""
    return re.compile(rf"(?:{plain(words)})\s+(?!(?:{'|'.join(_NOT_A_CASE)})\b)\S.*", re.IGNORECASE)
