# SPDX-License-Identifier: GPL-3.0-or-later
"""Know sentences of languages other than English that advise against what stands below them."""

from __future__ import annotations

import re

# The last clause of a Chinese sentence that says what is not to run or to be set, and for no case of its own.
_IN_CHINESE = re.compile(
    r"[^\uff0c\u3002\uff1b,;]*(?:不要|不得|不能(?:再|让)|切勿|请勿|禁止|严禁|不应|不该|不建议|不推荐)(?!忘|漏|只)[^\uff0c\u3002\uff1b,;]*"
    r"(?:执行|运行|使用|设置|添加|修改|启用|开启|采用)[^\uff0c\u3002\uff1b,;]*[\uff1a:]"
)
_CASES_IN_CHINESE = re.compile(r"如果|若|除非|之前|以前|同时|重复|只|仅")
# The same in languages that have a word for it before or behind the verb.
_IN_OTHERS = re.compile(
    r"(?:.*[.!:]\s+)?(?:bitte\s+)?(?:nie(?:mals)?|auf\s+keinen\s+fall|nicht)\b.{0,50}\b(?:setzen|verwenden|benutzen|ausf\u00fchren"
    r"|aktivieren|deaktivieren|einschalten|abschalten|\u00e4ndern|eintragen|tun|machen)\b.*:"
    r"|.*\b(?:ne\s+(?:pas|jamais|\w+\s+(?:pas|jamais))|n['\u2019]\w+\s+(?:pas|jamais)|\u00e9vitez)\b.*:"
    r"|(?:.*[.!:]\s+)?(?:no|nunca|evite|n\u00e3o|non)\s+(?:\w+\s+)?(?:us|utili[cz]|emple|activ|desactiv|ejecut|hag|hac|pong|configur|modifi|apliq|aplic"
    r"|ativ|execut|fa\u00e7|attiv|disattiv|esegu|impost)\w*\b.*:"
    r"|(?:.*[.!:]\s+)?(?:никогда\s+)?не\s+(?:использу|включа|отключа|выполня|устанавлива|меня|дела|запуска|рекоменду)\w*.*:",
    re.IGNORECASE,
)
_CASES_IN_OTHERS = re.compile(
    r"\b(?:wenn|falls|sofern|au\u00dfer|ohne|bevor|nur|vergessen|si|sauf|avant|seul\w*|oubli\w*|sin|antes|salvo|s\u00f3lo|olvid\w*"
    r"|se|senza|prima|sem|если|кроме|только|забу\w*)\b",
    re.IGNORECASE,
)


def leads(text: str) -> bool:
    """Whether a line of words says that what follows is not to be done, and not only in some cases."""
    clause = re.split(r"(?<=[\uff0c\u3002\uff1b,;])", text)[-1]
    if _IN_CHINESE.fullmatch(clause) and not _CASES_IN_CHINESE.search(text):
        return True
    return _IN_OTHERS.fullmatch(text) is not None and not _CASES_IN_OTHERS.search(text)
