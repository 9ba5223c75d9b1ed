# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the words by which a guide tells how to take back what it sets."""

from __future__ import annotations

import re

from .wording import last_sentence

TAKES_BACK = "the text gives it for taking back what it sets"
_SUBJECT = r"(?:it|this|that|them|these|those|everything|things|all|the(?:\s+\w+){1,2}|[A-Z]{2,5}|\w+ing)"
_IN_ENGLISH = (
    r"(?:roll(?:ing|s)?[ -]?back|revert(?:ing|s)?|undo(?:ing)?|un-?install(?:ing|ation)?|re-?enabl(?:e|ing)"
    r"|(?:restor|reset)(?:e|t?ing)?\s+(?:\w+\s+to\s+)?(?:(?:the|its|their|your)\s+)?(?:factory\s+)?"
    r"(?:defaults?|originals?|previous|old)|back\s+to\s+(?:the\s+)?defaults?"
    rf"|(?:go(?:ing)?|chang(?:e|ing)|(?:switch|set|put|turn)(?:t?ing)?(?:\s+{_SUBJECT})?)\s+back"
    r"(?=\s*(?:[:,]|$)|\s+(?:on|off)\b|\s+to\s+\d|\s+to\s+(?:(?:the|its|their)\s+)?"
    r"(?:old|previous|earlier|defaults?|originals?|stock)\b)"
    rf"|(?:turn|switch)(?:ing)?\s+{_SUBJECT}\s+(?:back\s+)?(?:on|off)\s+again"
    rf"|(?:en|dis)abl(?:e|ing)\s+{_SUBJECT}\s+again)"
)
# The same in other languages, of which the last do not part words by blanks.
_IN_OTHERS = (
    r"(?:(?:r(?:\u00fc|ue)ckg(?:\u00e4|ae)ngig\w*|zur(?:\u00fc|ue)cksetzen|retour\s+arri[\u00e8e]re|revenir\s+en\s+arri[\u00e8e]re"
    r"|revertir|deshacer|ripristin\w+|desfazer|откат\w*|вернуть\s+\w+)\b|(?:\w{0,6}(?:回滚|回退|还原|撤销|恢复默认|롤백|되돌리)))"
)
_WORDS = rf"(?:{_IN_ENGLISH}\b|{_IN_OTHERS})"
# A heading, or the beginning of a line, that names it.
UNDO = re.compile(rf"(?:[^\w`]|\d+(?=[.)\s])|(?:step\s+\d+|how\s+to|to|optional)\b)*{_WORDS}[^`]*", re.IGNORECASE)
# A sentence that leads to the commands for it.
_LEADS = re.compile(
    r"(?:(?:if|in\s+case|should|when|after|once|later|afterwards|finally)\b[^,]*,\s*)?(?:then\s+)?"
    r"(?:(?:you|we|one|just|simply|please)\s+)*"
    r"(?:(?:can|may|could)\s+)?"
    rf"(?:(?:also|always|simply|easily)\s+)?(?:(?:want|need|like)\s+)?(?:(?:how\s+)?to\s+)?{_WORDS}.*",
    re.IGNORECASE,
)
_NO_LONGER = re.compile(r"(?:if|when|once)\b[^,]*\bno\s+longer\s+(?:need|want|require|use)\w*\b.*:", re.IGNORECASE)
_GOES_ON = re.compile(r":$|\b(?:with|by|run|running|using|use|do|type|is)$", re.IGNORECASE)


def told_beside(words: str) -> bool:
    """Whether a comment behind a command says that it takes something back; to enable again may be what is meant."""
    return UNDO.fullmatch(words) is not None and not re.match(r"re-?enabl", words, re.IGNORECASE)


def introduces(words: str) -> bool:
    """Whether a line of words leads to commands that take back what a guide sets."""
    plain = words.rstrip(" *_")
    sentence = last_sentence(plain)
    if _NO_LONGER.fullmatch(sentence):
        return True
    if re.fullmatch(rf"(?:\S+\s+){{0,5}}?{_IN_OTHERS}.*[:\uff1a]", sentence, re.IGNORECASE):
        return True
    return _GOES_ON.search(plain) is not None and _LEADS.fullmatch(sentence) is not None
