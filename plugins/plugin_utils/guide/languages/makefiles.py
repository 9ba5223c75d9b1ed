# SPDX-License-Identifier: GPL-3.0-or-later
"""Know a Makefile by its lines, and read its recipes as a script of the shell."""

from __future__ import annotations

import re
from typing import Dict, List, Optional, Sequence, Set, Tuple

from ..model import Line
from ..shell import syntax
from ..shell.lexer import Broken

_RULE = re.compile(r"([\w.%/-]+(?:\s+[\w.%/-]+)*)\s*::?(?!=)(?:[\s;](.*))?$")
_VARIABLE = re.compile(r"(?:export\s+)?([A-Za-z_]\w*)\s*([:?+]?)=\s*(.*?)\s*$")
_DEFINE = re.compile(r"(?:override\s+)?define\s+([\w-]+)\s*(?:[:?+]*=)?\s*$")
_DIRECTIVE = re.compile(r"-?include\b|ifn?(?:eq|def)\b|else\b|endif\b|export\b|define\b|endef\b|\.")


def is_makefile(texts: Sequence[str]) -> bool:
    """Whether lines are those of a Makefile: a rule at the margin, and its recipe behind a tab."""
    rules = any(_RULE.match(one) and after.startswith("\t") for one, after in zip(texts, texts[1:]))
    held = {number for lines in _defines(list(enumerate(texts))).values() for number, _text in lines}
    margin = [
        text for number, text in enumerate(texts) if text.strip() and text[0] not in "\t #" and number not in held
    ]
    known = [text for text in margin if any(one.match(text) for one in (_RULE, _VARIABLE, _DIRECTIVE))]
    return rules and len(known) >= 0.8 * len(margin)


def recipes(lines: Sequence[Line]) -> List[Line]:
    """A Makefile as the commands that its recipes run one after the other, below its variables.

    A recipe sees what its variables have become at the end of the file. The recipe of a target such as `revert` becomes
    a function of this name, which nothing calls. What `define` holds stands where a recipe has its name.
    """
    variables: List[Line] = []
    found: List[Line] = []
    function = 0  # the last line of a recipe that takes things back
    # Some hold a text for people, or a piece of a command.
    defines = {name: inner for name, inner in _defines(lines).items() if _is_shell(inner)}
    held = {number for inner in defines.values() for number, _text in inner}
    used: Set[str] = set()
    for number, text in lines:
        if number in held:
            continue
        rule = None if text.startswith("\t") else _RULE.match(text)
        if function and (rule or (text.strip() and text[0] not in "\t #")):
            found.append((function, "}"))
            function = 0
        variable = None if rule or text.startswith("\t") else _VARIABLE.match(text)
        if rule and _TAKES_BACK.search(rule[1]):
            found.append((number, f"{re.sub(r'[^A-Za-z]', '_', rule[1])}() {{ :"))
            function = number
        if text.startswith("\t") or (rule and (rule[2] or "").lstrip().startswith(";")):
            line = rule[2].partition(";")[2] if rule else text
            name, arguments = _called(line)
            used.update([name] if name in defines else ())
            found.append((number, _command(line) if name not in defines else ":"))
            found += [(row, _command(_with_arguments(inner, arguments))) for row, inner in defines.get(name, ())]
            function = number if function else 0
        elif variable:
            assigned = _assigned(*variable.groups())
            variables.append((number, assigned or f"# {text}"))
        elif function != number:
            found.append((number, f"# {text}"))
    # Nothing runs what no recipe has the name of.
    never: List[Line] = []
    for inner in (inner for name, inner in defines.items() if inner and name not in used):
        never += [(inner[0][0], "if false; then :"), *_commands(inner), (inner[-1][0], "fi")]
    return [*variables, *found, *([(function, "}")] if function else []), *never]


def _defines(lines: Sequence[Line]) -> Dict[str, List[Line]]:
    """The lines of each `define NAME` up to its `endef`."""
    found: Dict[str, List[Line]] = {}
    held: Optional[List[Line]] = None
    for number, text in lines:
        begun = _DEFINE.match(text)
        if re.match(r"\s*endef\b", text):
            held = None
        elif held is not None:
            held.append((number, text))
        elif begun:
            held = found[begun[1]] = []
    return found


def _is_shell(lines: Sequence[Line]) -> bool:
    try:
        syntax.parse(_commands(lines))
    except Broken:
        return False
    return True


def _called(text: str) -> Tuple[str, List[str]]:
    """The name that a line of a recipe has for what stands in a `define`, and the words that it hands over."""
    found = re.fullmatch(r"\s*[@+-]*\s*\$[({](?:call\s+)?([\w-]+)((?:,[^()]*)?)[)}]\s*", text)
    return (found[1], [word.strip() for word in found[2].split(",")[1:]]) if found else ("", [])


def _with_arguments(text: str, arguments: Sequence[str]) -> str:
    """A line with the words that a call hands over in the place of `$(1)` and its like."""
    for number, word in enumerate(arguments, 1):
        for spelt in (f"$({number})", f"${{{number}}}", f"${number}"):
            text = text.replace(spelt, word)
    return text


# Targets whose recipes take back what others set.
_TAKES_BACK = re.compile(
    r"(?<![a-z])(?:stop|restore|revert|undo|reset|rollback|uninstall|remove|teardown|(?:dist)?clean|destroy)(?![a-z])"
)


def _command(text: str) -> str:
    """A line of a recipe in the words of the shell."""
    plain = re.sub(r"^[@+-]+\s*", "", text.strip())
    return re.sub(r"(?<!\$)\$\((\w+)\)", r"${\1}", plain).replace("$$", "$")


def _commands(lines: Sequence[Line]) -> List[Line]:
    return [(number, _command(text)) for number, text in lines]


def _assigned(name: str, how: str, value: str) -> str:
    """An assignment of make in the words of the shell; empty where make computes the value."""
    plain = re.sub(r"\$\((\w+)\)", r"${\1}", value)
    if "$(" in plain or '"' in plain:
        return ""
    return {"?": f'{name}="${{{name}:-{plain}}}"', "+": f'{name}="${name} {plain}"'}.get(how, f'{name}="{plain}"')
