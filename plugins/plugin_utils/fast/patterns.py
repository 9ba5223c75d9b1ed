# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for the module re on a host's bare interpreter, where the real one costs as much as the engine's work.

What it makes of an expression is kept beside the code, so that later calls load neither the module nor what it imports.
The real one compiles what is new, and does all that is not here; tests/unit/test_patterns.py holds both together.
"""

from __future__ import annotations

import _sre  # type: ignore[import-not-found]  # as re does
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple

IGNORECASE, MULTILINE, DOTALL, VERBOSE, ASCII = 2, 8, 16, 64, 256
# Names of NICs stand in some expressions, and in a few years a host may have had very many.
MOST = 1000

_FINDER: Any = globals()["__loader__"]
_KEPT: Any = getattr(_FINDER, "patterns", {})  # elsewhere nothing is kept
_ready: Dict[Tuple[Any, int], Any] = {}


def compile(pattern: Any, flags: int = 0) -> Any:
    """The compiled expression: as it was kept, or made anew."""
    key = (pattern, int(flags))
    try:
        return _ready[key]
    except KeyError:
        pass
    found = _KEPT.get(key) or _of_real(*key)
    if found is None:
        return _real().compile(*key)
    if len(_KEPT) < MOST:
        _KEPT[key] = found
    own_flags, code, *rest = found
    _ready[key] = made = _sre.compile(pattern, own_flags, memoryview(code).cast("I").tolist(), *rest)
    return made


def match(pattern: Any, string: Any, flags: int = 0) -> Any:
    """As re.match."""
    return compile(pattern, flags).match(string)


def fullmatch(pattern: Any, string: Any, flags: int = 0) -> Any:
    """As re.fullmatch."""
    return compile(pattern, flags).fullmatch(string)


def search(pattern: Any, string: Any, flags: int = 0) -> Any:
    """As re.search."""
    return compile(pattern, flags).search(string)


def findall(pattern: Any, string: Any, flags: int = 0) -> Any:
    """As re.findall."""
    return compile(pattern, flags).findall(string)


def finditer(pattern: Any, string: Any, flags: int = 0) -> Any:
    """As re.finditer."""
    return compile(pattern, flags).finditer(string)


def split(pattern: Any, string: Any, maxsplit: int = 0, flags: int = 0) -> Any:
    """As re.split."""
    return compile(pattern, flags).split(string, maxsplit)


def sub(pattern: Any, repl: Any, string: Any, count: int = 0, flags: int = 0) -> Any:
    """As re.sub."""
    return compile(pattern, flags).sub(repl, string, count)


def escape(pattern: str) -> str:
    """As re.escape, of text."""
    return pattern.translate(_ESCAPED)


_ESCAPED = {number: "\\" + chr(number) for number in b"()[]{}?*+-|^$\\.&~# \t\n\r\v\f"}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_real(), name)


def _real() -> Any:
    """The module that this one stands in for. What Python itself imports by its name goes on being this one."""
    if "re" in _loaded:
        return _loaded["re"]
    own = sys.modules.pop("re")
    sys.meta_path.remove(_FINDER)
    try:
        import re
    finally:
        sys.meta_path.insert(0, _FINDER)
        sys.modules["re"] = own
    _loaded["re"] = re
    return re


_loaded: Dict[str, Any] = {}


def _of_real(pattern: Any, flags: int) -> Optional[Tuple[Any, ...]]:
    """What the real module hands to the machine that matches: flags, code as bytes, number and names of groups; None
    where a later Python has another way."""
    _real()
    compiler: Any = sys.modules.get("re._compiler") or sys.modules.get("sre_compile")  # the second before Python 3.11
    machine: Any = getattr(compiler, "_sre", None)
    seen: List[Any] = []

    class Listening:
        def __getattr__(self, name: str) -> Any:
            return getattr(machine, name)

        def compile(self, _pattern: Any, own_flags: int, code: Any, *rest: Any) -> Any:
            packed = b"".join(word.to_bytes(_sre.CODESIZE, sys.byteorder) for word in code)
            seen.append((int(own_flags), packed, *rest))

    if machine is not None:
        compiler._sre = Listening()
        try:
            compiler.compile(pattern, flags)
        finally:
            compiler._sre = machine
    return seen[0] if seen else None
